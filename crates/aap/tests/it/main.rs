//! The crate's contract: what it accepts, refuses and writes, judged by tables of our own and by
//! AAP's published schemas and examples where they are at hand.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod agreement;
mod bad_payloads;
mod card;
mod errors;
mod examples;
mod formats;
mod hostile;
mod payload;
mod versions;

use aap::Rejection;
use jiff::Timestamp;
use serde_json::{Value, json};

/// The instant at which the tests validate.
fn now() -> Timestamp {
    "2026-05-01T17:00:00Z".parse().unwrap()
}

/// A lead in which every object of the schema occurs and nothing is wrong.
fn lead() -> Value {
    json!({
        "type": "lead.submit.request",
        "customer": {
            "first_name": "Robin",
            "last_name": "Sample",
            "email": "robin.sample@mail.example",
            "phone": "+13125550142",
            "preferred_contact": "email",
            "address": { "address_line_1": "1 Fixture Row", "city": "Peoria", "state": "IL", "zip": "61602" }
        },
        "consent": {
            "granted_at": "2026-05-01T11:58:00-05:00",
            "expires_at": "2026-06-01T11:58:00-05:00",
            "allowed_channels": ["email", "sms"],
            "consent_text": "Robin Sample agrees to hear from the dealership by mail and text.",
            "scope": ["lead_submission"]
        },
        "vehicle_of_interest": {
            "vin": "1FT8W3BT5NEC12345",
            "year": 2025,
            "make": "Ford",
            "condition": "cpo",
            "price": 31_990,
            "fees": [{ "name": "Documentation", "amount": 299 }, { "name": "Etching", "amount": 0 }],
            "photos": ["https://photos.dealer.example/1.jpg"],
            "other_attributes": { "doors": 4, "keys": ["fob", "spare"] }
        },
        "trade_in": { "year": 2014, "make": "Mazda", "condition": "fair", "mileage": 121_000 },
        "appointment": {
            "appointment_type": "test_drive",
            "appointment_at": "2026-05-04T10:00:00-05:00",
            "duration_minutes": 30,
            "notes": "Please have the heater warm."
        },
        "message": "Is the blue one still there?",
        "source_agent": { "name": "fixture-agent", "url": "https://agent.example/" },
        "submitted_at": "2026-05-01T11:59:00-05:00",
        "idempotency_key": "fixture-1"
    })
}

/// The lead with one member set.
fn lead_with(pointer: &str, value: Value) -> Value {
    with(lead(), pointer, value)
}

/// The lead without one member.
fn lead_without(pointer: &str) -> Value {
    without(lead(), pointer)
}

/// A payload with the member at `pointer` set.
fn with(mut payload: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = payload.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        _ => parent[name] = value,
    }
    payload
}

/// A payload without the member at `pointer`.
fn without(mut payload: Value, pointer: &str) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = payload
        .pointer_mut(parent)
        .unwrap()
        .as_object_mut()
        .unwrap();
    parent.remove(name).unwrap();
    payload
}

/// What a rejection finds, as pairs of place and keyword in order of place.
fn findings(rejection: &Rejection) -> Vec<(&str, &str)> {
    let mut found: Vec<_> = rejection
        .problems
        .iter()
        .map(|problem| (problem.instance_location.as_str(), problem.keyword))
        .collect();
    found.sort_unstable();
    found
}
