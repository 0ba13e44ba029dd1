//! How a file was read, or why it was not.

/// How large a file may be. Beyond it, the file is refused and the answer says so.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: usize,
    /// Rows of data.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 32 << 20,
            rows: 2_000_000,
            columns: 500,
        }
    }
}

/// How a file was read and what was wrong with it, for the evidence of an answer.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Reading {
    /// Rows that were left out, and why; each with its line in the file.
    pub skipped: Vec<(u64, String)>,
    /// What a reader of the answer should know of the file: "2 rows are shorter than the header".
    pub remarks: Vec<String>,
}

/// Why a file's rows cannot be part of an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// No byte, or nothing but blank lines.
    #[error("it is empty")]
    Empty,
}
