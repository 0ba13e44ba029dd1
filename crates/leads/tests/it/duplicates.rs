//! Equivalent leads: kept, marked, and told only to their sender.

use aap::lead::LeadStatus;
use jiff::SignedDuration;
use leads::VehicleMatch;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{Desk, Request};

/// Sends both and says whether the second one is marked as a repeat of the first.
async fn repeats(first: Request, second: Request) -> bool {
    let desk = Desk::open();
    let first = desk.take(first).await.result.lead_id;
    desk.wait(SignedDuration::from_mins(1));
    let second = desk.take(second).await.result.lead_id;
    let listed = desk.list().await;
    assert_eq!(listed.len(), 2, "both are kept");
    assert_eq!(second, listed[0].lead_id.as_str());
    assert_eq!(listed[1].repeat_of, None);
    let repeat_of = listed[0].repeat_of.as_ref();
    assert!(repeat_of.is_none_or(|lead_id| lead_id.as_str() == first));
    repeat_of.is_some()
}

#[tokio::test]
async fn the_same_person_is_known_by_mail_or_telephone() {
    let without_phone = |email: &str| {
        let customer = json!({ "first_name": "A", "last_name": "B", "email": email });
        Request::new().with("/customer", customer)
    };
    let without_email = |phone: &str| {
        let customer = json!({ "first_name": "A", "last_name": "B", "phone": phone });
        Request::new().with("/customer", customer)
    };
    assert!(repeats(Request::new(), without_phone(" Ada.FIXTURE@example.com ")).await);
    assert!(repeats(Request::new(), without_email("+14155550123")).await);
    assert!(repeats(without_email("+14155550123"), Request::new()).await);
    assert!(!repeats(Request::new(), without_phone("bob.fixture@example.com")).await);
    assert!(
        !repeats(
            without_phone("ada.fixture@example.com"),
            without_email("+14155550123")
        )
        .await
    );
}

#[tokio::test]
async fn another_car_is_another_lead() {
    let other_car = || {
        Request::new()
            .with(
                "/vehicle_of_interest",
                json!({ "vin": "1FTFW1ET5DFC10312" }),
            )
            .found(VehicleMatch::Unknown)
    };
    let by_stock = || {
        Request::new()
            .car()
            .with("/vehicle_of_interest", json!({ "stock": "n-1001" }))
    };
    assert!(repeats(Request::new().car(), Request::new().car()).await);
    assert!(repeats(Request::new().car(), by_stock()).await);
    assert!(!repeats(Request::new().car(), other_car()).await);
    assert!(!repeats(Request::new().car(), Request::new()).await);
    assert!(!repeats(Request::new(), Request::new().car()).await);
}

#[tokio::test]
async fn cars_that_are_only_described_are_told_apart() {
    let about = |model: &str| {
        Request::new().with(
            "/vehicle_of_interest",
            json!({ "make": "Honda", "model": model }),
        )
    };
    assert!(repeats(about("Accord"), about("accord")).await);
    assert!(!repeats(about("Accord"), about("Civic")).await);
}

#[tokio::test]
async fn another_wished_time_is_another_lead() {
    let at = |time| Request::new().car().appointment("test_drive", Some(time));
    assert!(repeats(at("2026-05-03T18:00:00Z"), at("2026-05-03T11:00:00-07:00")).await);
    assert!(!repeats(at("2026-05-03T18:00:00Z"), at("2026-05-03T18:30:00Z")).await);
    assert!(!repeats(at("2026-05-03T18:00:00Z"), Request::new().car()).await);
}

#[tokio::test]
async fn after_24_hours_it_is_a_new_lead() {
    let desk = Desk::open();
    let first = desk.take(Request::new()).await.result.lead_id;
    desk.wait(SignedDuration::from_hours(24));
    desk.take(Request::new()).await;
    let listed = desk.list().await;
    assert_eq!(listed[0].repeat_of.as_ref().unwrap().as_str(), first);

    let desk = Desk::open();
    desk.take(Request::new()).await;
    desk.wait(SignedDuration::from_hours(24) + SignedDuration::from_millis(1));
    desk.take(Request::new()).await;
    assert_eq!(desk.list().await[0].repeat_of, None);
}

