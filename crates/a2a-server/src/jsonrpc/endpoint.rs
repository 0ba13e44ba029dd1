//! The way of a request from bytes to the agent and back.

use std::net::SocketAddr;

use a2a::error::Error;
use a2a::headers::ProtocolVersion;
use a2a::jsonrpc::{Id, Request, parse_request, write_error, write_response};
use a2a::operation::Operation;
use a2a::v03;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::checks::Named;
use super::{Options, body, checks, respond};
use crate::task::StreamEvent;
use crate::{Agent, Call, Handler, Reply, bearer, sse};

/// Serves agents over JSON-RPC. It holds no agent, so that one endpoint can serve whichever agent a
/// request is for.
#[derive(Debug)]
pub struct Endpoint {
    options: Options,
    handler: Handler,
}

impl Endpoint {
    /// An endpoint for agents that answer directly; it judges requests by `options`.
    #[must_use]
    pub const fn new(options: Options) -> Self {
        Self::with_handler(options, Handler::direct())
    }

    /// An endpoint that has operations carried out by `handler`.
    #[must_use]
    pub const fn with_handler(options: Options, handler: Handler) -> Self {
        Self { options, handler }
    }

    /// Answers one request for `agent`.
    pub async fn handle<A: Agent>(
        &self,
        agent: &A,
        request: http::Request<Body>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
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
        match parse_request(&body, self.options.depth_limit) {
            Ok(request) => self.call(agent, &head, &request).await,
            Err(refusal) => respond::json(write_error(&refusal.id, &refusal.error)),
        }
    }

    /// Judges what the envelope asks for and has it carried out.
    async fn call<A: Agent>(&self, agent: &A, head: &Parts, request: &Request<'_>) -> Response {
        let (named, version, extensions) = match self.admit(head, &request.method) {
            Ok(admitted) => admitted,
            Err(error) => return respond::json(write_error(&request.id, &error)),
        };
        let activated = self.activated(&extensions);
        let call = Call::new(version)
            .with_extensions(extensions)
            .with_peer(peer(head))
            .with_bearer(bearer(&head.headers).map(str::to_owned))
            .with_host(host(head))
            .with_last_event_id(sse::last_event_id(&head.headers));
        let operation = match named {
            Named::V1_0(method) => Operation::read(method, request.params),
            Named::V0_3(method) => v03::jsonrpc::read(method, request.params),
        };
        let reply = match operation {
            Ok(operation) => self.handler.call(agent, operation, call).await,
            Err(error) => Err(error),
        };
        let mut response = match (reply, named) {
            (Ok(Reply::Once(outcome)), Named::V1_0(_)) => {
                respond::json(write_response(&request.id, &outcome))
            }
            (Ok(Reply::Once(outcome)), Named::V0_3(_)) => {
                match v03::jsonrpc::Answer::try_from(*outcome) {
                    Ok(answer) => respond::json(write_response(&request.id, &answer)),
                    Err(error) => respond::json(write_error(&request.id, &error)),
                }
            }
            (Ok(Reply::Stream(stream)), _) => {
                let id = request.id.clone();
                sse::response(stream, move |event| write_event(&id, named, event))
            }
            (Err(error), _) => respond::json(write_error(&request.id, &error)),
        };
        if let Some(activated) = activated {
            let name = match named {
                Named::V1_0(_) => HeaderName::from_static("a2a-extensions"),
                Named::V0_3(_) => HeaderName::from_static("x-a2a-extensions"),
            };
            response.headers_mut().insert(name, activated);
        }
        response
    }

    /// Method, version and extensions of a request that is served.
    fn admit(
        &self,
        head: &Parts,
        method: &str,
    ) -> Result<(Named, ProtocolVersion, Vec<String>), Error> {
        let named = Named::of(method, &self.options)?;
        self.handler.offers(named.method())?;
        let version = named.version(head, &self.options)?;
        let extensions = checks::extensions(&head.headers, &self.options)?;
        Ok((named, version, extensions))
    }

    /// The value of the answer's `A2A-Extensions`.
    fn activated(&self, asked: &[String]) -> Option<HeaderValue> {
        let activated = checks::activated(asked, &self.options)?;
        // What came in a header fits into one.
        HeaderValue::try_from(activated).ok()
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

fn peer(head: &Parts) -> Option<SocketAddr> {
    let info = head.extensions.get::<ConnectInfo<SocketAddr>>();
    info.map(|info| info.0)
}

/// From the target, where HTTP/2 and requests to a proxy have it, else from the header (RFC 9112
/// §3.2.2).
fn host(head: &Parts) -> Option<String> {
    let authority = head.uri.authority().map(http::uri::Authority::as_str);
    let header = || head.headers.get(header::HOST)?.to_str().ok();
    authority.or_else(header).map(str::to_owned)
}
