//! Events folded into the task that they are about (A2A 1.0 §4.2, §3.5.2).
//!
//! The specification does not spell the rules out; these are the ones that implementations agree on:
//!
//! - A status replaces the one before it. The message of the old status becomes the last of the history.
//!   The event's metadata is merged into the task's, member by member.
//! - An artifact that is not appended is new, or replaces the one of its id. One that is appended adds
//!   its parts to the one of its id, and its metadata and extensions are merged; if there is none of that
//!   id yet, it is new. Either way the task has one artifact of an id.
//! - `lastChunk` seals an artifact: it can be replaced, but nothing can be appended to it.
//! - A terminal state ends the task: no event follows it.

use std::collections::{HashMap, HashSet};

use crate::fault::quoted;
use crate::model::{
    Message, Metadata, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState,
    TaskStatusUpdateEvent,
};

/// A task that takes in its events, each at a cost that does not depend on how many came before.
///
/// ```
/// use a2a::fold::Fold;
/// use a2a::model::{Artifact, Part, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus};
///
/// let task = Task::new("t-1", "c-1", TaskStatus::new(TaskState::Working));
/// let mut fold = Fold::new(task);
/// for text in ["First. ", "Second."] {
///     let chunk = Artifact::new("report").with_part(Part::text(text));
///     let event = TaskArtifactUpdateEvent::new("t-1", "c-1", chunk).appended();
///     fold.artifact(event)?;
/// }
/// assert_eq!(fold.task().artifacts.len(), 1);
/// assert_eq!(fold.task().artifacts[0].parts.len(), 2);
/// # Ok::<(), a2a::fold::Misfit>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fold {
    task: Task,
    /// Where each artifact is in the task.
    places: HashMap<String, usize>,
    /// The artifacts that are complete.
    sealed: HashSet<String>,
}

/// An event that does not fit its task; the task stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// The event is about another task or another conversation.
    #[error("the event is about {found}, not about {expected}")]
    OtherTask {
        /// The id that the event has.
        found: String,
        /// The id that it should have.
        expected: String,
    },
    /// The task has ended, or never goes on to the state.
    #[error("the task is {from} and cannot become {to}", from = from.as_str(), to = to.as_str())]
    State {
        /// The state of the task.
        from: TaskState,
        /// The state of the event.
        to: TaskState,
    },
    /// The task has ended.
    #[error("the task is {state} and produces nothing more", state = .0.as_str())]
    Ended(TaskState),
    /// The artifact is complete.
    #[error("the artifact {0} is complete and cannot be appended to")]
    Sealed(String),
    /// A direct answer is no event of a task.
    #[error("a message is no event of a task")]
    Message,
}

impl Fold {
    /// Begins with a task as it stands. Its artifacts count as incomplete.
    #[must_use]
    pub fn new(task: Task) -> Self {
        let artifacts = task.artifacts.iter().enumerate();
        let places = artifacts.map(|(place, artifact)| (artifact.artifact_id.clone(), place));
        Self {
            places: places.collect(),
            sealed: HashSet::new(),
            task,
        }
    }

    /// The task as it stands.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The task as it stands, at the end.
    #[must_use]
    pub fn into_task(self) -> Task {
        self.task
    }

    /// Whether the task has an artifact of this id.
    #[must_use]
    pub fn has_artifact(&self, artifact_id: &str) -> bool {
        self.places.contains_key(artifact_id)
    }

    /// Takes in an event of a stream. A whole task replaces the one before it.
    ///
    /// # Errors
    ///
    /// [`Misfit`] for an event that does not fit.
    pub fn apply(&mut self, event: StreamResponse) -> Result<(), Misfit> {
        match event {
            StreamResponse::Task(task) => {
                same(&task.id, &self.task.id)?;
                *self = Self::new(task);
                Ok(())
            }
            StreamResponse::StatusUpdate(event) => self.status(event),
            StreamResponse::ArtifactUpdate(event) => self.artifact(event),
            StreamResponse::Message(_) => Err(Misfit::Message),
        }
    }

    /// Takes in a status.
    ///
    /// # Errors
    ///
    /// [`Misfit`] for an event of another task, or a state that cannot follow the task's.
    pub fn status(&mut self, event: TaskStatusUpdateEvent) -> Result<(), Misfit> {
        self.own(&event.task_id, &event.context_id)?;
        let (from, to) = (self.task.status.state, event.status.state);
        if !from.can_become(to) {
            return Err(Misfit::State { from, to });
        }
        self.retire_status_message();
        self.task.status = event.status;
        merge(&mut self.task.metadata, event.metadata);
        Ok(())
    }

    /// Takes in an artifact or a chunk of one.
    ///
    /// # Errors
    ///
    /// [`Misfit`] for an event of another task, a task that has ended, or an artifact that is complete.
    pub fn artifact(&mut self, event: TaskArtifactUpdateEvent) -> Result<(), Misfit> {
        self.own(&event.task_id, &event.context_id)?;
        let state = self.task.status.state;
        if state.is_terminal() {
            return Err(Misfit::Ended(state));
        }
        let mut artifact = event.artifact;
        let id = artifact.artifact_id.as_str();
        if event.append && self.sealed.contains(id) {
            return Err(Misfit::Sealed(quoted(id)));
        }
        if event.last_chunk {
            self.sealed.insert(id.to_owned());
        } else if !event.append {
            self.sealed.remove(id);
        }
        let place = self.places.get(id).copied();
        let known = place.and_then(|place| self.task.artifacts.get_mut(place));
        match known {
            None => {
                self.places.insert(id.to_owned(), self.task.artifacts.len());
                self.task.artifacts.push(artifact);
            }
            Some(known) if event.append => {
                known.parts.append(&mut artifact.parts);
                merge(&mut known.metadata, artifact.metadata);
                for extension in artifact.extensions {
                    if !known.extensions.contains(&extension) {
                        known.extensions.push(extension);
                    }
                }
                known.name = artifact.name.or(known.name.take());
                known.description = artifact.description.or(known.description.take());
            }
            Some(known) => *known = artifact,
        }
        Ok(())
    }

    /// Takes in a message of the client. What the agent said in its status before comes first in the
    /// history.
    ///
    /// # Errors
    ///
    /// [`Misfit`] when the task has ended.
    pub fn message(&mut self, message: Message) -> Result<(), Misfit> {
        let state = self.task.status.state;
        if state.is_terminal() {
            return Err(Misfit::Ended(state));
        }
        self.retire_status_message();
        self.task.history.push(message);
        Ok(())
    }

    fn retire_status_message(&mut self) {
        self.task.history.extend(self.task.status.message.take());
    }

    /// Whether an event is the task's. Some agents leave the conversation out.
    fn own(&self, task: &str, context: &str) -> Result<(), Misfit> {
        same(task, &self.task.id)?;
        match self.task.context_id.as_deref() {
            Some(own) if !context.is_empty() => same(context, own),
            _ => Ok(()),
        }
    }
}

fn same(found: &str, expected: &str) -> Result<(), Misfit> {
    if found == expected {
        return Ok(());
    }
    Err(Misfit::OtherTask {
        found: quoted(found),
        expected: quoted(expected),
    })
}

fn merge(into: &mut Option<Metadata>, newer: Option<Metadata>) {
    let Some(newer) = newer else {
        return;
    };
    *into = Some(match into.take() {
        Some(older) => older.merged(newer),
        None => newer,
    });
}