#[tokio::test]
async fn a_repeat_of_a_repeat_names_the_first() {
    let desk = Desk::open();
    let first = desk.take(Request::new().credential("key-1")).await;
    for _ in 0..2 {
        desk.wait(SignedDuration::from_hours(20));
        let again = desk.take(Request::new().credential("key-1")).await;
        assert_eq!(again.result.lead_id, first.result.lead_id);
    }
    let listed = desk.list().await;
    for repeat in &listed[..2] {
        let repeat_of = repeat.repeat_of.as_ref().unwrap();
        assert_eq!(repeat_of.as_str(), first.result.lead_id);
    }
}

#[tokio::test]
async fn a_repeat_is_delivered_once_more_and_marked() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    desk.take(Request::new()).await;
    let dealer = desk.dealer.clone();
    let deliveries = desk
        .store
        .read(move |conn| {
            conn.all(
                "SELECT state, is_repeat, attempts, due_at FROM delivery WHERE dealer = $1
                 ORDER BY delivery_id",
                &[(&dealer).into()],
                |row| {
                    Ok((
                        row.text(0)?.to_owned(),
                        row.int(1)?,
                        row.int(2)?,
                        row.time(3)?,
                    ))
                },
            )
        })
        .await
        .unwrap_or_else(|error: store::Error| panic!("{error}"));
    let now = desk.store.clock().now();
    assert_eq!(
        deliveries,
        [("due".to_owned(), 0, 0, now), ("due".to_owned(), 1, 0, now)]
    );
}

#[tokio::test]
async fn the_sender_hears_duplicate_with_the_first_lead() {
    type Sender = fn() -> Request;
    let senders: [Sender; 2] = [
        || Request::new().car().credential("key-1"),
        || Request::new().car().context("context-1"),
    ];
    for sender in senders {
        let desk = Desk::open();
        let first = desk.take(sender()).await;
        assert_eq!(first.result.status, LeadStatus::Received);
        let again = desk.take(sender()).await;
        assert_eq!(again.result.status, LeadStatus::Duplicate);
        assert_eq!(again.result.lead_id, first.result.lead_id);
        assert!(!again.replayed);
        assert!(again.message.starts_with("We already have your inquiry"));
        assert_eq!(desk.list().await.len(), 2, "the repeat is kept");
    }
}

/// Everything in an answer that could differ, but for its own identifiers.
async fn answer(desk: &Desk, request: Request) -> (Value, String) {
    let answer = desk.take(request).await;
    let mut result = serde_json::to_value(&answer.result).expect("JSON");
    let own = answer.result.lead_id;
    assert!(
        desk.list().await[0].lead_id.as_str() == own,
        "the answer names its own lead"
    );
    result["lead_id"] = json!("its own");
    if let Some(appointment) = result.get_mut("appointment") {
        appointment["appointment_id"] = json!("its own");
    }
    (result, answer.message)
}

#[tokio::test]
async fn nobody_else_can_tell_that_somebody_enquired_before() {
    let wish = |request: Request| {
        request
            .car()
            .appointment("test_drive", Some("2026-05-03T18:00:00Z"))
    };
    let probes = [
        wish(Request::new()),
        wish(Request::new().context("context-2")),
        wish(Request::new().credential("key-2")),
        wish(Request::new().credential("key-2").context("context-1")),
    ];
    for probe in probes {
        for first in [
            Request::new(),
            Request::new().credential("key-1"),
            Request::new().context("context-1"),
        ] {
            let quiet = Desk::open();
            let unknown = answer(&quiet, probe.clone()).await;
            let desk = Desk::open();
            desk.take(wish(first)).await;
            desk.wait(SignedDuration::from_mins(1));
            assert_eq!(answer(&desk, probe.clone()).await, unknown);
            assert!(desk.list().await[0].repeat_of.is_some(), "the dealer knows");
        }
    }
}

