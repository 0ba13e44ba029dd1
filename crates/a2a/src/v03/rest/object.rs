//! Messages, tasks and events as `a2a.v1` has them in JSON, and their translation.

use super::super::rules::same_variants;
use super::Part;
use crate::model::{self, Metadata, Timestamp};
use crate::protojson::{enumeration, message, oneof};

message! {
    /// A message.
    pub(crate) struct Message {
        pub(crate) message_id: String = "messageId" required,
        pub(crate) context_id: Option<String> = "contextId",
        pub(crate) task_id: Option<String> = "taskId",
        pub(crate) role: model::Role = "role" required,
        pub(crate) content: Vec<Part> = "content" required,
        pub(crate) metadata: Option<Metadata> = "metadata",
        pub(crate) extensions: Vec<String> = "extensions",
    }
}

message! {
    /// A task.
    pub(crate) struct Task {
        pub(crate) id: String = "id" required,
        pub(crate) context_id: String = "contextId" required,
        pub(crate) status: TaskStatus = "status" required,
        pub(crate) artifacts: Vec<Artifact> = "artifacts",
        pub(crate) history: Vec<Message> = "history",
        pub(crate) metadata: Option<Metadata> = "metadata",
    }
}

message! {
    /// Where a task stands.
    pub(crate) struct TaskStatus {
        pub(crate) state: TaskState = "state" required,
        /// `message` in JSON.
        pub(crate) update: Option<Message> = "message",
        pub(crate) timestamp: Option<Timestamp> = "timestamp",
    }
}

enumeration! {
    /// The states of a task.
    pub(crate) enum TaskState, absent Unspecified {
        /// Not told.
        Unspecified = 0 "TASK_STATE_UNSPECIFIED",
        /// Accepted, not begun.
        Submitted = 1 "TASK_STATE_SUBMITTED",
        /// Under way.
        Working = 2 "TASK_STATE_WORKING",
        /// Done.
        Completed = 3 "TASK_STATE_COMPLETED",
        /// Ended by a fault.
        Failed = 4 "TASK_STATE_FAILED",
        /// Ended at the client's wish.
        Canceled = 5 "TASK_STATE_CANCELLED",
        /// Waiting for a message of the user.
        InputRequired = 6 "TASK_STATE_INPUT_REQUIRED",
        /// Not taken on.
        Rejected = 7 "TASK_STATE_REJECTED",
        /// Waiting for credentials.
        AuthRequired = 8 "TASK_STATE_AUTH_REQUIRED",
    }
}

message! {
    /// A result of a task.
    pub(crate) struct Artifact {
        pub(crate) artifact_id: String = "artifactId" required,
        pub(crate) name: Option<String> = "name",
        pub(crate) description: Option<String> = "description",
        pub(crate) parts: Vec<Part> = "parts" required,
        pub(crate) metadata: Option<Metadata> = "metadata",
        pub(crate) extensions: Vec<String> = "extensions",
    }
}

message! {
    /// A task's status changed.
    pub(crate) struct StatusUpdate {
        pub(crate) task_id: String = "taskId" required,
        pub(crate) context_id: String = "contextId" required,
        pub(crate) status: TaskStatus = "status" required,
        /// Whether the stream ends with this event.
        pub(crate) is_final: bool = "final",
        pub(crate) metadata: Option<Metadata> = "metadata",
    }
}

message! {
    /// An artifact came or grew.
    pub(crate) struct ArtifactUpdate {
        pub(crate) task_id: String = "taskId" required,
        pub(crate) context_id: String = "contextId" required,
        pub(crate) artifact: Artifact = "artifact" required,
        pub(crate) append: bool = "append",
        pub(crate) last_chunk: bool = "lastChunk",
        pub(crate) metadata: Option<Metadata> = "metadata",
    }
}

oneof! {
    /// One event of a stream, or the answer to a message.
    pub(crate) enum StreamResponse {
        /// The task as it stands.
        Task(Task) = "task" | "task",
        /// A direct answer.
        Message(Message) = "message" | "msg",
        /// The task's status changed.
        StatusUpdate(StatusUpdate) = "statusUpdate" | "status_update",
        /// An artifact came or grew.
        ArtifactUpdate(ArtifactUpdate) = "artifactUpdate" | "artifact_update",
    }
}

fn parts_to_1_0(parts: Vec<Part>) -> Vec<model::Part> {
    parts.into_iter().map(|part| part.0).collect()
}

