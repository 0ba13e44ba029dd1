//! Rules of a vehicle inside a lead (AAP 1.3, `vehicle` and `dealer-fee`): no member is required,
//! unknown members are allowed, known ones are typed.

use std::collections::HashSet;

use serde_json::{Number, Value};

use super::{
    findings::{Cause, Check, Findings, Members, Required},
    search::{FIRST_YEAR, LAST_YEAR, SALE_CONDITIONS, VEHICLE_TYPES},
};
use crate::number;

const WEAR_CONDITIONS: &[&str] = &["excellent", "good", "fair", "poor"];

pub(super) fn vehicle_of_interest<'p>(findings: &mut Findings<'p>, value: &'p Value) {
    findings.open(value, MEMBERS);
    condition(findings, value, SALE_CONDITIONS, WEAR_CONDITIONS);
}

pub(super) fn trade_in<'p>(findings: &mut Findings<'p>, value: &'p Value) {
    findings.open(value, MEMBERS);
    condition(findings, value, WEAR_CONDITIONS, SALE_CONDITIONS);
}

/// The context decides about the vocabulary; a word of the other one has an error code of its own.
fn condition<'p>(findings: &mut Findings<'p>, vehicle: &'p Value, words: &[&str], other: &[&str]) {
    let Some(condition) = vehicle.get("condition") else {
        return;
    };
    let cause = match condition.as_str() {
        Some(word) if other.contains(&word) => Cause::OtherVocabulary,
        _ => Cause::Schema,
    };
    findings.blaming(cause, |findings| {
        findings.at_member("condition", |findings| findings.one_of(condition, words));
    });
}

/// Every member but `condition`, which depends on the context.
const MEMBERS: Members = &[
    ("vehicle_type", |f, v| f.one_of(v, VEHICLE_TYPES)),
    ("vin", |f, v| f.vin(v)),
    ("year", |f, v| f.integer(v, FIRST_YEAR, Some(LAST_YEAR))),
    ("make", TEXT),
    ("model", TEXT),
    ("trim", TEXT),
    ("status", |f, v| {
        f.one_of(v, &["available", "intransit", "pending"]);
    }),
    ("rooftop", |f, v| f.nullable_text(v)),
    ("msrp", AMOUNT),
    ("price", AMOUNT),
    ("list_price", AMOUNT),
    ("fees", fees),
    ("stock", TEXT),
    ("dealer_id", TEXT),
    ("vehicle_id", TEXT),
    ("mileage", AMOUNT),
    ("body", TEXT),
    ("transmission", TEXT),
    ("driveline", TEXT),
    ("engine", TEXT),
    ("displacement_cc", AMOUNT),
    ("fuel", TEXT),
    ("city_mpg", AMOUNT),
    ("highway_mpg", AMOUNT),
    ("electric_range_mi", |f, v| f.number(v)),
    ("battery_kwh", |f, v| f.number(v)),
    ("motor_power_hp", |f, v| f.number(v)),
    ("dc_fast_charge", |f, v| f.boolean(v)),
    ("charge_port", |f, v| f.nullable_text(v)),
    ("exterior_color", TEXT),
    ("interior_color", TEXT),
    ("features", |f, v| {
        f.list(v, TEXT);
    }),
    ("photos", |f, v| {
        f.list(v, |f, v| f.uri(v));
    }),
    ("vdp_url", |f, v| f.uri(v)),
    ("description", TEXT),
    ("notes", TEXT),
    ("other_attributes", |f, v| f.map(v, attribute)),
    ("inventory_date", |f, v| f.date(v)),
    ("updated_at", |f, v| f.date_time(v)),
];

const TEXT: Check = |f, v| f.text(v);
const AMOUNT: Check = |f, v| f.integer(v, 0, None);

const FEE: Members = &[("name", fee_name), ("amount", AMOUNT)];

const FEE_REQUIRED: Required = &[
    ("name", "the charge's name"),
    ("amount", "the charge in whole US dollars"),
];

fn fees<'p>(findings: &mut Findings<'p>, value: &'p Value) {
    let Some(fees) = findings.list(value, |f, v| f.closed(v, FEE, FEE_REQUIRED)) else {
        return;
    };
    let mut seen = HashSet::new();
    // A fee that is malformed has a problem of its own and is not compared.
    let repeated = fees
        .iter()
        .filter_map(|fee| {
            Some((
                fee["name"].as_str()?,
                comparable(fee["amount"].as_number()?)?,
            ))
        })
        .any(|fee| !seen.insert(fee));
    if repeated {
        findings.note("uniqueItems", format_args!("send each charge once"));
    }
}

fn fee_name(findings: &mut Findings<'_>, value: &Value) {
    findings.text_between(value, 1, 120);
    let blank = value
        .as_str()
        .is_some_and(|name| !name.is_empty() && name.chars().all(is_ecma_space));
    if blank {
        findings.note(
            "pattern",
            format_args!("send a name with a character other than space"),
        );
    }
}

/// The white space of the pattern language that JSON Schema names (ECMA-262, `\s`).
fn is_ecma_space(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

/// Equal for amounts that are equal in JSON Schema, such as `500` and `500.0`.
fn comparable(amount: &Number) -> Option<(u64, u64)> {
    let value = number::whole(amount)?;
    let beyond = if value == u64::MAX {
        amount.as_f64()?.to_bits()
    } else {
        0
    };
    Some((value, beyond))
}

fn attribute(findings: &mut Findings<'_>, value: &Value) {
    let allowed = match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
        Value::Array(items) => {
            items.iter().all(Value::is_string) || items.iter().all(Value::is_number)
        }
        Value::Null | Value::Object(_) => false,
    };
    if !allowed {
        findings.note(
            "anyOf",
            format_args!(
                "send a string, a number, true, false, or an array of strings or of numbers only"
            ),
        );
    }
}
