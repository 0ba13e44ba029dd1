//! The cars of a search over many dealers: one for each VIN, with every offer of it.

use std::{
    cmp::{Ordering, Reverse},
    collections::HashMap,
};

use aap::{
    PriceBasis,
    inventory::{SearchRequest, Sort, SortField, SortOrder},
    vehicle::{Vehicle, is_vin},
};
use jiff::Timestamp;
use serde::Serialize;

use super::Asked;
use crate::buyer::{Answer, Price, SearchPage};

/// What many dealers answered to a search.
#[derive(Debug)]
#[non_exhaustive]
pub struct MarketSearch {
    /// Every dealer in the order of the list, with its page or why there is none.
    pub asked: Vec<Asked<Page>>,
    /// The cars of all pages: see [`MarketSearch::new`] for their order.
    pub cars: Vec<Car>,
    /// What a reader has to know about cars and prices.
    pub notes: Vec<Note>,
}

/// A dealer's page without its cars, which stand in [`MarketSearch::cars`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// Matches at this dealer over all pages.
    pub total: u64,
    /// How many matches the dealer left out from the start.
    pub skip: u64,
    /// Listings that the dealer sent.
    pub sent: usize,
    /// Why listings of the page were left out.
    pub ignored: Vec<String>,
    /// The dealer's words for the buyer.
    pub message: Option<String>,
}

/// A car and who offers it. A unit without a VIN cannot be told from another, so that it stands for
/// itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Car {
    vin: Option<String>,
    /// At least one.
    offers: Vec<Offer>,
}

/// What one dealer offers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Offer {
    /// The dealer's place in the list, from 0.
    pub dealer: usize,
    /// The listing's place on the dealer's page, from 0.
    pub rank: usize,
    /// The price with what it covers; `None` where the dealer states none.
    pub price: Option<Price>,
    /// The listing as the dealer has it.
    pub vehicle: Vehicle,
}

/// Something that a reader has to know about a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Note {
    /// `price_bases`: prices of two kinds are among the answers. `more_matches`: dealers have more
    /// matches than they sent.
    pub code: &'static str,
    /// The same in words.
    pub message: String,
}

impl MarketSearch {
    /// Brings the pages together that dealers sent to `request`.
    ///
    /// Cars are in the order of the sort that was asked. A car with several offers stands where the
    /// first of them would; a car without the field goes last in both directions; ties break by stock
    /// number, VIN and identifier. Sorted by price, cars with an advertised price come first, then
    /// those with an out-the-door price only, then those without a price: the two are not compared.
    /// Without a sort each dealer's own order is kept, the first car of every dealer before the second
    /// of any.
    #[must_use]
    pub fn new(answers: Vec<Asked<Answer<SearchPage>>>, request: &SearchRequest) -> Self {
        let mut answers = answers;
        answers.sort_by_key(|asked| asked.index);
        let mut gathered = Gathered::default();
        let asked: Vec<Asked<Page>> = answers
            .into_iter()
            .map(|asked| gathered.take(asked))
            .collect();
        let mut cars = gathered.cars;
        sort(&mut cars, request.sort);
        let notes = notes(&asked, request);
        Self { asked, cars, notes }
    }

    /// The dealers that gave no answer.
    pub fn failed(&self) -> impl Iterator<Item = &Asked<Page>> {
        self.asked.iter().filter(|asked| asked.outcome.is_err())
    }
}

impl Car {
    /// The VIN that all offers share, in upper case.
    #[must_use]
    pub fn vin(&self) -> Option<&str> {
        self.vin.as_deref()
    }

    /// Who offers the car, in the order of the list of dealers; at least one.
    #[must_use]
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }
}

/// Cars as pages come in.
#[derive(Default)]
struct Gathered {
    cars: Vec<Car>,
    by_vin: HashMap<String, usize>,
}

impl Gathered {
    fn take(&mut self, asked: Asked<Answer<SearchPage>>) -> Asked<Page> {
        let Asked {
            index,
            dealer,
            outcome,
        } = asked;
        let outcome = outcome.map(|answer| {
            let SearchPage { result, ignored } = answer.data;
            let page = Page {
                total: result.total,
                skip: result.skip.unwrap_or_default(),
                sent: result.vehicles.len() + ignored.len(),
                ignored,
                message: answer.message,
            };
            for (rank, vehicle) in result.vehicles.into_iter().enumerate() {
                let price = dealer.as_ref().and_then(|dealer| dealer.price(&vehicle));
                self.add(Offer {
                    dealer: index,
                    rank,
                    price,
                    vehicle,
                });
            }
            page
        });
        Asked {
            index,
            dealer,
            outcome,
        }
    }

    fn add(&mut self, offer: Offer) {
        let vin = offer.vehicle.vin.as_deref();
        let vin = vin
            .map(|vin| vin.trim().to_ascii_uppercase())
            .filter(|vin| is_vin(vin));
        if let Some(known) = vin.as_ref().and_then(|vin| self.by_vin.get(vin)) {
            self.cars[*known].offers.push(offer);
            return;
        }
        if let Some(vin) = &vin {
            self.by_vin.insert(vin.clone(), self.cars.len());
        }
        self.cars.push(Car {
            vin,
            offers: vec![offer],
        });
    }
}

fn sort(cars: &mut [Car], sort: Option<Sort>) {
    match sort {
        None => cars.sort_by_key(|car| {
            let places = car.offers.iter().map(|offer| (offer.rank, offer.dealer));
            places.min()
        }),
        Some(Sort { field, order }) => cars.sort_by_cached_key(|car| Place::of(car, field, order)),
    }
}

