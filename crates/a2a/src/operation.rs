//! The operations with their parameters and results, the same for every binding (A2A 1.0 §3.1).
//!
//! A binding reads an [`Operation`] from what arrived, has it carried out, and writes the [`Outcome`], or
//! the [`StreamResponse`](crate::model::StreamResponse)s of one that [streams](Method::streams).

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::card::AgentCard;
use crate::error::Error;
use crate::fault::{Fault, Segment};
use crate::method::Method;
use crate::model::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, Model,
    SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig, read_lenient, read_params,
};

/// An operation that a client asks for; serde writes its parameters.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the variants are documented at `Method`")]
pub enum Operation {
    SendMessage(SendMessageRequest),
    SendStreamingMessage(SendMessageRequest),
    GetTask(GetTaskRequest),
    ListTasks(ListTasksRequest),
    CancelTask(CancelTaskRequest),
    SubscribeToTask(SubscribeToTaskRequest),
    CreateTaskPushNotificationConfig(TaskPushNotificationConfig),
    GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest),
    ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest),
    DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest),
    GetExtendedAgentCard(GetExtendedAgentCardRequest),
}

/// The same expression for the parameters of every operation.
macro_rules! each {
    ($self:expr, $params:ident => $body:expr) => {
        match $self {
            Operation::SendMessage($params) => $body,
            Operation::SendStreamingMessage($params) => $body,
            Operation::GetTask($params) => $body,
            Operation::ListTasks($params) => $body,
            Operation::CancelTask($params) => $body,
            Operation::SubscribeToTask($params) => $body,
            Operation::CreateTaskPushNotificationConfig($params) => $body,
            Operation::GetTaskPushNotificationConfig($params) => $body,
            Operation::ListTaskPushNotificationConfigs($params) => $body,
            Operation::DeleteTaskPushNotificationConfig($params) => $body,
            Operation::GetExtendedAgentCard($params) => $body,
        }
    };
}

impl Operation {
    /// Reads the parameters of an operation in the JSON of 1.0.
    ///
    /// # Errors
    ///
    /// Invalid params, with every fault and its place.
    pub fn read(method: Method, params: Option<&RawValue>) -> Result<Self, Error> {
        Ok(match method {
            Method::SendMessage => Self::SendMessage(read_params(params)?),
            Method::SendStreamingMessage => Self::SendStreamingMessage(read_params(params)?),
            Method::GetTask => Self::GetTask(read_params(params)?),
            Method::ListTasks => Self::ListTasks(read_params(params)?),
            Method::CancelTask => Self::CancelTask(read_params(params)?),
            Method::SubscribeToTask => Self::SubscribeToTask(read_params(params)?),
            Method::CreateTaskPushNotificationConfig => {
                Self::create_push_config(read_params(params)?)?
            }
            Method::GetTaskPushNotificationConfig => {
                Self::GetTaskPushNotificationConfig(read_params(params)?)
            }
            Method::ListTaskPushNotificationConfigs => {
                Self::ListTaskPushNotificationConfigs(read_params(params)?)
            }
            Method::DeleteTaskPushNotificationConfig => {
                Self::DeleteTaskPushNotificationConfig(read_params(params)?)
            }
            Method::GetExtendedAgentCard => Self::GetExtendedAgentCard(read_params(params)?),
        })
    }

    /// The registration of a webhook. The task is required here, though not inside a message's
    /// configuration, which is of the same type.
    ///
    /// # Errors
    ///
    /// Invalid params when the configuration names no task.
    pub fn create_push_config(config: TaskPushNotificationConfig) -> Result<Self, Error> {
        if config.task_id.is_some() {
            return Ok(Self::CreateTaskPushNotificationConfig(config));
        }
        let place = vec![Segment::Member("taskId".to_owned())];
        Err(Error::invalid_params(&[Fault::new(place, "is missing")]))
    }

    /// Which operation it is.
    #[must_use]
    pub fn method(&self) -> Method {
        match self {
            Self::SendMessage(_) => Method::SendMessage,
            Self::SendStreamingMessage(_) => Method::SendStreamingMessage,
            Self::GetTask(_) => Method::GetTask,
            Self::ListTasks(_) => Method::ListTasks,
            Self::CancelTask(_) => Method::CancelTask,
            Self::SubscribeToTask(_) => Method::SubscribeToTask,
            Self::CreateTaskPushNotificationConfig(_) => Method::CreateTaskPushNotificationConfig,
            Self::GetTaskPushNotificationConfig(_) => Method::GetTaskPushNotificationConfig,
            Self::ListTaskPushNotificationConfigs(_) => Method::ListTaskPushNotificationConfigs,
            Self::DeleteTaskPushNotificationConfig(_) => Method::DeleteTaskPushNotificationConfig,
            Self::GetExtendedAgentCard(_) => Method::GetExtendedAgentCard,
        }
    }

