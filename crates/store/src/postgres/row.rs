//! Values on their way to the server and back.

use bytes::{BufMut as _, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::{Error, Row, Value};

/// A value that is bound to a placeholder.
pub(super) struct Bound<'a>(pub(super) &'a Value<'a>);

impl Bound<'_> {
    /// The type that the server is told. It finds the one of a null by its place.
    pub(super) fn kind(&self) -> Type {
        match self.0 {
            Value::Null => Type::UNKNOWN,
            Value::Int(_) => Type::INT8,
            Value::Text(_) => Type::TEXT,
            Value::Bytes(_) => Type::BYTEA,
        }
    }
}

/// It holds personal data.
impl std::fmt::Debug for Bound<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bound")
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match *self.0 {
            Value::Null => return Ok(IsNull::Yes),
            Value::Int(value) => out.put_i64(value),
            // The one character that the server's TEXT cannot hold.
            Value::Text(value) if value.contains('\0') => {
                out.put_slice(value.replace('\0', "\u{fffd}").as_bytes());
            }
            Value::Text(value) => out.put_slice(value.as_bytes()),
            Value::Bytes(value) => out.put_slice(value),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A column as the server sent it.
struct Raw<'a> {
    kind: Type,
    /// `None` for null.
    bytes: Option<&'a [u8]>,
}

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(
        kind: &Type,
        bytes: &'a [u8],
    ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self {
            kind: kind.clone(),
            bytes: Some(bytes),
        })
    }

    fn from_sql_null(kind: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self {
            kind: kind.clone(),
            bytes: None,
        })
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A row of a result.
pub(super) struct Columns<'a>(pub(super) &'a tokio_postgres::Row);

impl Columns<'_> {
    fn get(&self, column: usize) -> Result<Raw<'_>, Error> {
        self.0
            .try_get(column)
            .map_err(|_| wrong(column, "the result has no such column"))
    }
}

impl Row for Columns<'_> {
    /// Literals and counts come in smaller types, and comparisons as booleans.
    fn optional_int(&self, column: usize) -> Result<Option<i64>, Error> {
        let Raw { kind, bytes } = self.get(column)?;
        let Some(bytes) = bytes else {
            return Ok(None);
        };
        let value = match (&kind, bytes) {
            (&Type::INT8, bytes) => bytes.try_into().ok().map(i64::from_be_bytes),
            (&Type::INT4, bytes) => {
                let bytes = bytes.try_into().ok();
                bytes.map(i32::from_be_bytes).map(i64::from)
            }
            (&Type::INT2, bytes) => {
                let bytes = bytes.try_into().ok();
                bytes.map(i16::from_be_bytes).map(i64::from)
            }
            (&Type::BOOL, [value]) => Some(i64::from(*value)),
            _ => None,
        };
        let value = value.ok_or_else(|| unexpected(column, &kind, "BIGINT"))?;
        Ok(Some(value))
    }

    fn optional_text(&self, column: usize) -> Result<Option<&str>, Error> {
        let Raw { kind, bytes } = self.get(column)?;
        match (kind, bytes) {
            (_, None) => Ok(None),
            (Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME, Some(bytes)) => {
                std::str::from_utf8(bytes)
                    .map(Some)
                    .map_err(|_| wrong(column, "is not valid UTF-8"))
            }
            (kind, Some(_)) => Err(unexpected(column, &kind, "TEXT")),
        }
    }

    fn optional_bytes(&self, column: usize) -> Result<Option<&[u8]>, Error> {
        let Raw { kind, bytes } = self.get(column)?;
        match (kind, bytes) {
            (_, None) => Ok(None),
            (Type::BYTEA, Some(bytes)) => Ok(Some(bytes)),
            (kind, Some(_)) => Err(unexpected(column, &kind, "BYTES")),
        }
    }
}

fn unexpected(column: usize, found: &Type, expected: &str) -> Error {
    let found = found.name().to_uppercase();
    wrong(column, &format!("is {found}, expected {expected}"))
}

fn wrong(column: usize, reason: &str) -> Error {
    Error::Value {
        column,
        reason: reason.to_owned(),
    }
}
