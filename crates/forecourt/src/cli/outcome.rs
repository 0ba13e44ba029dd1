//! How a command ends: what it prints and its exit status.

use std::{
    fmt::Display,
    io::{ErrorKind, Write},
};

use comfy_table::{ColumnConstraint, ContentArrangement, Table};
use serde::Serialize;
use serde_json::{Value, json};

use super::text::clean_lines;
use crate::explain;

/// Width to which tables are wrapped, in columns of the terminal.
pub const WIDTH: u16 = 100;

/// Exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The input was refused or the work failed.
    Refused = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// The other side cannot be reached.
    Unreachable = 3,
    /// What answered is not a valid agent.
    NotAnAgent = 4,
}

/// A command that did not succeed.
#[derive(Debug)]
pub struct Failure {
    /// Exit status.
    pub exit: Exit,
    /// What went wrong and what to do, for a person.
    pub message: String,
    /// The typed error, printed on standard output under `--json`.
    pub document: Value,
}

impl Failure {
    /// A failure whose typed error is a code and the message.
    #[must_use]
    pub fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let document = json!({ "error": { "code": code, "message": message } });
        Self {
            exit,
            message,
            document,
        }
    }

    /// The command line or the configuration is wrong.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// The work failed.
    #[must_use]
    pub fn refused(code: &str, message: impl Into<String>) -> Self {
        Self::new(Exit::Refused, code, message)
    }

    /// Replaces the typed error.
    #[must_use]
    pub fn with_document(mut self, document: Value) -> Self {
        self.document = document;
        self
    }
}

/// Errors of the data folder, whatever layer tells them.
macro_rules! storage_failures {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::refused("storage", explain(&error))
            }
        })*
    };
}

storage_failures!(
    store::Error,
    inventory::stock::Error,
    leads::Error,
    crate::lot::Error,
);

/// Files that cannot be applied after all, whether of a feed or of a catalog.
macro_rules! accept_failures {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                use $error as Accept;
                let code = match &error {
                    Accept::UnknownRun(_) => "run_not_found",
                    Accept::Applied(_) => "already_applied",
                    Accept::NotKept(_) => "file_not_kept",
                    Accept::Unreadable { .. } => "unreadable",
                    Accept::Newer { .. } => "newer_run",
                    _ => "storage",
                };
                Self::refused(code, explain(&error))
            }
        })*
    };
}

accept_failures!(inventory::intake::AcceptError, catalogs::AcceptError);

impl From<crate::errands::ErrandsError> for Failure {
    fn from(error: crate::errands::ErrandsError) -> Self {
        Self::usage(explain(&error))
    }
}

impl From<crate::app::OpenError> for Failure {
    fn from(error: crate::app::OpenError) -> Self {
        match error {
            crate::app::OpenError::Preview(fault) => Self::usage(fault),
            crate::app::OpenError::Privacy(error) => error.into(),
            error => Self::refused("storage", explain(&error)),
        }
    }
}

impl From<crate::config::privacy::PrivacyError> for Failure {
    fn from(error: crate::config::privacy::PrivacyError) -> Self {
        Self::new(
            Exit::Usage,
            "configuration",
            format!("privacy: {}", explain(&error)),
        )
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::refused("io", explain(&error))
    }
}

impl From<crate::config::ConfigError> for Failure {
    fn from(error: crate::config::ConfigError) -> Self {
        let mut failure = Self::new(Exit::Usage, "configuration", explain(&error));
        if let crate::config::ConfigError::Contradictory { problems, .. } = &error {
            failure.document["error"]["problems"] = json!(problems);
        }
        failure
    }
}

/// Prints one JSON document on standard output.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure::refused("output", error.to_string()))?;
    say(text)
}

/// Prints text and a line end on standard output. A reader that has gone, such as `head`, has seen
/// what it wanted, so that this is no failure.
///
/// # Errors
/// When standard output cannot be written.
pub fn say(text: impl Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::refused(
            "output",
            format!("standard output cannot be written: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Tells a person on standard error, foreign words in it made harmless. Where that is closed there
/// is nobody to tell.
pub fn complain(text: impl Display) {
    let text = clean_lines(&text.to_string());
    let _ = writeln!(std::io::stderr().lock(), "forecourt: {text}");
}

/// A table for people: a header and rows, without frames, wrapped to [`WIDTH`].
#[must_use]
pub fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .set_header(header);
    table
}

/// Keeps columns of a filled table from being wrapped: what is copied from them, such as a VIN,
/// stays in one piece.
pub fn keep_whole(table: &mut Table, columns: &[usize]) {
    for column in columns {
        if let Some(column) = table.column_mut(*column) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
}
