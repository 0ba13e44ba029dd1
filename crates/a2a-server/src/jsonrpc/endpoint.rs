//! The way of a request from bytes to the agent and back.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;

use a2a::error::Error;
use a2a::headers::ProtocolVersion;
use a2a::jsonrpc::{Request, parse_request, write_error, write_response};
use a2a::method::Method;
use a2a::model::{SendMessageResponse, read_params};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use futures_util::FutureExt as _;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};

use super::{Options, body, checks, respond};
use crate::{Agent, Call, bearer};

/// Serves agents over JSON-RPC. It holds no agent, so that one endpoint can serve whichever agent a
/// request is for.
#[derive(Debug)]
pub struct Endpoint {
    options: Options,
}

impl Endpoint {
    /// An endpoint that judges requests by `options`.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options }
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

    /// Judges what the envelope asks for and hands it to the agent.
    async fn call<A: Agent>(&self, agent: &A, head: &Parts, request: &Request<'_>) -> Response {
        let (version, extensions) = match self.admit(head, &request.method) {
            Ok(admitted) => admitted,
            Err(error) => return respond::json(write_error(&request.id, &error)),
        };
        let activated = self.activated(&extensions);
        let call = Call::new(version)
            .with_extensions(extensions)
            .with_peer(peer(head))
            .with_bearer(bearer(&head.headers).map(str::to_owned))
            .with_host(host(head));
        let answer = match send_message(agent, request, call).await {
            Ok(result) => write_response(&request.id, &result),
            Err(error) => write_error(&request.id, &error),
        };
        let mut response = respond::json(answer);
        if let Some(activated) = activated {
            response.headers_mut().insert("a2a-extensions", activated);
        }
        response
    }

    /// The version and the extensions of a request whose method is served.
    fn admit(&self, head: &Parts, method: &str) -> Result<(ProtocolVersion, Vec<String>), Error> {
        checks::method(method, &self.options)?;
        let version = checks::version(head, &self.options)?;
        let extensions = checks::extensions(&head.headers, &self.options)?;
        Ok((version, extensions))
    }

    /// The value of the answer's `A2A-Extensions`.
    fn activated(&self, asked: &[String]) -> Option<HeaderValue> {
        let known = |uri: &&String| {
            self.options.extensions.contains(uri) || self.options.required_extensions.contains(uri)
        };
        let activated: Vec<&str> = asked.iter().filter(known).map(String::as_str).collect();
        if activated.is_empty() {
            return None;
        }
        // What came in a header fits into one.
        HeaderValue::try_from(activated.join(", ")).ok()
    }
}

async fn send_message<A: Agent>(
    agent: &A,
    request: &Request<'_>,
    call: Call,
) -> Result<SendMessageResponse, Error> {
    let params = read_params(request.params)?;
    let answer = async { agent.send_message(params, call).await };
    let answer = AssertUnwindSafe(answer).catch_unwind().await;
    answer.unwrap_or_else(|_panic| Err(panicked(Method::SendMessage)))
}

/// The panic itself may hold a caller's data, so it goes neither to the caller nor to the log; the
/// panic hook has told where it happened.
fn panicked(method: Method) -> Error {
    let correlation = correlation_id();
    tracing::error!(correlation, method = method.name(), "the agent panicked");
    Error::internal(format!("internal error; it is logged as {correlation}"))
}

/// Leads from an answer to the log.
fn correlation_id() -> String {
    // Without randomness an answer cannot be told from others, which is better than no answer.
    format!("{:016x}", getrandom::u64().unwrap_or_default())
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
