//! A buyer's whole journey through the demo over HTTP, every body judged by AAP's published schemas.

use serde_json::{Value, json};
use testkit::contract::{Contract, contract};

use crate::support::{Server, lead, request};

/// Sends a payload that is answered; both bodies follow the schemas.
fn answer(contract: &Contract, server: &Server, payload: &Value) -> Value {
    contract.assert_accepts(&schema(payload, "request"), payload);
    let answer = server.answer(payload);
    contract.assert_accepts(&schema(payload, "response"), &answer);
    answer
}

/// Sends a payload that is refused; the error follows its schema and has this code.
fn refused(contract: &Contract, server: &Server, payload: &Value, code: &str) -> Value {
    let reply = server.call(payload);
    let error = reply["error"]["data"].clone();
    contract.assert_accepts("error.schema.json", &error);
    assert_eq!(error["code"], code, "{error:#}");
    error
}

/// The schema file of a payload, told by its `type`.
fn schema(payload: &Value, role: &str) -> String {
    let kind = payload["type"].as_str().unwrap();
    let skill = kind.strip_suffix(".request").unwrap().replace('.', "-");
    let stem = match skill.as_str() {
        "inventory-vehicle" => "vehicle-detail",
        other => other,
    };
    format!("{stem}-{role}.schema.json")
}

#[test]
fn every_body_of_a_buyers_journey_follows_the_schemas() {
    let Some(contract) = contract() else { return };
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let answer = |payload: &Value| answer(contract, &server, payload);

    let path = "/.well-known/agent-card.json";
    let (_, card) = request(&server.address, "GET", path, &[], "").unwrap();
    contract.assert_accepts(
        "agent-card.schema.json",
        &serde_json::from_str(&card).unwrap(),
    );
    answer(&json!({ "type": "dealer.information.request" }));
    let facets = answer(&json!({ "type": "inventory.facets.request" }));
    for make in facets["data"]["makes"].as_array().unwrap() {
        let filters = json!({ "make": [make["value"]] });
        let found = answer(&json!({
            "type": "inventory.search.request",
            "filters": filters,
            "sort": { "field": "mileage", "order": "desc" },
        }));
        assert_eq!(found["data"]["total"], make["count"]);
        answer(&json!({ "type": "inventory.facets.request", "filters": filters }));
    }
    let mut seen = 0;
    loop {
        let page = answer(&json!({
            "type": "inventory.search.request",
            "pagination": { "skip": seen, "limit": 100 },
        }));
        let vehicles = page["data"]["vehicles"].as_array().unwrap();
        if vehicles.is_empty() {
            break;
        }
        for vehicle in vehicles {
            let identifier = ["vin", "stock", "vehicle_id"]
                .into_iter()
                .find(|field| vehicle[field].is_string())
                .unwrap();
            let detail = answer(&json!({
                "type": "inventory.vehicle.request",
                identifier: vehicle[identifier],
            }));
            assert_eq!(detail["data"], *vehicle);
        }
        seen += vehicles.len();
    }
    assert_eq!(seen, 240);
}

#[test]
fn every_body_around_a_lead_follows_the_schemas() {
    let Some(contract) = contract() else { return };
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let mut wanted = lead(1);
    wanted["vehicle_of_interest"] = json!({ "stock": "D1002", "condition": "used" });
    wanted["trade_in"] =
        json!({ "year": 2015, "make": "Mazda", "condition": "fair", "mileage": 91_000 });
    wanted["appointment"] = json!({
        "appointment_type": "test_drive",
        "appointment_at": "2027-01-15T10:00:00-06:00",
        "duration_minutes": 45,
    });
    let first = answer(contract, &server, &wanted);
    assert_eq!(first["data"]["appointment"]["status"], "requested");
    assert_eq!(answer(contract, &server, &wanted), first);

    let refused = |payload: &Value, code| refused(contract, &server, payload, code);
    wanted["message"] = json!("Something else under the same key.");
    refused(&wanted, "IDEMPOTENCY_CONFLICT");
    let mut without_consent = lead(2);
    without_consent.as_object_mut().unwrap().remove("consent");
    refused(&without_consent, "CONTACT_CONSENT_REQUIRED");
    let mut unknown_car = lead(3);
    unknown_car["vehicle_of_interest"] = json!({ "vin": "1HGCM82633A004352" });
    unknown_car["appointment"] = json!({ "appointment_type": "test_drive" });
    refused(&unknown_car, "VEHICLE_NOT_FOUND");
    let vehicle = json!({ "type": "inventory.vehicle.request", "stock": "none" });
    refused(&vehicle, "VEHICLE_NOT_FOUND");
    refused(
        &json!({ "type": "inventory.reserve.request" }),
        "UNSUPPORTED_SKILL",
    );
    let error = refused(
        &json!({ "type": "inventory.search.request", "filters": { "year_min": "new", "colour": [] } }),
        "SCHEMA_VALIDATION_FAILED",
    );
    assert_eq!(error["details"]["errors"].as_array().unwrap().len(), 2);
}
