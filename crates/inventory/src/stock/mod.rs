//! The stock in the database: what each feed run published, changed and withdrew.
//!
//! A feed file is the whole stock of its feed. [`apply()`] compares it with what the database holds,
//! withdraws what is missing and writes the history; a file that cannot be right leaves everything
//! as the last good one left it. [`load()`] reads the published units for a
//! [`Snapshot`](crate::snapshot::Snapshot).
//!
//! A unit belongs to the feed that last contained it, and only that feed withdraws it.

mod apply;
mod attention;
mod list;
mod load;
mod schema;
mod unit;
mod write;

pub use apply::{Offer, PriceDifference, Run, RunOutcome, apply};
pub use attention::{Attention, AttentionKind, attention, expect_feeds};
pub use list::{
    HistoryEntry, HistoryEvent, RunRecord, RunState, StockedUnit, history, runs, vehicles,
};
pub use load::{Stock, load, version};
pub use schema::MIGRATIONS;

/// Why the stock could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A vehicle could not be written as JSON or read back from it.
    #[error("the record of unit {unit} cannot be converted")]
    Record {
        /// The unit: `vin:…`, `stock:…` or `id:…`.
        unit: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}
