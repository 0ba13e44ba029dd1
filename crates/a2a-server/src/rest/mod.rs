//! The HTTP+JSON binding (A2A 1.0 §11; A2A 0.3 §3.5.3) over any HTTP server that speaks `http` types.
//!
//! Below an interface's address, paths that begin with `/v1` are those of 0.3, all others those of 1.0,
//! with a tenant in front or without one; [`a2a::rest::Route`] lists them. Whatever is wrong with a request
//! is answered as `google.rpc.Status`, in the media type that the request came in; also when it asked for
//! a stream, as long as none has begun. Checks come in this order, and the first that fails is answered:
//! guard, path, verb, version by path, media type, body size, operation offered, version by header,
//! extensions, JSON, parameters.

mod endpoint;
mod respond;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;

pub use endpoint::Endpoint;

use crate::Agent;

/// A router that serves one agent below `path`. It leaves `path` itself free, so that JSON-RPC may be
/// served there. A program that picks the agent by host or path calls [`Endpoint::handle`] from handlers
/// of its own.
pub fn router_of<A: Agent + 'static>(path: &str, agent: Arc<A>, endpoint: Endpoint) -> Router {
    let endpoint = Arc::new(endpoint);
    let prefix: Arc<str> = Arc::from(path.trim_end_matches('/'));
    let below = format!("{prefix}/{{*below}}");
    let handler = any(move |request: Request<Body>| async move {
        let path = request.uri().path().strip_prefix(&*prefix);
        let path = path.unwrap_or_default().to_owned();
        endpoint.handle(agent.as_ref(), &path, request).await
    });
    Router::new().route(&below, handler)
}
