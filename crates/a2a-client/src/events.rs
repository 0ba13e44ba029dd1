//! Following a stream of events, and taking it up again where it was lost.

use std::{collections::VecDeque, time::Duration};

use a2a::model::{StreamResponse, TaskState};

use crate::{
    client::{CallOptions, Client},
    connection::{Arrived, Begun, Connection},
    error::Error,
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
    /// Whether it was lost by silence, where that is no sign of a failure.
    was_silent: bool,
    /// Events of this connection.
    seen: u64,
    is_over: bool,
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
            was_silent: false,
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
        let may_be_silent = !connection.has_keep_alive();
        match connection.next(self.options.idle_timeout).await? {
            Arrived::Event { incoming, id } => {
                self.last_event_id = id;
                self.seen += 1;
                // The first event of a resumed stream may be the task as it was when the last one was
                // lost, and then shows no more than that an agent which may be silent is there.
                if self.seen > 1 || self.was_silent {
                    self.losses = 0;
                }
                self.note(&incoming.event);
                self.ready.push_back(incoming.event);
                if incoming.is_last {
                    self.finish();
                }
                Ok(())
            }
            Arrived::Sound => Ok(()),
            Arrived::End if self.is_interrupted() => {
                self.finish();
                Ok(())
            }
            Arrived::End => self.resume(Error::StreamEnded).await,
            Arrived::Lost(error) => {
                self.was_silent = may_be_silent && is_silence(&error);
                self.resume(error).await
            }
        }
    }

    /// Takes the stream up again, as often as is allowed.
    async fn resume(&mut self, mut lost: Error) -> Result<(), Error> {
        let asked = self.connection.take().and_then(|it| it.retry());
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
                self.ready.push_back(*event);
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

fn is_silence(error: &Error) -> bool {
    matches!(error, Error::Network(egress::Error::TimedOut { .. }))
}
