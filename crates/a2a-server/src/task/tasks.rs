//! The tasks of an agent: begun, gone on with, read, listed, ended.

use std::collections::HashMap;
use std::fmt;
use std::io::{BufWriter, Write};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use a2a::error::{Error, ErrorKind};
use a2a::fault::{Fault, Segment};
use a2a::model::{
    HistoryLength, ListTasksRequest, ListTasksResponse, Message, Part, StreamResponse, Task,
    TaskState, TaskStatus, Timestamp,
};
use futures_util::FutureExt as _;
use sha2::{Digest, Sha256};
use tokio_util::task::TaskTracker;

use super::run::{Run, Told, broken, failed};
use super::{
    Change, Entry, ListQuery, Owner, Remembered, StoredTask, Subscription, TaskKey, TaskSink,
    TaskStore, cursor,
};
use crate::{Work, correlation_id, random_id};

/// Tells the time.
pub(super) type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How tasks are run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// How long work may go on to clean up after its client ended the task; 10 s by default.
    pub cancel_grace: Duration,
    /// Whether a message that is sent again, by its id, gets the answer of the first time (A2A 1.0
    /// §3.3.1); so it is by default. Otherwise every message counts as a new one.
    pub answers_repeats: bool,
    /// How long a task that has ended is kept; 7 days by default.
    pub keep_ended: Duration,
    /// How long a task waits for its client; 30 days by default.
    pub keep_interrupted: Duration,
    /// About how many tasks of one owner are kept, the ones under way aside; 10,000 by default.
    pub most_per_owner: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cancel_grace: Duration::from_secs(10),
            answers_repeats: true,
            keep_ended: Duration::from_hours(7 * 24),
            keep_interrupted: Duration::from_hours(30 * 24),
            most_per_owner: 10_000,
        }
    }
}

/// The tasks of an agent. Cheap to clone.
#[derive(Clone)]
pub struct Tasks(Arc<Inner>);

struct Inner {
    store: Arc<dyn TaskStore>,
    clock: Clock,
    settings: Settings,
    /// Tasks that somebody works on or follows.
    runs: Mutex<HashMap<TaskKey, Weak<Run>>>,
    workers: TaskTracker,
    told: Arc<Told>,
    /// How many tasks were begun.
    begun: AtomicU64,
}

/// How long another process gets to hear a message of the client for the work that it does.
const HEARD_WITHIN: Duration = Duration::from_secs(3);
/// How often it is looked whether it has.
const HEARD_EVERY: Duration = Duration::from_millis(100);
/// After so many new tasks the surplus of their owner is forgotten.
const TRIM_EVERY: u64 = 16;
/// After so many new tasks those that are too old are forgotten.
const TIDY_EVERY: u64 = 1024;

/// A message on its way into a task, and what to tell its sender.
pub(crate) struct Begun {
    run: Arc<Run>,
    /// The entry that the message, or the task that it began, is.
    number: u64,
    /// Held until the work that answers the message is begun.
    turn: Option<tokio::sync::OwnedMutexGuard<()>>,
}

impl Tasks {
    /// Tasks that are kept in `store`; `clock` tells the time.
    #[must_use]
    pub fn new(
        store: Arc<dyn TaskStore>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
        settings: Settings,
    ) -> Self {
        Self(Arc::new(Inner {
            store,
            clock: Arc::new(clock),
            settings,
            runs: Mutex::default(),
            workers: TaskTracker::new(),
            told: Arc::default(),
            begun: AtomicU64::new(0),
        }))
    }

    /// The task that this very message began before; invalid params when another message had its id.
    pub(crate) async fn repeated(
        &self,
        owner: &Owner,
        message: &Message,
    ) -> Result<Option<Begun>, Error> {
        if !self.0.settings.answers_repeats {
            return Ok(None);
        }
        let found = self.0.store.remembered(owner, &message.message_id).await;
        let key = TaskKey::new(owner.clone(), "");
        match found.map_err(|error| failed(&key, &error))? {
            None => Ok(None),
            Some(before) => self.repeat(owner, digest(message), &before).await.map(Some),
        }
    }

