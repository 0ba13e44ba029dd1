//! The way of a call from its message to the agent and back, the same for both packages.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use a2a::error::{Error, ErrorKind};
use a2a::headers::ProtocolVersion;
use a2a::method::Method;
use a2a::operation::{Operation, Outcome};
use a2a::protobuf::Form;
use axum::extract::ConnectInfo;
use futures_util::{Stream, stream};
use http::{HeaderMap, header};
use tonic::metadata::{AsciiMetadataValue, MetadataMap};
use tonic::{Extensions, Request, Response, Status};

use super::status::{status, unwritable};
use crate::jsonrpc::{Options, checks};
use crate::task::StreamEvent;
use crate::{Agent, Call, EventStream, Handler, Reply, bearer};

/// What carries out the calls of both packages.
pub(super) struct Binding<A>(Arc<Inner<A>>);

struct Inner<A> {
    agent: Arc<A>,
    options: Options,
    handler: Handler,
}

impl<A> Clone for Binding<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The events of an answer, in the form of a package.
pub(super) type Events<P> = Pin<Box<dyn Stream<Item = Result<P, Status>> + Send>>;

/// What a call says beside its message.
struct Head {
    headers: HeaderMap,
    extensions: Extensions,
}

impl<A: Agent> Binding<A> {
    pub(super) fn new(agent: Arc<A>, options: Options, handler: Handler) -> Self {
        Self(Arc::new(Inner {
            agent,
            options,
            handler,
        }))
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
    ) -> Result<(Reply, Option<AsciiMetadataValue>), Status> {
        let (metadata, extensions, message) = request.into_parts();
        let head = Head {
            headers: metadata.into_headers(),
            extensions,
        };
        let admitted = self.admit(version, method, &head.headers);
        let extensions = admitted.map_err(|error| status(&error))?;
        let activated = self.activated(&extensions);
        let call = head.call(version, extensions);
        let operation = message.read().and_then(operation);
        let Inner { agent, handler, .. } = self.0.as_ref();
        let reply = match operation {
            Ok(operation) => handler.call(agent.as_ref(), operation, call).await,
            Err(error) => Err(error),
        };
        let reply = reply.map_err(|error| status(&error))?;
        Ok((reply, activated))
    }

    /// The extensions of a call that is served.
    fn admit(
        &self,
        version: ProtocolVersion,
        method: Method,
        headers: &HeaderMap,
    ) -> Result<Vec<String>, Error> {
        let Inner {
            options, handler, ..
        } = self.0.as_ref();
        handler.offers(method)?;
        // The package tells 0.3, whatever the metadata say, as a method's name does over JSON-RPC.
        if version != ProtocolVersion::V0_3 {
            checks::version_of_1_0(headers, None, options)?;
        }
        checks::extensions(headers, options)
    }

    fn activated(&self, asked: &[String]) -> Option<AsciiMetadataValue> {
        let activated = checks::activated(asked, &self.0.options)?;
        activated.parse().ok()
    }
}

impl Head {
    fn call(&self, version: ProtocolVersion, extensions: Vec<String>) -> Call {
        let peer = self.extensions.get::<ConnectInfo<SocketAddr>>();
        let host = self.extensions.get::<Host>();
        Call::new(version)
            .with_extensions(extensions)
            .with_peer(peer.map(|info| info.0))
            .with_bearer(bearer(&self.headers).map(str::to_owned))
            .with_host(host.map(|host| host.0.clone()))
    }
}

/// The host that a call was sent to.
#[derive(Clone)]
pub(super) struct Host(String);

impl Host {
    /// HTTP/2 has it in the target (RFC 9113 §8.3.1).
    pub(super) fn of<B>(request: &http::Request<B>) -> Option<Self> {
        let authority = request.uri().authority().map(http::uri::Authority::as_str);
        let header = || request.headers().get(header::HOST)?.to_str().ok();
        let host = authority.or_else(header)?;
        Some(Self(host.to_owned()))
    }
}

fn respond<T>(message: T, activated: Option<AsciiMetadataValue>) -> Response<T> {
    let mut response = Response::new(message);
    if let Some(activated) = activated {
        let metadata: &mut MetadataMap = response.metadata_mut();
        metadata.insert("a2a-extensions", activated);
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
