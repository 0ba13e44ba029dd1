//! Rules of `lead.submit` (AAP 1.3, `lead-submit-request`, `customer`, `consent-grant` and
//! `appointment`, and the consent rules of the behaviour page).

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{
    findings::{Cause, Findings, Members, Required},
    vehicle,
};
use crate::formats;

/// How far a clock of the buyer's side may be ahead.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

pub(super) fn lead_request<'p>(findings: &mut Findings<'p>, payload: &'p Value, now: Timestamp) {
    findings.closed(payload, LEAD, LEAD_REQUIRED);
    match payload.get("consent") {
        None => findings.blaming(Cause::ConsentMissing, |findings| {
            findings.at_member("consent", |findings| {
                findings.note(
                    "required",
                    format_args!("required: what the person agreed to, with scope and channels"),
                );
            });
        }),
        Some(consent) => {
            consent_in_force(findings, consent, now);
            preferred_channel(findings, payload, consent);
        }
    }
}

const LEAD: Members = &[
    ("type", |_, _| ()),
    ("customer", customer),
    ("consent", |f, v| {
        f.blaming(Cause::ConsentInvalid, |f| {
            f.closed(v, CONSENT, CONSENT_REQUIRED)
        });
    }),
    ("vehicle_of_interest", vehicle::vehicle_of_interest),
    ("trade_in", vehicle::trade_in),
    ("appointment", |f, v| {
        f.closed(v, APPOINTMENT, APPOINTMENT_REQUIRED)
    }),
    ("message", |f, v| f.text_between(v, 0, 4000)),
    ("source_agent", |f, v| {
        f.closed(v, SOURCE_AGENT, SOURCE_AGENT_REQUIRED)
    }),
    ("submitted_at", |f, v| f.date_time(v)),
    ("idempotency_key", |f, v| f.text_between(v, 1, 128)),
];

/// Consent is judged apart, for its error code.
const LEAD_REQUIRED: Required = &[
    (
        "customer",
        "who enquires: first_name, last_name, and email or phone",
    ),
    ("source_agent", "an object with the agent's name"),
];

fn customer<'p>(findings: &mut Findings<'p>, value: &'p Value) {
    const CUSTOMER: Members = &[
        ("first_name", |f, v| f.text(v)),
        ("last_name", |f, v| f.text(v)),
        ("email", |f, v| f.email(v)),
        ("phone", |f, v| f.e164(v)),
        ("preferred_contact", |f, v| {
            f.one_of(v, &["email", "phone", "sms", "any"]);
        }),
        ("address", |f, v| f.closed(v, ADDRESS, &[])),
    ];
    const CUSTOMER_REQUIRED: Required = &[
        ("first_name", "the given name as a string"),
        ("last_name", "the family name as a string"),
    ];
    findings.closed(value, CUSTOMER, CUSTOMER_REQUIRED);
    let unreachable = value
        .as_object()
        .is_some_and(|members| !members.contains_key("email") && !members.contains_key("phone"));
    if unreachable {
        findings.note("anyOf", format_args!("send email, phone or both"));
    }
}

const ADDRESS: Members = &[
    ("country", |f, v| f.text(v)),
    ("state", |f, v| f.text(v)),
    ("city", |f, v| f.text(v)),
    ("address_line_1", |f, v| f.text(v)),
    ("address_line_2", |f, v| f.text(v)),
    ("zip", |f, v| f.text(v)),
];

const CONSENT: Members = &[
    ("granted_at", |f, v| f.date_time(v)),
    ("allowed_channels", allowed_channels),
    ("consent_text", |f, v| f.text_between(v, 1, usize::MAX)),
    ("scope", scope),
    ("expires_at", |f, v| f.date_time(v)),
];

