//! Rounds over leads in a store, with the clock in the test's hand.

use std::collections::HashMap;

use aap::lead::DealerContact;
use dealers::Standing;
use jiff::SignedDuration;
use leads::{
    Caller, HashKey, LeadId, NewDelivery, NewLead, Origin, Purpose, VehicleMatch,
    outbox::{self, Bounce, Ending, Lease, Leased, Outcome, Search},
};
use serde_json::json;
use store::{Clock, Conn};

use super::*;

fn store() -> Store {
    let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
    let lists = [
        store::lease::MIGRATIONS,
        leads::MIGRATIONS,
        crate::MIGRATIONS,
    ];
    Store::temporary(&lists, clock).unwrap()
}

fn north() -> DealerId {
    "north".parse().unwrap()
}

fn dealer(daily_test: bool) -> Arc<Dealer> {
    let dealer = json!({
        "name": "North Cars",
        "leads": { "daily_test": daily_test },
        "rooftops": { "North": { "crm": "crm@north.example", "fallback": "desk@north.example" } },
    });
    Arc::new(serde_json::from_value(dealer).unwrap())
}

fn rounds(store: &Store, daily_test: bool) -> Rounds {
    let dealers = vec![(north(), dealer(daily_test))];
    Rounds::new(store.clone(), Vault::open(), dealers)
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
    let rounds = rounds(&store, false);
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

/// The made-up leads that are due, taken as a worker takes them.
async fn due(store: &Store) -> Vec<Leased> {
    let search = Search {
        now: store.clock().now(),
        dealers: Arc::new([north()].into()),
        most: 100,
        per_route: 100,
        busy: HashMap::new(),
        after: None,
    };
    let terms = Lease {
        holder: "worker".into(),
        now: search.now,
        length: SignedDuration::from_mins(1),
    };
    let take = move |conn: &mut dyn Conn| {
        let (found, _) = outbox::candidates(conn, &search)?;
        outbox::lease(conn, &terms, &found)
    };
    let leased = store.write(take).await.unwrap();
    assert!(leased.iter().all(|it| it.purpose == Purpose::Test));
    leased
}

async fn settle(store: &Store, leased: Leased, outcome: Outcome) {
    let ending = Ending {
        now: store.clock().now(),
        jitter: 0.5,
        fallback_id: store.clock().new_id().into(),
    };
    let settle =
        move |conn: &mut dyn Conn| outbox::settle(conn, &dealer(true), &leased, &outcome, &ending);
    store.write(settle).await.unwrap();
}

async fn deliver(store: &Store) -> Vec<String> {
    let mut places = Vec::new();
    for leased in due(store).await {
        places.push(leased.route.to_string());
        let detail = "250 taken".to_owned();
        settle(store, leased, Outcome::Sent { detail }).await;
    }
    places.sort();
    places
}

#[tokio::test]
async fn each_destination_gets_one_made_up_lead_a_day_from_one_of_the_processes() {
    let store = store();
    let both = [rounds(&store, true), rounds(&store, true)];
    let mut made = Vec::new();
    for _ in 0..72 {
        for rounds in &both {
            rounds.round().await.unwrap();
        }
        made.extend(deliver(&store).await);
        store.clock().advance(SignedDuration::from_hours(1));
    }
    // One when it begins, and one in each of three days.
    let to = |place: &str| made.iter().filter(|it| *it == place).count();
    assert_eq!((to("North/crm"), to("North/fallback")), (4, 4), "{made:?}");
    assert_eq!(alarms(&store).await, []);
    let off = rounds(&store, false);
    store.clock().advance(SignedDuration::from_hours(48));
    off.round().await.unwrap();
    assert_eq!(deliver(&store).await, [""; 0]);
    assert_eq!(alarms(&store).await, [], "none is expected");
}

#[tokio::test]
async fn a_test_that_does_not_arrive_is_an_alarm_until_one_does() {
    let store = store();
    let rounds = rounds(&store, true);
    let look = async |hours| {
        store.clock().advance(SignedDuration::from_hours(hours));
        rounds.round().await.unwrap();
        alarms(&store).await
    };
    assert_eq!(look(0).await, []);
    assert_eq!(look(26).await, []);
    let open = look(1).await;
    let about: Vec<&str> = open.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(
        about,
        [
            "test lead missing: North/crm (north)",
            "test lead missing: North/fallback (north)"
        ]
    );
    assert!(
        open[0]
            .1
            .starts_with("no test lead has arrived for 26 hours"),
        "{open:?}"
    );
    deliver(&store).await;
    assert_eq!(look(1).await, []);
}

#[tokio::test]
async fn a_test_that_is_refused_or_comes_back_is_an_alarm_at_once() {
    let store = store();
    let rounds = rounds(&store, true);
    rounds.round().await.unwrap();
    let mut due = due(&store).await.into_iter();
    let (crm, fallback) = (due.next().unwrap(), due.next().unwrap());
    let came_back = crm.delivery_id.clone();
    let detail = "250 taken".to_owned();
    settle(&store, crm, Outcome::Sent { detail }).await;
    let detail = "550 no such mailbox".to_owned();
    settle(&store, fallback, Outcome::Permanent { detail }).await;
    rounds.round().await.unwrap();
    let open = alarms(&store).await;
    assert_eq!(open.len(), 1, "{open:?}");
    assert!(open[0].0.contains("North/fallback") && open[0].1.contains("550 no such mailbox"));
    let bounce = Bounce {
        detail: "552 mailbox full".to_owned(),
        fallback_id: store.clock().new_id().into(),
        now: store.clock().now(),
    };
    let bounced = store
        .write(move |conn| outbox::bounce(conn, &north(), &dealer(true), &came_back, &bounce))
        .await;
    assert_eq!(bounced.unwrap(), None, "a made-up lead has no fallback");
    rounds.round().await.unwrap();
    let open = alarms(&store).await;
    assert_eq!(open.len(), 2, "{open:?}");
    assert!(
        open[0].1.contains("came back (552 mailbox full)"),
        "{open:?}"
    );
}
