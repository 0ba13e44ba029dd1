//! Tasks through the one handler that every binding calls.

mod contract;
mod failing;
mod follow_up;
mod life;
mod listing;
mod memory;
mod processes;
mod push;
mod streams;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use a2a::error::Error;
use a2a::headers::ProtocolVersion;
use a2a::model::{
    Artifact, GetTaskRequest, Message, Part, PartContent, SendMessageConfiguration,
    SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskState, Timestamp,
};
use a2a::operation::{Operation, Outcome};
use a2a_server::task::{MemoryStore, Settings, StreamEvent, TaskSink, TaskStore, Tasks};
use a2a_server::{Agent, Answer, BoxError, Call, EventStream, Handler, Reply, Turn};
use futures_util::FutureExt as _;
use tokio::sync::Notify;

/// An agent that does what the text of the message says.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    /// Lets held work go on.
    release: Arc<Notify>,
    /// Told when work has begun.
    begun: Arc<Notify>,
    /// Told when work has seen that it is canceled.
    canceled: Arc<Notify>,
}

impl Scripted {
    /// Waits until held work has begun.
    pub(crate) async fn begun(&self) {
        self.begun.notified().await;
    }

    /// Lets held work go on.
    pub(crate) fn release(&self) {
        self.release.notify_one();
    }
}

impl Agent for Scripted {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let text = text_of(&turn.message);
        let (order, count) = text.split_once(' ').unwrap_or((&text, ""));
        let count: usize = count.parse().unwrap_or_default();
        let (release, begun) = (Arc::clone(&self.release), Arc::clone(&self.begun));
        let canceled = Arc::clone(&self.canceled);
        Ok(match order {
            "direct" => Answer::Message(Message::agent("direct").with_part(Part::text("hello"))),
            "echo" => {
                let mut echo = Message::agent("echo");
                echo.parts = turn.message.parts;
                echo.metadata = turn.message.metadata;
                Answer::Message(echo)
            }
            "refuse" => return Err(Error::application(-32000, "not today", None)),
            "panic-at-once" => panic!("a panic with a secret in it"),
            "chunks" => Answer::task(move |sink| chunks(sink, count)),
            "paced" => Answer::task(async move |sink: TaskSink| {
                for number in 0..count {
                    let pause = std::time::Duration::from_millis(1);
                    let chunk = Artifact::new("text").with_part(Part::text(format!("{number} ")));
                    sink.append(chunk, false).await?;
                    tokio::time::sleep(pause).await;
                }
                Ok(sink.complete(None).await?)
            }),
            "bulk" => Answer::task(async move |sink: TaskSink| {
                let text = Part::text("x".repeat(64 * 1024));
                for number in 0..count {
                    let chunk = Artifact::new(number.to_string()).with_part(text.clone());
                    sink.artifact(chunk).await?;
                }
                Ok(())
            }),
            "flood" => Answer::task(async move |sink: TaskSink| {
                let chunk = Artifact::new("text").with_part(Part::text("again "));
                while release.notified().now_or_never().is_none() {
                    sink.append(chunk.clone(), false).await?;
                }
                Ok(())
            }),
            "ask" => Answer::task(async |sink: TaskSink| {
                let question = sink.message(vec![Part::text("which one?")]);
                Ok(sink.ask(question).await?)
            }),
            "converse" => Answer::task(async |mut sink: TaskSink| {
                let question = sink.message(vec![Part::text("which one?")]);
                sink.ask(question).await?;
                let reply = sink.next_message().await.ok_or("canceled")?;
                let heard = Artifact::new("heard").with_part(Part::text(text_of(&reply)));
                sink.artifact(heard).await?;
                Ok(sink.complete(None).await?)
            }),
            "hold" => Answer::task(async move |sink: TaskSink| {
                sink.working(None).await?;
                begun.notify_one();
                tokio::select! {
                    () = release.notified() => {}
                    () = sink.canceled() => canceled.notify_one(),
                }
                Ok(())
            }),
            "fail" => Answer::task(async |_sink: TaskSink| -> Result<(), BoxError> {
                Err("the password of the database is hunter2".into())
            }),
            "panic" => Answer::task(async |sink: TaskSink| {
                sink.working(None).await?;
                panic!("a panic with a secret in it")
            }),
            _ => Answer::task(async |sink: TaskSink| {
                let done = sink.message(vec![Part::text("done")]);
                Ok(sink.complete(Some(done)).await?)
            }),
        })
    }
}

/// So many chunks of one artifact, without a pause.
async fn chunks(sink: TaskSink, count: usize) -> Result<(), BoxError> {
    for number in 0..count {
        let chunk = Artifact::new("text").with_part(Part::text(format!("{number} ")));
        sink.append(chunk, number + 1 == count).await?;
    }
    Ok(())
}

fn text_of(message: &Message) -> String {
    match &message.parts[0].content {
        PartContent::Text(text) => text.clone(),
        _ => String::new(),
    }
}

