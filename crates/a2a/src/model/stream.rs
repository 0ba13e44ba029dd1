//! What an agent sends while a task is under way (A2A 1.0 §4.2, §3.2.3).

use super::{Artifact, Message, Metadata, Task, TaskState, TaskStatus};
use crate::protojson::{message, oneof};

oneof! {
    /// One event of a stream, or the body of a push notification.
    pub enum StreamResponse {
        /// The task as it stands.
        Task(Task) = "task" | "task",
        /// A direct answer; nothing follows it.
        Message(Message) = "message" | "message",
        /// The task's status changed.
        StatusUpdate(TaskStatusUpdateEvent) = "statusUpdate" | "status_update",
        /// An artifact came or grew.
        ArtifactUpdate(TaskArtifactUpdateEvent) = "artifactUpdate" | "artifact_update",
    }
}

message! {
    /// A task's status changed.
    pub struct TaskStatusUpdateEvent {
        /// The task.
        pub task_id: String = "taskId" required,
        /// The conversation of the task.
        pub context_id: String = "contextId" required,
        /// The new status.
        pub status: TaskStatus = "status" required,
        /// Free-form data.
        pub metadata: Option<Metadata> = "metadata",
    }
}

impl TaskStatusUpdateEvent {
    /// A new status of a task.
    #[must_use]
    pub fn new(
        task_id: impl Into<String>,
        context_id: impl Into<String>,
        status: TaskStatus,
    ) -> Self {
        Self {
            task_id: task_id.into(),
            context_id: context_id.into(),
            status,
            metadata: None,
        }
    }
}

message! {
    /// An artifact came or grew.
    pub struct TaskArtifactUpdateEvent {
        /// The task.
        pub task_id: String = "taskId" required,
        /// The conversation of the task.
        pub context_id: String = "contextId" required,
        /// The artifact, or the parts to append to it.
        pub artifact: Artifact = "artifact" required,
        /// Whether the parts are appended to the artifact of the same id instead of replacing it.
        pub append: bool = "append",
        /// Whether the artifact is complete with this event.
        pub last_chunk: bool = "lastChunk",
        /// Free-form data.
        pub metadata: Option<Metadata> = "metadata",
    }
}

impl TaskArtifactUpdateEvent {
    /// An artifact that is new, or replaces the one of its id.
    #[must_use]
    pub fn new(
        task_id: impl Into<String>,
        context_id: impl Into<String>,
        artifact: Artifact,
    ) -> Self {
        Self {
            task_id: task_id.into(),
            context_id: context_id.into(),
            artifact,
            append: false,
            last_chunk: false,
            metadata: None,
        }
    }

    /// The same event, but the parts are appended to the artifact of the same id.
    #[must_use]
    pub fn appended(mut self) -> Self {
        self.append = true;
        self
    }

    /// The same event, and the artifact is complete with it.
    #[must_use]
    pub fn last(mut self) -> Self {
        self.last_chunk = true;
        self
    }
}

impl StreamResponse {
    /// The task that the event is about, where it is about one.
    #[must_use]
    pub fn task_id(&self) -> Option<&str> {
        match self {
            Self::Task(task) => Some(&task.id),
            Self::Message(message) => message.task_id.as_deref(),
            Self::StatusUpdate(event) => Some(&event.task_id),
            Self::ArtifactUpdate(event) => Some(&event.task_id),
        }
    }

    /// The state that the task is in with this event, where the event tells it.
    #[must_use]
    pub fn state(&self) -> Option<TaskState> {
        match self {
            Self::Task(task) => Some(task.status.state),
            Self::StatusUpdate(event) => Some(event.status.state),
            Self::Message(_) | Self::ArtifactUpdate(_) => None,
        }
    }
}
