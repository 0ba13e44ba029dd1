//! The analyst against files, questions and figures that others made.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod feeds;
mod questions;
mod real_catalogs;
