//! The bindings beside each other: the same operations come to the same on each of them, in each version.

mod edges;
mod equivalence;
mod faithful;
mod negotiation;
mod wire;

use std::sync::Arc;

use a2a::headers::ProtocolVersion;
use a2a_server::serve::ServeOptions;
use a2a_server::{Guard, Handler, Options, grpc, jsonrpc, rest};
use axum::extract::Request;
use axum::response::IntoResponse as _;
use http::StatusCode;

use crate::client::{Reply, bare, exchange, post};
use crate::start::{Server, start_app};
use crate::tasks::{Bench, Scripted};
pub(crate) use wire::{Binding, Wire};

/// An agent with tasks, served over every binding, by those over HTTP at `/a2a`.
pub(crate) struct Site {
    pub(crate) server: Server,
    pub(crate) bench: Bench,
}

impl Site {
    pub(crate) fn new() -> Self {
        Self::with(both_versions())
    }

    fn with(options: Options) -> Self {
        let bench = Bench::new();
        let handler = bench.handler.clone();
        Self::over(bench, options, handler, &Guard::default())
    }

    pub(crate) fn over(bench: Bench, options: Options, handler: Handler, guard: &Guard) -> Self {
        let agent: Arc<Scripted> = Arc::clone(&bench.agent);
        let endpoint = jsonrpc::Endpoint::with_handler(options.clone(), handler.clone());
        let endpoint = endpoint.with_guard(guard.clone());
        let app = jsonrpc::router_of("/a2a", Arc::clone(&agent), endpoint);
        let endpoint = rest::Endpoint::with_handler(options.clone(), handler.clone());
        let endpoint = endpoint.with_guard(guard.clone());
        let app = app.merge(rest::router_of("/a2a", Arc::clone(&agent), endpoint));
        let endpoint = grpc::Endpoint::with_handler(options, handler).with_guard(guard.clone());
        let app = app.merge(grpc::router_of(agent, endpoint));
        let app = app.fallback(async |request: Request| {
            let refusal = grpc::unimplemented(request.headers());
            refusal.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
        });
        let server = start_app(app, Arc::default(), ServeOptions::default());
        Self { server, bench }
    }

    /// Every binding in every version.
    pub(crate) fn wires(&self) -> Vec<Wire> {
        let versions = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];
        let bindings = [Binding::JsonRpc, Binding::HttpJson, Binding::Grpc];
        let both = versions.iter().flat_map(|version| {
            let wire = |binding| Wire::new(self.server.address, binding, *version);
            bindings.map(wire)
        });
        both.collect()
    }

    async fn post(&self, target: &str, headers: &[&str], body: &str) -> Reply {
        exchange(self.server.address, &post(target, headers, body)).await
    }

    async fn ask(&self, verb: &str, target: &str, headers: &[&str]) -> Reply {
        exchange(self.server.address, &bare(verb, target, headers)).await
    }
}

pub(crate) fn both_versions() -> Options {
    let mut options = Options::default();
    options.supported_versions = vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    options
}

/// The body of `message:send` in 1.0, with one part.
fn message(part: &str) -> String {
    format!(r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{part}]}}}}"#)
}

/// The reason in the details of an error over HTTP+JSON.
fn reason(reply: &Reply) -> String {
    let details = &reply.json()["error"]["details"];
    let reason = details[0]["reason"].as_str();
    reason
        .unwrap_or_else(|| panic!("no reason: {reply:?}"))
        .to_owned()
}
