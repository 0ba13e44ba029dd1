//! Tasks in memory, for agents whose tasks need not outlive the process.

mod webhooks;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use a2a::fold::Fold;
use a2a::model::{StreamResponse, Task, TaskState, Timestamp};
use futures_util::future::{BoxFuture, ready};

use super::{
    Change, Entry, ListPage, ListQuery, Owner, Position, Remembered, StoreError, StoredTask,
    TaskKey, TaskStore,
};

use self::webhooks::{Hook, Letters};

/// Keeps tasks in memory until they are forgotten.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    owners: HashMap<Owner, Tasks>,
    /// The webhooks that may have to be told something, by task and id.
    open: BTreeSet<(TaskKey, String)>,
    dead: Letters,
}

/// The tasks of one owner.
#[derive(Debug, Default)]
struct Tasks {
    by_id: HashMap<String, Kept>,
    /// The order of lists: the latest status first; of the same time, by id.
    by_status: BTreeSet<(Reverse<Timestamp>, String)>,
    messages: HashMap<String, Remembered>,
}

#[derive(Debug)]
struct Kept {
    /// The task as it was at some entry of its log: the rest is folded in when somebody reads it, as long
    /// answers are followed by streams more often than they are read.
    fold: Fold,
    /// How many entries are in `fold`.
    folded: usize,
    /// Of the last status.
    state: TaskState,
    at: Timestamp,
    log: Vec<Arc<Entry>>,
    message_id: String,
    hooks: BTreeMap<String, Hook>,
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
        let state = self.state();
        state.owners.values().map(|it| it.by_id.len()).sum()
    }

    /// Whether it keeps none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
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
        let mut state = self.state();
        let tasks = state.owners.entry(key.owner.clone()).or_default();
        if let Some(before) = tasks.messages.get(&message.message_id) {
            return Ok(Some(before.clone()));
        }
        let kept = Kept {
            fold: Fold::new(task.clone()),
            folded: 1,
            state: task.status.state,
            at: first.at,
            log: vec![Arc::clone(first)],
            message_id: message.message_id.clone(),
            hooks: BTreeMap::new(),
        };
        tasks.by_id.insert(key.id.clone(), kept);
        tasks.by_status.insert((Reverse(first.at), key.id.clone()));
        tasks.messages.insert(message.message_id.clone(), message);
        Ok(None)
    }

    fn append_now(
        &self,
        key: &TaskKey,
        after: u64,
        entries: &[Arc<Entry>],
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        let tasks = state.owners.get_mut(&key.owner).ok_or(StoreError::Gone)?;
        let kept = tasks.by_id.get_mut(&key.id).ok_or(StoreError::Gone)?;
        if kept.log.len() as u64 != after {
            return Err(StoreError::Conflict);
        }
        let before = kept.at;
        for entry in entries {
            if let Change::Event(event) = &entry.change {
                kept.state = event.state().unwrap_or(kept.state);
                if matches!(event, StreamResponse::StatusUpdate(_)) {
                    kept.at = entry.at;
                }
            }
            kept.log.push(Arc::clone(entry));
        }
        if kept.at != before {
            let now = kept.at;
            tasks.by_status.remove(&(Reverse(before), key.id.clone()));
            tasks.by_status.insert((Reverse(now), key.id.clone()));
        }
        Ok(())
    }

    fn list_now(&self, query: &ListQuery) -> ListPage {
        let mut state = self.state();
        let Some(tasks) = state.owners.get_mut(&query.owner) else {
            return ListPage::default();
        };
        let place = query.after.as_ref();
        let place = place.map(|after| (Reverse(after.at), after.id.clone()));
        let start = place.map_or(Bound::Unbounded, Bound::Excluded);
        let following = tasks.by_status.range((start, Bound::Unbounded));
        let mut matching =
            following.filter(|(_, id)| tasks.by_id.get(id).is_some_and(|it| matches(query, it)));
        let found: Vec<_> = matching.by_ref().take(query.limit).collect();
        let mut page = ListPage {
            total: tasks.count(query),
            ..ListPage::default()
        };
        if matching.next().is_some() {
            let last = found.last();
            page.next = last.map(|(at, id)| Position {
                at: at.0,
                id: id.clone(),
            });
        }
        for (_, id) in found {
            let task = tasks.by_id.get_mut(id).map(Kept::task);
            page.tasks
                .extend(task.map(|it| it.excerpt(None, query.artifacts)));
        }
        page
    }

    fn forget_now(&self, before: Timestamp, interrupted: bool) -> usize {
        let mut state = self.state();
        let mut old = Vec::new();
        for (owner, tasks) in &state.owners {
            let settled = tasks.settled(interrupted);
            let settled = settled.take_while(|(at, _)| *at < before);
            old.extend(settled.map(|(_, id)| TaskKey::new(owner.clone(), id)));
        }
        state.remove(&old);
        old.len()
    }

    fn trim_now(&self, owner: &Owner, most: usize) -> usize {
        let mut state = self.state();
        let Some(tasks) = state.owners.get(owner) else {
            return 0;
        };
        let surplus = tasks.by_id.len().saturating_sub(most);
        let settled = tasks.settled(true).take(surplus);
        let old: Vec<_> = settled
            .map(|(_, id)| TaskKey::new(owner.clone(), id))
            .collect();
        state.remove(&old);
        old.len()
    }
}

