use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

/// Offers of one dealer after another, each dealer with what its prices cover.
fn cars(dealers: &[(PriceBasis, Json)]) -> Vec<Car> {
    let mut gathered = Gathered::default();
    for (dealer, (basis, listings)) in dealers.iter().enumerate() {
        for (rank, listing) in listings.as_array().unwrap().iter().enumerate() {
            let vehicle: Vehicle = serde_json::from_value(listing.clone()).unwrap();
            let price = vehicle.price.map(|dollars| Price {
                dollars,
                basis: *basis,
            });
            gathered.add(Offer {
                dealer,
                rank,
                price,
                vehicle,
            });
        }
    }
    gathered.cars
}

fn stocks(mut cars: Vec<Car>, by: Option<(SortField, SortOrder)>) -> Vec<String> {
    sort(&mut cars, by.map(|(field, order)| Sort { field, order }));
    let stock = |car: &Car| car.offers[0].vehicle.stock.clone().unwrap_or_default();
    cars.iter().map(stock).collect()
}

const VIN: &str = "1HGCY2F57RA000001";

#[test]
fn one_car_for_a_vin_with_every_offer() {
    let cars = cars(&[
        (
            PriceBasis::Advertised,
            json!([{ "vin": VIN, "price": 20_000, "rooftop": "North" }, { "stock": "N-2" }]),
        ),
        (
            PriceBasis::OutTheDoor,
            json!([
                { "vin": "1hgcy2f57ra000001 ", "price": 19_000 },
                { "vin": VIN, "rooftop": "Again" },
            ]),
        ),
    ]);
    assert_eq!(cars.len(), 2);
    assert_eq!(cars[0].vin(), Some(VIN));
    let offers: Vec<_> = cars[0]
        .offers()
        .iter()
        .map(|it| {
            (
                it.dealer,
                it.price.map(|price| (price.dollars, price.basis)),
            )
        })
        .collect();
    assert_eq!(
        offers,
        [
            (0, Some((20_000, PriceBasis::Advertised))),
            (1, Some((19_000, PriceBasis::OutTheDoor))),
            (1, None),
        ]
    );
}

#[test]
fn units_without_a_vin_stay_apart() {
    let twins = json!([
        { "stock": "N-1", "year": 2024, "make": "Acme" },
        { "stock": "N-1", "year": 2024, "make": "Acme" },
        { "vin": "TBD", "stock": "N-1" },
        { "vin": "TBD", "stock": "N-1" },
    ]);
    let cars = cars(&[
        (PriceBasis::Advertised, twins.clone()),
        (PriceBasis::Advertised, twins),
    ]);
    assert_eq!(cars.len(), 8);
    assert!(
        cars.iter()
            .all(|car| car.vin().is_none() && car.offers().len() == 1)
    );
}

#[test]
fn without_a_sort_each_dealer_keeps_its_own_order() {
    let cars = cars(&[
        (
            PriceBasis::Advertised,
            json!([{ "stock": "A1" }, { "stock": "A2" }, { "stock": "A3", "vin": VIN }]),
        ),
        (
            PriceBasis::OutTheDoor,
            json!([{ "stock": "B1", "vin": VIN }, { "stock": "B2" }]),
        ),
    ]);
    // The shared car comes where the dealer has it that ranks it first.
    assert_eq!(stocks(cars, None), ["A1", "A3", "A2", "B2"]);
}

#[test]
fn prices_of_different_kinds_are_sorted_apart() {
    let dealers = [
        (
            PriceBasis::OutTheDoor,
            json!([
                { "stock": "O1", "price": 100 },
                { "stock": "O2", "price": 900 },
                { "stock": "both", "vin": VIN, "price": 1 },
                { "stock": "none" },
            ]),
        ),
        (
            PriceBasis::Advertised,
            json!([
                { "stock": "A1", "price": 500 },
                { "vin": VIN, "price": 600 },
                { "stock": "A2", "price": 700 },
                { "stock": "A3", "list_price": 5 },
            ]),
        ),
    ];
    let ordered = |order| stocks(cars(&dealers), Some((SortField::Price, order)));
    assert_eq!(
        ordered(SortOrder::Asc),
        ["A1", "both", "A2", "O1", "O2", "A3", "none"]
    );
    assert_eq!(
        ordered(SortOrder::Desc),
        ["A2", "both", "A1", "O2", "O1", "A3", "none"]
    );
}

#[test]
fn a_car_stands_where_the_first_of_its_offers_would() {
    let dealers = [
        (
            PriceBasis::Advertised,
            json!([{ "stock": "shared", "vin": VIN, "price": 500 }, { "stock": "x", "price": 400 }]),
        ),
        (
            PriceBasis::Advertised,
            json!([{ "vin": VIN, "price": 300 }, { "stock": "y", "price": 450 }]),
        ),
    ];
    let ordered = |order| stocks(cars(&dealers), Some((SortField::Price, order)));
    assert_eq!(ordered(SortOrder::Asc), ["shared", "x", "y"]);
    assert_eq!(ordered(SortOrder::Desc), ["shared", "y", "x"]);
}

