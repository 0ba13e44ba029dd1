//! The service of 0.3.

use a2a::headers::ProtocolVersion;
use a2a::method::Method;
use a2a::operation::{Operation, Outcome};
use a2a::protobuf::{Form as _, v0_3};
use tonic::{Request, Response, Status};

use super::binding::{Binding, Events};
use super::service_0_3::a2a_service_server::A2aService;
use super::status::unwritable;
use crate::Agent;
use crate::task::StreamEvent;

const VERSION: ProtocolVersion = ProtocolVersion::V0_3;

pub(super) struct Service<A>(Binding<A>);

impl<A: Agent> Service<A> {
    pub(super) fn new(binding: Binding<A>) -> Self {
        Self(binding)
    }
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl<A: Agent + 'static> A2aService for Service<A> {
    type SendStreamingMessageStream = Events<v0_3::StreamResponse>;
    type TaskSubscriptionStream = Events<v0_3::StreamResponse>;

    async fn send_message(
        &self,
        request: Request<v0_3::SendMessageRequest>,
    ) -> Answer<v0_3::SendMessageResponse> {
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
        request: Request<v0_3::SendMessageRequest>,
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

    async fn get_task(&self, request: Request<v0_3::GetTaskRequest>) -> Answer<v0_3::Task> {
        let result = |outcome| match outcome {
            Outcome::Task(it) => Some(it),
            _ => None,
        };
        let operation = |model| Ok(Operation::GetTask(model));
        self.0
            .once((VERSION, Method::GetTask), request, operation, result)
            .await
    }

    async fn cancel_task(&self, request: Request<v0_3::CancelTaskRequest>) -> Answer<v0_3::Task> {
        let result = |outcome| match outcome {
            Outcome::Task(it) => Some(it),
            _ => None,
        };
        let operation = |model| Ok(Operation::CancelTask(model));
        self.0
            .once((VERSION, Method::CancelTask), request, operation, result)
            .await
    }

    async fn task_subscription(
        &self,
        request: Request<v0_3::TaskSubscriptionRequest>,
    ) -> Answer<Self::TaskSubscriptionStream> {
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
        request: Request<v0_3::CreateTaskPushNotificationConfigRequest>,
    ) -> Answer<v0_3::TaskPushNotificationConfig> {
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
        request: Request<v0_3::GetTaskPushNotificationConfigRequest>,
    ) -> Answer<v0_3::TaskPushNotificationConfig> {
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

    async fn list_task_push_notification_config(
        &self,
        request: Request<v0_3::ListTaskPushNotificationConfigRequest>,
    ) -> Answer<v0_3::ListTaskPushNotificationConfigResponse> {
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

    async fn get_agent_card(
        &self,
        request: Request<v0_3::GetAgentCardRequest>,
    ) -> Answer<v0_3::AgentCard> {
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
        request: Request<v0_3::DeleteTaskPushNotificationConfigRequest>,
    ) -> Answer<()> {
        let operation = Operation::DeleteTaskPushNotificationConfig;
        self.0.delete(VERSION, request, operation).await
    }
}

fn write(event: StreamEvent) -> Result<v0_3::StreamResponse, Status> {
    let event = (event.event, event.is_last);
    v0_3::StreamResponse::write(event).map_err(|faults| unwritable(&faults))
}
