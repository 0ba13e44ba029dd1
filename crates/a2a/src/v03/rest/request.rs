//! Requests in the form of 0.3, and their translation.

use serde::Serialize;
use serde_json::value::RawValue;

use super::super::push::PushConfig;
use super::super::{NotIn03, rules};
use super::object::Message;
use crate::error::Error;
use crate::jsonrpc;
use crate::method::Method;
use crate::model::{self, HistoryLength, Metadata, read_params};
use crate::operation::Operation;
use crate::protojson::message;
use crate::rest::{Outgoing, Route, Verb, query};

message! {
    /// Of `message:send` and `message:stream`.
    struct SendMessageRequest {
        /// `message` in JSON.
        request: Message = "message" required,
        configuration: Option<Configuration> = "configuration",
        metadata: Option<Metadata> = "metadata",
    }
}

message! {
    /// How an agent should answer a message.
    struct Configuration {
        accepted_output_modes: Vec<String> = "acceptedOutputModes",
        push_notification: Option<PushConfig> = "pushNotification",
        history_length: Option<HistoryLength> = "historyLength",
        blocking: bool = "blocking",
    }
}

message! {
    /// A task's webhook.
    pub(super) struct TaskPushConfig {
        /// `tasks/{task}/pushNotificationConfigs/{config}`.
        name: String = "name",
        push_notification_config: PushConfig = "pushNotificationConfig" required,
    }
}

message! {
    /// A webhook to register as some clients send it: with the members that belong into the path.
    struct CreateConfig {
        config_id: Option<String> = "configId",
        config: Option<TaskPushConfig> = "config",
    }
}

/// A webhook to register, as this side sends it: some servers read the configuration itself, some the whole
/// request that the protocol buffers have, and either overlooks the other's members.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Registration {
    parent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    config_id: Option<String>,
    config: TaskPushConfig,
    #[serde(flatten)]
    itself: TaskPushConfig,
}

impl Registration {
    fn of(config: model::TaskPushNotificationConfig) -> Self {
        let task_id = config.task_id.as_deref().unwrap_or_default();
        Self {
            parent: format!("tasks/{task_id}"),
            config_id: config.id.clone(),
            config: config.clone().into(),
            itself: config.into(),
        }
    }
}

/// Reads the operation of a request of 0.3, as the one of 1.0 that does the same.
///
/// # Errors
///
/// A parse error for a body that is not JSON or nests deeper than `max_depth`; invalid params, with
/// every fault and its place in the body as it was sent; unsupported operation for `ListTasks`, which is
/// optional in 0.3.
pub fn read(route: Route, query: &str, body: &[u8], max_depth: usize) -> Result<Operation, Error> {
    let operation = match route.method {
        Method::SendMessage => Operation::SendMessage(send(jsonrpc::read_body(body, max_depth)?)?),
        Method::SendStreamingMessage => {
            Operation::SendStreamingMessage(send(jsonrpc::read_body(body, max_depth)?)?)
        }
        Method::CreateTaskPushNotificationConfig => {
            let task_id = route.task_id.unwrap_or_default();
            let config = created(jsonrpc::read_body(body, max_depth)?, task_id)?;
            Operation::CreateTaskPushNotificationConfig(config)
        }
        Method::ListTasks => return Err(Error::unsupported_operation(Method::ListTasks)),
        // The others have their parameters in path and query, as those of 1.0 do.
        _ => route.read(query, body, max_depth)?,
    };
    Ok(match operation {
        Operation::GetTask(request) => Operation::GetTask(model::GetTaskRequest {
            history_length: rules::history(request.history_length),
            ..request
        }),
        other => other,
    })
}

fn send(body: Option<&RawValue>) -> Result<model::SendMessageRequest, Error> {
    Ok(read_params::<SendMessageRequest>(body)?.into())
}

/// The body is the configuration with its name, or the whole request with that inside.
fn created(
    body: Option<&RawValue>,
    task_id: String,
) -> Result<model::TaskPushNotificationConfig, Error> {
    let whole: CreateConfig = read_params(body)?;
    let (named, config) = match whole.config {
        Some(config) => (whole.config_id, config),
        None => (None, read_params(body)?),
    };
    let config = config.into_1_0();
    Ok(model::TaskPushNotificationConfig {
        id: config.id.or(named).or_else(|| Some(task_id.clone())),
        task_id: Some(task_id),
        ..config
    })
}

