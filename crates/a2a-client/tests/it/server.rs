//! A scripted agent.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Body,
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
    /// What follows the body, for a stream.
    pub(crate) then: Option<Then>,
}

/// How a streamed body goes on behind what is there at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It ends.
    End,
    /// The connection breaks.
    Break,
    /// Nothing more comes.
    Stall,
    /// The same for ever.
    Repeat,
}

impl Reply {
    pub(crate) fn new(status: u16, content_type: &'static str, body: impl Into<String>) -> Self {
        Self {
            status: StatusCode::from_u16(status).unwrap(),
            content_type,
            body: body.into(),
            retry_after: None,
            then: None,
        }
    }

    pub(crate) fn stream(body: impl Into<String>, then: Then) -> Self {
        let mut reply = Self::new(200, "text/event-stream", body);
        reply.then = Some(then);
        reply
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
    pub(crate) verb: String,
    pub(crate) path: String,
    /// Path and query as they were sent.
    pub(crate) target: String,
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
    open: Arc<AtomicUsize>,
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
    open: Arc<AtomicUsize>,
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
        let open = Arc::default();
        let script = Script {
            replies: Arc::new(replies),
            arrived: Arc::clone(&arrived),
            open: Arc::clone(&open),
        };
        let router = Router::new().fallback(answer).with_state(script);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            arrived,
            open,
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

    /// The streams that are open.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.arrived().into_iter().map(|it| it.path).collect()
    }
}

async fn answer(State(script): State<Script>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1_000_000).await.unwrap();
    let arrived = Arrived {
        verb: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        target: parts.uri.to_string(),
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    };
    let reply = (script.replies)(&arrived)
        .unwrap_or_else(|| Reply::new(404, "text/html", "<h1>Not here</h1>"));
    script.arrived.lock().unwrap().push(arrived);
    let content_type = [(header::CONTENT_TYPE, reply.content_type)];
    let body = match reply.then {
        None => Body::from(reply.body),
        Some(then) => streamed(reply.body, then, script.open),
    };
    let mut response = (reply.status, content_type, body).into_response();
    if let Some(value) = reply.retry_after {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

/// A body that is counted while its connection is open.
fn streamed(first: String, then: Then, open: Arc<AtomicUsize>) -> Body {
    struct Open(Arc<AtomicUsize>);
    impl Drop for Open {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    open.fetch_add(1, Ordering::SeqCst);
    let state = (Open(open), 0);
    Body::from_stream(futures_util::stream::unfold(state, move |(open, count)| {
        let first = first.clone();
        async move {
            let item = match then {
                _ if count == 0 => Ok(first),
                Then::End => return None,
                // What was sent before has to arrive before.
                Then::Break => {
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    Err(std::io::Error::other("broken"))
                }
                Then::Stall => std::future::pending().await,
                Then::Repeat => {
                    tokio::task::yield_now().await;
                    Ok(first)
                }
            };
            Some((item, (open, count + 1)))
        }
    }))
}

/// A client that reaches the loopback interface.
pub(crate) fn egress() -> Egress {
    let mut options = Options::default();
    options.allow = vec!["127.0.0.0/8".parse().unwrap()];
    Egress::new(options).unwrap()
}
