//! The outbox: taking, settling, falling back, and what people do to it.

mod faults;
mod hand;
mod order;
mod views;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use dealers::{Dealer, Destination, Rooftop};
use jiff::SignedDuration;
use leads::{
    Arrival, DeliveryId, DeliveryState, LeadId, NewDelivery, Purpose,
    outbox::{
        self, Attempt, Candidate, Delivery, DeliveryFilter, Ending, Error, Lease, Leased, Outcome,
        RouteStatus, Search, Settled,
    },
};
use store::Conn;

use crate::{Desk, Request};

/// A dealer whose leads go to `crm`, and to a manager where that refuses them.
fn dealer() -> Dealer {
    let mut dealer: Dealer = serde_json::from_str(r#"{ "name": "Demo Motors" }"#).expect("one");
    let rooftop = Rooftop {
        crm: Some("leads@crm.example".to_owned()),
        fallback: Some("manager@demo-motors.example".to_owned()),
        ..Rooftop::default()
    };
    dealer.rooftops.insert("North".to_owned(), rooftop);
    dealer
}

/// A person, told apart by a number.
fn person(number: usize) -> Request {
    Request::new()
        .with(
            "/customer/email",
            format!("buyer-{number}@example.com").into(),
        )
        .with("/customer/phone", format!("+1415555{number:04}").into())
}

pub(crate) fn taken() -> Outcome {
    Outcome::Sent {
        detail: "250 kept".to_owned(),
    }
}

pub(crate) fn later() -> Outcome {
    Outcome::Temporary {
        detail: "451 try again later".to_owned(),
        retry_after: None,
    }
}

fn gone() -> Outcome {
    Outcome::Unreachable {
        detail: "connection refused".to_owned(),
        retry_after: None,
    }
}

fn refused() -> Outcome {
    Outcome::Permanent {
        detail: "550 no such mailbox".to_owned(),
    }
}

impl Desk {
    pub(crate) fn secs(&self, seconds: i64) {
        self.wait(SignedDuration::from_secs(seconds));
    }

    async fn change<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Conn) -> Result<T, Error> + Send + Sync + 'static,
    ) -> Result<T, Error> {
        self.store.write(work).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Conn) -> Result<T, Error> + Send + Sync + 'static,
    ) -> T {
        self.store.read(work).await.expect("reads")
    }

    fn search(&self, most: usize) -> Search {
        Search {
            now: self.store.clock().now(),
            dealers: Arc::new(BTreeSet::from([self.dealer.clone()])),
            most,
            per_route: most,
            busy: HashMap::new(),
            after: None,
        }
    }

    async fn find(&self, search: Search) -> Vec<Candidate> {
        self.ask(move |conn| outbox::candidates(conn, &search))
            .await
            .0
    }

    /// Takes what was found, as a worker of its own.
    async fn take_found(&self, found: Vec<Candidate>) -> Vec<Leased> {
        let terms = Lease {
            holder: self.store.clock().new_id().to_string().into(),
            now: self.store.clock().now(),
            length: SignedDuration::from_secs(60),
        };
        self.change(move |conn| outbox::lease(conn, &terms, &found))
            .await
            .expect("takes")
    }

    async fn lease(&self, most: usize) -> Vec<Leased> {
        let found = self.find(self.search(most)).await;
        self.take_found(found).await
    }

    /// The one delivery that is due.
    pub(crate) async fn lease_one(&self) -> Leased {
        let mut leased = self.lease(10).await;
        assert_eq!(leased.len(), 1, "{leased:?}");
        leased.remove(0)
    }

    pub(crate) async fn settle(&self, leased: &Leased, outcome: Outcome) -> Settled {
        let (dealer, leased) = (dealer(), leased.clone());
        let ending = Ending {
            now: self.store.clock().now(),
            jitter: 0.0,
            fallback_id: self.store.clock().new_id().into(),
        };
        self.change(move |conn| outbox::settle(conn, &dealer, &leased, &outcome, &ending))
            .await
            .expect("settles")
    }

    pub(crate) async fn deliveries(&self) -> Vec<Delivery> {
        let dealer = self.dealer.clone();
        let filter = DeliveryFilter {
            limit: 100_000,
            ..DeliveryFilter::default()
        };
        let mut found = self
            .ask(move |conn| outbox::list(conn, &dealer, &filter))
            .await;
        found.reverse();
        found
    }

    async fn states(&self) -> Vec<(String, DeliveryState)> {
        let deliveries = self.deliveries().await;
        let state = |it: Delivery| (it.destination, it.state);
        deliveries.into_iter().map(state).collect()
    }

    pub(crate) async fn attempts(&self, delivery_id: &DeliveryId) -> Vec<Attempt> {
        let (dealer, delivery_id) = (self.dealer.clone(), delivery_id.clone());
        self.ask(move |conn| outbox::show(conn, &dealer, &delivery_id))
            .await
            .expect("is there")
            .1
    }

    async fn route(&self) -> RouteStatus {
        let routes = self.ask(outbox::routes).await;
        let mut crm = routes
            .into_iter()
            .filter(|it| it.route.destination == "crm" && !it.route.is_copy);
        crm.next().expect("is known")
    }

    pub(crate) async fn take_id(&self, request: Request) -> LeadId {
        let answer = self.take(request).await;
        answer.result.lead_id.parse().expect("a lead's name")
    }
}

