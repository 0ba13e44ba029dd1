//! Lookup of one unit.

use aap::inventory::VehicleRequest;
use serde_json::{Value, json};

use super::{listings, lot};
use crate::{
    listing::GoneUnit,
    snapshot::{Found, Snapshot},
};

/// `name` of the listing found, the stock number of a gone unit after `gone `, or `unknown`.
fn found(lot: &Snapshot, request: Value) -> String {
    let request: VehicleRequest = serde_json::from_value(request).unwrap();
    match lot.find(&request) {
        Found::Listing(unit) => unit.listing().unwrap().vehicle.notes.unwrap(),
        Found::Gone(unit) => format!("gone {}", unit.stock.as_deref().unwrap()),
        Found::Unknown => "unknown".to_owned(),
    }
}

fn gone(vin: &str, stock: &str, id: Option<&str>, day: i8) -> GoneUnit {
    GoneUnit {
        vin: Some(vin.to_owned()),
        stock: Some(stock.to_owned()),
        vehicle_id: id.map(str::to_owned),
        rooftop: None,
        gone_at: jiff::civil::date(2026, 5, day)
            .at(6, 0, 0, 0)
            .in_tz("UTC")
            .unwrap()
            .timestamp(),
    }
}

fn lot_with_gone_units() -> Snapshot {
    let vehicles = json!([
        {"notes": "accord", "vin": "1HGCM82633A000001", "stock": "P10", "vehicle_id": "v-1", "rooftop": "South"},
        {"notes": "civic", "vin": "1HGCM82633A000002", "stock": "p10", "rooftop": "North"},
        {"notes": "trailer", "stock": "T1", "vehicle_id": "V 2", "rooftop": "West"},
        {"notes": "other trailer", "stock": "T1", "rooftop": "South"}
    ]);
    let gone = vec![
        gone("1HGCM82633A000009", "P9", Some("v-9"), 1),
        gone("1HGCM82633A000008", "P9", None, 3),
        gone("1HGCM82633A000007", "P10", None, 2),
    ];
    let rooftops = ["North".to_owned(), "South".to_owned()];
    Snapshot::build(listings(vehicles), gone, &rooftops, 1).unwrap()
}

#[test]
fn the_first_identifier_that_names_a_listing_decides() {
    let lot = lot_with_gone_units();
    let table = [
        (json!({"vin": "1HGCM82633A000001"}), "accord"),
        (json!({"vin": " 1hgcm82633a000001"}), "accord"),
        // North comes first in the configuration.
        (json!({"stock": "P10"}), "civic"),
        (json!({"stock": " p10 "}), "civic"),
        // A rooftop that the configuration does not name comes last.
        (json!({"stock": "t1"}), "other trailer"),
        (json!({"vehicle_id": "v  2"}), "trailer"),
        // VIN before stock before identifier.
        (json!({"vin": "1HGCM82633A000001", "stock": "T1"}), "accord"),
        (json!({"stock": "T1", "vehicle_id": "v-1"}), "other trailer"),
        // An identifier that names nothing, or a gone unit, leaves it to the next.
        (json!({"vin": "1HGCM82633A000005", "stock": "P10"}), "civic"),
        (
            json!({"vin": "1HGCM82633A000009", "vehicle_id": "V-1"}),
            "accord",
        ),
        (json!({"vin": "1HGCM82633A000007"}), "gone P10"),
        (json!({"vin": "1HGCM82633A000007", "stock": "P10"}), "civic"),
        // Of several gone units the one that left last.
        (json!({"stock": "P9"}), "gone P9"),
        (json!({"vehicle_id": "v-9"}), "gone P9"),
        (
            json!({"vin": "1HGCM82633A000005", "stock": "none", "vehicle_id": "none"}),
            "unknown",
        ),
        (json!({"stock": ""}), "unknown"),
        (json!({}), "unknown"),
    ];
    for (request, expected) in table {
        assert_eq!(found(&lot, request.clone()), expected, "{request}");
    }
    let request = VehicleRequest {
        stock: Some("p9".to_owned()),
        ..VehicleRequest::default()
    };
    let Found::Gone(unit) = lot.find(&request) else {
        panic!("P9 is gone")
    };
    assert_eq!(unit.vin.as_deref(), Some("1HGCM82633A000008"));
}

#[test]
fn of_a_unit_that_left_two_rooftops_the_last_to_go_counts_and_then_the_owner() {
    let at = |rooftop: &str, day| GoneUnit {
        rooftop: Some(rooftop.to_owned()),
        ..gone("1HGCM82633A000009", "P9", None, day)
    };
    for (owner, other, rooftop) in [(2, 1, "South"), (1, 2, "North"), (2, 2, "South")] {
        // South owns it, so that it is handed in first.
        let gone = vec![at("South", owner), at("North", other)];
        let lot = Snapshot::build(Vec::new(), gone, &[], 1).unwrap();
        let request = VehicleRequest {
            vin: Some("1HGCM82633A000009".to_owned()),
            ..VehicleRequest::default()
        };
        let Found::Gone(unit) = lot.find(&request) else {
            panic!("it is gone")
        };
        assert_eq!(unit.rooftop.as_deref(), Some(rooftop), "{owner} {other}");
    }
}

#[test]
fn a_found_unit_gives_its_json_and_its_rooftops() {
    let vehicle = json!({"vin": "1HGCM82633A000001", "year": 2024, "rooftop": "South"});
    let mut at_two = vehicle.clone();
    at_two["rooftops"] = json!(["South", "North"]);
    let lot = lot(json!([at_two]));
    let request = VehicleRequest {
        vin: Some("1HGCM82633A000001".to_owned()),
        ..VehicleRequest::default()
    };
    let Found::Listing(unit) = lot.find(&request) else {
        panic!("the unit is listed")
    };
    assert_eq!(
        serde_json::from_str::<Value>(unit.json().get()).unwrap(),
        vehicle
    );
    assert_eq!(unit.rooftops().collect::<Vec<_>>(), ["North", "South"]);
    let listing = unit.listing().unwrap();
    assert_eq!(listing.vehicle.year, Some(2024));
    assert_eq!(listing.rooftops, ["North", "South"]);
}
