//! PostgreSQL's error codes as the door's errors.

use std::{sync::Arc, time::Duration};

use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::{Error, error::Source};

/// What the server or the network said. It repeats no bound value: what the server tells of rows
/// stands in the detail of its message, which is left out.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Said(pub(super) String);

/// Nothing came back for so long.
#[derive(Debug, thiserror::Error)]
#[error("the server did not answer within {} seconds", .0.as_secs())]
struct Silence(Duration);

/// The error of an exchange that took too long.
pub(super) fn silent(waited: Duration) -> Error {
    Error::Unavailable {
        path: None,
        source: Arc::new(Silence(waited)),
    }
}

/// Whether the server was there and said nothing, rather than that a connection was lost.
pub(super) fn is_silence(error: &Error) -> bool {
    let Error::Unavailable { source, .. } = error else {
        return false;
    };
    source.is::<Silence>()
}

/// Sorts an error of the engine by what the caller can do about it.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands errors over")]
pub(super) fn sort(error: tokio_postgres::Error) -> Error {
    match error.as_db_error() {
        Some(refusal) => refused(refusal),
        None => {
            let cause = std::error::Error::source(&error);
            let cause = cause.map(|cause| format!(": {cause}"));
            let said = format!("{error}{}", cause.unwrap_or_default());
            let source = Arc::new(Said(said));
            match is_distrust(&error) {
                true => Error::Denied { path: None, source },
                false => Error::Unavailable { path: None, source },
            }
        }
    }
}

/// Whether no TLS that can be trusted comes about, rather than that the connection broke meanwhile.
fn is_distrust(error: &tokio_postgres::Error) -> bool {
    // The driver has no other sign of it than its words.
    if !error.to_string().contains("TLS") {
        return false;
    }
    let cause = std::error::Error::source(error);
    match cause.and_then(|cause| cause.downcast_ref::<std::io::Error>()) {
        None => true,
        Some(broken) => matches!(
            broken.kind(),
            std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput
        ),
    }
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn refused(refusal: &DbError) -> Error {
    let source: Source = Arc::new(said(refusal));
    match refusal.code().code() {
        "40001" | "40P01" | "55P03" => Error::Conflict { source },
        // A statement that took too long, or somebody ended it.
        "57014" => Error::Busy { source },
        "53100" => Error::Full { source },
        "25006" => Error::ReadOnly { source },
        "XX001" | "XX002" => Error::Corrupt { source },
        // No such database.
        "3D000" => Error::Denied { path: None, source },
        // The number of arguments is wrong. A pooler that has no server says the same as it hangs up.
        "08P01" if !is_end(refusal) => Error::Statement { source },
        code => match &code[..2.min(code.len())] {
            "23" => Error::Constraint { source },
            // Not let in.
            "28" => Error::Denied { path: None, source },
            // No connection, no room for one more, shutting down, starting.
            "08" | "53" | "57" | "58" => Error::Unavailable { path: None, source },
            _ => Error::Statement { source },
        },
    }
}

/// Whether the server hangs up after these words.
fn is_end(refusal: &DbError) -> bool {
    matches!(
        refusal.parsed_severity(),
        Some(Severity::Fatal | Severity::Panic)
    )
}

fn said(refusal: &DbError) -> Said {
    let code = refusal.code();
    // Messages about data repeat it.
    let is_about_data = code.code().starts_with("22");
    let message = if is_about_data {
        "a value cannot be used"
    } else {
        refusal.message()
    };
    let table = refusal.table().map(|table| format!(" of {table}"));
    let place = refusal.constraint().map(|name| format!(" ({name})"));
    Said(format!(
        "{} {message}{}{}",
        code.code(),
        place.unwrap_or_default(),
        table.unwrap_or_default()
    ))
}

/// Whether the server says that there is no transaction that could end.
pub(super) fn is_no_transaction(code: &SqlState) -> bool {
    *code == SqlState::NO_ACTIVE_SQL_TRANSACTION
}
