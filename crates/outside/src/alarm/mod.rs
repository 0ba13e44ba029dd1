//! Alarms: what needs a person, told once to each channel when it begins and once when it ends.
//!
//! Whoever finds a [`Cause`] raises or clears it in the database ([`set`], [`reconcile`]); that is
//! all it has to know. [`Alarms`] looks after causes that nobody else watches, and tells every
//! channel what it has not been told yet. What a channel was told is kept in the database, so that a
//! restart repeats nothing; a channel that fails is tried again later and holds up no other.
//!
//! This path shares nothing with the delivery of leads: it has its own mail server and its own task.

mod board;
mod cause;
mod channel;
mod health;
mod notice;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use catalogs::Catalog;
use dealers::{Dealer, DealerId};
use egress::Egress;
use futures_util::future::join_all;
use inventory::stock::{self, Attention, AttentionKind};
use jiff::{SignedDuration, Timestamp};
use store::{Claim, Conn, Lease, Store};
use tokio::time::Instant;
use url::Url;

pub use board::{clear, open, raise, reconcile, set};
pub use cause::{Alarm, Cause, Kind};
pub use channel::{Channel, Mail, SendError};
pub use notice::Notice;

use self::{
    board::{Told, ToldBy},
    health::{Access, Change, Health},
};
use crate::{disk, explain};

/// How often causes are looked for.
const CHECK_EVERY: Duration = Duration::from_secs(10);
/// The longest pause, which keeps the lease.
const CHECK_AT_LEAST_EVERY: Duration = Duration::from_secs(30);
/// How often a channel looks for what it has not been told.
const TELL_EVERY: Duration = Duration::from_secs(2);
/// How long another process waits before it takes over from one that died.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// The shortest and the longest wait after a channel failed.
const RETRY: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(600));
/// How long a cleared cause is remembered.
const REMEMBER: SignedDuration = SignedDuration::from_hours(24 * 90);

/// What alarms are sent, by which ways.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// How the server calls itself in messages.
    pub server: String,
    /// The ways by which alarms leave.
    pub channels: Vec<Channel>,
    /// What is pinged while nothing is wrong.
    pub heartbeat: Option<Heartbeat>,
    /// Which disk is watched.
    pub disk: Option<DiskWatch>,
    /// The dealers whose feeds are looked after.
    pub dealers: BTreeMap<DealerId, Arc<Dealer>>,
    /// The catalogs that are looked after.
    pub catalogs: BTreeMap<DealerId, Arc<Catalog>>,
}

/// An address that is called while nothing is wrong, so that its owner notices silence.
#[derive(Debug)]
pub struct Heartbeat {
    /// The client.
    pub egress: Egress,
    /// The address.
    pub url: Url,
    /// How often.
    pub every: Duration,
}

/// A disk that must keep room.
#[derive(Debug)]
pub struct DiskWatch {
    /// A folder on it.
    pub folder: PathBuf,
    /// What the alarm calls it: the folder, and where several machines tell of theirs, the machine.
    pub subject: String,
    /// Least free bytes.
    pub least: u64,
}

/// The worker that looks for causes and tells the channels.
#[derive(Debug)]
pub struct Alarms {
    store: Store,
    settings: Settings,
    holder: String,
    /// Of several processes on one database, this is the one that tells.
    holds_lease: AtomicBool,
    health: Mutex<Health>,
}

/// What is remembered of a channel.
#[derive(Debug, Default)]
struct Delivery {
    /// What the channel was told; `None` before it was read from the database.
    told: Option<ToldBy>,
    /// What of it the database does not know yet.
    unsaved: ToldBy,
    failures: u32,
}

impl Alarms {
    /// Prepares the worker; nothing is sent before [`run`](Self::run).
    #[must_use]
    pub fn new(store: Store, settings: Settings) -> Self {
        let holder = store.clock().new_id().to_string();
        Self {
            store,
            settings,
            holder,
            holds_lease: AtomicBool::new(false),
            health: Mutex::default(),
        }
    }

    /// Looks for causes and tells the channels, until the future is dropped.
    pub async fn run(&self) {
        let checking = async {
            loop {
                let begun = Instant::now();
                self.check().await;
                // Of thousands of dealers this takes a while, and is not all that the database does.
                let rest = CHECK_EVERY
                    .max(begun.elapsed() * 10)
                    .min(CHECK_AT_LEAST_EVERY);
                tokio::time::sleep(rest).await;
            }
        };
        let telling = join_all(
            self.settings
                .channels
                .iter()
                .map(|it| self.keep_telling(it)),
        );
        let beating = async {
            if let Some(heartbeat) = &self.settings.heartbeat {
                loop {
                    tokio::time::sleep(heartbeat.every).await;
                    self.beat(heartbeat).await;
                }
            }
        };
        tokio::join!(checking, telling, beating);
    }

