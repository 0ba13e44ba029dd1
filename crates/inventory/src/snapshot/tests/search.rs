//! Filters, sorts and pages.

use aap::inventory::SearchRequest;
use dealers::PageLimits;
use serde_json::{Value, json};

use super::{found, left_by, lot};
use crate::snapshot::Snapshot;

/// Eight units of every kind, with values missing and spelt in several ways.
fn mixed_lot() -> Snapshot {
    lot(json!([
        {"stock": "A1", "vin": "1HGCM82633A000001", "year": 2022, "make": "Honda", "model": "CR-V", "trim": "EX-L",
         "condition": "used", "price": 27990, "list_price": 26990, "mileage": 31000, "body": "SUV", "fuel": "gas",
         "transmission": "CVT", "driveline": "awd", "exterior_color": "Crystal Black Pearl", "interior_color": "Black",
         "rooftop": "North", "rooftops": ["North", "South"], "updated_at": "2026-05-01T06:00:00Z"},
        {"stock": "a2", "year": 2024, "make": "HONDA", "model": "Civic", "trim": "Sport", "condition": "new",
         "msrp": 26450, "mileage": 0, "body": "sedan", "fuel": "Gas", "exterior_color": "Rallye Red",
         "rooftop": "South", "updated_at": "2026-05-01T06:00:00Z",
         "features": ["Heated seats", "Apple CarPlay"], "description": "One owner, garage kept."},
        {"stock": "B3", "year": 2021, "make": " honda ", "model": "Accord", "condition": "cpo", "price": 24500,
         "mileage": 52000, "body": "sedan", "exterior_color": "Blackberry", "interior_color": "Black/Red",
         "rooftop": "North", "updated_at": "2026-05-02T06:00:00Z"},
        {"stock": "C4", "year": 2024, "make": "Ford", "model": "F-150", "trim": "Lariat", "condition": "new",
         "price": 61000, "msrp": 64000, "body": "Truck", "fuel": "gas", "driveline": "4WD", "exterior_color": "Black",
         "rooftop": "North", "updated_at": "2026-04-30T06:00:00Z"},
        {"stock": "D5", "year": 2023, "make": "Volt Moto", "model": "Surge", "vehicle_type": "motorcycle",
         "condition": "used", "price": 9000, "mileage": 800, "body": "standard", "fuel": "bev",
         "electric_range_mi": 161.5, "dc_fast_charge": true, "charge_port": "ccs",
         "exterior_color": "Pearl  black", "rooftop": "South", "updated_at": "2026-05-02T06:00:00Z"},
        {"stock": "E6", "year": 2019, "make": "Acme Moto", "model": "Cruiser 1100", "vehicle_type": "motorcycle",
         "condition": "used", "price": 24500, "mileage": 12000, "displacement_cc": 1133, "body": "cruiser",
         "exterior_color": "Blue-Gray Black Pearl", "rooftop": "South", "updated_at": "2026-05-02T06:00:00Z"},
        {"stock": "F7", "make": "Tesla", "model": "Model 3", "year": 2023, "fuel": "bev", "electric_range_mi": 272,
         "dc_fast_charge": false, "charge_port": "NACS", "list_price": 33000, "rooftop": "North"},
        {"vehicle_id": "trailer-9", "make": "Škoda", "vehicle_type": "trailer", "rooftop": "South"}
    ]))
}

