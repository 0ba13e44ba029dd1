//! The service of 1.0.

use a2a::headers::ProtocolVersion;
use a2a::method::Method;
use a2a::operation::{Operation, Outcome};
use a2a::protobuf::{Form as _, v1};
use tonic::{Request, Response, Status};

use super::binding::{Binding, Events};
use super::service_1_0::a2a_service_server::A2aService;
use super::status::unwritable;
use crate::Agent;
use crate::task::StreamEvent;

const VERSION: ProtocolVersion = ProtocolVersion::V1_0;

pub(super) struct Service<A>(Binding<A>);

impl<A: Agent> Service<A> {
    pub(super) fn new(binding: Binding<A>) -> Self {
        Self(binding)
    }
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl<A: Agent + 'static> A2aService for Service<A> {
    type SendStreamingMessageStream = Events<v1::StreamResponse>;
    type SubscribeToTaskStream = Events<v1::StreamResponse>;

    async fn send_message(
        &self,
        request: Request<v1::SendMessageRequest>,
    ) -> Answer<v1::SendMessageResponse> {
        let result = |outcome| match outcome {
            Outcome::Sent(it) => Some(it),
            _ => None,
        };
        let operation = |model| Ok(Operation::SendMessage(model));
        self.0
            .once((VERSION, Method::SendMessage), request, operation, result)
            .await
    }

    async fn send_streaming_message(
        &self,
        request: Request<v1::SendMessageRequest>,
    ) -> Answer<Self::SendStreamingMessageStream> {
        let operation = Operation::SendStreamingMessage;
        self.0
            .stream(
                (VERSION, Method::SendStreamingMessage),
                request,
                operation,
                write,
            )
            .await
    }

    async fn get_task(&self, request: Request<v1::GetTaskRequest>) -> Answer<v1::Task> {
        let result = |outcome| match outcome {
            Outcome::Task(it) => Some(it),
            _ => None,
        };
        let operation = |model| Ok(Operation::GetTask(model));
        self.0
            .once((VERSION, Method::GetTask), request, operation, result)
            .await
    }

    async fn list_tasks(
        &self,
        request: Request<v1::ListTasksRequest>,
    ) -> Answer<v1::ListTasksResponse> {
        let result = |outcome| match outcome {
            Outcome::Tasks(it) => Some(it),
            _ => None,
        };
        let operation = |model| Ok(Operation::ListTasks(model));
        self.0
            .once((VERSION, Method::ListTasks), request, operation, result)
            .await
    }

    async fn cancel_task(&self, request: Request<v1::CancelTaskRequest>) -> Answer<v1::Task> {
        let result = |outcome| match outcome {
            Outcome::Task(it) => Some(it),
            _ => None,
        };
        let operation = |model| Ok(Operation::CancelTask(model));
        self.0
            .once((VERSION, Method::CancelTask), request, operation, result)
            .await
    }

    async fn subscribe_to_task(
        &self,
        request: Request<v1::SubscribeToTaskRequest>,
    ) -> Answer<Self::SubscribeToTaskStream> {
        let operation = Operation::SubscribeToTask;
        self.0
            .stream(
                (VERSION, Method::SubscribeToTask),
                request,
                operation,
                write,
            )
            .await
    }

    async fn create_task_push_notification_config(
        &self,
        request: Request<v1::TaskPushNotificationConfig>,
    ) -> Answer<v1::TaskPushNotificationConfig> {
        let result = |outcome| match outcome {
            Outcome::PushConfig(it) => Some(it),
            _ => None,
        };
        let operation = Operation::create_push_config;
        self.0
            .once(
                (VERSION, Method::CreateTaskPushNotificationConfig),
                request,
                operation,
                result,
            )
            .await
    }

    async fn get_task_push_notification_config(
        &self,
        request: Request<v1::GetTaskPushNotificationConfigRequest>,
    ) -> Answer<v1::TaskPushNotificationConfig> {
        let result = |outcome| match outcome {
            Outcome::PushConfig(it) => Some(it),
            _ => None,
        };
        let operation = |model| Ok(Operation::GetTaskPushNotificationConfig(model));
        self.0
            .once(
                (VERSION, Method::GetTaskPushNotificationConfig),
                request,
                operation,
                result,
            )
            .await
    }

    async fn list_task_push_notification_configs(
        &self,
        request: Request<v1::ListTaskPushNotificationConfigsRequest>,
    ) -> Answer<v1::ListTaskPushNotificationConfigsResponse> {
        let result = |outcome| match outcome {
            Outcome::PushConfigs(it) => Some(it),
            _ => None,
        };
        let operation = |model| Ok(Operation::ListTaskPushNotificationConfigs(model));
        self.0
            .once(
                (VERSION, Method::ListTaskPushNotificationConfigs),
                request,
                operation,
                result,
            )
            .await
    }

    async fn get_extended_agent_card(
        &self,
        request: Request<v1::GetExtendedAgentCardRequest>,
    ) -> Answer<v1::AgentCard> {
        let result = |outcome| match outcome {
            Outcome::AgentCard(it) => Some(*it),
            _ => None,
        };
        let operation = |model| Ok(Operation::GetExtendedAgentCard(model));
        self.0
            .once(
                (VERSION, Method::GetExtendedAgentCard),
                request,
                operation,
                result,
            )
            .await
    }

    async fn delete_task_push_notification_config(
        &self,
        request: Request<v1::DeleteTaskPushNotificationConfigRequest>,
    ) -> Answer<()> {
        let operation = Operation::DeleteTaskPushNotificationConfig;
        self.0.delete(VERSION, request, operation).await
    }
}

fn write(event: StreamEvent) -> Result<v1::StreamResponse, Status> {
    v1::StreamResponse::write(event.event).map_err(|faults| unwritable(&faults))
}
