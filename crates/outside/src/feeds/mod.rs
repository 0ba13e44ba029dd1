//! Feeds that the server gets of its own accord, and the one way in for a file.
//!
//! [`Feeds`] watches what the configuration names: drop folders (`watch`, with `folder` and `shelf`)
//! and addresses (`address`). Whatever brings a file hands it to [`receive()`], uploads too, and a
//! [`Target`] says what becomes of it: stock of a dealer, or a catalog of a seller without cars. Folders
//! are looked at every few seconds instead of waiting for the system's events, which network shares
//! do not send.
//!
//! Of several processes on one database, one at a time watches a dealer's feeds.

mod address;
mod folder;
mod receive;
mod shelf;
mod stuck;
#[cfg(test)]
mod tests;
mod watch;

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use catalogs::Catalog;
use dealers::{Dealer, DealerId, FeedSettings};
use egress::Egress;
use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use store::{Claim, Conn, Lease, Store};
use tokio::sync::Semaphore;

pub use receive::{Receipt, Target, Verdict, receive};

use self::{
    address::{Address, AddressWatch},
    folder::DropFolder,
    watch::FolderWatch,
};
use crate::explain;

/// How often a source is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How often the leases are prolonged.
const LEASE_EVERY: Duration = Duration::from_secs(20);
/// How long another process waits before it takes over from one that died.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// Files that are read at the same time.
const TURNS: usize = 2;
/// Files that are fetched at the same time.
const DOWNLOADS: usize = 8;

/// The name of the work in its lease.
const WORK: &str = "feeds";

/// One feed with a source that is watched.
#[derive(Debug)]
struct Feed {
    dealer_id: DealerId,
    name: String,
    settings: FeedSettings,
    goes: Goes,
    store: Store,
    /// Shared by all feeds; never closed.
    turns: Arc<Semaphore>,
    downloads: Arc<Semaphore>,
}

/// What the files of a feed become.
#[derive(Debug)]
enum Goes {
    Stock(Arc<Dealer>),
    Catalog(Box<Catalog>),
}

/// Where a feed comes from.
#[derive(Debug)]
enum Source {
    Folder(DropFolder),
    Address(Box<Address>),
}

/// The worker that watches the sources of all feeds.
#[derive(Debug)]
pub struct Feeds {
    store: Store,
    holder: String,
    sources: Vec<(Arc<Feed>, Source)>,
    /// Until when this process watches a dealer's feeds.
    held: Mutex<HashMap<DealerId, Timestamp>>,
}

/// Why a feed's source cannot be watched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The pattern of a drop folder is none.
    #[error("feed {feed} of dealer {dealer}: {reason}")]
    Pattern {
        /// The dealer.
        dealer: DealerId,
        /// The feed.
        feed: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The client for an address cannot be set up.
    #[error("feed {feed} of dealer {dealer}")]
    Client {
        /// The dealer.
        dealer: DealerId,
        /// The feed.
        feed: String,
        /// Why.
        source: egress::Error,
    },
}

/// Says what is wrong with the pattern of a drop folder.
///
/// # Errors
/// The pattern is none; the message says what to write.
pub fn check_pattern(pattern: &str) -> Result<(), String> {
    DropFolder::parse(pattern, Path::new(".")).map(drop)
}

/// True where a file may match both patterns of drop folders, so that it is a matter of chance which
/// feed takes it. False where one of them is no pattern.
///
/// ```
/// use outside::feeds::patterns_overlap;
///
/// assert!(patterns_overlap("/srv/drop/*.csv", "/srv/drop/used*.csv"));
/// assert!(!patterns_overlap("/srv/drop/new*.csv", "/srv/drop/used*.csv"));
/// ```
#[must_use]
pub fn patterns_overlap(one: &str, other: &str) -> bool {
    let parse = |pattern| DropFolder::parse(pattern, Path::new("."));
    matches!((parse(one), parse(other)), (Ok(one), Ok(other)) if one.overlaps(&other))
}

