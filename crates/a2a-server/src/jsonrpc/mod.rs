//! The JSON-RPC binding (A2A 1.0 §9) over any HTTP server that speaks `http` types.
//!
//! Whatever is wrong with a request is answered in a JSON-RPC envelope, with HTTP status 200 unless the
//! HTTP request itself is at fault (405, 408, 413, 415). Checks come in this order, and the first that
//! fails is answered: HTTP method, media type, body size, JSON, envelope, method, protocol version,
//! extensions, parameters.

mod body;
pub(crate) mod checks;
mod endpoint;
mod respond;

use std::sync::Arc;

use a2a::headers::ProtocolVersion;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;

pub use endpoint::Endpoint;

use crate::Agent;

/// How an [`Endpoint`] judges requests.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The longest body in bytes; 1 MiB by default.
    pub body_limit: usize,
    /// How deeply arrays and objects of a body may nest; 64 by default.
    pub depth_limit: usize,
    /// What a request without an `A2A-Version` speaks. The specification says 0.3 (A2A 1.0 §3.6), and
    /// so does the default; an extension may say otherwise.
    pub absent_version: ProtocolVersion,
    /// The versions that are served, the preferred one first; 1.0 by default.
    pub supported_versions: Vec<ProtocolVersion>,
    /// Whether versions and extensions are read only from the headers that A2A 1.0 names. Otherwise, and
    /// by default, the query parameter `A2A-Version` counts where its header is missing, and
    /// `X-A2A-Extensions`, the name of 0.3, counts as well.
    pub exact_headers: bool,
    /// URIs of the extensions that every request must ask for; none by default.
    pub required_extensions: Vec<String>,
    /// URIs of the extensions that an answer names as activated when the request asks for them; none
    /// by default.
    pub extensions: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            body_limit: 1024 * 1024,
            depth_limit: 64,
            absent_version: ProtocolVersion::V0_3,
            supported_versions: vec![ProtocolVersion::V1_0],
            exact_headers: false,
            required_extensions: Vec::new(),
            extensions: Vec::new(),
        }
    }
}

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