const CONSENT_REQUIRED: Required = &[
    (
        "granted_at",
        "when the consent was given, RFC 3339 with offset",
    ),
    ("allowed_channels", "an array of email, phone, sms"),
    ("consent_text", "the text that the person agreed to"),
    ("scope", r#"["lead_submission"]"#),
];

fn allowed_channels<'p>(findings: &mut Findings<'p>, value: &'p Value) {
    let Some(items) = findings.list(value, |f, v| f.one_of(v, CHANNELS)) else {
        return;
    };
    if items.is_empty() {
        findings.note(
            "minItems",
            format_args!("send at least one of email, phone, sms"),
        );
    }
    let repeated = CHANNELS
        .iter()
        .any(|channel| items.iter().filter(|item| *item == channel).count() > 1);
    if repeated {
        findings.note("uniqueItems", format_args!("send each channel once"));
    }
}

const CHANNELS: &[&str] = &["email", "phone", "sms"];

fn scope<'p>(findings: &mut Findings<'p>, value: &'p Value) {
    let Some(items) = findings.list(value, |f, v| f.one_of(v, &["lead_submission"])) else {
        return;
    };
    match items.len() {
        0 => findings.note("minItems", format_args!(r#"send ["lead_submission"]"#)),
        1 => {}
        _ => findings.note(
            "maxItems",
            format_args!(r#"send ["lead_submission"] and nothing else"#),
        ),
    }
}

const APPOINTMENT: Members = &[
    ("appointment_type", |f, v| {
        f.one_of(v, &["sales", "service", "test_drive", "trade_in"]);
    }),
    ("appointment_at", |f, v| f.date_time(v)),
    ("duration_minutes", |f, v| f.integer(v, 15, None)),
    ("notes", |f, v| f.text_between(v, 0, 2000)),
];

const APPOINTMENT_REQUIRED: Required =
    &[("appointment_type", "sales, service, test_drive or trade_in")];

const SOURCE_AGENT: Members = &[
    ("name", |f, v| f.text_between(v, 1, usize::MAX)),
    ("url", |f, v| f.uri(v)),
    ("agent_card_url", |f, v| f.uri(v)),
];

const SOURCE_AGENT_REQUIRED: Required = &[("name", "the agent's name, the same in every lead")];

/// What no schema can see: consent from the future, and consent that has ended.
fn consent_in_force<'p>(findings: &mut Findings<'p>, consent: &'p Value, now: Timestamp) {
    let time = |name| formats::instant(consent.get(name)?.as_str()?);
    let latest = now.checked_add(CLOCK_SKEW).unwrap_or(Timestamp::MAX);
    if time("granted_at").is_some_and(|granted| granted > latest) {
        note_consent(
            findings,
            Cause::ConsentInvalid,
            "granted_at",
            "future",
            format_args!("the consent lies in the future; it is {now} here"),
        );
    }
    if time("expires_at").is_some_and(|expires| expires <= now) {
        note_consent(
            findings,
            Cause::ConsentInvalid,
            "expires_at",
            "expired",
            format_args!("the consent has expired, ask the person again; it is {now} here"),
        );
    }
}

/// The preferred way of contact implies a channel, which must be allowed. `any` implies none.
fn preferred_channel<'p>(findings: &mut Findings<'p>, payload: &'p Value, consent: &'p Value) {
    let preferred = payload
        .get("customer")
        .and_then(|customer| customer.get("preferred_contact"))
        .and_then(Value::as_str)
        .filter(|preferred| CHANNELS.contains(preferred));
    let allowed = consent.get("allowed_channels").and_then(Value::as_array);
    let (Some(preferred), Some(allowed)) = (preferred, allowed) else {
        return;
    };
    if !allowed.iter().any(|channel| channel == preferred) {
        note_consent(
            findings,
            Cause::ChannelNotAllowed,
            "allowed_channels",
            "channel",
            format_args!(
                "the person prefers {preferred} and has not allowed it; ask for consent to it, or leave preferred_contact out"
            ),
        );
    }
}

fn note_consent(
    findings: &mut Findings<'_>,
    cause: Cause,
    member: &'static str,
    keyword: &'static str,
    error: std::fmt::Arguments<'_>,
) {
    findings.blaming(cause, |findings| {
        findings.at_member("consent", |findings| {
            findings.at_member(member, |findings| findings.note(keyword, error));
        });
    });
}
