//! Integers as JSON Schema understands them: `25.0` and `2.5e1` are the integer 25.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Number;

/// Whether JSON Schema calls the number an integer.
pub(crate) fn is_integer(number: &Number) -> bool {
    number.is_u64() || number.is_i64() || number.as_f64().is_some_and(|value| value.fract() == 0.0)
}

/// The value of a number that is whole and not negative. The schemas set no upper bound; a value
/// above the type's range is held at its end, where it compares like the value that was sent.
pub(crate) fn whole(number: &Number) -> Option<u64> {
    if let Some(value) = number.as_u64() {
        return Some(value);
    }
    let value = number.as_f64()?;
    // A cast from a float saturates.
    (value >= 0.0 && value.fract() == 0.0).then_some(value as u64)
}

/// Reads an integer of any unsigned width.
pub(crate) fn integer<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    from_number(&Number::deserialize(deserializer)?)
}

/// Reads an optional integer of any unsigned width.
pub(crate) fn optional_integer<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    Option::<Number>::deserialize(deserializer)?
        .map(|number| from_number(&number))
        .transpose()
}

/// Reads an integer that may be negative.
pub(crate) fn signed_integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let number = Number::deserialize(deserializer)?;
    if let Some(value) = number.as_i64() {
        return Ok(value);
    }
    match number.as_f64() {
        Some(value) if value.fract() == 0.0 => Ok(value as i64),
        _ => Err(D::Error::custom(format!("{number} is not an integer"))),
    }
}

fn from_number<T: TryFrom<u64>, E: Error>(number: &Number) -> Result<T, E> {
    whole(number)
        .and_then(|value| T::try_from(value).ok())
        .ok_or_else(|| E::custom(format!("{number} is not an integer in range")))
}
