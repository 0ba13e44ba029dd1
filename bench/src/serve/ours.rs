//! Agents on the crates of this workspace.

use std::{path::Path, sync::Arc, time::Duration};

use a2a::{
    error::Error,
    headers::ProtocolVersion,
    model::{Artifact, Message, Part, PartContent, Timestamp},
};
use a2a_server::{
    Agent, Answer, BoxError, Handler, Options, Turn, grpc, jsonrpc, rest,
    task::{MemoryStore, Settings, TaskSink, TaskStore, Tasks},
};
use axum::Router;
use forecourt::tasks::{MIGRATIONS, TaskTable};
use store::{Clock, Store};

use super::{CHUNK, PATH, new_id};

/// An agent that answers a message with its parts, on every binding.
pub(super) fn echo() -> Router {
    let agent = Arc::new(Echo);
    let rpc = jsonrpc::router(PATH, Arc::clone(&agent), options());
    let rest = rest::Endpoint::with_handler(options(), Handler::direct());
    let grpc = grpc::Endpoint::with_handler(options(), Handler::direct());
    rpc.merge(rest::router_of(PATH, Arc::clone(&agent), rest))
        .merge(grpc::router_of(agent, grpc))
}

/// An agent that answers in chunks; its tasks are kept in memory, or in a database in `file`.
pub(super) fn chunks(file: Option<&Path>, keep: usize) -> anyhow::Result<Router> {
    let clock = Clock::system();
    let store: Arc<dyn TaskStore> = match file {
        None => Arc::new(MemoryStore::new()),
        Some(file) => {
            let options = store::Options::sqlite(file).migrations(&[MIGRATIONS]);
            Arc::new(TaskTable::new(Store::open(options)?, "bench".parse()?))
        }
    };
    let mut settings = Settings::default();
    settings.most_per_owner = keep;
    let now = move || Timestamp::try_from(clock.now()).expect("a time of our days");
    let handler = Handler::with_tasks(Tasks::new(store, now, settings));
    let endpoint = jsonrpc::Endpoint::with_handler(options(), handler);
    Ok(jsonrpc::router_of(PATH, Arc::new(Chunks), endpoint))
}

fn options() -> Options {
    let mut options = Options::default();
    options.absent_version = ProtocolVersion::V1_0;
    options
}

/// Answers a message with its own parts.
struct Echo;

impl Agent for Echo {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let mut reply = Message::agent(new_id());
        reply.context_id = turn.message.context_id;
        reply.parts = turn.message.parts;
        Ok(Answer::Message(reply))
    }
}

/// Answers a message that says `1000` or `3 20` with so many chunks of one artifact, with so many
/// milliseconds behind each, and any other message directly.
struct Chunks;

impl Agent for Chunks {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let text = match turn.message.parts.first().map(|part| &part.content) {
            Some(PartContent::Text(text)) => text,
            _ => "",
        };
        let (count, pause) = text.split_once(' ').unwrap_or((text, ""));
        let Ok(count) = count.parse() else {
            return Echo.answer(turn).await;
        };
        let pause = pause.parse().ok().map(Duration::from_millis);
        Ok(Answer::task(move |sink| send(sink, count, pause)))
    }
}

async fn send(sink: TaskSink, count: usize, pause: Option<Duration>) -> Result<(), BoxError> {
    for _ in 0..count {
        let chunk = Artifact::new("answer").with_part(Part::text(CHUNK));
        sink.append(chunk, false).await?;
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
    }
    Ok(sink.complete(None).await?)
}
