//! Appointments are noted and answered as requested.

use aap::lead::{AppointmentStatus, AppointmentType, DealerContact, LeadStatus};
use serde_json::json;

use crate::{Desk, Request};

#[tokio::test]
async fn an_appointment_is_requested_and_the_dealer_can_be_called() {
    let desk = Desk::open();
    let wish = json!({
        "appointment_type": "test_drive",
        "appointment_at": "2026-05-03T11:00:00-07:00",
        "duration_minutes": 60,
        "notes": "I bring a friend."
    });
    let answer = desk
        .take(Request::new().car().with("/appointment", wish))
        .await;
    let appointment = answer.result.appointment.unwrap();
    assert_eq!(appointment.status, AppointmentStatus::Requested);
    assert_eq!(appointment.confirmed_at, None);
    assert!(appointment.proposed_times.is_empty());
    assert_eq!(
        answer.result.dealer,
        Some(DealerContact {
            name: Some("Demo Motors".to_owned()),
            phone: Some("+14155550100".to_owned()),
        })
    );
    assert!(
        answer
            .message
            .contains("Your test drive is requested but not booked yet")
    );

    let lead = desk.show(&answer.result.lead_id).await;
    let kept = lead.summary.appointment.unwrap();
    assert_eq!(kept.appointment_id.as_str(), appointment.appointment_id);
    assert_eq!(kept.kind, AppointmentType::TestDrive);
    assert_eq!(kept.wished_at.as_deref(), Some("2026-05-03T11:00:00-07:00"));
    let request = lead.request.0.unwrap().appointment.unwrap();
    assert_eq!(request.duration_minutes, Some(60));
    assert_eq!(request.notes.as_deref(), Some("I bring a friend."));
}

#[tokio::test]
async fn an_answer_without_a_wish_has_no_appointment() {
    let desk = Desk::open();
    let answer = desk.take(Request::new()).await;
    assert_eq!(answer.result.appointment, None);
    assert_eq!(desk.list().await[0].appointment, None);
}

#[tokio::test]
async fn a_duplicate_answers_with_the_first_appointment() {
    let desk = Desk::open();
    let request = || {
        Request::new()
            .car()
            .credential("key-1")
            .appointment("sales", None)
    };
    let first = desk.take(request()).await.result;
    let again = desk.take(request()).await.result;
    assert_eq!(again.status, LeadStatus::Duplicate);
    assert_eq!(again.appointment, first.appointment);
    assert!(
        desk.list()
            .await
            .iter()
            .all(|lead| lead.appointment.is_some()),
        "the wish stands with each lead"
    );
}

#[tokio::test]
async fn a_duplicate_that_asks_for_something_else_is_not_lost() {
    let desk = Desk::open();
    let request = || Request::new().car().credential("key-1");
    let first = desk.take(request()).await.result;
    assert_eq!(first.appointment, None);
    let again = desk.take(request().appointment("sales", None)).await.result;
    assert_eq!(again.status, LeadStatus::Duplicate);
    assert_eq!(again.lead_id, first.lead_id);
    let appointment = again.appointment.unwrap();
    assert_eq!(appointment.status, AppointmentStatus::Requested);
    let kept = desk.list().await[0].appointment.clone().unwrap();
    assert_eq!(kept.appointment_id.as_str(), appointment.appointment_id);
}

#[tokio::test]
async fn a_preferred_way_is_the_only_one_promised() {
    let desk = Desk::open();
    let request = Request::new().with("/customer/preferred_contact", json!("phone"));
    let message = desk.take(request).await.message;
    assert!(message.contains("will follow up by phone."), "{message}");
}

#[tokio::test]
async fn every_duration_that_the_schema_allows_is_taken() {
    let desk = Desk::open();
    let request = Request::new()
        .appointment("sales", None)
        .with("/appointment/duration_minutes", json!(1e300));
    let status = desk.take(request).await.result.status;
    assert_eq!(status, LeadStatus::Received);
}

#[tokio::test]
async fn every_time_that_the_schema_allows_is_taken() {
    let desk = Desk::open();
    for at in [
        "2026-05-03t18:00:00z",
        "2026-05-03T18:00:00.123456789012Z",
        "2016-12-31T23:59:60Z",
        "9999-12-31T23:59:59-12:00",
    ] {
        let request = Request::new().appointment("sales", Some(at));
        let lead = desk.take(request).await.result.lead_id;
        let kept = desk.show(&lead).await.summary.appointment.unwrap();
        assert_eq!(kept.wished_at.as_deref(), Some(at));
    }
}
