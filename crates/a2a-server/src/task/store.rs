//! Where tasks are kept.

use std::sync::Arc;

use a2a::model::{Message, StreamResponse, Task, TaskState, Timestamp};
use futures_util::future::BoxFuture;

use super::{Owner, TaskKey};

/// Where tasks are kept: their logs, what the logs come to, and which message began which task.
///
/// A store may serve several processes. What a method has written is durable when it returns.
pub trait TaskStore: Send + Sync + 'static {
    /// Keeps a new task whose log is this one entry, and remembers which message began it. When the
    /// message began a task before, nothing is written and that one is named.
    fn create<'a>(
        &'a self,
        key: &'a TaskKey,
        first: &'a Arc<Entry>,
        message: Remembered,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>>;

    /// Adds entries to a log whose last one is `after`.
    fn append<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        entries: &'a [Arc<Entry>],
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// A task as its log comes to; `None` when the owner has no such task.
    fn task<'a>(
        &'a self,
        key: &'a TaskKey,
    ) -> BoxFuture<'a, Result<Option<StoredTask>, StoreError>>;

    /// The entries of a log that follow `after`, at most `limit` of them.
    fn entries<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Entry>>, StoreError>>;

    /// Which task a message began.
    fn remembered<'a>(
        &'a self,
        owner: &'a Owner,
        message_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>>;

    /// One page of an owner's tasks.
    fn list<'a>(&'a self, query: &'a ListQuery) -> BoxFuture<'a, Result<ListPage, StoreError>>;

    /// The tasks that are neither ended nor waiting for their client, and that no living process works on.
    /// A store that serves one process alone names them all.
    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<TaskKey>, StoreError>>;

    /// Notes that this process works on a task from here on, as it does on each that it
    /// [creates](Self::create). False when another living process does: that one sees in the log what the
    /// client sends.
    fn take<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<bool, StoreError>> {
        let _ = key;
        Box::pin(std::future::ready(Ok(true)))
    }

    /// Notes that this process does not work on a task any more, which waits for its client.
    fn leave<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<(), StoreError>> {
        let _ = key;
        Box::pin(std::future::ready(Ok(())))
    }

    /// Forgets tasks whose status is older than `before`: those that have ended, and with
    /// `interrupted` those that wait for their client. Says how many.
    fn forget(
        &self,
        before: Timestamp,
        interrupted: bool,
    ) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// Forgets an owner's tasks beyond `most`: of those that have ended or wait for their client, the
    /// ones whose status is the oldest. Says how many; a store may leave some for the next time.
    fn trim<'a>(
        &'a self,
        owner: &'a Owner,
        most: usize,
    ) -> BoxFuture<'a, Result<usize, StoreError>>;
}

/// Why a store did not do it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has written to the log meanwhile.
    #[error("the task was changed by another process")]
    Conflict,
    /// The task is gone.
    #[error("the task is not there")]
    Gone,
    /// The store failed.
    #[error("the task store failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// One thing that happened to a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its place in the log, from 1.
    pub number: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub change: Change,
}

/// What happened to a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// An event, as streams carry it. The first entry is the task as it began.
    Event(StreamResponse),
    /// The client sent a message about the task. Streams do not carry it.
    Message(Message),
}

/// A task and how far its log reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTask {
    /// The task.
    pub task: Task,
    /// The last entry that is in it.
    pub number: u64,
}

/// Which task a message began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The message's id, unique among its owner's.
    pub message_id: String,
    /// A digest of the message, which tells a repeat from another message of the same id.
    pub digest: [u8; 32],
    /// The task.
    pub task_id: String,
}

/// Which tasks to list, the latest status first, then by id.
#[derive(Debug, Clone, PartialEq)]
pub struct ListQuery {
    /// Whose.
    pub owner: Owner,
    /// Only of this conversation.
    pub context_id: Option<String>,
    /// Only in this state.
    pub state: Option<TaskState>,
    /// Only with a status of this time or later.
    pub since: Option<Timestamp>,
    /// Only those that follow this place.
    pub after: Option<Position>,
    /// At most so many.
    pub limit: usize,
    /// Whether artifacts are wanted.
    pub artifacts: bool,
}

/// A place in the order of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Time of the status.
    pub at: Timestamp,
    /// Id of the task.
    pub id: String,
}

/// One page of tasks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListPage {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// How many match in all, on every page.
    pub total: usize,
    /// The last task's place, when there are more.
    pub next: Option<Position>,
}
