//! The way of a call from its message to the agent and back, the same for both packages.

use std::pin::Pin;
use std::sync::Arc;

use a2a::error::{Error, ErrorKind};
use a2a::headers::ProtocolVersion;
use a2a::method::Method;
use a2a::operation::{Operation, Outcome};
use a2a::protobuf::Form;
use futures_util::{Stream, stream};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::Endpoint;
use super::status::{status, status_in, unwritable};
use crate::guard::Admitted;
use crate::task::StreamEvent;
use crate::{Agent, Call, EventStream, Reply, checks};

/// What carries out the calls of both packages.
pub(super) struct Binding<A>(Arc<Inner<A>>);

struct Inner<A> {
    agent: Arc<A>,
    endpoint: Endpoint,
}

impl<A> Clone for Binding<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The events of an answer, in the form of a package.
pub(super) type Events<P> = Pin<Box<dyn Stream<Item = Result<P, Status>> + Send>>;

impl<A: Agent> Binding<A> {
    pub(super) fn new(agent: Arc<A>, endpoint: Endpoint) -> Self {
        Self(Arc::new(Inner { agent, endpoint }))
    }

    /// Answers a call that has one result. `operation` makes an operation of its message, `result` picks
    /// what that comes to.
    pub(super) async fn once<P: Form, R: Form>(
        &self,
        (version, method): (ProtocolVersion, Method),
        request: Request<P>,
        operation: impl FnOnce(P::Model) -> Result<Operation, Error>,
        result: impl FnOnce(Outcome) -> Option<R::Model>,
    ) -> Result<Response<R>, Status> {
        let (reply, activated) = self.call(version, method, request, operation).await?;
        let Reply::Once(outcome) = reply else {
            return Err(unfit(method));
        };
        let model = result(*outcome).ok_or_else(|| unfit(method))?;
        let message = R::write(model).map_err(|faults| unwritable(&faults))?;
        Ok(respond(message, activated))
    }

    /// Answers a call that deletes something.
    pub(super) async fn delete<P: Form>(
        &self,
        version: ProtocolVersion,
        request: Request<P>,
        operation: impl FnOnce(P::Model) -> Operation,
    ) -> Result<Response<()>, Status> {
        let method = Method::DeleteTaskPushNotificationConfig;
        let operation = |model| Ok(operation(model));
        let (_, activated) = self.call(version, method, request, operation).await?;
        Ok(respond((), activated))
    }

    /// Answers a call with events, each written by `write`.
    pub(super) async fn stream<P: Form, R: 'static>(
        &self,
        (version, method): (ProtocolVersion, Method),
        request: Request<P>,
        operation: impl FnOnce(P::Model) -> Operation,
        write: fn(StreamEvent) -> Result<R, Status>,
    ) -> Result<Response<Events<R>>, Status> {
        let operation = |model| Ok(operation(model));
        let (reply, activated) = self.call(version, method, request, operation).await?;
        match reply {
            Reply::Stream(stream) => Ok(respond(events(stream, write), activated)),
            Reply::Once(_) => Err(unfit(method)),
        }
    }

    /// Judges a call and has it carried out; beside the reply, the extensions that it activated.
    async fn call<P: Form>(
        &self,
        version: ProtocolVersion,
        method: Method,
        request: Request<P>,
        operation: impl FnOnce(P::Model) -> Result<Operation, Error>,
    ) -> Result<(Reply, Activated), Status> {
        let (head, message) = head(request);
        let admitted = self.0.endpoint.admit(version, method, &head);
        let (spoken, extensions) = admitted.map_err(|error| status_in(version, &error))?;
        let activated = checks::activated(version, &extensions, &self.0.endpoint.options);
        let guarded = head.extensions.get::<Arc<Admitted>>();
        let caller = guarded.and_then(|guarded| guarded.caller.clone());
        let call = Call::of(&head, spoken, extensions).by(caller);
        let operation = message.read().and_then(operation);
        let handler = &self.0.endpoint.handler;
        let reply = match operation {
            Ok(operation) => handler.call(self.0.agent.as_ref(), operation, call).await,
            Err(error) => Err(error),
        };
        let reply = reply.map_err(|error| status_in(version, &error))?;
        Ok((reply, activated))
    }
}

impl Endpoint {
    /// Version and extensions of a call that is served. `version` is that of its package.
    fn admit(
        &self,
        version: ProtocolVersion,
        method: Method,
        head: &Parts,
    ) -> Result<(ProtocolVersion, Vec<String>), Error> {
        self.handler.offers(method)?;
        let spoken = checks::version(version, head, &self.options)?;
        let extensions = checks::extensions(&head.headers, &self.options)?;
        Ok((spoken, extensions))
    }
}

/// What a call says beside its message, as the other bindings have it, and the message.
fn head<P>(request: Request<P>) -> (Parts, P) {
    let (metadata, extensions, message) = request.into_parts();
    let (mut head, ()) = http::Request::new(()).into_parts();
    head.headers = metadata.into_headers();
    head.uri = extensions.get::<Uri>().cloned().unwrap_or_default();
    head.extensions = extensions;
    (head, message)
}

/// The headers by which an answer names the extensions that it has activated.
type Activated = Option<(HeaderName, HeaderValue)>;

fn respond<T>(message: T, activated: Activated) -> Response<T> {
    let mut response = Response::new(message);
    if let Some((name, value)) = activated {
        let mut headers = HeaderMap::new();
        headers.insert(name, value);
        *response.metadata_mut() = MetadataMap::from_headers(headers);
    }
    response
}

/// Events until the stream ends, and the error that ends it.
fn events<R: 'static>(
    events: EventStream,
    write: fn(StreamEvent) -> Result<R, Status>,
) -> Events<R> {
    Box::pin(stream::unfold(
        Some(events),
        move |events: Option<EventStream>| async move {
            let mut events = events?;
            match events.next().await {
                Ok(None) => None,
                Ok(Some(event)) => {
                    let is_last = event.is_last;
                    let written = write(event);
                    let is_over = is_last || written.is_err();
                    Some((written, (!is_over).then_some(events)))
                }
                Err(error) => Some((Err(status(&error)), None)),
            }
        },
    ))
}

/// A handler keeps to the operation, so that nobody sees this.
fn unfit(method: Method) -> Status {
    let message = format!("the answer is none of {}", method.name());
    status(&Error::new(ErrorKind::InvalidAgentResponse, message))
}
