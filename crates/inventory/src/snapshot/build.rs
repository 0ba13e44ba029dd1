//! From listings to a snapshot.

use std::cmp::Reverse;

use aap::vehicle::Vehicle;
use serde_json::value::{RawValue, to_raw_value};

use super::{
    Columns, Identifiers, Rooftops, Snapshot,
    columns::updated_at,
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
        let (listings, ties) = number(listings);
        let identifiers = listings
            .iter()
            .map(|Listing { vehicle, .. }| [&vehicle.vin, &vehicle.stock, &vehicle.vehicle_id]);
        let gone_identifiers = gone
            .iter()
            .map(|unit| [&unit.vin, &unit.stock, &unit.vehicle_id]);
        Ok(Self {
            version,
            updated_at: listings
                .iter()
                .filter_map(|listing| updated_at(&listing.vehicle))
                .max(),
            columns: Columns::build(&listings, &ties),
            rooftops: Rooftops::build(
                rooftops,
                listings.iter().map(|listing| listing.rooftops.as_slice()),
            ),
            words: index_words(&listings),
            identifiers: Identifiers::build(identifiers),
            gone_identifiers: Identifiers::build(gone_identifiers),
            records: render(&listings)?,
            gone,
            ties,
        })
    }
}

/// Puts the listings into the default order of a search, `updated_at` descending, and returns each
/// one's place among equals: by stock number, VIN, identifier and rooftop, missing ones last.
fn number(listings: Vec<Listing>) -> (Vec<Listing>, Vec<u32>) {
    let last = |text: Option<&str>| {
        let sortable = text.and_then(Sortable::new);
        (sortable.is_none(), sortable)
    };
    let mut listings = listings;
    listings.sort_by_cached_key(|Listing { vehicle, rooftops }| {
        [
            last(vehicle.stock.as_deref()),
            last(vehicle.vin.as_deref()),
            last(vehicle.vehicle_id.as_deref()),
            last(rooftops.first().map(String::as_str)),
        ]
    });
    let mut numbered: Vec<(u32, Listing)> = (0..).zip(listings).collect();
    numbered.sort_by_cached_key(|(tie, listing)| {
        // No time at all is before every time.
        (Reverse(updated_at(&listing.vehicle)), *tie)
    });
    let ties = numbered.iter().map(|(tie, _)| *tie).collect();
    (
        numbered.into_iter().map(|(_, listing)| listing).collect(),
        ties,
    )
}

fn render(listings: &[Listing]) -> Result<Vec<Box<RawValue>>, serde_json::Error> {
    listings
        .iter()
        .map(|listing| to_raw_value(&listing.vehicle))
        .collect()
}

fn index_words(listings: &[Listing]) -> Words {
    let mut words = WordsBuilder::default();
    for (row, listing) in (0..).zip(listings) {
        let vehicle = &listing.vehicle;
        for text in searched_texts(vehicle) {
            words.add(row, text);
        }
        if let Some(year) = vehicle.year {
            words.add(row, &year.to_string());
        }
        if let Some(model) = &vehicle.model {
            words.add_joined(row, model);
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