fn parts_to_0_3(parts: Vec<model::Part>) -> Vec<Part> {
    parts.into_iter().map(Part).collect()
}

fn all<T, U: From<T>>(list: Vec<T>) -> Vec<U> {
    list.into_iter().map(U::from).collect()
}

same_variants!(TaskState, model::TaskState, {
    Unspecified => Unspecified,
    Submitted => Submitted,
    Working => Working,
    Completed => Completed,
    Failed => Failed,
    Canceled => Canceled,
    InputRequired => InputRequired,
    Rejected => Rejected,
    AuthRequired => AuthRequired,
});

impl From<Message> for model::Message {
    fn from(old: Message) -> Self {
        Self {
            message_id: old.message_id,
            context_id: old.context_id,
            task_id: old.task_id,
            role: old.role,
            parts: parts_to_1_0(old.content),
            metadata: old.metadata,
            extensions: old.extensions,
            reference_task_ids: Vec::new(),
        }
    }
}

impl From<model::Message> for Message {
    fn from(new: model::Message) -> Self {
        Self {
            message_id: new.message_id,
            context_id: new.context_id,
            task_id: new.task_id,
            role: new.role,
            content: parts_to_0_3(new.parts),
            metadata: new.metadata,
            extensions: new.extensions,
        }
    }
}

impl From<TaskStatus> for model::TaskStatus {
    fn from(old: TaskStatus) -> Self {
        Self {
            state: old.state.into(),
            message: old.update.map(Into::into),
            timestamp: old.timestamp,
        }
    }
}

impl From<model::TaskStatus> for TaskStatus {
    fn from(new: model::TaskStatus) -> Self {
        Self {
            state: new.state.into(),
            update: new.message.map(Into::into),
            timestamp: new.timestamp,
        }
    }
}

impl From<Artifact> for model::Artifact {
    fn from(old: Artifact) -> Self {
        Self {
            artifact_id: old.artifact_id,
            name: old.name,
            description: old.description,
            parts: parts_to_1_0(old.parts),
            metadata: old.metadata,
            extensions: old.extensions,
        }
    }
}

impl From<model::Artifact> for Artifact {
    fn from(new: model::Artifact) -> Self {
        Self {
            artifact_id: new.artifact_id,
            name: new.name,
            description: new.description,
            parts: parts_to_0_3(new.parts),
            metadata: new.metadata,
            extensions: new.extensions,
        }
    }
}

impl From<Task> for model::Task {
    fn from(old: Task) -> Self {
        Self {
            id: old.id,
            context_id: Some(old.context_id).filter(|id| !id.is_empty()),
            status: old.status.into(),
            artifacts: all(old.artifacts),
            history: all(old.history),
            metadata: old.metadata,
        }
    }
}

impl From<model::Task> for Task {
    fn from(new: model::Task) -> Self {
        Self {
            id: new.id,
            context_id: new.context_id.unwrap_or_default(),
            status: new.status.into(),
            artifacts: all(new.artifacts),
            history: all(new.history),
            metadata: new.metadata,
        }
    }
}

impl From<StatusUpdate> for model::TaskStatusUpdateEvent {
    fn from(old: StatusUpdate) -> Self {
        Self {
            task_id: old.task_id,
            context_id: old.context_id,
            status: old.status.into(),
            metadata: old.metadata,
        }
    }
}

impl StatusUpdate {
    /// The event in the form of 0.3; `is_final` says whether the stream ends with it.
    pub(crate) fn new(new: model::TaskStatusUpdateEvent, is_final: bool) -> Self {
        Self {
            task_id: new.task_id,
            context_id: new.context_id,
            status: new.status.into(),
            is_final,
            metadata: new.metadata,
        }
    }
}

impl From<ArtifactUpdate> for model::TaskArtifactUpdateEvent {
    fn from(old: ArtifactUpdate) -> Self {
        Self {
            task_id: old.task_id,
            context_id: old.context_id,
            artifact: old.artifact.into(),
            append: old.append,
            last_chunk: old.last_chunk,
            metadata: old.metadata,
        }
    }
}

impl From<model::TaskArtifactUpdateEvent> for ArtifactUpdate {
    fn from(new: model::TaskArtifactUpdateEvent) -> Self {
        Self {
            task_id: new.task_id,
            context_id: new.context_id,
            artifact: new.artifact.into(),
            append: new.append,
            last_chunk: new.last_chunk,
            metadata: new.metadata,
        }
    }
}
