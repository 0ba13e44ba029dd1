//! Columns of numbers: values that are sorted and compared with the ends of a range.

use roaring::RoaringBitmap;

use super::order::Order;

/// A column whose values are compared by size.
#[derive(Debug)]
pub(super) struct Numbers<K> {
    /// Distinct values, ascending; a rank in `order` is a place in this list.
    values: Vec<K>,
    order: Order,
    /// Entry `i` holds the first `i * step` rows of the order, so that a wide range is the
    /// difference of two bitmaps. A small stock has only the empty one.
    prefixes: Vec<RoaringBitmap>,
    step: usize,
}

/// Least number of rows between two prefixes.
const SMALLEST_STEP: usize = 8192;
/// Greatest number of prefixes; each takes a bit for every row.
const MOST_PREFIXES: usize = 32;

impl<K: Copy + Ord> Numbers<K> {
    /// Builds a column from the value of each row; `ties` holds each row's place among equals.
    pub(super) fn build(values: &[Option<K>], ties: &[u32]) -> Self {
        let (order, values) = Order::build(values, ties);
        let step = SMALLEST_STEP.max(order.present().len() / MOST_PREFIXES);
        let mut prefix = RoaringBitmap::new();
        let mut prefixes = vec![prefix.clone()];
        for rows in order.present().chunks_exact(step) {
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
            return rows[places].iter().collect();
        }
        let mut found = &self.prefixes[last] - &self.prefixes[first];
        found.extend(&rows[places.start..first * self.step]);
        found.extend(&rows[last * self.step..places.end]);
        found
    }

    /// The lowest and the highest value among `matches`; `None` when none of them has one.
    pub(super) fn ends(&self, matches: &RoaringBitmap) -> Option<(K, K)> {
        let (lowest, highest) = self.order.ends(matches)?;
        Some((self.values[lowest as usize], self.values[highest as usize]))
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

    /// Enough rows for several prefixes: ranges that begin and end on, before and after their
    /// edges hold the same rows as a look at every value.
    #[test]
    fn a_range_over_many_rows_holds_the_rows_within() {
        let rows = 5 * SMALLEST_STEP as u64 + 17;
        let values: Vec<Option<u64>> = (0..rows)
            .map(|row| (row % 7 != 0).then_some(row * 7919 % 10_007))
            .collect();
        let ties: Vec<u32> = (0..rows as u32).collect();
        let column = Numbers::build(&values, &ties);
        assert_eq!(
            column.prefixes.len(),
            5,
            "a prefix of none, then one for each step"
        );
        let ends = [
            None,
            Some(0),
            Some(1),
            Some(2500),
            Some(5003),
            Some(9000),
            Some(10_006),
            Some(20_000),
        ];
        for least in ends {
            for most in ends {
                let within = |value: &Option<u64>| {
                    value.is_some_and(|value| {
                        least.is_none_or(|least| value >= least)
                            && most.is_none_or(|most| value <= most)
                    })
                };
                let expected: RoaringBitmap = (0..)
                    .zip(&values)
                    .filter(|(_, value)| within(value))
                    .map(|(row, _)| row)
                    .collect();
                assert_eq!(
                    column.within(least, most),
                    expected,
                    "{least:?} to {most:?}"
                );
            }
        }
    }
}
