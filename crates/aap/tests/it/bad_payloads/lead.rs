//! Leads.

use aap::ErrorCode::{
    ContactConsentRequired, InvalidCondition, InvalidConsent, MissingRequiredField,
    SchemaValidationFailed,
};
use serde_json::json;

use super::{Case, case};
use crate::{lead_with, lead_without, with, without};

pub(super) fn cases() -> Vec<Case> {
    [members(), consent(), vehicles()]
        .into_iter()
        .flatten()
        .collect()
}

fn members() -> Vec<Case> {
    vec![
        case(
            "no customer",
            lead_without("/customer"),
            MissingRequiredField,
            &[("/customer", "required")],
        ),
        case(
            "no agent",
            lead_without("/source_agent"),
            MissingRequiredField,
            &[("/source_agent", "required")],
        ),
        case(
            "no customer and no agent",
            without(lead_without("/customer"), "/source_agent"),
            SchemaValidationFailed,
            &[("/customer", "required"), ("/source_agent", "required")],
        ),
        case(
            "no family name",
            lead_without("/customer/last_name"),
            MissingRequiredField,
            &[("/customer/last_name", "required")],
        ),
        case(
            "neither mail nor telephone",
            without(lead_without("/customer/email"), "/customer/phone"),
            SchemaValidationFailed,
            &[("/customer", "anyOf")],
        ),
        case(
            "names of other types",
            with(
                lead_with("/customer/first_name", json!(null)),
                "/customer/last_name",
                json!(["Sample"]),
            ),
            SchemaValidationFailed,
            &[
                ("/customer/first_name", "type"),
                ("/customer/last_name", "type"),
            ],
        ),
        case(
            "malformed mail and telephone",
            with(
                lead_with("/customer/email", json!("robin at mail")),
                "/customer/phone",
                json!("(312) 555-0142"),
            ),
            SchemaValidationFailed,
            &[
                ("/customer/email", "format"),
                ("/customer/phone", "pattern"),
            ],
        ),
        case(
            "an unknown way of contact",
            lead_with("/customer/preferred_contact", json!("fax")),
            SchemaValidationFailed,
            &[("/customer/preferred_contact", "enum")],
        ),
        case(
            "unknown members of customer and address",
            with(
                lead_with("/customer/name", json!("Robin")),
                "/customer/address/street",
                json!("x"),
            ),
            SchemaValidationFailed,
            &[
                ("/customer/address/street", "additionalProperties"),
                ("/customer/name", "additionalProperties"),
            ],
        ),
        case(
            "a zip without quotes",
            lead_with("/customer/address/zip", json!(61602)),
            SchemaValidationFailed,
            &[("/customer/address/zip", "type")],
        ),
        case(
            "an agent of 1.0",
            lead_with("/source_agent", json!("fixture-agent")),
            SchemaValidationFailed,
            &[("/source_agent", "type")],
        ),
        case(
            "an agent without a name, with relative addresses",
            lead_with(
                "/source_agent",
                json!({ "url": "agent.example", "agent_card_url": "/card", "id": 1 }),
            ),
            SchemaValidationFailed,
            &[
                ("/source_agent/agent_card_url", "format"),
                ("/source_agent/id", "additionalProperties"),
                ("/source_agent/name", "required"),
                ("/source_agent/url", "format"),
            ],
        ),
        case(
            "an agent with an empty name",
            lead_with("/source_agent/name", json!("")),
            SchemaValidationFailed,
            &[("/source_agent/name", "minLength")],
        ),
        case(
            "an appointment without purpose",
            lead_without("/appointment/appointment_type"),
            MissingRequiredField,
            &[("/appointment/appointment_type", "required")],
        ),
        case(
            "an appointment full of mistakes",
            lead_with(
                "/appointment",
                json!({
                    "appointment_type": "testdrive", "appointment_at": "2026-05-04T10:00:00",
                    "duration_minutes": 14, "notes": "x".repeat(2001), "timezone": "America/Chicago",
                }),
            ),
            SchemaValidationFailed,
            &[
                ("/appointment/appointment_at", "format"),
                ("/appointment/appointment_type", "enum"),
                ("/appointment/duration_minutes", "minimum"),
                ("/appointment/notes", "maxLength"),
                ("/appointment/timezone", "additionalProperties"),
            ],
        ),
        case(
            "an appointment of half a minute",
            lead_with("/appointment/duration_minutes", json!(30.5)),
            SchemaValidationFailed,
            &[("/appointment/duration_minutes", "type")],
        ),
        case(
            "a message of 4001 characters and an unknown member",
            with(
                lead_with("/message", json!("x".repeat(4001))),
                "/zip",
                json!("61602"),
            ),
            SchemaValidationFailed,
            &[("/message", "maxLength"), ("/zip", "additionalProperties")],
        ),
        case(
            "an empty key and a time without offset",
            with(
                lead_with("/idempotency_key", json!("")),
                "/submitted_at",
                json!("2026-05-01T11:59:00"),
            ),
            SchemaValidationFailed,
            &[
                ("/idempotency_key", "minLength"),
                ("/submitted_at", "format"),
            ],
        ),
        case(
            "a key of 129 characters",
            lead_with("/idempotency_key", json!("k".repeat(129))),
            SchemaValidationFailed,
            &[("/idempotency_key", "maxLength")],
        ),
        case(
            "a telephone number of 16 digits in a lead of nulls",
            with(
                with(
                    lead_with("/customer/phone", json!("+1312555014212345")),
                    "/message",
                    json!(null),
                ),
                "/appointment",
                json!(null),
            ),
            SchemaValidationFailed,
            &[
                ("/appointment", "type"),
                ("/customer/phone", "pattern"),
                ("/message", "type"),
            ],
        ),
    ]
}

