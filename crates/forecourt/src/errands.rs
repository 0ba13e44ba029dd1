//! What the server does of its own accord beside answering: it watches the feeds, delivers the leads
//! and tells people what needs them. `outside` does the work; this gives it what the configuration states.

mod retention;

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use catalogs::Catalog;
use dealers::{Dealer, DealerId};
use egress::Egress;
use leads::HashKey;
use outside::{
    alarm::{Alarms, DiskWatch, Settings},
    bounces::Bounces,
    delivery::{self, Couriers, Deliveries, Wake},
    feeds::{Feeds, SourceError},
    rounds::Rounds,
};
use store::Store;

use self::retention::Retention;
use crate::{
    config::{Config, OutgoingError, privacy::PrivacyError},
    explain,
    nodes::{self, Turn},
    readiness::Digests,
};

/// How often what the dealers need not keep is forgotten.
const FORGET_EVERY: Duration = Duration::from_hours(24);
/// How long a node waits while another one does it.
const FORGET_AFTER_OTHER: Duration = Duration::from_secs(60);

/// The server's own errands.
#[derive(Debug)]
pub struct Errands {
    store: Store,
    feeds: Feeds,
    alarms: Alarms,
    rounds: Rounds,
    deliveries: Deliveries,
    retention: Retention,
    bounces: Bounces,
    digests: Digests,
    dealers: Vec<(DealerId, Arc<Dealer>)>,
    catalogs: Vec<(DealerId, Arc<Catalog>)>,
    forgetting: Turn,
}

