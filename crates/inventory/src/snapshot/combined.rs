//! Several columns counted as one.

use std::array;

use roaring::RoaringBitmap;

use super::{Map, NONE};

/// Columns whose combinations of codes are far fewer than the rows: make, model and trim, for
/// example. Each row keeps the number of its combination, so that one pass over the rows counts
/// all the columns.
#[derive(Debug)]
pub(super) struct Combined<const N: usize> {
    /// The codes of each combination that occurs, in the order of the columns.
    combinations: Vec<[u32; N]>,
    /// How many rows have each combination.
    totals: Vec<u32>,
    /// The combination of each row.
    rows: Vec<u32>,
    /// How many codes each column has.
    sizes: [usize; N],
}

impl<const N: usize> Combined<N> {
    /// Builds from the code of each row in each column; [`NONE`] stands for a missing value.
    pub(super) fn build(columns: [&[u32]; N]) -> Self {
        let size = |column: usize| {
            let codes = columns[column].iter().filter(|&&code| code != NONE);
            codes.max().map_or(0, |&most| most as usize + 1)
        };
        let mut built = Self {
            combinations: Vec::new(),
            totals: Vec::new(),
            rows: Vec::new(),
            sizes: array::from_fn(size),
        };
        let mut numbers: Map<[u32; N], u32> = Map::default();
        for row in 0..columns.first().map_or(0, |column| column.len()) {
            let combination = columns.map(|column| column[row]);
            let next = built.combinations.len() as u32;
            let number = *numbers.entry(combination).or_insert(next);
            if number == next {
                built.combinations.push(combination);
                built.totals.push(0);
            }
            built.totals[number as usize] += 1;
            built.rows.push(number);
        }
        built
    }

    /// How many rows of `tally` have each code, for each column.
    pub(super) fn counts(&self, tally: &Tally) -> [Vec<u64>; N] {
        let mut counts: [Vec<u64>; N] = array::from_fn(|column| vec![0; self.sizes[column]]);
        for (codes, count) in self
            .combinations
            .iter()
            .zip(tally.count(&self.rows, &self.totals))
        {
            for (counts, &code) in counts.iter_mut().zip(codes) {
                if let Some(total) = counts.get_mut(code as usize) {
                    *total += u64::from(count);
                }
            }
        }
        counts
    }
}

/// The matches, made ready for counting: when more than half the stock matches, the others are
/// counted and taken off the totals.
#[derive(Debug)]
pub(super) struct Tally {
    rows: Vec<u32>,
    others: bool,
}

impl Tally {
    /// The matches of a stock of this many rows.
    pub(super) fn new(matches: &RoaringBitmap, stock: usize) -> Self {
        let others = matches.len() as usize > stock / 2;
        let counted = if others {
            &(RoaringBitmap::from_iter(0..stock as u32) - matches)
        } else {
            matches
        };
        let mut rows = vec![0; counted.len() as usize];
        let _ = counted.iter().next_many(&mut rows);
        Self { rows, others }
    }

    /// How many matches have each number, given the number of every row and each number's total
    /// over the whole stock.
    fn count(&self, numbers: &[u32], totals: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; totals.len()];
        for &row in &self.rows {
            counts[numbers[row as usize] as usize] += 1;
        }
        if self.others {
            for (count, total) in counts.iter_mut().zip(totals) {
                *count = total - *count;
            }
        }
        counts
    }
}