    /// Lets another process take over at once. For a server that stops.
    pub async fn release(&self) {
        let holder = self.holder.clone();
        let released = self
            .store
            .write_claiming(Claim::ROWS, move |conn| lease(&holder).release(conn))
            .await;
        self.note(Access::Read, &released);
    }

    /// Looks once for the causes that this worker watches.
    async fn check(&self) {
        let (holder, now) = (self.holder.clone(), self.store.clock().now());
        let taken = self
            .store
            .write_claiming(Claim::ROWS, move |conn| {
                let taken = lease(&holder).take(conn, now, LEASE)?;
                board::forget(conn, now - REMEMBER)?;
                Ok(taken)
            })
            .await;
        self.note(Access::Write, &taken);
        // Who held it goes on when the database fails: a notice too many is better than none.
        let holds_lease = taken.unwrap_or_else(|_| self.holds_lease.load(Ordering::Relaxed));
        self.holds_lease.store(holds_lease, Ordering::Relaxed);
        if let Some(watch) = &self.settings.disk
            && let Some(message) = disk::verdict(watch).await
        {
            let cause = Cause::of_server(Kind::Disk, &watch.subject);
            let kept = set(&self.store, &cause, message).await;
            self.note(Access::Read, &kept);
        }
        if holds_lease {
            self.attend().await;
        }
    }

    /// Looks once at the feeds of every dealer and at every catalog, as their runs and the clock show them.
    async fn attend(&self) {
        let mut present = BTreeMap::new();
        let dealers = self.settings.dealers.iter();
        let dealers = dealers.map(|(id, dealer)| (id, Judged::Dealer(Arc::clone(dealer))));
        let catalogs = self.settings.catalogs.iter();
        let catalogs = catalogs.map(|(id, catalog)| (id, Judged::Catalog(Arc::clone(catalog))));
        for (id, judged) in dealers.chain(catalogs) {
            let (key, now) = (id.clone(), self.store.clock().now());
            let found = self
                .store
                .read(move |conn| judged.attention(conn, &key, now))
                .await;
            match found {
                Ok(found) => present.extend(found.iter().filter_map(|it| feed_cause(id, it))),
                Err(error) => {
                    // What is not known of one dealer must not clear what is open.
                    tracing::error!(dealer = %id, error = %explain(&error), "the feeds cannot be judged");
                    return;
                }
            }
        }
        let judged = |cause: &Cause| is_judged(cause.kind) || self.is_unknown_feed(cause);
        let reconciled = reconcile(&self.store, judged, present).await;
        self.note(Access::Read, &reconciled);
    }

    /// True for a cause of a feed that is configured no longer: nobody else would clear it.
    fn is_unknown_feed(&self, cause: &Cause) -> bool {
        let of_source = matches!(cause.kind, Kind::FeedSource | Kind::FeedFile);
        let configured = cause.dealer.as_ref().is_some_and(|id| {
            let dealer = self.settings.dealers.get(id);
            let of_dealer = dealer.is_some_and(|it| it.feeds.contains_key(&cause.subject));
            of_dealer || self.settings.catalogs.contains_key(id)
        });
        of_source && !configured
    }

    async fn keep_telling(&self, channel: &Channel) {
        let mut delivery = Delivery::default();
        loop {
            tokio::time::sleep(TELL_EVERY).await;
            if !self.tell(channel, &mut delivery).await {
                tokio::time::sleep(retry_after(delivery.failures)).await;
            }
        }
    }

    /// Tells a channel what it has not been told. False when it failed.
    async fn tell(&self, channel: &Channel, delivery: &mut Delivery) -> bool {
        if !self.holds_lease.load(Ordering::Relaxed) {
            // Another process tells meanwhile, and what it told is read when this one has the lease again.
            *delivery = Delivery::default();
            return true;
        }
        let alarms = self.alarms().await;
        let told = self.told(channel, delivery).await;
        let now = self.store.clock().now();
        let Some(notice) = Notice::due(&self.settings.server, &alarms, &told, now) else {
            self.save(channel, delivery).await;
            return true;
        };
        if let Err(error) = channel.send(&notice, now).await {
            delivery.failures += 1;
            tracing::error!(
                channel = channel.name(),
                failures = delivery.failures,
                error = %explain(&error),
                "an alarm could not be sent; it is tried again"
            );
            return false;
        }
        tracing::info!(
            channel = channel.name(),
            raised = notice.raised.len(),
            recovered = notice.recovered.len(),
            "alarm sent"
        );
        delivery.failures = 0;
        delivery.told.get_or_insert_default().extend(notice.told());
        delivery.unsaved.extend(notice.told());
        self.save(channel, delivery).await;
        true
    }