#[tokio::test]
async fn asking_twice_does_not_reveal_an_enquiry_of_another_caller() {
    let probe = || Request::new().car().credential("key-2");
    let desk = Desk::open();
    desk.take(Request::new().car().credential("key-1")).await;
    desk.wait(SignedDuration::from_mins(1));
    let own_first = desk.take(probe()).await;
    assert_eq!(own_first.result.status, LeadStatus::Received);
    desk.wait(SignedDuration::from_mins(1));
    let own_second = desk.take(probe()).await;
    assert_eq!(own_second.result.status, LeadStatus::Duplicate);
    assert_eq!(own_second.result.lead_id, own_first.result.lead_id);
}

/// Hands in 200 equal leads at once and returns what their senders were told.
async fn crowd(desk: &Desk, request: impl Fn() -> Request) -> Vec<leads::Accepted> {
    let mut sent = JoinSet::new();
    for _ in 0..200 {
        let (store, submission) = (
            desk.store.clone(),
            desk.prepare(request()).expect("a valid lead"),
        );
        let accept = move |conn: &mut dyn store::Conn| {
            leads::accept(conn, &leads::Vault::open(), &submission)
        };
        let claim = leads::claim(&"demo-motors".parse().expect("is an id"));
        sent.spawn(async move {
            let taken = store.write_claiming(claim, accept).await;
            taken.expect("is taken")
        });
    }
    sent.join_all().await
}

#[tokio::test]
async fn of_equal_leads_at_once_under_one_key_one_is_kept_over_a_restart_too() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let options = store::Options::sqlite(folder.path().join("leads.db"))
            .clock(store::Clock::manual(
                "2026-05-01T12:00:00Z".parse().unwrap(),
            ))
            .migrations(&[leads::MIGRATIONS]);
        Desk::over(store::Store::open(options).unwrap())
    };
    let request = || Request::new().car().credential("key-1").key("once");
    let desk = open();
    let answers = crowd(&desk, request).await;
    drop(desk);
    let desk = open();
    let again = crowd(&desk, request).await;
    let first = &answers[0].result.lead_id;
    let told = |it: &leads::Accepted| (it.result.lead_id.clone(), it.result.status);
    for answer in answers.iter().chain(&again) {
        assert_eq!(told(answer), (first.clone(), LeadStatus::Received));
    }
    let listed = desk.list().await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].deliveries.len(), 1);
}

#[tokio::test]
async fn of_equal_leads_at_once_without_a_key_each_is_kept_and_delivered_all_but_one_as_repeats() {
    let senders: [fn() -> Request; 2] = [
        || Request::new().car().credential("key-1"),
        || Request::new().car(),
    ];
    for (sender, is_recognised) in senders.into_iter().zip([true, false]) {
        let desk = Desk::open();
        let answers = crowd(&desk, sender).await;
        let listed = desk.list().await;
        assert_eq!(listed.len(), 200);
        let first: Vec<_> = listed.iter().filter(|it| it.repeat_of.is_none()).collect();
        assert_eq!(first.len(), 1);
        let first = &first[0].lead_id;
        for lead in &listed {
            assert!(lead.lead_id == *first || lead.repeat_of.as_ref() == Some(first));
            assert_eq!(lead.deliveries.len(), 1);
            assert_eq!(lead.deliveries[0].is_repeat, lead.repeat_of.is_some());
        }
        let told = |status| {
            answers
                .iter()
                .filter(|it| it.result.status == status)
                .count()
        };
        let duplicates = if is_recognised { 199 } else { 0 };
        assert_eq!(told(LeadStatus::Duplicate), duplicates);
        assert_eq!(told(LeadStatus::Received), 200 - duplicates);
        if is_recognised {
            let named = |it: &&leads::Accepted| it.result.lead_id == first.as_str();
            assert_eq!(answers.iter().filter(named).count(), 200);
        }
    }
}
