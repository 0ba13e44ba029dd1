//! A buyer's whole journey through the demo over HTTP under each profile, every body judged by AAP's
//! published schemas.

use aap::Profile;
use serde_json::{Value, json};

use crate::{
    profiles::Caller,
    support::{Server, lead},
};

/// Runs a journey under each profile, each on a demo of its own.
fn under_each_profile(journey: impl Fn(&Caller<'_>)) {
    for profile in [Profile::V1_3, Profile::Draft2] {
        let data = tempfile::tempdir().unwrap();
        let server = Server::demo(data.path());
        let callers = Caller::each(&server);
        let caller = callers.iter().find(|caller| caller.profile == profile);
        caller.map(&journey);
    }
}

#[test]
fn every_body_of_a_buyers_journey_follows_the_schemas() {
    under_each_profile(browse);
}

#[test]
fn every_body_around_a_lead_follows_the_schemas() {
    under_each_profile(enquire);
}

fn browse(caller: &Caller<'_>) {
    let answer = |payload: &Value| caller.answer(payload);
    let card = caller.card();
    caller
        .contract
        .assert_accepts("agent-card.schema.json", &card);
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

fn enquire(caller: &Caller<'_>) {
    let mut wanted = lead(1);
    wanted["vehicle_of_interest"] = json!({ "stock": "D1002", "condition": "used" });
    wanted["trade_in"] =
        json!({ "year": 2015, "make": "Mazda", "condition": "fair", "mileage": 91_000 });
    wanted["appointment"] = json!({
        "appointment_type": "test_drive",
        "appointment_at": "2027-01-15T10:00:00-06:00",
        "duration_minutes": 45,
    });
    let first = caller.answer(&wanted);
    // Whether the time lies within the demo's horizon depends on the day of the test.
    let status = first["data"]["appointment"]["status"].as_str().unwrap();
    assert!(["confirmed", "proposed"].contains(&status), "{first:#}");
    assert_eq!(caller.answer(&wanted), first);

    let refused = |payload: &Value, code| caller.refused(payload, code);
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
