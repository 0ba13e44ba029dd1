//! Leads that are posted, as ADF and as JSON, to a real server.

use std::path::Path;

use dealers::Destination;
use leads::Purpose;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::webhook::WebhookSink;

use super::*;
use crate::{
    Secret,
    delivery::courier::tests::{courier, local_mail, parcel},
    delivery::{Courier, Unusable, courier::tests::try_courier},
    signature,
};

/// A destination to which ADF is posted.
fn post(sink: &WebhookSink) -> Destination {
    posted_to(&sink.url("/adf?key=s3cret"))
}

fn posted_to(url: &str) -> Destination {
    Destination {
        post: Some(url.parse().unwrap()),
        ..Destination::default()
    }
}

fn posting(destination: Destination) -> Courier {
    courier(local_mail(), destination, Path::new("."))
}

/// The reach of a temporary fault; `None` for a refusal for good.
fn reach(fault: &Fault) -> Option<Reach> {
    match fault {
        Fault::Temporary { reach, .. } => Some(*reach),
        Fault::Permanent { .. } => None,
    }
}

#[tokio::test]
async fn a_lead_is_posted_with_the_headers_of_the_file() {
    let (sink, folder) = (WebhookSink::start(), TempDir::new().unwrap());
    let mut destination = post(&sink);
    destination.headers_file = Some("crm.headers".into());
    let file = folder.path().join("crm.headers");
    std::fs::write(&file, "Authorization: Bearer one\n\nX-Dealer: 12\n").unwrap();
    let courier = courier(local_mail(), destination, folder.path());
    let receipt = courier.send(&parcel()).await.unwrap();
    assert_eq!(receipt.detail, "HTTP status 200");
    // A changed secret counts at once.
    std::fs::write(&file, "Authorization: Bearer two\n").unwrap();
    courier.send(&parcel()).await.unwrap();
    let calls = sink.calls();
    let call = &calls[0];
    assert_eq!(call.line, "POST /adf?key=s3cret");
    assert_eq!(call.body, parcel().adf.as_bytes());
    for (name, value) in [
        ("content-type", "text/xml; charset=utf-8"),
        ("authorization", "Bearer one"),
        ("x-dealer", "12"),
        ("x-forecourt-lead", parcel().lead_id.as_str()),
        ("idempotency-key", parcel().delivery_id.as_str()),
    ] {
        assert_eq!(call.header(name), Some(value), "{name}");
    }
    assert_eq!(calls[1].header("authorization"), Some("Bearer two"));
    assert_eq!(
        calls[1].header("idempotency-key"),
        call.header("idempotency-key")
    );
}

#[tokio::test]
async fn success_is_what_the_settings_say() {
    let sink = WebhookSink::start();
    let mut destination = post(&sink);
    destination.success_status = vec![202];
    destination.success_body = Some("0_ACCEPTED".to_owned());
    destination.content_type = Some("application/xml".to_owned());
    let courier = posting(destination);
    sink.answer_next_with(202, "<r>0_ACCEPTED</r>");
    let receipt = courier.send(&parcel()).await.unwrap();
    assert_eq!(receipt.detail, "HTTP status 202: <r>0_ACCEPTED</r>");
    assert_eq!(
        sink.calls()[0].header("content-type"),
        Some("application/xml")
    );
    for (status, body) in [(202, "1_REJECTED"), (200, "0_ACCEPTED")] {
        sink.answer_next_with(status, body);
        let fault = courier.send(&parcel()).await.unwrap_err();
        assert_eq!(reach(&fault), None, "{status}: {fault:?}");
        assert!(fault.detail().contains(body), "{fault:?}");
    }
}

#[tokio::test]
async fn statuses_are_told_apart() {
    let sink = WebhookSink::start();
    let courier = posting(post(&sink));
    for (status, expected) in [
        (400, None),
        (404, None),
        (422, None),
        (401, Some(Reach::Destination)),
        (403, Some(Reach::Destination)),
        (408, Some(Reach::Parcel)),
        (425, Some(Reach::Parcel)),
        (429, Some(Reach::Destination)),
        (500, Some(Reach::Parcel)),
        (503, Some(Reach::Destination)),
    ] {
        sink.answer_next(status);
        let fault = courier.send(&parcel()).await.unwrap_err();
        assert_eq!(reach(&fault), expected, "{status}: {fault:?}");
    }
    sink.answer_next_under(302, "Location: https://crm.example/new");
    let fault = courier.send(&parcel()).await.unwrap_err();
    assert_eq!(reach(&fault), Some(Reach::Destination));
    assert!(
        fault.detail().contains("https://crm.example/new"),
        "{fault:?}"
    );
    assert!(!fault.detail().contains("s3cret"), "{fault:?}");
}

