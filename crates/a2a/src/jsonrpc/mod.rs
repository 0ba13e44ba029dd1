//! The JSON-RPC 2.0 envelope (A2A 1.0 §9): requests and answers as bytes. No body causes a panic or a
//! deep recursion, however it is built.

mod depth;
mod id;
mod request;
mod response;

pub(crate) use request::read_body;

pub use id::{Id, NotAnId};
pub use request::{Refusal, Request, parse_request, write_request};
pub use response::{BadResponse, Response, read_response, write_error, write_response};
