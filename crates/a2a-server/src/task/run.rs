//! A task while somebody works on it or follows it.

mod others;

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use a2a::error::Error;
use a2a::fold::{Fold, Misfit};
use a2a::model::{Message, StreamResponse, Task, TaskState, TaskStatus, TaskStatusUpdateEvent};
use tokio::sync::{Notify, mpsc, watch};

use super::tasks::Clock;
use super::{Change, Entry, StoreError, StoredTask, TaskKey, TaskStore};

/// How many events may wait for the store before whoever emits has to wait too.
const MOST_PENDING: usize = 256;
/// How many entries are kept at hand for readers; earlier ones are read from the store.
const MOST_RECENT: usize = 1024;
/// How often in a row others may be first to write to the log before a write is given up.
const MOST_CONFLICTS: usize = 100;

/// A task while somebody works on it or follows it.
pub(super) struct Run {
    pub(super) key: TaskKey,
    store: Arc<dyn TaskStore>,
    clock: Clock,
    state: Mutex<State>,
    /// The last entry that is stored and may be seen; an error once the store gave up.
    published: watch::Sender<Published>,
    /// Wakes the one that writes to the store.
    wake: Notify,
    /// One writes at a time.
    writing: tokio::sync::Mutex<()>,
    /// Whoever hands a message of the client on has it meanwhile.
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    /// Where messages of the client go while work is going on.
    inbox: Mutex<Option<mpsc::UnboundedSender<Message>>>,
    /// Hears of what is stored, for webhooks.
    told: Arc<Told>,
    /// Set when the client ends the task.
    canceled: watch::Sender<bool>,
    /// Set when the store failed, and nobody else has written to the log.
    lost: AtomicBool,
}

/// Says that logs go on, to whoever tells webhooks of it; to nobody while there are no webhooks.
#[derive(Debug, Default)]
pub(super) struct Told {
    has_webhooks: AtomicBool,
    changed: Notify,
}

impl Told {
    /// A webhook was registered.
    pub(super) fn registered(&self) {
        self.has_webhooks.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// A log goes on.
    fn changed(&self) {
        if self.has_webhooks.load(Ordering::Relaxed) {
            self.changed.notify_one();
        }
    }

    /// Resolves once a webhook may be due.
    pub(super) async fn due(&self) {
        self.changed.notified().await;
    }
}

/// How far a log can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Published {
    /// The last entry.
    pub(super) number: u64,
    /// The last entry with which the task ended, or began to wait for its client.
    pub(super) settled: u64,
    /// The task has ended: nothing follows.
    pub(super) ended: bool,
    /// The store gave up: what follows is not known.
    pub(super) broken: bool,
}

#[derive(Debug)]
struct State {
    fold: Fold,
    /// The last entry that was emitted.
    emitted: u64,
    /// Emitted and not stored.
    pending: Vec<Arc<Entry>>,
    /// Stored lately.
    recent: VecDeque<Arc<Entry>>,
}

