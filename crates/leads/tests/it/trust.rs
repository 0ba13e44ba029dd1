//! Leads that the dealer does not take from everybody: held ones wait, rejected ones go nowhere.

use aap::lead::LeadStatus;
use dealers::Standing;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::{Desk, Request, schema};

fn rejected() -> Request {
    let appointment =
        json!({ "appointment_type": "sales", "appointment_at": "2026-05-03T11:00:00-07:00" });
    Request {
        rejected: Some("Demo Motors serves customers in Vermont only.".to_owned()),
        ..Request::new().with("/appointment", appointment)
    }
}

#[tokio::test]
async fn a_held_lead_is_answered_like_any_other_and_waits_until_it_is_released() {
    let desk = Desk {
        standing: Standing::Held,
        ..Desk::open()
    };
    let answer = desk.take(Request::new()).await;
    assert_eq!(answer.result.status, LeadStatus::Received);
    let dealer = desk.dealer.clone();
    let waiting = desk
        .store
        .read(move |conn| leads::held(conn, &dealer))
        .await
        .unwrap();
    let lead_id = waiting[0].lead_id.clone();
    assert_eq!(lead_id.as_str(), answer.result.lead_id);
    assert_eq!(desk.list().await[0].deliveries_due, 0);
    let release = async || {
        let (dealer, lead_id, now) = (
            desk.dealer.clone(),
            lead_id.clone(),
            desk.store.clock().now(),
        );
        desk.store
            .write(move |conn| leads::release(conn, &dealer, &lead_id, now))
            .await
            .unwrap()
    };
    assert!(release().await);
    assert_eq!(desk.list().await[0].deliveries_due, 1);
    assert!(!release().await, "it waits no longer");
    assert_eq!(desk.list().await[0].deliveries_due, 1);
}

#[tokio::test]
async fn a_rejected_lead_is_kept_with_its_consent_and_goes_nowhere() {
    let desk = Desk::open();
    let answer = desk.take(rejected()).await;
    assert_eq!(answer.result.status, LeadStatus::Rejected);
    assert_eq!(answer.result.appointment, None);
    assert_eq!(
        answer.message,
        "Demo Motors serves customers in Vermont only."
    );
    assert_eq!(
        schema::rows(&desk.store, &["lead", "person", "consent"]).await,
        3
    );
    assert_eq!(
        schema::rows(&desk.store, &["delivery", "appointment"]).await,
        0
    );
    let kept = desk.show(&answer.result.lead_id).await;
    assert_eq!(kept.summary.status, LeadStatus::Rejected);
    assert!(kept.consent_as_received.0.is_some());
}

#[tokio::test]
async fn a_rejected_lead_is_rejected_again_under_its_key_and_makes_no_later_one_a_repeat() {
    let desk = Desk::open();
    let request = rejected().with("/idempotency_key", json!("key-1"));
    let first = desk.take(request.clone()).await;
    desk.wait(SignedDuration::from_mins(1));
    let again = desk.take(request).await;
    assert_eq!((again.result, again.replayed), (first.result, true));
    let moved = Request {
        rejected: None,
        ..rejected()
    };
    let answer = desk.take(moved).await;
    assert_eq!(answer.result.status, LeadStatus::Received);
    assert_eq!(desk.list().await[0].repeat_of, None);
}

#[tokio::test]
async fn each_agent_is_reported_with_what_became_of_its_leads() {
    let mut desk = Desk::open();
    let of = |agent: &str, number: usize| {
        let email = json!(format!("person-{number}@example.com"));
        let mut request = Request::new()
            .with("/source_agent/name", json!(agent))
            .with("/customer/email", email)
            .with(
                "/customer/phone",
                json!(format!("+1415555{:04}", 100 + number)),
            );
        request.caller = leads::Caller::new(agent);
        request
    };
    let mut proven = of("Example Agent", 1);
    proven.caller.is_verified = true;
    desk.take(proven).await;
    desk.wait(SignedDuration::from_mins(1));
    desk.take(of("example agent", 1)).await;
    let mut elsewhere = of("Example Agent", 2);
    elsewhere.rejected = Some("Vermont only.".to_owned());
    desk.take(elsewhere).await;
    let wish = json!({ "appointment_type": "sales" });
    desk.take(of("EXAMPLE agent", 3).with("/appointment", wish))
        .await;
    desk.standing = Standing::Held;
    desk.take(of("Noisy Agent", 4)).await;
    let report = async |since: Option<Timestamp>| {
        let dealer = desk.dealer.clone();
        let read = desk
            .store
            .read(move |conn| leads::report(conn, &dealer, since));
        let agents = read.await.unwrap();
        let line = |it: &leads::AgentReport| {
            format!(
                "{}: {} leads, {} verified, {} repeats, {} rejected, {} held, {} delivered, {} failed, {} appointments",
                it.agent,
                it.leads,
                it.verified,
                it.repeats,
                it.rejected,
                it.held,
                it.delivered,
                it.failed,
                it.appointments
            )
        };
        agents.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        report(None).await,
        [
            "EXAMPLE agent: 4 leads, 1 verified, 1 repeats, 1 rejected, 0 held, 0 delivered, 0 failed, 1 appointments",
            "Noisy Agent: 1 leads, 0 verified, 0 repeats, 0 rejected, 1 held, 0 delivered, 0 failed, 0 appointments",
        ]
    );
    let later = "2026-05-01T13:00:00Z".parse().unwrap();
    assert_eq!(report(Some(later)).await, [""; 0]);
    let listed = desk.list().await;
    let repeats: i64 = listed.iter().map(|lead| lead.repeats).sum();
    assert_eq!(
        repeats, 1,
        "the first of the person's leads is repeated once"
    );
}
