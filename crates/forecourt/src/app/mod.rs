//! The server: every dealer's lot and agent, and the routes by which others reach them.
//!
//! [`App`] holds what lives as long as the program; its [`Directory`] holds what the configuration
//! states, and is replaced as a whole when that is read again. Requests enter in `routes`.

mod directory;
mod operations;
mod routes;
mod uploads;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use axum::Router;
use dealers::DealerId;
use leads::HashKey;
use store::{Migration, Store};

use self::directory::Directory;
use crate::{agent, config::Config, lot};

/// How soon stock that another process imported is served.
const REFRESH_EVERY: Duration = Duration::from_secs(1);

/// The whole schema, in the order in which its parts build on each other.
#[must_use]
pub const fn migrations() -> [&'static [Migration]; 6] {
    [
        store::lease::MIGRATIONS,
        agent::CARD_MIGRATIONS,
        dealers::keys::MIGRATIONS,
        inventory::stock::MIGRATIONS,
        leads::MIGRATIONS,
        outside::MIGRATIONS,
    ]
}

/// A running server.
#[derive(Debug)]
pub struct App {
    directory: ArcSwap<Directory>,
    store: Store,
    hash_key: HashKey,
    /// Where it listens, which stands on cards where the configuration has no `public_url`.
    address: SocketAddr,
}

/// Why a server could not be made ready.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A dealer's stock cannot be loaded.
    #[error("dealer {dealer}")]
    Stock {
        /// Which dealer.
        dealer: DealerId,
        /// Why.
        source: lot::Error,
    },
    /// The preview's card would state what the preview forbids.
    #[error("{0}")]
    Preview(String),
    /// The identity of a card cannot be read or stored.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl App {
    /// Loads every dealer of the configuration. `address` stands on cards where the configuration
    /// has no `public_url`.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(
        config: &Config,
        store: Store,
        hash_key: &HashKey,
        address: SocketAddr,
    ) -> Result<Arc<Self>, OpenError> {
        let directory = Directory::load(config, &store, hash_key, address, None).await?;
        Ok(Arc::new(Self {
            directory: ArcSwap::from_pointee(directory),
            store,
            hash_key: hash_key.clone(),
            address,
        }))
    }

    /// The routes.
    pub fn router(self: &Arc<Self>) -> Router {
        routes::dealers()
            .merge(operations::routes())
            .merge(uploads::routes())
            .fallback(routes::nothing_here)
            .with_state(Arc::clone(self))
    }

    /// Serves what this configuration states in place of what is served: dealers are added and
    /// removed, cards and limits renewed. Requests under way finish with what they began with, and
    /// a dealer whose settings are the same keeps its stock in memory.
    ///
    /// # Errors
    /// [`OpenError`]; then nothing has changed.
    pub async fn reload(&self, config: &Config) -> Result<(), OpenError> {
        let before = self.directory.load_full();
        let (store, hash_key) = (&self.store, &self.hash_key);
        let directory =
            Directory::load(config, store, hash_key, self.address, Some(&before)).await?;
        self.directory.store(Arc::new(directory));
        Ok(())
    }

    /// Vehicles that are published, over all dealers.
    #[must_use]
    pub fn vehicles(&self) -> usize {
        let directory = self.directory.load();
        directory
            .dealers()
            .map(|served| served.lot.snapshot().len())
            .sum()
    }

    /// Takes over stock that another process imported, until the future is dropped. A database
    /// that does not answer delays this and loses nothing.
    pub async fn keep_fresh(&self) {
        loop {
            tokio::time::sleep(REFRESH_EVERY).await;
            for served in self.directory.load_full().dealers() {
                match served.lot.refresh(&self.store).await {
                    Ok(false) => {}
                    Ok(true) => tracing::info!(
                        dealer = %served.lot.id(),
                        vehicles = served.lot.snapshot().len(),
                        "serving new stock"
                    ),
                    Err(error) => tracing::warn!(
                        dealer = %served.lot.id(),
                        error = %crate::explain(&error),
                        "the stock could not be read again"
                    ),
                }
            }
        }
    }
}
