//! The worker over a store in a temporary folder, with the clock in the test's hand and a real mail
//! server at the other end.

mod alarming;
mod failing;
mod sharing;

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use aap::lead::DealerContact;
use dealers::{Dealer, DealerId, Standing};
use jiff::SignedDuration;
use leads::{
    Caller, DeliveryState, HashKey, LeadId, NewDelivery, NewLead, Origin, Purpose, Vault,
    VehicleMatch,
    outbox::{self, Delivery, DeliveryFilter},
};
use serde_json::json;
use store::{Clock, Store};
use testkit::mail::{Mail, MailSink};

use super::*;
use crate::mail::{MailServer, MailTls};

/// A dealer whose leads go to `crm`, and to a manager where that refuses them.
struct House {
    store: Store,
    dealer: Arc<Dealer>,
}

fn id() -> DealerId {
    "group".parse().unwrap()
}

impl House {
    fn open() -> Self {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let lists = [leads::MIGRATIONS, crate::MIGRATIONS];
        Self::over(Store::temporary(&lists, clock).unwrap())
    }

    fn over(store: Store) -> Self {
        let dealer = json!({
            "name": "Group Motors",
            "rooftops": {
                "North": {
                    "timezone": "America/Chicago",
                    "crm": "leads@crm.example",
                    "fallback": "manager@group.example",
                },
            },
        });
        let dealer = serde_json::from_value(dealer).unwrap();
        Self {
            store,
            dealer: Arc::new(dealer),
        }
    }

    /// A worker that sends by this server, and looks at the outbox all the time.
    fn worker_by(&self, server: MailServer) -> Deliveries {
        let settings = Settings {
            look_every: Duration::from_millis(5),
            ..Settings::default()
        };
        self.worker_with(server, settings)
    }

    fn worker_with(&self, server: MailServer, settings: Settings) -> Deliveries {
        let mail = MailSettings::new(server, "leads@group.example");
        let egress = egress::Egress::new(egress::Options::default()).unwrap();
        let dealers = [(&id(), &*self.dealer)];
        let couriers = Couriers::new(dealers, mail, Path::new("."), &egress).unwrap();
        let dealers = [(id(), Arc::clone(&self.dealer))];
        Deliveries::new(
            self.store.clone(),
            Vault::open(),
            dealers,
            couriers,
            settings,
        )
    }

    fn worker(&self, sink: &MailSink) -> Deliveries {
        self.worker_by(server(sink.address().port()))
    }

    /// Takes a lead of a made-up person, told apart by a number.
    async fn take(&self, number: usize) -> LeadId {
        let clock = self.store.clock();
        let lead_id: LeadId = clock.new_id().into();
        let request = json!({
            "type": "lead.submit.request",
            "customer": {
                "first_name": "Ada",
                "last_name": "Fixture",
                "email": format!("buyer-{number}@example.com"),
            },
            "consent": {
                "granted_at": "2026-05-01T10:00:00Z",
                "allowed_channels": ["email"],
                "consent_text": "Group Motors may write to me.",
                "scope": ["lead_submission"],
            },
            "source_agent": { "name": "example-agent" },
        });
        let lead = NewLead {
            dealer: id(),
            lead_id: lead_id.clone(),
            appointment_id: clock.new_id().into(),
            deliveries: vec![NewDelivery {
                delivery_id: clock.new_id().into(),
                destination: "crm".to_owned(),
                purpose: Purpose::Lead,
            }],
            standing: Standing::Open,
            now: clock.now(),
            payload: request.to_string(),
            request: serde_json::from_value(request).unwrap(),
            caller: Caller::new("example-agent"),
            idempotency: None,
            vehicle: VehicleMatch::None,
            rooftop: Some("North".to_owned()),
            contact: DealerContact::default(),
            hash_key: HashKey::new([0; 32]),
            calendar: None,
            origin: Origin::Agent,
            rejected: None,
        };
        let lead = lead.prepare().unwrap();
        self.store
            .write(move |conn| leads::accept(conn, &Vault::open(), &lead))
            .await
            .unwrap();
        lead_id
    }

