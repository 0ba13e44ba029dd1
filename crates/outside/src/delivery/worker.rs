//! The worker that drains the outbox.

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use dealers::{Dealer, DealerId};
use futures_util::FutureExt;
use jiff::{SignedDuration, Timestamp};
use leads::{
    DeliveryId, Vault,
    outbox::{self, Ending, Lease, Leased, Outcome, Route, Search, Settled},
};
use store::Store;
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, sleep, timeout, timeout_at},
};

use super::{
    alarms,
    courier::{Couriers, Fault, Reach},
    parcel,
};
use crate::explain;

/// How often what people have to know is looked for, and leads that wait for a destination.
const WATCH_EVERY: Duration = Duration::from_secs(10);
/// The shortest and the longest wait before what came of a sending is written down once more, when
/// the database fails.
const WRITE_AGAIN: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));
/// Leads of a dealer that get their destinations in one transaction.
const EXPAND_AT_ONCE: u32 = 200;

/// Wakes the worker of this process, so that a lead that was just taken need not wait for its next
/// look. Cheap to clone. A lead of which nobody tells is found all the same.
#[derive(Debug, Clone, Default)]
pub struct Wake(Arc<Notify>);

impl Wake {
    /// There is a lead to deliver.
    pub fn wake(&self) {
        self.0.notify_one();
    }
}

/// How the worker goes about it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Settings {
    /// Most deliveries that are sent at the same time.
    pub at_once: usize,
    /// Most of them over one way to a destination.
    pub per_route: usize,
    /// How often the outbox is looked at when nobody wakes the worker.
    pub look_every: Duration,
    /// How long a delivery is a worker's own; it is prolonged while the delivery is being sent. So
    /// long a lead waits that was being sent when its process was killed.
    pub lease: Duration,
    /// How long a receiver may take.
    pub longest_sending: Duration,
    /// How long a server that stops waits for what is being sent.
    pub grace: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            at_once: 16,
            per_route: 4,
            look_every: Duration::from_secs(1),
            lease: Duration::from_secs(30),
            longest_sending: Duration::from_secs(180),
            grace: Duration::from_secs(10),
        }
    }
}

/// The worker that sends what is due, a few deliveries at a time, and writes down what came of each.
///
/// What is being sent does not end with the future of [`run`](Self::run): a configuration that is
/// read again stops the search for more, not a mail half sent. [`release`](Self::release) waits for it.
#[derive(Debug)]
pub struct Deliveries {
    desk: Arc<Desk>,
    wake: Wake,
    sending: tokio::sync::Mutex<JoinSet<()>>,
}

/// What every sending shares.
#[derive(Debug)]
struct Desk {
    store: Store,
    vault: Vault,
    dealers: BTreeMap<DealerId, Arc<Dealer>>,
    ids: Arc<BTreeSet<DealerId>>,
    couriers: Couriers,
    settings: Settings,
    /// Names this worker in the database.
    holder: Arc<str>,
    under_way: Mutex<HashMap<DeliveryId, Route>>,
}

impl Deliveries {
    /// Prepares the worker; nothing is sent before [`run`](Self::run). It leaves the leads of other
    /// dealers alone.
    #[must_use]
    pub fn new(
        store: Store,
        vault: Vault,
        dealers: impl IntoIterator<Item = (DealerId, Arc<Dealer>)>,
        couriers: Couriers,
        settings: Settings,
    ) -> Self {
        let dealers: BTreeMap<_, _> = dealers.into_iter().collect();
        Self {
            desk: Arc::new(Desk {
                holder: store.clock().new_id().to_string().into(),
                store,
                vault,
                ids: Arc::new(dealers.keys().cloned().collect()),
                dealers,
                couriers,
                settings,
                under_way: Mutex::default(),
            }),
            wake: Wake::default(),
            sending: tokio::sync::Mutex::default(),
        }
    }

    /// Lets itself be woken by this too.
    #[must_use]
    pub fn woken_by(mut self, wake: Wake) -> Self {
        self.wake = wake;
        self
    }

    /// Sends what is due until the future is dropped.
    pub async fn run(&self) {
        tokio::join!(self.keep_sending(), self.desk.keep_watch());
    }

    async fn keep_sending(&self) {
        let mut sending = self.sending.lock().await;
        // What was taken for a future that was dropped meanwhile is nobody's.
        self.desk.give_back().await;
        let mut round = Round::default();
        loop {
            reap(&mut sending);
            let room = self.desk.settings.at_once.saturating_sub(sending.len());
            for leased in self.desk.take(room, &mut round).await {
                self.start(&mut sending, leased);
            }
            let has_room = sending.len() < self.desk.settings.at_once;
            tokio::select! {
                Some(ended) = sending.join_next() => note_panic(ended),
                () = self.wake.0.notified(), if has_room => {}
                () = sleep(self.desk.settings.look_every), if has_room => {}
            }
        }
    }

