//! `inventory.facets`: counts and ranges over the matches of a filter block.

use aap::inventory::{Facets, Filters, Range, TermCount, TermValue};
use roaring::RoaringBitmap;
use serde_json::Number;

use super::{
    Snapshot,
    combined::Tally,
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
            facets: self.count(&matches.rows),
            message: matches.message,
        }
    }

    fn count(&self, matches: &RoaringBitmap) -> Facets {
        let columns = &self.columns;
        let tally = Tally::new(matches, self.len());
        let counted = &columns.counted;
        let [makes, models, trims] = counted.names.counts(&tally);
        let [types, bodies, transmissions, drivelines] = counted.shape.counts(&tally);
        let [fuels, charge_ports, dc_fast_charge, conditions, statuses] =
            counted.state.counts(&tally);
        let [exterior_colors, interior_colors] = counted.colors.counts(&tally);
        let [model_years, rooftops] = counted.places.counts(&tally);
        Facets {
            makes: columns.make.facet(makes),
            models: columns.model.facet(models),
            trims: columns.trim.facet(trims),
            years: years(&columns.year, &model_years),
            conditions: columns.condition.facet(conditions),
            transmissions: columns.transmission.facet(transmissions),
            fuels: columns.fuel.facet(fuels),
            dc_fast_charge: columns.dc_fast_charge.facet(dc_fast_charge),
            charge_ports: columns.charge_port.facet(charge_ports),
            drivelines: columns.driveline.facet(drivelines),
            bodies: columns.body.facet(bodies),
            vehicle_types: columns.vehicle_type.facet(types),
            exterior_colors: columns.exterior_color.facet(exterior_colors),
            interior_colors: columns.interior_color.facet(interior_colors),
            rooftops: columns.rooftops.facet(&rooftops),
            statuses: columns.status.facet(statuses),
            price_range: range(&columns.price, matches),
            mileage_range: range(&columns.mileage, matches),
            year_range: range(&columns.year, matches),
            displacement_cc_range: range(&columns.displacement_cc, matches),
            electric_range_mi_range: miles_range(&columns.electric_range_mi, matches),
        }
    }
}

/// Model years with their counts, newest first.
fn years(column: &Numbers<u64>, counts: &[u64]) -> Vec<TermCount> {
    let years = column.values().iter().zip(counts).rev();
    years
        .filter(|&(_, &count)| count > 0)
        .map(|(&year, &count)| TermCount {
            value: TermValue::Integer(year as i64),
            count,
        })
        .collect()
}

fn range(column: &Numbers<u64>, matches: &RoaringBitmap) -> Option<Range> {
    let (min, max) = column.ends(matches)?;
    Some(Range {
        min: min.into(),
        max: max.into(),
    })
}

fn miles_range(column: &Numbers<Miles>, matches: &RoaringBitmap) -> Option<Range> {
    let (min, max) = column.ends(matches)?;
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