    fn wait(&self, seconds: i64) {
        self.store
            .clock()
            .advance(SignedDuration::from_secs(seconds));
    }

    async fn deliveries(&self) -> Vec<Delivery> {
        let filter = DeliveryFilter {
            limit: 100_000,
            ..DeliveryFilter::default()
        };
        let mut found = self
            .store
            .read(move |conn| outbox::list(conn, &id(), &filter))
            .await
            .unwrap();
        found.reverse();
        found
    }

    /// How many deliveries are in each state, by destination.
    async fn states(&self) -> BTreeMap<(String, &'static str), usize> {
        let mut states = BTreeMap::new();
        for it in self.deliveries().await {
            *states
                .entry((it.destination, it.state.as_str()))
                .or_default() += 1;
        }
        states
    }

    /// Waits until so many deliveries to a destination are in a state.
    async fn until(&self, destination: &str, state: DeliveryState, count: usize) {
        let wanted = (destination.to_owned(), state.as_str());
        let mut states = BTreeMap::new();
        for _ in 0..6000 {
            states = self.states().await;
            if states.get(&wanted) == Some(&count) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{count} deliveries to {wanted:?} never came about: {states:?}");
    }

    async fn attempts(&self) -> i64 {
        self.deliveries().await.iter().map(|it| it.attempts).sum()
    }
}

/// The mail server on this port of this machine.
fn server(port: u16) -> MailServer {
    MailServer::new("127.0.0.1", port, MailTls::None)
}

/// Runs the worker beside a test until the test is through.
async fn beside<T>(worker: &Deliveries, test: impl Future<Output = T>) -> T {
    tokio::select! {
        () = Box::pin(worker.run()) => unreachable!("it runs until it is dropped"),
        done = test => done,
    }
}

/// The header of a mail that names it.
fn message_id(mail: &Mail) -> String {
    let line = mail.text.lines().find(|it| it.starts_with("Message-ID:"));
    line.expect("a mail has a name").to_owned()
}

#[tokio::test]
async fn a_lead_is_mailed_and_its_delivery_is_sent() {
    let house = House::open();
    let sink = MailSink::start();
    let lead_id = house.take(1).await;
    let worker = house.worker(&sink);
    beside(&worker, house.until("crm", DeliveryState::Sent, 1)).await;
    let mails = sink.wait_for(1);
    assert_eq!(mails[0].to, ["leads@crm.example"]);
    assert!(mails[0].text.contains("buyer-1@example.com"));
    assert!(
        mails[0]
            .text
            .contains(&format!("X-Forecourt-Lead: {lead_id}"))
    );
    let delivery = &house.deliveries().await[0];
    assert_eq!(delivery.detail.as_deref(), Some("250 kept"));
    assert_eq!(
        message_id(&mails[0]),
        format!("Message-ID: <{}@group.example>", delivery.delivery_id)
    );
}

#[tokio::test]
async fn a_worker_that_is_woken_need_not_wait_for_its_next_look() {
    let house = House::open();
    let sink = MailSink::start();
    let wake = Wake::default();
    let settings = Settings {
        look_every: Duration::from_secs(3600),
        ..Settings::default()
    };
    let worker = house.worker_with(server(sink.address().port()), settings);
    let worker = worker.woken_by(wake.clone());
    beside(&worker, async {
        for number in 1..=3 {
            house.take(number).await;
            wake.wake();
            house.until("crm", DeliveryState::Sent, number).await;
        }
    })
    .await;
}

#[tokio::test]
async fn leads_that_waited_for_a_destination_get_it() {
    let house = House::open();
    let sink = MailSink::start();
    house.take(1).await;
    let cleared = house.store.write(|conn| {
        conn.execute("UPDATE delivery SET destination = ''", &[])?;
        Ok::<_, store::Error>(())
    });
    cleared.await.unwrap();
    let worker = house.worker(&sink);
    beside(&worker, house.until("crm", DeliveryState::Sent, 1)).await;
    assert_eq!(sink.mails().len(), 1);
}
