//! What an agent sends while a task is under way (A2A 1.0 §4.2, §3.2.3).

use super::{Artifact, Message, Metadata, Task, TaskStatus};
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
