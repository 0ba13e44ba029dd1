//! The server: every dealer's lot and agent, and the routes by which others reach them.
//!
//! [`App`] holds what lives as long as the program; its `Directory` holds what the configuration
//! states, and is replaced as a whole when that is read again. Requests enter in `routes`.

mod analyst;
mod api;
mod client;
mod directory;
mod fresh;
mod limits;
mod metrics;
mod operations;
mod routes;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use a2a_server::serve::Connections;
use arc_swap::ArcSwap;
use axum::{
    Router,
    extract::{Request, State},
};
use dealers::DealerId;
use leads::{HashKey, Vault};
use outside::delivery::Wake;
use store::{Migration, Store};

pub(crate) use self::analyst::notifications;
use self::{
    analyst::Analysts,
    directory::{Directory, Site},
    metrics::Metrics,
};
use crate::{
    agent,
    analyst::ModelError,
    config::{Config, privacy::PrivacyError},
    errands, lot,
    nodes::{self, Presence},
    readiness::Digests,
    tasks,
};

/// The whole schema, in the order in which its parts build on each other.
#[must_use]
pub const fn migrations() -> [&'static [Migration]; 9] {
    [
        store::lease::MIGRATIONS,
        nodes::MIGRATIONS,
        agent::CARD_MIGRATIONS,
        dealers::keys::MIGRATIONS,
        inventory::stock::MIGRATIONS,
        catalogs::MIGRATIONS,
        leads::MIGRATIONS,
        outside::MIGRATIONS,
        tasks::MIGRATIONS,
    ]
}

/// A database with this schema.
#[must_use]
pub fn with_schema(options: store::Options) -> store::Options {
    options
        .migrations(&migrations())
        .generation(nodes::GENERATION)
}

/// A running server.
#[derive(Debug)]
pub struct App {
    directory: ArcSwap<Directory>,
    store: Store,
    hash_key: HashKey,
    /// Where it listens, which stands on cards where the configuration has no `public_url`.
    address: SocketAddr,
    metrics: Metrics,
    /// Tells the worker of the deliveries that a lead was taken.
    wake: Wake,
    /// Set once the server ends: it is not ready any more.
    stopping: AtomicBool,
    analysts: Analysts,
    /// This node among those on the same database.
    presence: Presence,
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
    /// A key of personal data cannot be used.
    #[error("privacy")]
    Privacy(#[from] PrivacyError),
    /// Persons in the database are encrypted with keys that the configuration does not name.
    #[error(
        "persons in the database are encrypted with {}, which the configuration does not name: add the key's file to privacy.former_key_files, or, where it is lost for good, take out the persons that nobody can read with `forecourt leads rekey --lost KEY`",
        .0.join(", ")
    )]
    KeysMissing(Vec<String>),
    /// The identity of a card cannot be read or stored.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The card of an analyst cannot be written.
    #[error("the analyst's card")]
    AnalystCard(#[from] a2a_server::card::Unpublishable),
    /// What callers of analysts have to prove cannot be checked.
    #[error(transparent)]
    AnalystSecurity(#[from] a2a_server::auth::Uncheckable),
    /// The HTTP client cannot be set up.
    #[error(transparent)]
    Client(#[from] egress::Error),
    /// The language model of the analysts cannot be asked.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl App {
    /// Loads every dealer of the configuration. `address` stands on cards where the configuration
    /// has no `public_url`; `wake` is told of leads.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(
        config: &Config,
        store: Store,
        hash_key: &HashKey,
        address: SocketAddr,
        digests: &Digests,
        wake: Wake,
    ) -> Result<Arc<Self>, OpenError> {
        let site = Site {
            store: &store,
            hash_key,
            address,
        };
        let directory = Directory::load(config, digests, site, None).await?;
        let analysts = Analysts::new(
            config,
            &store,
            directory.vault.clone(),
            errands::client(config)?,
        )?;
        Ok(Arc::new(Self {
            directory: ArcSwap::from_pointee(directory),
            presence: Presence::new(store.clone(), config.store.is_some()),
            store,
            hash_key: hash_key.clone(),
            address,
            metrics: Metrics::new(),
            wake,
            stopping: AtomicBool::new(false),
            analysts,
        }))
    }

    /// The routes.
    pub fn router(self: &Arc<Self>) -> Router {
        routes::dealers()
            .merge(operations::routes())
            .merge(api::routes())
            .merge(analyst::routes(self))
            .fallback(routes::nothing_here)
            .layer(axum::middleware::map_request_with_state(
                Arc::clone(self),
                identify,
            ))
            .with_state(Arc::clone(self))
    }

    /// The configuration that is served.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.directory.load().config)
    }

    /// The keys of the personal data that are served.
    #[must_use]
    pub fn vault(&self) -> Vault {
        self.directory.load().vault.clone()
    }

    /// Shows the connections of a server among the metrics.
    pub fn count_connections(&self, connections: Connections) {
        self.metrics.count_connections(connections);
    }

    /// Says to the other nodes on the same database that this one lives, until it is dropped.
    pub async fn keep_present(&self) {
        self.presence.keep().await;
    }

    /// The same once, so that this node counts as one before it takes requests.
    pub async fn appear(&self) {
        self.presence.say().await;
    }

    /// Lets the other nodes have what this one worked on. For a server that stops.
    pub async fn leave(&self) {
        self.presence.leave().await;
    }

    /// Keeps the analysts' tasks: those of nodes that are gone are failed, webhooks are called, old ones
    /// forgotten. It goes on until it is dropped.
    pub async fn keep_tasks(&self) {
        self.analysts.keep(&self.presence).await;
    }

    /// Waits for the questions that are being answered; those that take longer than `patience` fail.
    pub async fn close_tasks(&self, patience: Duration) {
        self.analysts.close(patience).await;
    }

    /// Tells load balancers that no further requests are wanted.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Serves what this configuration states in place of what is served: dealers are added and
    /// removed, cards and limits renewed. Requests under way finish with what they began with, and
    /// a dealer whose settings are the same keeps its stock in memory.
    ///
    /// # Errors
    /// [`OpenError`]; then nothing has changed.
    pub async fn reload(&self, config: &Config, digests: &Digests) -> Result<(), OpenError> {
        let before = self.directory.load_full();
        let directory = Directory::load(config, digests, self.site(), Some(&before)).await?;
        self.directory.store(Arc::new(directory));
        Ok(())
    }

    /// Vehicles that are in memory, over all dealers.
    #[must_use]
    pub fn vehicles(&self) -> usize {
        let directory = self.directory.load();
        directory
            .dealers()
            .filter_map(|served| served.lot.in_memory())
            .map(|stock| stock.len())
            .sum()
    }

    /// The database for somebody who waits for an answer, for as long as that makes sense.
    fn prompt_store(&self) -> Store {
        self.store.within(agent::PATIENCE)
    }

    fn site(&self) -> Site<'_> {
        Site {
            store: &self.store,
            hash_key: &self.hash_key,
            address: self.address,
        }
    }
}

/// Finds out who sent a request, before anything else looks at it.
async fn identify(State(app): State<Arc<App>>, request: Request) -> Request {
    client::identify(request, &app.directory.load().config.trusted_proxies)
}
