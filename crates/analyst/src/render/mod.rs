//! Findings as text, JSON, CSV and A2UI.
//!
//! Every rendering takes its numbers and dates from [`format`], so that an amount reads the same
//! wherever it stands.

pub mod a2ui;
mod csv;
pub mod format;
mod json;
mod text;

pub use csv::csv;
pub use json::{evidence, finding};
pub use text::text;

/// How many rows of the grid a text shows; the [CSV](csv()) has all of them.
pub const TEXT_ROWS: usize = 10;

#[cfg(test)]
mod tests;