    /// What the channel was told, from the database at first.
    async fn told(&self, channel: &Channel, delivery: &mut Delivery) -> ToldBy {
        if let Some(told) = &delivery.told {
            return told.clone();
        }
        let name = channel.name();
        let read = self.store.read(move |conn| board::told(conn, name)).await;
        if let Ok(told) = &read {
            delivery.told = Some(told.clone());
        }
        self.note(Access::Read, &read);
        read.unwrap_or_default()
    }

    /// Writes down what the channel was told. A database that fails gets it later.
    async fn save(&self, channel: &Channel, delivery: &mut Delivery) {
        if delivery.unsaved.is_empty() {
            return;
        }
        let (name, unsaved) = (channel.name(), delivery.unsaved.clone());
        let saved = self
            .store
            .write_claiming(Claim::ROWS, move |conn| {
                unsaved
                    .iter()
                    .try_for_each(|(cause, told): (&Cause, &Told)| {
                        board::record_told(conn, name, cause, *told)
                    })
            })
            .await;
        if saved.is_ok() {
            delivery.unsaved.clear();
        }
        self.note(Access::Write, &saved);
    }

    /// Every alarm that is known: those of the database, and that the database fails.
    async fn alarms(&self) -> Vec<Alarm> {
        let read = self.store.read(board::all).await;
        self.note(Access::Read, &read);
        let mut health = self.health();
        health.alarms(read.ok())
    }

    /// Calls the heartbeat when nothing is wrong.
    async fn beat(&self, heartbeat: &Heartbeat) {
        let healthy = self.holds_lease.load(Ordering::Relaxed)
            && self.alarms().await.iter().all(|it| it.cleared_at.is_some());
        if !healthy {
            return;
        }
        let called = heartbeat.egress.get(heartbeat.url.as_str()).send().await;
        match called {
            Ok(answer) if answer.status.is_success() => {}
            Ok(answer) => {
                tracing::warn!(
                    status = answer.status.as_u16(),
                    "the heartbeat was not taken"
                );
            }
            Err(error) => {
                tracing::warn!(error = %explain(&error), "the heartbeat could not be sent");
            }
        }
    }

    /// Notices whether the database works. Work that may find nothing to write shows no more than
    /// [`Access::Read`] when it goes well.
    fn note<T>(&self, access: Access, outcome: &Result<T, store::Error>) {
        let error = outcome.as_ref().err();
        match self.health().note(access, error, self.store.clock()) {
            Some(Change::Failing) => {
                let error = error.map(|it| explain(it));
                tracing::error!(error, "the database fails");
            }
            Some(Change::Working) => tracing::info!("the database works again"),
            None => {}
        }
    }

    fn health(&self) -> std::sync::MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose files are judged.
enum Judged {
    Dealer(Arc<Dealer>),
    Catalog(Arc<Catalog>),
}

impl Judged {
    fn attention(
        &self,
        conn: &mut dyn Conn,
        id: &DealerId,
        now: Timestamp,
    ) -> Result<Vec<Attention>, stock::Error> {
        match self {
            Self::Dealer(dealer) => stock::attention(conn, id, dealer, now),
            Self::Catalog(catalog) => catalogs::attention(conn, id, catalog, now),
        }
    }
}

/// One process at a time tells the channels.
fn lease(holder: &str) -> Lease<'_> {
    Lease {
        dealer: "",
        work: "alarms",
        holder,
    }
}

/// The kinds that [`stock::attention`] and [`catalogs::attention`] alone raise and clear.
const JUDGED: [Kind; 4] = [
    Kind::FeedRefused,
    Kind::FeedKeptLastGood,
    Kind::FeedOverdue,
    Kind::FeedHidden,
];

/// True for the kinds that [`stock::attention`] alone raises and clears.
#[must_use]
pub fn is_judged(kind: Kind) -> bool {
    JUDGED.contains(&kind)
}

/// The cause of a feed that needs a person, and its words; `None` for a state that has no alarm.
#[must_use]
pub fn feed_cause(dealer: &DealerId, attention: &Attention) -> Option<(Cause, String)> {
    let kind = match attention.kind {
        AttentionKind::Refused => Kind::FeedRefused,
        AttentionKind::KeptLastGood => Kind::FeedKeptLastGood,
        AttentionKind::Overdue => Kind::FeedOverdue,
        AttentionKind::Hidden => Kind::FeedHidden,
        _ => return None,
    };
    let cause = Cause::of_dealer(dealer, kind, &attention.feed);
    Some((cause, attention.text.clone()))
}

fn retry_after(failures: u32) -> Duration {
    let (shortest, longest) = RETRY;
    let doubled = shortest.saturating_mul(1 << failures.saturating_sub(1).min(10));
    doubled.min(longest)
}
