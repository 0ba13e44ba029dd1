//! Ranks instead of values: what is sorted and counted is a number for each row.

use super::{Map, NONE};
use crate::text::Sortable;

/// The values of a column as ranks.
#[derive(Debug)]
pub(super) struct Ranking<K> {
    /// Distinct values, ascending; a rank is a place in this list.
    pub(super) values: Vec<K>,
    /// The rank of each row's value; [`NONE`] where it is missing.
    pub(super) ranks: Vec<u32>,
}

impl<K: Copy + Ord> Ranking<K> {
    /// Ranks values that are cheap to compare.
    pub(super) fn of(column: &[Option<K>]) -> Self {
        let mut values: Vec<K> = column.iter().flatten().copied().collect();
        values.sort_unstable();
        values.dedup();
        let rank = |value: &Option<K>| {
            let place = value.and_then(|value| values.binary_search(&value).ok());
            place.map_or(NONE, |place| place as u32)
        };
        let ranks = column.iter().map(rank).collect();
        Self { values, ranks }
    }
}

impl Ranking<Sortable> {
    /// Ranks texts of which many rows share few; each spelling is folded once. Blank is missing.
    pub(super) fn of_texts<'a>(column: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut ids: Map<&str, u32> = Map::default();
        let rows: Vec<Option<u32>> = column
            .map(|text| {
                let next = ids.len() as u32;
                text.map(|text| *ids.entry(text).or_insert(next))
            })
            .collect();
        let mut texts: Vec<(Sortable, u32)> = ids
            .into_iter()
            .filter_map(|(text, id)| Some((Sortable::new(text)?, id)))
            .collect();
        texts.sort_unstable();
        let mut rank_of = vec![
            NONE;
            texts
                .iter()
                .map(|&(_, id)| id as usize + 1)
                .max()
                .unwrap_or(0)
        ];
        let mut values: Vec<Sortable> = Vec::new();
        for (text, id) in texts {
            // Two texts may differ in nothing but their spacing.
            if values.last() != Some(&text) {
                values.push(text);
            }
            rank_of[id as usize] = values.len() as u32 - 1;
        }
        let rank = |id: Option<u32>| {
            let rank = id.and_then(|id| rank_of.get(id as usize));
            rank.copied().unwrap_or(NONE)
        };
        Self {
            ranks: rows.into_iter().map(rank).collect(),
            values,
        }
    }
}
