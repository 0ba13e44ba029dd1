//! `inventory.vehicle`: the unit that an identifier names.

use aap::inventory::VehicleRequest;
use serde_json::value::RawValue;

use super::{Snapshot, lookup::Lookup};
use crate::listing::{GoneUnit, Listing};

/// What an identifier names.
#[derive(Debug)]
pub enum Found<'a> {
    /// A published unit.
    Listing(Unit<'a>),
    /// A unit that was published and is sold or withdrawn.
    Gone(&'a GoneUnit),
    /// Nothing that the dealer remembers.
    Unknown,
}

/// A published unit inside a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    snapshot: &'a Snapshot,
    row: u32,
}

impl Snapshot {
    /// Answers `inventory.vehicle` (AAP 1.3): of VIN, stock number and identifier, the first that
    /// names a published unit decides; when none does, the first that names a gone one. A stock
    /// number of several rooftops means the rooftop that comes first in the configuration. Of a unit
    /// that is gone from several rooftops the last to go counts, and of these the owner.
    #[must_use]
    pub fn find(&self, request: &VehicleRequest) -> Found<'_> {
        let listed = self.identifiers.named(request).find_map(|rows| {
            rows.iter()
                .min_by_key(|&&row| (self.columns.rooftops.first_place(row), row))
        });
        if let Some(&row) = listed {
            return Found::Listing(Unit {
                snapshot: self,
                row,
            });
        }
        let gone = |&entry: &u32| &self.gone[entry as usize];
        self.gone_identifiers
            .named(request)
            .find_map(|entries| {
                entries
                    .iter()
                    .rev()
                    .map(gone)
                    .max_by_key(|unit| unit.gone_at)
            })
            .map_or(Found::Unknown, Found::Gone)
    }
}

impl<'a> Unit<'a> {
    /// The vehicle as JSON, rendered when the snapshot was built.
    #[must_use]
    pub fn json(self) -> &'a RawValue {
        self.snapshot.record(self.row)
    }

    /// Names of the rooftops that list the unit, in the order of the configuration.
    pub fn rooftops(self) -> impl Iterator<Item = &'a str> {
        self.snapshot.columns.rooftops.of(self.row)
    }

    /// The vehicle and its rooftops as values, read back from the JSON.
    ///
    /// # Errors
    /// When the vehicle carries an unknown member under the name of a known one.
    pub fn listing(self) -> Result<Listing, serde_json::Error> {
        Ok(Listing {
            vehicle: serde_json::from_str(self.json().get())?,
            rooftops: self.rooftops().map(str::to_owned).collect(),
        })
    }
}

/// Lookups by the three identifiers that a request may name.
#[derive(Debug)]
pub(super) struct Identifiers {
    vin: Lookup,
    stock: Lookup,
    vehicle_id: Lookup,
}

impl Identifiers {
    /// Builds the lookups from VIN, stock number and identifier of each entry.
    pub(super) fn build<'a>(
        entries: impl Iterator<Item = [&'a Option<String>; 3]> + Clone,
    ) -> Self {
        Self {
            vin: Lookup::build(
                entries
                    .clone()
                    .map(|[vin, _, _]| vin.as_deref().map(upper_case)),
            ),
            stock: Lookup::build(
                entries
                    .clone()
                    .map(|[_, stock, _]| aap::text::fold(stock.as_deref()?)),
            ),
            vehicle_id: Lookup::build(entries.map(|[_, _, id]| aap::text::fold(id.as_deref()?))),
        }
    }

    /// Entries with this VIN, compared in upper case.
    pub(super) fn with_vin(&self, vin: &str) -> &[u32] {
        self.vin.entries(&upper_case(vin))
    }

    /// Entries with this stock number, case and spacing aside.
    pub(super) fn with_stock(&self, stock: &str) -> &[u32] {
        aap::text::fold(stock).map_or(&[], |stock| self.stock.entries(&stock))
    }

    fn with_vehicle_id(&self, id: &str) -> &[u32] {
        aap::text::fold(id).map_or(&[], |id| self.vehicle_id.entries(&id))
    }

    /// The entries that each identifier of the request names, in the order in which they decide.
    fn named<'a>(&'a self, request: &'a VehicleRequest) -> impl Iterator<Item = &'a [u32]> {
        let by_vin = request.vin.iter().map(|vin| self.with_vin(vin));
        let by_stock = request.stock.iter().map(|stock| self.with_stock(stock));
        let by_id = request.vehicle_id.iter().map(|id| self.with_vehicle_id(id));
        by_vin.chain(by_stock).chain(by_id)
    }
}

fn upper_case(vin: &str) -> String {
    vin.trim().to_ascii_uppercase()
}