/// An agent with its tasks, and the caller that speaks to it.
pub(crate) struct Bench {
    pub(crate) agent: Arc<Scripted>,
    pub(crate) tasks: Tasks,
    pub(crate) handler: Handler,
    caller: Option<String>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::over(Arc::new(MemoryStore::new()))
    }

    pub(crate) fn over(store: Arc<dyn TaskStore>) -> Self {
        let mut settings = Settings::default();
        settings.cancel_grace = std::time::Duration::from_millis(100);
        let tasks = Tasks::new(store, ticking(), settings);
        Self {
            agent: Arc::default(),
            handler: Handler::with_tasks(tasks.clone()),
            tasks,
            caller: None,
        }
    }

    /// The same agent, asked by somebody else.
    fn asked_by(&self, caller: &str) -> Self {
        Self {
            agent: Arc::clone(&self.agent),
            tasks: self.tasks.clone(),
            handler: self.handler.clone(),
            caller: Some(caller.to_owned()),
        }
    }

    async fn call(&self, operation: Operation) -> Result<Reply, Error> {
        let call = Call::new(ProtocolVersion::V1_0).with_caller(self.caller.clone());
        self.handler
            .call(self.agent.as_ref(), operation, call)
            .await
    }

    async fn once(&self, operation: Operation) -> Result<Outcome, Error> {
        match self.call(operation).await? {
            Reply::Once(outcome) => Ok(*outcome),
            Reply::Stream(_) => panic!("a stream where one result was due"),
        }
    }

    async fn stream(&self, operation: Operation) -> Result<EventStream, Error> {
        match self.call(operation).await? {
            Reply::Stream(stream) => Ok(stream),
            Reply::Once(_) => panic!("one result where a stream was due"),
        }
    }

    pub(crate) async fn send(&self, request: SendMessageRequest) -> Result<Task, Error> {
        match self.once(Operation::SendMessage(request)).await? {
            Outcome::Sent(SendMessageResponse::Task(task)) => Ok(task),
            other => panic!("no task: {other:?}"),
        }
    }

    async fn get(&self, id: &str) -> Result<Task, Error> {
        let request = GetTaskRequest {
            id: id.to_owned(),
            ..GetTaskRequest::default()
        };
        match self.once(Operation::GetTask(request)).await? {
            Outcome::Task(task) => Ok(task),
            other => panic!("no task: {other:?}"),
        }
    }

    async fn cancel(&self, id: &str) -> Result<Task, Error> {
        let request = a2a::model::CancelTaskRequest {
            id: id.to_owned(),
            ..Default::default()
        };
        match self.once(Operation::CancelTask(request)).await? {
            Outcome::Task(task) => Ok(task),
            other => panic!("no task: {other:?}"),
        }
    }

    async fn subscribe(&self, id: &str, last_seen: Option<u64>) -> Result<EventStream, Error> {
        let request = a2a::model::SubscribeToTaskRequest {
            id: id.to_owned(),
            ..Default::default()
        };
        let call = Call::new(ProtocolVersion::V1_0)
            .with_caller(self.caller.clone())
            .with_last_event_id(last_seen.map(|seen| seen.to_string()));
        let operation = Operation::SubscribeToTask(request);
        match self
            .handler
            .call(self.agent.as_ref(), operation, call)
            .await?
        {
            Reply::Stream(stream) => Ok(stream),
            Reply::Once(_) => panic!("one result where a stream was due"),
        }
    }
}

/// A clock that goes on by a millisecond each time it is asked.
fn ticking() -> impl Fn() -> Timestamp + Send + Sync + 'static {
    let milliseconds = AtomicI64::new(1_777_636_800_000);
    move || {
        let now = milliseconds.fetch_add(1, Ordering::Relaxed);
        let now = jiff::Timestamp::from_millisecond(now).unwrap();
        now.try_into().unwrap()
    }
}

/// A message of its own id.
pub(crate) fn says(text: &str) -> SendMessageRequest {
    static NUMBER: AtomicI64 = AtomicI64::new(0);
    let id = format!("m-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    SendMessageRequest::new(Message::user(id).with_part(Part::text(text)))
}

/// The same, answered as soon as the task exists.
pub(crate) fn says_at_once(text: &str) -> SendMessageRequest {
    let mut request = says(text);
    request.configuration = Some(SendMessageConfiguration {
        return_immediately: true,
        ..SendMessageConfiguration::default()
    });
    request
}

/// Everything of a stream.
async fn all(mut stream: EventStream) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await.unwrap() {
        events.push(event);
    }
    events
}

fn states(events: &[StreamEvent]) -> Vec<TaskState> {
    events.iter().filter_map(|it| it.event.state()).collect()
}

fn code(error: &Error) -> i64 {
    error.kind.json_rpc_code()
}

pub(crate) fn artifact_text(task: &Task) -> String {
    let parts = task.artifacts.iter().flat_map(|artifact| &artifact.parts);
    let texts = parts.map(|part| match &part.content {
        PartContent::Text(text) => text.as_str(),
        _ => "",
    });
    texts.collect()
}

fn chunk_of(event: &StreamResponse) -> Option<&str> {
    let StreamResponse::ArtifactUpdate(event) = event else {
        return None;
    };
    match &event.artifact.parts[0].content {
        PartContent::Text(text) => Some(text),
        _ => None,
    }
}
