//! Errors of the protocol and their details (A2A 1.0 §3.3.2, §5.4, §9.5).
//!
//! [`ErrorKind`] is the one table of what an error is called by JSON-RPC, gRPC and HTTP.
//! [`jsonrpc`](crate::jsonrpc) and [`rest`](crate::rest) write and read errors in their envelopes.

mod kind;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::fault::{Fault, Segment, quoted};
use crate::headers::{A2A_EXTENSIONS, A2A_VERSION, ProtocolVersion};
use crate::method::{Method, Method03};
use crate::model::TaskState;
use crate::protojson::in_words;

pub use kind::{ErrorKind, GrpcCode};

/// An error that is answered to a peer, or that a peer answered.
///
/// `Debug` and `Display` show kind and message, and of the details only their size, since an
/// application may put a caller's data there.
#[derive(Clone, thiserror::Error)]
#[error("{message} ({kind:?})")]
pub struct Error {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// A sentence for the people behind the peer.
    pub message: String,
    /// Machine-readable details, `error.data` in JSON-RPC.
    pub data: ErrorData,
}

/// What stands in `error.data`.
#[derive(Clone, Default)]
pub enum ErrorData {
    /// Nothing.
    #[default]
    None,
    /// A list of details, each an object with an `@type`, as A2A 1.0 asks for.
    Details(Vec<Box<RawValue>>),
    /// Any other JSON value, such as the bare object of the Auto Agent Protocol 1.3.
    Raw(Box<RawValue>),
}

/// The domain of A2A's own error reasons.
pub const ERROR_DOMAIN: &str = "a2a-protocol.org";

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

