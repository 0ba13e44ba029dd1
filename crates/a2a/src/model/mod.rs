//! The data model of A2A 1.0 in its JSON form (A2A 1.0 §4, §5.5 to §5.7).
//!
//! `serde_json` reads and writes every type here. Reading accepts what ProtoJSON demands: camelCase and
//! original names, `null` for absent, enumerations by name or number, both base64 alphabets, integers
//! as number, string or integral float, any RFC 3339 timestamp; unknown members are ignored. A value
//! of the wrong kind or a missing required member is an error that names its place, and all of them are
//! named. Writing gives camelCase, names of enumerations, padded base64, UTC timestamps with
//! milliseconds, and leaves unset members out unless the specification requires them.
//!
//! [`read_params`] reads an operation's parameters and answers faults as invalid params;
//! [`read_lenient`] is for a client that prefers a flawed answer to none.

mod message;
mod metadata;
mod number;
mod push;

mod request;
mod stream;
mod task;
mod timestamp;

use serde_json::value::RawValue;

pub use message::{Message, Part, PartContent, Role};
pub use metadata::{Metadata, NotAnObject};
pub use number::{HistoryLength, PageSize};
pub use push::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, Secret, TaskPushNotificationConfig,
};
pub use request::{
    CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest,
    ListTasksResponse, SendMessageConfiguration, SendMessageRequest, SendMessageResponse,
    SubscribeToTaskRequest,
};
pub use stream::{StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use task::{Artifact, Task, TaskState, TaskStatus};
pub use timestamp::{Timestamp, TimestampError};

use crate::error::Error;
use crate::fault::Fault;
use crate::protojson::{self, Field};

/// A type of the model. Sealed: the protocol defines which types there are.
pub trait Model: sealed::Sealed {}

mod sealed {
    /// Carries the reading of a type without making it public.
    #[expect(
        private_bounds,
        reason = "how a type is read is this crate's own affair"
    )]
    pub trait Sealed: crate::protojson::Field {}
}

impl<T: Field> sealed::Sealed for T {}
impl<T: Field> Model for T {}

/// Reads the parameters of an operation.
///
/// # Errors
///
/// Invalid params with one field violation for each fault: a missing or empty required member, a value
/// of the wrong kind, an ambiguous part.
pub fn read_params<T: Model>(params: Option<&RawValue>) -> Result<T, Error> {
    let text = params.map_or("{}", RawValue::get);
    match protojson::read_str(text) {
        Ok((value, faults)) if faults.is_empty() => Ok(value),
        Ok((_, faults)) | Err(faults) => Err(Error::invalid_params(&faults)),
    }
}

/// Reads a value and lists its faults beside it; where a member is missing or wrong, the value has an
/// empty one.
///
/// # Errors
///
/// The faults, when the text is not JSON or no object at all.
pub fn read_lenient<T: Model>(value: &RawValue) -> Result<(T, Vec<Fault>), Vec<Fault>> {
    protojson::read_str(value.get())
}
