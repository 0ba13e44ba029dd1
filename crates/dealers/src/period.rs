//! Lengths of time as a person writes them in a configuration.

use jiff::{SignedDuration, Span, SpanRelativeTo};
use serde::{Deserialize, Serialize};

/// A length of time such as `26h`, `90d` or `1h 30m`. A day is 24 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Period(SignedDuration);

impl Period {
    /// So many days of 24 hours.
    #[must_use]
    pub const fn days(days: i64) -> Self {
        Self(SignedDuration::from_hours(days * 24))
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
        Ok(Self(duration))
    }
}

impl From<Period> for String {
    fn from(period: Period) -> Self {
        format!("{:#}", period.0)
    }
}
