//! Responses: AAP's examples pass through the types unharmed, and what is written validates.

use aap::{
    Skill,
    dealer::DealerInformation,
    inventory::{Facets, SearchResult, TermValue},
    lead::LeadSubmitResult,
    response::{self, MAX_MESSAGE, Received, Response, UnreadableResponse},
    vehicle::Vehicle,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use testkit::contract::{Contract, contract};

#[test]
fn response_examples_pass_through_the_types() {
    let Some(contract) = contract() else { return };
    round_trip::<DealerInformation>(
        contract,
        Skill::DealerInformation,
        "dealer-information-response",
    );
    round_trip::<Facets>(
        contract,
        Skill::InventoryFacets,
        "inventory-facets-response",
    );
    round_trip::<SearchResult<Vehicle>>(
        contract,
        Skill::InventorySearch,
        "inventory-search-response",
    );
    round_trip::<SearchResult<Box<RawValue>>>(
        contract,
        Skill::InventorySearch,
        "inventory-search-response",
    );
    round_trip::<Vehicle>(contract, Skill::InventoryVehicle, "vehicle-detail-response");
    round_trip::<LeadSubmitResult>(contract, Skill::LeadSubmit, "lead-submit-response");
}

fn round_trip<D: Serialize + DeserializeOwned>(contract: &Contract, skill: Skill, part: &str) {
    for (name, example) in contract.examples(part) {
        let Received { data, message, .. } = response::read::<D>(skill, &example.to_string())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut response = Response::new(skill, data);
        if let Some(message) = message {
            response = response.with_message(message);
        }
        let written = serde_json::to_value(response).unwrap();
        assert_eq!(written, example, "{name}");
        contract.assert_accepts(&skill.response_schema(), &written);
    }
}

#[test]
fn a_message_is_cut_to_what_the_schema_allows() {
    let written = |text: String| {
        let response = Response::new(Skill::InventoryFacets, json!({})).with_message(text);
        serde_json::to_value(response).unwrap()
    };
    let longest = written("ü".repeat(MAX_MESSAGE));
    assert_eq!(longest["message"], "ü".repeat(MAX_MESSAGE));
    let cut = written("ü".repeat(MAX_MESSAGE + 1));
    assert_eq!(cut["message"], "ü".repeat(MAX_MESSAGE - 1) + "…");
    if let Some(contract) = contract() {
        contract.assert_accepts("inventory-facets-response.schema.json", &cut);
    }
}

#[test]
fn a_dealers_additions_do_not_hide_the_rest() {
    let payload = json!({
        "type": "lead.submit.response",
        "data": { "lead_id": "L-1", "status": "received", "crm": "x", "dealer": { "name": "North", "fax": "1" } },
        "trace": 1,
    });
    let received: Received<LeadSubmitResult> =
        response::read(Skill::LeadSubmit, &payload.to_string()).unwrap();
    assert_eq!(received.data.lead_id, "L-1");
    assert_eq!(received.data.dealer.unwrap().name.as_deref(), Some("North"));
}

#[test]
fn whole_numbers_may_be_written_with_a_fraction_of_zero() {
    let payload = json!({
        "type": "inventory.search.response",
        "data": {
            "total": 1.0, "skip": 0.0, "limit": 20.0,
            "vehicles": [{ "year": 2024.0, "price": 25e3, "fees": [{ "name": "Doc", "amount": 299.0 }] }],
            "facets": { "years": [{ "value": 2024.0, "count": 1.0 }] },
        },
    });
    let result: SearchResult<Vehicle> =
        response::read(Skill::InventorySearch, &payload.to_string())
            .unwrap()
            .data;
    assert_eq!(
        (result.total, result.skip, result.limit),
        (1, Some(0), Some(20))
    );
    let vehicle = &result.vehicles[0];
    assert_eq!((vehicle.year, vehicle.price), (Some(2024), Some(25_000)));
    assert_eq!(vehicle.fees.as_ref().unwrap()[0].amount, 299);
    let year = &result.facets.unwrap().years[0];
    assert_eq!((&year.value, year.count), (&TermValue::Integer(2024), 1));
}

#[test]
fn a_response_of_another_kind_is_told_apart() {
    let read =
        |payload: Value| response::read::<Facets>(Skill::InventoryFacets, &payload.to_string());
    assert!(matches!(
        read(json!([])),
        Err(UnreadableResponse::NoType(_))
    ));
    assert!(matches!(
        read(json!({ "data": {} })),
        Err(UnreadableResponse::NoType(_))
    ));
    assert!(matches!(
        read(json!({ "type": "lead.submit.response", "data": {} })),
        Err(UnreadableResponse::OtherType { expected: "inventory.facets.response", found })
            if found == "lead.submit.response"
    ));
    assert!(matches!(
        read(json!({ "type": "inventory.facets.response", "data": { "makes": 5 } })),
        Err(UnreadableResponse::Data {
            skill: Skill::InventoryFacets,
            ..
        })
    ));
}
