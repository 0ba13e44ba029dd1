//! The way of a request from path and body to the agent and back.

use a2a::error::{Error, ErrorKind};
use a2a::headers::ProtocolVersion;
use a2a::operation::Outcome;
use a2a::rest::{self, NoRoute, Route};
use a2a::v03;
use axum::body::Body;
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;

use super::respond::Form;
use crate::auth::Identity;
use crate::task::StreamEvent;
use crate::{Agent, Call, Guard, Handler, Options, Reply, body, checks, serve, sse};

/// Serves agents over HTTP+JSON. It holds no agent, so that one endpoint can serve whichever agent a
/// request is for.
#[derive(Debug)]
pub struct Endpoint {
    options: Options,
    handler: Handler,
    guard: Guard,
}

impl Endpoint {
    /// An endpoint that has operations carried out by `handler` and judges requests by `options`.
    #[must_use]
    pub fn with_handler(options: Options, handler: Handler) -> Self {
        Self {
            options,
            handler,
            guard: Guard::default(),
        }
    }

    /// The same endpoint behind a guard.
    #[must_use]
    pub fn with_guard(mut self, guard: Guard) -> Self {
        self.guard = guard;
        self
    }

    /// Answers one request for `agent`. `path` is the part of the request's path that is below the
    /// interface's address, percent-encoded as it was sent: `/tasks/t-1`.
    pub async fn handle<A: Agent>(
        &self,
        agent: &A,
        path: &str,
        request: http::Request<Body>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let route = Route::find(head.method.as_str(), path);
        let version = route.as_ref().ok().map(|route| route.version);
        let form = form(version, &head);
        let admitted = self.guard.admit(&head.headers, head.uri.query()).await;
        let admitted = match admitted {
            Ok(admitted) => admitted,
            Err(refusal) => {
                if refusal.may_wait() {
                    serve::discard(body).await;
                }
                let response = form.failed(&refusal.error);
                return refusal.complete(response);
            }
        };
        let body = match self.read(&head, &route, body).await {
            Ok(body) => body,
            Err((status, error)) => return form.refused(status, &error),
        };
        let mut response = match route {
            Ok(route) => {
                let caller = admitted.caller;
                self.call(agent, &head, route, &body, form, caller).await
            }
            Err(no_route) => nowhere(&no_route, form),
        };
        self.guard.challenge(&mut response);
        response
    }

    /// The body of a request that has a place to go to.
    async fn read(
        &self,
        head: &Parts,
        route: &Result<Route, NoRoute>,
        body: Body,
    ) -> Result<bytes::Bytes, body::Refused> {
        if route.is_err() {
            serve::discard(body).await;
            return Ok(bytes::Bytes::new());
        }
        if head.method == http::Method::POST
            && let Err(error) = checks::media_type(&head.headers)
        {
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, error));
        }
        body::read(head, body, self.options.body_limit).await
    }

    /// Judges what a request asks for and has it carried out.
    async fn call<A: Agent>(
        &self,
        agent: &A,
        head: &Parts,
        route: Route,
        body: &[u8],
        form: Form,
        caller: Option<Identity>,
    ) -> Response {
        let spoken = route.version;
        let (version, extensions) = match self.admit(head, &route) {
            Ok(admitted) => admitted,
            Err(error) => return form.failed(&error),
        };
        let activated = checks::activated(spoken, &extensions, &self.options);
        let call = Call::of(head, version, extensions).by(caller);
        let query = head.uri.query().unwrap_or_default();
        let depth = self.options.depth_limit;
        let operation = if spoken == ProtocolVersion::V0_3 {
            v03::rest::read(route, query, body, depth)
        } else {
            route.read(query, body, depth)
        };
        let reply = match operation {
            Ok(operation) => self.handler.call(agent, operation, call).await,
            Err(error) => Err(error),
        };
        let mut response = match reply {
            Ok(Reply::Once(outcome)) => match write_outcome(spoken, *outcome) {
                Ok(body) => form.json(body),
                Err(error) => form.failed(&error),
            },
            Ok(Reply::Stream(stream)) => {
                sse::response(stream, move |event| write_event(spoken, event))
            }
            Err(error) => form.failed(&error),
        };
        if let Some((name, value)) = activated {
            response.headers_mut().insert(name, value);
        }
        response
    }

    /// Version and extensions of a request that is served.
    fn admit(&self, head: &Parts, route: &Route) -> Result<(ProtocolVersion, Vec<String>), Error> {
        let served = &self.options.supported_versions;
        if route.version == ProtocolVersion::V0_3 && !served.contains(&route.version) {
            return Err(Error::version_not_supported(Some("0.3"), served));
        }
        self.handler.offers(route.method)?;
        let version = checks::version(route.version, head, &self.options)?;
        let extensions = checks::extensions(&head.headers, &self.options)?;
        Ok((version, extensions))
    }
}

/// The media type of an answer: that of 0.3 where the path is of 0.3, else the one that the request came
/// in, else one that it accepts.
fn form(version: Option<ProtocolVersion>, head: &Parts) -> Form {
    if version == Some(ProtocolVersion::V0_3) {
        return Form::V0_3;
    }
    let sent = checks::media_type(&head.headers).ok().flatten();
    Form::new(sent.or_else(|| checks::accepted_media_type(&head.headers)))
}

fn nowhere(no_route: &NoRoute, form: Form) -> Response {
    let error = Error::new(ErrorKind::MethodNotFound, no_route.to_string());
    match no_route {
        NoRoute::NotFound => form.failed(&error),
        NoRoute::WrongVerb { allow } => form.wrong_verb(allow, &error),
    }
}

fn write_outcome(spoken: ProtocolVersion, outcome: Outcome) -> Result<Vec<u8>, Error> {
    let written = if spoken == ProtocolVersion::V0_3 {
        serde_json::to_vec(&v03::rest::Answer::try_from(outcome)?)
    } else {
        rest::write_outcome(&outcome)
    };
    written.map_err(|_| Error::internal("the answer cannot be written"))
}

/// An event of a stream, or the error that ends it, as its version has it.
fn write_event(spoken: ProtocolVersion, event: Result<&StreamEvent, &Error>) -> Vec<u8> {
    let written = match event {
        Err(error) if spoken == ProtocolVersion::V0_3 => {
            return v03::rest::write_error(error.kind.http_status(), error);
        }
        Err(error) => return rest::write_error(error).1,
        Ok(event) if spoken == ProtocolVersion::V0_3 => {
            serde_json::to_vec(&v03::rest::Event::new(event.event.clone(), event.is_last))
        }
        Ok(event) => serde_json::to_vec(&event.event),
    };
    // Only foreign Serialize implementations fail, and there is none in here.
    written.unwrap_or_default()
}
