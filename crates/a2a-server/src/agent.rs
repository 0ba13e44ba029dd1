//! What an agent implements: a message comes in, a message goes out or a task begins.

use std::fmt;

use a2a::error::Error;
use a2a::model::{Message, Metadata, Part, SendMessageConfiguration, SendMessageRequest, Task};
use futures_util::future::BoxFuture;

use crate::{Call, task::TaskSink};

/// An agent (A2A 1.0 §3.1). Whatever binding and version a request comes by, it arrives here.
pub trait Agent: Send + Sync {
    /// Answers a message: directly, or by work that becomes a task.
    ///
    /// The request's envelope, version and required members are sound. An error is answered as it is,
    /// so its message must not tell a caller what is none of its business. A panic is answered as an
    /// internal error.
    ///
    /// The future is part of the request: a client that leaves drops it. What should go on without the
    /// client is [`Work`].
    fn answer(&self, turn: Turn) -> impl Future<Output = Result<Answer, Error>> + Send;
}

/// One message to an agent, with what belongs to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Turn {
    /// The message.
    pub message: Message,
    /// How the client wants the answer.
    pub configuration: Option<SendMessageConfiguration>,
    /// Free-form data of the request.
    pub metadata: Option<Metadata>,
    /// What the request says about itself.
    pub call: Call,
    /// The task that the message goes on with, as it stands, the message in its history. The work of an
    /// [`Answer::Task`] goes on with this task instead of a new one.
    pub task: Option<Box<Task>>,
    /// The tasks that the message refers to, as they stand.
    pub referenced: Vec<Task>,
}

impl Turn {
    /// A message that begins something new.
    #[must_use]
    pub fn new(request: SendMessageRequest, call: Call) -> Self {
        Self {
            message: request.message,
            configuration: request.configuration,
            metadata: request.metadata,
            call,
            task: None,
            referenced: Vec::new(),
        }
    }

    /// Media types that the client can use, in order of preference; empty when it does not say.
    #[must_use]
    pub fn accepted_output_modes(&self) -> &[String] {
        let configuration = self.configuration.as_ref();
        configuration.map_or(&[], |configuration| &configuration.accepted_output_modes)
    }
}

/// What an agent answers to a message.
#[derive(Debug)]
pub enum Answer {
    /// This message, and that is all: nothing is stored.
    Message(Message),
    /// A task, which this work carries out.
    Task(Work),
}

impl Answer {
    /// A task that `work` carries out. See [`Work::new`].
    #[must_use]
    pub fn task<F, W>(work: W) -> Self
    where
        W: FnOnce(TaskSink) -> F + Send + 'static,
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        Self::Task(Work::new(work))
    }
}

/// Any error.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What carries out a task. It runs beside the request and goes on when the client leaves.
pub struct Work {
    pub(crate) begin: Begin,
    /// What the task keeps of the message that began it, where that is not all of it.
    pub(crate) kept: Option<Vec<Part>>,
}

pub(crate) type Begin = Box<dyn FnOnce(TaskSink) -> BoxFuture<'static, WorkResult> + Send>;
pub(crate) type WorkResult = Result<(), BoxError>;

impl Work {
    /// Work that tells what happens through its [`TaskSink`].
    ///
    /// When it ends well and has not said how, the task is completed; after a question to the client the
    /// task waits for the next message. When it fails or panics, the task is failed: the client reads a
    /// general sentence, the error goes to the log.
    #[must_use]
    pub fn new<F, W>(work: W) -> Self
    where
        W: FnOnce(TaskSink) -> F + Send + 'static,
        F: Future<Output = WorkResult> + Send + 'static,
    {
        Self {
            begin: Box::new(|sink| Box::pin(work(sink))),
            kept: None,
        }
    }

    /// The same work of a task whose history has these parts in place of those of the message that begins
    /// it: for files that are not to be kept.
    #[must_use]
    pub fn keeping(mut self, parts: Vec<Part>) -> Self {
        self.kept = Some(parts);
        self
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Work")
    }
}