    fn start(&self, sending: &mut JoinSet<()>, leased: Leased) {
        let mut under_way = self.desk.under_way();
        under_way.insert(leased.delivery_id.clone(), leased.route.clone());
        drop(under_way);
        let desk = Arc::clone(&self.desk);
        sending.spawn(async move { desk.deliver(&leased).await });
    }

    /// The terms on which this worker takes deliveries, for [`try_once`](Self::try_once).
    #[must_use]
    pub fn terms(&self) -> Lease {
        self.desk.terms(self.desk.store.clock().now())
    }

    /// Sends a delivery at once and only once, and writes down what came of it. `None` when nothing can
    /// be said of it: the lease was lost, or the database failed. For a person who waits for the answer.
    pub async fn try_once(&self, leased: &Leased) -> Option<Outcome> {
        let outcome = match self.desk.attempt(leased).await? {
            Outcome::Temporary { detail, .. } | Outcome::Unreachable { detail, .. } => {
                Outcome::Permanent { detail }
            }
            other => other,
        };
        self.desk.settle(leased, &outcome).await;
        Some(outcome)
    }

    /// Waits for what is being sent, not too long, and lets another process have the rest at once. For
    /// a server that stops.
    pub async fn release(&self) {
        let mut sending = self.sending.lock().await;
        let deadline = Instant::now() + self.desk.settings.grace;
        while let Ok(Some(ended)) = timeout_at(deadline, sending.join_next()).await {
            note_panic(ended);
        }
        sending.shutdown().await;
        self.desk.under_way().clear();
        self.desk.give_back().await;
    }
}

/// Forgets what has ended.
fn reap(sending: &mut JoinSet<()>) {
    while let Some(ended) = sending.try_join_next() {
        note_panic(ended);
    }
}

fn note_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!("a delivery panicked; it is due again when its lease ends");
    }
}

/// What is remembered from one look at the outbox to the next.
#[derive(Debug, Default)]
struct Round {
    after: Option<Route>,
    failing: bool,
}

impl Desk {
    /// Takes deliveries that are due, at most so many.
    async fn take(&self, room: usize, round: &mut Round) -> Vec<Leased> {
        if room == 0 {
            return Vec::new();
        }
        match self.try_take(room, round).await {
            Ok(taken) => {
                round.failing = false;
                taken
            }
            Err(error) => {
                if !round.failing {
                    tracing::error!(error = %explain(&error), "the outbox cannot be read");
                }
                round.failing = true;
                Vec::new()
            }
        }
    }

    async fn try_take(&self, room: usize, round: &mut Round) -> Result<Vec<Leased>, outbox::Error> {
        let now = self.store.clock().now();
        let search = Search {
            now,
            dealers: Arc::clone(&self.ids),
            most: room,
            per_route: self.settings.per_route,
            busy: self.busy(),
            after: round.after.take(),
        };
        let found = self
            .store
            .read(move |conn| outbox::candidates(conn, &search));
        let (mut found, after) = found.await?;
        round.after = after;
        // A lease of this worker's own may have run out while the database failed.
        found.retain(|it| !self.under_way().contains_key(it.delivery_id()));
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let terms = self.terms(now);
        self.store
            .write(move |conn| outbox::lease(conn, &terms, &found))
            .await
    }

    /// The terms on which this worker takes deliveries.
    fn terms(&self, now: Timestamp) -> Lease {
        Lease {
            holder: Arc::clone(&self.holder),
            now,
            length: signed(self.settings.lease),
        }
    }

