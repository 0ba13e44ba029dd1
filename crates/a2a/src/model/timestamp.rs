//! Points in time on the wire.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::fault::{At, quoted};
use crate::protojson::{Field, Found, deserialize};

/// A point in time (`google.protobuf.Timestamp`): the years 1 to 9999, written in UTC with `Z` and
/// milliseconds, as A2A 1.0 §5.6.1 demands. Read from any RFC 3339 text, kept to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

/// Why a text or point in time is no [`Timestamp`].
#[derive(Debug, thiserror::Error)]
pub enum TimestampError {
    /// The text is not RFC 3339.
    #[error("not an RFC 3339 date and time")]
    Format(#[source] jiff::Error),
    /// Outside what the protocol can carry.
    #[error("before the year 1")]
    Range,
}

impl Timestamp {
    /// The beginning of 1970.
    pub const UNIX_EPOCH: Self = Self(jiff::Timestamp::UNIX_EPOCH);

    /// The point in time.
    #[must_use]
    pub fn get(self) -> jiff::Timestamp {
        self.0
    }
}

impl TryFrom<jiff::Timestamp> for Timestamp {
    type Error = TimestampError;

    fn try_from(timestamp: jiff::Timestamp) -> Result<Self, TimestampError> {
        /// Seconds from 1970 to 0001-01-01T00:00:00Z. The upper end is that of `jiff`, a day before the
        /// year 10000.
        const FIRST_SECOND: i64 = -62_135_596_800;
        if timestamp.as_second() >= FIRST_SECOND {
            Ok(Self(timestamp))
        } else {
            Err(TimestampError::Range)
        }
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let timestamp: jiff::Timestamp = text.parse().map_err(TimestampError::Format)?;
        timestamp.try_into()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Field for Timestamp {
    const EXPECTED: &'static str = "an RFC 3339 date and time";

    fn absent() -> Self {
        Self(jiff::Timestamp::UNIX_EPOCH)
    }

    fn from_scalar(scalar: Found<'_>, at: At<'_>) -> Option<Self> {
        let Found::Text(text) = scalar else {
            return None;
        };
        Some(text.parse().unwrap_or_else(|error| {
            at.fault(format!("is {}: {error}", quoted(text)));
            Self::absent()
        }))
    }
}

deserialize!(Timestamp);