impl State {
    fn kept(&self, key: &TaskKey) -> Option<&Kept> {
        self.owners.get(&key.owner)?.by_id.get(&key.id)
    }

    fn kept_mut(&mut self, key: &TaskKey) -> Option<&mut Kept> {
        self.owners.get_mut(&key.owner)?.by_id.get_mut(&key.id)
    }

    fn remove(&mut self, keys: &[TaskKey]) {
        for key in keys {
            let Some(tasks) = self.owners.get_mut(&key.owner) else {
                continue;
            };
            if let Some(kept) = tasks.by_id.remove(&key.id) {
                tasks.messages.remove(&kept.message_id);
                tasks.by_status.remove(&(Reverse(kept.at), key.id.clone()));
                for id in kept.hooks.into_keys() {
                    self.open.remove(&(key.clone(), id));
                }
                self.dead.forget_task(key);
            }
            if tasks.by_id.is_empty() {
                self.owners.remove(&key.owner);
            }
        }
    }
}

impl Tasks {
    fn count(&self, query: &ListQuery) -> usize {
        let is_filtered = query.context_id.is_some() || query.state.is_some();
        if !is_filtered && query.since.is_none() {
            return self.by_id.len();
        }
        let all = self.by_id.values();
        all.filter(|kept| matches(query, kept)).count()
    }

    /// The tasks that nobody works on, the oldest status first.
    fn settled(&self, interrupted: bool) -> impl Iterator<Item = (Timestamp, &str)> {
        let oldest_first = self.by_status.iter().rev();
        let settled = oldest_first.filter(move |(_, id)| {
            let state = self.by_id.get(id).map(|kept| kept.state);
            state.is_some_and(|it| it.is_terminal() || (interrupted && it.is_interrupted()))
        });
        settled.map(|(at, id)| (at.0, id.as_str()))
    }
}

impl Kept {
    /// The task as its whole log comes to.
    fn task(&mut self) -> &Task {
        for entry in &self.log[self.folded..] {
            // What does not fit was refused when it was emitted.
            let _ = match entry.change.clone() {
                Change::Event(event) => self.fold.apply(event),
                Change::Message(message) => self.fold.message(message),
            };
        }
        self.folded = self.log.len();
        self.fold.task()
    }
}

fn matches(query: &ListQuery, kept: &Kept) -> bool {
    // A task stays in its conversation.
    let own = kept.fold.task().context_id.as_ref();
    let context = query.context_id.as_ref();
    context.is_none_or(|context| own == Some(context))
        && query.state.is_none_or(|state| kept.state == state)
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
        let mut state = self.state();
        let found = state.kept_mut(key).map(|kept| StoredTask {
            task: kept.task().clone(),
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
        let state = self.state();
        let found = state.kept(key).ok_or(StoreError::Gone).map(|kept| {
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
        let state = self.state();
        let found = state
            .owners
            .get(owner)
            .and_then(|it| it.messages.get(message_id));
        Box::pin(ready(Ok(found.cloned())))
    }

    fn list<'a>(&'a self, query: &'a ListQuery) -> BoxFuture<'a, Result<ListPage, StoreError>> {
        Box::pin(ready(Ok(self.list_now(query))))
    }

    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<TaskKey>, StoreError>> {
        let state = self.state();
        let mut found = Vec::new();
        for (owner, tasks) in &state.owners {
            for (id, kept) in &tasks.by_id {
                if !kept.state.is_terminal() && !kept.state.is_interrupted() {
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

    fn trim<'a>(
        &'a self,
        owner: &'a Owner,
        most: usize,
    ) -> BoxFuture<'a, Result<usize, StoreError>> {
        Box::pin(ready(Ok(self.trim_now(owner, most))))
    }
}
