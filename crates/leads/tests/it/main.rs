//! Leads as the dealer agent takes them, over a store in a temporary folder.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod adf;
mod appointments;
mod booking;
mod changes;
mod duplicates;
mod encryption;
mod erasing;
mod idempotency;
mod import;
mod outbox;
mod privacy;
mod queries;
mod revoking;
mod schema;
mod trust;
mod vehicles;

use aap::{
    lead::{AppointmentRequest, DealerContact},
    vehicle::Vehicle,
};
use dealers::{DealerId, Rooftop, Standing};
use jiff::SignedDuration;
use leads::{
    Accepted, Calendar, Caller, Error, HashKey, Idempotency, Lead, LeadId, LeadSummary,
    NewDelivery, NewLead, Origin, Purpose, Submission, Vault, VehicleMatch,
};
use serde_json::{Value, json};
use store::{Clock, Store};

/// A dealer that takes leads.
struct Desk {
    store: Store,
    vault: Vault,
    dealer: DealerId,
    /// Where the leads go; empty for a rooftop without a destination.
    destination: String,
    /// The rooftop of every lead; it takes no appointments by itself unless it says when.
    rooftop: Rooftop,
    standing: Standing,
}

/// A request on its way to the desk.
#[derive(Clone)]
struct Request {
    payload: Value,
    /// The payload as it is written; the value's own text unless set.
    text: Option<String>,
    caller: Caller,
    vehicle: VehicleMatch,
    rejected: Option<String>,
}

impl Desk {
    fn open() -> Self {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().expect("a time"));
        let store = Store::temporary(&[leads::MIGRATIONS], clock).expect("opens");
        Self::over(store)
    }

    fn over(store: Store) -> Self {
        Self {
            store,
            vault: Vault::open(),
            dealer: "demo-motors".parse().expect("an identifier"),
            destination: "crm".to_owned(),
            rooftop: Rooftop::default(),
            standing: Standing::Open,
        }
    }

    fn calendar(&self, wish: Option<&AppointmentRequest>) -> Option<Calendar> {
        Calendar::of(&self.rooftop, wish?.appointment_type)
    }

    fn wait(&self, time: SignedDuration) {
        self.store.clock().advance(time);
    }

    async fn submit(&self, request: Request) -> Result<Accepted, Error> {
        let (vault, submission) = (self.vault.clone(), self.prepare(request)?);
        self.store
            .write(move |conn| leads::accept(conn, &vault, &submission))
            .await
    }

    async fn take(&self, request: Request) -> Accepted {
        self.submit(request).await.expect("is taken")
    }

    fn prepare(&self, request: Request) -> Result<Submission, Error> {
        let clock = self.store.clock();
        let text = request.written();
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let parsed: aap::lead::LeadSubmitRequest =
            serde_json::from_value(value).expect("a valid payload");
        let calendar = self.calendar(parsed.appointment.as_ref());
        NewLead {
            dealer: self.dealer.clone(),
            lead_id: clock.new_id().into(),
            appointment_id: clock.new_id().into(),
            deliveries: vec![NewDelivery {
                delivery_id: clock.new_id().into(),
                destination: self.destination.clone(),
                purpose: Purpose::Lead,
            }],
            standing: self.standing,
            origin: Origin::Agent,
            rejected: request.rejected.clone(),
            now: clock.now(),
            idempotency: request.idempotency()?,
            request: parsed,
            payload: text,
            caller: request.caller,
            vehicle: request.vehicle,
            rooftop: Some("North".to_owned()),
            calendar,
            contact: DealerContact {
                name: Some("Demo Motors".to_owned()),
                phone: Some("+14155550100".to_owned()),
            },
            hash_key: hash_key(),
        }
        .prepare()
    }

    async fn list(&self) -> Vec<LeadSummary> {
        let (vault, dealer) = (self.vault.clone(), self.dealer.clone());
        let filter = leads::Filter {
            since: None,
            tests: false,
            limit: 1000,
        };
        self.store
            .read(move |conn| leads::list(conn, &vault, &dealer, filter))
            .await
            .expect("lists")
    }

    async fn show(&self, lead_id: &str) -> Lead {
        let (vault, dealer) = (self.vault.clone(), self.dealer.clone());
        let lead_id: LeadId = lead_id.parse().expect("a lead's name");
        self.store
            .read(move |conn| leads::show(conn, &vault, &dealer, &lead_id))
            .await
            .expect("reads")
            .expect("is there")
    }
}

impl Request {
    /// A lead without a car, from an anonymous agent.
    fn new() -> Self {
        let payload = json!({
            "type": "lead.submit.request",
            "customer": {
                "first_name": "Ada",
                "last_name": "Fixture",
                "email": "ada.fixture@example.com",
                "phone": "+14155550123"
            },
            "consent": {
                "granted_at": "2026-05-01T11:59:00Z",
                "allowed_channels": ["email", "phone"],
                "consent_text": "Demo Motors may contact me about this inquiry.",
                "scope": ["lead_submission"]
            },
            "source_agent": { "name": "example-agent" }
        });
        Self {
            payload,
            text: None,
            caller: Caller::new("example-agent"),
            vehicle: VehicleMatch::None,
            rejected: None,
        }
    }

    /// Sets a member of the payload, named by its JSON Pointer.
    fn with(mut self, pointer: &str, value: Value) -> Self {
        let (parent, member) = pointer.rsplit_once('/').expect("a pointer");
        let parent = self.payload.pointer_mut(parent).expect("is there");
        parent[member] = value;
        self
    }

    fn key(self, key: &str) -> Self {
        self.with("/idempotency_key", json!(key))
    }

    fn credential(mut self, credential: &str) -> Self {
        self.caller.credential = Some(credential.to_owned());
        self
    }

    fn context(mut self, context: &str) -> Self {
        self.caller.context_id = Some(context.to_owned());
        self
    }

    /// About the dealer's own car.
    fn car(self) -> Self {
        let mut request = self.with(
            "/vehicle_of_interest",
            json!({ "vin": "1HGCM82633A004352" }),
        );
        request.vehicle = VehicleMatch::Known(Box::new(Vehicle {
            vin: Some("1HGCM82633A004352".to_owned()),
            stock: Some("N-1001".to_owned()),
            rooftop: Some("North".to_owned()),
            year: Some(2003),
            make: Some("Honda".to_owned()),
            model: Some("Accord".to_owned()),
            trim: Some("EX".to_owned()),
            ..Vehicle::default()
        }));
        request
    }

    fn found(mut self, vehicle: VehicleMatch) -> Self {
        self.vehicle = vehicle;
        self
    }

    fn appointment(self, kind: &str, at: Option<&str>) -> Self {
        let mut wish = json!({ "appointment_type": kind });
        if let Some(at) = at {
            wish["appointment_at"] = json!(at);
        }
        self.with("/appointment", wish)
    }

    fn written(&self) -> String {
        self.text
            .clone()
            .unwrap_or_else(|| self.payload.to_string())
    }

    fn idempotency(&self) -> Result<Option<Idempotency>, Error> {
        let text = self.written();
        let parsed: Value = serde_json::from_str(&text).expect("JSON");
        parsed["idempotency_key"]
            .as_str()
            .map(|key| Idempotency::new(&hash_key(), &self.caller, key, &text))
            .transpose()
    }
}

fn hash_key() -> HashKey {
    HashKey::new([42; 32])
}
