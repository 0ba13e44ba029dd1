//! One open stream of events, over whichever binding.

use std::time::Duration;

use a2a::{
    method::Method,
    model::{SendMessageResponse, StreamResponse},
    operation::Outcome,
};
use egress::Incoming;

use crate::{
    client::Opened,
    error::{Error, Excerpt},
    interface::Interface,
    sse::Parser,
    wire,
};
#[cfg(feature = "grpc")]
use crate::{grpc::Messages, interface::Binding};

/// What an agent answers to an operation that streams.
#[derive(Debug)]
pub(crate) enum Begun {
    /// A stream.
    Stream(Box<Connection>),
    /// The only event: some agents answer with it instead of a stream.
    Only(Box<StreamResponse>),
}

/// An open stream.
#[derive(Debug)]
pub(crate) struct Connection {
    interface: Interface,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Sse {
        answer: Incoming,
        parser: Parser,
    },
    #[cfg(feature = "grpc")]
    Grpc(Messages),
}

/// What a stream brings.
#[derive(Debug)]
pub(crate) enum Arrived {
    /// An event.
    Event {
        incoming: wire::Incoming,
        /// The id by which the stream is resumed behind it; empty for none.
        id: String,
    },
    /// Something that is not a whole event.
    Sound,
    /// The end of the answer.
    End,
    /// The stream can bring no more, and its task may go on.
    Lost(Error),
}

impl Begun {
    /// Finds out what the answer is; an error may be answered instead of a stream.
    pub(crate) async fn of(
        opened: Opened,
        method: Method,
        event_limit: usize,
    ) -> Result<Self, Error> {
        #[cfg(feature = "grpc")]
        if opened.interface.binding == Binding::Grpc {
            let messages = Messages::of(opened.answer, event_limit).await?;
            let source = Source::Grpc(messages);
            return Ok(Self::stream(opened.interface, source));
        }
        if is_event_stream(&opened.answer) {
            let source = Source::Sse {
                answer: opened.answer,
                parser: Parser::new(event_limit),
            };
            return Ok(Self::stream(opened.interface, source));
        }
        let response = opened.answer.collect().await?;
        match wire::read_outcome(&opened.interface, method, &opened.id, &response)? {
            Outcome::Sent(SendMessageResponse::Task(task)) | Outcome::Task(task) => {
                Ok(Self::Only(Box::new(StreamResponse::Task(task))))
            }
            Outcome::Sent(SendMessageResponse::Message(message)) => {
                Ok(Self::Only(Box::new(StreamResponse::Message(message))))
            }
            _ => Err(Error::BadAnswer {
                why: "it is neither a stream nor a task or message".to_owned(),
                answer: Excerpt::of(&response),
            }),
        }
    }

    fn stream(interface: Interface, source: Source) -> Self {
        Self::Stream(Box::new(Connection { interface, source }))
    }
}

impl Connection {
    /// What comes next. `idle` is the longest silence.
    ///
    /// Fails with what nothing can follow: an error of the agent, an event that is none.
    pub(crate) async fn next(&mut self, idle: Duration) -> Result<Arrived, Error> {
        match &mut self.source {
            Source::Sse { answer, parser } => {
                let Some(event) = parser.next_event()? else {
                    return Ok(match answer.chunk(idle).await {
                        Ok(Some(bytes)) => {
                            parser.push(&bytes);
                            Arrived::Sound
                        }
                        Ok(None) => Arrived::End,
                        Err(error) => Arrived::Lost(Error::Network(error)),
                    });
                };
                if event.data.is_empty() {
                    return Ok(Arrived::Sound);
                }
                let incoming = wire::read_event(&self.interface, &event.data).map_err(|error| {
                    error.map_or_else(|why| no_event(answer, &event.data, &why), Error::Agent)
                })?;
                Ok(Arrived::Event {
                    incoming,
                    id: event.id,
                })
            }
            #[cfg(feature = "grpc")]
            Source::Grpc(messages) => match messages.next_within(idle).await {
                Ok(Some(message)) => {
                    let read = wire::read_event_message(self.interface.version, &message);
                    let incoming =
                        read.map_err(|why| messages.bad_answer(not_one(&why), &message))?;
                    let id = String::new();
                    Ok(Arrived::Event { incoming, id })
                }
                Ok(None) => Ok(Arrived::End),
                // A status says, too, that the network on the other side of a proxy has failed.
                Err(error) if error.is_retryable() => Ok(Arrived::Lost(error)),
                Err(error) => Err(error),
            },
        }
    }

    /// How long the stream asks to wait before it is opened again.
    pub(crate) fn retry(&self) -> Option<Duration> {
        match &self.source {
            Source::Sse { parser, .. } => parser.retry(),
            #[cfg(feature = "grpc")]
            Source::Grpc(_) => None,
        }
    }

    /// Whether the binding has a way to say that a silent stream is alive.
    pub(crate) fn has_keep_alive(&self) -> bool {
        matches!(self.source, Source::Sse { .. })
    }
}

fn no_event(answer: &Incoming, data: &str, why: &str) -> Error {
    Error::BadAnswer {
        why: not_one(why),
        answer: Excerpt::new(&answer.url, answer.status, &answer.headers, data.as_bytes()),
    }
}

fn not_one(why: &str) -> String {
    format!("an event of the stream is none: {why}")
}

fn is_event_stream(answer: &Incoming) -> bool {
    let content_type = answer.content_type().unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    answer.status.is_success() && media_type.eq_ignore_ascii_case("text/event-stream")
}
