//! The JSON-RPC binding of 0.3, also the body of its push notifications: objects are told apart by
//! `kind`, and results stand on their own (A2A 0.3 §6, §7).
//!
//! A server [reads](read()) an operation and writes an [`Answer`] or [`Event`]s; a client
//! [writes](write()) an operation and reads with [`read_outcome`] and [`read_event`]. Envelope, ids and
//! errors are those of [`jsonrpc`](crate::jsonrpc).

mod answer;
mod object;
mod params;
mod part;

use part::Part;

pub use answer::{Answer, Event, read_event, read_outcome};
pub use params::{read, write};
