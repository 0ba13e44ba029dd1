//! Leads that are older than their dealer keeps persons.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use dealers::{Dealer, DealerId};
use leads::{HashKey, Order, Vault};
use store::Store;

use crate::explain;

/// Leads in one transaction: buyers' leads wait for so many.
const BATCH: u32 = 100;

/// Takes the person out of leads that are too old.
#[derive(Debug)]
pub(super) struct Retention {
    pub(super) store: Store,
    pub(super) vault: Vault,
    pub(super) hash_key: HashKey,
    /// What old leads lost still stands in the database's files.
    pub(super) unscrubbed: AtomicBool,
}

impl Retention {
    /// Takes it out of every lead of these dealers that is too old now, but for those on legal hold.
    pub(super) async fn apply(&self, dealers: &[(DealerId, Arc<Dealer>)]) {
        for (id, dealer) in dealers {
            match self.of_dealer(id, dealer).await {
                Ok(0) => {}
                Ok(leads) => {
                    tracing::info!(dealer = %id, leads, "old leads lost the person");
                }
                Err(error) => tracing::error!(
                    dealer = %id,
                    error = %explain(&error),
                    "old leads could not lose the person"
                ),
            }
        }
        if !self.unscrubbed.load(Ordering::Relaxed) {
            return;
        }
        match self.store.scrub().await {
            Ok(()) => self.unscrubbed.store(false, Ordering::Relaxed),
            Err(error) => tracing::warn!(
                error = %explain(&error),
                "what old leads lost still stands in the database's files; the next time removes it"
            ),
        }
    }

    async fn of_dealer(&self, id: &DealerId, dealer: &Dealer) -> Result<usize, leads::Error> {
        let mut erased = 0;
        loop {
            let batch = self.batch(id, dealer).await?;
            erased += batch;
            // Kept here: a later batch may fail.
            if batch > 0 {
                self.unscrubbed.store(true, Ordering::Relaxed);
            }
            if batch < BATCH as usize {
                return Ok(erased);
            }
        }
    }

    async fn batch(&self, id: &DealerId, dealer: &Dealer) -> Result<usize, leads::Error> {
        let now = self.store.clock().now();
        let order = Order {
            erasure_id: self.store.clock().new_id(),
            reason: "older than leads are kept".to_owned(),
            recorded_by: "the server".to_owned(),
            now,
        };
        let Ok(before) = now.checked_sub(dealer.leads.keep.duration()) else {
            return Ok(0);
        };
        let (vault, hash_key, id) = (self.vault.clone(), self.hash_key.clone(), id.clone());
        self.store
            .write(move |conn| {
                leads::erase_older(conn, &vault, &hash_key, &id, before, BATCH, &order)
            })
            .await
    }
}
