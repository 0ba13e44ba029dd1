//! Requests and responses of the operations on messages and tasks (A2A 1.0 §3.1).

use super::{
    HistoryLength, Message, Metadata, PageSize, Task, TaskPushNotificationConfig, TaskState,
    Timestamp,
};
use crate::protojson::{message, oneof};

message! {
    /// The parameters of `SendMessage` and `SendStreamingMessage`.
    pub struct SendMessageRequest {
        /// The tenant of the chosen interface, echoed as the card gives it.
        pub tenant: Option<String> = "tenant",
        /// The message.
        pub message: Message = "message" required,
        /// How the agent should answer.
        pub configuration: Option<SendMessageConfiguration> = "configuration",
        /// Free-form data about the request.
        pub metadata: Option<Metadata> = "metadata",
    }
}

impl SendMessageRequest {
    /// A request with nothing but the message.
    #[must_use]
    pub fn new(message: Message) -> Self {
        Self {
            tenant: None,
            message,
            configuration: None,
            metadata: None,
        }
    }
}

message! {
    /// How an agent should answer a message.
    #[derive(Default)]
    pub struct SendMessageConfiguration {
        /// Media types that the client can use, in order of preference.
        pub accepted_output_modes: Vec<String> = "acceptedOutputModes",
        /// Where to send notifications of the new task.
        pub task_push_notification_config: Option<TaskPushNotificationConfig> = "taskPushNotificationConfig",
        /// How many messages of the history to send back at most; unset leaves it to the agent.
        pub history_length: Option<HistoryLength> = "historyLength" explicit,
        /// Whether to answer as soon as the task exists instead of when it ends or waits for input.
        pub return_immediately: bool = "returnImmediately",
    }
}

oneof! {
    /// What an agent answers to a message.
    pub enum SendMessageResponse {
        /// A task to follow.
        Task(Task) = "task" | "task",
        /// A direct answer.
        Message(Message) = "message" | "message",
    }
}

message! {
    /// The parameters of `GetTask`.
    #[derive(Default)]
    pub struct GetTaskRequest {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
        /// The task.
        pub id: String = "id" required,
        /// How many messages of the history to send at most; unset sends what the agent likes.
        pub history_length: Option<HistoryLength> = "historyLength" explicit,
    }
}

message! {
    /// The parameters of `ListTasks`.
    #[derive(Default)]
    pub struct ListTasksRequest {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
        /// Only tasks of this conversation.
        pub context_id: Option<String> = "contextId",
        /// Only tasks in this state.
        pub status: Option<TaskState> = "status",
        /// How many tasks to send at most; unset means 50.
        pub page_size: Option<PageSize> = "pageSize" explicit,
        /// Where to go on: the `next_page_token` of the page before.
        pub page_token: Option<String> = "pageToken",
        /// How many messages of each task's history to send at most.
        pub history_length: Option<HistoryLength> = "historyLength" explicit,
        /// Only tasks whose status is of this time or later.
        pub status_timestamp_after: Option<Timestamp> = "statusTimestampAfter",
        /// Whether to send artifacts; unset means no.
        pub include_artifacts: Option<bool> = "includeArtifacts" explicit,
    }
}

message! {
    /// One page of tasks, the latest status first.
    #[derive(Default)]
    pub struct ListTasksResponse {
        /// The tasks.
        pub tasks: Vec<Task> = "tasks" present,
        /// Where the next page begins; empty on the last one.
        pub next_page_token: String = "nextPageToken" present,
        /// How many tasks a page holds at most.
        pub page_size: i32 = "pageSize" present,
        /// How many tasks match in all.
        pub total_size: i32 = "totalSize" present,
    }
}

message! {
    /// The parameters of `CancelTask`.
    #[derive(Default)]
    pub struct CancelTaskRequest {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
        /// The task.
        pub id: String = "id" required,
        /// Free-form data.
        pub metadata: Option<Metadata> = "metadata",
    }
}

message! {
    /// The parameters of `SubscribeToTask`.
    #[derive(Default)]
    pub struct SubscribeToTaskRequest {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
        /// The task.
        pub id: String = "id" required,
    }
}

message! {
    /// The parameters of `GetExtendedAgentCard`.
    #[derive(Default)]
    pub struct GetExtendedAgentCardRequest {
        /// The tenant of the chosen interface.
        pub tenant: Option<String> = "tenant",
    }
}
