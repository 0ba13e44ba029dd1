//! Errors in gRPC: a code, a message, and details as an encoded `google.rpc.Status` (A2A 1.0 §10.6).

use std::collections::BTreeMap;
use std::fmt;

use prost::Message as _;
use prost_types::Any;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::convert::Convert;
use super::rpc;
use crate::error::{Error, ErrorData, ErrorKind, GrpcCode};
use crate::fault::{At, Faults};
use crate::model::Metadata;
use crate::v03::rules;

const PREFIX: &str = "type.googleapis.com/";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";
const STRUCT: &str = "type.googleapis.com/google.protobuf.Struct";

/// An error as gRPC sends it.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodedStatus {
    /// The trailer `grpc-status`.
    pub code: GrpcCode,
    /// The trailer `grpc-message`, not yet percent-encoded.
    pub message: String,
    /// The trailer `grpc-status-details-bin`, not yet base64; empty when there are no details.
    pub details: Vec<u8>,
}

/// Says how long the details are, not what they hold: Debug ends up in logs.
impl fmt::Debug for EncodedStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedStatus")
            .field("code", &self.code)
            .field("message", &self.message)
            .field("details_bytes", &self.details.len())
            .finish()
    }
}

/// Writes an error. Details that are not of `google.rpc` become a `google.protobuf.Struct`.
#[must_use]
pub fn write_status(error: &Error) -> EncodedStatus {
    write_status_as(error.kind.grpc_code(), error)
}

/// Writes an error as clients of 0.3 read it: its name stands before the message, and what an agent does not
/// offer is `UNIMPLEMENTED`, which 1.0 calls a failed precondition (A2A 1.0 §5.4).
#[must_use]
pub fn write_status_03(error: &Error) -> EncodedStatus {
    let code = match error.kind {
        ErrorKind::PushNotificationNotSupported | ErrorKind::UnsupportedOperation => {
            GrpcCode::Unimplemented
        }
        kind => kind.grpc_code(),
    };
    let mut status = write_status_as(code, error);
    if let Some(name) = rules::error_name(error.kind) {
        status.message = format!("{name}: {}", error.message);
    }
    status
}

fn write_status_as(code: GrpcCode, error: &Error) -> EncodedStatus {
    let details: Vec<Any> = match &error.data {
        ErrorData::None => Vec::new(),
        ErrorData::Details(details) => details.iter().filter_map(|raw| write_detail(raw)).collect(),
        ErrorData::Raw(value) => write_struct(value).into_iter().collect(),
    };
    let encoded = if details.is_empty() {
        Vec::new()
    } else {
        let status = rpc::Status {
            code: code.number(),
            message: error.message.clone(),
            details,
        };
        status.encode_to_vec()
    };
    EncodedStatus {
        code,
        message: error.message.clone(),
        details: encoded,
    }
}

/// Reads an error; the kind is that of the reason in the details, else that of the name by which agents of
/// 0.3 begin the message, else the likeliest for the code.
#[must_use]
pub fn read_status(code: GrpcCode, message: &str, details: &[u8]) -> Error {
    let status = rpc::Status::decode(details).unwrap_or_default();
    let details: Vec<Box<RawValue>> = status.details.iter().filter_map(read_detail).collect();
    let data = match details.as_slice() {
        [] => ErrorData::None,
        _ => ErrorData::Details(details),
    };
    let named = rules::named_error(message);
    let message = named.map_or(message, |(_, message)| message);
    let by_reason = data.reason();
    let kind = by_reason
        .and_then(|reason| ErrorKind::from_reason(&reason))
        .or(named.map(|(kind, _)| kind))
        .unwrap_or_else(|| ErrorKind::from_grpc_code(code));
    Error {
        kind,
        message: message.to_owned(),
        data,
    }
}

/// The members of the details that are known here, in their JSON form.
#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Detail {
    #[serde(rename = "@type")]
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    domain: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    field_violations: Vec<Violation>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Violation {
    field: String,
    description: String,
}

fn any(kind: &str, message: &impl prost::Message) -> Any {
    Any {
        type_url: kind.to_owned(),
        value: message.encode_to_vec(),
    }
}

fn write_detail(raw: &RawValue) -> Option<Any> {
    let detail: Detail = serde_json::from_str(raw.get()).unwrap_or_default();
    match detail.kind.as_str() {
        ERROR_INFO => Some(any(
            ERROR_INFO,
            &rpc::ErrorInfo {
                reason: detail.reason,
                domain: detail.domain,
                metadata: detail.metadata,
            },
        )),
        BAD_REQUEST => {
            let violations = detail.field_violations.into_iter();
            let violations = violations.map(|violation| rpc::bad_request::FieldViolation {
                field: violation.field,
                description: violation.description,
            });
            let message = rpc::BadRequest {
                field_violations: violations.collect(),
            };
            Some(any(BAD_REQUEST, &message))
        }
        _ => write_struct(raw),
    }
}

/// Any JSON object; a number that loses digits here is not worth losing the error.
fn write_struct(value: &RawValue) -> Option<Any> {
    let object = Metadata::try_from(value.to_owned()).ok()?;
    let faults = Faults::default();
    Some(any(STRUCT, &object.into_wire(At::root(&faults))))
}

fn read_detail(any: &Any) -> Option<Box<RawValue>> {
    // The part in front of the name is no more than a convention.
    let name = any.type_url.rsplit('/').next()?;
    let value = any.value.as_slice();
    let kind = format!("{PREFIX}{name}");
    match kind.as_str() {
        ERROR_INFO => {
            let info = rpc::ErrorInfo::decode(value).ok()?;
            let detail = Detail {
                kind,
                reason: info.reason,
                domain: info.domain,
                metadata: info.metadata,
                ..Detail::default()
            };
            to_raw_value(&detail).ok()
        }
        BAD_REQUEST => {
            let request = rpc::BadRequest::decode(value).ok()?;
            let violations = request.field_violations.into_iter();
            let violations = violations.map(|violation| Violation {
                field: violation.field,
                description: violation.description,
            });
            let detail = Detail {
                kind,
                field_violations: violations.collect(),
                ..Detail::default()
            };
            to_raw_value(&detail).ok()
        }
        STRUCT => {
            let object = prost_types::Struct::decode(value).ok()?;
            let faults = Faults::default();
            let object: Metadata = Convert::from_wire(object, At::root(&faults));
            if object.get("@type").is_some() {
                return Some(object.into_raw());
            }
            let kind = Metadata::new(&Detail {
                kind,
                ..Detail::default()
            });
            kind.ok().map(|kind| kind.merged(object).into_raw())
        }
        _ => None,
    }
}
