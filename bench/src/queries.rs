//! Seeded searches of a known selectivity.

use aap::inventory::{Filters, Pagination, SearchRequest, Sort, SortField, SortOrder};
use anyhow::ensure;
use inventory::snapshot::Snapshot;

use crate::stock::{self, Unit};

/// Ends of the shares of the stock between which equally many searches lie.
const SHARES: [f64; 8] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3];
const SORTS: [SortField; 7] = [
    SortField::Price,
    SortField::Mileage,
    SortField::Year,
    SortField::Make,
    SortField::Msrp,
    SortField::Stock,
    SortField::UpdatedAt,
];
/// Draws after which there are no such searches to be had in this stock.
const MOST_DRAWS: u32 = 100_000;

/// Searches of one to four filters, sorted, 20 to a page, that leave between 0.01 and 30 % of the
/// stock.
pub(crate) fn searches(snapshot: &Snapshot, count: usize) -> anyhow::Result<Vec<SearchRequest>> {
    let mut random = fastrand::Rng::with_seed(100);
    let mut searches = Vec::with_capacity(count);
    let mut draws = 0;
    while searches.len() < count {
        draws += 1;
        ensure!(
            draws < MOST_DRAWS,
            "found {} searches in {draws} draws",
            searches.len()
        );
        let request = search(&mut random, snapshot.len());
        let answer = snapshot.search(&request, dealers::PageLimits::default());
        let share = answer.result.total as f64 / snapshot.len() as f64;
        let wanted = searches.len() % (SHARES.len() - 1);
        if (SHARES[wanted]..SHARES[wanted + 1]).contains(&share) {
            searches.push(request);
        }
    }
    Ok(searches)
}

/// Filter blocks of one filter each, whatever share of the stock they leave.
pub(crate) fn filters(vehicles: usize, count: usize) -> Vec<Filters> {
    let mut random = fastrand::Rng::with_seed(30);
    (0..count)
        .map(|number| {
            let mut filters = Filters::default();
            let unit = any_unit(&mut random, vehicles);
            narrow(&mut filters, number % FILTERS, &unit, &mut random);
            filters
        })
        .collect()
}

fn search(random: &mut fastrand::Rng, vehicles: usize) -> SearchRequest {
    let mut filters = Filters::default();
    let unit = any_unit(random, vehicles);
    let mut kinds: Vec<usize> = (0..FILTERS).collect();
    random.shuffle(&mut kinds);
    for &kind in &kinds[..random.usize(1..=4)] {
        narrow(&mut filters, kind, &unit, random);
    }
    let order = if random.bool() {
        SortOrder::Asc
    } else {
        SortOrder::Desc
    };
    let field = SORTS[random.usize(..SORTS.len())];
    SearchRequest {
        filters: Some(filters),
        sort: Some(Sort { field, order }),
        pagination: Some(Pagination {
            skip: None,
            limit: Some(20),
        }),
        privacy: None,
    }
}

/// Filters are drawn around a unit, so that common values are asked for more often.
fn any_unit(random: &mut fastrand::Rng, vehicles: usize) -> Unit {
    stock::Lot::new(vehicles as u32).unit(random.u32(..vehicles as u32))
}

/// Kinds of filter that [`narrow`] knows.
const FILTERS: usize = 13;

fn narrow(filters: &mut Filters, kind: usize, unit: &Unit, random: &mut fastrand::Rng) {
    let vehicle = unit.vehicle();
    let list = |value: Option<String>| value.into_iter().collect();
    match kind {
        0 => filters.make = list(vehicle.make),
        1 => filters.model = list(vehicle.model),
        2 => filters.trim = list(vehicle.trim),
        3 => filters.condition = vehicle.condition.into_iter().collect(),
        4 => filters.body = list(vehicle.body),
        5 => filters.fuel = list(vehicle.fuel),
        6 => filters.driveline = list(vehicle.driveline),
        7 => filters.transmission = list(vehicle.transmission),
        8 => filters.exterior_color = list(vehicle.exterior_color),
        9 => filters.rooftops = list(vehicle.rooftop),
        10 => filters.year_min = vehicle.year,
        11 => {
            let least = vehicle.price.unwrap_or_default();
            filters.price_min = Some(least);
            filters.price_max = Some(least + random.u64(500..15_000));
        }
        _ => filters.mileage_max = vehicle.mileage,
    }
}

#[cfg(test)]
mod tests {
    use dealers::PageLimits;

    use super::*;
    use crate::million::snapshot;

    #[test]
    fn searches_leave_the_shares_of_the_stock_that_they_are_meant_to() {
        let snapshot = snapshot(20_000, |vehicle| vehicle).unwrap();
        let searches = searches(&snapshot, 14).unwrap();
        let shares = searches.iter().map(|request| {
            let answer = snapshot.search(request, PageLimits::default());
            assert!(!answer.result.vehicles.is_empty(), "{request:?}");
            answer.result.total as f64 / 20_000.0
        });
        let (below, above): (Vec<f64>, Vec<f64>) = shares.partition(|share| *share < 0.003);
        assert_eq!((below.len(), above.len()), (6, 8));
        assert!(above.iter().all(|share| *share < 0.3), "{above:?}");
    }
}
