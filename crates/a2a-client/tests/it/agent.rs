//! An agent with tasks, served by our own server over every binding and in both versions.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use a2a::{
    error::Error,
    headers::ProtocolVersion,
    model::{Artifact, Message, Part, PartContent, Timestamp},
};
use a2a_client::{Binding, Choice, Client, Discovered, discover};
use a2a_server::{
    Agent, Answer, BoxError, Handler, Options, Turn, grpc, jsonrpc, rest,
    task::{MemoryStore, Settings, TaskSink, Tasks},
};
use axum::{Router, routing::get};
use serde_json::json;
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};

use crate::{discovery::card, server::egress};

/// Every way to call the agent.
pub(crate) const WAYS: [(Binding, ProtocolVersion); 6] = [
    (Binding::JsonRpc, ProtocolVersion::V1_0),
    (Binding::JsonRpc, ProtocolVersion::V0_3),
    (Binding::HttpJson, ProtocolVersion::V1_0),
    (Binding::HttpJson, ProtocolVersion::V0_3),
    (Binding::Grpc, ProtocolVersion::V1_0),
    (Binding::Grpc, ProtocolVersion::V0_3),
];

/// Does what the text of a message says.
#[derive(Debug, Default)]
struct Scripted {
    release: Arc<Notify>,
}

impl Agent for Scripted {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let text = text_of(&turn.message.parts);
        let release = Arc::clone(&self.release);
        Ok(match text.as_str() {
            "direct" => {
                Answer::Message(Message::agent("a-1").with_part(turn.message.parts[0].clone()))
            }
            "refuse" => return Err(Error::application(-32050, "not today", None)),
            "ask" => Answer::task(async |sink: TaskSink| {
                let question = sink.message(vec![Part::text("which one?")]);
                Ok(sink.ask(question).await?)
            }),
            "hold" => Answer::task(async move |sink: TaskSink| {
                sink.working(None).await?;
                tokio::select! {
                    () = release.notified() => {}
                    () = sink.canceled() => return Ok(()),
                }
                chunks(&sink, 3).await
            }),
            count => {
                let count = count.parse().unwrap_or(1);
                Answer::task(async move |sink: TaskSink| chunks(&sink, count).await)
            }
        })
    }
}

/// So many chunks of one artifact, without a pause.
async fn chunks(sink: &TaskSink, count: usize) -> Result<(), BoxError> {
    for number in 0..count {
        let chunk = Artifact::new("text").with_part(Part::text(format!("{number} ")));
        sink.append(chunk, number + 1 == count).await?;
    }
    Ok(())
}

/// The text of parts, one after the other.
pub(crate) fn text_of(parts: &[Part]) -> String {
    let texts = parts.iter().map(|part| match &part.content {
        PartContent::Text(text) => text.as_str(),
        _ => "",
    });
    texts.collect()
}

/// A running agent.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    release: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Running {
    #[expect(
        clippy::disallowed_methods,
        reason = "the handle is kept in the server"
    )]
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let agent = Arc::new(Scripted::default());
        let release = Arc::clone(&agent.release);
        let tasks = Tasks::new(Arc::new(MemoryStore::new()), ticking(), Settings::default());
        let handler = Handler::with_tasks(tasks);
        let mut options = Options::default();
        options.supported_versions = vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3];
        let json_rpc = jsonrpc::Endpoint::with_handler(options.clone(), handler.clone());
        let http_json = rest::Endpoint::with_handler(options.clone(), handler.clone());
        let grpc = grpc::Endpoint::with_handler(options, handler);
        let card = card_at(address).to_string();
        let router = Router::new()
            .route(
                "/.well-known/agent-card.json",
                get(move || async move { card }),
            )
            .merge(jsonrpc::router_of("/rpc", Arc::clone(&agent), json_rpc))
            .merge(rest::router_of("/rest", Arc::clone(&agent), http_json))
            .merge(grpc::router_of(agent, grpc));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            release,
            task,
        }
    }

    pub(crate) async fn discover(&self) -> Discovered {
        let url = format!("http://{}", self.address);
        discover(&egress(), &url).await.unwrap()
    }

    pub(crate) async fn client(&self, (binding, version): (Binding, ProtocolVersion)) -> Client {
        let mut choice = Choice::default();
        choice.binding = Some(binding);
        choice.versions = vec![version];
        let client = Client::with_choice(egress(), &self.discover().await, &choice).unwrap();
        assert_eq!(client.interface().binding, binding);
        assert_eq!(client.interface().version, version);
        client
    }

    /// Lets a task go on that is held.
    pub(crate) fn release(&self) {
        self.release.notify_one();
    }
}

fn card_at(address: SocketAddr) -> serde_json::Value {
    let mut card = card("");
    card["capabilities"] = json!({ "streaming": true });
    let interface = |path: &str, binding: &str, version: &str| {
        let url = format!("http://{address}{path}");
        json!({ "url": url, "protocolBinding": binding, "protocolVersion": version })
    };
    card["supportedInterfaces"] = json!([
        interface("/rpc", "JSONRPC", "1.0"),
        interface("/rest", "HTTP+JSON", "1.0"),
        interface("/rpc", "JSONRPC", "0.3"),
        interface("/rest", "HTTP+JSON", "0.3"),
        { "url": address.to_string(), "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        { "url": format!("grpc://{address}"), "protocolBinding": "GRPC", "protocolVersion": "0.3" },
    ]);
    card
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
