//! One door to the database.

mod clock;
mod conn;

pub use clock::Clock;
pub use conn::{Conn, Row, Value};

/// Why the database did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A column does not hold what the code expects.
    #[error("column {column}: {reason}")]
    Value {
        /// Column, from 0.
        column: usize,
        /// What is wrong.
        reason: String,
    },
}
