//! Random stocks and random requests, against the reference.

use aap::{
    inventory::{Filters, Pagination, SearchRequest, Sort, SortField, SortOrder},
    vehicle::{Condition, Vehicle, VehicleType},
};
use dealers::PageLimits;
use proptest::{
    collection::vec,
    option::{self, weighted},
    prelude::*,
    sample::{select, subsequence},
};
use serde_json::Number;

use super::reference;
use crate::{listing::Listing, snapshot::Snapshot};

const MAKES: &[&str] = &[
    "Honda",
    "HONDA",
    " honda",
    "Ford",
    "ford ",
    "Škoda",
    "ŠKODA",
    "Volt  Moto",
    " ",
];
const MODELS: &[&str] = &[
    "CR-V",
    "crv",
    "F-150",
    "RX 350",
    "Civic",
    "civic",
    "Silverado",
];
const COLORS: &[&str] = &[
    "Black",
    "black",
    "Crystal Black Pearl",
    "Blue-Gray",
    "Pearl black",
    "Blackberry",
    "-",
];
const WORDS: &[&str] = &[
    "gas",
    "Gas",
    "bev",
    "suv",
    "Sedan",
    "EX-L",
    "one owner",
    "heated seats",
    "Custom",
];
const QUERIES: &[&str] = &[
    "honda",
    "hon",
    "cr-v",
    "cr v",
    "f150",
    "rx350",
    "civic",
    "cviic",
    "civicc",
    "silvrado",
    "silverada",
    "black",
    "blakc pearl",
    "owner",
    "ownre one",
    "2021",
    "s1",
    "x",
    "-",
    "ex-l",
    "honda 20",
    "heatde",
];
const ROOFTOPS: &[&str] = &["North", "South", "West"];

fn text(from: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    weighted(0.7, select(from).prop_map(str::to_owned))
}

fn texts(from: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
    let some = vec(select(from).prop_map(str::to_owned), 1..3);
    prop_oneof![5 => Just(Vec::new()), 1 => some]
}

/// A listing without a VIN; the stock gives out VINs, because one VIN is one listing.
fn listing() -> impl Strategy<Value = Listing> {
    let names = (
        text(MAKES),
        text(MODELS),
        text(WORDS),
        text(WORDS),
        text(WORDS),
    );
    let colors = (
        text(COLORS),
        text(COLORS),
        vec(select(WORDS).prop_map(str::to_owned), 0..2),
        text(WORDS),
    );
    let small = || option::of(0..6_u64);
    let numbers = (
        small(),
        small(),
        small(),
        small(),
        small(),
        option::of(2019..2023_u16),
    );
    let electric = (
        option::of(0..12_u64),
        option::of(any::<bool>()),
        text(WORDS),
    );
    let kinds = (
        option::of(select(&Condition::SALE)),
        option::of(select(&VehicleType::ALL)),
        text(WORDS),
    );
    let identifiers = (
        option::of(0..8_u8),
        option::of(0..3_u8),
        option::of(1..4_u8),
    );
    let places = subsequence(ROOFTOPS, 0..=2);
    (names, colors, numbers, electric, kinds, identifiers, places).prop_map(
        |(names, colors, numbers, electric, kinds, (stock, id, hour), places)| {
            let rooftops: Vec<String> = places.into_iter().map(str::to_owned).collect();
            let (make, model, trim, body, fuel) = names;
            let (exterior_color, interior_color, features, description) = colors;
            let (price, list_price, msrp, mileage, displacement_cc, year) = numbers;
            let (halves, dc_fast_charge, charge_port) = electric;
            let (condition, vehicle_type, transmission) = kinds;
            let vehicle = Vehicle {
                make,
                model,
                trim,
                body,
                driveline: fuel.clone(),
                fuel,
                exterior_color,
                interior_color,
                features,
                description,
                price,
                list_price,
                msrp,
                mileage,
                displacement_cc,
                year,
                electric_range_mi: halves.and_then(|halves| Number::from_f64(halves as f64 / 2.0)),
                dc_fast_charge,
                charge_port,
                condition,
                vehicle_type,
                transmission,
                stock: stock.map(|stock| {
                    if stock < 4 {
                        format!("S{stock}")
                    } else {
                        format!("s{}", stock - 4)
                    }
                }),
                vehicle_id: id.map(|id| format!("id-{id}")),
                rooftop: rooftops.first().cloned(),
                updated_at: hour.map(|hour| format!("2026-05-01T0{hour}:00:00Z")),
                ..Vehicle::default()
            };
            Listing { vehicle, rooftops }
        },
    )
}

fn stock() -> impl Strategy<Value = Vec<Listing>> {
    vec((listing(), any::<bool>()), 0..60).prop_map(|listings| {
        let numbered = listings.into_iter().enumerate();
        numbered
            .map(|(number, (mut listing, has_vin))| {
                listing.vehicle.vin = has_vin.then(|| format!("1HGCM82633A{:06}", 999 - number));
                listing.vehicle.notes = Some(number.to_string());
                listing
            })
            .collect()
    })
}