    async fn repeat(
        &self,
        owner: &Owner,
        digest: [u8; 32],
        before: &Remembered,
    ) -> Result<Begun, Error> {
        if before.digest != digest {
            let place = ["message", "messageId"].map(|it| Segment::Member(it.to_owned()));
            let words = "was used for another message; make a new one up";
            return Err(Error::invalid_params(&[Fault::new(place.into(), words)]));
        }
        let key = TaskKey::new(owner.clone(), &before.task_id);
        let run = self.find(&key).await?;
        Ok(Begun::new(run, 0))
    }

    /// Begins a task with its first message, of which the task may keep other parts than were sent. The
    /// work waits for [`start`](Self::start), so that whoever follows the task misses nothing.
    pub(crate) async fn begin(
        &self,
        owner: &Owner,
        mut message: Message,
        kept: Option<Vec<Part>>,
    ) -> Result<Begun, Error> {
        let key = TaskKey::new(owner.clone(), random_id());
        let context = message.context_id.clone().unwrap_or_else(random_id);
        let digest = digest(&message);
        // Where repeats do not count, the task's own id stands for the message's: it never comes again.
        let message_id = if self.0.settings.answers_repeats {
            message.message_id.clone()
        } else {
            key.id.clone()
        };
        message.context_id = Some(context.clone());
        message.task_id = Some(key.id.clone());
        let at = (self.0.clock)();
        let mut task = Task::new(
            &key.id,
            context,
            TaskStatus::new(TaskState::Submitted).at(at),
        );
        message.parts = kept.unwrap_or(message.parts);
        task.history.push(message);
        let first = Arc::new(Entry {
            number: 1,
            at,
            change: Change::Event(StreamResponse::Task(task.clone())),
        });
        let remembered = Remembered {
            message_id,
            digest,
            task_id: key.id.clone(),
        };
        let created = self.0.store.create(&key, &first, remembered).await;
        if let Some(before) = created.map_err(|error| failed(&key, &error))? {
            return self.repeat(owner, digest, &before).await;
        }
        let run = self.enter(&key, StoredTask { task, number: 1 });
        self.make_room(owner);
        Ok(Begun::new(run, 1))
    }

    /// Forgets, beside the request, what is more than is kept.
    fn make_room(&self, owner: &Owner) {
        let begun = self.0.begun.fetch_add(1, Ordering::Relaxed) + 1;
        if begun.is_multiple_of(TRIM_EVERY) {
            let (store, owner) = (Arc::clone(&self.0.store), owner.clone());
            let most = self.0.settings.most_per_owner;
            self.0.workers.spawn(async move {
                if let Err(error) = store.trim(&owner, most).await {
                    failed(&TaskKey::new(owner, ""), &error);
                }
            });
        }
        if begun.is_multiple_of(TIDY_EVERY) {
            let tasks = self.clone();
            // An error is in the log, and the next time may go well.
            let tidy = async move { drop(tasks.tidy().await) };
            self.0.workers.spawn(tidy);
        }
    }

