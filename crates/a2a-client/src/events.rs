//! Following a stream of events, and taking it up again where it was lost.

use std::{collections::VecDeque, time::Duration};

use a2a::{
    method::Method,
    model::{SendMessageResponse, StreamResponse, TaskState},
    operation::Outcome,
};
use egress::Incoming;

use crate::{
    client::{CallOptions, Client, Opened},
    error::{Error, Excerpt},
    interface::Interface,
    sse::Parser,
    wire,
};

/// The pause before a stream is resumed, unless the agent names another; it doubles from one failure to
/// the next.
const PAUSE: Duration = Duration::from_millis(500);
/// No pause is longer, whatever an agent asks for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The events of a task, or the one message that answers directly. Dropping it closes the connection;
/// the work at the agent goes on (A2A 1.0 §3.5.2).
///
/// A connection that is lost before the task has ended or waits for its client is taken up again by
/// `SubscribeToTask`, behind the last event that had an id. Agents send the task as it stands then, which
/// takes the place of everything before it; [`Fold`](a2a::fold::Fold) reads it so. A task that ended in
/// the meantime is read with `GetTask`.
#[derive(Debug)]
pub struct Events {
    client: Client,
    options: CallOptions,
    connection: Option<Box<Connection>>,
    /// Read and not yet handed out.
    ready: VecDeque<StreamResponse>,
    task_id: Option<String>,
    state: Option<TaskState>,
    last_event_id: String,
    /// How often the stream was lost since it last went on.
    losses: u32,
    /// Events of this connection.
    seen: u64,
    is_over: bool,
}

/// What an agent answers to an operation that streams.
#[derive(Debug)]
pub(crate) enum Begun {
    /// A stream.
    Stream(Box<Connection>),
    /// The only event: some agents answer with it instead of a stream.
    Only(StreamResponse),
}

/// An open stream.
#[derive(Debug)]
pub(crate) struct Connection {
    interface: Interface,
    answer: Incoming,
    parser: Parser,
}

impl Begun {
    /// Finds out what the answer is; an error may be answered instead of a stream.
    pub(crate) async fn of(
        opened: Opened,
        method: Method,
        event_limit: usize,
    ) -> Result<Self, Error> {
        if is_event_stream(&opened.answer) {
            return Ok(Self::Stream(Box::new(Connection {
                interface: opened.interface,
                answer: opened.answer,
                parser: Parser::new(event_limit),
            })));
        }
        let response = opened.answer.collect().await?;
        match wire::read_outcome(&opened.interface, method, &opened.id, &response)? {
            Outcome::Sent(SendMessageResponse::Task(task)) | Outcome::Task(task) => {
                Ok(Self::Only(StreamResponse::Task(task)))
            }
            Outcome::Sent(SendMessageResponse::Message(message)) => {
                Ok(Self::Only(StreamResponse::Message(message)))
            }
            _ => Err(Error::BadAnswer {
                why: "it is neither a stream nor a task or message".to_owned(),
                answer: Excerpt::of(&response),
            }),
        }
    }
}

impl Events {
    pub(crate) fn new(
        client: Client,
        options: CallOptions,
        task_id: Option<String>,
        begun: Begun,
    ) -> Self {
        let mut events = Self {
            client,
            options,
            connection: None,
            ready: VecDeque::new(),
            task_id,
            state: None,
            last_event_id: String::new(),
            losses: 0,
            seen: 0,
            is_over: false,
        };
        events.begin(begun);
        events
    }

    /// The task that the events are about, once it is known.
    #[must_use]
    pub fn task_id(&self) -> Option<&str> {
        self.task_id.as_deref()
    }

