//! Request ids.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The id of a request, kept as the text that was sent so that the answer echoes it byte for byte: a
/// string, an integer of any size, or null.
#[derive(Clone)]
pub struct Id(Box<RawValue>);

/// A JSON value that is neither string, integer nor null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an id is a string, an integer or null")]
pub struct NotAnId;

impl Id {
    /// The null id, which also answers a request whose id could not be read.
    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// The id as JSON text.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.0.get()
    }

    pub(super) fn from_raw(raw: &RawValue) -> Result<Self, NotAnId> {
        match raw.get().as_bytes() {
            b"null" | [b'"', ..] => Ok(Self(raw.to_owned())),
            [b'-', digits @ ..] | digits if is_integer(digits) => Ok(Self(raw.to_owned())),
            _ => Err(NotAnId),
        }
    }
}

fn is_integer(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::from_text(number.to_string())
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::from_text(serde_json::Value::from(text).to_string())
    }
}

impl Id {
    /// From text that is JSON by construction.
    fn from_text(json: String) -> Self {
        Self(RawValue::from_string(json).unwrap_or_default())
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Eq for Id {}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
