//! Writing answers, and reading those of any peer.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Id;
use crate::error::{Error, ErrorData, ErrorKind};

/// An answer that carries a result. The result is serialized straight into the body.
#[must_use]
pub fn write_response(id: &Id, result: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct Envelope<'a, T> {
        jsonrpc: &'static str,
        id: &'a Id,
        result: &'a T,
    }
    let envelope = Envelope {
        jsonrpc: "2.0",
        id,
        result,
    };
    serde_json::to_vec(&envelope)
        .unwrap_or_else(|_| write_error(id, &Error::internal("the result cannot be written")))
}

/// An answer that carries an error.
#[must_use]
pub fn write_error(id: &Id, error: &Error) -> Vec<u8> {
    let envelope = ErrorEnvelope {
        jsonrpc: "2.0",
        id,
        error: ErrorObject {
            code: error.kind.json_rpc_code(),
            message: &error.message,
            data: match &error.data {
                ErrorData::None => None,
                ErrorData::Details(details) => Some(Data::Details(details)),
                ErrorData::Raw(value) => Some(Data::Raw(value)),
            },
        },
    };
    // Only foreign Serialize implementations fail, and there is none in here.
    serde_json::to_vec(&envelope).unwrap_or_default()
}

#[derive(Serialize)]
struct ErrorEnvelope<'a> {
    jsonrpc: &'static str,
    id: &'a Id,
    error: ErrorObject<'a>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: i64,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Data<'a> {
    Details(&'a [Box<RawValue>]),
    Raw(&'a RawValue),
}

/// An answer of a peer.
#[derive(Debug)]
pub struct Response {
    /// The id that the peer echoed; `None` when it sent none that can be one.
    pub id: Option<Id>,
    /// The result as text, or the error.
    pub outcome: Result<Box<RawValue>, Error>,
}

/// A body that is no JSON-RPC answer.
#[derive(Debug, thiserror::Error)]
pub enum BadResponse {
    /// Not JSON, such as the page of a proxy.
    #[error("the body is not JSON")]
    NotJson(#[source] serde_json::Error),
    /// JSON, but no object with the members of an answer.
    #[error("the body is no JSON-RPC answer: {0}")]
    NotAnAnswer(&'static str),
}

/// Reads an answer, tolerant of what peers leave out: version and id are not insisted on, a null
/// `error` beside a result is ignored, an error may lack code or message. Some peers leave out a result that
/// is null, as after a deletion: an answer that has only version and id is read so.
///
/// # Errors
///
/// [`BadResponse`] when there is neither a result nor an error, or both.
pub fn read_response(body: &[u8]) -> Result<Response, BadResponse> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow, default)]
        jsonrpc: Option<&'a RawValue>,
        #[serde(borrow, default)]
        id: Option<&'a RawValue>,
        /// Outer `None` is absent; null is a result, as of a deletion.
        #[serde(borrow, default, deserialize_with = "present")]
        result: Option<&'a RawValue>,
        #[serde(borrow, default)]
        error: Option<&'a RawValue>,
    }
    let raw: &RawValue = serde_json::from_slice(body).map_err(BadResponse::NotJson)?;
    if !raw.get().starts_with('{') {
        return Err(BadResponse::NotAnAnswer("it is not an object"));
    }
    let envelope: Envelope<'_> = serde_json::from_str(raw.get())
        .map_err(|_| BadResponse::NotAnAnswer("a member is given twice"))?;
    let is_bare = envelope.jsonrpc.is_some() && envelope.id.is_some();
    let outcome = match (envelope.result, envelope.error) {
        (None, None) if is_bare => Ok(RawValue::NULL.to_owned()),
        (None, None) => return Err(BadResponse::NotAnAnswer("it has neither result nor error")),
        (Some(result), Some(_)) if result.get() != "null" => {
            return Err(BadResponse::NotAnAnswer("it has both result and error"));
        }
        (_, Some(error)) => Err(read_error(error)),
        (Some(result), None) => Ok(result.to_owned()),
    };
    Ok(Response {
        id: envelope.id.and_then(|id| Id::from_raw(id).ok()),
        outcome,
    })
}

fn present<'de, D>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn read_error(raw: &RawValue) -> Error {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Object<'a> {
        #[serde(borrow)]
        code: Option<&'a RawValue>,
        #[serde(borrow)]
        message: Option<&'a RawValue>,
        #[serde(borrow)]
        data: Option<&'a RawValue>,
    }
    let object: Object<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
    let code = object
        .code
        .and_then(|code| code.get().trim_matches('"').parse().ok());
    let message = object
        .message
        .and_then(|message| serde_json::from_str(message.get()).ok());
    let data = object
        .data
        .map_or(ErrorData::None, |data| data.to_owned().into());
    let kind = data
        .reason()
        .and_then(|reason| ErrorKind::from_reason(&reason))
        .unwrap_or_else(|| ErrorKind::from_json_rpc_code(code.unwrap_or_default()));
    Error {
        kind,
        message: message.unwrap_or_else(|| "the peer gave no message".to_owned()),
        data,
    }
}