    /// How many deliveries are under way, by their way.
    fn busy(&self) -> HashMap<Route, usize> {
        let mut busy = HashMap::new();
        for route in self.under_way().values() {
            *busy.entry(route.clone()).or_default() += 1;
        }
        busy
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<DeliveryId, Route>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn deliver(&self, leased: &Leased) {
        let _under_way = UnderWay {
            desk: self,
            delivery_id: &leased.delivery_id,
        };
        let attempt = AssertUnwindSafe(self.attempt(leased)).catch_unwind().await;
        let outcome = attempt.unwrap_or_else(|panic| Some(defect(leased, panic.as_ref())));
        let Some(outcome) = outcome else {
            tracing::warn!(
                dealer = %leased.dealer(),
                delivery = %leased.delivery_id,
                "the delivery is another worker's by now, or could not be read"
            );
            return;
        };
        self.settle(leased, &outcome).await;
    }

    /// Sends a delivery. `None` when nothing can be said of it: the lease was lost, or the database
    /// failed.
    async fn attempt(&self, leased: &Leased) -> Option<Outcome> {
        let dealer = self.dealers.get(leased.dealer())?;
        let route = &leased.route;
        let courier = self
            .couriers
            .get(&route.dealer, &route.rooftop, &route.destination);
        let Some(courier) = courier else {
            return Some(Outcome::Permanent {
                detail: "the configuration has no such destination any more".to_owned(),
            });
        };
        let lead = {
            let (vault, id, lead_id) = (
                self.vault.clone(),
                leased.dealer().clone(),
                leased.lead_id.clone(),
            );
            let read = move |conn: &mut dyn store::Conn| leads::show(conn, &vault, &id, &lead_id);
            match self.store.read(read).await {
                Ok(Some(lead)) => lead,
                Ok(None) => return Some(unsendable("the lead is not there")),
                Err(error @ leads::Error::Store(_)) => {
                    tracing::error!(error = %explain(&error), "a lead could not be read");
                    return None;
                }
                // A key that is missing may be put back.
                Err(error) => {
                    return Some(Outcome::Temporary {
                        detail: format!("the lead cannot be read: {}", explain(&error)),
                        retry_after: None,
                    });
                }
            }
        };
        let Some(parcel) = parcel::pack(&lead, dealer, leased, self.store.clock().now()) else {
            return Some(Outcome::Erased);
        };
        drop(lead);
        let sending = timeout(self.settings.longest_sending, courier.send(&parcel));
        tokio::select! {
            sent = sending => Some(sent.map_or_else(|_| self.hung(), |sent| match sent {
                Ok(receipt) => Outcome::Sent { detail: receipt.detail },
                Err(fault) => outcome(fault),
            })),
            () = self.lose(leased) => None,
        }
    }

    fn hung(&self) -> Outcome {
        let seconds = self.settings.longest_sending.as_secs();
        Outcome::Unreachable {
            detail: format!("the receiver did not finish within {seconds} seconds"),
            retry_after: None,
        }
    }

    /// Prolongs the lease again and again; ends when it is lost.
    async fn lose(&self, leased: &Leased) {
        loop {
            sleep(self.settings.lease / 3).await;
            if !self.renew(leased).await {
                return;
            }
        }
    }

    /// Prolongs the lease. False when it was lost.
    async fn renew(&self, leased: &Leased) -> bool {
        let one = leased.clone();
        let until = self.store.clock().now() + signed(self.settings.lease);
        let renewed = self
            .store
            .write(move |conn| outbox::renew(conn, &one, until))
            .await;
        renewed.unwrap_or_else(|error| {
            // It may run out. The receiver can tell the second mail by its name.
            tracing::warn!(
                delivery = %leased.delivery_id,
                error = %explain(&error),
                "a lease could not be prolonged"
            );
            true
        })
    }

    /// Writes down what came of an attempt, again and again while the database fails: what was sent
    /// must not be sent once more.
    async fn settle(&self, leased: &Leased, outcome: &Outcome) {
        let Some(dealer) = self.dealers.get(leased.dealer()) else {
            return;
        };
        let mut wait = WRITE_AGAIN.0;
        loop {
            let (dealer, one, what) = (Arc::clone(dealer), leased.clone(), outcome.clone());
            let ending = Ending {
                now: self.store.clock().now(),
                jitter: fastrand::f64(),
                fallback_id: self.store.clock().new_id().into(),
            };
            let settled = self
                .store
                .write(move |conn| outbox::settle(conn, &dealer, &one, &what, &ending))
                .await;
            match settled {
                Ok(settled) => return tell(leased, outcome, &settled),
                Err(error) => tracing::error!(
                    delivery = %leased.delivery_id,
                    error = %explain(&error),
                    "what came of a delivery cannot be written down; it is tried again"
                ),
            }
            self.renew(leased).await;
            sleep(wait).await;
            wait = (wait * 2).min(WRITE_AGAIN.1);
        }
    }

    /// Gives back what this worker took and does not send.
    async fn give_back(&self) {
        let holder = Arc::clone(&self.holder);
        let sending: HashSet<DeliveryId> = self.under_way().keys().cloned().collect();
        let given = self
            .store
            .write(move |conn| outbox::give_back(conn, &holder, &sending))
            .await;
        match given {
            Ok(0) => {}
            Ok(given) => tracing::info!(deliveries = given, "given back unsent"),
            Err(error) => {
                tracing::warn!(error = %explain(&error), "deliveries could not be given back");
            }
        }
    }

    /// Tells people what they have to know, and gives leads a destination that came without one.
    async fn keep_watch(&self) {
        loop {
            if let Err(error) = self.expand().await {
                tracing::error!(error = %explain(&error), "leads could not get a destination");
            }
            if let Err(error) = alarms::look(&self.store, &self.dealers).await {
                tracing::error!(error = %explain(&error), "deliveries could not be judged");
            }
            sleep(WATCH_EVERY).await;
        }
    }

    async fn expand(&self) -> Result<(), outbox::Error> {
        let waiting = self.store.read(outbox::without_destination).await?;
        for id in waiting {
            let Some(dealer) = self.dealers.get(&id) else {
                continue;
            };
            loop {
                let (id, dealer) = (id.clone(), Arc::clone(dealer));
                let clock = self.store.clock().clone();
                let expand = move |conn: &mut dyn store::Conn| {
                    let (new_id, now) = (|| clock.new_id().into(), clock.now());
                    outbox::expand(conn, &id, &dealer, EXPAND_AT_ONCE, &new_id, now)
                };
                if self.store.write(expand).await? < u64::from(EXPAND_AT_ONCE) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Frees a delivery's place when its sending ends, however it does.
struct UnderWay<'a> {
    desk: &'a Desk,
    delivery_id: &'a DeliveryId,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.desk.under_way().remove(self.delivery_id);
    }
}

fn outcome(fault: Fault) -> Outcome {
    match fault {
        Fault::Permanent { detail } => Outcome::Permanent { detail },
        Fault::Temporary {
            detail,
            retry_after,
            reach,
        } => {
            let retry_after = retry_after.map(signed);
            match reach {
                Reach::Parcel => Outcome::Temporary {
                    detail,
                    retry_after,
                },
                Reach::Destination => Outcome::Unreachable {
                    detail,
                    retry_after,
                },
            }
        }
    }
}

fn unsendable(detail: &str) -> Outcome {
    Outcome::Unsendable {
        detail: detail.to_owned(),
    }
}

/// A panic may repeat what the buyer wrote, so that its words are kept nowhere. A newer program may do
/// better, so that the lead is tried again.
fn defect(leased: &Leased, _panic: &(dyn Any + Send)) -> Outcome {
    tracing::error!(
        dealer = %leased.dealer(),
        lead = %leased.lead_id,
        delivery = %leased.delivery_id,
        "a delivery fails because of a defect of this program"
    );
    Outcome::Temporary {
        detail: "a defect of this program: the lead could not be made ready".to_owned(),
        retry_after: None,
    }
}

/// Logs what became of a delivery: identifiers and the receiver's code. Its words stay in the database,
/// since nobody knows what a receiver repeats.
fn tell(leased: &Leased, outcome: &Outcome, settled: &Settled) {
    let (dealer, delivery, lead) = (leased.dealer(), &leased.delivery_id, &leased.lead_id);
    let (route, attempt, code) = (&leased.route, leased.attempt, code(outcome));
    match settled {
        Settled::Sent => {
            tracing::info!(%dealer, %lead, %delivery, %route, attempt, code, "lead delivered");
        }
        Settled::Again { due_at } => {
            tracing::warn!(%dealer, %lead, %delivery, %route, attempt, code, %due_at, "lead not taken; it is tried again");
        }
        Settled::Failed { fallback } => {
            let fallback = fallback.as_ref().map(DeliveryId::as_str);
            tracing::error!(%dealer, %lead, %delivery, %route, attempt, code, fallback, "lead refused for good");
        }
        Settled::Erased => {
            tracing::info!(%dealer, %lead, %delivery, %route, "the person was erased; nothing is sent");
        }
        _ => {
            tracing::warn!(%dealer, %lead, %delivery, %route, attempt, code, "another worker has the delivery by now");
        }
    }
}

/// The digits with which an answer begins, such as `550` or `451 4.7.1`.
fn code(outcome: &Outcome) -> Option<&str> {
    let (Outcome::Sent { detail }
    | Outcome::Temporary { detail, .. }
    | Outcome::Unreachable { detail, .. }
    | Outcome::Permanent { detail }) = outcome
    else {
        return None;
    };
    let is_code = |it: char| it.is_ascii_digit() || it == '.' || it == ' ';
    let end = detail.find(|it| !is_code(it)).unwrap_or(detail.len());
    let code = detail[..end].trim();
    (!code.is_empty()).then_some(code)
}

fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}
