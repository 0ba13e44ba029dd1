//! `inventory.facets`: counts and ranges over the matches of a filter block.

use aap::inventory::{Facets, Filters, Range, TermCount, TermValue};
use roaring::RoaringBitmap;
use serde_json::Number;

use super::{
    Snapshot,
    numbers::{Miles, Numbers},
};

/// Answer to a count.
#[derive(Debug)]
#[non_exhaustive]
pub struct FacetsAnswer {
    /// Payload `data` of the response.
    pub facets: Facets,
    /// What the buyer should know: which range is empty.
    pub message: Option<String>,
}

impl Snapshot {
    /// Answers `inventory.facets` (AAP 1.3): counts over the vehicles that every filter leaves.
    #[must_use]
    pub fn facets(&self, filters: Option<&Filters>) -> FacetsAnswer {
        let matches = self.matching(filters);
        FacetsAnswer {
            facets: self.count(matches.rows),
            message: matches.message,
        }
    }

    fn count(&self, matches: RoaringBitmap) -> Facets {
        let columns = &self.columns;
        let integers = |column: &Numbers<u64>| {
            let (min, max) = column.ends(&matches)?;
            Some(Range {
                min: min.into(),
                max: max.into(),
            })
        };
        let ranges = Facets {
            price_range: integers(&columns.price),
            mileage_range: integers(&columns.mileage),
            year_range: integers(&columns.year),
            displacement_cc_range: integers(&columns.displacement_cc),
            electric_range_mi_range: miles_range(columns.electric_range_mi.ends(&matches)),
            ..Facets::default()
        };
        let tally = Tally::new(matches, self.len());
        Facets {
            makes: columns.make.counts(&tally),
            models: columns.model.counts(&tally),
            trims: columns.trim.counts(&tally),
            years: years(&columns.year, &tally),
            conditions: columns.condition.counts(&tally),
            transmissions: columns.transmission.counts(&tally),
            fuels: columns.fuel.counts(&tally),
            dc_fast_charge: columns.dc_fast_charge.counts(&tally),
            charge_ports: columns.charge_port.counts(&tally),
            drivelines: columns.driveline.counts(&tally),
            bodies: columns.body.counts(&tally),
            vehicle_types: columns.vehicle_type.counts(&tally),
            exterior_colors: columns.exterior_color.counts(&tally),
            interior_colors: columns.interior_color.counts(&tally),
            rooftops: self.rooftops.counts(&tally),
            statuses: columns.status.counts(&tally),
            ..ranges
        }
    }
}

/// Model years with their counts, newest first.
fn years(column: &Numbers<u64>, tally: &Tally) -> Vec<TermCount> {
    let order = column.order();
    let totals = (0..column.values().len() as u32)
        .map(|rank| order.places(&(rank..rank + 1)).len() as u64)
        .collect();
    let counts = tally.count(order.ranks(), totals);
    column
        .values()
        .iter()
        .zip(counts)
        .rev()
        .filter(|&(_, count)| count > 0)
        .map(|(&year, count)| TermCount {
            value: TermValue::Integer(year as i64),
            count,
        })
        .collect()
}

fn miles_range(ends: Option<(Miles, Miles)>) -> Option<Range> {
    let (min, max) = ends?;
    Some(Range {
        min: number(min)?,
        max: number(max)?,
    })
}

/// Whole miles are written as an integer.
fn number(Miles(miles): Miles) -> Option<Number> {
    if miles.fract() == 0.0 && miles.abs() < 1e15 {
        Some(Number::from(miles as i64))
    } else {
        Number::from_f64(miles)
    }
}

/// The matches, made ready for counting: when more than half the stock matches, the others are
/// counted and taken off the totals.
#[derive(Debug)]
pub(super) struct Tally {
    rows: RoaringBitmap,
    others: bool,
}

impl Tally {
    fn new(matches: RoaringBitmap, stock: usize) -> Self {
        let others = matches.len() as usize > stock / 2;
        let rows = if others {
            RoaringBitmap::from_iter(0..stock as u32) - matches
        } else {
            matches
        };
        Self { rows, others }
    }

    /// How many matches have each code, given the code of every row and each code's total over
    /// the whole stock. Codes without a total stand for a missing value and are not counted.
    pub(super) fn count(&self, codes: &[u32], totals: Vec<u64>) -> Vec<u64> {
        let mut counts = vec![0; totals.len()];
        for row in &self.rows {
            if let Some(count) = counts.get_mut(codes[row as usize] as usize) {
                *count += 1;
            }
        }
        if !self.others {
            return counts;
        }
        totals
            .into_iter()
            .zip(counts)
            .map(|(total, others)| total - others)
            .collect()
    }
}
