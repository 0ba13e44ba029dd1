//! Tasks and what they produce (A2A 1.0 §4.1.1 to §4.1.3, §4.1.7).

use super::{HistoryLength, Message, Metadata, Part, Timestamp};
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

impl Task {
    /// A task without artifacts and history.
    #[must_use]
    pub fn new(id: impl Into<String>, context_id: impl Into<String>, status: TaskStatus) -> Self {
        Self {
            id: id.into(),
            context_id: Some(context_id.into()),
            status,
            artifacts: Vec::new(),
            history: Vec::new(),
            metadata: None,
        }
    }

    /// The part of the task that a client asks for: the most recent messages of its history, all of them
    /// when `history` is unset (A2A 1.0 §3.2.4), and its artifacts or none.
    #[must_use]
    pub fn excerpt(&self, history: Option<HistoryLength>, artifacts: bool) -> Self {
        let length = history.map_or(self.history.len(), HistoryLength::get);
        let skipped = self.history.len().saturating_sub(length);
        Self {
            id: self.id.clone(),
            context_id: self.context_id.clone(),
            status: self.status.clone(),
            artifacts: if artifacts {
                self.artifacts.clone()
            } else {
                Vec::new()
            },
            history: self.history.iter().skip(skipped).cloned().collect(),
            metadata: self.metadata.clone(),
        }
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

impl TaskStatus {
    /// A state of which nothing is said.
    #[must_use]
    pub fn new(state: TaskState) -> Self {
        Self {
            state,
            message: None,
            timestamp: None,
        }
    }

    /// The same status with a message about it.
    #[must_use]
    pub fn with_message(mut self, message: Message) -> Self {
        self.message = Some(message);
        self
    }

    /// The same status with the time when it began.
    #[must_use]
    pub fn at(mut self, timestamp: Timestamp) -> Self {
        self.timestamp = Some(timestamp);
        self
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

    /// Whether a task may go from this state to another, or stay and say more: anywhere but from a
    /// terminal state, to "not told", or back to "not begun".
    #[must_use]
    pub fn can_become(self, next: Self) -> bool {
        match next {
            _ if self.is_terminal() => false,
            Self::Unspecified => false,
            Self::Submitted => matches!(self, Self::Unspecified | Self::Submitted),
            _ => true,
        }
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

impl Artifact {
    /// An artifact without parts.
    #[must_use]
    pub fn new(artifact_id: impl Into<String>) -> Self {
        Self {
            artifact_id: artifact_id.into(),
            name: None,
            description: None,
            parts: Vec::new(),
            metadata: None,
            extensions: Vec::new(),
        }
    }

    /// The same artifact with one more part.
    #[must_use]
    pub fn with_part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// The same artifact with a name for people.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}
