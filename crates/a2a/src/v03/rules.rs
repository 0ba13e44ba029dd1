//! The rules of translation that both JSON forms and the protocol buffers of 0.3 share.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::ErrorKind;
use crate::model::{HistoryLength, Metadata, TaskPushNotificationConfig};

/// The metadata member by which implementations mark `data` that is wrapped for 0.3.
const WRAPPED: &str = "data_part_compat";
/// The member of the object that wraps it.
const VALUE: &str = "value";

/// How 0.3, where `data` is an object, holds a value.
pub(crate) enum Data {
    /// As it is: it is an object.
    Plain,
    /// In an object that wraps it, with metadata of the part that says so.
    Wrapped(Metadata, Metadata),
}

/// Makes an object of `data` that is none; `None` when it cannot be written.
pub(crate) fn wrap(data: &RawValue, metadata: Option<&Metadata>) -> Option<Data> {
    #[derive(Serialize)]
    struct Wrapper<'a> {
        value: &'a RawValue,
    }
    #[derive(Serialize)]
    struct Mark {
        #[serde(rename = "data_part_compat")]
        wrapped: bool,
    }
    if data.get().starts_with('{') {
        return Some(Data::Plain);
    }
    let object = Metadata::new(&Wrapper { value: data }).ok()?;
    let mark = Metadata::new(&Mark { wrapped: true }).ok()?;
    let metadata = match metadata {
        Some(metadata) => metadata.clone().merged(mark),
        None => mark,
    };
    Some(Data::Wrapped(object, metadata))
}

/// The value that an object wraps, if its metadata says so, and the metadata without that word.
pub(crate) fn unwrap(
    object: Metadata,
    metadata: Option<Metadata>,
) -> (Box<RawValue>, Option<Metadata>) {
    let marked = metadata.as_ref().is_some_and(|metadata| {
        let mark = metadata.get(WRAPPED);
        mark.is_some_and(|mark| mark.get() == "true")
    });
    let value = match object.members().as_slice() {
        [(name, value)] if marked && name == VALUE => Some((*value).to_owned()),
        _ => None,
    };
    match value {
        Some(value) => (
            value,
            metadata.and_then(|metadata| metadata.without(WRAPPED)),
        ),
        None => (object.into_raw(), metadata),
    }
}

/// The history that a request asks for: 0 means all of it in 0.3, and none in 1.0.
pub(crate) fn history(length: Option<HistoryLength>) -> Option<HistoryLength> {
    length.filter(|length| length.get() > 0)
}

/// The ids in a resource name, `tasks/{task}/pushNotificationConfigs/{config}`, which 0.3 has in protocol
/// buffers.
pub(crate) fn config_name(name: &str) -> (Option<String>, Option<String>) {
    let known = |id: &str| Some(id.to_owned()).filter(|id| !id.is_empty());
    let Some(name) = name.strip_prefix("tasks/") else {
        return (None, None);
    };
    match name.split_once("/pushNotificationConfigs") {
        None => (known(name), None),
        Some((task, config)) => (known(task), config.strip_prefix('/').and_then(known)),
    }
}

/// The resource name of a configuration.
pub(crate) fn name_of(config: &TaskPushNotificationConfig) -> String {
    let task = config.task_id.as_deref().unwrap_or_default();
    let id = config.id.as_deref().unwrap_or_default();
    format!("tasks/{task}/pushNotificationConfigs/{id}")
}

/// Translation by variants of the same names.
macro_rules! same_variants {
    ($old:ty, $new:ty, { $( $variant:ident => $new_variant:ident ),* $(,)? }) => {
        impl From<$old> for $new {
            fn from(value: $old) -> Self {
                match value {
                    $( <$old>::$variant => Self::$new_variant, )*
                }
            }
        }

        impl From<$new> for $old {
            fn from(value: $new) -> Self {
                match value {
                    $( <$new>::$new_variant => Self::$variant, )*
                }
            }
        }
    };
}

pub(crate) use same_variants;

/// The names of errors in the schema of 0.3, which clients of its gRPC and HTTP know them by.
const ERROR_NAMES: [(ErrorKind, &str); 12] = [
    (ErrorKind::TaskNotFound, "TaskNotFoundError"),
    (ErrorKind::TaskNotCancelable, "TaskNotCancelableError"),
    (
        ErrorKind::PushNotificationNotSupported,
        "PushNotificationNotSupportedError",
    ),
    (ErrorKind::UnsupportedOperation, "UnsupportedOperationError"),
    (
        ErrorKind::ContentTypeNotSupported,
        "ContentTypeNotSupportedError",
    ),
    (ErrorKind::InvalidAgentResponse, "InvalidAgentResponseError"),
    (
        ErrorKind::ExtendedAgentCardNotConfigured,
        "AuthenticatedExtendedCardNotConfiguredError",
    ),
    (ErrorKind::Parse, "JSONParseError"),
    (ErrorKind::InvalidRequest, "InvalidRequestError"),
    (ErrorKind::MethodNotFound, "MethodNotFoundError"),
    (ErrorKind::InvalidParams, "InvalidParamsError"),
    (ErrorKind::Internal, "InternalError"),
];

/// What 0.3 calls an error of this kind; `None` for those that it has not.
pub(crate) fn error_name(kind: ErrorKind) -> Option<&'static str> {
    let named = ERROR_NAMES.iter().find(|(named, _)| *named == kind);
    named.map(|(_, name)| *name)
}

/// The kind of the error whose name and a colon begin a message, and the rest of the message.
#[cfg(feature = "protobuf")]
pub(crate) fn named_error(message: &str) -> Option<(ErrorKind, &str)> {
    let (name, rest) = message.split_once(": ")?;
    let (kind, _) = ERROR_NAMES.iter().find(|(_, named)| *named == name)?;
    Some((*kind, rest))
}
