//! Payloads made to harm, and consent at its limits.

use aap::{ErrorCode, validate, validate::MAX_PROBLEMS};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{lead_with, lead_without, now};

#[test]
fn deep_nesting_is_walked_no_further_than_the_rules_reach() {
    // The deepest text that the JSON reader takes.
    let depth = 127;
    let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deep: Value = serde_json::from_str(&text).unwrap();
    let built = (0..1000).fold(json!(0), |inner, _| json!({ "a": inner }));
    for deep in [deep, built] {
        let kept = validate(&lead_with("/trade_in/history", deep.clone()), now());
        assert!(kept.is_ok(), "an open object keeps what it does not know");
        for pointer in [
            "/trade_in/make",
            "/customer/address/floor",
            "/consent/scope/0",
            "/x",
        ] {
            let rejection = validate(&lead_with(pointer, deep.clone()), now()).unwrap_err();
            assert_eq!(rejection.total, 1, "{pointer}");
            assert_eq!(rejection.problems[0].instance_location, pointer);
        }
    }
}

#[test]
fn the_list_of_problems_is_capped_and_says_so() {
    let payload =
        json!({ "type": "inventory.search.request", "filters": { "make": vec![0; 100_000] } });
    let rejection = validate(&payload, now()).unwrap_err();
    assert_eq!(rejection.problems.len(), MAX_PROBLEMS);
    assert_eq!(rejection.total, 100_000);
    assert_eq!(
        rejection.message,
        "the request breaks its schema: 100000 problems, of which the first 200 are listed"
    );
}

#[test]
fn a_flood_of_problems_does_not_hide_the_gravest() {
    let mut payload = lead_without("/consent");
    for number in 0..1000 {
        payload[format!("a{number}")] = json!(null);
    }
    let rejection = validate(&payload, now()).unwrap_err();
    assert_eq!(rejection.code, ErrorCode::ContactConsentRequired);
    assert_eq!(rejection.total, 1001);
}

#[test]
fn long_values_are_not_sent_back() {
    let long = "x".repeat(1_000_000);
    let payload = json!({
        "type": "inventory.search.request",
        "sort": { "field": long, "order": long },
        "filters": { "vin": long, "query": long, "condition": [long] },
    });
    let rejection = validate(&payload, now()).unwrap_err();
    assert_eq!(rejection.total, 5);
    for problem in &rejection.problems {
        assert!(problem.error.len() < 300, "{}", problem.error);
    }
    let rejection = validate(&json!({ "type": format!("a.{long}") }), now()).unwrap_err();
    assert!(rejection.message.len() < 300);
}

#[test]
fn consent_is_judged_to_the_second() {
    for (pointer, time, good) in [
        ("/consent/granted_at", "2026-05-01T17:05:00Z", true),
        (
            "/consent/granted_at",
            "2026-05-01T17:05:00.000000001Z",
            false,
        ),
        ("/consent/granted_at", "0000-01-01T00:00:00Z", true),
        (
            "/consent/expires_at",
            "2026-05-01T17:00:00.000000001Z",
            true,
        ),
        ("/consent/expires_at", "2026-05-01T17:00:00Z", false),
        ("/consent/expires_at", "9999-12-31T23:59:59-23:59", true),
    ] {
        let judged = validate(&lead_with(pointer, json!(time)), now());
        assert_eq!(judged.is_ok(), good, "{pointer} {time}");
    }
}

#[test]
fn a_preference_for_any_channel_or_none_needs_no_channel() {
    for preferred in [json!("any"), json!("email"), json!("sms")] {
        assert!(validate(&lead_with("/customer/preferred_contact", preferred), now()).is_ok());
    }
    assert!(validate(&lead_without("/customer/preferred_contact"), now()).is_ok());
}

#[test]
fn what_is_the_persons_stays_out_of_debug_output() {
    let request = validate(&crate::lead(), now()).unwrap();
    let told = format!("{request:?}");
    assert!(told.contains("fixture-agent"), "{told}");
    for personal in [
        "Robin",
        "robin",
        "5550142",
        "Fixture Row",
        "heater",
        "blue one",
        "1FT8W3",
    ] {
        assert!(!told.contains(personal), "{personal} in {told}");
    }
}

proptest! {
    #[test]
    fn any_payload_is_answered(mut payload in payload()) {
        let Err(rejection) = validate(&payload, now()) else { return Ok(()) };
        prop_assert!(!rejection.problems.is_empty());
        for problem in &rejection.problems {
            let place = &problem.instance_location;
            if problem.keyword == "required" {
                prop_assert!(payload.pointer(place).is_none(), "{} is there", place);
                let (parent, _) = place.rsplit_once('/').unwrap();
                prop_assert!(payload.pointer_mut(parent).unwrap().is_object());
            } else {
                prop_assert!(payload.pointer(place).is_some(), "{} is not there", place);
            }
        }
    }
}

fn payload() -> impl Strategy<Value = Value> {
    let types = prop::sample::select(aap::Skill::ALL.to_vec());
    (types, prop::option::weighted(0.9, members())).prop_map(|(skill, members)| match members {
        None => Value::Null,
        Some(mut members) => {
            members.insert("type".to_owned(), skill.request_type().into());
            Value::Object(members)
        }
    })
}

fn members() -> impl Strategy<Value = Map<String, Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop::collection::btree_map(name(), value, 0..8)
        .prop_map(|members| members.into_iter().collect())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "filters", "sort", "pagination", "customer", "consent", "vehicle_of_interest", "trade_in",
            "fees", "other_attributes", "appointment", "source_agent", "scope", "allowed_channels",
            "address", "make", "field", "condition", "vin", "preferred_contact",
        ])
        .prop_map(str::to_owned),
        1 => "[~/a-c0-9ü]{0,4}",
    ]
}
