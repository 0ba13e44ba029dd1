//! Integers that the protocol bounds.

use serde::{Serialize, Serializer};

use crate::fault::At;
use crate::protojson::{Field, Found, deserialize, number_field};

/// How many messages of a history to send at most; zero means none (A2A 1.0 §3.2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryLength(i32);

impl HistoryLength {
    /// `None` when negative.
    #[must_use]
    pub fn new(length: i32) -> Option<Self> {
        (length >= 0).then_some(Self(length))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        self.0.unsigned_abs() as usize
    }
}

/// How many tasks a page holds at most, 1 to 100 (A2A 1.0 §3.1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageSize(i32);

impl PageSize {
    /// `None` when outside 1 to 100.
    #[must_use]
    pub fn new(size: i32) -> Option<Self> {
        (1..=100).contains(&size).then_some(Self(size))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        self.0.unsigned_abs() as usize
    }
}

impl Default for PageSize {
    /// What an unset page size means.
    fn default() -> Self {
        Self(50)
    }
}

macro_rules! bounded {
    ($name:ident, $lowest:expr, $expected:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        impl Field for $name {
            const EXPECTED: &'static str = $expected;

            fn absent() -> Self {
                Self($lowest)
            }

            fn from_scalar(scalar: Found<'_>, at: At<'_>) -> Option<Self> {
                number_field(scalar, at, Self::new)
            }
        }

        deserialize!($name);
    };
}

bounded!(HistoryLength, 0, "a whole number of 32 bits, zero or more");
bounded!(PageSize, 1, "a whole number from 1 to 100");
