//! Two sides take turns, and what their ratios amount to.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};
use serde::Serialize;

/// What repeated turns gave.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
}

impl Spread {
    /// Of nothing, all three are not a number.
    pub(crate) fn of(values: &[f64]) -> Self {
        Self {
            median: quantile(values, 0.5),
            lowest: quantile(values, 0.0),
            highest: quantile(values, 1.0),
        }
    }
}

/// The value below which a `share` of the values lies, between neighbours in proportion.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * sorted.len().saturating_sub(1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    match (sorted.get(below), sorted.get(above)) {
        (Some(below), Some(above)) => below + (above - below) * place.fract(),
        _ => f64::NAN,
    }
}

/// CPU time that `work` takes on this thread.
pub(crate) fn cpu_of<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begin = read(ClockId::ThreadCPUTime);
    let made = work();
    (read(ClockId::ThreadCPUTime).saturating_sub(begin), made)
}

/// CPU time of this process so far, over all its threads, in user and system.
pub(crate) fn process_cpu() -> Duration {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    Duration::new(
        u64::try_from(tv_sec).unwrap_or_default(),
        u32::try_from(tv_nsec).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours_in_proportion() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(quantile(&values, 0.5), 2.5);
        assert_eq!(quantile(&values, 0.9), 3.7);
        assert_eq!(quantile(&values, 1.0), 4.0);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
