//! Results and events in the form of 0.3.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::object::{ArtifactUpdate, Message, StatusUpdate, Task};
use super::params::TaskPushConfig;
use crate::card;
use crate::error::Error;
use crate::fault::{Fault, quoted};
use crate::method::{Method, Method03};
use crate::model::{
    self, ListTaskPushNotificationConfigsResponse, Model, SendMessageResponse, StreamResponse,
    read_lenient,
};
use crate::operation::Outcome;

/// The result of an operation; serde writes it as JSON-RPC's `result` of 0.3.
#[derive(Debug)]
pub struct Answer(Form);

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Form {
    Message(Message),
    Task(Task),
    PushConfig(TaskPushConfig),
    PushConfigs(Vec<TaskPushConfig>),
    Deleted(()),
    Card(card::Card03),
}

impl TryFrom<Outcome> for Answer {
    type Error = Error;

    /// # Errors
    ///
    /// An internal error for a page of tasks, which no method of 0.3 answers, and for a card without an
    /// interface that 0.3 can name.
    fn try_from(outcome: Outcome) -> Result<Self, Error> {
        Ok(Self(match outcome {
            Outcome::Sent(SendMessageResponse::Message(message)) => Form::Message(message.into()),
            Outcome::Sent(SendMessageResponse::Task(task)) | Outcome::Task(task) => {
                Form::Task(task.into())
            }
            Outcome::PushConfig(config) => Form::PushConfig(config.into()),
            Outcome::PushConfigs(page) => {
                Form::PushConfigs(page.configs.into_iter().map(Into::into).collect())
            }
            Outcome::Deleted => Form::Deleted(()),
            Outcome::AgentCard(card) => {
                let card = card::Card03::new(&card);
                Form::Card(card.ok_or_else(|| Error::internal("the card is not for A2A 0.3"))?)
            }
            Outcome::Tasks(_) => {
                return Err(Error::internal("A2A 0.3 has no answer that lists tasks"));
            }
        }))
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// An event of a stream, or the body of a push notification; serde writes it in the form of 0.3.
#[derive(Debug)]
pub struct Event(EventForm);

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum EventForm {
    Task(Task),
    Message(Message),
    StatusUpdate(StatusUpdate),
    ArtifactUpdate(ArtifactUpdate),
}

impl Event {
    /// An event of 1.0. `is_final` says whether the stream ends with it, which clients of 0.3 learn from
    /// a status update and stop reading.
    #[must_use]
    pub fn new(event: StreamResponse, is_final: bool) -> Self {
        Self(match event {
            StreamResponse::Task(task) => EventForm::Task(task.into()),
            StreamResponse::Message(message) => EventForm::Message(message.into()),
            StreamResponse::StatusUpdate(event) => {
                EventForm::StatusUpdate(StatusUpdate::new(event, is_final))
            }
            StreamResponse::ArtifactUpdate(event) => EventForm::ArtifactUpdate(event.into()),
        })
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Reads what a peer of 0.3 answered, with the faults of the answer: where a member is missing or wrong,
/// an empty one stands in.
///
/// # Errors
///
/// The faults, when the answer is not of the right kind at all.
pub fn read_outcome(
    method: Method03,
    result: &RawValue,
) -> Result<(Outcome, Vec<Fault>), Vec<Fault>> {
    match method.counterpart() {
        Method::SendMessage | Method::SendStreamingMessage | Method::SubscribeToTask => {
            let (event, _, faults) = read_event(result)?;
            match event {
                StreamResponse::Task(task) => {
                    Ok((Outcome::Sent(SendMessageResponse::Task(task)), faults))
                }
                StreamResponse::Message(message) => {
                    Ok((Outcome::Sent(SendMessageResponse::Message(message)), faults))
                }
                _ => Err(vec![Fault::new(Vec::new(), "is an event, not an answer")]),
            }
        }
        Method::GetTask | Method::CancelTask | Method::ListTasks => {
            lenient(result, |task: Task| Outcome::Task(task.into()))
        }
        Method::CreateTaskPushNotificationConfig | Method::GetTaskPushNotificationConfig => {
            lenient(result, |config: TaskPushConfig| {
                Outcome::PushConfig(config.into_1_0())
            })
        }
        Method::ListTaskPushNotificationConfigs => {
            lenient(result, |configs: Vec<TaskPushConfig>| {
                let configs = configs.into_iter().map(TaskPushConfig::into_1_0);
                Outcome::PushConfigs(ListTaskPushNotificationConfigsResponse {
                    configs: configs.collect(),
                    next_page_token: String::new(),
                })
            })
        }
        Method::DeleteTaskPushNotificationConfig => Ok((Outcome::Deleted, Vec::new())),
        Method::GetExtendedAgentCard => {
            let fault = |error: card::CardError| vec![Fault::new(Vec::new(), error.to_string())];
            let read = card::read(result.get().as_bytes()).map_err(fault)?;
            Ok((Outcome::AgentCard(Box::new(read.card)), Vec::new()))
        }
    }
}

fn lenient<T: Model>(
    result: &RawValue,
    wrap: impl FnOnce(T) -> Outcome,
) -> Result<(Outcome, Vec<Fault>), Vec<Fault>> {
    let (value, faults) = read_lenient(result)?;
    Ok((wrap(value), faults))
}

/// Reads an event of a peer of 0.3, or the body of its push notification; the boolean says whether the
/// peer called it the last one. Objects without a `kind` are told apart by their members.
///
/// # Errors
///
/// The faults, when it is no event at all.
pub fn read_event(event: &RawValue) -> Result<(StreamResponse, bool, Vec<Fault>), Vec<Fault>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Outline<'a> {
        #[serde(borrow, default)]
        kind: Option<&'a RawValue>,
        #[serde(borrow, default)]
        message_id: Option<&'a RawValue>,
        #[serde(borrow, default)]
        artifact: Option<&'a RawValue>,
        #[serde(borrow, default)]
        task_id: Option<&'a RawValue>,
    }
    let outline: Option<Outline<'_>> = event
        .get()
        .starts_with('{')
        .then_some(event.get())
        .and_then(|text| serde_json::from_str(text).ok());
    let outline = outline.ok_or_else(|| vec![Fault::new(Vec::new(), "is not an object")])?;
    let kind: Option<String> = outline
        .kind
        .and_then(|kind| serde_json::from_str(kind.get()).ok());
    let kind = kind.as_deref().unwrap_or({
        match (outline.message_id, outline.artifact, outline.task_id) {
            (Some(_), _, _) => "message",
            (None, Some(_), _) => "artifact-update",
            (None, None, Some(_)) => "status-update",
            (None, None, None) => "task",
        }
    });
    match kind {
        "task" => {
            let (task, faults) = read_lenient::<Task>(event)?;
            let is_final = model::TaskState::from(task.status.state).is_terminal();
            Ok((StreamResponse::Task(task.into()), is_final, faults))
        }
        "message" => {
            let (message, faults) = read_lenient::<Message>(event)?;
            Ok((StreamResponse::Message(message.into()), true, faults))
        }
        "status-update" => {
            let (update, faults) = read_lenient::<StatusUpdate>(event)?;
            let is_final = update.is_final;
            Ok((
                StreamResponse::StatusUpdate(update.into()),
                is_final,
                faults,
            ))
        }
        "artifact-update" => {
            let (update, faults) = read_lenient::<ArtifactUpdate>(event)?;
            Ok((StreamResponse::ArtifactUpdate(update.into()), false, faults))
        }
        other => Err(vec![Fault::new(
            Vec::new(),
            format!("is of kind {}, which is no event", quoted(other)),
        )]),
    }
}
