//! The messages of 1.0.

use super::convert::{Convert, forms, number_of, public, read_number};
use super::v1;
use crate::fault::At;
use crate::model::{
    Artifact, AuthenticationInfo, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Message, Part, PartContent, Role,
    SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState,
    TaskStatus, TaskStatusUpdateEvent,
};
use crate::protojson::Field as _;

forms! {
    Message = v1::Message {
        message_id = "messageId" required,
        context_id = "contextId",
        task_id = "taskId",
        role = "role" required,
        parts = "parts" required,
        metadata = "metadata",
        extensions = "extensions",
        reference_task_ids = "referenceTaskIds",
    }
    Task = v1::Task {
        id = "id" required,
        context_id = "contextId",
        status = "status" needed,
        artifacts = "artifacts",
        history = "history",
        metadata = "metadata",
    }
    TaskStatus = v1::TaskStatus {
        state = "state" required,
        message = "message",
        timestamp = "timestamp",
    }
    Artifact = v1::Artifact {
        artifact_id = "artifactId" required,
        name = "name",
        description = "description",
        parts = "parts" required,
        metadata = "metadata",
        extensions = "extensions",
    }
    TaskStatusUpdateEvent = v1::TaskStatusUpdateEvent {
        task_id = "taskId" required,
        context_id = "contextId" required,
        status = "status" needed,
        metadata = "metadata",
    }
    TaskArtifactUpdateEvent = v1::TaskArtifactUpdateEvent {
        task_id = "taskId" required,
        context_id = "contextId" required,
        artifact = "artifact" needed,
        append = "append",
        last_chunk = "lastChunk",
        metadata = "metadata",
    }
    SendMessageRequest = v1::SendMessageRequest {
        tenant = "tenant",
        message = "message" needed,
        configuration = "configuration",
        metadata = "metadata",
    }
    SendMessageConfiguration = v1::SendMessageConfiguration {
        accepted_output_modes = "acceptedOutputModes",
        task_push_notification_config = "taskPushNotificationConfig",
        history_length = "historyLength",
        return_immediately = "returnImmediately",
    }
    GetTaskRequest = v1::GetTaskRequest {
        tenant = "tenant",
        id = "id" required,
        history_length = "historyLength",
    }
    ListTasksRequest = v1::ListTasksRequest {
        tenant = "tenant",
        context_id = "contextId",
        status = "status",
        page_size = "pageSize",
        page_token = "pageToken",
        history_length = "historyLength",
        status_timestamp_after = "statusTimestampAfter",
        include_artifacts = "includeArtifacts",
    }
    ListTasksResponse = v1::ListTasksResponse {
        tasks = "tasks",
        next_page_token = "nextPageToken",
        page_size = "pageSize",
        total_size = "totalSize",
    }
    CancelTaskRequest = v1::CancelTaskRequest {
        tenant = "tenant",
        id = "id" required,
        metadata = "metadata",
    }
    SubscribeToTaskRequest = v1::SubscribeToTaskRequest {
        tenant = "tenant",
        id = "id" required,
    }
    GetExtendedAgentCardRequest = v1::GetExtendedAgentCardRequest {
        tenant = "tenant",
    }
    TaskPushNotificationConfig = v1::TaskPushNotificationConfig {
        tenant = "tenant",
        id = "id",
        task_id = "taskId",
        url = "url" required,
        token = "token",
        authentication = "authentication",
    }
    AuthenticationInfo = v1::AuthenticationInfo {
        scheme = "scheme" required,
        credentials = "credentials",
    }
    GetTaskPushNotificationConfigRequest = v1::GetTaskPushNotificationConfigRequest {
        tenant = "tenant",
        task_id = "taskId" required,
        id = "id" required,
    }
    DeleteTaskPushNotificationConfigRequest = v1::DeleteTaskPushNotificationConfigRequest {
        tenant = "tenant",
        task_id = "taskId" required,
        id = "id" required,
    }
    ListTaskPushNotificationConfigsRequest = v1::ListTaskPushNotificationConfigsRequest {
        tenant = "tenant",
        task_id = "taskId" required,
        page_size = "pageSize",
        page_token = "pageToken",
    }
    ListTaskPushNotificationConfigsResponse = v1::ListTaskPushNotificationConfigsResponse {
        configs = "configs",
        next_page_token = "nextPageToken",
    }
}

public! {
    v1::Message => Message,
    v1::Task => Task,
    v1::TaskStatusUpdateEvent => TaskStatusUpdateEvent,
    v1::TaskArtifactUpdateEvent => TaskArtifactUpdateEvent,
    v1::SendMessageRequest => SendMessageRequest,
    v1::SendMessageResponse => SendMessageResponse,
    v1::StreamResponse => StreamResponse,
    v1::GetTaskRequest => GetTaskRequest,
    v1::ListTasksRequest => ListTasksRequest,
    v1::ListTasksResponse => ListTasksResponse,
    v1::CancelTaskRequest => CancelTaskRequest,
    v1::SubscribeToTaskRequest => SubscribeToTaskRequest,
    v1::GetExtendedAgentCardRequest => GetExtendedAgentCardRequest,
    v1::TaskPushNotificationConfig => TaskPushNotificationConfig,
    v1::GetTaskPushNotificationConfigRequest => GetTaskPushNotificationConfigRequest,
    v1::DeleteTaskPushNotificationConfigRequest => DeleteTaskPushNotificationConfigRequest,
    v1::ListTaskPushNotificationConfigsRequest => ListTaskPushNotificationConfigsRequest,
    v1::ListTaskPushNotificationConfigsResponse => ListTaskPushNotificationConfigsResponse,
}

