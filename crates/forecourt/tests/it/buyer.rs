//! The `buyer` commands against mock dealers of several AAP versions.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod answers;
mod discovery;
mod faults;
mod leads;
mod market;
mod mock;
mod preview;
mod requests;
