//! Agreement with AAP's own schemas: on its examples, and on what becomes of them under mutation.

use std::sync::OnceLock;

use aap::{ErrorCode, Rejection, Skill, Version, validate};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use testkit::contract::{Contract, contract};

use crate::now;

#[test]
fn every_example_request_is_good() {
    let Some(contract) = contract() else { return };
    for (name, payload) in requests(contract) {
        let request = validate(payload, now()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let schema = request.skill().request_schema();
        contract.assert_accepts(&schema, payload);
        // Nothing of it is lost on the way through the types.
        assert_eq!(
            request.to_payload(Version::V1_3).as_ref(),
            Ok(payload),
            "{name}"
        );
    }
}

#[test]
fn every_member_is_judged_like_the_schema_does() {
    let Some(contract) = contract() else { return };
    let mut values = values();
    values.extend(TEXTS.iter().map(|text| Value::from(*text)));
    for base in complete_requests() {
        judged_alike(contract, &base).unwrap();
        let mut places = Vec::new();
        collect_places(&base, String::new(), &mut places);
        for place in &places {
            for value in &values {
                let mut payload = base.clone();
                *payload.pointer_mut(place).unwrap() = value.clone();
                judged_alike(contract, &payload).unwrap();
            }
            let mut payload = base.clone();
            remove(&mut payload, place);
            judged_alike(contract, &payload).unwrap();
            let mut payload = base.clone();
            if let Value::Object(members) = payload.pointer_mut(place).unwrap() {
                members.insert("unheard_of".to_owned(), json!({ "of": null }));
            }
            judged_alike(contract, &payload).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]

    #[test]
    fn mutated_requests_are_judged_like_the_schema_does(
        base in any::<Index>(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let Some(contract) = contract() else { return Ok(()) };
        let bases = requests(contract);
        let (_, mut payload) = bases[base.index(bases.len())].clone();
        for mutation in &mutations {
            mutation.apply(&mut payload);
        }
        judged_alike(contract, &payload)?;
    }
}

fn judged_alike(contract: &Contract, payload: &Value) -> Result<(), TestCaseError> {
    let accepts = |skill: Skill| contract.accepts(&skill.request_schema(), payload);
    match validate(payload, now()) {
        Ok(request) => {
            prop_assert!(accepts(request.skill()), "the schema refuses {}", payload);
            let again = request.to_payload(Version::V1_3).unwrap();
            prop_assert_eq!(validate(&again, now()), Ok(request.clone()), "{}", again);
            contract.assert_accepts(&request.skill().request_schema(), &again);
        }
        Err(rejection) if schema_problems(&rejection) == 0 => {
            prop_assert!(
                !rejection.problems.is_empty(),
                "refused without a problem: {}",
                payload
            );
            prop_assert!(accepts(Skill::LeadSubmit), "the schema refuses {}", payload);
        }
        Err(rejection) => {
            prop_assert!(rejection.code != ErrorCode::InternalError, "{}", payload);
            let accepting = Skill::ALL.into_iter().find(|skill| accepts(*skill));
            prop_assert!(
                accepting.is_none(),
                "the schema takes {}: {:?}",
                payload,
                rejection
            );
        }
    }
    Ok(())
}

/// Problems that a schema can see.
fn schema_problems(rejection: &Rejection) -> usize {
    rejection
        .problems
        .iter()
        .filter(|problem| !matches!(problem.keyword, "expired" | "future" | "channel"))
        .count()
}

/// The example requests, and requests of ours.
fn requests(contract: &Contract) -> &'static [(String, Value)] {
    static REQUESTS: OnceLock<Vec<(String, Value)>> = OnceLock::new();
    REQUESTS.get_or_init(|| {
        let mut requests = contract.examples("-request.");
        let ours = complete_requests()
            .into_iter()
            .map(|request| ("one of ours".to_owned(), request));
        requests.extend(ours);
        requests
    })
}

/// A request of each skill with the members that its schema names.
fn complete_requests() -> Vec<Value> {
    serde_json::from_str(include_str!("complete_requests.json")).unwrap()
}

/// One change of a payload, at a place that depends on what is there.
#[derive(Debug, Clone)]
enum Mutation {
    Replace(Index, Value),
    Remove(Index),
    Add(Index, &'static str, Value),
    Repeat(Index),
}

impl Mutation {
    fn apply(&self, payload: &mut Value) {
        let mut places = Vec::new();
        collect_places(payload, String::new(), &mut places);
        let (Self::Replace(at, _) | Self::Remove(at) | Self::Add(at, ..) | Self::Repeat(at)) = self;
        let place = &places[at.index(places.len())];
        match self {
            Self::Replace(_, value) => *payload.pointer_mut(place).unwrap() = value.clone(),
            Self::Remove(_) => remove(payload, place),
            Self::Add(_, name, value) => match payload.pointer_mut(place).unwrap() {
                Value::Object(members) => drop(members.insert((*name).to_owned(), value.clone())),
                Value::Array(items) => items.push(value.clone()),
                _ => {}
            },
            Self::Repeat(_) => {
                if let Value::Array(items) = payload.pointer_mut(place).unwrap() {
                    items.extend(items.first().cloned());
                }
            }
        }
    }
}

fn collect_places(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect_places(member, format!("{place}/{name}"), places);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_places(item, format!("{place}/{index}"), places);
            }
        }
        _ => {}
    }
    places.push(place);
}

