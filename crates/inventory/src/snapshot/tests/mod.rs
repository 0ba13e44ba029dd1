//! What a buyer's agent sees of the stock, rule by rule, and against a reference that filters and
//! sorts one vehicle at a time.

mod facets;
mod find;
mod random;
mod reference;
mod search;

use aap::inventory::{Filters, SearchRequest};
use dealers::PageLimits;
use serde_json::{Value, json};

use super::Snapshot;
use crate::listing::Listing;

/// Listings from a list of vehicles; `rooftops` names where each stands, else its `rooftop` does.
fn listings(vehicles: Value) -> Vec<Listing> {
    let read = |mut vehicle: Value| {
        let members = vehicle.as_object_mut().unwrap();
        let rooftops: Vec<String> = match members.remove("rooftops") {
            Some(rooftops) => serde_json::from_value(rooftops).unwrap(),
            None => members
                .get("rooftop")
                .map(|name| name.as_str().unwrap().to_owned())
                .into_iter()
                .collect(),
        };
        Listing {
            vehicle: serde_json::from_value(vehicle).unwrap(),
            rooftops,
        }
    };
    let Value::Array(vehicles) = vehicles else {
        panic!("a list of vehicles")
    };
    vehicles.into_iter().map(read).collect()
}

/// A snapshot of these vehicles at the rooftops North and South.
fn lot(vehicles: Value) -> Snapshot {
    let rooftops = ["North".to_owned(), "South".to_owned()];
    Snapshot::build(listings(vehicles), Vec::new(), &rooftops, 7).unwrap()
}

fn filters(filters: Value) -> Filters {
    serde_json::from_value(filters).unwrap()
}

/// The stock numbers that a search returns, in order.
fn found(lot: &Snapshot, request: Value) -> Vec<String> {
    let request: SearchRequest = serde_json::from_value(request).unwrap();
    let answer = lot.search(&request, PageLimits::default());
    let stock = |vehicle: &&serde_json::value::RawValue| {
        let vehicle: Value = serde_json::from_str(vehicle.get()).unwrap();
        vehicle["stock"].as_str().unwrap_or("-").to_owned()
    };
    answer.result.vehicles.iter().map(stock).collect()
}

/// The stock numbers that a filter block leaves, ascending.
fn left_by(lot: &Snapshot, filters: &Value) -> Vec<String> {
    found(
        lot,
        json!({"filters": filters, "sort": {"field": "stock", "order": "asc"}}),
    )
}
