//! The client against small agents on the loopback interface.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod agent;
mod discovery;
mod grpc;
mod messages;
mod operations;
mod server;
mod signatures;
mod streams;
