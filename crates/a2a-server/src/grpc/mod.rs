//! The gRPC binding (A2A 1.0 §10), for 1.0 (`lf.a2a.v1.A2AService`) and for 0.3 (`a2a.v1.A2AService`), with
//! server reflection and health.
//!
//! It is served on the port of the other bindings: [`router`] is merged into theirs, and what nobody serves
//! goes to the one fallback of the program, which asks [`unimplemented`] first. In clear text, peers speak
//! HTTP/2 without an upgrade.
//!
//! The package of a call tells its version; one to the package of 1.0 has to say so as well, in the metadata
//! `a2a-version`. Checks come in the order of [`jsonrpc`](crate::jsonrpc): operation, version, extensions,
//! parameters. Errors carry their details in `grpc-status-details-bin`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use a2a::error::Error;
//! use a2a::model::Message;
//! use a2a_server::{Agent, Answer, Handler, Turn, grpc, jsonrpc};
//! use axum::extract::Request;
//! use axum::response::IntoResponse;
//! use http::StatusCode;
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
//! let agent = Arc::new(Echo);
//! let options = jsonrpc::Options::default();
//! let app = jsonrpc::router("/a2a", Arc::clone(&agent), options.clone())
//!     .merge(grpc::router(agent, options, Handler::direct()))
//!     .fallback(async |request: Request| {
//!         let refusal = grpc::unimplemented(request.headers());
//!         refusal.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
//!     });
//! # let _: axum::Router = app;
//! ```

mod binding;
mod generated;
mod status;
mod v0_3;
mod v1;

use std::sync::Arc;

use a2a::headers::ProtocolVersion;
use a2a::protobuf::FILE_DESCRIPTOR_SET;
use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use futures_util::FutureExt as _;
use http::{HeaderMap, header};
use tonic::Status;
use tonic::service::{Routes, RoutesBuilder};
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::server::{HealthReporter, HealthService};

use crate::jsonrpc::Options;
use crate::{Agent, Handler};
use binding::{Binding, Host};
use generated::{v0_3 as service_0_3, v1 as service_1_0};

/// A router that serves one agent over gRPC, in the versions that `options` names. It has no fallback.
pub fn router<A: Agent + 'static>(agent: Arc<A>, options: Options, handler: Handler) -> Router {
    let limit = options.body_limit;
    let serves = |version| options.supported_versions.contains(&version);
    let (serves_1_0, serves_0_3) = (serves(ProtocolVersion::V1_0), serves(ProtocolVersion::V0_3));
    let binding = Binding::new(agent, options, handler);
    let mut routes = Routes::builder();
    let mut names = Vec::new();
    if serves_1_0 {
        use service_1_0::a2a_service_server::{A2aServiceServer, SERVICE_NAME};
        let service = A2aServiceServer::new(v1::Service::new(binding.clone()));
        routes.add_service(service.max_decoding_message_size(limit));
        names.push(SERVICE_NAME);
    }
    if serves_0_3 {
        use service_0_3::a2a_service_server::{A2aServiceServer, SERVICE_NAME};
        let service = A2aServiceServer::new(v0_3::Service::new(binding));
        routes.add_service(service.max_decoding_message_size(limit));
        names.push(SERVICE_NAME);
    }
    routes.add_service(health(&names));
    reflect(&mut routes, &names);
    // tonic's own fallback would answer every request of the program that nobody serves.
    let router = routes.routes().into_axum_router().reset_fallback();
    router.layer(axum::middleware::map_request(|mut request: Request| {
        // What tonic hands to a service lacks the address that the call was sent to.
        if let Some(host) = Host::of(&request) {
            request.extensions_mut().insert(host);
        }
        std::future::ready(request)
    }))
}

/// The answer to a gRPC call of a service that is not served; `None` for any other request.
#[must_use]
pub fn unimplemented(headers: &HeaderMap) -> Option<Response> {
    let media_type = headers.get(header::CONTENT_TYPE)?.as_bytes();
    let is_grpc = media_type.starts_with(b"application/grpc");
    is_grpc.then(|| Status::unimplemented("there is no such service").into_http())
}

/// Says that the services are up, as long as the process answers at all (gRPC health checking protocol).
fn health(names: &[&'static str]) -> HealthServer<impl Health> {
    let reporter = HealthReporter::new();
    for name in names {
        // Nobody else has the reporter, so that nothing is waited for.
        let _ = reporter
            .set_service_status(name, ServingStatus::Serving)
            .now_or_never();
    }
    HealthServer::new(HealthService::from_health_reporter(reporter))
}

/// Lets clients ask for the definition of the services, by both names of the reflection protocol.
fn reflect(routes: &mut RoutesBuilder, names: &[&'static str]) {
    let builder = || {
        let builder = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .with_service_name("grpc.health.v1.Health");
        let names = names.iter();
        names.fold(builder, |builder, name| builder.with_service_name(*name))
    };
    let built = builder()
        .build_v1()
        .and_then(|v1| Ok((v1, builder().build_v1alpha()?)));
    match built {
        Ok((v1, v1alpha)) => {
            routes.add_service(v1);
            routes.add_service(v1alpha);
        }
        Err(error) => tracing::error!(%error, "gRPC reflection is off"),
    }
}
