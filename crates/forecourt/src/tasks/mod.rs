//! Tasks in the database: they survive a restart, and several processes can serve them.
//!
//! A task is a row of `task`, and everything that happened to it a row of `task_event`; a row that is
//! written is never changed. The row of the task holds the task as it was at some entry of its log, so that
//! reading it does not begin with the first event; that copy is renewed whenever the log has doubled, which
//! makes its cost for each event flat. `worker` says which node works on a task: others take it over only
//! when that node is gone. `signals` tells the others what was written. `webhooks` keeps who is told what happens, with what a receiver
//! knows them by: `secrets` seals that as persons are sealed.
//!
//! A [`TaskTable`] is one dealer's: no tenant or caller that a request names leads out of it.
//!
//! Start reading at [`TaskTable`], then `log` for what is written and `read` for how a task is put
//! together.

mod list;
mod log;
mod read;
mod retention;
mod secrets;
mod signals;
mod tenants;
mod webhooks;
mod worker;

use std::sync::Arc;

use a2a::model::Timestamp;
use a2a_server::task::{
    Entry, ListPage, ListQuery, Owner, Remembered, StoreError, StoredTask, TaskKey, TaskStore,
};
use dealers::DealerId;
use futures_util::future::BoxFuture;
use leads::Vault;
use store::{Claim, Conn, Migration, Store};

pub use secrets::{forget_sealed_with, keys_in_use, rekey};
pub use signals::keep_up;
pub use tenants::TenantTasks;

/// The tables of tasks.
pub const MIGRATIONS: &[Migration] = &[TABLES, WORKERS];

const TABLES: Migration = Migration {
    name: "forecourt-tasks-1",
    sql: "
-- `snapshot` is the task without its artifacts at entry `snapshot_number`, `artifacts` are those. Its
-- first message is remembered under `message_id` and `digest`.
CREATE TABLE task (
    dealer TEXT NOT NULL,
    task_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    caller TEXT NOT NULL,
    context_id TEXT NOT NULL,
    state TEXT NOT NULL,
    status_at BIGINT NOT NULL,
    message_id TEXT NOT NULL,
    digest BYTES NOT NULL,
    last_number BIGINT NOT NULL,
    snapshot_number BIGINT NOT NULL,
    snapshot TEXT NOT NULL,
    artifacts TEXT NOT NULL,
    PRIMARY KEY (dealer, task_id)
);
CREATE UNIQUE INDEX task_message ON task (dealer, tenant, caller, message_id);
CREATE INDEX task_list ON task (dealer, tenant, caller, status_at DESC, task_id);
CREATE INDEX task_state ON task (dealer, state, status_at);

-- `kind` is artifact, event or message.
CREATE TABLE task_event (
    dealer TEXT NOT NULL,
    task_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (dealer, task_id, number)
);

-- `config` may be sealed. `sent` is the last entry that is dealt with. `is_open` is 0 once the task has ended and all was sent.
CREATE TABLE task_webhook (
    dealer TEXT NOT NULL,
    task_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    config TEXT NOT NULL,
    version TEXT NOT NULL,
    sent BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    holder TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    is_open BIGINT NOT NULL,
    PRIMARY KEY (dealer, task_id, webhook_id)
);
CREATE INDEX task_webhook_due ON task_webhook (dealer, is_open, due_at);

-- Notifications that were given up.
CREATE TABLE task_dead_letter (
    dealer TEXT NOT NULL,
    task_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (dealer, task_id, webhook_id, number)
);
CREATE INDEX task_dead_letter_at ON task_dead_letter (dealer, at);
",
};

const WORKERS: Migration = Migration {
    name: "forecourt-tasks-2",
    sql: "
-- `worker` is the node that works on the task, or did so last; empty when none does.
ALTER TABLE task ADD COLUMN worker TEXT NOT NULL DEFAULT '';

-- What all nodes look for, whatever dealer it is of.
CREATE INDEX task_under_way ON task (worker)
    WHERE state IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING');
CREATE INDEX task_webhook_open ON task_webhook (due_at) WHERE is_open = 1;
",
};

