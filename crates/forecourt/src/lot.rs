//! One dealer as a running server holds it: what it states of itself, and its stock in memory.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use dealers::{Dealer, DealerId};
use inventory::{snapshot::Snapshot, stock};
use jiff::Timestamp;
use store::Store;

/// Why a dealer's stock could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The stock in the database cannot be read.
    #[error(transparent)]
    Stock(#[from] stock::Error),
    /// A vehicle cannot be rendered.
    #[error("a stored vehicle cannot be rendered")]
    Render(#[from] serde_json::Error),
    /// The program is stopping.
    #[error("the snapshot was not finished")]
    Interrupted,
}

/// A dealer with its published stock. Readers take the current snapshot and never wait.
#[derive(Debug)]
pub struct Lot {
    id: DealerId,
    dealer: Arc<Dealer>,
    snapshot: ArcSwap<Snapshot>,
    /// When time hides the first of the published units.
    hides_at: Mutex<Option<Timestamp>>,
}

impl Lot {
    /// Loads a dealer's stock.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn open(id: DealerId, dealer: Dealer, store: &Store) -> Result<Self, Error> {
        let (snapshot, hides_at) = load(&id, &dealer, store).await?;
        let lot = Self::with_stock(id, dealer, snapshot);
        lot.set_hides_at(hides_at);
        Ok(lot)
    }

    /// A dealer whose stock is handed in.
    #[must_use]
    pub fn with_stock(id: DealerId, dealer: Dealer, stock: Snapshot) -> Self {
        Self {
            id,
            dealer: Arc::new(dealer),
            snapshot: ArcSwap::from_pointee(stock),
            hides_at: Mutex::new(None),
        }
    }

    /// Identifier of the dealer.
    #[must_use]
    pub fn id(&self) -> &DealerId {
        &self.id
    }

    /// What the dealer states of itself.
    #[must_use]
    pub fn dealer(&self) -> &Arc<Dealer> {
        &self.dealer
    }

    /// The stock as it is published at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Takes over the database's stock when `stored`, its version there, is not the one in memory, or
    /// when the time has come to hide units that no feed has seen for too long. True when it did.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn refresh(&self, stored: u64, store: &Store) -> Result<bool, Error> {
        let is_due = self.hides_at().is_some_and(|at| at <= store.clock().now());
        if stored == self.snapshot.load().version() && !is_due {
            return Ok(false);
        }
        let (snapshot, hides_at) = load(&self.id, &self.dealer, store).await?;
        self.snapshot.store(Arc::new(snapshot));
        self.set_hides_at(hides_at);
        Ok(true)
    }

    fn hides_at(&self) -> Option<Timestamp> {
        *self.hides_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_hides_at(&self, at: Option<Timestamp>) {
        *self.hides_at.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

/// The stock as it is published at this moment, and when time alone changes it.
async fn load(
    id: &DealerId,
    dealer: &Dealer,
    store: &Store,
) -> Result<(Snapshot, Option<Timestamp>), Error> {
    let rooftops: Vec<String> = dealer.rooftops.keys().cloned().collect();
    let (id, dealer, now) = (id.clone(), dealer.clone(), store.clock().now());
    let stock = store
        .read(move |conn| stock::load(conn, &id, &dealer, now))
        .await?;
    let hides_at = stock.hides_at;
    // Building takes milliseconds to seconds, during which the runtime has requests to serve.
    let building = tokio::task::spawn_blocking(move || {
        Snapshot::build(stock.listings, stock.gone, &rooftops, stock.version)
    });
    let snapshot = building.await.map_err(|_| Error::Interrupted)??;
    Ok((snapshot, hides_at))
}

#[cfg(test)]
mod tests {
    use inventory::intake::{self, Arrival};
    use jiff::SignedDuration;
    use store::Clock;

    use super::*;

    const FILE: &[u8] = b"VIN,Stock,Year,Make,Model\n1HGCM82633A004352,S1,2003,Honda,Accord\n";

    #[tokio::test]
    async fn stock_that_no_feed_saw_leaves_without_any_run() {
        let clock = Clock::manual("2026-05-01T06:00:00Z".parse().unwrap());
        let store = Store::temporary(&crate::app::migrations(), clock.clone()).unwrap();
        let id: DealerId = "group".parse().unwrap();
        let dealer: Dealer = serde_json::from_value(serde_json::json!({
            "name": "Group Motors",
            "rooftops": { "North": {} },
            "feeds": { "used": { "max_age": "72h" } },
        }))
        .unwrap();
        let arrival = Arrival {
            feed: "used",
            file_name: None,
            bytes: FILE,
        };
        intake::publish(&store, &id, &dealer, arrival)
            .await
            .unwrap();
        let lot = Lot::open(id.clone(), dealer.clone(), &store).await.unwrap();
        let refresh = async || {
            let versions = store.read(stock::versions).await.unwrap();
            lot.refresh(versions[&id], &store).await.unwrap()
        };
        clock.advance(SignedDuration::from_hours(71));
        assert!(!refresh().await);
        assert_eq!(lot.snapshot().len(), 1);
        clock.advance(SignedDuration::from_hours(1));
        assert!(refresh().await);
        assert_eq!(lot.snapshot().len(), 0);
        assert!(!refresh().await, "once is enough");
        intake::publish(&store, &id, &dealer, arrival)
            .await
            .unwrap();
        assert!(refresh().await);
        assert_eq!(lot.snapshot().len(), 1);
    }
}
