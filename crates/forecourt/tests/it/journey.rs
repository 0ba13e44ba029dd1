//! The protocol's own examples against the dealer agent under each profile: its example vehicles as
//! stock, the clock at 2026-05-01, every example request sent, every body judged by the published
//! schemas.

use std::{collections::BTreeMap, sync::Arc};

use a2a_server::Agent;
use aap::{Profile, vehicle::Vehicle};
use dealers::{Dealer, DealerId};
use forecourt::{agent::DealerAgent, lot::Lot};
use inventory::{listing::Listing, snapshot::Snapshot};
use leads::HashKey;
use serde_json::{Value, json};
use store::{Clock, Store};
use testkit::contract::{Contract, contract, draft_contract};

use crate::profiles::aap_error;

/// What each example request is answered with: a pointer into the response's payload and the value
/// there.
fn expected() -> BTreeMap<&'static str, Vec<(&'static str, Value)>> {
    let received = ("/data/status", json!("received"));
    let requested = ("/data/appointment/status", json!("requested"));
    BTreeMap::from([
        (
            "dealer-information-request.example.json",
            vec![
                ("/data/name", json!("Demo Auto Group")),
                ("/data/rooftops/1/name", json!("Demo Honda Oakland")),
            ],
        ),
        (
            "inventory-facets-request.example.json",
            vec![
                ("/data/conditions", json!([{ "value": "used", "count": 3 }])),
                (
                    "/data/makes",
                    json!([{ "value": "Honda", "count": 2 }, { "value": "Acme Moto", "count": 1 }]),
                ),
                ("/data/price_range", json!({ "min": 19995, "max": 32995 })),
            ],
        ),
        (
            "inventory-search-request.example.json",
            vec![
                ("/data/total", json!(2)),
                ("/data/limit", json!(100)),
                ("/data/vehicles/0/stock", json!("DT-2451")),
                ("/data/vehicles/1/stock", json!("DT-2611")),
            ],
        ),
        (
            "inventory-search-request.motorcycle.example.json",
            vec![
                ("/data/total", json!(1)),
                ("/data/vehicles/0/stock", json!("M-5012")),
            ],
        ),
        (
            "inventory-search-request.electric-motorcycle.example.json",
            vec![
                ("/data/total", json!(1)),
                ("/data/vehicles/0/stock", json!("EM-1042")),
            ],
        ),
        (
            "vehicle-detail-request.example.json",
            vec![
                ("/data/stock", json!("DT-2611")),
                ("/data/price", json!(32995)),
                (
                    "/data/carfax_url",
                    json!(
                        "https://www.carfax.com/VehicleHistory/p/Report.cfx?vin=1HGCY2F57RA000001"
                    ),
                ),
            ],
        ),
        (
            "lead-submit-request.example.json",
            vec![
                received.clone(),
                requested.clone(),
                ("/data/dealer/phone", json!("+14155550100")),
            ],
        ),
        (
            "lead-submit-request.appointment.example.json",
            vec![received.clone(), requested.clone()],
        ),
        (
            "lead-submit-request.minimal.example.json",
            vec![received.clone()],
        ),
        (
            "lead-submit-request.motorcycle.example.json",
            vec![received.clone(), requested],
        ),
        (
            "lead-submit-request.vehicle-only.example.json",
            vec![received],
        ),
    ])
}

fn contracts() -> impl Iterator<Item = (Profile, &'static Contract)> {
    let both = [
        (Profile::V1_3, contract()),
        (Profile::Draft2, draft_contract()),
    ];
    both.into_iter()
        .filter_map(|(profile, contract)| Some((profile, contract?)))
}

#[tokio::test]
async fn every_example_request_is_answered_as_listed() {
    for (profile, contract) in contracts() {
        let agent = agent(profile, contract);
        let mut expected = expected();
        for (name, request) in contract.examples("-request.") {
            let listed = expected
                .remove(name.as_str())
                .unwrap_or_else(|| panic!("{name} is not in the list"));
            let schema = format!("{}.schema.json", name.split('.').next().unwrap());
            contract.assert_accepts(&schema, &request);
            let answer = send(&agent, &request).await;
            contract.assert_accepts(&schema.replace("-request", "-response"), &answer);
            for (pointer, value) in listed {
                assert_eq!(
                    answer.pointer(pointer),
                    Some(&value),
                    "{name} at {pointer}: {answer:#}"
                );
            }
        }
        assert!(
            expected.is_empty(),
            "listed and not among the examples: {expected:?}"
        );
    }
}

