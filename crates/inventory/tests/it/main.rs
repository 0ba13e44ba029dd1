//! The crate as its callers see it: feed files in, stock and snapshots out.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod attention;
mod doubt;
mod lot;
mod month;
mod stock;
mod upgrade;
mod word;