impl Feeds {
    /// Prepares to watch the feeds of these dealers, and these catalogs, that name a source. Patterns and
    /// files of secrets that are not absolute are meant from `base`.
    ///
    /// # Errors
    /// [`SourceError`].
    pub fn new<'a>(
        store: Store,
        dealers: impl IntoIterator<Item = (&'a DealerId, &'a Dealer)>,
        catalogs: impl IntoIterator<Item = (&'a DealerId, &'a Catalog)>,
        base: &Path,
        egress: &Egress,
    ) -> Result<Self, SourceError> {
        let turns = Arc::new(Semaphore::new(TURNS));
        let downloads = Arc::new(Semaphore::new(DOWNLOADS));
        let mut feeds = Vec::new();
        for (id, dealer) in dealers {
            let dealer = Arc::new(dealer.clone());
            for (name, settings) in &dealer.feeds {
                let goes = Goes::Stock(Arc::clone(&dealer));
                feeds.push((id, name.clone(), settings.clone(), goes));
            }
        }
        for (id, catalog) in catalogs {
            let goes = Goes::Catalog(Box::new(catalog.clone()));
            feeds.push((id, catalogs::FEED.to_owned(), catalog.feed(), goes));
        }
        let mut sources = Vec::new();
        for (id, name, settings, goes) in feeds {
            let Some(source) = source(id, &name, &settings, base, egress)? else {
                continue;
            };
            let feed = Feed {
                dealer_id: id.clone(),
                name,
                settings,
                goes,
                store: store.clone(),
                turns: Arc::clone(&turns),
                downloads: Arc::clone(&downloads),
            };
            sources.push((Arc::new(feed), source));
        }
        Ok(Self {
            holder: store.clock().new_id().to_string(),
            store,
            sources,
            held: Mutex::default(),
        })
    }

    /// Watches the sources until the future is dropped.
    pub async fn run(&self) {
        let leasing = async {
            loop {
                self.lease().await;
                tokio::time::sleep(LEASE_EVERY).await;
            }
        };
        let watching = join_all(self.sources.iter().map(|it| self.keep_watching(it)));
        tokio::join!(leasing, watching);
    }

    /// Lets another process take over at once. For a server that stops.
    pub async fn release(&self) {
        let held: Vec<DealerId> = self.held().drain().map(|(dealer, _)| dealer).collect();
        let holder = self.holder.clone();
        let released = self
            .store
            .write_claiming(Claim::ROWS, move |conn| {
                held.iter()
                    .try_for_each(|dealer| lease(dealer, &holder).release(conn))
            })
            .await;
        if let Err(error) = released {
            tracing::warn!(error = %explain(&error), "feeds could not be handed over");
        }
    }

    /// Takes or prolongs the lease of every dealer whose feeds have sources.
    async fn lease(&self) {
        let mut dealers: Vec<DealerId> = self
            .sources
            .iter()
            .map(|(feed, _)| feed.dealer_id.clone())
            .collect();
        dealers.dedup();
        let (holder, now) = (self.holder.clone(), self.store.clock().now());
        let take = move |conn: &mut dyn Conn| {
            let all = dealers.iter().map(DealerId::as_str);
            let taken = Lease::take_each(conn, WORK, &holder, all, now, LEASE)?;
            let taken: HashSet<&str> = taken.into_iter().collect();
            let held = dealers.iter().filter(|it| taken.contains(it.as_str()));
            Ok::<_, store::Error>(held.cloned().collect::<Vec<_>>())
        };
        match self.store.write_claiming(Claim::ROWS, take).await {
            Ok(taken) => {
                *self.held() = taken
                    .into_iter()
                    .map(|dealer| (dealer, now + LEASE))
                    .collect();
            }
            Err(error) => {
                tracing::error!(error = %explain(&error), "the lease of the feeds could not be prolonged");
            }
        }
    }

    async fn keep_watching(&self, (feed, source): &(Arc<Feed>, Source)) {
        let mut watch = None;
        loop {
            if self.holds(&feed.dealer_id) {
                let watch = watch.get_or_insert_with(|| Watch::new(feed, source));
                watch.look().await;
            } else {
                // What another process did meanwhile is not known here.
                watch = None;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    fn holds(&self, dealer: &DealerId) -> bool {
        let now = self.store.clock().now();
        self.held().get(dealer).is_some_and(|until| now < *until)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<DealerId, Timestamp>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Feed {
    fn target(&self) -> Target<'_> {
        match &self.goes {
            Goes::Stock(dealer) => Target::Stock {
                dealer,
                feed: &self.name,
            },
            Goes::Catalog(catalog) => Target::Catalog(catalog),
        }
    }

    /// A database that fails has an alarm of its own; the file is tried again.
    fn database_failed(&self, error: &dyn std::error::Error) {
        tracing::error!(
            dealer = %self.dealer_id,
            feed = self.name,
            error = %explain(error),
            "the database fails; the feed is tried again"
        );
    }
}

fn source(
    dealer: &DealerId,
    feed: &str,
    settings: &FeedSettings,
    base: &Path,
    egress: &Egress,
) -> Result<Option<Source>, SourceError> {
    if let Some(pattern) = &settings.path {
        let place = DropFolder::parse(pattern, base).map_err(|reason| SourceError::Pattern {
            dealer: dealer.clone(),
            feed: feed.to_owned(),
            reason,
        })?;
        return Ok(Some(Source::Folder(place)));
    }
    let Some(url) = &settings.url else {
        return Ok(None);
    };
    let egress = egress
        .opened_for(url)
        .map_err(|source| SourceError::Client {
            dealer: dealer.clone(),
            feed: feed.to_owned(),
            source,
        })?;
    let beside = |path: &PathBuf| base.join(path);
    let password_file = settings.password_file.as_ref().map(beside);
    Ok(Some(Source::Address(Box::new(Address {
        egress,
        url: url.clone(),
        headers_file: settings.headers_file.as_ref().map(beside),
        login: settings.user.clone().zip(password_file),
    }))))
}

/// One process at a time watches a dealer's feeds.
fn lease<'a>(dealer: &'a DealerId, holder: &'a str) -> Lease<'a> {
    Lease {
        dealer: dealer.as_str(),
        work: WORK,
        holder,
    }
}

/// What is remembered of a source between two looks.
#[derive(Debug)]
enum Watch<'a> {
    Folder(Box<FolderWatch>),
    Address(Box<AddressWatch<'a>>),
}

impl<'a> Watch<'a> {
    fn new(feed: &Arc<Feed>, source: &'a Source) -> Self {
        match source {
            Source::Folder(place) => Self::Folder(Box::new(FolderWatch::new(feed, place.clone()))),
            Source::Address(address) => Self::Address(Box::new(AddressWatch::new(feed, address))),
        }
    }

    async fn look(&mut self) {
        match self {
            Self::Folder(watch) => watch.look().await,
            Self::Address(watch) => watch.look().await,
        }
    }
}
