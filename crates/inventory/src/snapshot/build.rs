//! From listings to a snapshot.

use std::cmp::Reverse;

use aap::vehicle::Vehicle;
use jiff::Timestamp;
use serde_json::value::{RawValue, to_raw_value};

use super::{
    Columns, Identifiers, Snapshot,
    words::{Words, WordsBuilder},
};
use crate::{
    listing::{GoneUnit, Listing},
    text::Sortable,
};

impl Snapshot {
    /// Builds the columns and renders every vehicle's JSON. `rooftops` are the dealer's, in the
    /// order of the configuration.
    ///
    /// # Errors
    /// When a vehicle cannot be written as JSON, which the types rule out for vehicles that were
    /// read from JSON or from a feed.
    pub fn build(
        listings: Vec<Listing>,
        gone: Vec<GoneUnit>,
        rooftops: &[String],
        version: u64,
    ) -> Result<Self, serde_json::Error> {
        let stock = Numbered::new(listings);
        let gone_identifiers = gone
            .iter()
            .map(|unit| [&unit.vin, &unit.stock, &unit.vehicle_id]);
        let identifiers = stock
            .vehicles()
            .map(|vehicle| [&vehicle.vin, &vehicle.stock, &vehicle.vehicle_id]);
        Ok(Self {
            version,
            updated_at: stock.times.first().copied().flatten(),
            columns: Columns::build(&stock, rooftops),
            words: index_words(&stock),
            identifiers: Identifiers::build(identifiers),
            gone_identifiers: Identifiers::build(gone_identifiers),
            records: render(&stock)?,
            gone,
            ties: stock.ties,
        })
    }
}

/// The listings in the default order of a search, `updated_at` descending.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) listings: Vec<Listing>,
    /// The `updated_at` of each row, `None` when it is absent or not a time.
    pub(super) times: Vec<Option<Timestamp>>,
    /// Each row's place among equals: by stock number, VIN, identifier and rooftop, missing ones
    /// last.
    pub(super) ties: Vec<u32>,
}

impl Numbered {
    fn new(listings: Vec<Listing>) -> Self {
        let places = places_among_equals(&listings);
        let time = |listing: &Listing| listing.vehicle.updated_at.as_deref()?.parse().ok();
        let times: Vec<Option<Timestamp>> = listings.iter().map(time).collect();
        let mut rows: Vec<usize> = (0..listings.len()).collect();
        // No time at all is before every time.
        rows.sort_unstable_by_key(|&it| (Reverse(times[it]), places[it]));
        let mut slots: Vec<Option<Listing>> = listings.into_iter().map(Some).collect();
        Self {
            times: rows.iter().map(|&it| times[it]).collect(),
            ties: rows.iter().map(|&it| places[it]).collect(),
            listings: rows.iter().filter_map(|&it| slots[it].take()).collect(),
        }
    }

    /// The vehicle of each row.
    pub(super) fn vehicles(&self) -> impl Iterator<Item = &Vehicle> + Clone {
        self.listings.iter().map(|listing| &listing.vehicle)
    }
}

fn places_among_equals(listings: &[Listing]) -> Vec<u32> {
    let missing_last = |text: Option<&String>| {
        let text = text.and_then(|text| Sortable::new(text));
        (text.is_none(), text)
    };
    let stocks: Vec<_> = listings
        .iter()
        .map(|it| missing_last(it.vehicle.stock.as_ref()))
        .collect();
    let others = |it: usize| {
        let Listing { vehicle, rooftops } = &listings[it];
        [
            vehicle.vin.as_ref(),
            vehicle.vehicle_id.as_ref(),
            rooftops.first(),
        ]
        .map(missing_last)
    };
    let mut order: Vec<usize> = (0..listings.len()).collect();
    order.sort_by(|&left, &right| {
        let by_stock = stocks[left].cmp(&stocks[right]);
        by_stock.then_with(|| others(left).cmp(&others(right)))
    });
    let mut places = vec![0; listings.len()];
    for (place, it) in (0..).zip(order) {
        places[it] = place;
    }
    places
}

fn render(stock: &Numbered) -> Result<Vec<Box<RawValue>>, serde_json::Error> {
    stock.vehicles().map(to_raw_value).collect()
}

fn index_words(stock: &Numbered) -> Words {
    let mut words = WordsBuilder::default();
    for (row, vehicle) in (0..).zip(stock.vehicles()) {
        for text in searched_texts(vehicle) {
            words.add(row, text);
        }
        if let Some(model) = &vehicle.model {
            words.add_joined(row, model);
        }
        if let Some(year) = vehicle.year {
            words.add_number(row, year);
        }
    }
    words.finish()
}

/// The texts that the free-text query looks through, the model year apart.
fn searched_texts(vehicle: &Vehicle) -> impl Iterator<Item = &str> {
    [
        &vehicle.make,
        &vehicle.model,
        &vehicle.trim,
        &vehicle.body,
        &vehicle.exterior_color,
        &vehicle.interior_color,
        &vehicle.description,
        &vehicle.stock,
    ]
    .into_iter()
    .flatten()
    .chain(&vehicle.features)
    .map(String::as_str)
}
