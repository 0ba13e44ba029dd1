//! Which rows a filter block leaves.

use aap::{
    inventory::Filters,
    vehicle::{Condition, VehicleType},
};
use roaring::RoaringBitmap;

use super::{Snapshot, numbers::Miles};

/// The rows that every filter leaves.
#[derive(Debug)]
pub(super) struct Matches {
    pub(super) rows: RoaringBitmap,
    /// Why nothing can match, when the filters contradict themselves.
    pub(super) message: Option<String>,
}

impl Snapshot {
    /// Applies every filter. Absent and empty filters, and `dc_fast_charge: false`, leave all.
    pub(super) fn matching(&self, filters: Option<&Filters>) -> Matches {
        let everything = || RoaringBitmap::from_iter(0..self.len() as u32);
        let Some(filters) = filters else {
            return Matches {
                rows: everything(),
                message: None,
            };
        };
        if let Some(message) = contradiction(filters) {
            return Matches {
                rows: RoaringBitmap::new(),
                message: Some(message),
            };
        }
        let mut sets = self.words_filtered(filters);
        sets.extend(self.ranges_filtered(filters));
        sets.sort_by_key(RoaringBitmap::len);
        let rows = sets.into_iter().reduce(|rows, more| rows & more);
        Matches {
            rows: rows.unwrap_or_else(everything),
            message: None,
        }
    }

    fn words_filtered(&self, filters: &Filters) -> Vec<RoaringBitmap> {
        let columns = &self.columns;
        let equal = [
            (&columns.make, &filters.make),
            (&columns.model, &filters.model),
            (&columns.trim, &filters.trim),
            (&columns.transmission, &filters.transmission),
            (&columns.fuel, &filters.fuel),
            (&columns.charge_port, &filters.charge_port),
            (&columns.driveline, &filters.driveline),
            (&columns.body, &filters.body),
        ];
        let colors = [
            (&columns.exterior_color, &filters.exterior_color),
            (&columns.interior_color, &filters.interior_color),
        ];
        let conditions: Vec<&str> = filters
            .condition
            .iter()
            .map(|&it| Condition::as_str(it))
            .collect();
        let types: Vec<&str> = filters
            .vehicle_type
            .iter()
            .map(|&it| VehicleType::as_str(it))
            .collect();

        let mut sets = Vec::new();
        for (column, values) in equal {
            if !values.is_empty() {
                sets.push(column.any_of(values));
            }
        }
        for (column, values) in colors {
            if !values.is_empty() {
                sets.push(column.any_with_words_of(values));
            }
        }
        if !conditions.is_empty() {
            sets.push(columns.condition.any_of(&conditions));
        }
        if !types.is_empty() {
            sets.push(columns.vehicle_type.any_of(&types));
        }
        if filters.dc_fast_charge == Some(true) {
            sets.push(columns.dc_fast_charge.any_of(&["true"]));
        }
        if !filters.rooftops.is_empty() {
            sets.push(self.rooftops.any_of(&filters.rooftops));
        }
        if let Some(vin) = &filters.vin {
            sets.push(self.identifiers.with_vin(vin).iter().collect());
        }
        if let Some(stock) = &filters.stock {
            sets.push(self.identifiers.with_stock(stock).iter().collect());
        }
        sets.extend(
            filters
                .query
                .as_ref()
                .and_then(|query| self.words.matching(query)),
        );
        sets
    }

    fn ranges_filtered(&self, filters: &Filters) -> Vec<RoaringBitmap> {
        let columns = &self.columns;
        let years = (
            filters.year_min.map(u64::from),
            filters.year_max.map(u64::from),
        );
        let whole = [
            (&columns.year, years),
            (&columns.price, (filters.price_min, filters.price_max)),
            (&columns.mileage, (None, filters.mileage_max)),
            (
                &columns.displacement_cc,
                (filters.displacement_cc_min, filters.displacement_cc_max),
            ),
        ];
        let mut sets: Vec<RoaringBitmap> = whole
            .into_iter()
            .filter(|(_, ends)| *ends != (None, None))
            .map(|(column, (least, most))| column.within(least, most))
            .collect();
        let miles = |end: Option<u64>| end.map(|end| Miles(end as f64));
        let (least, most) = (
            miles(filters.electric_range_mi_min),
            miles(filters.electric_range_mi_max),
        );
        if least.is_some() || most.is_some() {
            sets.push(columns.electric_range_mi.within(least, most));
        }
        sets
    }
}

/// Names every range whose lower end lies above its upper end.
fn contradiction(filters: &Filters) -> Option<String> {
    let ranges = [
        (
            "year",
            filters.year_min.map(u64::from),
            filters.year_max.map(u64::from),
        ),
        ("price", filters.price_min, filters.price_max),
        (
            "displacement_cc",
            filters.displacement_cc_min,
            filters.displacement_cc_max,
        ),
        (
            "electric_range_mi",
            filters.electric_range_mi_min,
            filters.electric_range_mi_max,
        ),
    ];
    let faults: Vec<String> = ranges
        .into_iter()
        .filter_map(|(name, least, most)| Some((name, least?, most?)))
        .filter(|(_, least, most)| least > most)
        .map(|(name, least, most)| format!("{name}_min {least} is above {name}_max {most}"))
        .collect();
    (!faults.is_empty()).then(|| format!("No vehicle can match: {}.", faults.join("; ")))
}
