//! Units that stand twice in one file.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use aap::text::fold;
use aap::vehicle::Vehicle;

use super::report::{Finding, FindingCode, ReadVehicle};
use super::vehicle::Identity;

/// The identifiers seen so far, for each rooftop, with the rows that hold them.
///
/// They are kept as fingerprints: a copy of every identifier of a large file, spread over the
/// memory, costs more than all the rest of reading it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    fingerprints: Fingerprints,
    rooftops: HashMap<String, usize>,
    vins: ByFingerprint<u64>,
    /// Stock numbers, case-folded, with the row and whether it has a VIN.
    stocks: ByFingerprint<(u64, bool)>,
    vehicle_ids: ByFingerprint<u64>,
}

/// A map of fingerprints, which are hashes already and are not hashed once more.
type ByFingerprint<V> = HashMap<u128, V, BuildHasherDefault<AsItIs>>;

#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u128(&mut self, fingerprint: u128) {
        self.0 = fingerprint as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Two hashes whose keys nobody outside knows; two texts have both in common once in 2^128.
#[derive(Debug, Default)]
struct Fingerprints(RandomState, RandomState);

impl Fingerprints {
    fn of(&self, rooftop: usize, text: &str) -> u128 {
        let half = |state: &RandomState| u128::from(state.hash_one((rooftop, text)));
        half(&self.0) << 64 | half(&self.1)
    }
}

/// What an earlier row has in common with this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Nothing.
    None,
    /// The VIN.
    Vin(u64),
    /// The stock number, and nothing speaks against one unit.
    Stock(u64),
    /// The stock number, though the VINs differ.
    StockOfAnother(u64),
    /// The vehicle id, the only identifier of this row.
    VehicleId(u64),
    /// The vehicle id, though the other identifiers differ.
    VehicleIdOfAnother(u64),
}

impl Seen {
    /// Looks a unit up among the earlier rows of its rooftop. A unit that may be published is
    /// remembered.
    pub(super) fn meet(&mut self, rooftop: Option<&str>, unit: &Identity, row: u64) -> Repeat {
        let rooftop = self.rooftop(rooftop.unwrap_or_default());
        let key = |identifier: &String| self.fingerprints.of(rooftop, identifier);
        let folded = |text: &Option<String>| text.as_deref().and_then(fold);
        let vin = unit.vin.as_ref().map(key);
        let stock = folded(&unit.stock).as_ref().map(key);
        let id = folded(&unit.vehicle_id).as_ref().map(key);
        let same_id = id.and_then(|id| self.vehicle_ids.get(&id).copied());

        if let Some(earlier) = vin.as_ref().and_then(|vin| self.vins.get(vin)) {
            return Repeat::Vin(*earlier);
        }
        if let (Some(earlier), None, None) = (same_id, vin, stock) {
            return Repeat::VehicleId(earlier);
        }
        let repeat = match stock.as_ref().and_then(|stock| self.stocks.get(stock)) {
            Some((earlier, true)) if vin.is_some() => Repeat::StockOfAnother(*earlier),
            Some((earlier, _)) => return Repeat::Stock(*earlier),
            None => same_id.map_or(Repeat::None, Repeat::VehicleIdOfAnother),
        };
        if let Some(stock) = stock {
            self.stocks.entry(stock).or_insert((row, vin.is_some()));
        }
        self.vins.extend(vin.map(|vin| (vin, row)));
        if let Some(id) = id {
            self.vehicle_ids.entry(id).or_insert(row);
        }
        repeat
    }

    fn rooftop(&mut self, name: &str) -> usize {
        let next = self.rooftops.len();
        match self.rooftops.get(name) {
            Some(known) => *known,
            None => *self.rooftops.entry(name.to_owned()).or_insert(next),
        }
    }
}

/// A warning for each rooftop that asks another price for a VIN than the first rooftop that lists
/// it. A buyer sees one of the prices, and the dealer should know that there are several.
pub(super) fn price_differences(vehicles: &[ReadVehicle], column: Option<&str>) -> Vec<Finding> {
    let one_rooftop = |pair: &[ReadVehicle]| pair[0].vehicle.rooftop == pair[1].vehicle.rooftop;
    if vehicles.windows(2).all(one_rooftop) {
        return Vec::new();
    }
    let asked = |vehicle: &Vehicle| vehicle.price.or(vehicle.list_price);
    let mut first_of_vin: HashMap<&str, (u64, u64)> = HashMap::new();
    let mut findings = Vec::new();
    for ReadVehicle { row, vehicle } in vehicles {
        let (Some(vin), Some(price)) = (vehicle.vin.as_deref(), asked(vehicle)) else {
            continue;
        };
        let (earlier, other) = *first_of_vin.entry(vin).or_insert((*row, price));
        if price != other {
            findings.push(Finding {
                row: *row,
                column: column.map(str::to_owned),
                value: Some(vin.to_owned()),
                code: FindingCode::PriceDiffers,
                message: format!(
                    "{price} dollars here and {other} at the rooftop of row {earlier}; each rooftop publishes its own"
                ),
            });
        }
    }
    findings
}
