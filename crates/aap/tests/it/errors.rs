//! Error payloads: written for a caller, read from a dealer.

use std::{collections::HashSet, time::Duration};

use aap::{AapError, ErrorCode, Profile, Rejection, Skill, validate};
use serde_json::{Value, json};

use testkit::contract::{contract, draft_contract};

use crate::{lead_without, now};

#[test]
fn a_rejection_becomes_the_payload_of_1_3() {
    let rejection = validate(&lead_without("/consent/scope"), now()).unwrap_err();
    let payload = AapError::from_rejection(&rejection, "err_7", now()).to_payload();
    assert_eq!(
        payload,
        json!({
            "type": "aap.error",
            "error_id": "err_7",
            "code": "INVALID_CONSENT",
            "message": "the consent is not valid: 1 problem",
            "retryable": false,
            "details": { "errors": [{
                "instanceLocation": "/consent/scope",
                "keyword": "required",
                "error": "required: [\"lead_submission\"]",
            }] },
            "created_at": "2026-05-01T17:00:00Z",
        })
    );
    if let Some(contract) = contract() {
        contract.assert_accepts("error.schema.json", &payload);
    }
}

#[test]
fn every_code_is_written_as_the_schema_has_it() {
    let names: HashSet<_> = ErrorCode::ALL.map(ErrorCode::as_str).into();
    assert_eq!(names.len(), 12);
    for code in ErrorCode::ALL {
        let error = AapError::new(code, "words", "err_1", now());
        let payload = error.to_payload();
        assert_eq!(payload["code"], code.as_str());
        assert_eq!(AapError::from_data(&payload).unwrap(), Some(error));
        if let Some(contract) = contract() {
            contract.assert_accepts("error.schema.json", &payload);
        }
    }
}

#[test]
fn numbers_and_retries_follow_the_tables() {
    use ErrorCode::*;
    for (code, in_1_3, in_draft, retryable) in [
        (UnsupportedSkill, -32601, -32004, false),
        (SchemaValidationFailed, -32602, -32602, false),
        (MissingRequiredField, -32602, -32602, false),
        (InvalidCondition, -32602, -32602, false),
        (VehicleNotFound, -32000, -32000, false),
        (VehicleUnavailable, -32000, -32000, false),
        (ContactConsentRequired, -32000, -32000, false),
        (InvalidConsent, -32000, -32000, false),
        (AppointmentTimeUnavailable, -32000, -32000, false),
        (IdempotencyConflict, -32000, -32000, false),
        (RateLimited, -32002, -32000, true),
        (InternalError, -32603, -32603, true),
    ] {
        assert_eq!(code.json_rpc_code(Profile::V1_3), in_1_3, "{code}");
        assert_eq!(code.json_rpc_code(Profile::Draft2), in_draft, "{code}");
        assert_eq!(code.default_retryable(), retryable, "{code}");
    }
}

#[test]
fn an_agent_of_some_skills_names_them() {
    let rejection = Rejection::unsupported("lead.submit.request", &[Skill::InventorySearch]);
    assert_eq!(rejection.code, ErrorCode::UnsupportedSkill);
    assert_eq!(
        rejection.message,
        "this agent does not serve \"lead.submit.request\""
    );
    assert_eq!(
        rejection.problems[0].error,
        "send one of inventory.search.request"
    );
}

#[test]
fn the_error_is_found_by_its_type() {
    let payload = json!({
        "type": "aap.error", "error_id": "e", "code": "RATE_LIMITED", "message": "slow down", "retryable": true,
        "details": { "retry_after_ms": 1500 }, "created_at": "2026-05-01T12:00:00-05:00", "vendor": 1,
    });
    let error = AapError::from_data(&payload).unwrap().unwrap();
    assert_eq!(
        (error.code, error.retryable),
        (ErrorCode::RateLimited, true)
    );
    assert_eq!(error.created_at, now());
    assert_eq!(error.retry_after(), Some(Duration::from_millis(1500)));

    let listed = json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo" }, 5, payload]);
    assert_eq!(AapError::from_data(&listed).unwrap(), Some(error));

    for none in [
        json!(null),
        json!([]),
        json!({}),
        json!("aap.error"),
        json!({ "type": "other" }),
    ] {
        assert_eq!(AapError::from_data(&none).unwrap(), None, "{none}");
    }
}

