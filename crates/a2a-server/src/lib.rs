//! Serve any [`Agent`] over the Agent2Agent protocol (A2A), 1.0 and 0.3.
//!
//! An agent is a type with one method: a message comes in, and it answers with a message or with work that
//! becomes a task. [`Handler`] does what every binding does with an operation once it has read it; [`task`]
//! runs and keeps the tasks. [`jsonrpc`], [`rest`] and, behind a feature, `grpc` are bindings: they read a
//! request, check version and extensions, and hand a sound operation to the handler. The path of a direct
//! answer touches no task, no queue and no spawn. A [`Guard`] before them finds out who calls, by the card's
//! security schemes ([`auth`]), and turns away at once what there is no room for. [`card`] serves an agent's card,
//! [`serve`] runs a listener with timeouts, limits and a graceful end, over [`tls`] where it is given a
//! certificate.
//!
//! What is not here: what an agent says, and where its callers' credentials come from.
//!
//! Start reading at [`Agent`], then follow a request through [`jsonrpc::Endpoint::handle`] and
//! [`Handler::call`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use a2a::error::Error;
//! use a2a::model::Message;
//! use a2a_server::{Agent, Answer, Turn, jsonrpc, serve};
//!
//! struct Echo;
//!
//! impl Agent for Echo {
//!     async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
//!         let mut answer = Message::agent(format!("re:{}", turn.message.message_id));
//!         answer.parts = turn.message.parts;
//!         Ok(Answer::Message(answer))
//!     }
//! }
//!
//! # let runtime = tokio::runtime::Runtime::new().unwrap();
//! # runtime.block_on(async {
//! let app = jsonrpc::router("/a2a", Arc::new(Echo), jsonrpc::Options::default());
//! let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
//! let stop = async { /* a signal, in a real program */ };
//! serve::serve(listener, app, serve::ServeOptions::default(), stop).await.unwrap();
//! # });
//! ```

mod agent;
pub mod auth;
mod body;
mod call;
pub mod card;
mod checks;
#[cfg(feature = "grpc")]
pub mod grpc;
mod guard;
mod handler;
pub mod jsonrpc;
mod options;
pub mod rest;
pub mod serve;
mod sse;
pub mod task;
pub mod tls;

pub use agent::{Agent, Answer, BoxError, Turn, Work};
pub use call::{Call, Tenant, bearer};
pub use guard::Guard;
pub use handler::{EventStream, Handler, Reply};
pub use options::Options;

/// A status of the protocol's tables, all of which are HTTP's.
fn status(code: u16) -> http::StatusCode {
    http::StatusCode::from_u16(code).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR)
}

/// Leads from an answer to the log.
fn correlation_id() -> String {
    // Without randomness an answer cannot be told from others, which is better than no answer.
    format!("{:016x}", getrandom::u64().unwrap_or_default())
}

/// What is behind an error, from the nearest cause to the first, for the log.
fn causes(error: &dyn std::error::Error) -> Option<String> {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    (!causes.is_empty()).then(|| causes.join(": "))
}

/// An id that nobody can guess: a UUID of version 4 (RFC 9562 §5.4).
fn random_id() -> String {
    let mut bytes = [0; 16];
    // Without randomness nothing can be served safely anyway: TLS and page tokens need it as well.
    let _ = getrandom::fill(&mut bytes);
    uuid::Builder::from_random_bytes(bytes)
        .into_uuid()
        .to_string()
}
