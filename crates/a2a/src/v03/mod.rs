//! Protocol 0.3, translated to and from the model of 1.0.
//!
//! Nothing above this module knows of 0.3: what arrives becomes an
//! [`Operation`](crate::operation::Operation), and an [`Outcome`](crate::operation::Outcome) or
//! [`StreamResponse`](crate::model::StreamResponse) leaves in the form that the peer reads.
//!
//! | 0.3 | 1.0 |
//! |---|---|
//! | `message/send`, … | `SendMessage`, …: [`Method03`](crate::method::Method03) |
//! | results bare, with `kind` | `{"task": …}` or `{"message": …}` |
//! | `submitted`, `user` | `TASK_STATE_SUBMITTED`, `ROLE_USER` |
//! | `unknown` | `TASK_STATE_UNSPECIFIED` |
//! | `{"kind":"file","file":{"bytes"\|"uri","name","mimeType"}}` | `raw` \| `url`, `filename`, `mediaType` |
//! | `data` is an object | any value; another one is wrapped as `{"value": …}`, and the part's metadata says `"data_part_compat": true` |
//! | `blocking`, absent is `true` | `returnImmediately`, absent is `false` |
//! | `historyLength: 0`, all of it | unset |
//! | `pushNotificationConfig` nested, `schemes` | flat, `scheme` |
//! | a configuration without an id has the task's | ids are required |
//! | a status update's `final` | the end of the stream |
//!
//! What 0.3 has no place for is lost on the way there: the tenant; name and media type of text and data
//! parts; the empty metadata of a part whose data is wrapped; `historyLength: 0`, which asks a peer of
//! 0.3 for everything; the limit and token of a list of push notification configurations; `ListTasks`.
//! Of what 0.3 has and 1.0 has not, all authentication schemes of a webhook but the first are lost.

pub mod jsonrpc;
mod push;
pub mod rest;
pub(crate) mod rules;

use crate::method::Method;

/// An operation that protocol 0.3 cannot express.
#[derive(Debug, thiserror::Error)]
pub enum NotIn03 {
    /// There is no such operation.
    #[error("A2A 0.3 has no counterpart of {}", .0.name())]
    Operation(Method),
    /// There are no tenants.
    #[error("A2A 0.3 has no tenants")]
    Tenant,
    /// The parameters cannot be written.
    #[error("the parameters cannot be written")]
    Unwritable(#[source] serde_json::Error),
}
