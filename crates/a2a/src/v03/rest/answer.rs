//! Results and events in the form of 0.3.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::object::{StatusUpdate, StreamResponse, Task};
use super::request::TaskPushConfig;
use crate::card;
use crate::error::Error;
use crate::fault::Fault;
use crate::method::Method;
use crate::model::{
    self, ListTaskPushNotificationConfigsResponse, Model, SendMessageResponse, read_lenient,
};
use crate::operation::Outcome;
use crate::protojson::message;

message! {
    /// A list of webhooks.
    struct Configs {
        configs: Vec<TaskPushConfig> = "configs",
        next_page_token: String = "nextPageToken",
    }
}

/// The result of an operation; serde writes it as the body of 0.3.
#[derive(Debug)]
pub struct Answer(Form);

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Form {
    Sent(StreamResponse),
    Task(Task),
    PushConfig(TaskPushConfig),
    PushConfigs(Configs),
    /// `google.protobuf.Empty`.
    Deleted {},
    Card(card::Card03),
}

impl TryFrom<Outcome> for Answer {
    type Error = Error;

    /// # Errors
    ///
    /// An internal error for a page of tasks, which is not offered in 0.3, and for a card without an
    /// interface that 0.3 can name.
    fn try_from(outcome: Outcome) -> Result<Self, Error> {
        Ok(Self(match outcome {
            Outcome::Sent(SendMessageResponse::Message(message)) => {
                Form::Sent(StreamResponse::Message(message.into()))
            }
            Outcome::Sent(SendMessageResponse::Task(task)) => {
                Form::Sent(StreamResponse::Task(task.into()))
            }
            Outcome::Task(task) => Form::Task(task.into()),
            Outcome::PushConfig(config) => Form::PushConfig(config.into()),
            Outcome::PushConfigs(page) => Form::PushConfigs(Configs {
                configs: page.configs.into_iter().map(Into::into).collect(),
                next_page_token: page.next_page_token,
            }),
            Outcome::Deleted => Form::Deleted {},
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

/// An event of a stream; serde writes it in the form of 0.3.
#[derive(Debug)]
pub struct Event(StreamResponse);

impl Event {
    /// An event of 1.0. `is_final` says whether the stream ends with it, which clients of 0.3 learn from
    /// a status update and stop reading.
    #[must_use]
    pub fn new(event: model::StreamResponse, is_final: bool) -> Self {
        Self(match event {
            model::StreamResponse::Task(task) => StreamResponse::Task(task.into()),
            model::StreamResponse::Message(message) => StreamResponse::Message(message.into()),
            model::StreamResponse::StatusUpdate(event) => {
                StreamResponse::StatusUpdate(StatusUpdate::new(event, is_final))
            }
            model::StreamResponse::ArtifactUpdate(event) => {
                StreamResponse::ArtifactUpdate(event.into())
            }
        })
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Reads what a peer of 0.3 answered, with the faults of the answer: where a member is missing or wrong,
/// an empty one stands in. `body` may be null where nothing was sent.
///
/// # Errors
///
/// The faults, when the answer is not of the right kind at all.
pub fn read_outcome(method: Method, body: &RawValue) -> Result<(Outcome, Vec<Fault>), Vec<Fault>> {
    match method {
        Method::SendMessage | Method::SendStreamingMessage | Method::SubscribeToTask => {
            let (event, _, faults) = read_event(body)?;
            let response = match event {
                model::StreamResponse::Task(task) => SendMessageResponse::Task(task),
                model::StreamResponse::Message(message) => SendMessageResponse::Message(message),
                _ => return Err(vec![Fault::new(Vec::new(), "is an event, not an answer")]),
            };
            Ok((Outcome::Sent(response), faults))
        }
        Method::GetTask | Method::CancelTask | Method::ListTasks => {
            lenient(body, |task: Task| Outcome::Task(task.into()))
        }
        Method::CreateTaskPushNotificationConfig | Method::GetTaskPushNotificationConfig => {
            lenient(body, |config: TaskPushConfig| {
                Outcome::PushConfig(config.into_1_0())
            })
        }
        Method::ListTaskPushNotificationConfigs => lenient(body, |page: Configs| {
            let configs = page.configs.into_iter().map(TaskPushConfig::into_1_0);
            Outcome::PushConfigs(ListTaskPushNotificationConfigsResponse {
                configs: configs.collect(),
                next_page_token: page.next_page_token,
            })
        }),
        Method::DeleteTaskPushNotificationConfig => Ok((Outcome::Deleted, Vec::new())),
        Method::GetExtendedAgentCard => {
            let fault = |error: card::CardError| vec![Fault::new(Vec::new(), error.to_string())];
            let read = card::read(body.get().as_bytes()).map_err(fault)?;
            Ok((Outcome::AgentCard(Box::new(read.card)), Vec::new()))
        }
    }
}

fn lenient<T: Model>(
    body: &RawValue,
    wrap: impl FnOnce(T) -> Outcome,
) -> Result<(Outcome, Vec<Fault>), Vec<Fault>> {
    let (value, faults) = read_lenient(body)?;
    Ok((wrap(value), faults))
}

/// Reads an event of a peer of 0.3; the boolean says whether the peer called it the last one.
///
/// # Errors
///
/// The faults, when it is no event at all.
pub fn read_event(
    event: &RawValue,
) -> Result<(model::StreamResponse, bool, Vec<Fault>), Vec<Fault>> {
    let (event, faults) = read_lenient::<StreamResponse>(event)?;
    let (event, is_final) = match event {
        StreamResponse::Task(task) => {
            let task = model::Task::from(task);
            let ended = task.status.state.is_terminal();
            (model::StreamResponse::Task(task), ended)
        }
        StreamResponse::Message(message) => (model::StreamResponse::Message(message.into()), true),
        StreamResponse::StatusUpdate(update) => {
            let is_final = update.is_final;
            (model::StreamResponse::StatusUpdate(update.into()), is_final)
        }
        StreamResponse::ArtifactUpdate(update) => {
            (model::StreamResponse::ArtifactUpdate(update.into()), false)
        }
    };
    Ok((event, is_final, faults))
}