    /// Forgets the tasks that are older than [`Settings`] keep them. It is done every now and then while
    /// tasks are begun; a program that wants it punctually calls this.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn tidy(&self) -> Result<usize, Error> {
        let now = (self.0.clock)();
        let earlier = |age: Duration| {
            let time = now.get().checked_sub(age).ok()?;
            Timestamp::try_from(time).ok()
        };
        let mut forgotten = 0;
        if let Some(before) = earlier(self.0.settings.keep_ended) {
            forgotten += self.forget(before, false).await?;
        }
        if let Some(before) = earlier(self.0.settings.keep_interrupted) {
            forgotten += self.forget(before, true).await?;
        }
        Ok(forgotten)
    }

    /// Goes on with a task that a message is about. True when the work that is going on has it; otherwise
    /// the agent is to be asked.
    pub(crate) async fn go_on(
        &self,
        key: &TaskKey,
        mut message: Message,
    ) -> Result<(Begun, bool), Error> {
        let run = self.find(key).await?;
        let context = run.context_id();
        if message.context_id.as_ref().is_some_and(|it| *it != context) {
            return Err(Error::context_of_other_task());
        }
        message.context_id = Some(context);
        // One at a time: of a message that comes twice at once, the second one finds what the first has begun.
        let turn = Arc::clone(&run.turn).lock_owned().await;
        // The client did not hear the first answer and sends the message once more.
        let is_repeat = self.0.settings.answers_repeats && run.has_message(&message);
        let number = if !is_repeat {
            let emitted = run.emit_message(message.clone());
            emitted.map_err(|_| ended(key))?;
            self.flush(&run).await;
            // Another process may have written before, even the end of the task.
            match run.entry_of(&message) {
                Some(number) => number,
                None => {
                    return Err(if run.is_broken() {
                        broken()
                    } else {
                        ended(key)
                    });
                }
            }
        } else if let Some(number) = run.unanswered(&message).await? {
            number
        } else {
            return Ok((Begun::new(run, 0), true));
        };
        let delivered =
            run.deliver(message, resume) || self.is_heard_elsewhere(&run, number).await?;
        let mut begun = Begun::new(run, number);
        begun.turn = (!delivered).then_some(turn);
        Ok((begun, delivered))
    }

    /// Whether another process works on the task and hears the client's message, the entry `number`, in the
    /// log. Otherwise this process works on it from here on.
    async fn is_heard_elsewhere(&self, run: &Run, number: u64) -> Result<bool, Error> {
        let error = |error| failed(&run.key, &error);
        let given_up = tokio::time::Instant::now() + HEARD_WITHIN;
        while !self.0.store.take(&run.key).await.map_err(error)? {
            run.catch_up().await.map_err(error)?;
            if run.number() > number || tokio::time::Instant::now() > given_up {
                return Ok(true);
            }
            tokio::time::sleep(HEARD_EVERY).await;
        }
        Ok(false)
    }

    /// Lets work carry out a task.
    pub(crate) fn start(&self, begun: &mut Begun, work: Work) {
        let run = Arc::clone(&begun.run);
        resume(&run);
        begun.turn = None;
        let sink = TaskSink::new(Arc::clone(&run));
        let grace = self.0.settings.cancel_grace;
        let tasks = self.clone();
        self.0.workers.spawn(async move {
            work_on(Arc::clone(&run), sink, work, grace).await;
            if run.is_lost() {
                tasks.fail_lost(&run.key).await;
            } else if run.task_state().is_interrupted()
                && let Err(error) = tasks.0.store.leave(&run.key).await
            {
                failed(&run.key, &error);
            }
        });
    }

    /// Fails a task whose log could not be written to its end, if it can be written again.
    async fn fail_lost(&self, key: &TaskKey) {
        // An error is in the log; whoever starts next fails what is left.
        if let Ok(run) = self.find(key).await {
            fail(&run, "The agent's work on this task could not be kept.");
            run.flush().await;
        }
    }

    /// Fails a task that was begun and whose work cannot be started.
    pub(crate) async fn abandon(&self, begun: &Begun) {
        fail(&begun.run, "The agent could not begin this task.");
        self.flush(&begun.run).await;
    }

    /// Writes what a run waits with to the store. Whoever waits for that may leave meanwhile: a write that was
    /// begun is always brought to its end, since nobody could tell otherwise what of it is stored.
    async fn flush(&self, run: &Arc<Run>) {
        let run = Arc::clone(run);
        let flushing = self.0.workers.spawn(async move { run.flush().await });
        // A panic of the store has its place in the log.
        let _ = flushing.await;
    }

    /// Where the tasks are kept.
    pub(super) fn store(&self) -> &dyn TaskStore {
        self.0.store.as_ref()
    }

    /// The time.
    pub(super) fn now(&self) -> Timestamp {
        (self.0.clock)()
    }

    /// Hears of webhooks and of what they have to be told.
    pub(super) fn told(&self) -> &Told {
        &self.0.told
    }

    /// A task.
    pub(crate) async fn get(&self, key: &TaskKey) -> Result<Task, Error> {
        if let Some(run) = self.running(key) {
            self.catch_up(&run).await?;
            return Ok(run.snapshot().await?.task);
        }
        Ok(self.stored(key).await?.task)
    }

    /// A page of an owner's tasks.
    pub(crate) async fn list(
        &self,
        owner: Owner,
        request: &ListTasksRequest,
    ) -> Result<ListTasksResponse, Error> {
        let size = request.page_size.unwrap_or_default();
        let token = request.page_token.as_deref();
        let artifacts = request.include_artifacts.unwrap_or_default();
        let query = ListQuery {
            owner,
            context_id: request.context_id.clone(),
            state: request.status.filter(|it| *it != TaskState::Unspecified),
            since: request.status_timestamp_after,
            after: token
                .filter(|token| !token.is_empty())
                .map(cursor::read)
                .transpose()?,
            limit: size.get(),
            artifacts,
        };
        let page = self.0.store.list(&query).await;
        let key = TaskKey::new(query.owner.clone(), "");
        let mut page = page.map_err(|error| failed(&key, &error))?;
        for task in &mut page.tasks {
            shorten(task, request.history_length);
        }
        Ok(ListTasksResponse {
            tasks: page.tasks,
            next_page_token: page.next.as_ref().map(cursor::write).unwrap_or_default(),
            page_size: i32::try_from(size.get()).unwrap_or(i32::MAX),
            total_size: i32::try_from(page.total).unwrap_or(i32::MAX),
        })
    }

    /// Ends a task at its client's wish. Of an ending by the work at the same moment and this one,
    /// exactly one counts.
    pub(crate) async fn cancel(&self, key: &TaskKey) -> Result<Task, Error> {
        let run = self.find(key).await?;
        let not_cancelable = |run: &Run| Error::task_not_cancelable(&key.id, run.task_state());
        let canceled = run.emit_status(TaskState::Canceled, None);
        canceled.map_err(|_| not_cancelable(&run))?;
        self.flush(&run).await;
        let task = run.snapshot().await?.task;
        // Another process may have ended it before.
        if task.status.state != TaskState::Canceled {
            return Err(not_cancelable(&run));
        }
        run.cancel();
        Ok(task)
    }

    /// Follows a task: from the entry behind the last one that the client saw, else from the task as it
    /// stands.
    pub(crate) async fn subscribe(
        &self,
        key: &TaskKey,
        last_seen: Option<u64>,
    ) -> Result<Subscription, Error> {
        let run = self.find(key).await?;
        let snapshot = run.snapshot().await?;
        match last_seen {
            Some(seen) if seen < snapshot.number || !run.task_state().is_terminal() => {
                Ok(Subscription::new(run, seen.min(snapshot.number), None))
            }
            _ if snapshot.task.status.state.is_terminal() => {
                let message = format!(
                    "the task is {} and sends nothing more; get it instead",
                    snapshot.task.status.state.as_str()
                );
                Err(Error::new(ErrorKind::UnsupportedOperation, message))
            }
            _ => Ok(Subscription::new(run, snapshot.number, Some(snapshot))),
        }
    }

    /// Fails the tasks that processes left behind which are gone. For a process that starts, and where
    /// several use the store, every now and then.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn recover(&self) -> Result<usize, Error> {
        let key = TaskKey::new(Owner::new(None, None), "");
        let left = self.0.store.unfinished().await;
        let left = left.map_err(|error| failed(&key, &error))?;
        for key in &left {
            let run = self.find(key).await?;
            let words = "The agent was restarted while it worked on this task; send it again.";
            fail(&run, words);
            self.flush(&run).await;
        }
        Ok(left.len())
    }

    /// Sees what other processes on the same store do to the tasks that are followed or worked on here,
    /// within `every`, for as long as it is polled. [`hear`](Self::hear) is sooner.
    pub async fn keep_up(&self, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            self.look(Run::is_watched).await;
        }
    }

    /// Another process has said that it did something to a task: readers here see it at once.
    pub async fn hear(&self, task_id: &str) {
        self.look(|run| run.key.id == task_id).await;
    }

    async fn look(&self, at: impl Fn(&Run) -> bool) {
        let runs: Vec<_> = self.runs().values().filter_map(Weak::upgrade).collect();
        for run in runs.iter().filter(|run| at(run)) {
            // An error is in the log, and the next look may go well.
            let _ = self.catch_up(run).await;
        }
    }

    /// Takes in what other processes did to a task.
    async fn catch_up(&self, run: &Run) -> Result<(), Error> {
        let caught_up = run.catch_up().await;
        caught_up.map_err(|error| failed(&run.key, &error))
    }

    /// Forgets tasks whose status is older than `before`; see [`TaskStore::forget`].
    ///
    /// # Errors
    /// When the store fails.
    pub async fn forget(&self, before: Timestamp, interrupted: bool) -> Result<usize, Error> {
        let key = TaskKey::new(Owner::new(None, None), "");
        let forgotten = self.0.store.forget(before, interrupted).await;
        forgotten.map_err(|error| failed(&key, &error))
    }

    /// Waits until no work is going on, or `patience` runs out; then the tasks of what is still going on
    /// are failed. For a process that ends.
    pub async fn close(&self, patience: Duration) {
        self.0.workers.close();
        let _ = tokio::time::timeout(patience, self.0.workers.wait()).await;
        let runs: Vec<_> = self.runs().values().filter_map(Weak::upgrade).collect();
        for run in runs {
            if run.is_worked_on() {
                fail(&run, "The agent was stopped while it worked on this task.");
                self.flush(&run).await;
            }
        }
    }

    fn runs(&self) -> std::sync::MutexGuard<'_, HashMap<TaskKey, Weak<Run>>> {
        self.0.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run that could not be stored is as good as none: the store knows better what is left of it.
    fn running(&self, key: &TaskKey) -> Option<Arc<Run>> {
        let run = self.runs().get(key).and_then(Weak::upgrade)?;
        (!run.is_broken()).then_some(run)
    }

    async fn stored(&self, key: &TaskKey) -> Result<StoredTask, Error> {
        let found = self.0.store.task(key).await;
        let found = found.map_err(|error| failed(key, &error))?;
        found.ok_or_else(|| Error::task_not_found(&key.id))
    }

    /// A task, as one process-wide run; "not found" for everybody but its owner.
    async fn find(&self, key: &TaskKey) -> Result<Arc<Run>, Error> {
        if let Some(run) = self.running(key) {
            if !run.is_worked_on() {
                self.catch_up(&run).await?;
            }
            return Ok(run);
        }
        let stored = self.stored(key).await?;
        Ok(self.enter(key, stored))
    }

    fn enter(&self, key: &TaskKey, stored: StoredTask) -> Arc<Run> {
        let mut runs = self.runs();
        let known = runs.get(key).and_then(Weak::upgrade);
        if let Some(run) = known.filter(|run| !run.is_broken()) {
            return run;
        }
        // What nobody holds any more goes when there is twice as much as is held.
        if runs.len() >= 64 && runs.len().is_power_of_two() {
            runs.retain(|_, run| run.strong_count() > 0);
        }
        let (store, clock) = (Arc::clone(&self.0.store), Arc::clone(&self.0.clock));
        let told = Arc::clone(&self.0.told);
        let run = Arc::new(Run::new(key.clone(), stored, store, clock, told));
        runs.insert(key.clone(), Arc::downgrade(&run));
        run
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks")
            .field("settings", &self.0.settings)
            .finish_non_exhaustive()
    }
}

