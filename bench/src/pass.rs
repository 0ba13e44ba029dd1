//! The unit in which searches are measured: one pass over a column of 1,000,000 numbers.

use std::{hint::black_box, time::Duration};

use crate::turns::{cpu_of, quantile};

/// Entries of the column, whatever the size of the stock that is searched.
const ENTRIES: u32 = 1_000_000;

/// A column of small codes.
#[derive(Debug)]
pub(crate) struct Column(Vec<u32>);

impl Column {
    pub(crate) fn new() -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        Self((0..ENTRIES).map(|_| random.u32(..200)).collect())
    }

    /// How many seconds a pass takes at this moment: the one in the middle of three.
    pub(crate) fn pass(&self) -> f64 {
        let times = [1, 2, 3].map(|key| self.count(key).as_secs_f64());
        quantile(&times, 0.5)
    }

    fn count(&self, key: u32) -> Duration {
        let (column, key) = (black_box(&self.0), black_box(key));
        // A sum, not a count: compilers make 4 lanes of it instead of 2.
        let sum = || {
            column
                .iter()
                .map(|&code| u32::from(code == key))
                .sum::<u32>()
        };
        let (time, sum) = cpu_of(sum);
        black_box(sum);
        time
    }
}
