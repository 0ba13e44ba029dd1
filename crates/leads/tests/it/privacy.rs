//! Where personal data stands, and where it must not.

use leads::Error;
use serde_json::json;

use crate::{Desk, Request, schema};

/// A lead that carries the person's mail address wherever free text is allowed.
fn talkative() -> Request {
    let email = "ada.fixture@example.com";
    Request::new()
        .car()
        .with(
            "/message",
            json!(format!("Ada Fixture, {email}, +14155550123")),
        )
        .with(
            "/vehicle_of_interest",
            json!({ "vin": "1HGCM82633A004352", "notes": email, "seen_by": "Ada Fixture" }),
        )
        .with("/trade_in", json!({ "make": "Honda", "notes": email }))
        .with(
            "/appointment",
            json!({ "appointment_type": "sales", "notes": format!("call Ada, {email}") }),
        )
        .with(
            "/customer/address",
            json!({ "city": "Austin", "address_line_1": "1 Fixture Road" }),
        )
        .with(
            "/consent/consent_text",
            json!("I, Ada Fixture, agree to be contacted."),
        )
        .key(email)
        .context("ada.fixture@example.com")
}

#[tokio::test]
async fn what_identifies_a_person_stands_in_two_tables_only() {
    let desk = Desk::open();
    desk.take(talkative()).await;
    desk.take(talkative().key("another")).await;
    let mut seen = Vec::new();
    for table in schema::tables(&desk.store).await {
        let text = schema::dump(&desk.store, &table).await.to_lowercase();
        let personal = ["| ada |", "fixture", "4155550123", "austin"];
        if personal.iter().any(|word| text.contains(word)) {
            seen.push(table);
        }
    }
    assert_eq!(seen, ["consent", "person"]);
}

#[tokio::test]
async fn consent_is_kept_byte_for_byte() {
    let consent = "{ \"scope\":[\"lead_submission\"],\n\t\"consent_text\": \"Ja, \\u00fcber \\\"E-Mail\\\" \u{1F697}\", \
                   \"allowed_channels\" : [ \"sms\", \"email\" ],\"granted_at\":\"2026-05-01T13:59:00.50+02:00\", \
                   \"expires_at\":\"2027-05-01T00:00:00Z\"}";
    let text = format!(
        r#"{{"type":"lead.submit.request","customer":{{"first_name":"Ada","last_name":"Fixture","email":"ada.fixture@example.com"}},"consent":{consent},"source_agent":{{"name":"example-agent"}}}}"#
    );
    let desk = Desk::open();
    let answer = desk
        .take(Request {
            text: Some(text),
            ..Request::new()
        })
        .await;
    let lead = desk.show(&answer.result.lead_id).await;
    assert_eq!(lead.consent_as_received.0.as_deref(), Some(consent));

    let columns = desk
        .store
        .read(|conn| {
            conn.first(
                "SELECT channels, granted_at, expires_at, source_agent FROM consent",
                &[],
                |row| {
                    Ok((
                        row.text(0)?.to_owned(),
                        row.time(1)?.to_string(),
                        row.time(2)?.to_string(),
                        row.text(3)?.to_owned(),
                    ))
                },
            )
        })
        .await
        .unwrap_or_else(|error: store::Error| panic!("{error}"));
    assert_eq!(
        columns,
        Some((
            "sms,email".to_owned(),
            "2026-05-01T11:59:00.5Z".to_owned(),
            "2027-05-01T00:00:00Z".to_owned(),
            "example-agent".to_owned()
        ))
    );
}

#[tokio::test]
async fn a_member_that_stands_twice_counts_once_and_hides_no_lead() {
    let consent = r#"{"granted_at":"2026-05-01T11:00:00Z","allowed_channels":["sms"],"allowed_channels":["email"],"consent_text":"yes","scope":["lead_submission"]}"#;
    let text = format!(
        r#"{{"customer":{{"first_name":"Ada","last_name":"Fixture","email":"ada.fixture@example.com"}},"vehicle_of_interest":{{"make":"Honda","make":"Acme"}},"consent":{{}},"consent":{consent},"source_agent":{{"name":"example-agent"}}}}"#
    );
    let desk = Desk::open();
    let request = Request {
        payload: serde_json::from_str(&text).unwrap(),
        text: Some(text),
        ..Request::new()
    };
    let answer = desk.take(request).await;
    assert_eq!(desk.list().await[0].vehicle.0.as_deref(), Some("Acme"));
    let lead = desk.show(&answer.result.lead_id).await;
    assert_eq!(lead.consent_as_received.0.as_deref(), Some(consent));
    let kept = lead.request.0.unwrap().consent;
    assert_eq!(kept.unwrap().allowed_channels, [aap::lead::Channel::Email]);
}

#[tokio::test]
async fn nothing_personal_is_printed_by_accident() {
    let desk = Desk::open();
    let answer = desk.take(talkative()).await;
    let list = format!("{:?}", desk.list().await);
    let lead = format!("{:?}", desk.show(&answer.result.lead_id).await);
    let answer = format!("{answer:?}");
    let bad_time = talkative().with("/consent/granted_at", json!("Ada's birthday"));
    let error = desk.submit(bad_time).await.unwrap_err();
    assert!(matches!(
        error,
        Error::Payload {
            pointer: "/consent/granted_at",
            ..
        }
    ));
    let error = format!("{error:?} {error}");
    for printed in [list, lead, answer, error] {
        let printed = printed.to_lowercase();
        assert!(!printed.contains("ada"), "{printed}");
        assert!(!printed.contains("4155550123"), "{printed}");
    }
}

#[tokio::test]
async fn a_payload_that_is_no_json_is_refused_without_repeating_it() {
    let refused = leads::Idempotency::new(
        &crate::hash_key(),
        &Request::new().caller,
        "one",
        "{\"email\": ada}",
    )
    .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the payload is not a JSON object (line 1, column 11)"
    );
}