/// Every filter, each with the stock numbers that it leaves (`-` is the unit without one).
#[test]
fn each_filter_leaves_what_its_rule_says() {
    let lot = mixed_lot();
    let all = ["A1", "a2", "B3", "C4", "D5", "E6", "F7", "-"].as_slice();
    let table: Vec<(Value, &[&str])> = vec![
        // No constraint.
        (json!({}), all),
        (
            json!({"make": [], "vehicle_type": [], "rooftops": [], "condition": []}),
            all,
        ),
        (json!({"dc_fast_charge": false}), all),
        (json!({"query": ""}), all),
        (json!({"query": " -- !"}), all),
        // Strings: case, outer and inner space aside, one of several.
        (json!({"make": ["honda"]}), &["A1", "a2", "B3"]),
        (json!({"make": ["  VOLT   moto "]}), &["D5"]),
        (json!({"make": ["Ford", "šKODA"]}), &["C4", "-"]),
        (json!({"make": ["Hond"]}), &[]),
        (json!({"make": [""]}), &[]),
        (json!({"model": ["cr-v", "CRV"]}), &["A1"]),
        (json!({"trim": ["ex-l", "lariat"]}), &["A1", "C4"]),
        (json!({"transmission": ["cvt"]}), &["A1"]),
        (json!({"fuel": ["gas"]}), &["A1", "a2", "C4"]),
        (json!({"driveline": ["4wd", "awd"]}), &["A1", "C4"]),
        (json!({"body": ["SEDAN"]}), &["a2", "B3"]),
        (json!({"charge_port": ["nacs"]}), &["F7"]),
        // Several filters must all match.
        (
            json!({"make": ["Honda"], "body": ["sedan"], "condition": ["cpo"]}),
            &["B3"],
        ),
        // Condition and kind; a unit without kind is a car.
        (
            json!({"condition": ["used", "cpo"]}),
            &["A1", "B3", "D5", "E6"],
        ),
        (
            json!({"vehicle_type": ["car"]}),
            &["A1", "a2", "B3", "C4", "F7"],
        ),
        (
            json!({"vehicle_type": ["motorcycle", "trailer"]}),
            &["D5", "E6", "-"],
        ),
        (json!({"dc_fast_charge": true}), &["D5"]),
        // Colours: equal, or the words in sequence.
        (
            json!({"exterior_color": ["black"]}),
            &["A1", "C4", "D5", "E6"],
        ),
        (json!({"exterior_color": ["BLACK pearl"]}), &["A1", "E6"]),
        (json!({"exterior_color": ["pearl black"]}), &["D5"]),
        (json!({"exterior_color": ["gray"]}), &["E6"]),
        (json!({"exterior_color": ["blue gray"]}), &["E6"]),
        (json!({"exterior_color": ["crystal pearl"]}), &[]),
        (json!({"exterior_color": ["berry", "-"]}), &[]),
        (json!({"interior_color": ["black"]}), &["A1", "B3"]),
        (json!({"interior_color": ["black/red"]}), &["B3"]),
        // A unit at several rooftops is at each of them.
        (
            json!({"rooftops": ["south"]}),
            &["A1", "a2", "D5", "E6", "-"],
        ),
        (json!({"rooftops": ["North"]}), &["A1", "B3", "C4", "F7"]),
        (json!({"rooftops": ["North", "South"]}), all),
        (json!({"rooftops": ["West"]}), &[]),
        // Ranges include both ends; a missing value matches none.
        (json!({"year_min": 2023}), &["a2", "C4", "D5", "F7"]),
        (json!({"year_max": 2021}), &["B3", "E6"]),
        (json!({"year_min": 2021, "year_max": 2022}), &["A1", "B3"]),
        (json!({"price_min": 0}), &["A1", "B3", "C4", "D5", "E6"]),
        (json!({"price_max": 24500}), &["B3", "D5", "E6"]),
        (
            json!({"price_min": 24500, "price_max": 27990}),
            &["A1", "B3", "E6"],
        ),
        (json!({"price_min": 28000, "price_max": 60999}), &[]),
        (json!({"mileage_max": 0}), &["a2"]),
        (json!({"mileage_max": 12000}), &["a2", "D5", "E6"]),
        (json!({"electric_range_mi_min": 161}), &["D5", "F7"]),
        (json!({"electric_range_mi_min": 162}), &["F7"]),
        (json!({"electric_range_mi_max": 161}), &[]),
        (json!({"electric_range_mi_max": 162}), &["D5"]),
        (
            json!({"displacement_cc_min": 1133, "displacement_cc_max": 1133}),
            &["E6"],
        ),
        // Identifiers.
        (json!({"vin": "1HGCM82633A000001"}), &["A1"]),
        (json!({"vin": "1hgcm82633a000001"}), &["A1"]),
        (json!({"vin": "1HGCM82633A000002"}), &[]),
        (json!({"stock": "A2"}), &["a2"]),
        (json!({"stock": " b3 "}), &["B3"]),
    ];
    for (filters, expected) in table {
        assert_eq!(left_by(&lot, &filters), expected, "{filters}");
    }
}

