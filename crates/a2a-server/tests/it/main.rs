//! A real listener, driven with bytes as a peer sends them.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod bindings;
mod callers;
mod card;
mod client;
mod envelope;
mod grpc;
mod http;
mod issuers;
mod serving;
mod start;
mod tasks;
mod tls;
mod versions;
