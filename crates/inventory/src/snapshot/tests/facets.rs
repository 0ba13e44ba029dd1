//! Counts and ranges.

use serde_json::{Value, json};

use super::{filters, lot};
use crate::snapshot::Snapshot;

fn facets(lot: &Snapshot, block: Option<Value>) -> Value {
    let answer = lot.facets(block.map(filters).as_ref());
    assert_eq!(answer.message, None);
    serde_json::to_value(answer.facets).unwrap()
}

fn terms(pairs: &[(&str, u64)]) -> Value {
    pairs
        .iter()
        .map(|(value, count)| json!({"value": value, "count": count}))
        .collect()
}

fn counted_lot() -> Snapshot {
    lot(json!([
        {"make": "toyota", "year": 2024, "price": 20000, "condition": "new", "rooftops": ["North", "South"],
         "status": "available", "exterior_color": "Red", "dc_fast_charge": true, "electric_range_mi": 250.5,
         "vin": "1HGCM82633A000001"},
        {"make": "Toyota", "year": 2022, "price": 15000, "condition": "used", "rooftops": ["North"],
         "status": "available", "exterior_color": "red", "dc_fast_charge": false, "electric_range_mi": 300,
         "mileage": 12},
        {"make": "Toyota ", "year": 2024, "condition": "used", "rooftops": ["South"], "status": "pending",
         "exterior_color": "Blue", "list_price": 1, "msrp": 999999},
        {"make": "BMW", "year": 2023, "price": 30000, "vehicle_type": "motorcycle", "displacement_cc": 649,
         "rooftops": ["South"], "status": "intransit", "condition": "used"},
        {"make": "Audi", "rooftops": ["North"]}
    ]))
}

#[test]
fn facets_count_the_whole_stock_without_filters() {
    let expected = json!({
        // The spelling most used; equal counts in ascending order.
        "makes": terms(&[("Toyota", 3), ("Audi", 1), ("BMW", 1)]),
        "years": [{"value": 2024, "count": 2}, {"value": 2023, "count": 1}, {"value": 2022, "count": 1}],
        "conditions": terms(&[("used", 3), ("new", 1)]),
        "dc_fast_charge": terms(&[("false", 1), ("true", 1)]),
        "vehicle_types": terms(&[("car", 4), ("motorcycle", 1)]),
        "exterior_colors": terms(&[("Red", 2), ("Blue", 1)]),
        // The VIN at two rooftops counts once at each, and once everywhere else.
        "rooftops": terms(&[("North", 3), ("South", 3)]),
        "statuses": terms(&[("available", 2), ("intransit", 1), ("pending", 1)]),
        // From `price` alone.
        "price_range": {"min": 15000, "max": 30000},
        "mileage_range": {"min": 12, "max": 12},
        "year_range": {"min": 2022, "max": 2024},
        "displacement_cc_range": {"min": 649, "max": 649},
        "electric_range_mi_range": {"min": 250.5, "max": 300}
    });
    assert_eq!(facets(&counted_lot(), None), expected);
    assert_eq!(facets(&counted_lot(), Some(json!({}))), expected);
}

#[test]
fn facets_count_what_every_filter_leaves_their_own_too() {
    let expected = json!({
        "makes": terms(&[("BMW", 1), ("Toyota", 1)]),
        "years": [{"value": 2024, "count": 1}, {"value": 2023, "count": 1}],
        "conditions": terms(&[("used", 2)]),
        "vehicle_types": terms(&[("car", 1), ("motorcycle", 1)]),
        "exterior_colors": terms(&[("Blue", 1)]),
        "rooftops": terms(&[("South", 2)]),
        "statuses": terms(&[("intransit", 1), ("pending", 1)]),
        "price_range": {"min": 30000, "max": 30000},
        "year_range": {"min": 2023, "max": 2024},
        "displacement_cc_range": {"min": 649, "max": 649}
    });
    let block = json!({"rooftops": ["South"], "condition": ["used"], "year_min": 2023});
    assert_eq!(facets(&counted_lot(), Some(block)), expected);
}

#[test]
fn facets_of_nothing_have_no_keys() {
    assert_eq!(
        facets(&counted_lot(), Some(json!({"make": ["Fiat"]}))),
        json!({})
    );
    assert_eq!(facets(&lot(json!([])), None), json!({}));
    let answer = counted_lot().facets(Some(&filters(json!({"price_min": 2, "price_max": 1}))));
    assert_eq!(serde_json::to_value(answer.facets).unwrap(), json!({}));
    assert_eq!(
        answer.message.unwrap(),
        "No vehicle can match: price_min 2 is above price_max 1."
    );
}

#[test]
fn the_most_used_spelling_wins_and_the_first_by_bytes_among_equals() {
    let lot = lot(json!([
        {"make": "MAZDA", "model": "cx-5"},
        {"make": "Mazda", "model": "CX-5"},
        {"make": "Mazda", "model": "Cx-5"},
        {"make": "mazda"}
    ]));
    let facets = facets(&lot, None);
    assert_eq!(facets["makes"], terms(&[("Mazda", 4)]));
    assert_eq!(facets["models"], terms(&[("CX-5", 3)]));
}

#[test]
fn rooftops_of_equal_count_stand_by_name() {
    let lot = lot(json!([
        {"rooftops": ["South"]},
        {"rooftops": ["north annex"]},
        {"rooftops": ["East"]},
        {"rooftops": ["East"]}
    ]));
    let expected = terms(&[("East", 2), ("north annex", 1), ("South", 1)]);
    assert_eq!(facets(&lot, None)["rooftops"], expected);
}
