//! Tasks in memory, for agents whose tasks need not outlive the process.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use a2a::fold::Fold;
use a2a::model::{StreamResponse, Task, TaskState, Timestamp};
use futures_util::future::{BoxFuture, ready};

use super::{
    Change, Entry, ListPage, ListQuery, Owner, Position, Remembered, StoreError, StoredTask,
    TaskKey, TaskStore,
};

/// Keeps tasks in memory until they are forgotten.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<HashMap<Owner, Tasks>>);

/// The tasks of one owner.
#[derive(Debug, Default)]
struct Tasks {
    by_id: HashMap<String, Kept>,
    /// Time of the status and id, in the order of time.
    by_status: BTreeSet<(Timestamp, String)>,
    messages: HashMap<String, Remembered>,
}

#[derive(Debug)]
struct Kept {
    fold: Fold,
    at: Timestamp,
    log: Vec<Arc<Entry>>,
    message_id: String,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many tasks it keeps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.owners().values().map(|tasks| tasks.by_id.len()).sum()
    }

    /// Whether it keeps none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn owners(&self) -> MutexGuard<'_, HashMap<Owner, Tasks>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn create_now(
        &self,
        key: &TaskKey,
        first: &Arc<Entry>,
        message: Remembered,
    ) -> Result<Option<Remembered>, StoreError> {
        let Change::Event(StreamResponse::Task(task)) = &first.change else {
            return Err(StoreError::Failed("a log begins with its task".into()));
        };
        let mut owners = self.owners();
        let tasks = owners.entry(key.owner.clone()).or_default();
        if let Some(before) = tasks.messages.get(&message.message_id) {
            return Ok(Some(before.clone()));
        }
        let kept = Kept {
            fold: Fold::new(task.clone()),
            at: first.at,
            log: vec![Arc::clone(first)],
            message_id: message.message_id.clone(),
        };
        tasks.by_id.insert(key.id.clone(), kept);
        tasks.by_status.insert((first.at, key.id.clone()));
        tasks.messages.insert(message.message_id.clone(), message);
        Ok(None)
    }

    fn append_now(
        &self,
        key: &TaskKey,
        after: u64,
        entries: &[Arc<Entry>],
    ) -> Result<(), StoreError> {
        let mut owners = self.owners();
        let tasks = owners.get_mut(&key.owner).ok_or(StoreError::Gone)?;
        let kept = tasks.by_id.get_mut(&key.id).ok_or(StoreError::Gone)?;
        if kept.log.len() as u64 != after {
            return Err(StoreError::Conflict);
        }
        let before = kept.at;
        for entry in entries {
            // What does not fit was refused when it was emitted.
            let _ = match entry.change.clone() {
                Change::Event(event) => kept.fold.apply(event),
                Change::Message(message) => kept.fold.message(message),
            };
            if matches!(entry.change, Change::Event(StreamResponse::StatusUpdate(_))) {
                kept.at = entry.at;
            }
            kept.log.push(Arc::clone(entry));
        }
        if kept.at != before {
            let now = kept.at;
            tasks.by_status.remove(&(before, key.id.clone()));
            tasks.by_status.insert((now, key.id.clone()));
        }
        Ok(())
    }

    fn list_now(&self, query: &ListQuery) -> ListPage {
        let owners = self.owners();
        let mut page = ListPage::default();
        let Some(tasks) = owners.get(&query.owner) else {
            return page;
        };
        let mut last = None;
        // The latest first; of the same time, by id.
        let mut order: Vec<_> = tasks.by_status.iter().collect();
        order.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        for (at, id) in order {
            let Some(kept) = tasks.by_id.get(id) else {
                continue;
            };
            if !matches(query, kept) {
                continue;
            }
            page.total += 1;
            let follows = query
                .after
                .as_ref()
                .is_none_or(|after| *at < after.at || (*at == after.at && *id > after.id));
            if !follows {
                continue;
            }
            if page.tasks.len() == query.limit {
                page.next = last.take().or(page.next);
                continue;
            }
            page.tasks.push(kept.shown(query.artifacts));
            last = Some(Position {
                at: *at,
                id: id.clone(),
            });
        }
        page
    }

    fn forget_now(&self, before: Timestamp, interrupted: bool) -> usize {
        let mut forgotten = 0;
        let mut owners = self.owners();
        for tasks in owners.values_mut() {
            let old: Vec<_> = tasks
                .by_status
                .iter()
                .take_while(|(at, _)| *at < before)
                .filter(|(_, id)| {
                    let state = tasks.by_id.get(id).map(Kept::state);
                    state.is_some_and(|state| {
                        state.is_terminal() || (interrupted && state.is_interrupted())
                    })
                })
                .cloned()
                .collect();
            for place in old {
                if let Some(kept) = tasks.by_id.remove(&place.1) {
                    tasks.messages.remove(&kept.message_id);
                }
                tasks.by_status.remove(&place);
                forgotten += 1;
            }
        }
        owners.retain(|_, tasks| !tasks.by_id.is_empty());
        forgotten
    }
}

