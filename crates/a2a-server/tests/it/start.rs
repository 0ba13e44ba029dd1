//! The agent under test, and a server around it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use a2a::error::Error;
use a2a::model::{Message, Part, PartContent};
use a2a_server::serve::{ServeOptions, serve};
use a2a_server::{Agent, Answer, Turn, jsonrpc};
use axum::Router;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;

use crate::client::PATIENCE;

/// Answers by the message's text: `panic`, `hold`, `call` (what the agent knows of the call), `refuse`;
/// anything else is echoed.
#[derive(Default)]
pub(crate) struct TestAgent {
    pub(crate) called: AtomicUsize,
    /// Told when a call to `hold` has arrived.
    pub(crate) waiting: Notify,
    /// Lets it go on.
    pub(crate) release: Notify,
}

impl Agent for TestAgent {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let (request, call) = (turn.message, turn.call);
        self.called.fetch_add(1, Ordering::SeqCst);
        let text = match &request.parts[0].content {
            PartContent::Text(text) => text.as_str(),
            _ => "",
        };
        let parts = match text {
            "panic" => panic!("a panic with a secret in it"),
            "hold" => {
                self.waiting.notify_one();
                self.release.notified().await;
                request.parts
            }
            "refuse" => return Err(Error::application(-32000, "not today", None)),
            "call" => vec![Part::text(format!(
                "version={} extensions={:?} bearer={:?} host={:?} peer={}",
                call.version(),
                call.extensions(),
                call.bearer(),
                call.host(),
                call.peer().unwrap().ip(),
            ))],
            _ => request.parts,
        };
        let mut message = Message::agent("answer");
        message.parts = parts;
        Ok(Answer::Message(message))
    }
}

/// A running server; it stops when dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) agent: Arc<TestAgent>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinSet<std::io::Result<()>>,
}

impl Server {
    /// Begins the shutdown and waits until the server has ended.
    pub(crate) async fn stop(&mut self) {
        drop(self.stop.take());
        let ended = tokio::time::timeout(PATIENCE, self.serving.join_next()).await;
        ended.unwrap().unwrap().unwrap().unwrap();
    }
}

/// A server of the test agent at `/a2a`.
pub(crate) fn start(options: jsonrpc::Options) -> Server {
    start_with(options, ServeOptions::default())
}

pub(crate) fn start_with(options: jsonrpc::Options, serve_options: ServeOptions) -> Server {
    let agent = Arc::new(TestAgent::default());
    let app = jsonrpc::router("/a2a", Arc::clone(&agent), options);
    start_app(app, agent, serve_options)
}

pub(crate) fn start_app(app: Router, agent: Arc<TestAgent>, serve_options: ServeOptions) -> Server {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let mut serving = JoinSet::new();
    serving.spawn(serve(listener, app, serve_options, async {
        let _ = stopped.await;
    }));
    Server {
        address,
        agent,
        stop: Some(stop),
        serving,
    }
}

/// The body of a `SendMessage` with one part of text.
pub(crate) fn send_message(id: &str, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"SendMessage","params":{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"{text}"}}]}}}}}}"#
    )
}

/// The body of a call of any method, without parameters.
pub(crate) fn call(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"c","method":"{method}"}}"#)
}

pub(crate) const VERSION: &str = "A2A-Version: 1.0";
