//! What the worker does with the outbox: takes what is due, sends it, and writes down what came of it.

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
use store::{Claim, Store};
use tokio::time::{sleep, timeout};

use super::{
    Settings, alarms,
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

/// What every sending shares.
#[derive(Debug)]
pub(super) struct Desk {
    store: Store,
    vault: Vault,
    dealers: BTreeMap<DealerId, Arc<Dealer>>,
    ids: Arc<BTreeSet<DealerId>>,
    couriers: Couriers,
    pub(super) settings: Settings,
    /// Names this worker in the database.
    holder: Arc<str>,
    under_way: Mutex<HashMap<DeliveryId, Route>>,
}

/// What is remembered from one look at the outbox to the next.
#[derive(Debug, Default)]
pub(super) struct Round {
    after: Option<Route>,
    failing: bool,
}

impl Desk {
    pub(super) fn new(
        store: Store,
        vault: Vault,
        dealers: impl IntoIterator<Item = (DealerId, Arc<Dealer>)>,
        couriers: Couriers,
        settings: Settings,
    ) -> Self {
        let dealers: BTreeMap<_, _> = dealers.into_iter().collect();
        Self {
            holder: store.clock().new_id().to_string().into(),
            store,
            vault,
            ids: Arc::new(dealers.keys().cloned().collect()),
            dealers,
            couriers,
            settings,
            under_way: Mutex::default(),
        }
    }

    /// The time.
    pub(super) fn now(&self) -> Timestamp {
        self.store.clock().now()
    }

    /// The terms on which this worker takes deliveries.
    pub(super) fn terms(&self, now: Timestamp) -> Lease {
        Lease {
            holder: Arc::clone(&self.holder),
            now,
            length: signed(self.settings.lease),
        }
    }

    /// Takes deliveries that are due, at most so many.
    pub(super) async fn take(&self, room: usize, round: &mut Round) -> Vec<Leased> {
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
            .write_claiming(self.taking(), move |conn| {
                outbox::lease(conn, &terms, &found)
            })
            .await
    }

    /// What this worker takes and gives back goes in the order in which it was asked for: what was taken
    /// for somebody who stopped waiting is there to be given back.
    fn taking(&self) -> Claim {
        Claim::part("deliveries", &self.holder)
    }

    /// A delivery is under way from here on, until the answer is dropped.
    pub(super) fn note(self: &Arc<Self>, leased: &Leased) -> UnderWay {
        let (delivery_id, route) = (leased.delivery_id.clone(), leased.route.clone());
        self.under_way().insert(delivery_id.clone(), route);
        UnderWay {
            desk: Arc::clone(self),
            delivery_id,
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

    /// Sends a delivery and writes down what came of it.
    pub(super) async fn deliver(&self, leased: &Leased) {
        let attempt = AssertUnwindSafe(Box::pin(self.attempt(leased)))
            .catch_unwind()
            .await;
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
    pub(super) async fn attempt(&self, leased: &Leased) -> Option<Outcome> {
        let dealer = self.dealers.get(leased.dealer())?;
        let route = &leased.route;
        let courier = self
            .couriers
            .get(&route.dealer, &route.rooftop, &route.destination);
        let Some(courier) = courier else {
            return Some(Outcome::NoDestination);
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
            .write_claiming(Claim::ROWS, move |conn| outbox::renew(conn, &one, until))
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
    pub(super) async fn settle(&self, leased: &Leased, outcome: &Outcome) {
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
                .write_claiming(leads::claim(leased.dealer()), move |conn| {
                    outbox::settle(conn, &dealer, &one, &what, &ending)
                })
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
    pub(super) async fn give_back(&self) {
        let holder = Arc::clone(&self.holder);
        let sending: HashSet<DeliveryId> = self.under_way().keys().cloned().collect();
        let given = self
            .store
            .write_claiming(self.taking(), move |conn| {
                outbox::give_back(conn, &holder, &sending)
            })
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
    pub(super) async fn keep_watch(&self) {
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
                let claim = leads::claim(&id);
                let (id, dealer) = (id.clone(), Arc::clone(dealer));
                let clock = self.store.clock().clone();
                let expand = move |conn: &mut dyn store::Conn| {
                    let (new_id, now) = (|| clock.new_id().into(), clock.now());
                    outbox::expand(conn, &id, &dealer, EXPAND_AT_ONCE, &new_id, now)
                };
                let expanded = self.store.write_claiming(claim, expand).await?;
                if expanded < u64::from(EXPAND_AT_ONCE) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Frees a delivery's place when its sending ends, however it does.
pub(super) struct UnderWay {
    desk: Arc<Desk>,
    delivery_id: DeliveryId,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.desk.under_way().remove(&self.delivery_id);
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