#[tokio::test]
async fn the_sold_vehicle_of_the_error_example_is_told_from_an_unknown_one() {
    for (profile, contract) in contracts() {
        let agent = agent(profile, contract);
        let error = refused(
            profile,
            &agent,
            &json!({ "type": "inventory.vehicle.request", "vin": "1HGCM82633A004352" }),
        )
        .await;
        contract.assert_accepts("error.schema.json", &error);
        assert_eq!(error["code"], "VEHICLE_NOT_FOUND");
        let error = refused(
            profile,
            &agent,
            &json!({ "type": "inventory.search.request", "filters": { "colour": [] } }),
        )
        .await;
        contract.assert_accepts("error.schema.json", &error);
        assert_eq!(
            error["details"]["errors"][0]["instanceLocation"],
            "/filters/colour"
        );
    }
}

/// A dealer agent whose rooftops and vehicles are those of the protocol's response examples.
fn agent(profile: Profile, contract: &Contract) -> DealerAgent {
    let stated = &contract.examples("dealer-information-response")[0].1["data"];
    let mut dealer: Dealer =
        serde_json::from_value(json!({ "name": stated["name"], "rooftops": {} })).unwrap();
    for rooftop in stated["rooftops"].as_array().unwrap() {
        let mut rooftop = rooftop.clone();
        let name = rooftop.as_object_mut().unwrap().remove("name").unwrap();
        let rooftop = serde_json::from_value(rooftop).unwrap();
        dealer
            .rooftops
            .insert(name.as_str().unwrap().to_owned(), rooftop);
    }
    let powersports = "Demo Powersports San Jose".to_owned();
    dealer
        .rooftops
        .insert(powersports, dealers::Rooftop::default());
    let mut vehicles = BTreeMap::new();
    for (_, response) in contract.examples("inventory-search-response") {
        for vehicle in response["data"]["vehicles"].as_array().unwrap() {
            vehicles.insert(vehicle["vin"].to_string(), vehicle.clone());
        }
    }
    for (_, response) in contract.examples("vehicle-detail-response") {
        let vehicle = &response["data"];
        vehicles.insert(vehicle["vin"].to_string(), vehicle.clone());
    }
    let listings = vehicles
        .into_values()
        .map(|vehicle| {
            let vehicle: Vehicle = serde_json::from_value(vehicle).unwrap();
            Listing {
                rooftops: vehicle.rooftop.clone().into_iter().collect(),
                vehicle,
            }
        })
        .collect();
    let order: Vec<String> = dealer.rooftops.keys().cloned().collect();
    let snapshot = Snapshot::build(listings, Vec::new(), &order, 1).unwrap();
    let clock = Clock::manual("2026-05-01T00:00:00Z".parse().unwrap());
    let store = Store::temporary(&forecourt::app::migrations(), clock).unwrap();
    let id: DealerId = "dealer-demo".parse().unwrap();
    let lot = Arc::new(Lot::with_stock(id, dealer, snapshot));
    DealerAgent::new(
        profile,
        lot,
        store,
        HashKey::new([7; 32]),
        leads::Vault::open(),
    )
}

async fn exchange(agent: &DealerAgent, payload: &Value) -> Result<Value, a2a::error::Error> {
    let request = serde_json::from_value(json!({ "message": {
        "messageId": "m-1",
        "role": "ROLE_USER",
        "parts": [{ "text": "ignored" }, { "data": payload }],
    } }));
    let call = a2a_server::Call::new("1.0".parse().unwrap());
    let turn = a2a_server::Turn::new(request.unwrap(), call);
    match agent.answer(turn).await? {
        a2a_server::Answer::Message(message) => Ok(json!({ "message": message })),
        a2a_server::Answer::Task(_) => panic!("a dealer agent has no tasks"),
    }
}

async fn send(agent: &DealerAgent, payload: &Value) -> Value {
    let reply = exchange(agent, payload)
        .await
        .unwrap_or_else(|error| panic!("{payload:#} was refused: {error:?}"));
    assert_eq!(reply["message"]["role"], "ROLE_AGENT");
    assert!(reply["message"]["contextId"].is_string());
    reply["message"]["parts"][0]["data"].clone()
}

async fn refused(profile: Profile, agent: &DealerAgent, payload: &Value) -> Value {
    let error = exchange(agent, payload).await.unwrap_err();
    let reply = a2a::jsonrpc::write_error(&a2a::jsonrpc::Id::null(), &error);
    aap_error(profile, &serde_json::from_slice(&reply).unwrap())
}