/// Where a car stands in an order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    group: Group,
    value: Directed,
    stock: Last<Folded>,
    vin: Last<String>,
    vehicle_id: Last<String>,
    dealer: usize,
    rank: usize,
}

/// Cars that are sorted among themselves. Only a price has several groups.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Advertised,
    OutTheDoor,
    Whole,
    /// The field is not stated.
    Missing,
}

/// A value in the direction of the sort.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Directed {
    Ascending(Option<Value>),
    Descending(Reverse<Option<Value>>),
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
enum Value {
    Number(u64),
    Text(Folded),
    Time(Timestamp),
}

/// Text in the order of its letters whatever their case, then of its bytes.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Folded(String, String);

/// `None` behind everything.
#[derive(PartialEq, Eq)]
struct Last<T>(Option<T>);

impl<T: Ord> Ord for Last<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => one.cmp(other),
            (one, other) => other.is_some().cmp(&one.is_some()),
        }
    }
}

impl<T: Ord> PartialOrd for Last<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Place {
    fn of(car: &Car, field: SortField, order: SortOrder) -> Self {
        let values = car.offers.iter().map(|offer| value(offer, field));
        // The group comes before the value: an offer of another basis has no say.
        let group = values.clone().map(|(group, _)| group).min();
        let group = group.unwrap_or(Group::Missing);
        let values = values.filter(|(of, _)| *of == group);
        let values = values.filter_map(|(_, value)| value);
        let value = match order {
            SortOrder::Asc => Directed::Ascending(values.min()),
            SortOrder::Desc => Directed::Descending(Reverse(values.max())),
        };
        let first = &car.offers[0];
        Self {
            group,
            value,
            stock: Last(first.vehicle.stock.as_deref().map(Folded::of)),
            vin: Last(car.vin.clone()),
            vehicle_id: Last(first.vehicle.vehicle_id.clone()),
            dealer: first.dealer,
            rank: first.rank,
        }
    }
}

impl Folded {
    fn of(text: &str) -> Self {
        Self(text.to_lowercase(), text.to_owned())
    }
}

/// What an offer is sorted by, and among which.
fn value(offer: &Offer, field: SortField) -> (Group, Option<Value>) {
    let vehicle = &offer.vehicle;
    let text = |text: &Option<String>| text.as_deref().map(|text| Value::Text(Folded::of(text)));
    let number = |number: Option<u64>| number.map(Value::Number);
    let value = match field {
        SortField::Price => {
            let Some(price) = offer.price else {
                return (Group::Missing, None);
            };
            let group = match price.basis {
                PriceBasis::Advertised => Group::Advertised,
                PriceBasis::OutTheDoor => Group::OutTheDoor,
            };
            return (group, Some(Value::Number(price.dollars)));
        }
        SortField::ListPrice => number(vehicle.list_price),
        SortField::Msrp => number(vehicle.msrp),
        SortField::Mileage => number(vehicle.mileage),
        SortField::Year => number(vehicle.year.map(u64::from)),
        SortField::Make => text(&vehicle.make),
        SortField::Model => text(&vehicle.model),
        SortField::Stock => text(&vehicle.stock),
        SortField::UpdatedAt => {
            let stated = vehicle.updated_at.as_deref();
            stated.and_then(|time| time.parse().ok()).map(Value::Time)
        }
    };
    match value {
        Some(_) => (Group::Whole, value),
        None => (Group::Missing, None),
    }
}

fn notes(asked: &[Asked<Page>], request: &SearchRequest) -> Vec<Note> {
    let answered = || {
        asked
            .iter()
            .filter_map(|asked| Some((asked.dealer.as_ref()?, asked.outcome.as_ref().ok()?)))
    };
    let has = |basis| answered().any(|(dealer, _)| dealer.price_basis() == basis);
    let mut notes = Vec::new();
    if has(PriceBasis::Advertised) && has(PriceBasis::OutTheDoor) {
        notes.push(price_bases(request));
    }
    let more = answered()
        .filter(|(_, page)| page.skip.saturating_add(page.sent as u64) < page.total)
        .count();
    if more > 0 {
        notes.push(more_matches(more, request.sort.is_some()));
    }
    notes
}

fn price_bases(request: &SearchRequest) -> Note {
    let mut message = "Prices are of two kinds that are not compared: out-the-door (AAP up to 1.2), and advertised, without tax, title and registration (from AAP 1.3 on).".to_owned();
    if request
        .sort
        .is_some_and(|sort| sort.field == SortField::Price)
    {
        message.push_str(" Cars with an advertised price come first, then those with an out-the-door price only; each kind is sorted for itself.");
    }
    let filters = request.filters.as_ref();
    if filters.is_some_and(|it| it.price_min.is_some() || it.price_max.is_some()) {
        message.push_str(" Each dealer applied the price filter to its own kind.");
    }
    Note {
        code: "price_bases",
        message,
    }
}

fn more_matches(dealers: usize, sorted: bool) -> Note {
    let mut message = match dealers {
        1 => "One dealer has more matches than it sent.".to_owned(),
        _ => format!("{dealers} dealers have more matches than they sent."),
    };
    if sorted {
        message.push_str(" Their other cars are missing from this order.");
    }
    Note {
        code: "more_matches",
        message,
    }
}

#[cfg(test)]
mod tests;
