//! Sort orders, computed once, and the pages cut from them.

use std::ops::Range;

use aap::inventory::SortOrder;
use roaring::RoaringBitmap;

use super::NONE;

/// The rows of the stock in ascending order of one field. Equal values stand in the order of the
/// ties (stock number, VIN, identifier), rows without the field stand last.
#[derive(Debug)]
pub(super) struct Order {
    /// The rank of each row's value among the distinct values; [`NONE`] where it is missing.
    ranks: Vec<u32>,
    /// The rows, in order.
    rows: Vec<u32>,
    /// How many rows have the field.
    present: usize,
}

impl Order {
    /// Sorts the rows by their values, and returns the distinct values in ascending order.
    /// `ties` holds each row's place among equals.
    pub(super) fn build<K: Clone + Ord>(values: &[Option<K>], ties: &[u32]) -> (Self, Vec<K>) {
        let key = |row: u32| {
            let value = &values[row as usize];
            (value.is_none(), value, ties[row as usize])
        };
        let mut rows: Vec<u32> = (0..values.len() as u32).collect();
        rows.sort_unstable_by(|&left, &right| key(left).cmp(&key(right)));
        let mut ranks = vec![NONE; values.len()];
        let mut distinct: Vec<K> = Vec::new();
        let mut present = 0;
        for &row in &rows {
            let Some(value) = &values[row as usize] else {
                break;
            };
            if distinct.last() != Some(value) {
                distinct.push(value.clone());
            }
            ranks[row as usize] = distinct.len() as u32 - 1;
            present += 1;
        }
        let order = Self {
            ranks,
            rows,
            present,
        };
        (order, distinct)
    }

    /// The rank of a row's value; [`NONE`] where it is missing.
    pub(super) fn rank(&self, row: u32) -> u32 {
        self.ranks[row as usize]
    }

    /// The rank of every row's value.
    pub(super) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// The rows that have the field, in ascending order.
    pub(super) fn present(&self) -> &[u32] {
        &self.rows[..self.present]
    }

    /// Which places in [`Self::present`] hold values whose ranks lie in `ranks`.
    pub(super) fn places(&self, ranks: &Range<u32>) -> Range<usize> {
        let start = self.start_of(ranks.start);
        start..self.start_of(ranks.end).max(start)
    }

    /// The place of the first row whose value's rank is at least `rank`.
    fn start_of(&self, rank: u32) -> usize {
        self.present().partition_point(|&row| self.rank(row) < rank)
    }

    /// Rows `skip..skip + limit` of `matches` in this order.
    ///
    /// Walking the order is fast when many rows match. The walk ends after as many steps as there
    /// are matches, because ranking all matches is then cheaper.
    pub(super) fn page(
        &self,
        matches: &RoaringBitmap,
        direction: SortOrder,
        (skip, limit): (usize, usize),
        ties: &[u32],
    ) -> Vec<u32> {
        let total = matches.len() as usize;
        let end = total.min(skip.saturating_add(limit));
        if skip >= end {
            return Vec::new();
        }
        let mut page: Vec<u32> = self
            .walk(direction)
            .take(total)
            .filter(|&row| matches.contains(row))
            .take(end)
            .collect();
        if page.len() < end {
            page = matches.iter().collect();
            let place = |row: &u32| (self.place(*row, direction), ties[*row as usize]);
            if end < total {
                page.select_nth_unstable_by_key(end, place);
                page.truncate(end);
            }
            page.sort_unstable_by_key(place);
        }
        page.split_off(skip)
    }

    /// The rank of a row's value in `direction`; missing values come last in both.
    fn place(&self, row: u32, direction: SortOrder) -> u32 {
        match (self.rank(row), direction) {
            (NONE, _) => NONE,
            (rank, SortOrder::Asc) => rank,
            (rank, SortOrder::Desc) => NONE - 1 - rank,
        }
    }

    /// Every row in the given direction. Descending reverses the values, not the rows of one
    /// value, so it goes through the groups of equal values from the last to the first.
    fn walk(&self, direction: SortOrder) -> Box<dyn Iterator<Item = u32> + '_> {
        if direction == SortOrder::Asc {
            return Box::new(self.rows.iter().copied());
        }
        let mut end = self.present;
        let groups = std::iter::from_fn(move || {
            let last = *self.rows[..end].last()?;
            let start = self.start_of(self.rank(last));
            let group = &self.rows[start..end];
            end = start;
            Some(group)
        });
        let missing = &self.rows[self.present..];
        Box::new(groups.chain(std::iter::once(missing)).flatten().copied())
    }

    /// The lowest and the highest rank among `matches`; `None` when none of them has the field.
    pub(super) fn ends(&self, matches: &RoaringBitmap) -> Option<(u32, u32)> {
        // Among as many rows as match, one that matches is likely; else ask the matches.
        let steps = matches.len() as usize;
        let contained = |row: &&u32| matches.contains(**row);
        let lowest = self.present().iter().take(steps).find(contained);
        let highest = self.present().iter().rev().take(steps).find(contained);
        if let (Some(&lowest), Some(&highest)) = (lowest, highest) {
            return Some((self.rank(lowest), self.rank(highest)));
        }
        matches
            .iter()
            .map(|row| self.rank(row))
            .filter(|&rank| rank != NONE)
            .fold(None, |ends, rank| {
                let (lowest, highest) = ends.unwrap_or((rank, rank));
                Some((rank.min(lowest), rank.max(highest)))
            })
    }
}
