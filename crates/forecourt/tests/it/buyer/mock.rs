//! A dealer's agent that answers by script and remembers what arrived.

use std::{
    net::{Ipv4Addr, SocketAddr},
    process::Output,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, runtime::Runtime};

use crate::support;

pub(crate) const V1_0: &str = "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v1.0";
pub(crate) const V1_1: &str = "https://autoagentprotocol.org/extensions/aap/v1.1";
pub(crate) const V1_2: &str = "https://autoagentprotocol.org/extensions/aap/v1.2";
pub(crate) const V1_3: &str = "https://autoagentprotocol.org/extensions/aap/v1.3";

pub(crate) const DRAFT: &str = "https://draft.autoagentprotocol.invalid/extensions/aap/latest";

pub(crate) const SKILLS: [&str; 5] = [
    "dealer.information",
    "inventory.facets",
    "inventory.search",
    "inventory.vehicle",
    "lead.submit",
];

/// What the dealer answers to one call.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// An AAP response payload, as text so that its tokens are known.
    Payload(String),
    /// An `aap.error` payload.
    Refusal(Value),
    /// An error below AAP: a JSON-RPC error object.
    Rpc(Value),
    /// Anything else: status, content type, body.
    Http(u16, &'static str, String),
    /// No answer while anybody waits.
    Silence,
}

/// A call as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Call {
    pub(crate) fn payload(&self) -> &Value {
        &self.body["params"]["message"]["parts"][0]["data"]
    }
}

/// The dealer. It runs on threads of its own until it is dropped.
pub(crate) struct MockDealer {
    pub(crate) address: SocketAddr,
    state: Arc<Script>,
    _runtime: Runtime,
}

struct Script {
    card: Value,
    /// Answers in order; the last one stays.
    replies: Mutex<Vec<Reply>>,
    calls: Mutex<Vec<Call>>,
    /// Looked at while a call is being answered.
    on_call: Box<dyn Fn(&Call) + Send + Sync>,
}

impl MockDealer {
    /// A dealer that advertises these AAP versions and every skill.
    pub(crate) fn speaking(versions: &[&str], replies: &[Reply]) -> Self {
        Self::with_card(&card(versions, &SKILLS), replies)
    }

    /// A dealer with this card, in which `ORIGIN` stands for its own.
    pub(crate) fn with_card(card: &Value, replies: &[Reply]) -> Self {
        Self::watched(card, replies, |_| {})
    }

    /// A dealer that looks at each call while it is being answered.
    pub(crate) fn watched(
        card: &Value,
        replies: &[Reply],
        on_call: impl Fn(&Call) + Send + Sync + 'static,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let listener = runtime.block_on(bound).unwrap();
        let address = listener.local_addr().unwrap();
        let card = card
            .to_string()
            .replace("ORIGIN", &format!("http://{address}"));
        let state = Arc::new(Script {
            card: serde_json::from_str(&card).unwrap(),
            replies: Mutex::new(replies.iter().rev().cloned().collect()),
            calls: Mutex::default(),
            on_call: Box::new(on_call),
        });
        let router = Router::new()
            .route("/.well-known/agent-card.json", get(serve_card))
            .route("/a2a", post(answer))
            .with_state(Arc::clone(&state));
        runtime.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            state,
            _runtime: runtime,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The calls so far, the card's fetches not counted.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.state.calls.lock().unwrap().clone()
    }

    /// The one call that arrived.
    pub(crate) fn call(&self) -> Call {
        let [call] = self.calls().try_into().unwrap();
        call
    }

    /// Runs `forecourt buyer VERB URL ARGS`.
    pub(crate) fn buyer(&self, verb: &str, args: &[&str]) -> Outcome {
        buyer(verb, &self.url(), args)
    }
}

/// How a command ended.
pub(crate) struct Outcome {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// The typed error's code.
    pub(crate) fn code(&self) -> String {
        let document = self.json();
        document["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    pub(crate) fn assert_exit(self, exit: i32) -> Self {
        assert_eq!(self.exit, exit, "{}\n{}", self.stdout, self.stderr);
        self
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            exit: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs `forecourt buyer VERB URL ARGS`.
pub(crate) fn buyer(verb: &str, url: &str, args: &[&str]) -> Outcome {
    let args = [&["buyer", verb, url], args].concat();
    support::run(&args).into()
}

/// Runs `forecourt buyer VERB --dealers FILE ARGS` over a list with this text.
pub(crate) fn buyer_of_many(verb: &str, list: &str, args: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dealers.txt");
    std::fs::write(&file, list).unwrap();
    let args = [&["buyer", verb, "--dealers", file.to_str().unwrap()], args].concat();
    support::run(&args).into()
}

/// A dealer's card that advertises these versions and skills.
pub(crate) fn card(versions: &[&str], skills: &[&str]) -> Value {
    let extensions: Vec<Value> = versions.iter().map(|uri| json!({ "uri": uri })).collect();
    let skills: Vec<Value> = skills
        .iter()
        .map(|id| json!({ "id": id, "name": id, "description": id, "tags": ["cars"] }))
        .collect();
    json!({
        "name": "Mock Motors",
        "description": "A dealer for tests.",
        "version": "1.0.0",
        "supportedInterfaces": [
            { "url": "ORIGIN/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": { "extensions": extensions },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": skills,
    })
}

/// A refusal with the default for retrying.
pub(crate) fn refusal(code: &str, retryable: bool, details: &Value) -> Reply {
    Reply::Refusal(json!({
        "type": "aap.error",
        "error_id": "err_1",
        "code": code,
        "message": "No.",
        "retryable": retryable,
        "details": details,
        "created_at": "2026-05-01T10:00:00Z",
    }))
}

async fn serve_card(State(script): State<Arc<Script>>) -> Response {
    let content_type = [(header::CONTENT_TYPE, "application/json")];
    (content_type, script.card.to_string()).into_response()
}

async fn answer(State(script): State<Arc<Script>>, headers: HeaderMap, body: Bytes) -> Response {
    let call = Call {
        headers,
        body: serde_json::from_slice(&body).unwrap(),
    };
    (script.on_call)(&call);
    let id = call.body["id"].clone();
    script.calls.lock().unwrap().push(call);
    let reply = {
        let mut replies = script.replies.lock().unwrap();
        match replies.as_slice() {
            [last] => last.clone(),
            _ => replies.pop().unwrap(),
        }
    };
    let (status, content_type, body) = match reply {
        Reply::Payload(payload) => {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"message":{{"messageId":"d-1","role":"ROLE_AGENT","contextId":"c-1","parts":[{{"data":{payload}}}]}}}}}}"#
            );
            (200, "application/json", body)
        }
        Reply::Refusal(payload) => {
            let error = json!({ "code": -32000, "message": "No.", "data": payload });
            let body = json!({ "jsonrpc": "2.0", "id": id, "error": error });
            (200, "application/json", body.to_string())
        }
        Reply::Rpc(error) => {
            let body = json!({ "jsonrpc": "2.0", "id": id, "error": error });
            (200, "application/json", body.to_string())
        }
        Reply::Http(status, content_type, body) => (status, content_type, body),
        Reply::Silence => std::future::pending().await,
    };
    let status = StatusCode::from_u16(status).unwrap();
    (status, [(header::CONTENT_TYPE, content_type)], body).into_response()
}