#[test]
fn a_query_matches_words_and_word_starts_of_the_searched_fields() {
    let lot = mixed_lot();
    let table: &[(&str, &[&str])] = &[
        ("honda", &["A1", "a2", "B3"]),
        ("hon", &["A1", "a2", "B3"]),
        ("onda", &[]),
        ("HONDA sedan", &["a2", "B3"]),
        ("honda truck", &[]),
        ("lariat 2024", &["C4"]),
        ("škoda", &["-"]),
        // Colours, features, description, stock number.
        ("rallye", &["a2"]),
        ("red", &["a2", "B3"]),
        ("carplay heated", &["a2"]),
        ("garage", &["a2"]),
        ("d5", &["D5"]),
        // Names with hyphens and spaces, however they are written.
        ("CR-V", &["A1"]),
        ("crv", &["A1"]),
        ("cr v", &["A1"]),
        ("F-150", &["C4"]),
        ("f150", &["C4"]),
        ("f 150", &["C4"]),
        ("model3", &["F7"]),
        ("cruiser1100", &["E6"]),
        ("exl", &["A1"]),
        // What is not searched.
        ("cvt", &[]),
        ("1HGCM82633A000001", &[]),
        ("North", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(
            left_by(&lot, &json!({"query": query})),
            *expected,
            "{query:?}"
        );
    }
}

#[test]
fn a_slip_of_the_pen_is_forgiven_only_when_nothing_matches() {
    let lot = lot(json!([
        {"stock": "1", "make": "Chevrolet", "model": "Silverado", "trim": "Custom"},
        {"stock": "2", "make": "Chevrolet", "model": "Tahoe", "exterior_color": "Silver"},
        {"stock": "3", "make": "Ford", "model": "Fiesta", "description": "Silverada"},
        {"stock": "10234", "make": "Ford", "model": "Ka", "trim": "Abcde1"}
    ]));
    let table: &[(&str, &[&str])] = &[
        // Left out, doubled, replaced, swapped; at the start, inside, at the end.
        ("silvrado", &["1"]),
        ("chevvrolet", &["1", "2"]),
        ("shevrolet", &["1", "2"]),
        ("hcevrolet", &["1", "2"]),
        ("chevrolte", &["1", "2"]),
        ("chevroletx", &["1", "2"]),
        // Also at the start of a word.
        ("chvero", &["1", "2"]),
        // Something matches as it is, so nothing is forgiven.
        ("silverado", &["1"]),
        ("silver", &["1", "2", "3"]),
        // One edit only, and for each word.
        ("slvrado", &[]),
        ("chevrlet silvrado", &["1"]),
        ("chevrlet tahoe", &["2"]),
        // Four letters are too few.
        ("frod", &[]),
        ("ford", &["10234", "3"]),
        // Digits are never guessed, neither here nor there.
        ("10235", &[]),
        ("abcde2", &[]),
        ("abcdf", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(
            left_by(&lot, &json!({"query": query})),
            *expected,
            "{query:?}"
        );
    }
    // The words decide that, not the other filters.
    assert_eq!(
        left_by(&lot, &json!({"query": "silverado", "model": ["Tahoe"]})),
        [""; 0]
    );
}

#[test]
fn every_field_sorts_in_both_directions_with_missing_values_last() {
    let lot = lot(json!([
        {"stock": "s3", "make": "audi", "model": "Q5", "year": 2020, "price": 300, "list_price": 1, "msrp": 9,
         "mileage": 50, "updated_at": "2026-05-01T08:00:00+02:00"},
        {"stock": "S1", "make": "Audi", "model": "a4", "year": 2021, "price": 300, "list_price": 2, "msrp": 8,
         "mileage": 40, "updated_at": "2026-05-01T07:00:00Z"},
        {"stock": "s2", "make": "BMW", "model": "X1", "year": 2021, "price": 100, "list_price": 3, "msrp": 7,
         "mileage": 40, "updated_at": "2026-05-01T05:00:00-01:00"},
        {"vin": "1HGCM82633A000002"},
        {"vin": "1HGCM82633A000001"},
        {"vehicle_id": "id-1"}
    ]));
    let missing = ["-", "-", "-"];
    let table: &[(&str, [&str; 3], [&str; 3])] = &[
        ("price", ["s2", "S1", "s3"], ["S1", "s3", "s2"]),
        ("list_price", ["s3", "S1", "s2"], ["s2", "S1", "s3"]),
        ("msrp", ["s2", "S1", "s3"], ["s3", "S1", "s2"]),
        ("mileage", ["S1", "s2", "s3"], ["s3", "S1", "s2"]),
        ("year", ["s3", "S1", "s2"], ["S1", "s2", "s3"]),
        ("make", ["S1", "s3", "s2"], ["s2", "s3", "S1"]),
        ("model", ["S1", "s3", "s2"], ["s2", "s3", "S1"]),
        ("stock", ["S1", "s2", "s3"], ["s3", "s2", "S1"]),
        ("updated_at", ["s2", "s3", "S1"], ["S1", "s2", "s3"]),
    ];
    for (field, ascending, descending) in table {
        for (order, expected) in [("asc", ascending), ("desc", descending)] {
            let sorted = found(&lot, json!({"sort": {"field": field, "order": order}}));
            assert_eq!(
                sorted,
                [expected.as_slice(), &missing].concat(),
                "{field} {order}"
            );
        }
    }
    assert_eq!(
        found(&lot, json!({})),
        ["S1", "s2", "s3", "-", "-", "-"],
        "default order"
    );
}

#[test]
fn units_without_a_stock_number_follow_by_vin_and_identifier() {
    let lot = lot(json!([
        {"vehicle_id": "b", "price": 1},
        {"vehicle_id": "A", "price": 1},
        {"vin": "1HGCM82633A000002", "price": 1},
        {"vin": "1HGCM82633A000001", "vehicle_id": "z", "price": 1},
        {"stock": "9", "price": 1}
    ]));
    for order in ["asc", "desc"] {
        let request = json!({"sort": {"field": "price", "order": order}});
        let request: SearchRequest = serde_json::from_value(request).unwrap();
        let answer = lot.search(&request, PageLimits::default());
        let names: Vec<String> = answer
            .result
            .vehicles
            .iter()
            .map(|it| it.get().to_owned())
            .collect();
        let expected = [
            r#"{"stock":"9","price":1}"#,
            r#"{"vehicle_id":"z","vin":"1HGCM82633A000001","price":1}"#,
            r#"{"vin":"1HGCM82633A000002","price":1}"#,
            r#"{"vehicle_id":"A","price":1}"#,
            r#"{"vehicle_id":"b","price":1}"#,
        ];
        assert_eq!(names, expected, "{order}");
    }
}

#[test]
fn pages_are_cut_clamped_and_echoed() {
    let vehicles: Vec<Value> = (0..30)
        .map(|number| json!({"stock": format!("{number:02}")}))
        .collect();
    let lot = lot(Value::Array(vehicles));
    let limits = PageLimits {
        default: 4,
        most: 10,
    };
    let page = |pagination: Value, field: &str| {
        let request = json!({"pagination": pagination, "sort": {"field": field, "order": "desc"}});
        let request: SearchRequest = serde_json::from_value(request).unwrap();
        let result = lot.search(&request, limits).result;
        (
            result.total,
            result.skip,
            result.limit,
            result.vehicles.len(),
        )
    };
    for field in ["stock", "updated_at"] {
        assert_eq!(page(json!({}), field), (30, Some(0), Some(4), 4));
        assert_eq!(
            page(json!({"limit": 7, "skip": 25}), field),
            (30, Some(25), Some(7), 5)
        );
        assert_eq!(
            page(json!({"limit": 1000}), field),
            (30, Some(0), Some(10), 10)
        );
        assert_eq!(page(json!({"skip": 30}), field), (30, Some(30), Some(4), 0));
        assert_eq!(
            page(json!({"skip": u64::MAX}), field),
            (30, Some(u64::MAX), Some(4), 0)
        );
    }
    let request = json!({"pagination": {"skip": 27, "limit": 2}, "sort": {"field": "stock", "order": "desc"}});
    assert_eq!(found(&lot, request), ["02", "01"]);
}

#[test]
fn a_range_that_contradicts_itself_is_answered_with_the_reason() {
    let lot = mixed_lot();
    let answer = |filters: Value| {
        let request: SearchRequest = serde_json::from_value(json!({"filters": filters})).unwrap();
        let answer = lot.search(&request, PageLimits::default());
        (answer.result.total, answer.message)
    };
    assert_eq!(
        answer(json!({"price_min": 30000, "price_max": 20000})),
        (
            0,
            Some("No vehicle can match: price_min 30000 is above price_max 20000.".to_owned())
        )
    );
    let many = json!({
        "year_min": 2024, "year_max": 2023,
        "displacement_cc_min": 2, "displacement_cc_max": 1,
        "electric_range_mi_min": 300, "electric_range_mi_max": 200
    });
    let message = "No vehicle can match: year_min 2024 is above year_max 2023; displacement_cc_min 2 is above \
                   displacement_cc_max 1; electric_range_mi_min 300 is above electric_range_mi_max 200.";
    assert_eq!(answer(many), (0, Some(message.to_owned())));
    assert_eq!(
        answer(json!({"price_min": 24500, "price_max": 24500})),
        (2, None)
    );
}

#[test]
fn a_search_of_an_empty_lot_is_empty() {
    let lot = lot(json!([]));
    assert!(lot.is_empty());
    assert_eq!(lot.updated_at(), None);
    assert_eq!(left_by(&lot, &json!({})), [""; 0]);
    assert_eq!(
        left_by(&lot, &json!({"price_min": 1, "query": "honda"})),
        [""; 0]
    );
}

#[test]
fn an_answer_repeats_the_vehicle_as_it_was_given() {
    let vehicle = json!({"stock": "A1", "price": 25000, "electric_range_mi": 161.50, "rooftop": "North",
                         "other_attributes": {"abs": true, "weight": 1.5}, "carfax_url": "https://example.com/1"});
    let lot = lot(json!([vehicle]));
    let answer = lot.search(&SearchRequest::default(), PageLimits::default());
    let body = serde_json::to_value(&answer.result).unwrap();
    assert_eq!(
        body,
        json!({"total": 1, "skip": 0, "limit": 20, "vehicles": [vehicle]})
    );
}

#[test]
fn the_snapshot_knows_its_version_and_freshness() {
    let lot = mixed_lot();
    assert_eq!(lot.version(), 7);
    assert_eq!(lot.len(), 8);
    assert_eq!(
        lot.updated_at(),
        Some("2026-05-02T06:00:00Z".parse().unwrap())
    );
}
