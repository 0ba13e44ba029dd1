//! Tasks and what they produce (A2A 1.0 §4.1.1 to §4.1.3, §4.1.7).

use super::{Message, Metadata, Part, Timestamp};
use crate::protojson::{enumeration, message};

message! {
    /// A unit of work with a state of its own.
    pub struct Task {
        /// Made by the agent, unique.
        pub id: String = "id" required,
        /// The conversation that the task belongs to.
        pub context_id: Option<String> = "contextId",
        /// Where the task stands.
        pub status: TaskStatus = "status" required,
        /// What the task produced.
        pub artifacts: Vec<Artifact> = "artifacts",
        /// The messages exchanged, as far as the agent keeps them.
        pub history: Vec<Message> = "history",
        /// Free-form data.
        pub metadata: Option<Metadata> = "metadata",
    }
}

message! {
    /// Where a task stands.
    pub struct TaskStatus {
        /// The state.
        pub state: TaskState = "state" required,
        /// What the agent says about the state.
        pub message: Option<Message> = "message",
        /// When the task entered the state.
        pub timestamp: Option<Timestamp> = "timestamp",
    }
}

enumeration! {
    /// The states of a task.
    pub enum TaskState, absent Unspecified {
        /// Not told.
        Unspecified = 0 "TASK_STATE_UNSPECIFIED",
        /// Accepted, not begun.
        Submitted = 1 "TASK_STATE_SUBMITTED",
        /// Under way.
        Working = 2 "TASK_STATE_WORKING",
        /// Done; terminal.
        Completed = 3 "TASK_STATE_COMPLETED",
        /// Ended by a fault; terminal.
        Failed = 4 "TASK_STATE_FAILED",
        /// Ended at the client's wish; terminal.
        Canceled = 5 "TASK_STATE_CANCELED",
        /// Waiting for a message of the user; interrupted.
        InputRequired = 6 "TASK_STATE_INPUT_REQUIRED",
        /// Not taken on by the agent; terminal.
        Rejected = 7 "TASK_STATE_REJECTED",
        /// Waiting for credentials; interrupted.
        AuthRequired = 8 "TASK_STATE_AUTH_REQUIRED",
    }
}

impl TaskState {
    /// Whether nothing more can happen to the task.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// Whether the task waits for its client.
    #[must_use]
    pub fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }
}

message! {
    /// A result of a task.
    pub struct Artifact {
        /// Unique within the task.
        pub artifact_id: String = "artifactId" required,
        /// A name for people.
        pub name: Option<String> = "name",
        /// What it is, for people.
        pub description: Option<String> = "description",
        /// What it holds, at least one part.
        pub parts: Vec<Part> = "parts" required,
        /// Free-form data.
        pub metadata: Option<Metadata> = "metadata",
        /// URIs of the extensions that the artifact uses.
        pub extensions: Vec<String> = "extensions",
    }
}
