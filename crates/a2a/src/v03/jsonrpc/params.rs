//! Parameters of the methods in the form of 0.3, and their translation.

use serde_json::value::{RawValue, to_raw_value};

use super::super::push::PushConfig;
use super::super::{NotIn03, rules};
use super::object::Message;
use crate::error::Error;
use crate::method::{Method, Method03};
use crate::model::{
    self, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, HistoryLength,
    ListTaskPushNotificationConfigsRequest, Metadata, SubscribeToTaskRequest, read_params,
};
use crate::operation::Operation;
use crate::protojson::message;

message! {
    /// Of `message/send` and `message/stream`.
    struct MessageSendParams {
        message: Message = "message" required,
        configuration: Option<Configuration> = "configuration",
        metadata: Option<Metadata> = "metadata",
    }
}

message! {
    /// How an agent should answer a message.
    struct Configuration {
        accepted_output_modes: Vec<String> = "acceptedOutputModes",
        history_length: Option<HistoryLength> = "historyLength" explicit,
        push_notification_config: Option<PushConfig> = "pushNotificationConfig",
        /// Whether to wait for the task; unset is read as yes.
        blocking: Option<bool> = "blocking" explicit,
    }
}

message! {
    /// A task's webhook.
    pub(super) struct TaskPushConfig {
        task_id: String = "taskId" required,
        push_notification_config: PushConfig = "pushNotificationConfig" required,
    }
}

message! {
    /// Of `tasks/get`.
    struct TaskQueryParams {
        id: String = "id" required,
        history_length: Option<HistoryLength> = "historyLength" explicit,
    }
}

message! {
    /// Of the methods that need a task's id and no more.
    struct TaskIdParams {
        id: String = "id" required,
        metadata: Option<Metadata> = "metadata",
    }
}

message! {
    /// Of `tasks/pushNotificationConfig/get`.
    struct GetConfigParams {
        id: String = "id" required,
        /// Unset means the one whose id is the task's.
        push_notification_config_id: Option<String> = "pushNotificationConfigId",
    }
}

message! {
    /// Of `tasks/pushNotificationConfig/delete`.
    struct DeleteConfigParams {
        id: String = "id" required,
        push_notification_config_id: String = "pushNotificationConfigId" required,
    }
}

/// Reads the parameters of a method of 0.3 as the operation of 1.0 that does the same.
///
/// # Errors
///
/// Invalid params, with every fault and its place in the parameters as they were sent.
pub fn read(method: Method03, params: Option<&RawValue>) -> Result<Operation, Error> {
    Ok(match method.counterpart() {
        Method::SendMessage => Operation::SendMessage(send(params)?),
        Method::SendStreamingMessage => Operation::SendStreamingMessage(send(params)?),
        Method::GetTask => {
            let params: TaskQueryParams = read_params(params)?;
            Operation::GetTask(GetTaskRequest {
                tenant: None,
                id: params.id,
                history_length: rules::history(params.history_length),
            })
        }
        Method::CancelTask => {
            let params: TaskIdParams = read_params(params)?;
            Operation::CancelTask(CancelTaskRequest {
                tenant: None,
                id: params.id,
                metadata: params.metadata,
            })
        }
        Method::SubscribeToTask => {
            let params: TaskIdParams = read_params(params)?;
            Operation::SubscribeToTask(SubscribeToTaskRequest {
                tenant: None,
                id: params.id,
            })
        }
        Method::CreateTaskPushNotificationConfig => {
            let mut config = read_params::<TaskPushConfig>(params)?.into_1_0();
            config.id = config.id.or_else(|| config.task_id.clone());
            Operation::CreateTaskPushNotificationConfig(config)
        }
        Method::GetTaskPushNotificationConfig => {
            let params: GetConfigParams = read_params(params)?;
            let id = params.push_notification_config_id;
            Operation::GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest {
                tenant: None,
                id: id.unwrap_or_else(|| params.id.clone()),
                task_id: params.id,
            })
        }
        Method::ListTaskPushNotificationConfigs => {
            let params: TaskIdParams = read_params(params)?;
            Operation::ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest {
                task_id: params.id,
                ..ListTaskPushNotificationConfigsRequest::default()
            })
        }
        Method::DeleteTaskPushNotificationConfig => {
            let params: DeleteConfigParams = read_params(params)?;
            Operation::DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest {
                tenant: None,
                task_id: params.id,
                id: params.push_notification_config_id,
            })
        }
        // `ListTasks` has no method in 0.3, so that none leads here.
        Method::GetExtendedAgentCard | Method::ListTasks => {
            Operation::GetExtendedAgentCard(GetExtendedAgentCardRequest::default())
        }
    })
}