impl Begun {
    const fn new(run: Arc<Run>, number: u64) -> Self {
        Self {
            run,
            number,
            turn: None,
        }
    }

    /// Whether it is a task of its own, and not the one that the same message began before.
    pub(crate) const fn is_new(&self) -> bool {
        self.number > 0
    }

    /// The task.
    pub(crate) fn key(&self) -> &TaskKey {
        &self.run.key
    }

    /// The entry that the message, or the task that it began, is; 0 when it came before.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// The task as it stands, for the agent that goes on with it.
    pub(crate) fn task(&self) -> Task {
        self.run.task()
    }

    /// The task at once, or once it has ended or waits for its client.
    pub(crate) async fn answer(
        &self,
        at_once: bool,
        history: Option<HistoryLength>,
    ) -> Result<Task, Error> {
        if !at_once {
            self.run.settled(self.number).await?;
        }
        let mut task = self.run.snapshot().await?.task;
        shorten(&mut task, history);
        Ok(task)
    }

    /// The task and everything that happens to it from here on.
    pub(crate) async fn follow(&self, last_seen: Option<u64>) -> Result<Subscription, Error> {
        let run = Arc::clone(&self.run);
        let subscription = match (last_seen, self.number) {
            (Some(seen), 0) => {
                let snapshot = run.snapshot().await?;
                let is_up_to_date = seen >= snapshot.number;
                if is_up_to_date && snapshot.task.status.state.is_interrupted() {
                    // The stream has ended there, which its client did not hear.
                    Subscription::new(run, snapshot.number, Some(snapshot))
                } else {
                    Subscription::new(run, seen.min(snapshot.number), None)
                }
            }
            // From its very first entry, which is the task.
            (_, 0 | 1) => Subscription::new(run, 0, None),
            _ => {
                let snapshot = run.snapshot().await?;
                Subscription::new(run, snapshot.number, Some(snapshot))
            }
        };
        Ok(subscription.ending_at_interruption())
    }
}

