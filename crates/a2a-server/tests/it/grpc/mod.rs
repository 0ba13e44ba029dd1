//! The gRPC binding, on the port of the others.

mod calls;
mod errors;
mod peer;
mod port;
mod streams;

use std::sync::Arc;

use a2a::headers::ProtocolVersion;
use a2a_server::serve::ServeOptions;
use a2a_server::{Guard, Handler, Options, grpc, jsonrpc};
use axum::extract::Request;
use axum::response::IntoResponse as _;
use http::StatusCode;

use crate::start::{Server, TestAgent, start_app};
use crate::tasks::Bench;
pub(crate) use peer::Peer;

/// A server of both packages, and of JSON-RPC at `/a2a`.
struct Site {
    server: Server,
    bench: Bench,
}

impl Site {
    fn new() -> Self {
        Self::with(both_versions())
    }

    fn with(options: Options) -> Self {
        let bench = Bench::new();
        let endpoint = grpc::Endpoint::with_handler(options.clone(), bench.handler.clone());
        let json_rpc = jsonrpc::Endpoint::with_handler(options, bench.handler.clone());
        let agent = Arc::clone(&bench.agent);
        let app = jsonrpc::router_of("/a2a", Arc::clone(&agent), json_rpc)
            .merge(grpc::router_of(agent, endpoint))
            .fallback(async |request: Request| {
                let refusal = grpc::unimplemented(request.headers());
                refusal.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
            });
        let server = start_app(app, Arc::default(), ServeOptions::default());
        Self { server, bench }
    }

    /// A client of 1.0.
    fn peer(&self) -> Peer {
        Peer::new(self.server.address, ProtocolVersion::V1_0)
    }

    /// A client of 0.3.
    fn old_peer(&self) -> Peer {
        Peer::new(self.server.address, ProtocolVersion::V0_3)
    }
}

/// A server of an agent that has no tasks, behind a guard.
fn direct(options: Options, guard: Guard) -> Server {
    let agent = Arc::new(TestAgent::default());
    let endpoint = grpc::Endpoint::with_handler(options, Handler::direct()).with_guard(guard);
    let app = grpc::router_of(Arc::clone(&agent), endpoint);
    start_app(app, agent, ServeOptions::default())
}

fn both_versions() -> Options {
    let mut options = Options::default();
    options.supported_versions = vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    options
}