impl Kept {
    fn state(&self) -> TaskState {
        self.fold.task().status.state
    }

    fn shown(&self, artifacts: bool) -> Task {
        let task = self.fold.task();
        if artifacts {
            return task.clone();
        }
        Task {
            id: task.id.clone(),
            context_id: task.context_id.clone(),
            status: task.status.clone(),
            artifacts: Vec::new(),
            history: task.history.clone(),
            metadata: task.metadata.clone(),
        }
    }
}

fn matches(query: &ListQuery, kept: &Kept) -> bool {
    let task = kept.fold.task();
    query
        .context_id
        .as_ref()
        .is_none_or(|context| task.context_id.as_ref() == Some(context))
        && query.state.is_none_or(|state| task.status.state == state)
        && query.since.is_none_or(|since| kept.at >= since)
}

impl TaskStore for MemoryStore {
    fn create<'a>(
        &'a self,
        key: &'a TaskKey,
        first: &'a Arc<Entry>,
        message: Remembered,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>> {
        Box::pin(ready(self.create_now(key, first, message)))
    }

    fn append<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        entries: &'a [Arc<Entry>],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.append_now(key, after, entries)))
    }

    fn task<'a>(
        &'a self,
        key: &'a TaskKey,
    ) -> BoxFuture<'a, Result<Option<StoredTask>, StoreError>> {
        let owners = self.owners();
        let kept = owners.get(&key.owner).and_then(|it| it.by_id.get(&key.id));
        let found = kept.map(|kept| StoredTask {
            task: kept.fold.task().clone(),
            number: kept.log.len() as u64,
        });
        Box::pin(ready(Ok(found)))
    }

    fn entries<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Entry>>, StoreError>> {
        let owners = self.owners();
        let kept = owners.get(&key.owner).and_then(|it| it.by_id.get(&key.id));
        let found = kept.ok_or(StoreError::Gone).map(|kept| {
            let from = usize::try_from(after).unwrap_or(usize::MAX);
            let rest = kept.log.iter().skip(from);
            rest.take(limit).cloned().collect()
        });
        Box::pin(ready(found))
    }

    fn remembered<'a>(
        &'a self,
        owner: &'a Owner,
        message_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>> {
        let owners = self.owners();
        let found = owners.get(owner).and_then(|it| it.messages.get(message_id));
        Box::pin(ready(Ok(found.cloned())))
    }

    fn list<'a>(&'a self, query: &'a ListQuery) -> BoxFuture<'a, Result<ListPage, StoreError>> {
        Box::pin(ready(Ok(self.list_now(query))))
    }

    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<TaskKey>, StoreError>> {
        let owners = self.owners();
        let mut found = Vec::new();
        for (owner, tasks) in owners.iter() {
            for (id, kept) in &tasks.by_id {
                let state = kept.state();
                if !state.is_terminal() && !state.is_interrupted() {
                    found.push(TaskKey::new(owner.clone(), id));
                }
            }
        }
        Box::pin(ready(Ok(found)))
    }

    fn forget(
        &self,
        before: Timestamp,
        interrupted: bool,
    ) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(ready(Ok(self.forget_now(before, interrupted))))
    }
}
