//! A scripted agent.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use egress::{Egress, Options};
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};

/// What a server answers at one path.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content_type: &'static str,
    pub(crate) body: String,
    pub(crate) retry_after: Option<&'static str>,
}

impl Reply {
    pub(crate) fn new(status: u16, content_type: &'static str, body: impl Into<String>) -> Self {
        Self {
            status: StatusCode::from_u16(status).unwrap(),
            content_type,
            body: body.into(),
            retry_after: None,
        }
    }

    pub(crate) fn retry_after(mut self, value: &'static str) -> Self {
        self.retry_after = Some(value);
        self
    }

    pub(crate) fn json(body: &impl ToString) -> Self {
        Self::new(200, "application/json", body.to_string())
    }
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Arrived {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A server that answers fixed paths, and 404 elsewhere, until it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    arrived: Arc<Mutex<Vec<Arrived>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Replies = Arc<dyn Fn(&Arrived) -> Option<Reply> + Send + Sync>;

#[derive(Clone)]
struct Script {
    replies: Replies,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Server {
    /// Answers by path.
    pub(crate) async fn start(replies: &[(&'static str, Reply)]) -> Self {
        let replies = replies.to_vec();
        Self::answering(move |arrived| {
            let found = replies.iter().find(|(path, _)| *path == arrived.path);
            found.map(|(_, reply)| reply.clone())
        })
        .await
    }

    /// Answers what a function says; 404 for none.
    #[expect(
        clippy::disallowed_methods,
        reason = "the handle is kept in the server"
    )]
    pub(crate) async fn answering(
        replies: impl Fn(&Arrived) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        let arrived = Arc::default();
        let script = Script {
            replies: Arc::new(replies),
            arrived: Arc::clone(&arrived),
        };
        let router = Router::new().fallback(answer).with_state(script);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            arrived,
            task,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far.
    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.arrived().into_iter().map(|it| it.path).collect()
    }
}

async fn answer(State(script): State<Script>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1_000_000).await.unwrap();
    let arrived = Arrived {
        path: parts.uri.path().to_owned(),
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    };
    let reply = (script.replies)(&arrived)
        .unwrap_or_else(|| Reply::new(404, "text/html", "<h1>Not here</h1>"));
    script.arrived.lock().unwrap().push(arrived);
    let content_type = [(header::CONTENT_TYPE, reply.content_type)];
    let mut response = (reply.status, content_type, reply.body).into_response();
    if let Some(value) = reply.retry_after {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

/// A client that reaches the loopback interface.
pub(crate) fn egress() -> Egress {
    let mut options = Options::default();
    options.allow = vec!["127.0.0.0/8".parse().unwrap()];
    Egress::new(options).unwrap()
}