    /// The id of the last event that had one, by which [`Client::subscribe`] goes on behind it.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&str> {
        Some(self.last_event_id.as_str()).filter(|id| !id.is_empty())
    }

    /// The next event; `None` when the task has ended or waits for its client, or after a message.
    ///
    /// # Errors
    /// The error by which the agent ended the stream, and why a lost one could not be resumed. Nothing
    /// follows then.
    pub async fn next(&mut self) -> Result<Option<StreamResponse>, Error> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.is_over {
                return Ok(None);
            }
            match self.advance().await {
                Ok(()) => {}
                Err(error) => {
                    self.finish();
                    return Err(error);
                }
            }
        }
    }

    /// Reads on until there is an event, the stream is over, or a new connection.
    async fn advance(&mut self) -> Result<(), Error> {
        let Some(connection) = &mut self.connection else {
            self.finish();
            return Ok(());
        };
        if let Some(event) = connection.parser.next_event()? {
            if event.data.is_empty() {
                return Ok(());
            }
            let incoming = connection.read(&event.data)?;
            self.last_event_id = event.id;
            self.seen += 1;
            // The first event of a resumed stream may be the task as it was when the last one was lost.
            if self.seen > 1 {
                self.losses = 0;
            }
            self.note(&incoming.event);
            self.ready.push_back(incoming.event);
            if incoming.is_last {
                self.finish();
            }
            return Ok(());
        }
        match connection.answer.chunk(self.options.idle_timeout).await {
            Ok(Some(bytes)) => {
                connection.parser.push(&bytes);
                Ok(())
            }
            Ok(None) if self.is_interrupted() => {
                self.finish();
                Ok(())
            }
            Ok(None) => self.resume(Error::StreamEnded).await,
            Err(error) => self.resume(Error::Network(error)).await,
        }
    }

    /// Takes the stream up again, as often as is allowed.
    async fn resume(&mut self, mut lost: Error) -> Result<(), Error> {
        let asked = self.connection.take().and_then(|it| it.parser.retry());
        let Some(task_id) = self.task_id.clone() else {
            return Err(lost);
        };
        let pause = asked.unwrap_or(PAUSE).min(LONGEST_PAUSE);
        while self.losses < self.options.resumptions {
            let doubled = pause * 2_u32.pow(self.losses.min(6));
            self.losses += 1;
            tokio::time::sleep(doubled.min(LONGEST_PAUSE)).await;
            let last_event_id = Some(self.last_event_id.as_str());
            let begun = self
                .client
                .begin_subscription(&task_id, last_event_id, &self.options)
                .await;
            match begun {
                Err(error) if error.is_retryable() => lost = error,
                begun => {
                    self.begin(begun?);
                    return Ok(());
                }
            }
        }
        Err(lost)
    }

    fn begin(&mut self, begun: Begun) {
        self.seen = 0;
        match begun {
            Begun::Stream(connection) => self.connection = Some(connection),
            Begun::Only(event) => {
                self.note(&event);
                self.ready.push_back(event);
                self.finish();
            }
        }
    }

    fn note(&mut self, event: &StreamResponse) {
        if let Some(task_id) = event.task_id().filter(|id| !id.is_empty()) {
            self.task_id = Some(task_id.to_owned());
        }
        self.state = event.state().or(self.state);
    }

    fn is_interrupted(&self) -> bool {
        self.state.is_some_and(TaskState::is_interrupted)
    }

    /// Closes the connection.
    fn finish(&mut self) {
        self.connection = None;
        self.is_over = true;
    }
}

impl Connection {
    fn read(&self, data: &str) -> Result<wire::Incoming, Error> {
        wire::read_event(&self.interface, data).map_err(|error| match error {
            Ok(error) => Error::Agent(error),
            Err(why) => Error::BadAnswer {
                why: format!("an event of the stream is none: {why}"),
                answer: Excerpt::new(
                    &self.answer.url,
                    self.answer.status,
                    &self.answer.headers,
                    data.as_bytes(),
                ),
            },
        })
    }
}

fn is_event_stream(answer: &Incoming) -> bool {
    let content_type = answer.content_type().unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    answer.status.is_success() && media_type.eq_ignore_ascii_case("text/event-stream")
}
