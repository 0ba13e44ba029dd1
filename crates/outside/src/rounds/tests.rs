//! Rounds over leads in a store, with the clock in the test's hand.

use aap::lead::DealerContact;
use dealers::Standing;
use leads::{Caller, HashKey, LeadId, NewDelivery, NewLead, Origin, Purpose, VehicleMatch};
use serde_json::json;
use store::Clock;

use super::*;

fn store() -> Store {
    let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
    let lists = [leads::MIGRATIONS, crate::MIGRATIONS];
    Store::temporary(&lists, clock).unwrap()
}

fn north() -> DealerId {
    "north".parse().unwrap()
}

fn rounds(store: &Store) -> Rounds {
    let dealer = json!({ "name": "North Cars", "rooftops": { "North": { "crm": "a@b.example" } } });
    let dealer: Dealer = serde_json::from_value(dealer).unwrap();
    Rounds::new(store.clone(), vec![(north(), Arc::new(dealer))])
}

async fn take_lead(store: &Store, standing: Standing) -> LeadId {
    let clock = store.clock();
    let lead_id: LeadId = clock.new_id().into();
    let request = json!({
        "type": "lead.submit.request",
        "customer": { "first_name": "Ada", "last_name": "Example", "email": format!("{lead_id}@example.com") },
        "consent": {
            "granted_at": "2026-05-01T10:00:00Z",
            "allowed_channels": ["email"],
            "consent_text": "North Cars may write to me.",
            "scope": ["lead_submission"],
        },
        "source_agent": { "name": "example-agent" },
    });
    let lead = NewLead {
        dealer: north(),
        lead_id: lead_id.clone(),
        appointment_id: clock.new_id().into(),
        deliveries: vec![NewDelivery {
            delivery_id: clock.new_id().into(),
            destination: "crm".to_owned(),
            purpose: Purpose::Lead,
        }],
        standing,
        origin: Origin::Agent,
        rejected: None,
        now: clock.now(),
        payload: request.to_string(),
        request: serde_json::from_value(request).unwrap(),
        caller: Caller::new("example-agent"),
        idempotency: None,
        vehicle: VehicleMatch::None,
        rooftop: Some("North".to_owned()),
        calendar: None,
        contact: DealerContact::default(),
        hash_key: HashKey::new([0; 32]),
    };
    let lead = lead.prepare().unwrap();
    store
        .write(move |conn| leads::accept(conn, &leads::Vault::open(), &lead))
        .await
        .unwrap();
    lead_id
}

async fn alarms(store: &Store) -> Vec<(String, String)> {
    let open = store.read(alarm::open).await.unwrap();
    open.into_iter()
        .map(|alarm| (alarm.cause.to_string(), alarm.message))
        .collect()
}

#[tokio::test]
async fn held_leads_are_an_alarm_until_a_person_lets_the_last_one_go() {
    let store = store();
    let rounds = rounds(&store);
    take_lead(&store, Standing::Open).await;
    rounds.round().await.unwrap();
    assert_eq!(alarms(&store).await, []);
    let held = [
        take_lead(&store, Standing::Held).await,
        take_lead(&store, Standing::Held).await,
    ];
    rounds.round().await.unwrap();
    let open = alarms(&store).await;
    assert_eq!(open[0].0, "leads held: leads (north)");
    assert!(
        open[0].1.starts_with("2 leads wait for a person"),
        "{open:?}"
    );
    for lead_id in held {
        let now = store.clock().now();
        let released = store
            .write(move |conn| leads::release(conn, &north(), &lead_id, now))
            .await
            .unwrap();
        assert!(released);
    }
    rounds.round().await.unwrap();
    assert_eq!(alarms(&store).await, []);
}