impl Run {
    /// A task as it is stored, which nobody works on.
    pub(super) fn new(
        key: TaskKey,
        stored: StoredTask,
        store: Arc<dyn TaskStore>,
        clock: Clock,
        told: Arc<Told>,
    ) -> Self {
        let state = stored.task.status.state;
        let settled = state.is_terminal() || state.is_interrupted();
        let published = Published {
            number: stored.number,
            settled: if settled { stored.number } else { 0 },
            ended: state.is_terminal(),
            broken: false,
        };
        Self {
            key,
            store,
            clock,
            state: Mutex::new(State {
                fold: Fold::new(stored.task),
                emitted: stored.number,
                pending: Vec::new(),
                recent: VecDeque::new(),
            }),
            published: watch::Sender::new(published),
            wake: Notify::new(),
            writing: tokio::sync::Mutex::new(()),
            turn: Arc::default(),
            inbox: Mutex::new(None),
            told,
            canceled: watch::Sender::new(false),
            lost: AtomicBool::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn inbox(&self) -> MutexGuard<'_, Option<mpsc::UnboundedSender<Message>>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the work read what the client sends meanwhile.
    pub(super) fn open_inbox(&self) -> mpsc::UnboundedReceiver<Message> {
        let (sender, receiver) = mpsc::unbounded_channel();
        *self.inbox() = Some(sender);
        receiver
    }

    /// Whether the end of its log was lost with the store, so that nobody else goes on with it.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether work is going on.
    pub(super) fn is_worked_on(&self) -> bool {
        self.inbox().as_ref().is_some_and(|it| !it.is_closed())
    }

    /// Ends the work's inbox; messages that come later begin work of their own.
    pub(super) fn close_inbox(&self) {
        *self.inbox() = None;
    }

    /// Hands a message to the work; false when nobody would read it. What `before` does is done before the
    /// work can answer.
    pub(super) fn deliver(&self, message: Message, before: impl FnOnce(&Self)) -> bool {
        // The work closes its inbox before it drops it, and waits for this lock to do so.
        let inbox = self.inbox();
        let Some(inbox) = inbox.as_ref().filter(|it| !it.is_closed()) else {
            return false;
        };
        before(self);
        inbox.send(message).is_ok()
    }

    /// A watch on how far the log can be seen.
    pub(super) fn watch(&self) -> watch::Receiver<Published> {
        self.published.subscribe()
    }

    /// How many read the log.
    #[cfg(test)]
    pub(super) fn readers(&self) -> usize {
        self.published.receiver_count()
    }

    /// Resolves once the client has ended the task.
    pub(super) async fn canceled(&self) {
        let mut canceled = self.canceled.subscribe();
        // The sender lives in `self`.
        let _ = canceled.wait_for(|canceled| *canceled).await;
    }

    /// Notes that the client has ended the task.
    pub(super) fn cancel(&self) {
        self.canceled.send_replace(true);
    }

    /// Takes in an event. It is seen by others once it is stored.
    pub(super) fn emit(&self, event: StreamResponse) -> Result<u64, Misfit> {
        let at = (self.clock)();
        let mut state = self.state();
        state.fold.apply(event.clone())?;
        Ok(self.push(&mut state, at, Change::Event(event)))
    }

    /// Takes in a status, timed by this server.
    pub(super) fn emit_status(
        &self,
        task_state: TaskState,
        message: Option<Message>,
    ) -> Result<u64, Misfit> {
        let at = (self.clock)();
        let mut status = TaskStatus::new(task_state).at(at);
        status.message = message;
        let context = self.context_id();
        let event = TaskStatusUpdateEvent::new(&self.key.id, context, status);
        let mut state = self.state();
        state.fold.status(event.clone())?;
        let event = StreamResponse::StatusUpdate(event);
        Ok(self.push(&mut state, at, Change::Event(event)))
    }

    /// Takes in a message of the client.
    pub(super) fn emit_message(&self, message: Message) -> Result<u64, Misfit> {
        let at = (self.clock)();
        let mut state = self.state();
        state.fold.message(message.clone())?;
        Ok(self.push(&mut state, at, Change::Message(message)))
    }

    fn push(&self, state: &mut State, at: a2a::model::Timestamp, change: Change) -> u64 {
        state.emitted += 1;
        let number = state.emitted;
        state.pending.push(Arc::new(Entry { number, at, change }));
        self.wake.notify_one();
        number
    }

    /// Waits while too much waits for the store.
    pub(super) async fn room(&self) -> Result<(), Error> {
        if self.state().pending.len() < MOST_PENDING {
            return Ok(());
        }
        let emitted = self.state().emitted;
        self.seen(emitted - MOST_PENDING as u64 / 2).await
    }

    /// Waits until this entry can be seen. It never can when the task was ended elsewhere before it was
    /// stored.
    pub(super) async fn seen(&self, number: u64) -> Result<(), Error> {
        let mut published = self.watch();
        let reached = published.wait_for(|it| it.number >= number || it.broken || it.ended);
        // The sender lives in `self`.
        match reached.await {
            Ok(it) if it.number >= number => Ok(()),
            _ => Err(broken()),
        }
    }

    /// Waits until the task ends or waits for its client, after this entry.
    pub(super) async fn settled(&self, after: u64) -> Result<(), Error> {
        let mut published = self.watch();
        let reached = published.wait_for(|it| it.settled > after || it.ended || it.broken);
        match reached.await {
            Ok(it) if it.settled > after || it.ended => Ok(()),
            _ => Err(broken()),
        }
    }

    /// The task as it stands, with how far its log reaches; all of it is stored.
    pub(super) async fn snapshot(&self) -> Result<StoredTask, Error> {
        let stored = {
            let state = self.state();
            StoredTask {
                task: state.fold.task().clone(),
                number: state.emitted,
            }
        };
        self.seen(stored.number).await?;
        Ok(stored)
    }

    /// Whether its log could not be written.
    pub(super) fn is_broken(&self) -> bool {
        self.published.borrow().broken
    }

    /// The state that the task is in.
    pub(super) fn task_state(&self) -> TaskState {
        self.state().fold.task().status.state
    }

    /// The conversation of the task.
    pub(super) fn context_id(&self) -> String {
        let state = self.state();
        state.fold.task().context_id.clone().unwrap_or_default()
    }

    /// The task as it stands, stored or not.
    pub(super) fn task(&self) -> Task {
        self.state().fold.task().clone()
    }

    /// The entry that this message is, as long as it is at hand.
    pub(super) fn entry_of(&self, message: &Message) -> Option<u64> {
        let state = self.state();
        let found = state.recent.iter().rev().find(|entry| match &entry.change {
            Change::Message(known) => known.message_id == message.message_id,
            Change::Event(_) => false,
        });
        found.map(|entry| entry.number)
    }

    /// How many entries can be seen.
    pub(super) fn number(&self) -> u64 {
        self.published.borrow().number
    }

    /// Whether somebody waits for what happens, or works on it.
    pub(super) fn is_watched(&self) -> bool {
        self.published.receiver_count() > 0 || self.is_worked_on()
    }

    /// Whether the history has this message, by its id.
    pub(super) fn has_message(&self, message: &Message) -> bool {
        let known = |it: &Message| it.message_id == message.message_id && it.role == message.role;
        self.state().fold.task().history.iter().any(known)
    }

    /// The entry that this message is, if nothing has happened since and the task still waits for its client:
    /// whoever sent it left before anybody had it.
    pub(super) async fn unanswered(&self, message: &Message) -> Result<Option<u64>, Error> {
        let (last, is_waiting) = {
            let state = self.state();
            let task_state = state.fold.task().status.state;
            (state.emitted, task_state.is_interrupted())
        };
        if !is_waiting {
            return Ok(None);
        }
        self.seen(last).await?;
        let entries = self.entries(last - 1).await?;
        let is_it = entries.first().is_some_and(|entry| match &entry.change {
            Change::Message(known) => known.message_id == message.message_id,
            Change::Event(_) => false,
        });
        Ok(is_it.then_some(last))
    }

    /// Whether the task has an artifact of this id.
    pub(super) fn has_artifact(&self, id: &str) -> bool {
        self.state().fold.has_artifact(id)
    }

    /// The entries that follow, as far as they are at hand; `None` when they have to be read from the
    /// store.
    pub(super) fn at_hand(&self, after: u64) -> Option<Vec<Arc<Entry>>> {
        let state = self.state();
        let first = state.recent.front()?.number;
        if after + 1 < first {
            return None;
        }
        let skip = usize::try_from(after + 1 - first).unwrap_or(usize::MAX);
        Some(state.recent.iter().skip(skip).cloned().collect())
    }

    /// The entries that follow, from memory or from the store.
    pub(super) async fn entries(&self, after: u64) -> Result<Vec<Arc<Entry>>, Error> {
        if let Some(entries) = self.at_hand(after) {
            return Ok(entries);
        }
        let read = self.store.entries(&self.key, after, MOST_RECENT).await;
        read.map_err(|error| failed(&self.key, &error))
    }

    /// Writes what waits to the store, once it is awaited, until nothing waits.
    pub(super) async fn flush(&self) {
        let _one = self.writing.lock().await;
        let mut conflicts = 0;
        loop {
            let batch = std::mem::take(&mut self.state().pending);
            let (Some(first), Some(last)) = (batch.first(), batch.last()) else {
                return;
            };
            // Nothing can follow what was lost.
            if self.is_broken() {
                return;
            }
            let (after, last) = (first.number - 1, last.number);
            let written = match self.write(after, &batch).await {
                Err(StoreError::Conflict) if conflicts < MOST_CONFLICTS => {
                    conflicts += 1;
                    self.state().pending.splice(0..0, batch);
                    self.take_in_others().await.map(|()| None)
                }
                written => written.map(|()| Some(batch)),
            };
            match written {
                Ok(Some(batch)) => self.publish(last, batch),
                Ok(None) => {}
                Err(error) => return self.lose(&error),
            }
        }
    }

    /// Nobody gets to see more of the log here.
    fn lose(&self, error: &StoreError) {
        failed(&self.key, error);
        let is_lost = matches!(error, StoreError::Failed(_));
        self.lost.store(is_lost, Ordering::Relaxed);
        self.published.send_modify(|it| it.broken = true);
        self.wake.notify_one();
    }

    /// Lets readers see what is stored, up to the entry `last`.
    fn publish(&self, last: u64, entries: Vec<Arc<Entry>>) {
        let settled = entries.iter().rev().find_map(|entry| match &entry.change {
            Change::Event(event) => {
                let state = event.state()?;
                (state.is_terminal() || state.is_interrupted()).then_some((entry.number, state))
            }
            Change::Message(_) => None,
        });
        {
            let mut state = self.state();
            state.recent.extend(entries);
            while state.recent.len() > MOST_RECENT {
                state.recent.pop_front();
            }
        }
        self.published.send_modify(|it| {
            it.number = last;
            if let Some((number, state)) = settled {
                it.settled = number;
                it.ended |= state.is_terminal();
            }
        });
        self.told.changed();
    }

    /// Writes with a few repeats: an engine that is busy for a moment ends no task.
    async fn write(&self, after: u64, batch: &[Arc<Entry>]) -> Result<(), StoreError> {
        let mut waits = [10, 100, 1000]
            .map(std::time::Duration::from_millis)
            .into_iter();
        loop {
            match self.store.append(&self.key, after, batch).await {
                Err(StoreError::Failed(error)) => match waits.next() {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => return Err(StoreError::Failed(error)),
                },
                outcome => return outcome,
            }
        }
    }

    /// Writes whatever is emitted, until it is lost.
    pub(super) async fn keep_flushing(&self) {
        while !self.is_broken() {
            self.wake.notified().await;
            self.flush().await;
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// What is wrong with the store goes to the log; the caller reads where to find it.
pub(super) fn failed(key: &TaskKey, error: &StoreError) -> Error {
    let correlation = crate::correlation_id();
    let source = crate::causes(error);
    tracing::error!(correlation, task = key.id, %error, source, "a task could not be kept");
    Error::internal(format!("internal error; it is logged as {correlation}"))
}

/// The store gave the task up.
pub(super) fn broken() -> Error {
    Error::internal("the task could not be kept; try again later")
}
