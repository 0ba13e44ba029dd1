//! The gRPC binding (A2A 1.0 §10), for 1.0 (`lf.a2a.v1.A2AService`) and for 0.3 (`a2a.v1.A2AService`), with
//! server reflection and health.
//!
//! It is served on the port of the other bindings: [`router_of`] is merged into theirs, and what nobody serves
//! goes to the one fallback of the program, which asks [`unimplemented()`] first. In clear text, peers speak
//! HTTP/2 without an upgrade.
//!
//! The package of a call tells its version; one to the package of 1.0 has to say so as well, in the metadata
//! `a2a-version`. Checks come in this order: guard, message, operation, version, extensions, parameters.
//! Errors carry their details in `grpc-status-details-bin`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use a2a::error::Error;
//! use a2a::model::Message;
//! use a2a_server::{Agent, Answer, Handler, Options, Turn, grpc, jsonrpc};
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
//! let endpoint = grpc::Endpoint::with_handler(Options::default(), Handler::direct());
//! let app = jsonrpc::router("/a2a", Arc::clone(&agent), Options::default())
//!     .merge(grpc::router_of(agent, endpoint))
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
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt as _;
use http::{HeaderMap, header};
use tonic::Status;
use tonic::service::{Routes, RoutesBuilder};
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::server::{HealthReporter, HealthService};

use crate::{Agent, Guard, Handler, Options};
use binding::Binding;
use generated::{v0_3 as service_0_3, v1 as service_1_0};
use status::status;

/// Serves agents over gRPC.
#[derive(Debug, Clone)]
pub struct Endpoint {
    options: Options,
    handler: Handler,
    guard: Guard,
}

impl Endpoint {
    /// An endpoint that has operations carried out by `handler` and judges calls by `options`; how deeply
    /// messages may nest is not among what counts of them.
    #[must_use]
    pub fn with_handler(options: Options, handler: Handler) -> Self {
        Self {
            options,
            handler,
            guard: Guard::default(),
        }
    }

    /// The same endpoint behind a guard. It does not stand before reflection and health.
    #[must_use]
    pub fn with_guard(mut self, guard: Guard) -> Self {
        self.guard = guard;
        self
    }

    fn serves(&self, version: ProtocolVersion) -> bool {
        self.options.supported_versions.contains(&version)
    }
}

/// A router that serves one agent, in the packages of the versions that the endpoint supports. It has no
/// fallback.
pub fn router_of<A: Agent + 'static>(agent: Arc<A>, endpoint: Endpoint) -> Router {
    let limit = endpoint.options.body_limit;
    let guard = endpoint.guard.clone();
    let serves = [ProtocolVersion::V1_0, ProtocolVersion::V0_3].map(|it| endpoint.serves(it));
    let [serves_1_0, serves_0_3] = serves;
    let binding = Binding::new(agent, endpoint);
    let mut services = Routes::builder();
    let mut names = vec!["grpc.health.v1.Health"];
    if serves_1_0 {
        use service_1_0::a2a_service_server::{A2aServiceServer, SERVICE_NAME};
        let service = A2aServiceServer::new(v1::Service::new(binding.clone()));
        services.add_service(service.max_decoding_message_size(limit));
        names.push(SERVICE_NAME);
    }
    if serves_0_3 {
        use service_0_3::a2a_service_server::{A2aServiceServer, SERVICE_NAME};
        let service = A2aServiceServer::new(v0_3::Service::new(binding));
        services.add_service(service.max_decoding_message_size(limit));
        names.push(SERVICE_NAME);
    }
    let guarded = axum::middleware::from_fn(move |request: Request, next: Next| {
        let guard = guard.clone();
        async move { admit(&guard, request, next).await }
    });
    let mut about = Routes::builder();
    about.add_service(health(&names));
    reflect(&mut about, &names);
    // tonic's own fallback would answer every request of the program that nobody serves.
    let router = |routes: RoutesBuilder| routes.routes().into_axum_router().reset_fallback();
    router(services).layer(guarded).merge(router(about))
}

/// Lets a call go on that the guard lets pass, with what tonic does not hand to a service.
async fn admit(guard: &Guard, mut request: Request, next: Next) -> Response {
    let admitted = guard.admit(request.headers(), None).await;
    match admitted {
        Ok(admitted) => {
            let uri = request.uri().clone();
            let extensions = request.extensions_mut();
            extensions.insert(uri);
            extensions.insert(Arc::new(admitted));
            next.run(request).await
        }
        Err(refusal) => {
            let response = status(&refusal.error).into_http();
            refusal.complete(response)
        }
    }
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
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET);
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