#[tokio::test]
async fn a_lead_is_taken_sent_and_finished() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let leased = desk.lease_one().await;
    assert_eq!((&leased.lead_id, leased.attempt), (&lead_id, 1));
    assert_eq!(leased.route.to_string(), "North/crm");
    let begun = desk.attempts(&leased.delivery_id).await;
    assert_eq!(
        (begun[0].outcome.as_str(), begun[0].ended_at),
        ("begun", None)
    );

    assert!(desk.lease(10).await.is_empty(), "it is under way");
    desk.secs(2);
    assert_eq!(desk.settle(&leased, taken()).await, Settled::Sent);
    let delivery = &desk.deliveries().await[0];
    assert_eq!(delivery.state, DeliveryState::Sent);
    assert_eq!(delivery.finished_at, Some(desk.store.clock().now()));
    assert_eq!(delivery.detail.as_deref(), Some("250 kept"));
    assert_eq!(Arrival::of(&desk.deliveries().await), Some(Arrival::Sent));
    desk.wait(SignedDuration::from_hours(48));
    assert!(desk.lease(10).await.is_empty(), "once is enough");
}

#[tokio::test]
async fn what_a_dead_worker_began_is_due_again_under_the_same_name() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    let dead = desk.lease_one().await;
    desk.secs(59);
    assert!(desk.lease(10).await.is_empty());
    desk.secs(1);
    let second = desk.lease_one().await;
    assert_eq!(
        (&second.delivery_id, second.attempt),
        (&dead.delivery_id, 2)
    );

    // The first was not dead but slow: what it says comes too late.
    assert_eq!(desk.settle(&dead, refused()).await, Settled::Lost);
    assert_eq!(
        desk.states().await,
        [("crm".to_owned(), DeliveryState::Due)]
    );
    assert_eq!(desk.settle(&second, taken()).await, Settled::Sent);
    let outcomes: Vec<String> = desk
        .attempts(&dead.delivery_id)
        .await
        .into_iter()
        .map(|it| it.outcome)
        .collect();
    assert_eq!(outcomes, ["permanent", "sent"], "both tell what they saw");
}

#[tokio::test]
async fn a_long_sending_keeps_its_lease_and_a_stopping_worker_gives_it_back() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    let leased = desk.lease_one().await;
    desk.secs(50);
    let until = desk.store.clock().now() + SignedDuration::from_secs(60);
    let one = leased.clone();
    let renewed = desk.change(move |conn| outbox::renew(conn, &one, until));
    assert!(renewed.await.unwrap());
    desk.secs(59);
    assert!(desk.lease(10).await.is_empty());

    let holder = leased.holder().to_owned();
    let sending = HashSet::from([leased.delivery_id.clone()]);
    for (sending, expected) in [(sending, 0), (HashSet::new(), 1)] {
        let holder = holder.clone();
        let given = desk.change(move |conn| outbox::give_back(conn, &holder, &sending));
        assert_eq!(given.await.unwrap(), expected);
    }
    let next = desk.lease_one().await;
    let renewed = desk.change(move |conn| outbox::renew(conn, &leased, until));
    assert!(!renewed.await.unwrap(), "another worker has it");
    assert_eq!(next.attempt, 2);
}

#[tokio::test]
async fn of_many_workers_one_gets_each_delivery() {
    let desk = Desk::open();
    for number in 0..20 {
        desk.take(person(number)).await;
    }
    // Both looked before either took.
    let found = desk.find(desk.search(20)).await;
    let (one, other) = (found.clone(), found);
    let (one, other) = tokio::join!(desk.take_found(one), desk.take_found(other));
    let mut ids: Vec<DeliveryId> = one
        .iter()
        .chain(&other)
        .map(|it| it.delivery_id.clone())
        .collect();
    assert_eq!(ids.len(), 20);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 20);
}
