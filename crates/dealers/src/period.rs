//! Lengths of time as a person writes them in a configuration.

use jiff::{SignedDuration, Span, SpanRelativeTo};
use serde::{Deserialize, Serialize};

/// Longest of all periods: ten years, so that no date computed from one leaves the calendar.
const LONGEST: SignedDuration = SignedDuration::from_hours(24 * 3650);

/// A length of time such as `26h`, `90d` or `1h 30m`, at most ten years. A day is 24 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Period(SignedDuration);

impl Period {
    /// So many days of 24 hours.
    #[must_use]
    pub const fn days(days: i64) -> Self {
        Self(SignedDuration::from_hours(days * 24))
    }

    /// So many minutes.
    #[must_use]
    pub const fn minutes(minutes: i64) -> Self {
        Self(SignedDuration::from_mins(minutes))
    }

    /// So many seconds.
    #[must_use]
    pub const fn seconds(seconds: i64) -> Self {
        Self(SignedDuration::from_secs(seconds))
    }

    /// The length.
    #[must_use]
    pub const fn duration(self) -> SignedDuration {
        self.0
    }
}

impl TryFrom<String> for Period {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let expected = || {
            format!(
                "{text:?} is not a length of time; write for example \"26h\", \"90d\" or \"1h 30m\""
            )
        };
        let span: Span = text.parse().map_err(|_| expected())?;
        let duration = span
            .to_duration(SpanRelativeTo::days_are_24_hours())
            .map_err(|_| expected())?;
        if duration.is_negative() {
            return Err(format!("{text:?} is negative; a length of time is not"));
        }
        if duration > LONGEST {
            return Err(format!("{text:?} is too long; write at most \"3650d\""));
        }
        Ok(Self(duration))
    }
}

impl From<Period> for String {
    fn from(period: Period) -> Self {
        format!("{:#}", period.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_written_with_its_unit_and_is_no_longer_than_ten_years() {
        for (text, hours) in [("26h", 26), ("90d", 2160), ("1h 60m", 2), ("3650d", 87_600)] {
            let period = Period::try_from(text.to_owned()).unwrap();
            assert_eq!(
                period.duration(),
                SignedDuration::from_hours(hours),
                "{text}"
            );
        }
        for wrong in ["", "90", "90 monkeys", "-1h", "3651d", "7000000d"] {
            let error = Period::try_from(wrong.to_owned()).unwrap_err();
            assert!(error.contains(&format!("{wrong:?}")), "{error}");
        }
    }
}
