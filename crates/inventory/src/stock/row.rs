//! Columns of a row as the values that they hold.

use aap::vehicle::Condition;
use serde::de::DeserializeOwned;
use store::Row;
use uuid::Uuid;

/// Reads a text column as one of the values that it may hold.
pub(super) fn named<T>(
    row: &dyn Row,
    column: usize,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, store::Error> {
    let text = row.text(column)?;
    read(text).ok_or_else(|| store::Error::Value {
        column,
        reason: format!("{text:?} is not a value that this column holds"),
    })
}

/// An identifier.
pub(super) fn id(row: &dyn Row, column: usize) -> Result<Uuid, store::Error> {
    named(row, column, |text| text.parse().ok())
}

/// A number of things; never negative.
pub(super) fn count(row: &dyn Row, column: usize) -> Result<u64, store::Error> {
    Ok(u64::try_from(row.int(column)?).unwrap_or(0))
}

/// An amount that may be missing.
pub(super) fn dollars(row: &dyn Row, column: usize) -> Result<Option<u64>, store::Error> {
    let amount = row.optional_int(column)?;
    Ok(amount.and_then(|amount| u64::try_from(amount).ok()))
}

/// A JSON document that may be missing.
pub(super) fn json<T: DeserializeOwned>(
    row: &dyn Row,
    column: usize,
) -> Result<Option<T>, store::Error> {
    let document = row.optional_text(column)?.map(serde_json::from_str);
    document.transpose().map_err(|error| store::Error::Value {
        column,
        reason: error.to_string(),
    })
}

/// A condition of the sale vocabulary.
pub(super) fn condition(text: Option<&str>) -> Option<Condition> {
    Condition::SALE
        .into_iter()
        .find(|condition| Some(condition.as_str()) == text)
}