fn filters() -> impl Strategy<Value = Filters> {
    let end = || weighted(0.1, 0..6_u64);
    let names = (
        texts(MAKES),
        texts(MODELS),
        texts(WORDS),
        texts(WORDS),
        texts(WORDS),
        texts(WORDS),
    );
    let colors = (texts(COLORS), texts(COLORS), texts(ROOFTOPS));
    let kinds = (
        prop_oneof![5 => Just(Vec::new()), 1 => vec(select(&Condition::SALE), 1..3)],
        prop_oneof![5 => Just(Vec::new()), 1 => vec(select(&VehicleType::ALL), 1..4)],
        weighted(0.2, any::<bool>()),
    );
    let years = (weighted(0.1, 2019..2023_u16), weighted(0.1, 2019..2023_u16));
    let ranges = (end(), end(), end(), end(), end(), end(), end());
    let rest = (
        weighted(
            0.05,
            (900..1000_u32).prop_map(|number| format!("1HGCM82633A{number:06}")),
        ),
        weighted(0.05, (0..4_u8).prop_map(|number| format!(" s{number}"))),
        weighted(0.3, select(QUERIES).prop_map(str::to_owned)),
    );
    (names, colors, kinds, years, ranges, rest).prop_map(
        |(names, colors, kinds, years, ranges, rest)| {
            let (make, model, trim, body, fuel, transmission) = names;
            let (exterior_color, interior_color, rooftops) = colors;
            let (condition, vehicle_type, dc_fast_charge) = kinds;
            let (year_min, year_max) = years;
            let (
                price_min,
                price_max,
                mileage_max,
                displacement_cc_min,
                displacement_cc_max,
                miles_min,
                miles_max,
            ) = ranges;
            let (vin, stock, query) = rest;
            Filters {
                make,
                model,
                trim,
                body,
                charge_port: fuel.clone(),
                driveline: fuel.clone(),
                fuel,
                transmission,
                exterior_color,
                interior_color,
                rooftops,
                condition,
                vehicle_type,
                dc_fast_charge,
                year_min,
                year_max,
                price_min,
                price_max,
                mileage_max,
                displacement_cc_min,
                displacement_cc_max,
                electric_range_mi_min: miles_min,
                electric_range_mi_max: miles_max,
                vin,
                stock,
                query,
            }
        },
    )
}

const FIELDS: [SortField; 9] = [
    SortField::Price,
    SortField::ListPrice,
    SortField::Msrp,
    SortField::Mileage,
    SortField::Year,
    SortField::Make,
    SortField::Model,
    SortField::Stock,
    SortField::UpdatedAt,
];

fn request() -> impl Strategy<Value = SearchRequest> {
    let sort = option::of((select(&FIELDS), select(&[SortOrder::Asc, SortOrder::Desc])));
    let page = (option::of(0..20_u64), option::of(1..12_u64));
    (filters(), sort, page).prop_map(|(filters, sort, (skip, limit))| SearchRequest {
        filters: Some(filters),
        pagination: Some(Pagination { skip, limit }),
        sort: sort.map(|(field, order)| Sort { field, order }),
        privacy: None,
    })
}

fn rooftops() -> Vec<String> {
    ROOFTOPS.iter().map(|&name| name.to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_search_returns_what_the_reference_returns(stock in stock(), request in request()) {
        let snapshot = Snapshot::build(stock.clone(), Vec::new(), &rooftops(), 1).unwrap();
        let limits = PageLimits { default: 5, most: 8 };
        let answer = snapshot.search(&request, limits);

        let mut expected = reference::matching(&stock, request.filters.as_ref().unwrap());
        let freshest = Sort { field: SortField::UpdatedAt, order: SortOrder::Desc };
        reference::sort(&mut expected, request.sort.unwrap_or(freshest));
        prop_assert_eq!(answer.result.total, expected.len() as u64);

        let page = request.pagination.unwrap();
        let limit = page.limit.unwrap_or(5).min(8);
        let skip = page.skip.unwrap_or(0);
        prop_assert_eq!((answer.result.skip, answer.result.limit), (Some(skip), Some(limit)));
        let expected: Vec<String> = expected
            .iter()
            .skip(skip as usize)
            .take(limit as usize)
            .map(|listing| serde_json::to_string(&listing.vehicle).unwrap())
            .collect();
        let found: Vec<&str> = answer.result.vehicles.iter().map(|json| json.get()).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn facets_count_what_the_reference_counts(stock in stock(), filters in filters()) {
        let snapshot = Snapshot::build(stock.clone(), Vec::new(), &rooftops(), 1).unwrap();
        let facets = snapshot.facets(Some(&filters)).facets;
        let matches = reference::matching(&stock, &filters);
        prop_assert_eq!(serde_json::to_value(facets).unwrap(), reference::facets(&stock, &matches));
    }
}