/// Carries out a task to its end: the work's own, its client's, or a failure.
async fn work_on(run: Arc<Run>, sink: TaskSink, work: Work, grace: Duration) {
    let mut flushing = std::pin::pin!(run.keep_flushing().fuse());
    let working = async {
        // Begun inside the task, so that a panic while it begins is caught too.
        let work = AssertUnwindSafe(async move { (work.begin)(sink).await }).catch_unwind();
        tokio::select! {
            ended = work => Some(ended),
            () = async { run.canceled().await; tokio::time::sleep(grace).await; } => None,
        }
    };
    let ended = tokio::select! {
        ended = working => ended,
        // Work that nobody will hear of is dropped.
        () = &mut flushing => None,
    };
    match ended {
        Some(Ok(Ok(()))) => {
            let state = run.task_state();
            if !state.is_terminal() && !state.is_interrupted() {
                // Another one may end the task at this moment, and then that counts.
                let _ = run.emit_status(TaskState::Completed, None);
            }
        }
        Some(Ok(Err(error))) if !run.task_state().is_terminal() => {
            let correlation = correlation_id();
            let task = &run.key.id;
            tracing::error!(correlation, task, error, "the agent's work failed");
            fail(&run, &failure(&correlation));
        }
        Some(Err(_panic)) => {
            let correlation = correlation_id();
            let task = &run.key.id;
            tracing::error!(correlation, task, "the agent's work panicked");
            fail(&run, &failure(&correlation));
        }
        Some(Ok(Err(_))) | None => {}
    }
    // A write that was begun comes to its end before the last one.
    tokio::select! {
        () = flushing => {}
        () = run.flush() => {}
    }
}