/// The tasks of one dealer. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TaskTable {
    store: Store,
    dealer: DealerId,
    vault: Vault,
}

impl TaskTable {
    /// The tasks of a dealer in a database that has the tables of [`MIGRATIONS`].
    #[must_use]
    pub fn new(store: Store, dealer: DealerId) -> Self {
        Self {
            store,
            dealer,
            vault: Vault::open(),
        }
    }

    /// The same tasks, whose webhooks are kept as `vault` writes them; without it they are plain text.
    #[must_use]
    pub fn with_vault(mut self, vault: Vault) -> Self {
        self.vault = vault;
        self
    }

    /// Runs a closure that writes tasks of this dealer.
    async fn write<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Conn) -> Result<T, Failure> + Send + Sync + 'static,
    {
        let claim = Claim::part("tasks", self.dealer.as_str());
        self.store.write_claiming(claim, work).await
    }

    /// Where a task's rows are.
    fn place(&self, key: &TaskKey) -> Place {
        Place {
            dealer: self.dealer.to_string(),
            owner: key.owner.clone(),
            task_id: key.id.clone(),
        }
    }
}

/// Where a task's rows are, if it is its owner's.
#[derive(Debug, Clone)]
struct Place {
    dealer: String,
    owner: Owner,
    task_id: String,
}

/// Why the database did not do it.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("another process has written to the log meanwhile")]
    Conflict,
    #[error("the task is not there")]
    Gone,
    #[error(transparent)]
    Database(#[from] store::Error),
    #[error(transparent)]
    Sealed(#[from] leads::VaultError),
    /// A row does not hold what was written into it.
    #[error("{0} cannot be read")]
    Unreadable(&'static str, #[source] Option<serde_json::Error>),
    #[error("it cannot be written as JSON")]
    Unwritable(#[source] serde_json::Error),
    #[error("a log begins with its task")]
    NoTask,
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Conflict => Self::Conflict,
            Failure::Gone => Self::Gone,
            other => Self::Failed(Box::new(other)),
        }
    }
}

impl TaskStore for TaskTable {
    fn create<'a>(
        &'a self,
        key: &'a TaskKey,
        first: &'a Arc<Entry>,
        message: Remembered,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>> {
        Box::pin(async move { Ok(log::create(self, key, first, message).await?) })
    }

    fn append<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        entries: &'a [Arc<Entry>],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { Ok(log::append(self, key, after, entries).await?) })
    }

    fn task<'a>(
        &'a self,
        key: &'a TaskKey,
    ) -> BoxFuture<'a, Result<Option<StoredTask>, StoreError>> {
        Box::pin(async move { Ok(read::task(self, key).await?) })
    }

    fn entries<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Entry>>, StoreError>> {
        Box::pin(async move { Ok(read::entries(self, key, after, limit).await?) })
    }

    fn remembered<'a>(
        &'a self,
        owner: &'a Owner,
        message_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>> {
        Box::pin(async move { Ok(read::remembered(self, owner, message_id).await?) })
    }

    fn list<'a>(&'a self, query: &'a ListQuery) -> BoxFuture<'a, Result<ListPage, StoreError>> {
        Box::pin(async move { Ok(list::list(self, query).await?) })
    }

    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<TaskKey>, StoreError>> {
        Box::pin(async move { Ok(worker::unfinished(self).await?) })
    }

    fn take<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(worker::take(self, key).await?) })
    }

    fn leave<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { Ok(worker::leave(self, key).await?) })
    }

    fn forget(
        &self,
        before: Timestamp,
        interrupted: bool,
    ) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move { Ok(retention::forget(self, before, interrupted).await?) })
    }

    fn trim<'a>(
        &'a self,
        owner: &'a Owner,
        most: usize,
    ) -> BoxFuture<'a, Result<usize, StoreError>> {
        Box::pin(async move { Ok(retention::trim(self, owner, most).await?) })
    }
}

/// A number of a log as a column holds it.
fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number of a log as a column held it.
fn number(column: i64) -> u64 {
    u64::try_from(column).unwrap_or_default()
}
