//! What a closure sees of the database: one connection inside one transaction.

use crate::Error;

/// A value bound to `$1`, `$2`, … of a statement.
///
/// Times are [`Value::Int`] milliseconds since 1970; identifiers are [`Value::Text`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// SQL `NULL`.
    Null,
    /// `BIGINT`.
    Int(i64),
    /// `TEXT`.
    Text(&'a str),
    /// `BYTES` in migrations: `BLOB` or `BYTEA`.
    Bytes(&'a [u8]),
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(value)
    }
}

impl From<jiff::Timestamp> for Value<'_> {
    fn from(value: jiff::Timestamp) -> Self {
        Self::Int(value.as_millisecond())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// One row of a result. Columns count from 0.
pub trait Row {
    /// A `BIGINT` that may be null.
    ///
    /// # Errors
    /// When the column is absent or of another type.
    fn optional_int(&self, column: usize) -> Result<Option<i64>, Error>;
    /// A `TEXT` that may be null.
    ///
    /// # Errors
    /// When the column is absent or of another type.
    fn optional_text(&self, column: usize) -> Result<Option<&str>, Error>;
    /// `BYTES` that may be null.
    ///
    /// # Errors
    /// When the column is absent or of another type.
    fn optional_bytes(&self, column: usize) -> Result<Option<&[u8]>, Error>;

    /// A `BIGINT` that is not null.
    ///
    /// # Errors
    /// When the column is absent, null or of another type.
    fn int(&self, column: usize) -> Result<i64, Error> {
        self.optional_int(column)?
            .ok_or_else(|| is_null(column, "BIGINT"))
    }

    /// A `TEXT` that is not null.
    ///
    /// # Errors
    /// When the column is absent, null or of another type.
    fn text(&self, column: usize) -> Result<&str, Error> {
        self.optional_text(column)?
            .ok_or_else(|| is_null(column, "TEXT"))
    }

    /// `BYTES` that are not null.
    ///
    /// # Errors
    /// When the column is absent, null or of another type.
    fn bytes(&self, column: usize) -> Result<&[u8], Error> {
        self.optional_bytes(column)?
            .ok_or_else(|| is_null(column, "BYTES"))
    }

    /// A time stored as milliseconds since 1970.
    ///
    /// # Errors
    /// When the column is absent, null, of another type or out of range.
    fn time(&self, column: usize) -> Result<jiff::Timestamp, Error> {
        let milliseconds = self.int(column)?;
        jiff::Timestamp::from_millisecond(milliseconds).map_err(|source| Error::Value {
            column,
            reason: source.to_string(),
        })
    }

    /// A time that may be null.
    ///
    /// # Errors
    /// When the column is absent, of another type or out of range.
    fn optional_time(&self, column: usize) -> Result<Option<jiff::Timestamp>, Error> {
        match self.optional_int(column)? {
            Some(_) => self.time(column).map(Some),
            None => Ok(None),
        }
    }
}

fn is_null(column: usize, expected: &str) -> Error {
    Error::Value {
        column,
        reason: format!("is NULL, expected {expected}"),
    }
}

/// One connection inside one transaction. SQL is written once for both engines, with `$n`
/// placeholders, `BIGINT`, `TEXT` and `BYTES`.
///
/// A closure in which a statement failed returns an error: PostgreSQL refuses every further
/// statement of such a transaction. A conflict that is expected is asked for in the SQL, as
/// `ON CONFLICT`.
pub trait Conn {
    /// Runs a statement and returns how many rows it changed.
    ///
    /// # Errors
    /// What the database refuses; see [`Error`].
    fn execute(&mut self, sql: &'static str, args: &[Value<'_>]) -> Result<u64, Error>;

    /// Runs a query and hands each row to `each`, in order. `each` stops the query by an error.
    ///
    /// # Errors
    /// What the database refuses, or what `each` returns.
    fn rows(
        &mut self,
        sql: &'static str,
        args: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

impl dyn Conn + '_ {
    /// The first row of a query, read by `read`; `None` when there is none.
    ///
    /// # Errors
    /// What the database refuses, or what `read` returns.
    pub fn first<T>(
        &mut self,
        sql: &'static str,
        args: &[Value<'_>],
        mut read: impl FnMut(&dyn Row) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut found = None;
        self.rows(sql, args, &mut |row| {
            if found.is_none() {
                found = Some(read(row)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Every row of a query, each read by `read`.
    ///
    /// # Errors
    /// What the database refuses, or what `read` returns.
    pub fn all<T>(
        &mut self,
        sql: &'static str,
        args: &[Value<'_>],
        mut read: impl FnMut(&dyn Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut found = Vec::new();
        self.rows(sql, args, &mut |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }
}