fn consent() -> Vec<Case> {
    vec![
        case(
            "no consent",
            lead_without("/consent"),
            ContactConsentRequired,
            &[("/consent", "required")],
        ),
        case(
            "no consent among other problems",
            with(
                without(lead_without("/consent"), "/customer"),
                "/vehicle_of_interest/condition",
                json!("good"),
            ),
            ContactConsentRequired,
            &[
                ("/consent", "required"),
                ("/customer", "required"),
                ("/vehicle_of_interest/condition", "enum"),
            ],
        ),
        case(
            "consent is null",
            lead_with("/consent", json!(null)),
            InvalidConsent,
            &[("/consent", "type")],
        ),
        case(
            "consent is true",
            lead_with("/consent", json!(true)),
            InvalidConsent,
            &[("/consent", "type")],
        ),
        case(
            "consent is empty",
            lead_with("/consent", json!({})),
            InvalidConsent,
            &[
                ("/consent/allowed_channels", "required"),
                ("/consent/consent_text", "required"),
                ("/consent/granted_at", "required"),
                ("/consent/scope", "required"),
            ],
        ),
        case(
            "consent without scope",
            lead_without("/consent/scope"),
            InvalidConsent,
            &[("/consent/scope", "required")],
        ),
        case(
            "consent of another scope",
            lead_with("/consent/scope", json!(["marketing"])),
            InvalidConsent,
            &[("/consent/scope/0", "enum")],
        ),
        case(
            "consent of two scopes",
            lead_with("/consent/scope", json!(["lead_submission", "marketing"])),
            InvalidConsent,
            &[("/consent/scope", "maxItems"), ("/consent/scope/1", "enum")],
        ),
        case(
            "consent of no scope",
            lead_with("/consent/scope", json!([])),
            InvalidConsent,
            &[("/consent/scope", "minItems")],
        ),
        case(
            "consent with the scope as a text",
            lead_with("/consent/scope", json!("lead_submission")),
            InvalidConsent,
            &[("/consent/scope", "type")],
        ),
        case(
            "consent with an empty text",
            lead_with("/consent/consent_text", json!("")),
            InvalidConsent,
            &[("/consent/consent_text", "minLength")],
        ),
        case(
            "consent of 1.0",
            lead_with("/consent/source_agent", json!("fixture-agent")),
            InvalidConsent,
            &[("/consent/source_agent", "additionalProperties")],
        ),
        case(
            "consent given at no clear time",
            lead_with("/consent/granted_at", json!("2026-05-01 11:58")),
            InvalidConsent,
            &[("/consent/granted_at", "format")],
        ),
        case(
            "consent that has expired",
            lead_with("/consent/expires_at", json!("2026-05-01T12:00:00-05:00")),
            InvalidConsent,
            &[("/consent/expires_at", "expired")],
        ),
        case(
            "consent from the future",
            lead_with("/consent/granted_at", json!("2026-05-01T17:05:01Z")),
            InvalidConsent,
            &[("/consent/granted_at", "future")],
        ),
        case(
            "consent from the year 9999 that has expired",
            with(
                lead_with("/consent/granted_at", json!("9999-12-31T23:59:59-23:59")),
                "/consent/expires_at",
                json!("0000-01-01T00:00:00Z"),
            ),
            InvalidConsent,
            &[
                ("/consent/expires_at", "expired"),
                ("/consent/granted_at", "future"),
            ],
        ),
        case(
            "consent to no channel",
            with(
                lead_with("/consent/allowed_channels", json!([])),
                "/customer/preferred_contact",
                json!("any"),
            ),
            InvalidConsent,
            &[("/consent/allowed_channels", "minItems")],
        ),
        case(
            "consent to a channel twice and to one that is none",
            lead_with(
                "/consent/allowed_channels",
                json!(["email", "email", "any", 1]),
            ),
            InvalidConsent,
            &[
                ("/consent/allowed_channels", "uniqueItems"),
                ("/consent/allowed_channels/2", "enum"),
                ("/consent/allowed_channels/3", "type"),
            ],
        ),
        case(
            "preferred call without consent to calls",
            lead_with("/customer/preferred_contact", json!("phone")),
            ContactConsentRequired,
            &[("/consent/allowed_channels", "channel")],
        ),
        case(
            "preferred text message without consent to them",
            with(
                lead_with("/customer/preferred_contact", json!("sms")),
                "/consent/allowed_channels",
                json!(["phone", "email"]),
            ),
            ContactConsentRequired,
            &[("/consent/allowed_channels", "channel")],
        ),
        case(
            "channel not allowed and consent expired",
            with(
                lead_with("/customer/preferred_contact", json!("phone")),
                "/consent/expires_at",
                json!("2026-04-01T00:00:00Z"),
            ),
            InvalidConsent,
            &[
                ("/consent/allowed_channels", "channel"),
                ("/consent/expires_at", "expired"),
            ],
        ),
        case(
            "channel not allowed, other vocabulary, no agent",
            without(
                with(
                    lead_with("/customer/preferred_contact", json!("phone")),
                    "/trade_in/condition",
                    json!("used"),
                ),
                "/source_agent",
            ),
            ContactConsentRequired,
            &[
                ("/consent/allowed_channels", "channel"),
                ("/source_agent", "required"),
                ("/trade_in/condition", "enum"),
            ],
        ),
    ]
}

