//! The JSON-RPC binding (A2A 1.0 §9) over any HTTP server that speaks `http` types.
//!
//! Whatever is wrong with a request is answered in a JSON-RPC envelope, with HTTP status 200 unless the
//! HTTP request itself is at fault (405, 408, 413, 415). Checks come in this order, and the first that
//! fails is answered: HTTP method, media type, body size, JSON, envelope, method, protocol version,
//! extensions, parameters.

mod endpoint;
mod respond;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;

pub use crate::Options;
pub use endpoint::Endpoint;

use crate::Agent;

/// A router that serves one agent at `path`, with and without a trailing slash. A program that picks
/// the agent by host or path calls [`Endpoint::handle`] from handlers of its own.
pub fn router<A: Agent + 'static>(path: &str, agent: Arc<A>, options: Options) -> Router {
    router_of(path, agent, Endpoint::new(options))
}

/// The same over an endpoint, for agents that have tasks.
pub fn router_of<A: Agent + 'static>(path: &str, agent: Arc<A>, endpoint: Endpoint) -> Router {
    let endpoint = Arc::new(endpoint);
    let handler = any(move |request: Request<Body>| async move {
        endpoint.handle(agent.as_ref(), request).await
    });
    let path = path.trim_end_matches('/');
    let slash = format!("{path}/");
    let router = Router::new().route(&slash, handler.clone());
    if path.is_empty() {
        router
    } else {
        router.route(path, handler)
    }
}
