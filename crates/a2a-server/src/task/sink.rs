//! What work says about its task.

use std::sync::Arc;

use a2a::model::{Artifact, Message, Part, StreamResponse, TaskArtifactUpdateEvent, TaskState};
use tokio::sync::mpsc;

use super::run::Run;
use crate::random_id;

/// What work says about its task, and hears of its client.
///
/// Every method waits when the agent is faster than the store for long, so that memory stays bounded;
/// none waits for a reader.
#[derive(Debug)]
pub struct TaskSink {
    run: Arc<Run>,
    /// Of the task, which never changes it.
    context_id: String,
    inbox: mpsc::UnboundedReceiver<Message>,
}

/// The task takes nothing more: it has ended, by its client's wish or the work's own word, or cannot be
/// stored. The work had better end too.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the task takes nothing more: {0}")]
pub struct Ended(String);

impl TaskSink {
    pub(super) fn new(run: Arc<Run>) -> Self {
        let inbox = run.open_inbox();
        let context_id = run.context_id();
        Self {
            run,
            context_id,
            inbox,
        }
    }

    /// The task.
    #[must_use]
    pub fn task_id(&self) -> &str {
        &self.run.key.id
    }

    /// The conversation of the task.
    #[must_use]
    pub fn context_id(&self) -> String {
        self.context_id.clone()
    }

    /// A message of the agent about the task.
    #[must_use]
    pub fn message(&self, parts: Vec<Part>) -> Message {
        let mut message = Message::agent(random_id())
            .with_task_id(self.task_id())
            .with_context_id(self.context_id());
        message.parts = parts;
        message
    }

    /// The task is under way.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn working(&self, message: Option<Message>) -> Result<(), Ended> {
        self.status(TaskState::Working, message).await
    }

    /// The task is done.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn complete(&self, message: Option<Message>) -> Result<(), Ended> {
        self.status(TaskState::Completed, message).await
    }

    /// The task waits for a message of the client: this is the question.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn ask(&self, question: Message) -> Result<(), Ended> {
        self.status(TaskState::InputRequired, Some(question)).await
    }

    /// The task is in a state.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn status(&self, state: TaskState, message: Option<Message>) -> Result<(), Ended> {
        let emitted = self.run.emit_status(state, message);
        emitted.map_err(|misfit| Ended(misfit.to_string()))?;
        self.room().await
    }

    /// An artifact, whole; it replaces the one of its id.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn artifact(&self, artifact: Artifact) -> Result<(), Ended> {
        let event = self.artifact_event(artifact).last();
        self.emit(StreamResponse::ArtifactUpdate(event)).await
    }

    /// A chunk of an artifact, which begins it or is added to it.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn append(&self, chunk: Artifact, last: bool) -> Result<(), Ended> {
        let known = self.run.has_artifact(&chunk.artifact_id);
        let mut event = self.artifact_event(chunk);
        event.append = known;
        event.last_chunk = last;
        self.emit(StreamResponse::ArtifactUpdate(event)).await
    }

    /// An event as it is.
    ///
    /// # Errors
    /// [`Ended`], also for an event that does not fit the task.
    pub async fn emit(&self, event: StreamResponse) -> Result<(), Ended> {
        let emitted = self.run.emit(event);
        emitted.map_err(|misfit| Ended(misfit.to_string()))?;
        self.room().await
    }

    /// The next message that the client sends about the task.
    pub async fn next_message(&mut self) -> Option<Message> {
        tokio::select! {
            message = self.inbox.recv() => message,
            () = self.run.canceled() => None,
        }
    }

    /// Resolves once the client has ended the task. The work is dropped soon after; this is its chance to
    /// clean up.
    pub async fn canceled(&self) {
        self.run.canceled().await;
    }

    fn artifact_event(&self, artifact: Artifact) -> TaskArtifactUpdateEvent {
        TaskArtifactUpdateEvent::new(self.task_id(), &self.context_id, artifact)
    }

    async fn room(&self) -> Result<(), Ended> {
        // Work that never waits for anything else lets others run too.
        tokio::task::consume_budget().await;
        let room = self.run.room().await;
        room.map_err(|error| Ended(error.message))
    }
}

impl Drop for TaskSink {
    fn drop(&mut self) {
        self.run.close_inbox();
    }
}