#[tokio::test]
async fn a_receiver_says_when_to_come_back_in_seconds_or_as_a_date() {
    let sink = WebhookSink::start();
    let courier = posting(post(&sink));
    // The parcel is sent at noon, UTC.
    for (header, expected) in [
        ("Retry-After: 120", Some(120)),
        ("Retry-After: Fri, 01 May 2026 12:10:00 GMT", Some(600)),
        ("Retry-After: Fri, 01 May 2026 11:00:00 GMT", None),
        ("Retry-After: 99999999", Some(86_400)),
        ("Retry-After: soon", None),
        ("X-Nothing: 1", None),
    ] {
        sink.answer_next_under(503, header);
        let Fault::Temporary { retry_after, .. } = courier.send(&parcel()).await.unwrap_err()
        else {
            panic!("{header}");
        };
        assert_eq!(retry_after.map(|it| it.as_secs()), expected, "{header}");
    }
}

#[tokio::test]
async fn an_answer_that_quotes_the_lead_is_not_repeated() {
    let sink = WebhookSink::start();
    let courier = posting(post(&sink));
    sink.answer_next_with(422, &format!("cannot read {}", parcel().adf));
    let detail = courier
        .send(&parcel())
        .await
        .unwrap_err()
        .detail()
        .to_owned();
    for part in ["Ada", "muster", "2125550100", "red car at your place"] {
        assert!(!detail.contains(part), "{detail}");
    }
    assert!(
        detail.starts_with("HTTP status 422: cannot read"),
        "{detail}"
    );
}

#[tokio::test]
async fn nobody_at_the_address_is_for_now() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let destination = posted_to(&format!("http://127.0.0.1:{port}/"));
    let fault = posting(destination).send(&parcel()).await.unwrap_err();
    assert_eq!(reach(&fault), Some(Reach::Destination), "{fault:?}");
}

#[tokio::test]
async fn a_webhook_is_json_signed_with_the_delivery_as_its_id() {
    let (sink, folder) = (WebhookSink::start(), TempDir::new().unwrap());
    std::fs::write(folder.path().join("secret"), "whsec_c2VjcmV0\n").unwrap();
    let destination = Destination {
        webhook: Some(sink.url("/lead").parse().unwrap()),
        secret_file: Some("secret".into()),
        ..Destination::default()
    };
    let courier = courier(local_mail(), destination, folder.path());
    sink.answer_next(500);
    courier.send(&parcel()).await.unwrap_err();
    courier.send(&parcel()).await.unwrap();
    for call in sink.calls() {
        let document: Value = serde_json::from_slice(&call.body).unwrap();
        assert_eq!(document, parcel().document);
        let id = parcel().delivery_id;
        let headers = signature::headers(
            &Secret::new("whsec_c2VjcmV0"),
            id.as_str(),
            parcel().sent_at,
            &call.body,
        );
        for (name, value) in headers {
            assert_eq!(call.header(name.as_str()), value.to_str().ok(), "{name}");
        }
        assert_eq!(call.header("webhook-id"), Some(id.as_str()));
        assert_eq!(call.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn only_mail_has_copies_for_people() {
    let (sink, folder) = (WebhookSink::start(), TempDir::new().unwrap());
    let mut copy = parcel();
    copy.purpose = Purpose::Copy;
    let webhook = Destination {
        webhook: Some(sink.url("/").parse().unwrap()),
        ..Destination::default()
    };
    let dropped = Destination {
        folder: Some(folder.path().to_owned()),
        ..Destination::default()
    };
    for destination in [post(&sink), webhook, dropped] {
        let fault = posting(destination).send(&copy).await.unwrap_err();
        assert_eq!(reach(&fault), None);
    }
    assert!(sink.calls().is_empty());
}

#[test]
fn a_destination_that_cannot_be_used_is_told_before_anything_is_sent() {
    let destination =
        |settings: Value| -> Destination { serde_json::from_value(settings).unwrap() };
    for (settings, part) in [
        (json!({}), "exactly one"),
        (
            json!({ "mail": "a@b.example", "folder": "x" }),
            "exactly one",
        ),
        (
            json!({ "post": "https://crm.example", "headers_file": "gone" }),
            "gone cannot be read",
        ),
        (
            json!({ "post": "https://crm.example", "content_type": "a\nb" }),
            "content type",
        ),
        (
            json!({ "webhook": "https://crm.example", "secret_file": "gone" }),
            "gone cannot be read",
        ),
    ] {
        let error = try_courier(local_mail(), destination(settings), Path::new(".")).unwrap_err();
        let text = crate::explain(&error);
        assert!(text.contains(part), "{text}");
        assert!(
            text.contains("destination crm of rooftop North of dealer group"),
            "{text}"
        );
    }
    let ways = Unusable::Ways.to_string();
    assert!(ways.contains("`webhook`"));
}
