//! One dealer as a running server holds it: what it states of itself, and its stock in memory.

use std::sync::Arc;

use arc_swap::ArcSwap;
use dealers::{Dealer, DealerId};
use inventory::{snapshot::Snapshot, stock};
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
    dealer: Dealer,
    snapshot: ArcSwap<Snapshot>,
}

impl Lot {
    /// Loads a dealer's stock.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn open(id: DealerId, dealer: Dealer, store: &Store) -> Result<Self, Error> {
        let snapshot = load(&id, &dealer, store).await?;
        Ok(Self::with_stock(id, dealer, snapshot))
    }

    /// A dealer whose stock is handed in.
    #[must_use]
    pub fn with_stock(id: DealerId, dealer: Dealer, stock: Snapshot) -> Self {
        Self {
            id,
            dealer,
            snapshot: ArcSwap::from_pointee(stock),
        }
    }

    /// Identifier of the dealer.
    #[must_use]
    pub fn id(&self) -> &DealerId {
        &self.id
    }

    /// What the dealer states of itself.
    #[must_use]
    pub fn dealer(&self) -> &Dealer {
        &self.dealer
    }

    /// The stock as it is published at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Takes over the database's stock when `stored`, its version there, is not the one in memory.
    /// True when it was not.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn refresh(&self, stored: u64, store: &Store) -> Result<bool, Error> {
        if stored == self.snapshot.load().version() {
            return Ok(false);
        }
        self.snapshot
            .store(Arc::new(load(&self.id, &self.dealer, store).await?));
        Ok(true)
    }
}

async fn load(id: &DealerId, dealer: &Dealer, store: &Store) -> Result<Snapshot, Error> {
    let rooftops: Vec<String> = dealer.rooftops.keys().cloned().collect();
    let (id, remember) = (id.clone(), dealer.remember_sold);
    let (now, order) = (store.clock().now(), rooftops.clone());
    let stock = store
        .read(move |conn| stock::load(conn, &id, &order, remember, now))
        .await?;
    // Building takes milliseconds to seconds, during which the runtime has requests to serve.
    let building = tokio::task::spawn_blocking(move || {
        Snapshot::build(stock.listings, stock.gone, &rooftops, stock.version)
    });
    Ok(building.await.map_err(|_| Error::Interrupted)??)
}
