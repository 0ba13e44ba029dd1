//! Bad requests, each with the exact error code and the exact places and keywords.

mod lead;
mod requests;

use std::collections::HashSet;

use aap::{ErrorCode, validate};
use serde_json::{Value, json};

use testkit::contract::contract;

use crate::{findings, lead, lead_with, now};

/// A request that must be refused.
struct Case {
    name: &'static str,
    payload: Value,
    code: ErrorCode,
    /// In order of place.
    problems: Vec<(&'static str, &'static str)>,
}

fn case(
    name: &'static str,
    payload: Value,
    code: ErrorCode,
    problems: &[(&'static str, &'static str)],
) -> Case {
    Case {
        name,
        payload,
        code,
        problems: problems.to_vec(),
    }
}

#[test]
fn each_bad_payload_gets_its_code_and_every_problem() {
    let cases = cases();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let names: HashSet<_> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    for case in cases {
        let rejection = validate(&case.payload, now()).expect_err(case.name);
        assert_eq!(findings(&rejection), case.problems, "{}", case.name);
        assert_eq!(rejection.code, case.code, "{}", case.name);
        assert_eq!(rejection.total, case.problems.len(), "{}", case.name);
    }
}

#[test]
fn the_schemas_refuse_them_too() {
    let Some(contract) = contract() else { return };
    for case in cases() {
        let only_behaviour_rules = case
            .problems
            .iter()
            .all(|(_, keyword)| matches!(*keyword, "expired" | "future" | "channel"));
        // A payload that names none of the five requests has no schema; none of them takes it.
        let schemas = match aap::validate::requested_skill(&case.payload, &aap::Skill::ALL) {
            Ok(skill) => vec![skill.request_schema()],
            Err(_) => aap::Skill::ALL.map(aap::Skill::request_schema).to_vec(),
        };
        for schema in schemas {
            let accepted = contract.accepts(&schema, &case.payload);
            assert_eq!(accepted, only_behaviour_rules, "{}", case.name);
        }
    }
}

#[test]
fn the_base_of_the_lead_cases_is_good() {
    validate(&lead(), now()).unwrap();
    if let Some(contract) = contract() {
        contract.assert_accepts("lead-submit-request.schema.json", &lead());
    }
}

#[test]
fn no_error_repeats_what_is_the_persons() {
    let personal = [
        "Robin",
        "robin",
        "Sample",
        "5550142",
        "Fixture Row",
        "heater",
    ];
    let misplaced = [
        "/customer/preferred_contact",
        "/customer/phone",
        "/customer/email",
        "/customer/address",
        "/consent/granted_at",
        "/consent/scope/0",
        "/consent/allowed_channels/0",
        "/appointment/appointment_type",
        "/appointment/appointment_at",
        "/vehicle_of_interest/condition",
        "/vehicle_of_interest/vin",
        "/vehicle_of_interest/year",
        "/source_agent/url",
        "/submitted_at",
    ];
    let slips = [
        "Robin Sample",
        "robin.sample@",
        "(312) 555-0142",
        "13125550142",
        "1 Fixture Row, Peoria",
    ];
    for pointer in misplaced {
        for slip in slips {
            let rejection = validate(&lead_with(pointer, json!(slip)), now()).unwrap_err();
            let told = format!("{rejection} {rejection:?}");
            for word in personal {
                assert!(!told.contains(word), "{pointer} with {slip}: {told}");
            }
        }
    }
}

fn cases() -> Vec<Case> {
    [requests::cases(), lead::cases()]
        .into_iter()
        .flatten()
        .collect()
}
