//! JSON-RPC (A2A 1.0 §9; A2A 0.3 §3.2.1).

use a2a::{
    error::ErrorKind,
    headers::ProtocolVersion,
    jsonrpc::{Id, read_response, write_request},
    method::{Method, Method03},
    operation::{Operation, Outcome},
    rest::Verb,
    v03,
};
use egress::Response;
use serde_json::value::RawValue;

use super::{Incoming, Outgoing, Read, bad_answer, incoming, of_1_0, unwritable};
use crate::{
    error::{Error, Excerpt},
    interface::Interface,
};

pub(super) fn write(
    interface: &Interface,
    operation: &Operation,
    id: &Id,
) -> Result<Outgoing, Error> {
    let body = if interface.version == ProtocolVersion::V0_3 {
        let (method, params) =
            v03::jsonrpc::write(operation).map_err(|error| unwritable(&error))?;
        write_request(id, method, &params)
    } else {
        write_request(id, operation.method(), operation)
    };
    Ok(Outgoing {
        verb: Verb::Post,
        url: interface.url.clone(),
        body: Some(body.map_err(|error| unwritable(&error))?),
        content_type: "application/json",
        accept: if operation.method().streams() {
            "text/event-stream, application/json"
        } else {
            "application/json"
        },
    })
}

/// The result in an answer.
pub(super) fn result(id: &Id, response: &Response) -> Result<Box<RawValue>, Error> {
    let answer = match read_response(&response.body) {
        Ok(answer) => answer,
        // A status that speaks for itself is told as such; otherwise the body is at fault.
        Err(_) if !response.status.is_success() => {
            return Err(Error::HttpStatus {
                answer: Excerpt::of(response),
            });
        }
        Err(bad) => return Err(bad_answer(response, bad.to_string())),
    };
    let result = answer.outcome.map_err(|mut error| {
        error.kind = kind(error.kind, response.status.as_u16());
        Error::Agent(error)
    })?;
    if answer.id.as_ref() != Some(id) {
        let why = "it answers another request".to_owned();
        return Err(bad_answer(response, why));
    }
    Ok(result)
}

/// Who may not call or must wait is told by the HTTP status, and has no code of its own.
fn kind(kind: ErrorKind, status: u16) -> ErrorKind {
    match (kind, status) {
        (ErrorKind::Other(-32000), 401 | 403 | 429 | 503) => ErrorKind::from_http_status(status),
        _ => kind,
    }
}

pub(super) fn outcome(
    version: ProtocolVersion,
    method: Method,
    result: &RawValue,
) -> Read<Outcome> {
    match Method03::of(method) {
        Some(method) if version == ProtocolVersion::V0_3 => {
            v03::jsonrpc::read_outcome(method, result)
        }
        _ => Outcome::read(method, result),
    }
}

pub(super) fn event(
    version: ProtocolVersion,
    data: &str,
) -> Result<Read<Incoming>, Result<a2a::error::Error, String>> {
    let answer = read_response(data.as_bytes()).map_err(|bad| Err(bad.to_string()))?;
    let result = answer.outcome.map_err(Ok)?;
    Ok(read_event(version, &result))
}

fn read_event(version: ProtocolVersion, result: &RawValue) -> Read<Incoming> {
    if version == ProtocolVersion::V0_3 {
        let (event, is_last, faults) = v03::jsonrpc::read_event(result)?;
        return Ok((incoming(event, is_last), faults));
    }
    of_1_0(result)
}