impl Convert<v1::Part> for Part {
    fn from_wire(part: v1::Part, at: At<'_>) -> Self {
        use v1::part::Content;
        let content = match part.content {
            Some(Content::Text(text)) => PartContent::Text(text),
            Some(Content::Raw(bytes)) => PartContent::Raw(bytes),
            Some(Content::Url(url)) => PartContent::Url(url),
            Some(Content::Data(data)) => {
                PartContent::Data(Convert::from_wire(data, at.member("data")))
            }
            None => {
                at.fault("is empty: none of text, raw, url, data is set");
                PartContent::Text(String::new())
            }
        };
        Self {
            content,
            metadata: Convert::from_wire(part.metadata, at.member("metadata")),
            filename: Convert::from_wire(part.filename, at.member("filename")),
            media_type: Convert::from_wire(part.media_type, at.member("mediaType")),
        }
    }

    fn into_wire(self, at: At<'_>) -> v1::Part {
        use v1::part::Content;
        let content = match self.content {
            PartContent::Text(text) => Content::Text(text),
            PartContent::Raw(bytes) => Content::Raw(bytes),
            PartContent::Url(url) => Content::Url(url),
            PartContent::Data(data) => Content::Data(data.into_wire(at.member("data"))),
        };
        v1::Part {
            content: Some(content),
            metadata: self.metadata.into_wire(at.member("metadata")),
            filename: self.filename.unwrap_or_default(),
            media_type: self.media_type.unwrap_or_default(),
        }
    }
}

impl Convert<i32> for Role {
    fn from_wire(number: i32, at: At<'_>) -> Self {
        read_number(number, at)
    }

    fn into_wire(self, _at: At<'_>) -> i32 {
        number_of(self)
    }
}

impl Convert<i32> for TaskState {
    fn from_wire(number: i32, at: At<'_>) -> Self {
        read_number(number, at)
    }

    fn into_wire(self, _at: At<'_>) -> i32 {
        number_of(self)
    }
}

/// A filter; zero is none.
impl Convert<i32> for Option<TaskState> {
    fn from_wire(number: i32, at: At<'_>) -> Self {
        (number != 0).then(|| <TaskState as Convert<i32>>::from_wire(number, at))
    }

    fn into_wire(self, at: At<'_>) -> i32 {
        self.map_or(0, |state| state.into_wire(at))
    }
}

impl Convert<v1::SendMessageResponse> for SendMessageResponse {
    fn from_wire(response: v1::SendMessageResponse, at: At<'_>) -> Self {
        use v1::send_message_response::Payload;
        match response.payload {
            Some(Payload::Task(task)) => Self::Task(Convert::from_wire(task, at.member("task"))),
            Some(Payload::Message(message)) => {
                Self::Message(Convert::from_wire(message, at.member("message")))
            }
            None => {
                at.fault("is empty: none of task, message is set");
                Self::absent()
            }
        }
    }

    fn into_wire(self, at: At<'_>) -> v1::SendMessageResponse {
        use v1::send_message_response::Payload;
        let payload = match self {
            Self::Task(task) => Payload::Task(task.into_wire(at.member("task"))),
            Self::Message(message) => Payload::Message(message.into_wire(at.member("message"))),
        };
        v1::SendMessageResponse {
            payload: Some(payload),
        }
    }
}

impl Convert<v1::StreamResponse> for StreamResponse {
    fn from_wire(response: v1::StreamResponse, at: At<'_>) -> Self {
        use v1::stream_response::Payload;
        match response.payload {
            Some(Payload::Task(task)) => Self::Task(Convert::from_wire(task, at.member("task"))),
            Some(Payload::Message(message)) => {
                Self::Message(Convert::from_wire(message, at.member("message")))
            }
            Some(Payload::StatusUpdate(update)) => {
                Self::StatusUpdate(Convert::from_wire(update, at.member("statusUpdate")))
            }
            Some(Payload::ArtifactUpdate(update)) => {
                Self::ArtifactUpdate(Convert::from_wire(update, at.member("artifactUpdate")))
            }
            None => {
                at.fault("is empty: none of task, message, statusUpdate, artifactUpdate is set");
                Self::absent()
            }
        }
    }

    fn into_wire(self, at: At<'_>) -> v1::StreamResponse {
        use v1::stream_response::Payload;
        let payload = match self {
            Self::Task(task) => Payload::Task(task.into_wire(at.member("task"))),
            Self::Message(message) => Payload::Message(message.into_wire(at.member("message"))),
            Self::StatusUpdate(update) => {
                Payload::StatusUpdate(update.into_wire(at.member("statusUpdate")))
            }
            Self::ArtifactUpdate(update) => {
                Payload::ArtifactUpdate(update.into_wire(at.member("artifactUpdate")))
            }
        };
        v1::StreamResponse {
            payload: Some(payload),
        }
    }
}
