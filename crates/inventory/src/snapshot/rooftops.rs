//! Which rooftops list a unit: the one field that has several values.

use aap::inventory::{TermCount, TermValue};
use roaring::RoaringBitmap;

use super::Map;
use crate::text::Sortable;

/// The rooftops of each row. Few distinct sets of rooftops occur, so a row keeps one code.
#[derive(Debug)]
pub(super) struct Rooftops {
    /// Rooftops in the order of the configuration, then those that it does not name.
    rooftops: Vec<Rooftop>,
    /// Distinct sets, as places in `rooftops`.
    sets: Vec<Vec<usize>>,
    /// The set of each row.
    codes: Vec<u32>,
}

#[derive(Debug)]
struct Rooftop {
    name: String,
    rows: RoaringBitmap,
}

impl Rooftops {
    /// Builds the column from the rooftops of each row, and returns the number of each row's set.
    pub(super) fn build<'a>(
        configured: &'a [String],
        rows: impl Iterator<Item = &'a [String]>,
    ) -> (Self, Vec<u32>) {
        let mut places: Map<&str, usize> = Map::default();
        let mut codes_of: Map<Vec<usize>, u32> = Map::default();
        let mut built = Self {
            rooftops: Vec::new(),
            sets: Vec::new(),
            codes: Vec::new(),
        };
        for name in configured {
            built.place(&mut places, name);
        }
        for (row, names) in (0..).zip(rows) {
            let mut members: Vec<usize> = names
                .iter()
                .map(|name| built.place(&mut places, name))
                .collect();
            members.sort_unstable();
            members.dedup();
            for &member in &members {
                built.rooftops[member].rows.insert(row);
            }
            let next = built.sets.len() as u32;
            let code = *codes_of.entry(members).or_insert_with_key(|members| {
                built.sets.push(members.clone());
                next
            });
            built.codes.push(code);
        }
        let codes = built.codes.clone();
        (built, codes)
    }

    fn place<'a>(&mut self, places: &mut Map<&'a str, usize>, name: &'a str) -> usize {
        *places.entry(name).or_insert_with(|| {
            self.rooftops.push(Rooftop {
                name: name.to_owned(),
                rows: RoaringBitmap::new(),
            });
            self.rooftops.len() - 1
        })
    }

    /// Names of the rooftops that list a row, in the order of the configuration.
    pub(super) fn of(&self, row: u32) -> impl Iterator<Item = &str> {
        self.members(row)
            .iter()
            .map(|&member| self.rooftops[member].name.as_str())
    }

    /// Place of the row's first rooftop in the order of the configuration.
    pub(super) fn first_place(&self, row: u32) -> usize {
        self.members(row).first().copied().unwrap_or(usize::MAX)
    }

    fn members(&self, row: u32) -> &[usize] {
        &self.sets[self.codes[row as usize] as usize]
    }

    /// Rows that at least one of the named rooftops lists.
    pub(super) fn any_of(&self, names: &[String]) -> RoaringBitmap {
        let wanted: Vec<String> = names
            .iter()
            .filter_map(|name| aap::text::fold(name))
            .collect();
        self.rooftops
            .iter()
            .filter(|rooftop| {
                aap::text::fold(&rooftop.name).is_some_and(|name| wanted.contains(&name))
            })
            .fold(RoaringBitmap::new(), |rows, rooftop| rows | &rooftop.rows)
    }

    /// A facet from the count of each set of rooftops: most frequent first, then by name. A row at
    /// several rooftops counts once at each.
    pub(super) fn facet(&self, sets: &[u64]) -> Vec<TermCount> {
        let mut counts = vec![0; self.rooftops.len()];
        for (set, count) in self.sets.iter().zip(sets) {
            for &member in set {
                counts[member] += count;
            }
        }
        let mut counts: Vec<(&Rooftop, u64)> = self.rooftops.iter().zip(counts).collect();
        counts.retain(|&(_, count)| count > 0);
        counts.sort_by_cached_key(|(rooftop, count)| {
            (std::cmp::Reverse(*count), Sortable::new(&rooftop.name))
        });
        counts
            .into_iter()
            .map(|(rooftop, count)| TermCount {
                value: TermValue::Text(rooftop.name.clone()),
                count,
            })
            .collect()
    }
}
