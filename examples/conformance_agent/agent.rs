//! An agent that plays scripts.

use a2a::error::Error;
use a2a::headers::ProtocolVersion;
use a2a::model::{Artifact, Message, Part, PartContent, TaskState};
use a2a_server::task::TaskSink;
use a2a_server::{Agent, Answer, BoxError, Turn};
use serde_json::value::to_raw_value;

use crate::script::{self, Content, Step};

/// Media types that the card names and, if they are enforced, the only ones that are taken.
pub(crate) const INPUT_MODES: [&str; 3] = ["text/plain", "application/json", "text"];

/// Does what a message selects.
#[derive(Debug)]
pub(crate) struct ConformanceAgent {
    /// Whether parts of other media types than the card's are refused.
    pub(crate) enforces_modes: bool,
}

impl Agent for ConformanceAgent {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        if self.enforces_modes {
            modes(&turn.message)?;
        }
        let steps = steps(&turn);
        if let [Step::Answer(text)] = steps {
            let mut answer = Message::agent(format!("re-{}", turn.message.message_id))
                .with_part(Part::text(*text));
            answer.context_id = turn.message.context_id;
            return Ok(Answer::Message(answer));
        }
        Ok(Answer::task(move |sink| play(sink, steps)))
    }
}

fn steps(turn: &Turn) -> &'static [Step] {
    if let Some(selected) = script::selected(&turn.message) {
        return selected;
    }
    if turn.call.version() == ProtocolVersion::V0_3 {
        return script::OTHERWISE_0_3;
    }
    match &turn.task {
        Some(task) => script::follow_up(&turn.message, &task.history),
        None => script::OTHERWISE,
    }
}

/// Refuses a part whose media type is not one of the card's.
fn modes(message: &Message) -> Result<(), Error> {
    for part in &message.parts {
        let media_type = match (&part.media_type, &part.content) {
            (Some(media_type), _) => media_type.as_str(),
            (None, PartContent::Text(_)) => "text/plain",
            (None, PartContent::Data(_)) => "application/json",
            (None, _) => "application/octet-stream",
        };
        if !INPUT_MODES.contains(&media_type) {
            return Err(Error::content_type_not_supported(media_type, &INPUT_MODES));
        }
    }
    Ok(())
}

async fn play(sink: TaskSink, steps: &'static [Step]) -> Result<(), BoxError> {
    let says = |text: &str| sink.message(vec![Part::text(text)]);
    for step in steps {
        match *step {
            Step::Working => sink.working(None).await?,
            Step::Wait(time) => tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = sink.canceled() => return Ok(()),
            },
            Step::Hold => {
                sink.canceled().await;
                return Ok(());
            }
            Step::Artifact(content) => {
                let artifact = Artifact::new("artifact-1").with_part(part(content)?);
                sink.artifact(artifact).await?;
            }
            Step::Chunk(text, last) => {
                let chunk = Artifact::new("artifact-1").with_part(Part::text(text));
                sink.append(chunk, last).await?;
            }
            Step::Answer(text) | Step::Complete(text) => sink.complete(Some(says(text))).await?,
            Step::AskInput => sink.ask(says("What else?")).await?,
            Step::AskCredentials => {
                let words = says("Grant access, then send a message.");
                sink.status(TaskState::AuthRequired, Some(words)).await?;
            }
            Step::Reject => {
                sink.status(TaskState::Rejected, Some(says("rejected")))
                    .await?;
            }
            Step::Fail => {
                sink.status(TaskState::Failed, Some(says("This fails on request.")))
                    .await?;
            }
        }
    }
    Ok(())
}

fn part(content: Content) -> Result<Part, serde_json::Error> {
    Ok(match content {
        Content::Text(text) => Part::text(text),
        Content::File => Part::raw("tck")
            .with_filename("output.txt")
            .with_media_type("text/plain"),
        Content::FileUrl => Part::url("https://example.com/output.txt")
            .with_filename("output.txt")
            .with_media_type("text/plain"),
        Content::Data => Part::data(to_raw_value(
            &serde_json::json!({"key": "value", "count": 42}),
        )?),
    })
}
