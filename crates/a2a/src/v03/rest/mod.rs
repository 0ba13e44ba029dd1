//! The HTTP+JSON binding of 0.3: paths below `/v1`, bodies in the JSON of the protocol buffers `a2a.v1`
//! (A2A 0.3 §3.5.3), which is another form than that of its JSON-RPC.
//!
//! A server finds the [`Route`](crate::rest::Route), [reads](read()) the operation and writes an
//! [`Answer`] or [`Event`]s; a client [writes](write()) an operation and reads with [`read_outcome`] and
//! [`read_event`]. [Errors](write_error) are read by [`rest::read_error`](crate::rest::read_error).
//!
//! `blocking` cannot be told from absent here: a configuration without it does not block, and a request
//! without a configuration does. Beside what any form of 0.3 loses, this one has no place for
//! `referenceTaskIds`.

mod answer;
mod error;
mod object;
mod part;
mod request;

use part::Part;

pub use answer::{Answer, Event, read_event, read_outcome};
pub use error::write_error;
pub use request::{read, write};
