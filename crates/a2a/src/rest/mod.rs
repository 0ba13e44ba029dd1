//! The HTTP+JSON binding (A2A 1.0 §11): which request means which operation, and how errors are
//! answered. Paths, queries and bodies come in as text and bytes; the connection is somebody else's.
//!
//! A server finds the [`Route`] of a request, has it [read](Route::read) the operation and writes the
//! [outcome](write_outcome) or an [error](write_error); an event of a stream is a
//! [`StreamResponse`](crate::model::StreamResponse) as serde writes it. A client [writes](write()) an
//! operation and reads with [`Outcome::read`](crate::operation::Outcome::read) and [`read_error`]. The
//! routes of 0.3 are found here too; [`v03::rest`](crate::v03::rest) reads and writes their bodies.

mod error;
pub(crate) mod query;
mod read;
mod route;
mod write;

pub(crate) use error::Status;
pub use error::{read_error, write_error, write_error_as};
pub use query::parameter;
pub use route::{NoRoute, Route};
pub use write::{Outgoing, Verb, write, write_outcome};

/// The media type of bodies in 1.0 (A2A 1.0 §11.1).
pub const MEDIA_TYPE: &str = "application/a2a+json";
/// The media type of bodies in 0.3, understood in 1.0 as well.
pub const MEDIA_TYPE_JSON: &str = "application/json";
