//! Where a database is, as people write it.

use std::{fmt, path::PathBuf};

use crate::PostgresUrl;

/// Where a database is: a SQLite file, or a PostgreSQL server.
///
/// ```
/// use store::Address;
///
/// let address = Address::parse("postgres://forecourt:secret@db1,db2:5433/forecourt")?;
/// assert_eq!(address.to_string(), "postgres://db1,db2:5433/forecourt");
/// assert_eq!(Address::parse("sqlite:/srv/forecourt.sqlite")?.to_string(), "sqlite:/srv/forecourt.sqlite");
/// # Ok::<(), store::BadAddress>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(PostgresUrl),
}

/// Why a text names no database. It repeats nothing of the text, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// Neither of the forms that are understood.
    #[error(
        "the address of a database begins with postgres:// or postgresql:// (a server), or with sqlite: (a file)"
    )]
    Form,
    /// `sqlite:` without a file.
    #[error("after sqlite: comes the path of the file")]
    NoPath,
    /// A PostgreSQL URL without the name of a database.
    #[error(
        "the address of a PostgreSQL database ends with its name: postgres://USER@HOST/DATABASE"
    )]
    NoDatabase,
    /// A PostgreSQL URL that cannot be read, or asks for what is not known.
    #[error("the address of a PostgreSQL database cannot be used: {reason}")]
    Postgres {
        /// What is wrong with it.
        reason: String,
    },
}

impl Address {
    /// Reads `postgres://…`, `postgresql://…` or `sqlite:PATH`.
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return PostgresUrl::parse(text).map(Self::Postgres);
        }
        match text.strip_prefix("sqlite:") {
            Some("") => Err(BadAddress::NoPath),
            Some(path) => Ok(Self::Sqlite(path.into())),
            None => Err(BadAddress::Form),
        }
    }
}

/// As [`Address::parse`] reads it, without user and password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => write!(f, "{url}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, BadAddress};

    #[test]
    fn passwords_are_not_shown() {
        for text in [
            "postgres://ada:se/cr?et@db/cars",
            "postgresql://ada:secret@[::1]:5432,db2/cars?password=secret&sslmode=require",
            "postgres:///cars?host=/run/postgresql&password=secret",
        ] {
            let address = Address::parse(text).unwrap();
            for shown in [format!("{address}"), format!("{address:?}")] {
                assert!(!shown.contains("cr") && shown.contains("/cars"), "{shown}");
            }
        }
    }

    #[test]
    fn what_names_no_database_is_refused() {
        for (text, why) in [
            ("", BadAddress::Form),
            ("/srv/forecourt.sqlite", BadAddress::Form),
            ("mysql://db/cars", BadAddress::Form),
            ("sqlite:", BadAddress::NoPath),
            ("postgres://db", BadAddress::NoDatabase),
            (
                "postgres://ada:a@db/?sslmode=disable",
                BadAddress::NoDatabase,
            ),
            (
                "postgres://ada:a@db/cars?sslcert=a",
                BadAddress::Postgres {
                    reason: "unknown option `sslcert`".to_owned(),
                },
            ),
        ] {
            assert_eq!(Address::parse(text), Err(why), "{text}");
        }
    }
}
