//! A reader of a task's events.

use std::collections::VecDeque;
use std::sync::Arc;

use a2a::error::Error;
use a2a::model::StreamResponse;
use tokio::sync::watch;

use super::run::{Published, Run, broken};
use super::{Change, Entry, StoredTask};

/// A reader of a task's events: a place in the task's log. It holds up nobody, however slow it is.
#[derive(Debug)]
pub struct Subscription {
    run: Arc<Run>,
    published: watch::Receiver<Published>,
    /// The task as it stood, which comes before the events.
    snapshot: Option<Box<StoredTask>>,
    /// The last entry that was read.
    place: u64,
    /// Read and not yet handed out.
    ready: VecDeque<Arc<Entry>>,
    /// Whether the stream ends when the task waits for its client.
    ends_at_interruption: bool,
    over: bool,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamEvent {
    /// By which a client goes on after this event (the SSE id).
    pub number: u64,
    /// The event.
    pub event: StreamResponse,
    /// Nothing follows it on this stream.
    pub is_last: bool,
}

impl Subscription {
    /// Reads what follows an entry, behind a snapshot when there is one.
    pub(super) fn new(run: Arc<Run>, place: u64, snapshot: Option<StoredTask>) -> Self {
        Self {
            published: run.watch(),
            run,
            snapshot: snapshot.map(Box::new),
            place,
            ready: VecDeque::new(),
            ends_at_interruption: false,
            over: false,
        }
    }

    /// The same reader, which is done when the task waits for its client, as the stream of a message is
    /// (A2A 1.0 §11.7).
    pub(super) fn ending_at_interruption(mut self) -> Self {
        self.ends_at_interruption = true;
        self
    }

    /// The next event; `None` at the end of the stream.
    ///
    /// # Errors
    /// When the task cannot be read any more. Nothing follows then.
    pub async fn next(&mut self) -> Result<Option<StreamEvent>, Error> {
        if let Some(snapshot) = self.snapshot.take() {
            let StoredTask { task, number } = *snapshot;
            self.place = number;
            let event = StreamResponse::Task(task);
            let is_last = self.ends_with(&event);
            self.over = is_last;
            return Ok(Some(StreamEvent {
                number,
                event,
                is_last,
            }));
        }
        while !self.over {
            if let Some(event) = self.pop() {
                return Ok(Some(event));
            }
            let published = *self.published.borrow_and_update();
            if published.number > self.place {
                let read = self.run.entries(self.place).await;
                self.ready = read.inspect_err(|_| self.over = true)?.into();
            } else if published.broken {
                self.over = true;
                return Err(broken());
            } else if published.ended || self.published.changed().await.is_err() {
                self.over = true;
            }
        }
        Ok(None)
    }

    /// The next event, if it is at hand in memory: nothing is waited for or read from the store.
    pub(crate) fn at_hand(&mut self) -> Option<StreamEvent> {
        if self.over || self.snapshot.is_some() {
            return None;
        }
        if let Some(event) = self.pop() {
            return Some(event);
        }
        if self.published.borrow_and_update().number > self.place {
            self.ready = self.run.at_hand(self.place)?.into();
        }
        self.pop()
    }

    /// The next event of what was read.
    fn pop(&mut self) -> Option<StreamEvent> {
        loop {
            let entry = self.ready.pop_front()?;
            self.place = entry.number;
            if let Change::Event(event) = &entry.change {
                let event = event.clone();
                let is_last = self.ends_with(&event);
                self.over = is_last;
                let number = entry.number;
                return Some(StreamEvent {
                    number,
                    event,
                    is_last,
                });
            }
        }
    }

    fn ends_with(&self, event: &StreamResponse) -> bool {
        event.state().is_some_and(|state| {
            state.is_terminal() || (self.ends_at_interruption && state.is_interrupted())
        })
    }
}