/// A task that waited for its client is under way again once somebody has the client's message.
pub(super) fn resume(run: &Run) {
    if run.task_state().is_interrupted() {
        // Another one may end the task at this moment, and then that counts.
        let _ = run.emit_status(TaskState::Working, None);
    }
}

fn failure(correlation: &str) -> String {
    format!("The agent could not finish this task; it is logged as {correlation}.")
}

fn fail(run: &Run, words: &str) {
    let message = Message::agent(random_id())
        .with_task_id(&run.key.id)
        .with_context_id(run.context_id())
        .with_part(a2a::model::Part::text(words));
    // A task that has ended meanwhile stays as it ended.
    let _ = run.emit_status(TaskState::Failed, Some(message));
}

fn ended(key: &TaskKey) -> Error {
    let message = format!(
        "the task {} has ended and takes no messages; send a new one without taskId",
        key.id
    );
    Error::new(ErrorKind::UnsupportedOperation, message)
}

/// Leaves the latest messages of a history; all of them when the client does not say.
pub(crate) fn shorten(task: &mut Task, length: Option<HistoryLength>) {
    if let Some(length) = length {
        let surplus = task.history.len().saturating_sub(length.get());
        task.history.drain(..surplus);
    }
}

/// Tells a repeat from another message.
fn digest(message: &Message) -> [u8; 32] {
    // Messages hold whole files: they are copied only where the task that they name has to go.
    let without_task = message.task_id.is_some().then(|| {
        let mut message = message.clone();
        message.task_id = None;
        message
    });
    let mut hashing = BufWriter::with_capacity(16 << 10, Hashing(Sha256::new()));
    // Writing to a hash does not fail, and neither does a message to be written.
    let _ = serde_json::to_writer(&mut hashing, without_task.as_ref().unwrap_or(message));
    let _ = hashing.flush();
    hashing.get_ref().0.clone().finalize().into()
}

/// Hashes what is written to it.
struct Hashing(Sha256);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
