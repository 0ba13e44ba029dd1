//! One dealer as a running server holds it: what it states of itself, and its stock in memory.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use arc_swap::ArcSwapOption;
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

impl Error {
    /// Whether the same may succeed when it is tried again later ([`store::Error::is_transient`]).
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Stock(stock::Error::Store(error)) if error.is_transient())
    }
}

/// A dealer with its published stock. Readers take the current snapshot and wait only where it is not in
/// memory: for somebody who asks the first time, or the first time after a while.
#[derive(Debug)]
pub struct Lot {
    id: DealerId,
    dealer: Arc<Dealer>,
    /// `None` while nobody asks.
    snapshot: ArcSwapOption<Snapshot>,
    /// About how much memory it takes.
    weight: AtomicUsize,
    /// When it was asked for last, in turns of [`Larder`](crate::larder::Larder).
    used: AtomicU64,
    /// When time hides the first of the published units.
    hides_at: Mutex<Option<Timestamp>>,
    /// One loads at a time, so that nobody puts an older stock in place of a newer one.
    loading: tokio::sync::Mutex<()>,
}

impl Lot {
    /// Loads a dealer's stock.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn open(id: DealerId, dealer: Dealer, store: &Store) -> Result<Self, Error> {
        let lot = Self::unloaded(id, dealer);
        lot.stock(store).await?;
        Ok(lot)
    }

    /// A dealer whose stock is loaded when somebody asks for it.
    #[must_use]
    pub fn unloaded(id: DealerId, dealer: Dealer) -> Self {
        Self {
            id,
            dealer: Arc::new(dealer),
            snapshot: ArcSwapOption::empty(),
            weight: AtomicUsize::new(0),
            used: AtomicU64::new(0),
            hides_at: Mutex::new(None),
            loading: tokio::sync::Mutex::default(),
        }
    }

    /// A dealer whose stock is handed in.
    #[must_use]
    pub fn with_stock(id: DealerId, dealer: Dealer, stock: Snapshot) -> Self {
        let lot = Self::unloaded(id, dealer);
        lot.put(stock, None);
        lot
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

    /// The stock as it is published at this moment, loaded where it is not in memory.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn stock(&self, store: &Store) -> Result<Arc<Snapshot>, Error> {
        self.used.store(u64::MAX, Ordering::Relaxed);
        if let Some(stock) = self.snapshot.load_full() {
            return Ok(stock);
        }
        let _one = self.loading.lock().await;
        match self.snapshot.load_full() {
            Some(stock) => Ok(stock),
            None => self.load(store).await,
        }
    }

    /// The stock, where it is in memory.
    #[must_use]
    pub fn in_memory(&self) -> Option<Arc<Snapshot>> {
        self.snapshot.load_full()
    }

    /// Takes over the database's stock when `stored`, its version there, is not the one in memory, or
    /// when the time has come to hide units that no feed has seen for too long. True when it did. What
    /// is not in memory stays away.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn refresh(&self, stored: u64, store: &Store) -> Result<bool, Error> {
        let _one = self.loading.lock().await;
        let is_due = self.hides_at().is_some_and(|at| at <= store.clock().now());
        let is_current = |stock: &Arc<Snapshot>| stock.version() == stored && !is_due;
        if self.in_memory().is_none_or(|stock| is_current(&stock)) {
            return Ok(false);
        }
        self.load(store).await.map(|_| true)
    }

    /// About how much memory the stock takes; 0 where it is not in memory.
    pub(crate) fn weight(&self) -> usize {
        self.weight.load(Ordering::Relaxed)
    }

    /// The turn in which it was asked for last; this one, where somebody asked since the turn before.
    pub(crate) fn used(&self, turn: u64) -> u64 {
        let asked =
            self.used
                .compare_exchange(u64::MAX, turn, Ordering::Relaxed, Ordering::Relaxed);
        match asked {
            Ok(_) => turn,
            Err(before) => before,
        }
    }

    /// Takes the stock out, unless it is being loaded. Whoever reads it keeps it until the end.
    pub(crate) fn put_away(&self) -> Option<Arc<Snapshot>> {
        let _one = self.loading.try_lock().ok()?;
        self.weight.store(0, Ordering::Relaxed);
        self.snapshot.swap(None)
    }

    /// Loads the stock; whoever calls this holds `loading`.
    async fn load(&self, store: &Store) -> Result<Arc<Snapshot>, Error> {
        let (snapshot, hides_at) = load(&self.id, &self.dealer, store).await?;
        Ok(self.put(snapshot, hides_at))
    }

    fn put(&self, snapshot: Snapshot, hides_at: Option<Timestamp>) -> Arc<Snapshot> {
        let snapshot = Arc::new(snapshot);
        self.weight.store(snapshot.weight(), Ordering::Relaxed);
        self.snapshot.store(Some(Arc::clone(&snapshot)));
        self.set_hides_at(hides_at);
        snapshot
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
        assert_eq!(lot.in_memory().unwrap().len(), 1);
        clock.advance(SignedDuration::from_hours(1));
        assert!(refresh().await);
        assert_eq!(lot.in_memory().unwrap().len(), 0);
        assert!(!refresh().await, "once is enough");
        intake::publish(&store, &id, &dealer, arrival)
            .await
            .unwrap();
        assert!(refresh().await);
        assert_eq!(lot.in_memory().unwrap().len(), 1);
    }
}