fn vehicles() -> Vec<Case> {
    vec![
        case(
            "a vehicle of interest in wear words",
            lead_with("/vehicle_of_interest/condition", json!("excellent")),
            InvalidCondition,
            &[("/vehicle_of_interest/condition", "enum")],
        ),
        case(
            "a trade-in in sale words, and no agent",
            without(
                lead_with("/trade_in/condition", json!("cpo")),
                "/source_agent",
            ),
            InvalidCondition,
            &[
                ("/source_agent", "required"),
                ("/trade_in/condition", "enum"),
            ],
        ),
        case(
            "conditions of no vocabulary",
            with(
                lead_with("/vehicle_of_interest/condition", json!("certified")),
                "/trade_in/condition",
                json!("Fair"),
            ),
            SchemaValidationFailed,
            &[
                ("/trade_in/condition", "enum"),
                ("/vehicle_of_interest/condition", "enum"),
            ],
        ),
        case(
            "a condition that is no text",
            lead_with("/trade_in/condition", json!(null)),
            SchemaValidationFailed,
            &[("/trade_in/condition", "type")],
        ),
        case(
            "vehicles in words",
            with(
                lead_with("/vehicle_of_interest", json!("F-150")),
                "/trade_in",
                json!([{}]),
            ),
            SchemaValidationFailed,
            &[("/trade_in", "type"), ("/vehicle_of_interest", "type")],
        ),
        case(
            "numbers of a trade-in",
            lead_with(
                "/trade_in",
                json!({
                    "year": 1850, "mileage": -1, "price": 9.99, "msrp": "20000", "displacement_cc": null,
                    "battery_kwh": -0.1, "electric_range_mi": "220", "city_mpg": 25.0, "dc_fast_charge": 1,
                }),
            ),
            SchemaValidationFailed,
            &[
                ("/trade_in/battery_kwh", "minimum"),
                ("/trade_in/dc_fast_charge", "type"),
                ("/trade_in/displacement_cc", "type"),
                ("/trade_in/electric_range_mi", "type"),
                ("/trade_in/mileage", "minimum"),
                ("/trade_in/msrp", "type"),
                ("/trade_in/price", "type"),
                ("/trade_in/year", "minimum"),
            ],
        ),
        case(
            "words of a vehicle of interest",
            lead_with(
                "/vehicle_of_interest",
                json!({
                    "vehicle_type": "truck", "status": "sold", "vin": "unknown", "make": 1, "rooftop": false,
                    "charge_port": 2, "features": "heated seats", "description": null,
                }),
            ),
            SchemaValidationFailed,
            &[
                ("/vehicle_of_interest/charge_port", "type"),
                ("/vehicle_of_interest/description", "type"),
                ("/vehicle_of_interest/features", "type"),
                ("/vehicle_of_interest/make", "type"),
                ("/vehicle_of_interest/rooftop", "type"),
                ("/vehicle_of_interest/status", "enum"),
                ("/vehicle_of_interest/vehicle_type", "enum"),
                ("/vehicle_of_interest/vin", "pattern"),
            ],
        ),
        case(
            "addresses and dates of a vehicle",
            lead_with(
                "/vehicle_of_interest",
                json!({
                    "photos": ["https://photos.dealer.example/1.jpg", "1.jpg", 7], "vdp_url": "dealer.example/1",
                    "inventory_date": "05/01/2026", "updated_at": "2026-05-01",
                }),
            ),
            SchemaValidationFailed,
            &[
                ("/vehicle_of_interest/inventory_date", "format"),
                ("/vehicle_of_interest/photos/1", "format"),
                ("/vehicle_of_interest/photos/2", "type"),
                ("/vehicle_of_interest/updated_at", "format"),
                ("/vehicle_of_interest/vdp_url", "format"),
            ],
        ),
        case(
            "charges",
            lead_with(
                "/vehicle_of_interest/fees",
                json!([
                    {}, { "name": "", "amount": 5 }, { "name": " \u{feff}\n", "amount": 5 },
                    { "name": "x".repeat(121), "amount": -5 }, { "name": "Doc", "amount": 5.99, "currency": "USD" }, "Doc",
                ]),
            ),
            SchemaValidationFailed,
            &[
                ("/vehicle_of_interest/fees/0/amount", "required"),
                ("/vehicle_of_interest/fees/0/name", "required"),
                ("/vehicle_of_interest/fees/1/name", "minLength"),
                ("/vehicle_of_interest/fees/2/name", "pattern"),
                ("/vehicle_of_interest/fees/3/amount", "minimum"),
                ("/vehicle_of_interest/fees/3/name", "maxLength"),
                ("/vehicle_of_interest/fees/4/amount", "type"),
                (
                    "/vehicle_of_interest/fees/4/currency",
                    "additionalProperties",
                ),
                ("/vehicle_of_interest/fees/5", "type"),
            ],
        ),
        case(
            "one charge twice",
            lead_with(
                "/trade_in/fees",
                json!([
                    { "name": "Doc", "amount": 299 }, { "name": "Etching", "amount": 299 }, { "amount": 299.0, "name": "Doc" },
                ]),
            ),
            SchemaValidationFailed,
            &[("/trade_in/fees", "uniqueItems")],
        ),
        case(
            "attributes of all kinds",
            lead_with(
                "/vehicle_of_interest/other_attributes",
                json!({
                    "doors": 4, "abs": true, "finish": "matte", "sizes": [1, 2.5], "empty": [],
                    "a/b": null, "nested": {}, "mixed": ["a", 1], "flags": [true],
                }),
            ),
            SchemaValidationFailed,
            &[
                ("/vehicle_of_interest/other_attributes/a~1b", "anyOf"),
                ("/vehicle_of_interest/other_attributes/flags", "anyOf"),
                ("/vehicle_of_interest/other_attributes/mixed", "anyOf"),
                ("/vehicle_of_interest/other_attributes/nested", "anyOf"),
            ],
        ),
        case(
            "attributes in a list",
            lead_with("/trade_in/other_attributes", json!(["tow hitch"])),
            SchemaValidationFailed,
            &[("/trade_in/other_attributes", "type")],
        ),
        case(
            "a charge without amount, and nothing else",
            lead_with("/trade_in/fees", json!([{ "name": "Doc" }])),
            MissingRequiredField,
            &[("/trade_in/fees/0/amount", "required")],
        ),
    ]
}