impl Error {
    /// An error of a kind; those of A2A get their `google.rpc.ErrorInfo`.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::with_metadata(kind, message, [])
    }

    /// An application's error with any JSON value as its details; a list of details that name their types
    /// is kept as one.
    #[must_use]
    pub fn application(code: i64, message: impl Into<String>, data: Option<Box<RawValue>>) -> Self {
        Self {
            kind: ErrorKind::from_json_rpc_code(code),
            message: message.into(),
            data: data.map_or(ErrorData::None, ErrorData::from),
        }
    }

    /// The body is not JSON.
    #[must_use]
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Parse, message)
    }

    /// The body is JSON, but no request.
    #[must_use]
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidRequest, message)
    }

    /// There is no such method.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        let message = format!("there is no method {}", quoted(method));
        Self::new(ErrorKind::MethodNotFound, message)
    }

    /// The parameters have faults; each becomes a field violation.
    #[must_use]
    pub fn invalid_params(faults: &[Fault]) -> Self {
        let violations = faults.iter().map(|fault| FieldViolation {
            field: fault.field(),
            description: fault.words().to_owned(),
        });
        let detail = BadRequest {
            kind: BAD_REQUEST,
            field_violations: violations.collect(),
        };
        Self {
            kind: ErrorKind::InvalidParams,
            message: in_words(faults),
            data: details([to_raw_value(&detail).ok()]),
        }
    }

    /// Something failed on this side; the message must not tell a caller what.
    #[must_use]
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The task does not exist, or not for this caller.
    #[must_use]
    pub fn task_not_found(id: &str) -> Self {
        let message = format!("task not found: {}", quoted(id));
        Self::new(ErrorKind::TaskNotFound, message)
    }

    /// The task has ended and cannot be canceled.
    #[must_use]
    pub fn task_not_cancelable(id: &str, state: TaskState) -> Self {
        let message = format!(
            "task {} is {} and cannot be canceled",
            quoted(id),
            state.as_str()
        );
        Self::new(ErrorKind::TaskNotCancelable, message)
    }

    /// The message names a conversation that is not the task's.
    #[must_use]
    pub fn context_of_other_task() -> Self {
        Self::invalid_params(&[Fault::new(
            vec![
                Segment::Member("message".to_owned()),
                Segment::Member("contextId".to_owned()),
            ],
            "is not the conversation of the task; leave it out or send the task's own",
        )])
    }

    /// The card declares an extended card, but there is none.
    #[must_use]
    pub fn extended_agent_card_not_configured() -> Self {
        Self::new(
            ErrorKind::ExtendedAgentCardNotConfigured,
            "this agent has no extended agent card yet",
        )
    }

    /// The caller must authenticate; how, the card's security schemes say.
    #[must_use]
    pub fn unauthenticated() -> Self {
        Self::new(
            ErrorKind::Unauthenticated,
            "authenticate as the agent card's securitySchemes say",
        )
    }

    /// The agent does not offer the operation.
    #[must_use]
    pub fn unsupported_operation(method: Method) -> Self {
        let message = format!("this agent does not offer {}", method.name());
        let metadata = [("method", method.name().to_owned())];
        Self::with_metadata(ErrorKind::UnsupportedOperation, message, metadata)
    }

    /// The agent sends no push notifications.
    #[must_use]
    pub fn push_notification_not_supported() -> Self {
        Self::new(
            ErrorKind::PushNotificationNotSupported,
            "push notifications are not supported: this agent sends none",
        )
    }

    /// A media type is not served; `supported` says which are.
    #[must_use]
    pub fn content_type_not_supported(found: &str, supported: &[&str]) -> Self {
        let supported = supported.join(", ");
        let message = format!("{} is not served here; send {supported}", quoted(found));
        let metadata = [("supportedTypes", supported)];
        Self::with_metadata(ErrorKind::ContentTypeNotSupported, message, metadata)
    }

    /// The request does not ask for extensions that the agent requires.
    #[must_use]
    pub fn extension_support_required(missing: &[&str]) -> Self {
        let missing = missing.join(", ");
        let message = format!("this agent requires an extension; send {A2A_EXTENSIONS}: {missing}");
        let metadata = [
            ("extensionUri", missing),
            ("requiredHeader", A2A_EXTENSIONS.to_owned()),
        ];
        Self::with_metadata(ErrorKind::ExtensionSupportRequired, message, metadata)
    }

    /// The version that the request names is not served. `found` is the header's value, `None` when
    /// there is no header.
    #[must_use]
    pub fn version_not_supported(found: Option<&str>, supported: &[ProtocolVersion]) -> Self {
        let supported = listed(supported);
        let found = match found {
            None => format!("the header {A2A_VERSION} is missing, which means 0.3"),
            Some(found) if found.trim().is_empty() => {
                format!("the header {A2A_VERSION} is empty, which means 0.3")
            }
            Some(found) => format!("A2A version {} is not served here", quoted(found)),
        };
        let message = format!("{found}; send {A2A_VERSION}: {supported}");
        let metadata = [("supportedVersions", supported)];
        Self::with_metadata(ErrorKind::VersionNotSupported, message, metadata)
    }

    /// The method's name is one of A2A 0.3, which is not served here.
    #[must_use]
    pub fn method_of_other_version(method: Method03, supported: &[ProtocolVersion]) -> Self {
        let supported = listed(supported);
        let message = format!(
            "{} is a method of A2A 0.3, which is not served here; call {} with {A2A_VERSION}: {supported}",
            method.name(),
            method.counterpart().name(),
        );
        let metadata = [("supportedVersions", supported)];
        Self::with_metadata(ErrorKind::VersionNotSupported, message, metadata)
    }

    /// An error whose `google.rpc.ErrorInfo` carries metadata, where the kind has a reason.
    #[must_use]
    pub fn with_metadata<const N: usize>(
        kind: ErrorKind,
        message: impl Into<String>,
        metadata: [(&'static str, String); N],
    ) -> Self {
        let info = kind.reason().and_then(|reason| {
            let info = ErrorInfo {
                kind: ERROR_INFO,
                reason,
                domain: ERROR_DOMAIN,
                metadata: metadata.into(),
            };
            to_raw_value(&info).ok()
        });
        Self {
            kind,
            message: message.into(),
            data: details([info]),
        }
    }
}

fn listed(versions: &[ProtocolVersion]) -> String {
    let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
    versions.join(", ")
}

fn details<const N: usize>(found: [Option<Box<RawValue>>; N]) -> ErrorData {
    let details: Vec<_> = found.into_iter().flatten().collect();
    if details.is_empty() {
        ErrorData::None
    } else {
        ErrorData::Details(details)
    }
}

#[derive(Serialize)]
struct ErrorInfo {
    #[serde(rename = "@type")]
    kind: &'static str,
    reason: &'static str,
    domain: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BadRequest {
    #[serde(rename = "@type")]
    kind: &'static str,
    field_violations: Vec<FieldViolation>,
}

#[derive(Serialize)]
struct FieldViolation {
    field: String,
    description: String,
}

impl From<Box<RawValue>> for ErrorData {
    /// A list of objects with an `@type` each is A2A 1.0's form; everything else stays as it is.
    fn from(raw: Box<RawValue>) -> Self {
        #[derive(Deserialize)]
        struct Typed<'a> {
            #[serde(rename = "@type", borrow)]
            _type: Cow<'a, str>,
        }
        let details: Option<Vec<Box<RawValue>>> = serde_json::from_str(raw.get()).ok();
        match details {
            Some(details)
                if details
                    .iter()
                    .all(|detail| serde_json::from_str::<Typed<'_>>(detail.get()).is_ok()) =>
            {
                Self::Details(details)
            }
            _ => Self::Raw(raw),
        }
    }
}

impl ErrorData {
    /// The reason in the first `google.rpc.ErrorInfo` of A2A's domain.
    #[must_use]
    pub(crate) fn reason(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Info {
            reason: String,
            domain: String,
        }
        let Self::Details(details) = self else {
            return None;
        };
        details.iter().find_map(|detail| {
            let info: Info = serde_json::from_str(detail.get()).ok()?;
            (info.domain == ERROR_DOMAIN).then_some(info.reason)
        })
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind)
            .field("message", &self.message)
            .field("data", &self.data)
            .finish()
    }
}

impl fmt::Debug for ErrorData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Details(details) => write!(f, "{} details", details.len()),
            Self::Raw(value) => write!(f, "{} bytes", value.get().len()),
        }
    }
}
