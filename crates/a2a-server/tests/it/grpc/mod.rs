//! The gRPC binding, on the port of the others.

mod calls;
mod errors;
mod peer;
mod port;
mod streams;

use std::sync::Arc;

use a2a::headers::ProtocolVersion;
use a2a_server::serve::ServeOptions;
use a2a_server::{Guard, Handler, Options, grpc};

use crate::bindings::{Site, both_versions};
use crate::start::{Server, TestAgent, start_app};
pub(crate) use peer::Peer;

impl Site {
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
