//! Payloads of no skill, and of the four skills that only ask.

use aap::ErrorCode::{MissingRequiredField, SchemaValidationFailed, UnsupportedSkill};
use serde_json::{Value, json};

use super::{Case, case};
use crate::with;

pub(super) fn cases() -> Vec<Case> {
    [
        unusable(),
        dealer_information(),
        inventory_search(),
        inventory_facets(),
        inventory_vehicle(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn unusable() -> Vec<Case> {
    vec![
        case("null", json!(null), SchemaValidationFailed, &[("", "type")]),
        case(
            "an array",
            json!([]),
            SchemaValidationFailed,
            &[("", "type")],
        ),
        case(
            "a string",
            json!("inventory.search.request"),
            SchemaValidationFailed,
            &[("", "type")],
        ),
        case(
            "no type",
            json!({ "vin": 5 }),
            SchemaValidationFailed,
            &[("/type", "required")],
        ),
        case(
            "type is null",
            json!({ "type": null }),
            SchemaValidationFailed,
            &[("/type", "type")],
        ),
        case(
            "type is an array",
            json!({ "type": ["lead.submit.request"] }),
            SchemaValidationFailed,
            &[("/type", "type")],
        ),
        case(
            "type is empty",
            json!({ "type": "" }),
            SchemaValidationFailed,
            &[("/type", "pattern")],
        ),
        case(
            "type in capitals",
            json!({ "type": "Inventory.Search.Request" }),
            SchemaValidationFailed,
            &[("/type", "pattern")],
        ),
        case(
            "type of one word",
            json!({ "type": "search" }),
            SchemaValidationFailed,
            &[("/type", "pattern")],
        ),
        case(
            "type of four words",
            json!({ "type": "inventory.search.request.please" }),
            SchemaValidationFailed,
            &[("/type", "pattern")],
        ),
        case(
            "type with an empty word",
            json!({ "type": "inventory..request" }),
            SchemaValidationFailed,
            &[("/type", "pattern")],
        ),
        case(
            "a skill of nobody",
            json!({ "type": "service.quote.request", "vin": 5 }),
            UnsupportedSkill,
            &[("/type", "enum")],
        ),
        case(
            "a response",
            json!({ "type": "inventory.search.response", "data": {} }),
            UnsupportedSkill,
            &[("/type", "enum")],
        ),
        case(
            "a skill without request",
            json!({ "type": "inventory.search" }),
            UnsupportedSkill,
            &[("/type", "enum")],
        ),
    ]
}

fn dealer_information() -> Vec<Case> {
    vec![
        case(
            "information with a member",
            json!({ "type": "dealer.information.request", "rooftop": "North" }),
            SchemaValidationFailed,
            &[("/rooftop", "additionalProperties")],
        ),
        case(
            "information with two members, names to escape",
            json!({ "type": "dealer.information.request", "a/b~c": null, "": {} }),
            SchemaValidationFailed,
            &[
                ("/", "additionalProperties"),
                ("/a~1b~0c", "additionalProperties"),
            ],
        ),
    ]
}

fn search(members: Value) -> Value {
    with(members, "/type", json!("inventory.search.request"))
}

fn filters(filters: Value) -> Value {
    search(with(json!({}), "/filters", filters))
}

fn inventory_search() -> Vec<Case> {
    vec![
        case(
            "filters are null",
            filters(json!(null)),
            SchemaValidationFailed,
            &[("/filters", "type")],
        ),
        case(
            "filters are an array",
            filters(json!(["Ford"])),
            SchemaValidationFailed,
            &[("/filters", "type")],
        ),
        case(
            "unknown filters",
            filters(json!({ "colour": ["red"], "mileage_min": 5, "status": ["available"] })),
            SchemaValidationFailed,
            &[
                ("/filters/colour", "additionalProperties"),
                ("/filters/mileage_min", "additionalProperties"),
                ("/filters/status", "additionalProperties"),
            ],
        ),
        case(
            "a filter of early versions",
            filters(json!({ "zip": "61602" })),
            SchemaValidationFailed,
            &[("/filters/zip", "additionalProperties")],
        ),
        case(
            "a text where a list is due",
            filters(json!({ "make": "Ford", "rooftops": "North", "body": null })),
            SchemaValidationFailed,
            &[
                ("/filters/body", "type"),
                ("/filters/make", "type"),
                ("/filters/rooftops", "type"),
            ],
        ),
        case(
            "items of other types",
            filters(json!({ "model": ["F-150", 150, null, ["Ranger"]] })),
            SchemaValidationFailed,
            &[
                ("/filters/model/1", "type"),
                ("/filters/model/2", "type"),
                ("/filters/model/3", "type"),
            ],
        ),
        case(
            "conditions of no vocabulary and of trade-ins",
            filters(json!({ "condition": ["new", "certified", "good", 1] })),
            SchemaValidationFailed,
            &[
                ("/filters/condition/1", "enum"),
                ("/filters/condition/2", "enum"),
                ("/filters/condition/3", "type"),
            ],
        ),
        case(
            "a vehicle type in capitals",
            filters(json!({ "vehicle_type": ["Car", "boat"] })),
            SchemaValidationFailed,
            &[
                ("/filters/vehicle_type/0", "enum"),
                ("/filters/vehicle_type/1", "enum"),
            ],
        ),
        case(
            "years outside the span",
            filters(json!({ "year_min": 1899, "year_max": 2101 })),
            SchemaValidationFailed,
            &[
                ("/filters/year_max", "maximum"),
                ("/filters/year_min", "minimum"),
            ],
        ),
        case(
            "numbers in quotes, broken and negative",
            filters(
                json!({ "year_min": "2023", "price_max": 35_000.5, "price_min": -1, "mileage_max": true }),
            ),
            SchemaValidationFailed,
            &[
                ("/filters/mileage_max", "type"),
                ("/filters/price_max", "type"),
                ("/filters/price_min", "minimum"),
                ("/filters/year_min", "type"),
            ],
        ),
        case(
            "electric and motorcycle filters",
            filters(json!({
                "dc_fast_charge": "true", "electric_range_mi_min": -0.5, "electric_range_mi_max": null,
                "displacement_cc_min": -5, "displacement_cc_max": "650", "charge_port": ["nacs", false],
            })),
            SchemaValidationFailed,
            &[
                ("/filters/charge_port/1", "type"),
                ("/filters/dc_fast_charge", "type"),
                ("/filters/displacement_cc_max", "type"),
                ("/filters/displacement_cc_min", "minimum"),
                ("/filters/electric_range_mi_max", "type"),
                ("/filters/electric_range_mi_min", "type"),
            ],
        ),
        case(
            "a VIN in lower case",
            filters(json!({ "vin": "1ft8w3bt5nec12345" })),
            SchemaValidationFailed,
            &[("/filters/vin", "pattern")],
        ),
        case(
            "a VIN of 16 and a stock number without quotes",
            filters(json!({ "vin": "1FT8W3BT5NEC1234", "stock": 2611 })),
            SchemaValidationFailed,
            &[("/filters/stock", "type"), ("/filters/vin", "pattern")],
        ),
        case(
            "a query of 201 characters",
            filters(json!({ "query": "ü".repeat(201) })),
            SchemaValidationFailed,
            &[("/filters/query", "maxLength")],
        ),
        case(
            "pages out of range",
            search(json!({ "pagination": { "skip": -1, "limit": 0 } })),
            SchemaValidationFailed,
            &[
                ("/pagination/limit", "minimum"),
                ("/pagination/skip", "minimum"),
            ],
        ),
        case(
            "a page too large, of another scheme",
            search(json!({ "pagination": { "page": 2, "limit": 1001 } })),
            SchemaValidationFailed,
            &[
                ("/pagination/limit", "maximum"),
                ("/pagination/page", "additionalProperties"),
            ],
        ),
        case(
            "a sort without order",
            search(json!({ "sort": { "field": "price" } })),
            MissingRequiredField,
            &[("/sort/order", "required")],
        ),
        case(
            "an empty sort",
            search(json!({ "sort": {} })),
            SchemaValidationFailed,
            &[("/sort/field", "required"), ("/sort/order", "required")],
        ),
        case(
            "a sort by an unknown member, misspelt order",
            search(json!({ "sort": { "field": "offered_price", "order": "ascending" } })),
            SchemaValidationFailed,
            &[("/sort/field", "enum"), ("/sort/order", "enum")],
        ),
        case(
            "a sort in words",
            search(json!({ "sort": "price" })),
            SchemaValidationFailed,
            &[("/sort", "type")],
        ),
        case(
            "privacy with a word and a customer",
            search(json!({ "privacy": { "anonymous": "yes", "customer": {} } })),
            SchemaValidationFailed,
            &[
                ("/privacy/anonymous", "type"),
                ("/privacy/customer", "additionalProperties"),
            ],
        ),
        case(
            "a search with consent, which belongs to leads",
            search(json!({ "consent": {}, "limit": 5 })),
            SchemaValidationFailed,
            &[
                ("/consent", "additionalProperties"),
                ("/limit", "additionalProperties"),
            ],
        ),
    ]
}

fn inventory_facets() -> Vec<Case> {
    let facets = |members| with(members, "/type", json!("inventory.facets.request"));
    vec![
        case(
            "facets with a page",
            facets(json!({ "pagination": {} })),
            SchemaValidationFailed,
            &[("/pagination", "additionalProperties")],
        ),
        case(
            "facets with bad filters",
            facets(json!({ "filters": { "condition": "used", "makes": ["Ford"] } })),
            SchemaValidationFailed,
            &[
                ("/filters/condition", "type"),
                ("/filters/makes", "additionalProperties"),
            ],
        ),
        case(
            "facets with filters in words",
            facets(json!({ "filters": "used" })),
            SchemaValidationFailed,
            &[("/filters", "type")],
        ),
    ]
}

fn inventory_vehicle() -> Vec<Case> {
    let vehicle = |members| with(members, "/type", json!("inventory.vehicle.request"));
    vec![
        case(
            "a vehicle without identifier",
            vehicle(json!({})),
            SchemaValidationFailed,
            &[("", "anyOf")],
        ),
        case(
            "a vehicle by another identifier",
            vehicle(json!({ "id": "42" })),
            SchemaValidationFailed,
            &[("", "anyOf"), ("/id", "additionalProperties")],
        ),
        case(
            "identifiers of other types",
            vehicle(json!({ "vin": null, "stock": 2611, "vehicle_id": ["a"] })),
            SchemaValidationFailed,
            &[
                ("/stock", "type"),
                ("/vehicle_id", "type"),
                ("/vin", "type"),
            ],
        ),
        case(
            "a VIN with I, O and Q",
            vehicle(json!({ "vin": "IFT8W3BTONEC1234Q", "zip": "61602" })),
            SchemaValidationFailed,
            &[("/vin", "pattern"), ("/zip", "additionalProperties")],
        ),
    ]
}