/// Writes an operation as the method and parameters of 0.3.
///
/// # Errors
///
/// [`NotIn03`] for `ListTasks`, and for an operation of a tenant, which 0.3 has no place for.
pub fn write(operation: &Operation) -> Result<(Method03, Box<RawValue>), NotIn03> {
    let method = Method03::of(operation.method()).ok_or(NotIn03::Operation(operation.method()))?;
    if operation.tenant().is_some() {
        return Err(NotIn03::Tenant);
    }
    let params = match operation.clone() {
        Operation::SendMessage(request) | Operation::SendStreamingMessage(request) => {
            to_raw_value(&MessageSendParams::from(request))
        }
        Operation::GetTask(request) => to_raw_value(&TaskQueryParams {
            id: request.id,
            history_length: request.history_length,
        }),
        Operation::CancelTask(request) => to_raw_value(&TaskIdParams {
            id: request.id,
            metadata: request.metadata,
        }),
        Operation::SubscribeToTask(request) => to_raw_value(&only(request.id)),
        Operation::CreateTaskPushNotificationConfig(config) => {
            to_raw_value(&TaskPushConfig::from(config))
        }
        Operation::GetTaskPushNotificationConfig(request) => to_raw_value(&GetConfigParams {
            id: request.task_id,
            push_notification_config_id: Some(request.id),
        }),
        Operation::ListTaskPushNotificationConfigs(request) => to_raw_value(&only(request.task_id)),
        Operation::DeleteTaskPushNotificationConfig(request) => to_raw_value(&DeleteConfigParams {
            id: request.task_id,
            push_notification_config_id: request.id,
        }),
        Operation::GetExtendedAgentCard(_) | Operation::ListTasks(_) => {
            to_raw_value(&serde_json::Map::new())
        }
    };
    params
        .map(|params| (method, params))
        .map_err(NotIn03::Unwritable)
}

fn send(params: Option<&RawValue>) -> Result<model::SendMessageRequest, Error> {
    Ok(read_params::<MessageSendParams>(params)?.into())
}

fn only(id: String) -> TaskIdParams {
    TaskIdParams { id, metadata: None }
}

impl From<MessageSendParams> for model::SendMessageRequest {
    fn from(old: MessageSendParams) -> Self {
        Self {
            tenant: None,
            message: old.message.into(),
            configuration: old.configuration.map(Into::into),
            metadata: old.metadata,
        }
    }
}

impl From<model::SendMessageRequest> for MessageSendParams {
    fn from(new: model::SendMessageRequest) -> Self {
        Self {
            message: new.message.into(),
            configuration: new.configuration.map(Into::into),
            metadata: new.metadata,
        }
    }
}

impl From<Configuration> for model::SendMessageConfiguration {
    fn from(old: Configuration) -> Self {
        Self {
            accepted_output_modes: old.accepted_output_modes,
            task_push_notification_config: old.push_notification_config.map(PushConfig::into_1_0),
            history_length: rules::history(old.history_length),
            return_immediately: old.blocking == Some(false),
        }
    }
}

impl From<model::SendMessageConfiguration> for Configuration {
    fn from(new: model::SendMessageConfiguration) -> Self {
        Self {
            accepted_output_modes: new.accepted_output_modes,
            history_length: new.history_length,
            push_notification_config: new.task_push_notification_config.map(Into::into),
            // Said in full: agents differ in what they take its absence for.
            blocking: Some(!new.return_immediately),
        }
    }
}

impl TaskPushConfig {
    pub(super) fn into_1_0(self) -> model::TaskPushNotificationConfig {
        model::TaskPushNotificationConfig {
            task_id: Some(self.task_id).filter(|id| !id.is_empty()),
            ..self.push_notification_config.into_1_0()
        }
    }
}

impl From<model::TaskPushNotificationConfig> for TaskPushConfig {
    fn from(mut new: model::TaskPushNotificationConfig) -> Self {
        Self {
            task_id: new.task_id.take().unwrap_or_default(),
            push_notification_config: new.into(),
        }
    }
}