#[test]
fn a_broken_error_payload_is_not_passed_over() {
    for broken in [
        json!({ "type": "aap.error" }),
        json!([{ "@type": "https://autoagentprotocol.org/extensions/aap/error", "code": "NEW_CODE" }]),
    ] {
        let told = AapError::from_data(&broken).unwrap_err().to_string();
        assert!(
            told.starts_with("the dealer's error is not a valid aap.error: "),
            "{told}"
        );
    }
}

#[test]
fn the_wait_is_read_in_both_units() {
    let wait = |details: Value| {
        AapError::new(ErrorCode::RateLimited, "", "", now())
            .with_details(details)
            .retry_after()
    };
    assert_eq!(
        wait(json!({ "retry_after_ms": 250 })),
        Some(Duration::from_millis(250))
    );
    assert_eq!(
        wait(json!({ "retry_after_seconds": 2 })),
        Some(Duration::from_secs(2))
    );
    for nonsense in [
        json!({}),
        json!([]),
        json!({ "retry_after_ms": -1 }),
        json!({ "retry_after_ms": "soon" }),
        json!({ "retry_after_seconds": 1e300 }),
    ] {
        assert_eq!(wait(nonsense.clone()), None, "{nonsense}");
    }
}

#[test]
fn published_error_examples_are_read() {
    let Some(contract) = contract() else { return };
    let (_, example) = contract.examples("error.example").remove(0);
    let error = AapError::from_data(&example).unwrap().unwrap();
    assert_eq!(error.to_payload(), example);
}

#[test]
fn a_rejection_becomes_the_list_of_the_draft() {
    let rejection = validate(&lead_without("/consent/scope"), now()).unwrap_err();
    let error = AapError::from_rejection(&rejection, "err_7", now());
    let data = error.to_data(Profile::Draft2);
    let mut payload = error.to_payload();
    payload["@type"] = json!("https://autoagentprotocol.org/extensions/aap/error");
    assert_eq!(
        data,
        json!([
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "INVALID_CONSENT",
                "domain": "autoagentprotocol.org",
                "metadata": {
                    "code": "INVALID_CONSENT",
                    "error_id": "err_7",
                    "retryable": "false",
                    "created_at": "2026-05-01T17:00:00Z",
                },
            },
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{
                    "field": "/consent/scope",
                    "description": "required: [\"lead_submission\"]",
                }],
            },
            payload,
        ])
    );
    assert_eq!(AapError::from_data(&data).unwrap(), Some(error.clone()));
    assert_eq!(error.to_data(Profile::V1_3), error.to_payload());
}

#[test]
fn every_code_is_written_as_the_drafts_schema_has_it() {
    for code in ErrorCode::ALL {
        let error = AapError::new(code, "words", "err_1", now());
        let data = error.to_data(Profile::Draft2);
        let [info, payload] = data.as_array().unwrap().as_slice() else {
            panic!("without problems there is no BadRequest: {data:#}");
        };
        assert_eq!(info["reason"], code.as_str());
        for (member, value) in info["metadata"].as_object().unwrap() {
            let plain = match &payload[member] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(*value, json!(plain), "{code} {member}");
        }
        assert_eq!(AapError::from_data(&data).unwrap(), Some(error));
        if let Some(contract) = draft_contract() {
            contract.assert_accepts("error.schema.json", payload);
        }
    }
}

#[test]
fn the_drafts_error_examples_are_read_and_written_alike() {
    let Some(contract) = draft_contract() else {
        return;
    };
    for (name, code) in [
        (
            "error-validation.jsonrpc.example.json",
            ErrorCode::SchemaValidationFailed,
        ),
        (
            "error-rate-limited.jsonrpc.example.json",
            ErrorCode::RateLimited,
        ),
    ] {
        let published = &contract.example(name)["error"];
        let error = AapError::from_data(&published["data"]).unwrap().unwrap();
        assert_eq!(error.code, code);
        assert_eq!(error.to_data(Profile::Draft2), published["data"]);
        assert_eq!(code.json_rpc_code(Profile::Draft2), published["code"]);
    }
    let single = contract.example("error.example.json");
    let error = AapError::from_data(&single).unwrap().unwrap();
    assert_eq!(error.to_data(Profile::Draft2)[1], single);
    let protocol = &contract.example("error-extension-required.jsonrpc.example.json")["error"];
    assert_eq!(AapError::from_data(&protocol["data"]).unwrap(), None);
}
