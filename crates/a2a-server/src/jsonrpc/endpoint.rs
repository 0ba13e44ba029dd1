//! The way of a request from bytes to the agent and back.

use std::fmt;

use a2a::error::Error;
use a2a::headers::{A2A_VERSION, ProtocolVersion};
use a2a::jsonrpc::{Id, Request, parse_request, write_error, write_response};
use a2a::method::{Method, Method03};
use a2a::operation::{Operation, Outcome};
use a2a::v03;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use serde_json::value::RawValue;

use super::respond;
use crate::auth::Identity;
use crate::task::StreamEvent;
use crate::{Agent, Call, Guard, Handler, Options, Reply, body, checks, serve, sse};

/// Serves agents over JSON-RPC. It holds no agent, so that one endpoint can serve whichever agent a
/// request is for.
#[derive(Debug)]
pub struct Endpoint {
    options: Options,
    handler: Handler,
    guard: Guard,
    rewrite: Option<Rewrite>,
}

/// Makes a body of A2A of one that is nearly so.
struct Rewrite(Box<dyn Fn(Bytes) -> Result<Bytes, Bytes> + Send + Sync>);

impl fmt::Debug for Rewrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rewrite")
    }
}

impl Endpoint {
    /// An endpoint for agents that answer directly; it judges requests by `options`.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::with_handler(options, Handler::direct())
    }

    /// An endpoint that has operations carried out by `handler`.
    #[must_use]
    pub fn with_handler(options: Options, handler: Handler) -> Self {
        Self {
            options,
            handler,
            guard: Guard::default(),
            rewrite: None,
        }
    }

    /// The same endpoint behind a guard.
    #[must_use]
    pub fn with_guard(mut self, guard: Guard) -> Self {
        self.guard = guard;
        self
    }

    /// The same endpoint for a contract that departs from A2A: every body that the guard lets in passes
    /// through `rewrite` before it is read. What that refuses is the answer.
    #[must_use]
    pub fn rewriting<F>(mut self, rewrite: F) -> Self
    where
        F: Fn(Bytes) -> Result<Bytes, Bytes> + Send + Sync + 'static,
    {
        self.rewrite = Some(Rewrite(Box::new(rewrite)));
        self
    }

    /// Answers one request for `agent`.
    pub async fn handle<A: Agent>(
        &self,
        agent: &A,
        request: http::Request<Body>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let admitted = self.guard.admit(&head.headers, head.uri.query()).await;
        let admitted = match admitted {
            Ok(admitted) => admitted,
            Err(refusal) => {
                if refusal.may_wait() {
                    serve::discard(body).await;
                }
                let response = respond::failed(&Id::null(), &refusal.error);
                return refusal.complete(response);
            }
        };
        if head.method != http::Method::POST {
            return respond::method_not_allowed();
        }
        if let Err(error) = checks::media_type(&head.headers) {
            return respond::refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, &error);
        }
        let body = match body::read(&head, body, self.options.body_limit).await {
            Ok(body) => body,
            Err((status, error)) => return respond::refused(status, &error),
        };
        let body = match &self.rewrite {
            None => body,
            Some(rewrite) => match (rewrite.0)(body) {
                Ok(body) => body,
                Err(answer) => return respond::json(answer.to_vec()),
            },
        };
        let mut response = match parse_request(&body, self.options.depth_limit) {
            Ok(request) => self.call(agent, &head, &request, admitted.caller).await,
            Err(refusal) => {
                let notification = refusal.notification.as_deref();
                let fault = notification.and_then(|request| self.fault(&head, request));
                respond::failed(&refusal.id, &fault.unwrap_or(refusal.error))
            }
        };
        self.guard.challenge(&mut response);
        response
    }

    /// Judges what the envelope asks for and has it carried out.
    async fn call<A: Agent>(
        &self,
        agent: &A,
        head: &Parts,
        request: &Request<'_>,
        caller: Option<Identity>,
    ) -> Response {
        let (named, version, extensions) = match self.admit(head, &request.method) {
            Ok(admitted) => admitted,
            Err(error) => return failed(head, request, &error),
        };
        let activated = checks::activated(named.form(), &extensions, &self.options);
        let call = Call::of(head, version, extensions).by(caller);
        let reply = match named.read(request.params) {
            Ok(operation) => self.handler.call(agent, operation, call).await,
            Err(error) => Err(error),
        };
        let mut response = match reply {
            Ok(Reply::Once(outcome)) => answer(&request.id, named, *outcome),
            Ok(Reply::Stream(stream)) => {
                let id = request.id.clone();
                sse::response(stream, move |event| write_event(&id, named, event))
            }
            Err(error) => failed(head, request, &error),
        };
        if let Some((name, value)) = activated {
            response.headers_mut().insert(name, value);
        }
        response
    }

    /// What is wrong with method or parameters of a notification. Where 0.3 is served that is told before
    /// the missing id: JSON-RPC has notifications, and its clients look for their own fault first.
    fn fault(&self, head: &Parts, request: &Request<'_>) -> Option<Error> {
        let served = &self.options.supported_versions;
        if !served.contains(&ProtocolVersion::V0_3) {
            return None;
        }
        let admitted = self.admit(head, &request.method);
        let read = admitted.and_then(|(named, ..)| named.read(request.params));
        read.err()
    }

    /// Method, version and extensions of a request that is served.
    fn admit(
        &self,
        head: &Parts,
        method: &str,
    ) -> Result<(Named, ProtocolVersion, Vec<String>), Error> {
        let named = Named::of(method, &self.options)?;
        self.handler.offers(named.method())?;
        let version = checks::version(named.form(), head, &self.options)?;
        let extensions = checks::extensions(&head.headers, &self.options)?;
        Ok((named, version, extensions))
    }
}

