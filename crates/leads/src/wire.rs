//! Words and JSON of the protocol as columns hold them.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use store::Row;

use crate::Error;

/// The word of a unit variant, for example `received`.
pub(crate) fn word<T: Serialize>(column: &'static str, value: &T) -> Result<String, Error> {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => Ok(word),
        _ => Err(Error::Stored { column }),
    }
}

/// JSON text.
pub(crate) fn json<T: Serialize>(column: &'static str, value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|_| Error::Stored { column })
}

/// The variant whose word a column holds.
pub(crate) fn read_word<T: DeserializeOwned>(
    row: &dyn Row,
    column: usize,
) -> Result<Option<T>, store::Error> {
    row.optional_text(column)?
        .map(|word| from_word(column, word))
        .transpose()
}

/// The variant whose word this is.
pub(crate) fn from_word<T: DeserializeOwned>(column: usize, word: &str) -> Result<T, store::Error> {
    serde_json::from_value(Value::from(word)).map_err(|_| unreadable(column))
}

/// The variants whose words a column holds, separated by commas.
pub(crate) fn read_words<T: DeserializeOwned>(
    row: &dyn Row,
    column: usize,
) -> Result<Vec<T>, store::Error> {
    row.text(column)?
        .split(',')
        .filter(|word| !word.is_empty())
        .map(|word| from_word(column, word))
        .collect()
}

/// The value whose JSON a column holds.
pub(crate) fn read_json<T: DeserializeOwned>(
    row: &dyn Row,
    column: usize,
) -> Result<Option<T>, store::Error> {
    row.optional_text(column)?
        .map(|text| from_json(column, text))
        .transpose()
}

/// The value whose JSON this is. Text as received may name a member twice, of which a typed reader
/// would complain and a [`Value`] takes the last.
pub(crate) fn from_json<T: DeserializeOwned>(column: usize, text: &str) -> Result<T, store::Error> {
    serde_json::from_str::<Value>(text)
        .and_then(serde_json::from_value)
        .map_err(|_| unreadable(column))
}

/// Text that may be absent.
pub(crate) fn read_text(row: &dyn Row, column: usize) -> Result<Option<String>, store::Error> {
    Ok(row.optional_text(column)?.map(str::to_owned))
}

/// What is wrong is not told, as the words may be about a person.
pub(crate) fn unreadable(column: usize) -> store::Error {
    store::Error::Value {
        column,
        reason: "does not hold what was written there".to_owned(),
    }
}