/// Why the errands cannot be run as the configuration says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrandsError {
    /// `[alarm]`, `[mail]` or `[bounces]`.
    #[error(transparent)]
    Outgoing(#[from] OutgoingError),
    /// A destination of leads.
    #[error(transparent)]
    Destination(#[from] delivery::SetupError),
    /// A key of personal data.
    #[error("privacy")]
    Privacy(#[from] PrivacyError),
    /// A feed's source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The HTTP client.
    #[error(transparent)]
    Client(#[from] egress::Error),
}

impl Errands {
    /// Prepares the errands. Paths of the configuration are meant from `base`; the disk of `data`
    /// is watched. `hash_key` proves which consent an erased person gave; `wake` tells of leads that
    /// were taken.
    ///
    /// # Errors
    /// [`ErrandsError`].
    pub fn new(
        config: &Config,
        base: &Path,
        data: &Path,
        store: &Store,
        hash_key: &HashKey,
        wake: &Wake,
    ) -> Result<Self, ErrandsError> {
        let egress = client(config)?;
        let couriers = couriers(config, base, &egress)?;
        let dealers: Vec<_> = config
            .dealers
            .iter()
            .map(|(id, dealer)| (id.clone(), Arc::new(dealer.clone())))
            .collect();
        let catalogs: Vec<_> = config
            .catalogs
            .iter()
            .map(|(id, catalog)| (id.clone(), Arc::new(catalog.clone())))
            .collect();
        let mut settings = Settings::default();
        settings.server = server_name(config);
        settings.channels = config.alarm.channels(base, &egress)?;
        settings.heartbeat = config.alarm.heartbeat(&egress)?;
        settings.dealers = dealers.iter().cloned().collect();
        settings.catalogs = catalogs.iter().cloned().collect();
        settings.disk = Some(DiskWatch {
            folder: data.to_owned(),
            subject: nodes::of_this_machine(&data.display().to_string(), config),
            least: config.alarm.least_free(),
        });
        let mailboxes = config.bounces.settings(base, &egress)?;
        Ok(Self {
            bounces: Bounces::new(store.clone(), mailboxes, dealers.clone()),
            feeds: Feeds::new(
                store.clone(),
                &config.dealers,
                &config.catalogs,
                base,
                &egress,
            )?,
            alarms: Alarms::new(store.clone(), settings),
            rounds: Rounds::new(store.clone(), config.privacy.vault()?, dealers.clone()),
            digests: Digests::new(config, &couriers),
            deliveries: deliveries(config, store, couriers, &dealers)?.woken_by(wake.clone()),
            retention: Retention {
                store: store.clone(),
                vault: config.privacy.vault()?,
                hash_key: hash_key.clone(),
                unscrubbed: AtomicBool::new(false),
            },
            forgetting: Turn::new(store.clone(), "forget"),
            store: store.clone(),
            dealers,
            catalogs,
        })
    }

    /// Tell whether a destination was tested under its settings.
    #[must_use]
    pub fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Runs the errands until the future is dropped.
    pub async fn run(&self) {
        self.expect_feeds().await;
        tokio::join!(
            self.feeds.run(),
            self.alarms.run(),
            self.rounds.run(),
            self.deliveries.run(),
            self.bounces.run(),
            self.forget(),
        );
    }

    /// Forgets what the dealers need not keep, on one node at a time: the next one finds nothing left.
    async fn forget(&self) {
        loop {
            let wait = match self.forgetting.carry_out(self.forget_now()).await {
                Some(()) => FORGET_EVERY,
                None => FORGET_AFTER_OTHER,
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn forget_now(&self) {
        for (id, dealer) in &self.dealers {
            let (key, dealer, now) = (id.clone(), dealer.clone(), self.store.clock().now());
            let pruned = self
                .store
                .write_claiming(inventory::stock::claim(id), move |conn| {
                    inventory::stock::prune(conn, &key, &dealer, now)
                })
                .await;
            match pruned {
                Ok(pruned) => tracing::debug!(dealer = %id, ?pruned, "old stock is forgotten"),
                Err(error) => tracing::error!(
                    dealer = %id,
                    error = %explain(&error),
                    "old stock could not be forgotten"
                ),
            }
        }
        self.forget_changes().await;
        self.retention.apply(&self.dealers).await;
    }

    /// Forgets what of the catalogs need not be kept.
    async fn forget_changes(&self) {
        for (id, catalog) in &self.catalogs {
            let (key, catalog, now) = (id.clone(), Arc::clone(catalog), self.store.clock().now());
            let pruned = self
                .store
                .write_claiming(inventory::stock::claim(id), move |conn| {
                    catalogs::prune(conn, &key, &catalog, now)
                })
                .await;
            if let Err(error) = pruned {
                tracing::error!(
                    catalog = %id,
                    error = %explain(&error),
                    "old changes of the catalog could not be forgotten"
                );
            }
        }
    }

    /// Lets another process take over at once. For a server that stops.
    pub async fn release(&self) {
        tokio::join!(
            self.feeds.release(),
            self.rounds.release(),
            self.deliveries.release(),
            self.bounces.release(),
            self.alarms.release(),
            self.forgetting.release(),
        );
    }

    /// From here on a feed that never sends a file can be overdue.
    async fn expect_feeds(&self) {
        let (dealers, now) = (self.dealers.clone(), self.store.clock().now());
        let catalogs: Vec<DealerId> = self.catalogs.iter().map(|(id, _)| id.clone()).collect();
        let noted = self
            .store
            .write(move |conn| {
                dealers.iter().try_for_each(|(id, dealer)| {
                    inventory::stock::expect_feeds(conn, id, dealer, now)
                })?;
                let mut catalogs = catalogs.iter();
                catalogs.try_for_each(|id| catalogs::expect(conn, id, now))
            })
            .await;
        if let Err(error) = noted {
            tracing::error!(error = %explain(&error), "expected feeds could not be noted");
        }
    }
}

/// The couriers to every destination of a configuration, whose paths are meant from `base`.
pub(crate) fn couriers(
    config: &Config,
    base: &Path,
    egress: &Egress,
) -> Result<Couriers, ErrandsError> {
    let public_url = config.public_url.as_ref();
    let mail = config.mail.leads(public_url, base, egress)?;
    Ok(Couriers::new(&config.dealers, mail, base, egress)?)
}

/// The worker that delivers the leads of these dealers.
pub(crate) fn deliveries(
    config: &Config,
    store: &Store,
    couriers: Couriers,
    dealers: &[(DealerId, Arc<Dealer>)],
) -> Result<Deliveries, ErrandsError> {
    let settings = delivery::Settings::default();
    let (vault, dealers) = (config.privacy.vault()?, dealers.to_vec());
    Ok(Deliveries::new(
        store.clone(),
        vault,
        dealers,
        couriers,
        settings,
    ))
}

/// The client by which the server calls out.
pub(crate) fn client(config: &Config) -> Result<Egress, egress::Error> {
    let mut options = egress::Options::default();
    options.allow.clone_from(&config.outgoing.allow);
    Egress::new(options)
}

/// How the server calls itself in messages.
pub(crate) fn server_name(config: &Config) -> String {
    match &config.public_url {
        Some(url) => url.to_string(),
        None => format!("forecourt on {}", config.listen),
    }
}
