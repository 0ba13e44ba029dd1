//! Columns of numbers: values that are sorted and compared with the ends of a range.

use roaring::RoaringBitmap;

use super::{order::Order, ranking::Ranking};

/// A column whose values are compared by size.
#[derive(Debug)]
pub(super) struct Numbers<K> {
    /// Distinct values, ascending; a rank in `order` is a place in this list.
    values: Vec<K>,
    order: Order,
    /// Entry `i` holds the first `i * step` rows of the order, the last entry all that have the
    /// field, so that a wide range is the difference of two bitmaps. A small stock has only these
    /// two: none and all.
    prefixes: Vec<RoaringBitmap>,
    step: usize,
}

/// Least number of rows between two prefixes.
const SMALLEST_STEP: usize = 8192;
/// Greatest number of prefixes; each takes a bit for every row.
const MOST_PREFIXES: usize = 32;

impl<K: Copy + Ord> Numbers<K> {
    /// Builds a column from the value of each row; `ties` holds each row's place among equals.
    pub(super) fn build(column: &[Option<K>], ties: &[u32]) -> Self {
        let Ranking { values, ranks } = Ranking::of(column);
        let order = Order::build(ranks, ties);
        let step = SMALLEST_STEP.max(order.present().len() / MOST_PREFIXES);
        let mut prefix = RoaringBitmap::new();
        let mut prefixes = vec![prefix.clone()];
        for rows in order.present().chunks(step) {
            prefix.extend(rows);
            prefixes.push(prefix.clone());
        }
        Self {
            values,
            order,
            prefixes,
            step,
        }
    }

    /// The sort order.
    pub(super) fn order(&self) -> &Order {
        &self.order
    }

    /// Distinct values, ascending; a rank in the order is a place in this list.
    pub(super) fn values(&self) -> &[K] {
        &self.values
    }

    /// Rows whose value lies between the ends, both included; a missing value never does.
    pub(super) fn within(&self, least: Option<K>, most: Option<K>) -> RoaringBitmap {
        let below = |end: K| self.values.partition_point(|value| *value < end);
        let up_to = |end: K| self.values.partition_point(|value| *value <= end);
        let start = least.map_or(0, below);
        let end = most.map_or(self.values.len(), up_to);
        let places = self.order.places(&(start as u32..end as u32));

        let rows = self.order.present();
        let first = places.start.div_ceil(self.step);
        let last = places.end / self.step;
        if first >= last {
            return self.set_of(&rows[places]);
        }
        let mut found = &self.prefixes[last] - &self.prefixes[first];
        found |= self.set_of(&rows[places.start..first * self.step]);
        found |= self.set_of(&rows[last * self.step..places.end]);
        found
    }

    /// Rows in any order as a set. They are marked in a bit for each row of the stock, or sorted
    /// where they are so few that the bits would take longer, because a bitmap takes rows out of
    /// order one by one.
    fn set_of(&self, rows: &[u32]) -> RoaringBitmap {
        const FEW: usize = 1024;
        let stock = self.order.ranks().len();
        if rows.len() < stock / FEW {
            let mut sorted = rows.to_vec();
            sorted.sort_unstable();
            return RoaringBitmap::from_iter(sorted);
        }
        let mut bits = vec![0_u8; stock.div_ceil(8)];
        for row in rows {
            bits[(row / 8) as usize] |= 1 << (row % 8);
        }
        RoaringBitmap::from_lsb0_bytes(0, &bits)
    }

    /// The lowest and the highest value among `matches`; `None` when none of them has one.
    pub(super) fn ends(&self, matches: &RoaringBitmap) -> Option<(K, K)> {
        let none_in = |prefix: &RoaringBitmap| prefix.is_disjoint(matches);
        let all = self.prefixes.last()?.intersection_len(matches);
        let some_in = |prefix: &RoaringBitmap| prefix.intersection_len(matches) < all;
        let lowest = self.block_before(self.prefixes.partition_point(none_in))?;
        let highest = self.block_before(self.prefixes.partition_point(some_in))?;
        let contained = |row: &&u32| matches.contains(**row);
        let lowest = *lowest.iter().find(contained)?;
        let highest = *highest.iter().rfind(contained)?;
        let value = |row| self.values[self.order.rank(row) as usize];
        Some((value(lowest), value(highest)))
    }

    /// The rows by which a prefix is longer than the one before it.
    fn block_before(&self, prefix: usize) -> Option<&[u32]> {
        let start = prefix.checked_sub(1)? * self.step;
        let rows = self.order.present();
        rows.get(start..rows.len().min(start + self.step))
    }
}

/// An electric range in miles, which may have a fraction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Miles(pub(super) f64);

impl Ord for Miles {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Miles {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Miles {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Miles {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enough rows for several prefixes; every seventh has no value.
    fn column() -> (Vec<Option<u64>>, Numbers<u64>) {
        let rows = 5 * SMALLEST_STEP as u64 + 17;
        let value = |row: u64| (!row.is_multiple_of(7)).then_some(row * 7919 % 10_007);
        let values: Vec<Option<u64>> = (0..rows).map(value).collect();
        let ties: Vec<u32> = (0..rows as u32).collect();
        let column = Numbers::build(&values, &ties);
        assert_eq!(column.prefixes.len(), 6, "none, one for each step, all");
        (values, column)
    }

    #[test]
    fn a_range_over_many_rows_holds_the_rows_within() {
        let (values, column) = column();
        let numbers = [0, 1, 2500, 5003, 9000, 10_006, 20_000];
        let ends: Vec<Option<u64>> = numbers.into_iter().map(Some).chain([None]).collect();
        for &least in &ends {
            for &most in &ends {
                let within = |value: u64| {
                    least.is_none_or(|least| value >= least)
                        && most.is_none_or(|most| value <= most)
                };
                let expected: RoaringBitmap = (0..)
                    .zip(&values)
                    .filter_map(|(row, value)| value.is_some_and(within).then_some(row))
                    .collect();
                assert_eq!(
                    column.within(least, most),
                    expected,
                    "{least:?} to {most:?}"
                );
            }
        }
    }

    #[test]
    fn the_ends_over_many_rows_are_the_least_and_the_greatest() {
        let (values, column) = column();
        let rows = values.len() as u32;
        let sets: [(&str, RoaringBitmap); 7] = [
            ("none", RoaringBitmap::new()),
            ("all", (0..rows).collect()),
            ("one", RoaringBitmap::from([40_000])),
            ("rows without a value", (0..rows).step_by(7).collect()),
            ("few", (3..rows).step_by(4999).collect()),
            ("low values", column.within(None, Some(40))),
            (
                "a stretch in the middle",
                column.within(Some(5000), Some(5100)),
            ),
        ];
        for (name, matches) in sets {
            let found = || matches.iter().filter_map(|row| values[row as usize]);
            assert_eq!(
                column.ends(&matches),
                found().min().zip(found().max()),
                "{name}"
            );
        }
    }
}
