//! gRPC with agents that misbehave, and with what stands in front of them.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use a2a::{
    error::{Error as AgentError, ErrorData, ErrorKind},
    headers::ProtocolVersion,
    model::{
        GetTaskRequest, Message, Part, SendMessageRequest, SendMessageResponse, StreamResponse,
        Task, TaskState, TaskStatus,
    },
    protobuf::{Form, v0_3, v1, write_status},
};
use a2a_client::{Binding, CallOptions, Choice, Client, Error, discover};
use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Response, Version},
};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use prost::Message as _;
use serde_json::json;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    discovery::card,
    server::{Reply, Server, egress},
};

/// What a peer answers.
#[derive(Debug, Clone)]
struct Answer {
    head: HeaderMap,
    body: Vec<Bytes>,
    end: End,
}

/// How an answer ends behind its body.
#[derive(Debug, Clone)]
enum End {
    Trailers(HeaderMap),
    Break,
    Stall,
}

impl Answer {
    /// Messages, and a status behind them.
    fn messages(messages: &[Vec<u8>]) -> Self {
        Self {
            head: headers(&[("content-type", "application/grpc")]),
            body: messages.iter().map(|it| framed(it)).collect(),
            end: End::Trailers(headers(&[("grpc-status", "0")])),
        }
    }

    fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// Every byte on its own.
    fn in_crumbs(mut self) -> Self {
        let bytes: Vec<u8> = self.body.concat();
        self.body = bytes.into_iter().map(|it| Bytes::from(vec![it])).collect();
        self
    }

    /// An error that is only a head.
    fn refusal(error: &AgentError) -> Self {
        let mut answer = Self::messages(&[]);
        answer.head.extend(status(error));
        answer
    }
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| {
            let value = HeaderValue::from_str(value).unwrap();
            (HeaderName::from_static(name), value)
        })
        .collect()
}

/// What a status is called in headers and trailers.
fn status(error: &AgentError) -> HeaderMap {
    let encoded = write_status(error);
    let mut found = headers(&[
        ("grpc-status", &encoded.code.number().to_string()),
        ("grpc-message", &encoded.message.replace(' ', "%20")),
    ]);
    if !encoded.details.is_empty() {
        let details = data_encoding::BASE64_NOPAD.encode(&encoded.details);
        found.extend(headers(&[("grpc-status-details-bin", &details)]));
    }
    found
}

fn framed(message: &[u8]) -> Bytes {
    let mut frame = vec![0];
    frame.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    frame.extend(message);
    frame.into()
}

/// A call as it arrived.
#[derive(Debug, Clone)]
struct Call {
    version: Version,
    path: String,
    headers: HeaderMap,
    message: Vec<u8>,
}

