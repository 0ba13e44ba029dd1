//! One key, one lead.

use aap::lead::LeadStatus;
use jiff::SignedDuration;
use leads::{Error, Idempotency};
use serde_json::json;
use store::{Clock, Options, Store};
use tokio::task::JoinSet;

use crate::{Desk, Request, hash_key};

#[tokio::test]
async fn a_repeated_request_gets_the_first_answer_again() {
    let desk = Desk::open();
    let request = Request::new()
        .car()
        .appointment("test_drive", None)
        .key("one");
    let first = desk.take(request.clone()).await;
    assert!(!first.replayed);
    desk.wait(SignedDuration::from_hours(30));
    let again = desk.take(request).await;
    assert!(again.replayed);
    assert_eq!((again.result, again.message), (first.result, first.message));
    assert_eq!(desk.list().await.len(), 1);
}

#[tokio::test]
async fn a_repeat_is_known_before_validation() {
    let desk = Desk::open();
    let request = Request::new().key("one");
    let replay = |request: &Request| {
        let idempotency = request.idempotency().unwrap().unwrap();
        let (dealer, now) = (desk.dealer.clone(), desk.store.clock().now());
        desk.store
            .read(move |conn| leads::replay(conn, &dealer, &idempotency, now))
    };
    assert_eq!(replay(&request).await.unwrap(), None);
    let first = desk.take(request.clone()).await;
    let again = replay(&request).await.unwrap().unwrap();
    assert!(again.replayed);
    assert_eq!(again.result, first.result);
    let other = request.with("/message", json!("Something else"));
    assert!(matches!(
        replay(&other).await,
        Err(Error::IdempotencyConflict)
    ));
}

#[tokio::test]
async fn repeats_are_recognised_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let options = Options::sqlite(folder.path().join("store.sqlite"))
            .clock(clock)
            .migrations(&[leads::MIGRATIONS]);
        Desk::over(Store::open(options).unwrap())
    };
    let request = Request::new().key("one");
    let desk = open();
    let first = desk.take(request.clone()).await;
    drop(desk);
    let desk = open();
    assert_eq!(desk.take(request).await.result, first.result);
    assert_eq!(desk.list().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_repeats_make_one_lead() {
    let desk = Desk::open();
    let request = Request::new().car().key("one");
    let mut sent = JoinSet::new();
    for _ in 0..64 {
        let submission = desk.prepare(request.clone()).unwrap();
        let store = desk.store.clone();
        sent.spawn(async move {
            store
                .write(move |conn| leads::accept(conn, &leads::Vault::open(), &submission))
                .await
        });
    }
    let answers: Vec<_> = sent
        .join_all()
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let stored = desk.list().await;
    assert_eq!(stored.len(), 1);
    let lead_id = stored[0].lead_id.as_str();
    assert!(
        answers
            .iter()
            .all(|answer| answer.result.lead_id == lead_id)
    );
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
}

#[tokio::test]
async fn another_payload_under_the_key_is_a_conflict_and_stores_nothing() {
    let desk = Desk::open();
    desk.take(Request::new().key("one")).await;
    let other = Request::new().with("/message", json!("Hello")).key("one");
    assert!(matches!(
        desk.submit(other).await,
        Err(Error::IdempotencyConflict)
    ));
    assert_eq!(desk.list().await.len(), 1);
}

#[tokio::test]
async fn payloads_are_compared_in_canonical_form() {
    let written =
        |text: &str| Idempotency::new(&hash_key(), &Request::new().caller, "one", text).unwrap();
    let first = written(r#"{"a":"é","n":150,"o":{"x":1,"y":2}}"#);
    assert_eq!(
        first,
        written("{ \"o\": {\"y\":2, \"x\":1.0}, \"n\": 1.5e2, \"a\": \"\\u00e9\" }")
    );
    assert_ne!(first, written(r#"{"a":"é","n":151,"o":{"x":1,"y":2}}"#));
}

#[tokio::test]
async fn a_key_belongs_to_its_caller() {
    let desk = Desk::open();
    let mut other_agent = Request::new().key("one");
    other_agent.caller.source_agent_name = "other-agent".to_owned();
    for request in [
        Request::new().key("one"),
        Request::new().key("one").credential("key-1"),
        Request::new().key("one").credential("key-2"),
        other_agent,
    ] {
        assert!(!desk.take(request).await.replayed);
    }
    assert_eq!(desk.list().await.len(), 4);

    let mut other_name = Request::new().key("one").credential("key-1");
    other_name.caller.source_agent_name = "renamed-agent".to_owned();
    assert!(
        desk.take(other_name).await.replayed,
        "the credential counts"
    );
}

#[tokio::test]
async fn a_key_belongs_to_its_dealer() {
    let desk = Desk::open();
    desk.take(Request::new().key("one")).await;
    let mut other = Desk::over(desk.store.clone());
    other.dealer = "other-motors".parse().unwrap();
    let answer = other.take(Request::new().key("one")).await;
    assert_eq!(answer.result.status, LeadStatus::Received);
    assert!(!answer.replayed);
    assert_eq!((desk.list().await.len(), other.list().await.len()), (1, 1));
}

#[tokio::test]
async fn a_key_is_remembered_for_seven_days() {
    let desk = Desk::open();
    let request = Request::new().key("one");
    let first = desk.take(request.clone()).await;
    desk.wait(SignedDuration::from_hours(7 * 24));
    assert!(desk.take(request.clone()).await.replayed);
    desk.wait(SignedDuration::from_millis(1));
    let later = desk.take(request.clone()).await;
    assert!(!later.replayed);
    assert_ne!(later.result.lead_id, first.result.lead_id);
    let other = request.with("/message", json!("Hello"));
    assert!(
        matches!(desk.submit(other).await, Err(Error::IdempotencyConflict)),
        "the key is taken anew"
    );
}

#[tokio::test]
async fn a_refused_request_does_not_use_up_its_key() {
    let desk = Desk::open();
    let refused = Request::new()
        .with("/vehicle_of_interest", json!({ "stock": "X-1" }))
        .found(leads::VehicleMatch::Unknown)
        .appointment("test_drive", None)
        .key("one");
    assert!(matches!(
        desk.submit(refused).await,
        Err(Error::VehicleNotFound)
    ));
    let corrected = Request::new()
        .car()
        .appointment("test_drive", None)
        .key("one");
    assert!(!desk.take(corrected).await.replayed);
}
