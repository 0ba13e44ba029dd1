//! The protocol as a peer sees it: bytes in, bytes out.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod card;
mod error;
mod fold;
mod generate;
mod jsonrpc;
#[cfg(feature = "protobuf")]
mod protobuf;
mod reading;
mod rest;
mod round_trip;
#[cfg(feature = "signing")]
mod signing;
mod v03;
mod writing;

use serde_json::value::RawValue;

/// A JSON text as the crate takes it.
fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}
