//! Why the database did not do what it was asked, told apart by what the caller can do about it.

use std::{sync::Arc, time::Duration};

/// What the engine said, kept for the log. Cloned, because one failed commit is told to every
/// caller that shared it.
pub type Source = Arc<dyn std::error::Error + Send + Sync>;

/// Why the database did not do what it was asked.
///
/// No variant's text holds a bound value, so an error can be logged even where personal data was
/// written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another process held the database for too long. Nothing was written; trying again helps.
    #[error("the database is busy with another program's work; try again")]
    Busy {
        /// The engine's words.
        source: Source,
    },
    /// What others wrote at the same time was in the way, each time it was tried. Nothing was written;
    /// trying again helps.
    #[error("the work of others was in the way; try again")]
    Conflict {
        /// The engine's words.
        source: Source,
    },
    /// The disk or a quota is full. Nothing was written; it works again once there is room.
    #[error("the disk of the database is full")]
    Full {
        /// The engine's words.
        source: Source,
    },
    /// The database cannot be opened, read or written. Nothing was acknowledged.
    #[error("the database{} cannot be reached", .path.as_ref().map(|path| format!(" {path}")).unwrap_or_default())]
    Unavailable {
        /// Which database, when it could not be opened.
        path: Option<String>,
        /// The engine's or the file system's words.
        source: Source,
    },
    /// The server does not let this program in, or is not the one that it claims to be: a wrong user or
    /// password, no such database, no TLS or a certificate that nobody vouches for. Trying again does not
    /// help.
    #[error("the database{} cannot be used with these settings", .path.as_ref().map(|path| format!(" {path}")).unwrap_or_default())]
    Denied {
        /// Which database.
        path: Option<String>,
        /// The engine's words.
        source: Source,
    },
    /// A row contradicts a constraint of the schema: unique key, foreign key, `NOT NULL` or
    /// `CHECK`.
    #[error("a row contradicts a constraint of the database")]
    Constraint {
        /// The engine's words.
        source: Source,
    },
    /// The server is too old for this program, or its database was created in a way that cannot be
    /// used.
    #[error("the database cannot be used: {reason}")]
    Unsuitable {
        /// What is wrong and what is needed.
        reason: String,
    },
    /// The file is damaged or is not a database. Restore a backup.
    #[error("the database is damaged or is not a database; restore a backup")]
    Corrupt {
        /// The engine's words.
        source: Source,
    },
    /// A closure given to [`Store::read`](crate::Store::read) tried to write, or the file does not
    /// allow writing.
    #[error("the database may only be read here")]
    ReadOnly {
        /// The engine's words.
        source: Source,
    },
    /// A column does not hold what the code expects.
    #[error("column {column}: {reason}")]
    Value {
        /// Column, from 0.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// The SQL or its number of arguments is wrong: a defect of the program.
    #[error("a statement is wrong")]
    Statement {
        /// The engine's words.
        source: Source,
    },
    /// A migration could not be applied. The ones before it are.
    #[error("migration {name} could not be applied")]
    Migration {
        /// Its name.
        name: &'static str,
        /// What happened.
        source: Box<Error>,
    },
    /// The database knows migrations that this program does not: a newer version wrote it.
    #[error(
        "the database was written by a newer version of this program (unknown: {}); install that version, or restore a backup",
        .unknown.join(", ")
    )]
    NewerSchema {
        /// Names of the migrations that this program does not have.
        unknown: Vec<String>,
    },
    /// The database lacks migrations and cannot be changed here, where it may only be read.
    #[error(
        "the database was written by an older version of this program (missing: {}) and cannot be changed here; start the server or any command that may write to it once",
        .missing.join(", ")
    )]
    OlderSchema {
        /// Names of the migrations that the database does not have.
        missing: Vec<String>,
    },
    /// The closure panicked. What it wrote is undone.
    #[error("the database closure panicked; what it wrote is undone")]
    Panicked,
    /// The store's threads have ended.
    #[error("the database is closed")]
    Closed,
}

impl Error {
    /// Whether the same work may succeed when it is tried again later: another program is in the
    /// way, the server cannot be reached or is taking over from another, the disk is full. Nothing
    /// of it was acknowledged; whether it was written is unknown where the connection was lost during
    /// the commit, so work that must not be done twice carries a key.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Busy { .. }
            | Self::Conflict { .. }
            | Self::Unavailable { .. }
            | Self::Full { .. } => true,
            Self::Migration { source, .. } => source.is_transient(),
            _ => false,
        }
    }

    /// Another program is in the way, in words.
    pub(crate) fn busy(reason: &str) -> Self {
        let source: Box<dyn std::error::Error + Send + Sync> = reason.into();
        Self::Busy {
            source: source.into(),
        }
    }

    /// The database does not answer in time.
    pub(crate) fn late(patience: Duration) -> Self {
        let words = format!("no answer came within {} seconds", patience.as_secs());
        let source: Box<dyn std::error::Error + Send + Sync> = words.into();
        Self::Unavailable {
            path: None,
            source: source.into(),
        }
    }

    /// A defect of the program, in words.
    pub(crate) fn statement(reason: &str) -> Self {
        let source: Box<dyn std::error::Error + Send + Sync> = reason.into();
        Self::Statement {
            source: source.into(),
        }
    }
}
