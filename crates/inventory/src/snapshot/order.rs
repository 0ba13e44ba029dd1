//! Sort orders, computed once, and the pages cut from them.

use std::{collections::BinaryHeap, ops::Range};

use aap::inventory::SortOrder;
use roaring::RoaringBitmap;

use super::NONE;

/// How many matches can be looked at, row after row, in the time of one step of a walk, which goes
/// to a row anywhere and asks whether it matches.
const STEP_COST: usize = 8;

/// The rows of the stock in ascending order of one field. Equal values stand in the order of the
/// ties (stock number, VIN, identifier), rows without the field stand last.
#[derive(Debug)]
pub(super) struct Order {
    /// The rank of each row's value among the distinct values; [`NONE`] where it is missing.
    ranks: Vec<u32>,
    /// The rows, in order.
    rows: Vec<u32>,
    /// The place in `rows` at which each rank begins; the last one is where missing values begin.
    starts: Vec<u32>,
}

impl Order {
    /// Sorts the rows by the rank of their value, [`NONE`] where it is missing; ranks count from 0
    /// without a gap. `ties` holds each row's place among equals; no two rows have the same.
    pub(super) fn build(ranks: Vec<u32>, ties: &[u32]) -> Self {
        let mut row_of_tie = vec![0; ties.len()];
        for (row, &tie) in (0..).zip(ties) {
            row_of_tie[tie as usize] = row;
        }
        let mut keys: Vec<(u32, u32)> = ranks.iter().copied().zip(ties.iter().copied()).collect();
        keys.sort_unstable();
        let missing = keys.partition_point(|&(rank, _)| rank != NONE);
        let mut starts = Vec::new();
        for (place, &(rank, _)) in (0..).zip(&keys[..missing]) {
            if rank as usize == starts.len() {
                starts.push(place);
            }
        }
        starts.push(missing as u32);
        let row = |(_, tie): (u32, u32)| row_of_tie[tie as usize];
        Self {
            rows: keys.into_iter().map(row).collect(),
            ranks,
            starts,
        }
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
        &self.rows[..self.start_of(NONE)]
    }

    /// Which places in [`Self::present`] hold values whose ranks lie in `ranks`.
    pub(super) fn places(&self, ranks: &Range<u32>) -> Range<usize> {
        let start = self.start_of(ranks.start);
        start..self.start_of(ranks.end).max(start)
    }

    /// The place of the first row whose value's rank is at least `rank`.
    fn start_of(&self, rank: u32) -> usize {
        let last = self.starts.len() - 1;
        self.starts[last.min(rank as usize)] as usize
    }

    /// Rows `skip..skip + limit` of `matches` in this order.
    ///
    /// Walking the order finds them soon when many rows match. The walk gives up early, because
    /// looking at each match once is cheaper than a long one.
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
        let steps = self.walk(direction).take(total / STEP_COST);
        let mut page: Vec<u32> = steps
            .filter(|&row| matches.contains(row))
            .take(end)
            .collect();
        if page.len() < end {
            page = self.first(matches, direction, end, ties);
        }
        page.split_off(skip)
    }

    /// The first `count` rows of `matches` in this order, found by looking at every match.
    fn first(
        &self,
        matches: &RoaringBitmap,
        direction: SortOrder,
        count: usize,
        ties: &[u32],
    ) -> Vec<u32> {
        let mut first = BinaryHeap::with_capacity(count);
        for row in matches {
            let place = (self.place(row, direction), ties[row as usize], row);
            if first.len() < count {
                first.push(place);
            } else if let Some(mut last) = first.peek_mut()
                && place < *last
            {
                *last = place;
            }
        }
        let rows = first.into_sorted_vec().into_iter();
        rows.map(|(_, _, row)| row).collect()
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
        let groups = self.starts.windows(2).rev();
        let reversed = groups.flat_map(|ends| &self.rows[ends[0] as usize..ends[1] as usize]);
        let missing = &self.rows[self.start_of(NONE)..];
        Box::new(reversed.chain(missing).copied())
    }
}
