//! How long to wait after a failure.

use jiff::SignedDuration;

/// After so many failures in a row a receiver that is out of reach is spared, and one delivery at a
/// time finds out whether it is back.
pub const FAILURES: i64 = 3;

/// The shortest and the longest wait of a delivery that was not taken.
const AGAIN: (SignedDuration, SignedDuration) =
    (SignedDuration::from_secs(30), SignedDuration::from_hours(1));
/// The shortest and the longest pause of a receiver that is out of reach: leads should arrive within
/// minutes of its return.
const PAUSE: (SignedDuration, SignedDuration) =
    (SignedDuration::from_secs(30), SignedDuration::from_mins(5));
/// What a receiver may ask for at most.
const LONGEST_WISH: SignedDuration = SignedDuration::from_hours(6);

/// When a delivery is tried again after so many attempts (at least 1): from 30 seconds, doubled each
/// time, to one hour. `jitter` (0 to 1) spreads deliveries that failed together over a quarter more. A
/// receiver that asks for a longer wait gets it, up to six hours.
#[must_use]
pub fn again_after(
    attempts: i64,
    jitter: f64,
    asked_for: Option<SignedDuration>,
) -> SignedDuration {
    let wait = doubled(AGAIN, attempts, jitter);
    asked_for.map_or(wait, |asked_for| wait.max(asked_for.min(LONGEST_WISH)))
}

/// How long a receiver is spared after so many failures in a row. Before [`FAILURES`] only one that
/// asks for it is.
#[must_use]
pub fn pause_after(
    failures: i64,
    jitter: f64,
    asked_for: Option<SignedDuration>,
) -> Option<SignedDuration> {
    let pause = (failures >= FAILURES).then(|| doubled(PAUSE, failures - FAILURES + 1, jitter));
    pause.max(asked_for.map(|asked_for| asked_for.min(LONGEST_WISH)))
}

fn doubled(
    (shortest, longest): (SignedDuration, SignedDuration),
    times: i64,
    jitter: f64,
) -> SignedDuration {
    let doublings = u32::try_from(times.saturating_sub(1).clamp(0, 16)).unwrap_or_default();
    let wait = shortest.saturating_mul(1 << doublings).min(longest);
    wait.saturating_add((wait / 4).mul_f64(jitter.clamp(0.0, 1.0)))
        .min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_from_half_a_minute_to_an_hour() {
        let waits: Vec<i64> = (0..12)
            .map(|attempts| again_after(attempts, 0.0, None).as_secs())
            .collect();
        assert_eq!(
            waits,
            [30, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600]
        );
        assert_eq!(again_after(i64::MAX, 1.0, None).as_secs(), 3600);
    }

    #[test]
    fn jitter_adds_up_to_a_quarter_and_never_passes_the_cap() {
        assert_eq!(again_after(1, 1.0, None).as_millis(), 37_500);
        assert_eq!(again_after(2, 0.5, None).as_millis(), 67_500);
        assert_eq!(again_after(2, f64::INFINITY, None).as_secs(), 75);
        assert_eq!(again_after(9, 1.0, None).as_secs(), 3600);
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_wait_within_reason() {
        let asked = |seconds| again_after(1, 0.0, Some(SignedDuration::from_secs(seconds)));
        assert_eq!(asked(5).as_secs(), 30);
        assert_eq!(asked(600).as_secs(), 600);
        assert_eq!(asked(i64::MAX).as_hours(), 6);
    }

    #[test]
    fn a_receiver_is_spared_after_the_third_failure_for_five_minutes_at_most() {
        assert_eq!(pause_after(2, 0.0, None), None);
        let asked_for = Some(SignedDuration::from_secs(600));
        assert_eq!(pause_after(1, 0.0, asked_for), asked_for);
        let pauses: Vec<i64> = (3..9)
            .filter_map(|failures| pause_after(failures, 0.0, None))
            .map(|pause| pause.as_secs())
            .collect();
        assert_eq!(pauses, [30, 60, 120, 240, 300, 300]);
    }
}
