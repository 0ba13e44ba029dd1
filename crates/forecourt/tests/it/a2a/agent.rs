//! An agent with tasks and webhooks, over every binding and in both versions.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use a2a::{
    error::{Error, ErrorKind},
    headers::ProtocolVersion,
    model::{Artifact, Message, Part, PartContent, TaskState, Timestamp},
};
use a2a_server::{
    Agent as Answers, Answer, Handler, Options, Turn, grpc, jsonrpc, rest,
    task::{
        MemoryStore, Settings, TaskSink, Tasks,
        push::{Push, PushSettings},
    },
};
use axum::{Router, routing::get};
use egress::Egress;
use serde_json::{Value, json};
use tokio::{net::TcpListener, runtime::Runtime};

/// A running agent; it ends with the test.
pub(crate) struct Agent {
    pub(crate) url: String,
    _runtime: Runtime,
}

impl Agent {
    #[expect(
        clippy::disallowed_methods,
        reason = "the runtime that it runs on is kept"
    )]
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime
            .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
            .unwrap();
        let address = listener.local_addr().unwrap();
        let router = {
            let _inside = runtime.enter();
            router(address)
        };
        runtime.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url: format!("http://{address}"),
            _runtime: runtime,
        }
    }
}

fn router(address: SocketAddr) -> Router {
    let agent = Arc::new(Scripted);
    let store = Arc::new(MemoryStore::new());
    let noon: Timestamp = "2026-05-01T12:00:00Z".parse().unwrap();
    let tasks = Tasks::new(Arc::clone(&store) as _, move || noon, Settings::default());
    let mut open = egress::Options::default();
    open.allow = vec!["127.0.0.0/8".parse().unwrap()];
    let egress = Egress::new(open).unwrap();
    // Nobody delivers what is due.
    let push = Push::new(tasks.clone(), store, egress, PushSettings::default());
    let handler = Handler::with_tasks(tasks).with_push(push);
    let mut options = Options::default();
    options.supported_versions = vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    let json_rpc = jsonrpc::Endpoint::with_handler(options.clone(), handler.clone());
    let http_json = rest::Endpoint::with_handler(options.clone(), handler.clone());
    let over_grpc = grpc::Endpoint::with_handler(options, handler);
    let card = card(address).to_string();
    Router::new()
        .route("/.well-known/agent-card.json", get(async move || card))
        .route(
            "/page/.well-known/agent-card.json",
            get(async || "<h1>Sign in</h1>"),
        )
        .merge(jsonrpc::router_of("/rpc", Arc::clone(&agent), json_rpc))
        .merge(rest::router_of("/rest", Arc::clone(&agent), http_json))
        .merge(grpc::router_of(agent, over_grpc))
}

/// The card of the agent at an address.
pub(crate) fn card(address: SocketAddr) -> Value {
    let interface = |url: String, binding: &str, version: &str| json!({ "url": url, "protocolBinding": binding, "protocolVersion": version });
    let at = |path: &str| format!("http://{address}{path}");
    json!({
        "name": "Scripted",
        "description": "Does what a message says.",
        "version": "1",
        "supportedInterfaces": [
            interface(at("/rpc"), "JSONRPC", "1.0"),
            interface(at("/rest"), "HTTP+JSON", "1.0"),
            interface(address.to_string(), "GRPC", "1.0"),
            interface(at("/rpc"), "JSONRPC", "0.3"),
            interface(at("/rest"), "HTTP+JSON", "0.3"),
            interface(at(""), "GRPC", "0.3"),
        ],
        "capabilities": { "streaming": true, "pushNotifications": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "do", "name": "Do", "description": "Does it.", "tags": ["test"] }],
    })
}

#[derive(Debug)]
struct Scripted;

impl Answers for Scripted {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let text = match &turn.message.parts[0].content {
            PartContent::Text(text) => text.clone(),
            _ => "something else".to_owned(),
        };
        Ok(match text.as_str() {
            "work" => Answer::task(async |sink: TaskSink| {
                for (chunk, is_last) in [("one ", false), ("two ", true)] {
                    let chunk = Artifact::new("text").with_part(Part::text(chunk));
                    sink.append(chunk, is_last).await?;
                }
                Ok(())
            }),
            "hold" => Answer::task(async |sink: TaskSink| {
                sink.working(None).await?;
                sink.canceled().await;
                Ok(())
            }),
            "ask" => Answer::task(async |sink: TaskSink| {
                let question = sink.message(vec![Part::text("which one?")]);
                Ok(sink.ask(question).await?)
            }),
            "fail" => Answer::task(async |sink: TaskSink| {
                Ok(sink.status(TaskState::Failed, None).await?)
            }),
            "refuse" => return Err(Error::new(ErrorKind::UnsupportedOperation, "not that")),
            said => {
                let answer = Part::text(format!("you said {said}"));
                Answer::Message(Message::agent("a-1").with_part(answer))
            }
        })
    }
}