fn remove(payload: &mut Value, place: &str) {
    let Some((parent, name)) = place.rsplit_once('/') else {
        return;
    };
    match payload.pointer_mut(parent).unwrap() {
        Value::Object(members) => {
            members.remove(&name.replace("~1", "/").replace("~0", "~"));
        }
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        _ => {}
    }
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let value = || prop_oneof![prop::sample::select(values()), texts()];
    prop_oneof![
        4 => (any::<Index>(), value()).prop_map(|(at, value)| Mutation::Replace(at, value)),
        2 => any::<Index>().prop_map(Mutation::Remove),
        4 => (any::<Index>(), prop::sample::select(NAMES), value())
            .prop_map(|(at, name, value)| Mutation::Add(at, name, value)),
        1 => any::<Index>().prop_map(Mutation::Repeat),
    ]
}

fn texts() -> impl Strategy<Value = Value> {
    prop::sample::select(TEXTS).prop_map(Value::from)
}

fn values() -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-0.0),
        json!(1),
        json!(-1),
        json!(14),
        json!(15),
        json!(25.0),
        json!(0.5),
        json!(1000),
        json!(1001),
        json!(1899),
        json!(1900),
        json!(2100.0),
        json!(2101),
        json!(1e15),
        json!(1e30),
        json!(-1e30),
        json!(u64::MAX),
        json!(i64::MIN),
        json!([]),
        json!({}),
        json!([1, 1.0]),
        json!(["a", 1]),
        json!([null]),
        json!(["lead_submission"]),
        json!(["email"]),
        json!(["email", "phone", "sms"]),
        json!({ "name": "x" }),
        json!({ "name": "x", "amount": 1 }),
        json!({ "field": "price", "order": "asc" }),
        json!([{ "name": "x", "amount": 1 }, { "name": "x", "amount": 1.0 }]),
        json!([{ "name": "x", "amount": 1 }, { "name": "x", "amount": 2 }]),
    ];
    for (text, count) in [
        ("x", 120),
        ("x", 128),
        ("ü", 200),
        ("x", 2000),
        ("😀", 4000),
    ] {
        values.push(text.repeat(count).into());
        values.push(text.repeat(count + 1).into());
    }
    values
}

const TEXTS: &[&str] = &[
    "",
    " ",
    "\u{85}",
    "\u{feff}",
    "a",
    "new",
    "used",
    "cpo",
    "good",
    "poor",
    "certified",
    "available",
    "sold",
    "car",
    "rv",
    "truck",
    "email",
    "phone",
    "sms",
    "any",
    "lead_submission",
    "test_drive",
    "trade_in",
    "price",
    "asc",
    "1FT8W3BT5NEC12345",
    "1ft8w3bt5nec12345",
    "+13125550142",
    "+1",
    "robin@mail.example",
    "robin",
    "https://agent.example/",
    "agent.example",
    "2026-05-01",
    "2026-02-30",
    "2026-05-01T00:00:00Z",
    "2026-05-01T00:00:00",
    "2036-05-01t00:00:00.5+05:45",
    "dealer.information.request",
    "inventory.facets.request",
    "inventory.search.request",
    "inventory.vehicle.request",
    "lead.submit.request",
    "lead.submit.response",
    "lead",
];

const NAMES: &[&str] = &[
    "type",
    "filters",
    "pagination",
    "sort",
    "privacy",
    "anonymous",
    "skip",
    "limit",
    "field",
    "order",
    "vin",
    "stock",
    "vehicle_id",
    "make",
    "condition",
    "vehicle_type",
    "year",
    "year_min",
    "price_max",
    "dc_fast_charge",
    "charge_port",
    "displacement_cc_min",
    "query",
    "customer",
    "consent",
    "vehicle_of_interest",
    "trade_in",
    "appointment",
    "message",
    "source_agent",
    "submitted_at",
    "idempotency_key",
    "first_name",
    "email",
    "phone",
    "preferred_contact",
    "address",
    "zip",
    "granted_at",
    "expires_at",
    "allowed_channels",
    "consent_text",
    "scope",
    "appointment_type",
    "appointment_at",
    "duration_minutes",
    "notes",
    "name",
    "url",
    "agent_card_url",
    "amount",
    "fees",
    "photos",
    "vdp_url",
    "features",
    "other_attributes",
    "inventory_date",
    "updated_at",
    "rooftop",
    "mileage",
    "price",
    "electric_range_mi",
    "battery_kwh",
    "status",
    "description",
    "a/b~c",
    "x",
];
