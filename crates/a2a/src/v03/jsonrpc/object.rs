//! Messages, tasks and events in the form of 0.3, and their translation.

use super::super::rules::same_variants;
use super::Part;
use crate::model::{self, Metadata, Timestamp};
use crate::protojson::{constant, enumeration, message};

constant!(MessageKind = "message");
constant!(TaskKind = "task");
constant!(StatusUpdateKind = "status-update");
constant!(ArtifactUpdateKind = "artifact-update");

message! {
    /// A message.
    pub(crate) struct Message {
        pub(crate) kind: MessageKind = "kind",
        pub(crate) message_id: String = "messageId" required,
        pub(crate) context_id: Option<String> = "contextId",
        pub(crate) task_id: Option<String> = "taskId",
        pub(crate) role: Role = "role" required,
        pub(crate) parts: Vec<Part> = "parts" required,
        pub(crate) metadata: Option<Metadata> = "metadata",
        pub(crate) extensions: Vec<String> = "extensions",
        pub(crate) reference_task_ids: Vec<String> = "referenceTaskIds",
    }
}

enumeration! {
    /// Who sent a message.
    pub(crate) enum Role, absent Agent {
        /// The client, for its user.
        User = 1 "user",
        /// The agent.
        Agent = 2 "agent",
    }
}

message! {
    /// A task.
    pub(crate) struct Task {
        pub(crate) kind: TaskKind = "kind",
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
        pub(crate) message: Option<Message> = "message",
        pub(crate) timestamp: Option<Timestamp> = "timestamp",
    }
}

enumeration! {
    /// The states of a task.
    pub(crate) enum TaskState, absent Unknown {
        /// Not told.
        Unknown = 0 "unknown",
        /// Accepted, not begun.
        Submitted = 1 "submitted",
        /// Under way.
        Working = 2 "working",
        /// Done.
        Completed = 3 "completed",
        /// Ended by a fault.
        Failed = 4 "failed",
        /// Ended at the client's wish.
        Canceled = 5 "canceled",
        /// Waiting for a message of the user.
        InputRequired = 6 "input-required",
        /// Not taken on.
        Rejected = 7 "rejected",
        /// Waiting for credentials.
        AuthRequired = 8 "auth-required",
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
        pub(crate) kind: StatusUpdateKind = "kind",
        pub(crate) task_id: String = "taskId" required,
        pub(crate) context_id: String = "contextId" required,
        pub(crate) status: TaskStatus = "status" required,
        /// Whether the stream ends with this event.
        pub(crate) is_final: bool = "final" present,
        pub(crate) metadata: Option<Metadata> = "metadata",
    }
}

message! {
    /// An artifact came or grew.
    pub(crate) struct ArtifactUpdate {
        pub(crate) kind: ArtifactUpdateKind = "kind",
        pub(crate) task_id: String = "taskId" required,
        pub(crate) context_id: String = "contextId" required,
        pub(crate) artifact: Artifact = "artifact" required,
        pub(crate) append: bool = "append",
        pub(crate) last_chunk: bool = "lastChunk",
        pub(crate) metadata: Option<Metadata> = "metadata",
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

same_variants!(Role, model::Role, { User => User, Agent => Agent });
same_variants!(TaskState, model::TaskState, {
    Unknown => Unspecified,
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
            role: old.role.into(),
            parts: parts_to_1_0(old.parts),
            metadata: old.metadata,
            extensions: old.extensions,
            reference_task_ids: old.reference_task_ids,
        }
    }
}

impl From<model::Message> for Message {
    fn from(new: model::Message) -> Self {
        Self {
            kind: MessageKind,
            message_id: new.message_id,
            context_id: new.context_id,
            task_id: new.task_id,
            role: new.role.into(),
            parts: parts_to_0_3(new.parts),
            metadata: new.metadata,
            extensions: new.extensions,
            reference_task_ids: new.reference_task_ids,
        }
    }
}

impl From<TaskStatus> for model::TaskStatus {
    fn from(old: TaskStatus) -> Self {
        Self {
            state: old.state.into(),
            message: old.message.map(Into::into),
            timestamp: old.timestamp,
        }
    }
}

impl From<model::TaskStatus> for TaskStatus {
    fn from(new: model::TaskStatus) -> Self {
        Self {
            state: new.state.into(),
            message: new.message.map(Into::into),
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
            kind: TaskKind,
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
            kind: StatusUpdateKind,
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
            kind: ArtifactUpdateKind,
            task_id: new.task_id,
            context_id: new.context_id,
            artifact: new.artifact.into(),
            append: new.append,
            last_chunk: new.last_chunk,
            metadata: new.metadata,
        }
    }
}