    /// The tenant that the request names (A2A 1.0 §8.3.2).
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        each!(self, params => params.tenant.as_deref())
    }

    /// Sets or removes the tenant.
    pub fn set_tenant(&mut self, tenant: Option<String>) {
        each!(self, params => params.tenant = tenant);
    }

    /// The task that the request is about, where it names one.
    #[must_use]
    pub fn task_id(&self) -> Option<&str> {
        match self {
            Self::SendMessage(request) | Self::SendStreamingMessage(request) => {
                request.message.task_id.as_deref()
            }
            Self::GetTask(request) => Some(&request.id),
            Self::CancelTask(request) => Some(&request.id),
            Self::SubscribeToTask(request) => Some(&request.id),
            Self::CreateTaskPushNotificationConfig(config) => config.task_id.as_deref(),
            Self::GetTaskPushNotificationConfig(request) => Some(&request.task_id),
            Self::ListTaskPushNotificationConfigs(request) => Some(&request.task_id),
            Self::DeleteTaskPushNotificationConfig(request) => Some(&request.task_id),
            Self::ListTasks(_) | Self::GetExtendedAgentCard(_) => None,
        }
    }
}

impl Serialize for Operation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        each!(self, params => params.serialize(serializer))
    }
}

/// The result of an operation that answers once; serde writes it as JSON-RPC's `result`.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Of `SendMessage`.
    Sent(SendMessageResponse),
    /// Of `GetTask` and `CancelTask`.
    Task(Task),
    /// Of `ListTasks`.
    Tasks(ListTasksResponse),
    /// Of `CreateTaskPushNotificationConfig` and `GetTaskPushNotificationConfig`.
    PushConfig(TaskPushNotificationConfig),
    /// Of `ListTaskPushNotificationConfigs`.
    PushConfigs(ListTaskPushNotificationConfigsResponse),
    /// Of `DeleteTaskPushNotificationConfig`.
    Deleted,
    /// Of `GetExtendedAgentCard`.
    AgentCard(Box<AgentCard>),
}

impl Outcome {
    /// Reads what a peer answered in the JSON of 1.0, with the faults of the answer: where a member is
    /// missing or wrong, an empty one stands in. An operation that [streams](Method::streams) has no one
    /// outcome; what its peer sent is read as that of `SendMessage`. Whatever answers a deletion is taken
    /// for its success.
    ///
    /// # Errors
    ///
    /// The faults, when the answer is not of the right kind at all.
    pub fn read(method: Method, result: &RawValue) -> Result<(Self, Vec<Fault>), Vec<Fault>> {
        Ok(match method {
            Method::SendMessage | Method::SendStreamingMessage | Method::SubscribeToTask => {
                lenient(result, Self::Sent)?
            }
            Method::GetTask | Method::CancelTask => lenient(result, Self::Task)?,
            Method::ListTasks => lenient(result, Self::Tasks)?,
            Method::CreateTaskPushNotificationConfig | Method::GetTaskPushNotificationConfig => {
                lenient(result, Self::PushConfig)?
            }
            Method::ListTaskPushNotificationConfigs => lenient(result, Self::PushConfigs)?,
            Method::DeleteTaskPushNotificationConfig => (Self::Deleted, Vec::new()),
            Method::GetExtendedAgentCard => {
                lenient(result, |card| Self::AgentCard(Box::new(card)))?
            }
        })
    }
}

fn lenient<T: Model>(
    result: &RawValue,
    wrap: impl FnOnce(T) -> Outcome,
) -> Result<(Outcome, Vec<Fault>), Vec<Fault>> {
    let (value, faults) = read_lenient(result)?;
    Ok((wrap(value), faults))
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Sent(response) => response.serialize(serializer),
            Self::Task(task) => task.serialize(serializer),
            Self::Tasks(page) => page.serialize(serializer),
            Self::PushConfig(config) => config.serialize(serializer),
            Self::PushConfigs(page) => page.serialize(serializer),
            Self::Deleted => serializer.serialize_unit(),
            Self::AgentCard(card) => card.serialize(serializer),
        }
    }
}
