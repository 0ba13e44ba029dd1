//! The tasks of all dealers, for one handler that serves them all.

use std::sync::Arc;

use a2a::model::Timestamp;
use a2a_server::task::{
    Entry, ListPage, ListQuery, Owner, Remembered, StoreError, StoredTask, TaskKey, TaskStore,
    push::{Claim, Claimed, DeadLetter, Progress, PushStore, Webhook},
};
use dealers::DealerId;
use futures_util::future::BoxFuture;
use leads::Vault;
use store::{Conn, Store};

use super::{TaskTable, webhooks, worker};

/// The tasks of all dealers: a tenant is the dealer whose identifier it is. A tenant that is none has no
/// tasks. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TenantTasks {
    store: Store,
    vault: Vault,
}

impl TenantTasks {
    /// The tasks in a database that has the tables of [`MIGRATIONS`](super::MIGRATIONS), whose webhooks are
    /// kept as `vault` writes them.
    #[must_use]
    pub const fn new(store: Store, vault: Vault) -> Self {
        Self { store, vault }
    }

    fn table(&self, dealer: DealerId) -> TaskTable {
        TaskTable::new(self.store.clone(), dealer).with_vault(self.vault.clone())
    }

    /// The tasks of an owner's dealer.
    fn of(&self, owner: &Owner) -> Result<TaskTable, StoreError> {
        let dealer: DealerId = owner.tenant.parse().map_err(|_| StoreError::Gone)?;
        Ok(self.table(dealer))
    }

    /// One dealer's table after the other.
    async fn all(&self) -> Result<Vec<TaskTable>, StoreError> {
        let read = |conn: &mut dyn Conn| {
            conn.all("SELECT DISTINCT dealer FROM task", &[], |row| {
                Ok(row.text(0)?.to_owned())
            })
        };
        self.tables(self.store.read(read).await)
    }

    /// The tables of these dealers.
    fn tables(
        &self,
        dealers: Result<Vec<String>, store::Error>,
    ) -> Result<Vec<TaskTable>, StoreError> {
        let dealers = dealers.map_err(|error| StoreError::Failed(Box::new(error)))?;
        let tables = dealers.iter().filter_map(|dealer| dealer.parse().ok());
        Ok(tables.map(|dealer| self.table(dealer)).collect())
    }
}

impl TaskStore for TenantTasks {
    fn create<'a>(
        &'a self,
        key: &'a TaskKey,
        first: &'a Arc<Entry>,
        message: Remembered,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>> {
        Box::pin(async move { self.of(&key.owner)?.create(key, first, message).await })
    }

    fn append<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        entries: &'a [Arc<Entry>],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.of(&key.owner)?.append(key, after, entries).await })
    }

    fn task<'a>(
        &'a self,
        key: &'a TaskKey,
    ) -> BoxFuture<'a, Result<Option<StoredTask>, StoreError>> {
        Box::pin(async move {
            match self.of(&key.owner) {
                Ok(table) => table.task(key).await,
                Err(_) => Ok(None),
            }
        })
    }

    fn entries<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Entry>>, StoreError>> {
        Box::pin(async move { self.of(&key.owner)?.entries(key, after, limit).await })
    }

    fn remembered<'a>(
        &'a self,
        owner: &'a Owner,
        message_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>> {
        Box::pin(async move {
            match self.of(owner) {
                Ok(table) => table.remembered(owner, message_id).await,
                Err(_) => Ok(None),
            }
        })
    }

    fn list<'a>(&'a self, query: &'a ListQuery) -> BoxFuture<'a, Result<ListPage, StoreError>> {
        Box::pin(async move {
            match self.of(&query.owner) {
                Ok(table) => table.list(query).await,
                Err(_) => Ok(ListPage::default()),
            }
        })
    }

    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<TaskKey>, StoreError>> {
        Box::pin(async move { Ok(worker::unfinished_of_all(&self.store).await?) })
    }

    fn take<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { self.of(&key.owner)?.take(key).await })
    }

    fn leave<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.of(&key.owner)?.leave(key).await })
    }

    fn forget(
        &self,
        before: Timestamp,
        interrupted: bool,
    ) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            let mut forgotten = 0;
            for table in self.all().await? {
                forgotten += table.forget(before, interrupted).await?;
            }
            Ok(forgotten)
        })
    }

    fn trim<'a>(
        &'a self,
        owner: &'a Owner,
        most: usize,
    ) -> BoxFuture<'a, Result<usize, StoreError>> {
        Box::pin(async move { self.of(owner)?.trim(owner, most).await })
    }
}

impl PushStore for TenantTasks {
    fn put<'a>(
        &'a self,
        key: &'a TaskKey,
        webhook: &'a Webhook,
        from: Option<u64>,
        most: usize,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { self.of(&key.owner)?.put(key, webhook, from, most).await })
    }

    fn webhooks<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<Vec<Webhook>, StoreError>> {
        Box::pin(async move { self.of(&key.owner)?.webhooks(key).await })
    }

    fn remove<'a>(
        &'a self,
        key: &'a TaskKey,
        id: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.of(&key.owner)?.remove(key, id).await })
    }

    fn claim<'a>(
        &'a self,
        claim: &'a Claim,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Claimed>, StoreError>> {
        Box::pin(async move {
            let mut claimed = Vec::new();
            let now = claim.now.get();
            let due = self
                .store
                .read(move |conn| webhooks::dealers_with_due(conn, now));
            for table in self.tables(due.await)? {
                let room = most.saturating_sub(claimed.len());
                if room == 0 {
                    break;
                }
                claimed.extend(table.claim(claim, room).await?);
            }
            Ok(claimed)
        })
    }

    fn settle<'a>(
        &'a self,
        claimed: &'a Claimed,
        progress: &'a Progress,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { self.of(&claimed.key.owner)?.settle(claimed, progress).await })
    }

    fn give_back<'a>(&'a self, holder: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let name = holder.to_owned();
            let held = self
                .store
                .read(move |conn| webhooks::dealers_of(conn, &name));
            for table in self.tables(held.await)? {
                table.give_back(holder).await?;
            }
            Ok(())
        })
    }

    fn dead_letters(&self, most: usize) -> BoxFuture<'_, Result<Vec<DeadLetter>, StoreError>> {
        Box::pin(async move {
            let mut letters = Vec::new();
            for table in self.all().await? {
                letters.extend(table.dead_letters(most).await?);
            }
            letters.sort_by_key(|letter| (letter.at.get(), letter.number));
            letters.truncate(most);
            Ok(letters)
        })
    }

    fn forget_dead_letter<'a>(
        &'a self,
        letter: &'a DeadLetter,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.of(&letter.key.owner)?.forget_dead_letter(letter).await })
    }
}
