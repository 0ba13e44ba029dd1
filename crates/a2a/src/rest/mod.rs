//! The HTTP+JSON binding (A2A 1.0 §11): which request means which operation, and how errors are
//! answered. Paths, queries and bodies come in as text and bytes; the connection is somebody else's.
//!
//! A server finds the [`Route`] of a request and has it [read](Route::read) the operation. A client
//! [writes](write) an operation. The routes of 0.3 are found here too.

mod error;
pub(crate) mod query;
mod read;
mod route;
mod write;

pub use error::{read_error, write_error};
pub use route::{NoRoute, Route};
pub use write::{Outgoing, Verb, write};

/// The media type of bodies in 1.0 (A2A 1.0 §11.1).
pub const MEDIA_TYPE: &str = "application/a2a+json";
/// The media type of bodies in 0.3, understood in 1.0 as well.
pub const MEDIA_TYPE_JSON: &str = "application/json";
