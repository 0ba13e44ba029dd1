//! What goes out over an interface and what comes back, in the form of its binding and version.
//!
//! Nothing here calls anybody: an operation becomes an [`Outgoing`] request, and an answer or an event
//! becomes what the operation is about.

#[cfg(feature = "grpc")]
mod grpc;
mod jsonrpc;
mod rest;

use a2a::{
    fault::Fault,
    headers::{A2A_EXTENSIONS, ProtocolVersion},
    jsonrpc::Id,
    method::Method,
    model::{SendMessageResponse, StreamResponse},
    operation::{Operation, Outcome},
    rest::Verb,
};
use egress::Response;
use http::{HeaderName, HeaderValue, header};
use serde_json::value::RawValue;
use url::Url;

use crate::{
    error::{Error, Excerpt},
    interface::{Binding, Interface},
};

/// A request to make.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) verb: Verb,
    pub(crate) url: Url,
    pub(crate) body: Option<Vec<u8>>,
    /// The media type of the body.
    pub(crate) content_type: &'static str,
    /// The media types that can be read.
    pub(crate) accept: &'static str,
}

/// An event of a stream.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) event: StreamResponse,
    /// Whether the agent says that nothing follows it.
    pub(crate) is_last: bool,
}

/// What an answer or an event says, with its faults.
type Read<T> = Result<(T, Vec<Fault>), Vec<Fault>>;

/// Writes the request that asks for an operation.
pub(crate) fn write(
    interface: &Interface,
    operation: &Operation,
    id: &Id,
) -> Result<Outgoing, Error> {
    match interface.binding {
        Binding::JsonRpc => jsonrpc::write(interface, operation, id),
        Binding::HttpJson => rest::write(interface, operation),
        #[cfg(feature = "grpc")]
        Binding::Grpc => grpc::write(interface, operation),
    }
}

/// Reads the message that answers an operation over gRPC.
///
/// `Err` is what is wrong with it.
#[cfg(feature = "grpc")]
pub(crate) fn read_message(
    version: ProtocolVersion,
    method: Method,
    message: &[u8],
) -> Result<Outcome, String> {
    match grpc::outcome(version, method, message)? {
        Ok((outcome, faults)) if is_usable(&outcome, &faults) => Ok(outcome),
        Ok((_, faults)) | Err(faults) => Err(listed(&faults)),
    }
}

/// Reads a message of a stream over gRPC.
///
/// `Err` is what is wrong with it.
#[cfg(feature = "grpc")]
pub(crate) fn read_event_message(
    version: ProtocolVersion,
    message: &[u8],
) -> Result<Incoming, String> {
    usable(grpc::event(version, message)?)
}

/// Reads the answer to an operation that answers once, of a binding whose answers are JSON.
pub(crate) fn read_outcome(
    interface: &Interface,
    method: Method,
    id: &Id,
    response: &Response,
) -> Result<Outcome, Error> {
    let read = if interface.binding == Binding::JsonRpc {
        let result = jsonrpc::result(id, response)?;
        jsonrpc::outcome(interface.version, method, &result)
    } else {
        let body = rest::body(response)?;
        rest::outcome(interface.version, method, &body)
    };
    match read {
        Ok((outcome, faults)) if is_usable(&outcome, &faults) => Ok(outcome),
        Ok((_, faults)) | Err(faults) => Err(bad_answer(response, listed(&faults))),
    }
}

/// Reads the data of a Server-Sent Event.
///
/// `Err` is the error that the agent ends the stream with, or what is wrong with the event.
pub(crate) fn read_event(
    interface: &Interface,
    data: &str,
) -> Result<Incoming, Result<a2a::error::Error, String>> {
    let read = if interface.binding == Binding::JsonRpc {
        jsonrpc::event(interface.version, data)?
    } else {
        rest::event(interface.version, data)?
    };
    usable(read).map_err(Err)
}

/// An event that still says what the agent means.
fn usable(read: Read<Incoming>) -> Result<Incoming, String> {
    match read {
        Ok((event, _)) if is_usable_event(&event.event) => Ok(event),
        Ok((_, faults)) | Err(faults) => Err(listed(&faults)),
    }
}

/// The header that asks for extensions (A2A 1.0 §4.6.3), by the name that the version has for it.
pub(crate) fn extensions_header(
    version: ProtocolVersion,
    uris: &[String],
) -> Result<Option<(HeaderName, HeaderValue)>, Error> {
    if uris.is_empty() {
        return Ok(None);
    }
    let value = HeaderValue::from_str(&uris.join(", ")).map_err(|_| Error::Unwritable {
        why: format!("an extension's URI does not fit into {A2A_EXTENSIONS}"),
    })?;
    let name = if version == ProtocolVersion::V0_3 {
        "x-a2a-extensions"
    } else {
        "a2a-extensions"
    };
    Ok(Some((HeaderName::from_static(name), value)))
}

/// The headers of a request by its media types.
pub(crate) fn media_headers(
    outgoing: &Outgoing,
) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let content_type = outgoing
        .body
        .is_some()
        .then_some((header::CONTENT_TYPE, outgoing.content_type));
    let accept = (header::ACCEPT, outgoing.accept);
    content_type
        .into_iter()
        .chain([accept])
        .map(|(name, value)| (name, HeaderValue::from_static(value)))
}

/// Whether an answer with faults still says what the agent means.
fn is_usable(outcome: &Outcome, faults: &[Fault]) -> bool {
    match outcome {
        Outcome::Sent(SendMessageResponse::Message(message)) => !message.parts.is_empty(),
        Outcome::Sent(SendMessageResponse::Task(task)) | Outcome::Task(task) => !task.id.is_empty(),
        Outcome::Tasks(page) => {
            let has_list = faults.iter().all(|fault| fault.field() != "tasks");
            has_list && page.tasks.iter().all(|task| !task.id.is_empty())
        }
        Outcome::PushConfig(config) => !config.url.is_empty(),
        Outcome::PushConfigs(page) => page.configs.iter().all(|config| !config.url.is_empty()),
        Outcome::Deleted => true,
        Outcome::AgentCard(card) => !card.name.is_empty(),
    }
}

fn is_usable_event(event: &StreamResponse) -> bool {
    match event {
        StreamResponse::Task(task) => !task.id.is_empty(),
        StreamResponse::Message(message) => !message.parts.is_empty(),
        StreamResponse::StatusUpdate(update) => !update.task_id.is_empty(),
        StreamResponse::ArtifactUpdate(update) => !update.artifact.artifact_id.is_empty(),
    }
}

fn incoming(event: StreamResponse, is_last: bool) -> Incoming {
    Incoming { event, is_last }
}

/// An event of 1.0, where the last one is known by what it says (A2A 1.0 §3.1.2).
fn of_1_0(data: &RawValue) -> Read<Incoming> {
    let (event, faults) = a2a::model::read_lenient::<StreamResponse>(data)?;
    let is_last = is_over(&event);
    Ok((incoming(event, is_last), faults))
}

/// Whether nothing follows an event, by what it says.
fn is_over(event: &StreamResponse) -> bool {
    let has_ended = event
        .state()
        .is_some_and(a2a::model::TaskState::is_terminal);
    has_ended || matches!(event, StreamResponse::Message(_))
}

fn unwritable(error: &dyn std::fmt::Display) -> Error {
    Error::Unwritable {
        why: error.to_string(),
    }
}

fn listed(faults: &[Fault]) -> String {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    faults.join("; ")
}

fn bad_answer(response: &Response, why: String) -> Error {
    Error::BadAnswer {
        why,
        answer: Excerpt::of(response),
    }
}
