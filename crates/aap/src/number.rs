//! Integers as JSON Schema understands them: `25.0` and `2.5e1` are the integer 25.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Number;

/// The value of a JSON number that is whole and not negative.
#[must_use]
pub(crate) fn whole(number: &Number) -> Option<u64> {
    if let Some(value) = number.as_u64() {
        return Some(value);
    }
    let value = number.as_f64()?;
    // 2^64; every whole double below it fits.
    if value >= 0.0 && value.fract() == 0.0 && value < 18_446_744_073_709_551_616.0 {
        Some(value as u64)
    } else {
        None
    }
}

/// Reads an optional integer of any unsigned width.
pub(crate) fn optional_integer<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let Some(number) = Option::<Number>::deserialize(deserializer)? else {
        return Ok(None);
    };
    whole(&number)
        .and_then(|value| T::try_from(value).ok())
        .map(Some)
        .ok_or_else(|| D::Error::custom(format!("{number} is not an integer in range")))
}
