use std::collections::BTreeSet;

use aap::vehicle::Vehicle;
use inventory::feed::{self, ReadOptions};

use super::*;

fn lots() -> Vec<Vehicle> {
    let config = config().unwrap();
    let dealer = &config.dealers[0];
    let mut vehicles = Vec::new();
    for (name, bytes) in feeds().unwrap() {
        let options = ReadOptions::of(dealer, &dealer.feeds[name], jiff::civil::date(2026, 12, 1));
        let report = feed::read(&bytes, &options);
        assert!(report.refused.is_none(), "{:?}", report.refused);
        assert!(report.skipped.is_empty(), "{:?}", report.skipped);
        vehicles.extend(report.vehicles.into_iter().map(|read| read.vehicle));
    }
    vehicles
}

#[test]
fn every_row_is_published_and_none_shares_a_vin() {
    let vehicles = lots();
    assert_eq!(vehicles.len(), VEHICLES);
    let vins: Vec<&String> = vehicles.iter().filter_map(|it| it.vin.as_ref()).collect();
    assert_eq!(vins.iter().collect::<BTreeSet<_>>().len(), vins.len());
}

#[test]
fn every_kind_that_the_model_allows_stands_on_the_lots() {
    let vehicles = lots();
    let kinds: BTreeSet<&str> = vehicles.iter().map(|it| it.kind().as_str()).collect();
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["car", "motorcycle", "other", "rv", "trailer"]
    );
    let conditions: BTreeSet<&str> = vehicles
        .iter()
        .filter_map(|it| it.condition.map(aap::vehicle::Condition::as_str))
        .collect();
    assert_eq!(
        conditions.into_iter().collect::<Vec<_>>(),
        ["cpo", "new", "used"]
    );
    let statuses: BTreeSet<&str> = vehicles
        .iter()
        .filter_map(|it| it.status.map(aap::vehicle::Status::as_str))
        .collect();
    assert_eq!(
        statuses.into_iter().collect::<Vec<_>>(),
        ["available", "intransit", "pending"]
    );
    let fuels: BTreeSet<&str> = vehicles
        .iter()
        .filter_map(|it| it.fuel.as_deref())
        .collect();
    assert!(
        ["gas", "diesel", "hybrid", "phev", "bev"]
            .iter()
            .all(|fuel| fuels.contains(fuel))
    );
    for field in [
        vehicles
            .iter()
            .any(|it| it.vin.is_none() && it.stock.is_some()),
        vehicles
            .iter()
            .any(|it| it.stock.is_none() && it.vehicle_id.is_some()),
        vehicles
            .iter()
            .any(|it| it.price.is_some() && it.fees.is_some()),
        vehicles
            .iter()
            .any(|it| it.price.is_none() && it.list_price.is_some()),
        vehicles
            .iter()
            .any(|it| it.price.is_none() && it.list_price.is_none()),
        vehicles
            .iter()
            .any(|it| it.electric_range_mi.is_some() && it.battery_kwh.is_some()),
        vehicles.iter().any(|it| it.dc_fast_charge == Some(false)),
        vehicles
            .iter()
            .any(|it| it.displacement_cc.is_some() && it.city_mpg.is_some()),
        vehicles
            .iter()
            .all(|it| it.photos.len() == 2 && it.inventory_date.is_some()),
    ] {
        assert!(field);
    }
}

#[test]
fn the_cost_column_of_the_feed_is_not_published() {
    for vehicle in lots() {
        let text = serde_json::to_string(&vehicle).unwrap().to_lowercase();
        assert!(!text.contains("invoice"), "{text}");
    }
}

#[test]
fn the_figures_of_every_unit_agree_with_each_other() {
    for vehicle in lots() {
        let stock = vehicle.stock.as_deref().unwrap_or("in transit");
        if let Some(vin) = &vehicle.vin {
            assert_eq!(check_digit(vin), vin.chars().nth(8), "{stock}: {vin}");
        }
        if vehicle.fuel.as_deref() == Some("bev") {
            assert_eq!(
                (vehicle.city_mpg, vehicle.displacement_cc),
                (None, None),
                "{stock}"
            );
        }
        assert!(vehicle.inventory_date.as_deref() < Some("2026"), "{stock}");
        let asked = vehicle.price.or(vehicle.list_price);
        assert!(asked.is_none_or(|price| price > 1000), "{stock}: {asked:?}");
    }
}