/// A method by the name that its version gives it.
#[derive(Debug, Clone, Copy)]
enum Named {
    V1_0(Method),
    V0_3(Method03),
}

impl Named {
    /// The method of a name, where its version is served.
    fn of(name: &str, options: &Options) -> Result<Self, Error> {
        let served = |version| options.supported_versions.contains(&version);
        if let Some(method) = Method::from_name(name) {
            return Ok(Self::V1_0(method));
        }
        match Method03::from_name(name) {
            Some(method) if served(ProtocolVersion::V0_3) => Ok(Self::V0_3(method)),
            Some(method) => Err(Error::method_of_other_version(
                method,
                &options.supported_versions,
            )),
            None => Err(Error::method_not_found(name)),
        }
    }

    /// The operation that a request by this name asks for.
    fn read(self, params: Option<&RawValue>) -> Result<Operation, Error> {
        match self {
            Self::V1_0(method) => Operation::read(method, params),
            Self::V0_3(method) => v03::jsonrpc::read(method, params),
        }
    }

    fn method(self) -> Method {
        match self {
            Self::V1_0(method) => method,
            Self::V0_3(method) => method.counterpart(),
        }
    }

    /// The version whose name it is.
    fn form(self) -> ProtocolVersion {
        match self {
            Self::V1_0(_) => ProtocolVersion::V1_0,
            Self::V0_3(_) => ProtocolVersion::V0_3,
        }
    }
}

/// An error of a call. Clients of 0.3 that ask for a stream read it nowhere else; they are known by sending
/// no version. All others are told before a stream begins (A2A 1.0 §3.1.2).
fn failed(head: &Parts, request: &Request<'_>, error: &Error) -> Response {
    let response = respond::failed(&request.id, error);
    let old = Method03::from_name(&request.method);
    let reads_streams_alone = old.is_some_and(|method| method.counterpart().streams())
        && checks::accepts(&head.headers, sse::MEDIA_TYPE)
        && !head.headers.contains_key(A2A_VERSION);
    if reads_streams_alone && response.status() == StatusCode::OK {
        sse::one(&write_error(&request.id, error))
    } else {
        response
    }
}

/// An outcome as its version has it.
fn answer(id: &Id, named: Named, outcome: Outcome) -> Response {
    match named {
        Named::V1_0(_) => respond::json(write_response(id, &outcome)),
        Named::V0_3(_) => match v03::jsonrpc::Answer::try_from(outcome) {
            Ok(answer) => respond::json(write_response(id, &answer)),
            Err(error) => respond::failed(id, &error),
        },
    }
}

/// An event of a stream, or the error that ends it, as its version has it.
fn write_event(id: &Id, named: Named, event: Result<&StreamEvent, &Error>) -> Vec<u8> {
    match (event, named) {
        (Ok(event), Named::V1_0(_)) => write_response(id, &event.event),
        (Ok(event), Named::V0_3(_)) => {
            let event = v03::jsonrpc::Event::new(event.event.clone(), event.is_last);
            write_response(id, &event)
        }
        (Err(error), _) => write_error(id, error),
    }
}