#[test]
fn every_field_sorts_and_what_lacks_it_goes_last() {
    let listings = json!([
        { "stock": "c", "year": 2020, "make": "kia", "model": "B", "mileage": 5, "msrp": 3, "list_price": 2, "updated_at": "2026-05-01T12:00:00+02:00" },
        { "stock": "A", "year": 2024, "make": "Acme", "model": "a", "mileage": 10, "msrp": 1, "list_price": 3, "updated_at": "2026-05-01T11:00:00Z" },
        { "stock": "b", "year": 2022, "make": "Kia", "model": "C", "mileage": 7, "msrp": 2, "list_price": 1, "updated_at": "2026-05-01T10:30:00Z" },
        { "stock": "z", "updated_at": "yesterday" },
    ]);
    let dealers = [(PriceBasis::Advertised, listings)];
    for (field, ascending) in [
        (SortField::Year, ["c", "b", "A"]),
        (SortField::Make, ["A", "b", "c"]),
        (SortField::Model, ["A", "c", "b"]),
        (SortField::Mileage, ["c", "b", "A"]),
        (SortField::Msrp, ["A", "b", "c"]),
        (SortField::ListPrice, ["b", "c", "A"]),
        (SortField::UpdatedAt, ["c", "b", "A"]),
    ] {
        let ordered = |order| stocks(cars(&dealers), Some((field, order)));
        let mut expected = ascending.to_vec();
        expected.push("z");
        assert_eq!(ordered(SortOrder::Asc), expected, "{field:?}");
        expected[..3].reverse();
        assert_eq!(ordered(SortOrder::Desc), expected, "{field:?}");
    }
    let by_stock = |order| stocks(cars(&dealers), Some((SortField::Stock, order)));
    assert_eq!(by_stock(SortOrder::Asc), ["A", "b", "c", "z"]);
    assert_eq!(by_stock(SortOrder::Desc), ["z", "c", "b", "A"]);
}

#[test]
fn ties_break_in_the_same_way_in_both_directions() {
    let dealers = [
        (
            PriceBasis::Advertised,
            json!([{ "stock": "s2", "year": 2024 }, { "year": 2024, "vin": VIN }]),
        ),
        (
            PriceBasis::Advertised,
            json!([{ "stock": "S1", "year": 2024 }]),
        ),
    ];
    for order in [SortOrder::Asc, SortOrder::Desc] {
        let ordered = stocks(cars(&dealers), Some((SortField::Year, order)));
        assert_eq!(ordered, ["S1", "s2", ""]);
    }
}

fn listing() -> impl Strategy<Value = Json> {
    let vin = prop::option::of((0..4_u8).prop_map(|number| format!("1HGCY2F57RA00000{number}")));
    let price = prop::option::of(0..5_u64);
    let mileage = prop::option::of(0..5_u64);
    (vin, price, mileage).prop_map(|(vin, price, mileage)| {
        let mut listing = json!({});
        if let Some(vin) = vin {
            listing["vin"] = vin.into();
        }
        if let Some(price) = price {
            listing["price"] = price.into();
        }
        if let Some(mileage) = mileage {
            listing["mileage"] = mileage.into();
        }
        listing
    })
}

proptest! {
    /// Whatever dealers send: no offer is lost, no VIN stands twice, and prices ascend within a kind.
    #[test]
    fn no_offer_is_lost_and_no_vin_stands_twice(
        pages in prop::collection::vec((any::<bool>(), prop::collection::vec(listing(), 0..8)), 0..5)
    ) {
        let dealers: Vec<(PriceBasis, Json)> = pages
            .into_iter()
            .map(|(old, page)| {
                let basis = if old { PriceBasis::OutTheDoor } else { PriceBasis::Advertised };
                (basis, page.into())
            })
            .collect();
        let sent: usize = dealers.iter().map(|(_, page)| page.as_array().unwrap().len()).sum();
        let mut cars = cars(&dealers);
        sort(&mut cars, Some(Sort { field: SortField::Price, order: SortOrder::Asc }));
        prop_assert_eq!(cars.iter().map(|car| car.offers().len()).sum::<usize>(), sent);
        let mut vins: Vec<_> = cars.iter().filter_map(Car::vin).collect();
        let count = vins.len();
        vins.sort_unstable();
        vins.dedup();
        prop_assert_eq!(vins.len(), count);
        for basis in [PriceBasis::Advertised, PriceBasis::OutTheDoor] {
            let advertised = |car: &Car| car.offers().iter().any(|it| it.price.is_some_and(|it| it.basis == PriceBasis::Advertised));
            let lowest: Vec<u64> = cars
                .iter()
                .filter(|car| basis == PriceBasis::Advertised || !advertised(car))
                .filter_map(|car| car.offers().iter().filter_map(|it| it.price).filter(|it| it.basis == basis).map(|it| it.dollars).min())
                .collect();
            prop_assert!(lowest.is_sorted(), "{:?}", lowest);
        }
    }
}
