//! Payloads as text: what no JSON value can hold is refused at its place, with everything else that
//! is wrong.

use aap::{ErrorCode, Payload, Skill, validate};
use serde_json::json;

use crate::{lead, now};

/// Code, and place and keyword of each problem, sorted.
fn refused(text: &str) -> (ErrorCode, Vec<(String, &'static str)>) {
    let rejection = Payload::parse(text).unwrap().validate(now()).unwrap_err();
    assert_eq!(rejection.total, rejection.problems.len());
    let mut places: Vec<_> = rejection
        .problems
        .into_iter()
        .map(|problem| (problem.instance_location, problem.keyword))
        .collect();
    places.sort();
    (rejection.code, places)
}

#[test]
fn a_readable_payload_is_validated_as_its_value() {
    let payload = Payload::parse(&lead().to_string()).unwrap();
    assert_eq!(payload.value(), &lead());
    assert!(payload.unreadable().is_empty());
    assert_eq!(payload.validate(now()), validate(&lead(), now()));
}

#[test]
fn a_number_beyond_every_range_is_named_beside_the_other_problems() {
    let text = r#"{"type": "inventory.search.request", "colour": 1,
        "filters": {"price_max": 1e400, "make": ["a", -1E999], "year_min": 1800}}"#;
    let (code, places) = refused(text);
    assert_eq!(code, ErrorCode::SchemaValidationFailed);
    assert_eq!(
        places,
        [
            ("/colour".to_owned(), "additionalProperties"),
            ("/filters/make/1".to_owned(), "type"),
            ("/filters/price_max".to_owned(), "type"),
            ("/filters/year_min".to_owned(), "minimum"),
        ]
    );
}

#[test]
fn one_unreadable_value_is_a_schema_failure_that_says_what_to_send() {
    let text = r#"{"type":"inventory.search.request","pagination":{"skip":1e400}}"#;
    let rejection = Payload::parse(text).unwrap().validate(now()).unwrap_err();
    assert_eq!(rejection.code, ErrorCode::SchemaValidationFailed);
    assert_eq!(
        rejection.message,
        "the request breaks its schema: 1 problem"
    );
    assert_eq!(rejection.problems[0].instance_location, "/pagination/skip");
    assert!(rejection.problems[0].error.contains("number"));
}

#[test]
fn half_a_character_is_refused_in_values_and_names() {
    let text = r#"{"type":"inventory.search.request","filters":{"query":"a\ud800"},"\udfff":{}}"#;
    assert_eq!(
        refused(text).1,
        [
            (String::new(), "propertyNames"),
            ("/filters/query".to_owned(), "type"),
        ]
    );
    let pair = r#"{"type":"inventory.search.request","filters":{"query":"\ud83d\ude97"}}"#;
    assert!(Payload::parse(pair).unwrap().validate(now()).is_ok());
}

#[test]
fn consent_that_cannot_be_read_is_invalid_consent() {
    let text = lead()
        .to_string()
        .replace(r#""2026-05-01T11:58:00-05:00""#, r#""\ud800""#);
    assert_eq!(
        refused(&text),
        (
            ErrorCode::InvalidConsent,
            vec![("/consent/granted_at".to_owned(), "type")]
        )
    );
}

/// Where the rules allow any member, an unreadable one is refused nevertheless: it could not be
/// handed on as it was sent.
#[test]
fn open_objects_take_no_unreadable_members() {
    let text = lead()
        .to_string()
        .replace(r#""year":2014"#, r#""year":2014,"zest":{"a/b":[1e400]}"#);
    assert_eq!(
        refused(&text),
        (
            ErrorCode::SchemaValidationFailed,
            vec![("/trade_in/zest/a~1b/0".to_owned(), "type")]
        )
    );
}

#[test]
fn what_is_asked_for_stays_known() {
    let type_of = |text: &str| Payload::parse(text).unwrap().skill(&Skill::ALL);
    assert_eq!(
        type_of(r#"{"filters":{"price_max":1e400},"type":"inventory.facets.request"}"#),
        Ok(Skill::InventoryFacets)
    );
    let (code, places) = refused(r#"{"type":1e400}"#);
    assert_eq!(code, ErrorCode::SchemaValidationFailed);
    assert_eq!(places, [("/type".to_owned(), "type")]);
    let rejection = type_of(r#"{"type":"parts.order.request","n":1e400}"#).unwrap_err();
    assert_eq!(rejection.code, ErrorCode::UnsupportedSkill);
}

#[test]
fn an_agent_names_only_what_it_serves() {
    let served = [Skill::DealerInformation, Skill::LeadSubmit];
    for text in [
        r#"{"type":"parts.order.request"}"#,
        r#"{"type":"inventory.search.request"}"#,
        r#"{"type":"Inventory"}"#,
        r#"{"type":7}"#,
        "{}",
    ] {
        let rejection = Payload::parse(text).unwrap().skill(&served).unwrap_err();
        let error = &rejection.problems[0].error;
        assert!(error.contains("lead.submit.request"), "{text}: {error}");
        assert!(!error.contains("inventory"), "{text}: {error}");
    }
}

/// The JSON reader uses a member name of its own to carry raw text.
#[test]
fn a_member_cannot_pass_itself_off_as_raw_text() {
    let request = json!({ "type": "dealer.information.request" }).to_string();
    let smuggled = json!({ "$serde_json::private::RawValue": request }).to_string();
    assert_eq!(refused(&smuggled).0, ErrorCode::SchemaValidationFailed);
    let inside = lead().to_string().replace(
        r#""year":2014"#,
        r#""year":2014,"zest":{"$serde_json::private::RawValue":"no JSON"}"#,
    );
    assert_eq!(
        refused(&inside),
        (
            ErrorCode::SchemaValidationFailed,
            vec![("/trade_in/zest".to_owned(), "propertyNames")]
        )
    );
}

#[test]
fn deep_payloads_end_without_a_crash() {
    for depth in [100, 1_000, 20_000] {
        for leaf in ["1", "1e400"] {
            let text = format!("{}{leaf}{}", "[".repeat(depth), "]".repeat(depth));
            let payload = Payload::parse(&text).unwrap();
            assert!(payload.validate(now()).is_err());
        }
    }
    assert!(Payload::parse("{").is_err());
    assert!(Payload::parse("").is_err());
}
