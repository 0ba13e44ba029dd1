//! From an operation to the request that asks for it, and from an outcome to the body that answers it.

use serde::Serialize;
use serde_json::Value;

use super::query::encode;
use crate::operation::{Operation, Outcome};

/// The verb of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of HTTP")]
pub enum Verb {
    Get,
    Post,
    Delete,
}

impl Verb {
    /// The verb as HTTP writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

/// A request to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The verb.
    pub verb: Verb,
    /// What goes behind the interface's URL: path and query, percent-encoded.
    pub target: String,
    /// The JSON body, where the verb has one.
    pub body: Option<Vec<u8>>,
}

/// Writes an operation as a request of 1.0. The tenant goes into the path. `SubscribeToTask` is a GET;
/// a peer that answers 405 takes a POST.
///
/// # Errors
///
/// What serde says when the parameters cannot be written.
pub fn write(operation: &Operation) -> Result<Outgoing, serde_json::Error> {
    let tenant = operation.tenant().filter(|tenant| !tenant.is_empty());
    let prefix = tenant.map(|tenant| format!("/{}", encode(tenant)));
    let mut outgoing = without_tenant(operation)?;
    outgoing.target.insert_str(0, &prefix.unwrap_or_default());
    Ok(outgoing)
}

/// Writes the body that answers an operation of 1.0.
///
/// # Errors
///
/// What serde says when the outcome cannot be written.
pub fn write_outcome(outcome: &Outcome) -> Result<Vec<u8>, serde_json::Error> {
    match outcome {
        // `google.protobuf.Empty`.
        Outcome::Deleted => Ok(b"{}".to_vec()),
        other => serde_json::to_vec(other),
    }
}

fn without_tenant(operation: &Operation) -> Result<Outgoing, serde_json::Error> {
    let task = encode(operation.task_id().unwrap_or_default());
    Ok(match operation {
        Operation::SendMessage(request) => post("/message:send".to_owned(), request)?,
        Operation::SendStreamingMessage(request) => post("/message:stream".to_owned(), request)?,
        Operation::GetTask(request) => get(format!("/tasks/{task}"), request, &["id"])?,
        Operation::ListTasks(request) => get("/tasks".to_owned(), request, &[])?,
        Operation::CancelTask(request) => post(format!("/tasks/{task}:cancel"), request)?,
        Operation::SubscribeToTask(_) => bare(Verb::Get, format!("/tasks/{task}:subscribe")),
        Operation::CreateTaskPushNotificationConfig(config) => {
            post(format!("/tasks/{task}/pushNotificationConfigs"), config)?
        }
        Operation::GetTaskPushNotificationConfig(request) => {
            bare(Verb::Get, config_path(&task, &request.id))
        }
        Operation::ListTaskPushNotificationConfigs(request) => {
            let path = format!("/tasks/{task}/pushNotificationConfigs");
            get(path, request, &["taskId"])?
        }
        Operation::DeleteTaskPushNotificationConfig(request) => {
            bare(Verb::Delete, config_path(&task, &request.id))
        }
        Operation::GetExtendedAgentCard(_) => bare(Verb::Get, "/extendedAgentCard".to_owned()),
    })
}

fn config_path(task: &str, config: &str) -> String {
    format!("/tasks/{task}/pushNotificationConfigs/{}", encode(config))
}

fn bare(verb: Verb, target: String) -> Outgoing {
    Outgoing {
        verb,
        target,
        body: None,
    }
}

fn post(target: String, body: &impl Serialize) -> Result<Outgoing, serde_json::Error> {
    Ok(Outgoing {
        verb: Verb::Post,
        target,
        body: Some(serde_json::to_vec(body)?),
    })
}

/// A GET whose query holds the members of the parameters that are not in the path.
fn get(
    path: String,
    params: &impl Serialize,
    in_path: &[&str],
) -> Result<Outgoing, serde_json::Error> {
    let mut target = path;
    let mut separator = '?';
    if let Value::Object(members) = serde_json::to_value(params)? {
        let members = members.into_iter().filter(|(name, _)| name != "tenant");
        for (name, value) in members.filter(|(name, _)| !in_path.contains(&name.as_str())) {
            let value = match value {
                Value::String(text) => text,
                other => other.to_string(),
            };
            target.push(separator);
            target.push_str(&format!("{name}={}", encode(&value)));
            separator = '&';
        }
    }
    Ok(bare(Verb::Get, target))
}
