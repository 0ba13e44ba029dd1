//! Whether a file can be right, compared with the stock before it.
//!
//! A feed file is the whole stock of what its feed covers, so that what is missing from it has
//! left. A vendor's export that broke looks the same. The two are told apart by number, for each
//! rooftop and condition by itself: where more than the feed's `most_drop` of the units are
//! missing, the file is not believed *there*, and everything there stays as the last good file
//! left it, prices and all. Elsewhere the file is applied, because a group of twelve rooftops must
//! not go on advertising the cars that eleven of them sold for the sake of one that is in doubt.
//! A person is told, and may have the file applied after all.
//!
//! Small numbers fall by half every week without anything being wrong. A lot sells about one car
//! in 45 a day, so over a weekend one of 6 to 8 units loses four with a chance of about one in a
//! thousand, but three of four go in one of four hundred; hence [`LEAST_MISSING`]. What the floor
//! leaves unwatched is watched per rooftop: a rooftop that a vendor forgets is noticed even when
//! each of its conditions is a handful of units.

use std::collections::{BTreeMap, BTreeSet};

use aap::vehicle::{Condition, Vehicle};

use super::{
    apply::File,
    lot::{Lot, OnLot},
    run::{Cell, Held, Run},
    unit::Key,
};

/// Fewer missing units than this are never doubted.
const LEAST_MISSING: u64 = 4;

/// What of a file is not believed.
pub(super) enum Verdict {
    /// All of it, for this reason.
    Nothing(String),
    /// What stands in these rooftops and conditions; none when the whole file is believed.
    Except(HeldCells),
}

/// The rooftops and conditions in which everything stays as it is.
#[derive(Default)]
pub(super) struct HeldCells {
    cells: BTreeSet<Cell>,
    pub(super) report: Vec<Held>,
}

impl HeldCells {
    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub(super) fn is_held(&self, cell: &Cell) -> bool {
        self.cells.contains(cell)
    }

    pub(super) fn holds(&self, key: &Key, condition: Option<Condition>) -> bool {
        !self.is_empty() && self.is_held(&Cell::new(key, condition))
    }

    /// Why, in words.
    pub(super) fn reason(&self) -> Option<String> {
        let places: Vec<String> = self
            .report
            .iter()
            .map(|held| {
                let rooftop = match held.rooftop.as_str() {
                    "" => "rooftop not stated",
                    rooftop => rooftop,
                };
                let condition = held.condition.map_or("no condition", Condition::as_str);
                format!("{rooftop}, {condition}: {} of {}", held.after, held.before)
            })
            .collect();
        (!places.is_empty()).then(|| {
            format!(
                "too few units are left in the file, so that the last good stock stays up there \
                 ({})",
                places.join("; ")
            )
        })
    }
}

/// Judges a file that could be read.
pub(super) fn judge(run: &Run<'_>, lot: &Lot, file: &File<'_>) -> Verdict {
    if run.accepts.is_some() {
        return Verdict::Except(HeldCells::default());
    }
    let own: Vec<(&Key, &OnLot)> = lot
        .units
        .iter()
        .filter(|(key, unit)| lot.protects(unit) && !file.calls_sold(key))
        .filter(|(key, unit)| unit.answers_to(run, key) && unit.is_at_known_rooftop(run, key))
        .collect();
    if file.units.is_empty() && !own.is_empty() {
        return Verdict::Nothing(format!(
            "the file has no vehicle to publish and does not call the {} on the lot sold; they \
             stay until a file has vehicles",
            own.len()
        ));
    }
    let counts = count(&own, lot, file);
    Verdict::Except(held(&counts, run.settings.most_drop()))
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    before: u64,
    after: u64,
}

fn count(own: &[(&Key, &OnLot)], lot: &Lot, file: &File<'_>) -> BTreeMap<Cell, Count> {
    let mut counts: BTreeMap<Cell, Count> = BTreeMap::new();
    for (key, unit) in own {
        let count = counts.entry(Cell::new(key, unit.condition)).or_default();
        count.before += 1;
        // A unit that is certified meanwhile, or sold as a demonstrator, is not missing.
        let in_file = file.units.get(key);
        count.after += u64::from(in_file.is_some_and(|it| it.condition != unit.condition));
    }
    let counted = |(key, _): &(&Key, &&Vehicle)| lot.withdrawals.of(key).is_none();
    for (key, vehicle) in file.units.iter().filter(counted) {
        let count = counts.entry(Cell::new(key, vehicle.condition)).or_default();
        count.after += 1;
    }
    counts
}

fn held(counts: &BTreeMap<Cell, Count>, most_drop: f64) -> HeldCells {
    let mut held = HeldCells::default();
    for (cell, count) in counts {
        if fell(*count, most_drop) {
            held.cells.insert(cell.clone());
        }
    }
    let mut rooftops: BTreeMap<&str, Count> = BTreeMap::new();
    for (cell, count) in counts {
        if !held.cells.contains(cell) {
            let whole = rooftops.entry(&cell.rooftop).or_default();
            whole.before += count.before;
            whole.after += count.after;
        }
    }
    for cell in counts.keys() {
        let whole = rooftops.get(cell.rooftop.as_str());
        if whole.is_some_and(|count| fell(*count, most_drop)) {
            held.cells.insert(cell.clone());
        }
    }
    held.report = counts
        .iter()
        .filter(|(cell, count)| count.before > 0 && held.cells.contains(cell))
        .map(|(cell, count)| Held {
            rooftop: cell.rooftop.clone(),
            condition: cell.condition,
            before: count.before,
            after: count.after,
        })
        .collect();
    held
}

fn fell(count: Count, most_drop: f64) -> bool {
    let missing = count.before.saturating_sub(count.after);
    // Numbers of units are far below the 2^53 up to which this is exact.
    missing >= LEAST_MISSING && missing as f64 > most_drop * count.before as f64
}