impl Call {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A peer that answers calls one after the other, the last answer again and again.
struct Peer {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<Call>>>,
    task: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    #[expect(clippy::disallowed_methods, reason = "the handle is kept in the peer")]
    async fn answering(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let kept = Arc::clone(&calls);
        let router = Router::new().fallback(async move |request: Request| {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            let mut kept = kept.lock().unwrap();
            let answer = answers.get(kept.len()).or(answers.last()).unwrap().clone();
            kept.push(Call {
                version: parts.version,
                path: parts.uri.path().to_owned(),
                headers: parts.headers,
                message: body[5..].to_vec(),
            });
            respond(answer)
        });
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            calls,
            task,
        }
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    async fn client(&self, version: &str) -> Client {
        client_of(&json!([
            { "url": self.address.to_string(), "protocolBinding": "GRPC", "protocolVersion": version },
        ]))
        .await
        .1
    }
}

fn respond(answer: Answer) -> Response<Body> {
    let frames: Vec<_> = answer.body.into_iter().map(Frame::data).map(Ok).collect();
    let frames = stream::iter(frames);
    let end = match answer.end {
        // The status is in the head.
        End::Trailers(_) if answer.head.contains_key("grpc-status") => stream::empty().boxed(),
        End::Trailers(trailers) => stream::iter([Ok(Frame::trailers(trailers))]).boxed(),
        // What was sent before has to arrive before.
        End::Break => stream::once(async {
            tokio::time::sleep(Duration::from_millis(30)).await;
            Err(std::io::Error::other("broken"))
        })
        .boxed(),
        End::Stall => stream::pending().boxed(),
    };
    let mut response = Response::new(Body::new(StreamBody::new(frames.chain(end))));
    *response.headers_mut() = answer.head;
    response
}

/// A client of a card with these interfaces, which lies on a server that is kept.
async fn client_of(interfaces: &serde_json::Value) -> (Server, Client) {
    let mut card = card("");
    card["capabilities"] = json!({ "streaming": true });
    card["supportedInterfaces"] = interfaces.clone();
    let server = Server::start(&[("/card.json", Reply::json(&card))]).await;
    let discovered = discover(&egress(), &server.url("/card.json"))
        .await
        .unwrap();
    let choice = Choice::with_older_versions();
    let client = Client::with_choice(egress(), &discovered, &choice).unwrap();
    (server, client)
}

fn request() -> SendMessageRequest {
    SendMessageRequest::new(Message::user("m-1").with_part(Part::text("go")))
}

fn get_task() -> GetTaskRequest {
    GetTaskRequest {
        id: "t-1".to_owned(),
        ..GetTaskRequest::default()
    }
}

fn task(state: TaskState) -> Task {
    Task::new("t-1", "c-1", TaskStatus::new(state))
}

fn task_message(state: TaskState) -> Vec<u8> {
    v1::Task::write(task(state)).unwrap().encode_to_vec()
}

fn event_message(state: TaskState) -> Vec<u8> {
    let event = StreamResponse::Task(task(state));
    v1::StreamResponse::write(event).unwrap().encode_to_vec()
}

#[tokio::test]
async fn a_call_says_its_version_extensions_and_credentials() {
    let mut message = Message::agent("a-1");
    message.parts = vec![Part::text("hello")];
    let answer = SendMessageResponse::Message(message);
    let v1_0 = v1::SendMessageResponse::write(answer.clone()).unwrap();
    let v0_3 = v0_3::SendMessageResponse::write(answer.clone()).unwrap();
    for (version, path, extensions, message) in [
        (
            "1.0",
            "/lf.a2a.v1.A2AService/SendMessage",
            "a2a-extensions",
            v1_0.encode_to_vec(),
        ),
        (
            "0.3",
            "/a2a.v1.A2AService/SendMessage",
            "x-a2a-extensions",
            v0_3.encode_to_vec(),
        ),
    ] {
        let peer = Peer::answering(vec![Answer::messages(&[message])]).await;
        let mut options = CallOptions::default();
        options.extensions = vec!["https://a.example/x".to_owned(), "urn:b".to_owned()];
        options.headers = headers(&[("authorization", "Bearer secret"), ("x-api-key", "k")]);
        let client = peer.client(version).await;
        let answered = client.send_message(request(), &options).await.unwrap();
        assert_eq!(answered, answer);

        let calls = peer.calls();
        let call = &calls[0];
        assert_eq!((call.version, call.path.as_str()), (Version::HTTP_2, path));
        assert_eq!(call.header("content-type"), Some("application/grpc"));
        assert_eq!(call.header("te"), Some("trailers"));
        assert_eq!(call.header("a2a-version"), Some(version));
        assert_eq!(call.header(extensions), Some("https://a.example/x, urn:b"));
        assert_eq!(call.header("authorization"), Some("Bearer secret"));
        assert_eq!(call.header("x-api-key"), Some("k"));
    }
}

#[tokio::test]
async fn the_tenant_of_the_interface_is_named() {
    let peer = Peer::answering(vec![Answer::messages(&[task_message(TaskState::Working)])]).await;
    let (_server, client) = client_of(&json!([
        { "url": peer.address.to_string(), "protocolBinding": "GRPC", "protocolVersion": "1.0", "tenant": "north" },
    ]))
    .await;
    let options = CallOptions::default();
    client.get_task(get_task(), &options).await.unwrap();
    let sent = v1::GetTaskRequest::decode(&*peer.calls()[0].message).unwrap();
    assert_eq!((sent.tenant.as_str(), sent.id.as_str()), ("north", "t-1"));
}

#[tokio::test]
async fn an_error_is_known_by_its_reason_then_by_its_code() {
    let quota = AgentError::new(ErrorKind::TooManyRequests, "later please");
    let canceled = AgentError::task_not_cancelable("t-1", TaskState::Completed);
    let mut bare = canceled.clone();
    bare.data = ErrorData::None;
    for (error, kind) in [
        (quota, ErrorKind::TooManyRequests),
        (canceled, ErrorKind::TaskNotCancelable),
        (bare, ErrorKind::UnsupportedOperation),
    ] {
        let behind = Answer::messages(&[]).ending(End::Trailers(status(&error)));
        for answer in [Answer::refusal(&error), behind] {
            let peer = Peer::answering(vec![answer]).await;
            let client = peer.client("1.0").await;
            let found = client.get_task(get_task(), &CallOptions::default()).await;
            let Err(Error::Agent(found)) = found else {
                panic!("{found:?}");
            };
            assert_eq!((found.kind, &found.message), (kind, &error.message));
            let details = |it: &AgentError| matches!(it.data, ErrorData::Details(_));
            assert_eq!(details(&found), details(&error));
        }
    }
}

#[tokio::test]
async fn an_error_at_the_beginning_of_a_stream_is_the_error() {
    let error = AgentError::new(ErrorKind::UnsupportedOperation, "no streams");
    let behind = Answer::messages(&[]).ending(End::Trailers(status(&error)));
    let peer = Peer::answering(vec![Answer::refusal(&error)]).await;
    let client = peer.client("1.0").await;
    let found = client.stream(request(), &CallOptions::default()).await;
    assert!(matches!(found, Err(Error::Agent(it)) if it.kind == error.kind));

    let peer = Peer::answering(vec![behind]).await;
    let client = peer.client("1.0").await;
    let options = CallOptions::default();
    let mut events = client.stream(request(), &options).await.unwrap();
    let found = events.next().await;
    assert!(matches!(found, Err(Error::Agent(it)) if it.kind == error.kind));
}

#[tokio::test]
async fn a_proxys_page_is_shown() {
    for (status, retryable) in [(502, Some(true)), (401, Some(false)), (200, None)] {
        let page = Server::answering(move |arrived| {
            Some(match arrived.path.ends_with("card.json") {
                true => {
                    let mut card = card("");
                    card["supportedInterfaces"] = json!([{
                        "url": arrived.header("host").unwrap(),
                        "protocolBinding": "GRPC",
                        "protocolVersion": "1.0",
                    }]);
                    Reply::json(&card)
                }
                false => Reply::new(status, "text/html", "<h1>Sign in</h1>"),
            })
        })
        .await;
        let discovered = discover(&egress(), &page.url("/card.json")).await.unwrap();
        let client = Client::new(egress(), &discovered).unwrap();
        let error = client
            .send_message(request(), &CallOptions::default())
            .await;
        let error = error.unwrap_err();
        let (Error::HttpStatus { answer } | Error::BadAnswer { answer, .. }) = &error else {
            panic!("{error:?}");
        };
        assert_eq!(answer.status, status);
        assert_eq!(answer.beginning, "<h1>Sign in</h1>");
        assert_eq!(
            matches!(error, Error::HttpStatus { .. }),
            retryable.is_some()
        );
        assert_eq!(error.is_retryable(), retryable.unwrap_or_default());
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_told() {
    let message = || task_message(TaskState::Working);
    let nameless = v1::Task::write(Task::new("", "c-1", TaskStatus::new(TaskState::Working)))
        .unwrap()
        .encode_to_vec();
    for (messages, why) in [
        (vec![], "no message"),
        (vec![message(), message()], "several messages"),
        (vec![vec![0xff, 0xff]], "decode"),
        (vec![nameless], "id is missing"),
    ] {
        let peer = Peer::answering(vec![Answer::messages(&messages)]).await;
        let client = peer.client("1.0").await;
        let error = client.get_task(get_task(), &CallOptions::default()).await;
        let error = error.unwrap_err();
        assert!(matches!(error, Error::BadAnswer { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
async fn a_stream_is_read_in_chunks_of_any_size() {
    let messages = [
        event_message(TaskState::Working),
        event_message(TaskState::Completed),
    ];
    let mut at_once = Answer::messages(&messages);
    at_once.body = vec![at_once.body.concat().into()];
    for answer in [Answer::messages(&messages).in_crumbs(), at_once] {
        let peer = Peer::answering(vec![answer.ending(End::Stall)]).await;
        let client = peer.client("1.0").await;
        let options = CallOptions::default();
        let mut events = client.stream(request(), &options).await.unwrap();
        for state in [TaskState::Working, TaskState::Completed] {
            let event = events.next().await.unwrap().unwrap();
            assert_eq!(event.state(), Some(state));
        }
        assert!(events.next().await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_message_that_is_too_large_is_given_up() {
    let mut announced = vec![0];
    announced.extend(50_000_000_u32.to_be_bytes());
    let mut answer = Answer::messages(&[]).ending(End::Stall);
    answer.body = vec![announced.into()];
    let peer = Peer::answering(vec![answer]).await;
    let client = peer.client("1.0").await;
    let options = CallOptions::default();
    let mut events = client.stream(request(), &options).await.unwrap();
    let error = events.next().await.unwrap_err();
    assert!(
        matches!(&error, Error::EventTooLarge(it) if it.limit == options.event_limit),
        "{error:?}"
    );
    let error = client.get_task(get_task(), &options).await.unwrap_err();
    assert!(
        matches!(error, Error::Network(egress::Error::TooLarge { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_lost_stream_is_taken_up_again() {
    let away = AgentError::new(ErrorKind::Unavailable, "the proxy lost its agent");
    for end in [
        End::Break,
        End::Trailers(status(&away)),
        End::Trailers(headers(&[("grpc-status", "0")])),
    ] {
        let begun = Answer::messages(&[event_message(TaskState::Working)]).ending(end);
        let ended = Answer::messages(&[event_message(TaskState::Completed)]);
        let peer = Peer::answering(vec![begun, ended]).await;
        let client = peer.client("1.0").await;
        let options = CallOptions::default();
        let mut events = client.stream(request(), &options).await.unwrap();
        let mut states = Vec::new();
        while let Some(event) = events.next().await.unwrap() {
            states.push(event.state().unwrap());
        }
        assert_eq!(states, [TaskState::Working, TaskState::Completed]);
        let paths: Vec<String> = peer.calls().into_iter().map(|it| it.path).collect();
        assert!(paths[1].ends_with("/SubscribeToTask"), "{paths:?}");
    }
}

/// The binding has no keep-alive that a client sees, so that silence alone is no failure.
#[tokio::test]
async fn a_silent_stream_is_asked_for_again_without_being_given_up() {
    let silent = Answer::messages(&[event_message(TaskState::Working)]).ending(End::Stall);
    let ended = Answer::messages(&[event_message(TaskState::Completed)]);
    let answers = vec![silent.clone(), silent.clone(), silent, ended];
    let peer = Peer::answering(answers).await;
    let client = peer.client("1.0").await;
    let mut options = CallOptions::default();
    options.idle_timeout = Duration::from_millis(100);
    options.resumptions = 1;
    let mut events = client.stream(request(), &options).await.unwrap();
    let mut seen = 0;
    while events.next().await.unwrap().is_some() {
        seen += 1;
    }
    assert_eq!((seen, peer.calls().len()), (4, 4));
}

#[tokio::test]
async fn a_call_is_waited_for_as_long_as_it_may_take() {
    let begun = Answer::messages(&[task_message(TaskState::Working)]).ending(End::Stall);
    let peer = Peer::answering(vec![begun]).await;
    let client = peer.client("1.0").await;
    let mut options = CallOptions::default();
    options.timeout = Some(Duration::from_millis(100));
    let error = client.get_task(get_task(), &options).await.unwrap_err();
    assert!(
        matches!(error, Error::Network(egress::Error::TimedOut { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_card_cannot_point_to_a_closed_address() {
    for address in [
        "10.1.2.3:50051",
        "grpcs://169.254.169.254:443",
        "http://[::1]:1",
    ] {
        let (_server, client) = client_of(&json!([
            { "url": address, "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        ]))
        .await;
        let error = client.get_task(get_task(), &CallOptions::default()).await;
        assert!(
            matches!(
                error,
                Err(Error::Network(egress::Error::AddressBlocked { .. }))
            ),
            "{address}: {error:?}"
        );
    }
}

#[tokio::test]
async fn an_agent_without_tls_is_not_called_in_clear_text_where_its_address_says_tls() {
    let peer = Peer::answering(vec![Answer::messages(&[])]).await;
    let (_server, client) = client_of(&json!([
        { "url": format!("grpcs://{}", peer.address), "protocolBinding": "GRPC", "protocolVersion": "1.0" },
    ]))
    .await;
    let error = client.get_task(get_task(), &CallOptions::default()).await;
    assert!(
        matches!(error, Err(Error::Network(egress::Error::Tls { .. }))),
        "{error:?}"
    );
    assert!(peer.calls().is_empty());
}

#[tokio::test]
async fn grpc_out_of_reach_gives_way_to_the_next_interface() {
    let (_server, client) = client_of(&json!([
        { "url": "127.0.0.1:1", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        { "url": "a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
    ]))
    .await;
    assert_eq!(client.interface().binding, Binding::Grpc);
    assert_eq!(client.interface().version, ProtocolVersion::V1_0);
    let error = client.get_task(get_task(), &CallOptions::default()).await;
    // The other interface was asked, where nothing is.
    assert!(matches!(error, Err(Error::HttpStatus { .. })), "{error:?}");
}
