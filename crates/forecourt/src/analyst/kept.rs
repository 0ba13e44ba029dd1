//! The sellers' tables in memory: built when a question needs them, kept until the stock or the catalog
//! changes.

use std::sync::Arc;

use dealers::DealerId;
use inventory::stock;
use jiff::{SignedDuration, Timestamp};
use quick_cache::{Weighter, sync::Cache};
use store::Store;

use super::{
    own::{self, Error, Own},
    seller::Seller,
};

/// About how much memory the tables of all sellers may take, in bytes. The least used are dropped.
const MOST_BYTES: u64 = 512 << 20;
/// About how many sellers' tables that is.
const SELLERS: usize = 256;
/// What is forgotten of the history changes no version.
const AT_MOST: SignedDuration = SignedDuration::from_hours(24);

/// The tables of the sellers that were asked about.
#[derive(Debug)]
pub(crate) struct KeptTables {
    store: Store,
    cache: Cache<DealerId, Kept, ByBytes>,
}

#[derive(Debug, Clone)]
struct Kept {
    own: Arc<Own>,
    bytes: u64,
    until: Timestamp,
}

impl Kept {
    fn is_as(&self, version: u64, now: Timestamp) -> bool {
        self.own.version == version && now < self.until
    }
}

#[derive(Debug, Clone)]
struct ByBytes;

impl Weighter<DealerId, Kept> for ByBytes {
    fn weight(&self, _: &DealerId, kept: &Kept) -> u64 {
        kept.bytes.max(1)
    }
}

impl KeptTables {
    /// Tables of what `store` holds.
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            cache: Cache::with_weighter(SELLERS, MOST_BYTES, ByBytes),
        }
    }

    /// A seller's tables as they are at this moment. Of several questions at once, one builds them.
    ///
    /// # Errors
    /// What the database does not do.
    pub(crate) async fn of(&self, seller: &Seller) -> Result<Arc<Own>, Error> {
        let id = seller.id();
        let key = id.clone();
        let version = self.store.read(move |conn| stock::version(conn, &key));
        let (version, now) = (version.await?, self.store.clock().now());
        self.cache.remove_if(id, |kept| !kept.is_as(version, now));
        let kept = self.cache.get_or_insert_async(id, self.build(seller));
        Ok(kept.await?.own)
    }

    async fn build(&self, seller: &Seller) -> Result<Kept, Error> {
        let now = self.store.clock().now();
        let own = Arc::new(own::read(&self.store, seller).await?);
        let measured = Arc::clone(&own);
        let bytes = own::aside(move || measured.bytes()).await?;
        let at_most = now.checked_add(AT_MOST).unwrap_or(Timestamp::MAX);
        Ok(Kept {
            until: own.changes_at.map_or(at_most, |at| at.min(at_most)),
            bytes,
            own,
        })
    }
}
