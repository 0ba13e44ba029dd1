//! Errors as `google.rpc.Status` in JSON (A2A 1.0 §11.6).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::error::{Error, ErrorData, ErrorKind, GrpcCode};

const STRUCT: &str = "type.googleapis.com/google.protobuf.Struct";
const VALUE: &str = "type.googleapis.com/google.protobuf.Value";

/// Status and body that answer a request with an error. In a stream that has begun, the body is the data
/// of an event.
#[must_use]
pub fn write_error(error: &Error) -> (u16, Vec<u8>) {
    let status = error.kind.http_status();
    (status, write_error_as(status, error))
}

/// The body of an error that is answered with another status than that of its kind, since the HTTP request
/// is at fault: its verb, its media type, its length.
#[must_use]
pub fn write_error_as(status: u16, error: &Error) -> Vec<u8> {
    #[derive(Serialize)]
    struct Body<'a> {
        error: Status<'a>,
    }
    let error = Status::new(status, error);
    // Only foreign Serialize implementations fail, and there is none in here.
    serde_json::to_vec(&Body { error }).unwrap_or_default()
}

/// An error as `google.rpc.Status`.
#[derive(Serialize)]
pub(crate) struct Status<'a> {
    code: u16,
    status: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    details: Cow<'a, [Box<RawValue>]>,
}

impl<'a> Status<'a> {
    pub(crate) fn new(code: u16, error: &'a Error) -> Self {
        Self {
            code,
            status: error.kind.grpc_code().name(),
            message: &error.message,
            details: match &error.data {
                ErrorData::None => Cow::default(),
                ErrorData::Details(details) => Cow::Borrowed(details),
                ErrorData::Raw(value) => Cow::Owned(wrap(value).into_iter().collect()),
            },
        }
    }
}

/// Any JSON value as a detail that names its type.
fn wrap(value: &RawValue) -> Option<Box<RawValue>> {
    #[derive(Serialize)]
    struct Any<'a> {
        #[serde(rename = "@type")]
        kind: &'static str,
        value: &'a RawValue,
    }
    let kind = if value.get().starts_with('{') {
        STRUCT
    } else {
        VALUE
    };
    to_raw_value(&Any { kind, value }).ok()
}

/// Reads the error in a peer's answer: `google.rpc.Status` below `error` or on its own, the bare code and
/// message of some 0.3 agents, or a problem of RFC 9457. `None` for a body that is none of these, such as
/// the page of a proxy.
///
/// The kind is that of the reason in the details, else that of a JSON-RPC code, else the likeliest for
/// the name of the gRPC code or the HTTP status.
#[must_use]
pub fn read_error(status: u16, body: &[u8]) -> Option<Error> {
    if !body.trim_ascii().starts_with(b"{") {
        return None;
    }
    let body: Found<'_> = serde_json::from_slice(body).ok()?;
    let outer = body.error.map(RawValue::get);
    let inner: Option<Found<'_>> = outer.and_then(|text| serde_json::from_str(text).ok());
    let found = inner.unwrap_or(body);
    let code: Option<i64> = found.code.and_then(read);
    let message: Option<String> = [found.message, found.detail, found.title]
        .into_iter()
        .flatten()
        .find_map(read);
    if message.is_none() && code.is_none() {
        return None;
    }
    let data = match (found.details, found.data) {
        (Some(details), _) => ErrorData::from(details.to_owned()),
        (None, Some(data)) => ErrorData::from(data.to_owned()),
        (None, None) => ErrorData::None,
    };
    let by_reason = data.reason();
    let kind = by_reason
        .and_then(|reason| ErrorKind::from_reason(&reason))
        .or_else(|| found.kind_of_problem())
        .or_else(|| {
            code.filter(|code| *code < 0)
                .map(ErrorKind::from_json_rpc_code)
        })
        .or_else(|| found.kind_of_name(status))
        .unwrap_or_else(|| ErrorKind::from_http_status(status));
    Some(Error {
        kind,
        message: message.unwrap_or_else(|| "the peer gave no message".to_owned()),
        data,
    })
}

/// The members of the errors that peers answer.
#[derive(Deserialize)]
struct Found<'a> {
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    details: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    /// A problem's kind.
    #[serde(borrow, default, rename = "type")]
    problem: Option<&'a RawValue>,
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
    #[serde(borrow, default)]
    detail: Option<&'a RawValue>,
}

impl Found<'_> {
    /// `https://a2a-protocol.org/errors/task-not-found`, as drafts of 1.0 had it.
    fn kind_of_problem(&self) -> Option<ErrorKind> {
        let problem: String = self.problem.and_then(read)?;
        let name = problem.rsplit('/').next()?.replace('-', "_");
        let name = name.to_ascii_uppercase();
        ErrorKind::from_reason(name.strip_suffix("_ERROR").unwrap_or(&name))
    }

    /// The name of a gRPC code says more than a status that many share, but for one: where the status is
    /// of an authentication or a limit, it is exact.
    fn kind_of_name(&self, status: u16) -> Option<ErrorKind> {
        if matches!(status, 401 | 403 | 409 | 415 | 429) {
            return None;
        }
        let name: String = self.status.and_then(read)?;
        GrpcCode::from_name(&name).map(ErrorKind::from_grpc_code)
    }
}

fn read<T: serde::de::DeserializeOwned>(value: &RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}