/// Writes an operation as a request of 0.3.
///
/// # Errors
///
/// [`NotIn03`] for `ListTasks`, and for an operation of a tenant, which 0.3 has no place for.
pub fn write(operation: &Operation) -> Result<Outgoing, NotIn03> {
    if operation.tenant().is_some() {
        return Err(NotIn03::Tenant);
    }
    let task = query::encode(operation.task_id().unwrap_or_default());
    let get = |target: String| Outgoing {
        verb: Verb::Get,
        target,
        body: None,
    };
    Ok(match operation.clone() {
        Operation::SendMessage(request) => post(
            "/v1/message:send".to_owned(),
            &SendMessageRequest::from(request),
        )?,
        Operation::SendStreamingMessage(request) => {
            let request = SendMessageRequest::from(request);
            post("/v1/message:stream".to_owned(), &request)?
        }
        Operation::GetTask(request) => match request.history_length {
            Some(length) => get(format!("/v1/tasks/{task}?historyLength={}", length.get())),
            None => get(format!("/v1/tasks/{task}")),
        },
        Operation::CancelTask(_) => {
            let target = format!("/v1/tasks/{task}:cancel");
            post(target, &serde_json::Map::new())?
        }
        Operation::SubscribeToTask(_) => get(format!("/v1/tasks/{task}:subscribe")),
        Operation::CreateTaskPushNotificationConfig(config) => {
            let target = format!("/v1/tasks/{task}/pushNotificationConfigs");
            post(target, &Registration::of(config))?
        }
        Operation::GetTaskPushNotificationConfig(request) => get(config_path(&task, &request.id)),
        Operation::ListTaskPushNotificationConfigs(_) => {
            get(format!("/v1/tasks/{task}/pushNotificationConfigs"))
        }
        Operation::DeleteTaskPushNotificationConfig(request) => Outgoing {
            verb: Verb::Delete,
            ..get(config_path(&task, &request.id))
        },
        Operation::GetExtendedAgentCard(_) => get("/v1/card".to_owned()),
        Operation::ListTasks(_) => return Err(NotIn03::Operation(Method::ListTasks)),
    })
}

fn config_path(task: &str, config: &str) -> String {
    let config = query::encode(config);
    format!("/v1/tasks/{task}/pushNotificationConfigs/{config}")
}

fn post(target: String, body: &impl Serialize) -> Result<Outgoing, NotIn03> {
    Ok(Outgoing {
        verb: Verb::Post,
        target,
        body: Some(serde_json::to_vec(body).map_err(NotIn03::Unwritable)?),
    })
}

impl From<SendMessageRequest> for model::SendMessageRequest {
    fn from(old: SendMessageRequest) -> Self {
        Self {
            tenant: None,
            message: old.request.into(),
            configuration: old.configuration.map(Into::into),
            metadata: old.metadata,
        }
    }
}

impl From<model::SendMessageRequest> for SendMessageRequest {
    fn from(new: model::SendMessageRequest) -> Self {
        Self {
            request: new.message.into(),
            // Without one the request blocks in any case.
            configuration: new.configuration.map(Into::into),
            metadata: new.metadata,
        }
    }
}

impl From<Configuration> for model::SendMessageConfiguration {
    fn from(old: Configuration) -> Self {
        Self {
            accepted_output_modes: old.accepted_output_modes,
            task_push_notification_config: old.push_notification.map(PushConfig::into_1_0),
            history_length: rules::history(old.history_length),
            return_immediately: !old.blocking,
        }
    }
}

impl From<model::SendMessageConfiguration> for Configuration {
    fn from(new: model::SendMessageConfiguration) -> Self {
        Self {
            accepted_output_modes: new.accepted_output_modes,
            push_notification: new.task_push_notification_config.map(Into::into),
            history_length: rules::history(new.history_length),
            blocking: !new.return_immediately,
        }
    }
}

impl TaskPushConfig {
    pub(super) fn into_1_0(self) -> model::TaskPushNotificationConfig {
        let (task_id, id) = rules::config_name(&self.name);
        let config = self.push_notification_config.into_1_0();
        model::TaskPushNotificationConfig {
            id: config.id.or(id),
            task_id,
            ..config
        }
    }
}

impl From<model::TaskPushNotificationConfig> for TaskPushConfig {
    fn from(new: model::TaskPushNotificationConfig) -> Self {
        Self {
            name: rules::name_of(&new),
            push_notification_config: new.into(),
        }
    }
}
