//! Streams of agents that misbehave.

use std::time::Duration;

use a2a::{
    error::ErrorKind,
    headers::ProtocolVersion,
    model::{Message, Part, SendMessageRequest, StreamResponse, TaskState},
};
use a2a_client::{CallOptions, Choice, Client, Error, Events, discover};
use serde_json::{Value, json};

use crate::{
    discovery::card,
    server::{Arrived, Reply, Server, Then, egress},
};

/// The interfaces that streams are tried over.
const WAYS: [(&str, &str); 4] = [
    ("JSONRPC", "1.0"),
    ("JSONRPC", "0.3"),
    ("HTTP+JSON", "1.0"),
    ("HTTP+JSON", "0.3"),
];

/// An agent that streams, over one interface, and answers by a script.
async fn agent(
    (binding, version): (&str, &str),
    answer: impl Fn(&Arrived) -> Reply + Send + Sync + 'static,
) -> (Server, Client) {
    let mut card = card("");
    card["capabilities"] = json!({ "streaming": true, "pushNotifications": true });
    card["supportedInterfaces"] = json!([
        { "url": "ORIGIN/a2a", "protocolBinding": binding, "protocolVersion": version },
    ]);
    let text = card.to_string();
    let server = Server::answering(move |arrived| {
        if arrived.path.ends_with("agent-card.json") {
            let origin = format!("http://{}", arrived.header("host").unwrap());
            return Some(Reply::json(&text.replace("ORIGIN", &origin)));
        }
        Some(answer(arrived))
    })
    .await;
    let discovered = discover(&egress(), &server.url("")).await.unwrap();
    let mut choice = Choice::default();
    choice.versions = vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    let client = Client::with_choice(egress(), &discovered, &choice).unwrap();
    (server, client)
}

async fn json_rpc(answer: impl Fn(&Arrived) -> Reply + Send + Sync + 'static) -> (Server, Client) {
    agent(WAYS[0], answer).await
}

fn request() -> SendMessageRequest {
    SendMessageRequest::new(Message::user("m-1").with_part(Part::text("go")))
}

fn task(state: &str) -> Value {
    json!({ "task": { "id": "t-1", "contextId": "c-1", "status": { "state": state } } })
}

fn status(state: &str) -> Value {
    json!({ "statusUpdate": { "taskId": "t-1", "contextId": "c-1", "status": { "state": state } } })
}

fn chunk(text: &str) -> Value {
    json!({ "artifactUpdate": {
        "taskId": "t-1",
        "contextId": "c-1",
        "append": true,
        "artifact": { "artifactId": "a", "parts": [{ "text": text }] },
    } })
}

/// Frames of JSON-RPC 1.0, numbered from one on.
fn frames(results: &[Value]) -> String {
    let numbered = results.iter().zip(1..);
    numbered
        .map(|(result, number)| {
            let envelope = json!({ "jsonrpc": "2.0", "id": "m-1", "result": result });
            format!("id: {number}\ndata: {envelope}\n\n")
        })
        .collect()
}

/// Text that lets a lost stream be resumed without a pause.
fn hasty(frames: &str) -> String {
    format!("retry: 1\n\n{frames}")
}

fn method(arrived: &Arrived) -> String {
    arrived.json()["method"].as_str().unwrap().to_owned()
}

/// What a reader sees of each event.
fn seen(event: &StreamResponse) -> String {
    match event {
        StreamResponse::Task(task) => format!("task {}", task.status.state.as_str()),
        StreamResponse::Message(_) => "message".to_owned(),
        StreamResponse::StatusUpdate(event) => event.status.state.as_str().to_owned(),
        StreamResponse::ArtifactUpdate(event) => match &event.artifact.parts[0].content {
            a2a::model::PartContent::Text(text) => text.clone(),
            other => format!("{other:?}"),
        },
    }
}

async fn read(events: &mut Events) -> (Vec<String>, Option<Error>) {
    let mut all = Vec::new();
    loop {
        match events.next().await {
            Ok(Some(event)) => all.push(seen(&event)),
            Ok(None) => return (all, None),
            Err(error) => return (all, Some(error)),
        }
    }
}

async fn whole(client: &Client) -> Vec<String> {
    let mut events = client
        .stream(request(), &CallOptions::default())
        .await
        .unwrap();
    let (events, error) = read(&mut events).await;
    assert!(error.is_none(), "{error:?}");
    events
}

#[tokio::test]
async fn keep_alive_comments_are_ignored() {
    let body = format!(
        ": hello\n\n{}: keep-alive\n\n:\n\n{}",
        frames(&[task("TASK_STATE_WORKING")]),
        frames(&[status("TASK_STATE_COMPLETED")]),
    );
    let (_server, client) = json_rpc(move |_| Reply::stream(&body, Then::End)).await;
    assert_eq!(
        whole(&client).await,
        ["task TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]
    );
}

#[tokio::test]
async fn every_line_end_is_read() {
    for end in ["\n", "\r", "\r\n"] {
        let body = frames(&[task("TASK_STATE_WORKING"), status("TASK_STATE_COMPLETED")])
            .replace("data: ", "data:")
            .replace('\n', end);
        let (_server, client) = json_rpc(move |_| Reply::stream(&body, Then::Stall)).await;
        assert_eq!(whole(&client).await.len(), 2, "{end:?}");
    }
}

#[tokio::test]
async fn an_endless_line_is_given_up_and_the_connection_closed() {
    let line = format!("data: {}", "x".repeat(10_000));
    let (server, client) = json_rpc(move |_| Reply::stream(&line, Then::Repeat)).await;
    let mut options = CallOptions::default();
    options.event_limit = 100_000;
    let mut events = client.stream(request(), &options).await.unwrap();
    let error = events.next().await.unwrap_err();
    assert!(matches!(error, Error::EventTooLarge(_)), "{error:?}");
    assert!(events.next().await.unwrap().is_none());
    wait_until(|| server.open() == 0).await;
}

#[tokio::test]
async fn several_events_in_one_write_are_delivered_at_once() {
    let body = frames(&[task("TASK_STATE_WORKING"), chunk("one"), chunk("two")]);
    let (_server, client) = json_rpc(move |_| Reply::stream(&body, Then::Stall)).await;
    let mut events = client
        .stream(request(), &CallOptions::default())
        .await
        .unwrap();
    for expected in ["task TASK_STATE_WORKING", "one", "two"] {
        assert_eq!(seen(&events.next().await.unwrap().unwrap()), expected);
    }
}

#[tokio::test]
async fn an_error_answered_to_a_streaming_call_is_the_error() {
    let error = json!({ "code": -32004, "message": "no streams here" });
    for way in WAYS {
        let error = error.clone();
        let (_server, client) = agent(way, move |_| {
            if way.0 == "JSONRPC" {
                let body = json!({ "jsonrpc": "2.0", "id": "m-1", "error": error });
                return Reply::json(&body);
            }
            Reply::new(
                400,
                "application/json",
                json!({ "error": error }).to_string(),
            )
        })
        .await;
        let error = client
            .stream(request(), &CallOptions::default())
            .await
            .unwrap_err();
        let Error::Agent(error) = error else {
            panic!("{way:?}: {error:?}");
        };
        assert_eq!(error.kind, ErrorKind::UnsupportedOperation, "{way:?}");
    }
}

#[tokio::test]
async fn a_plain_answer_to_a_streaming_call_is_the_only_event() {
    let body = json!({ "jsonrpc": "2.0", "id": "m-1", "result": task("TASK_STATE_COMPLETED") });
    let (_server, client) = json_rpc(move |_| Reply::json(&body)).await;
    assert_eq!(whole(&client).await, ["task TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn an_error_inside_a_stream_ends_it() {
    let error = json!({ "code": -32603, "message": "it broke" });
    for way in WAYS {
        let event = match way {
            ("JSONRPC", "0.3") => {
                json!({ "result": { "kind": "task", "id": "t-1", "contextId": "c-1", "status": { "state": "working" } } })
            }
            ("JSONRPC", _) => json!({ "result": task("TASK_STATE_WORKING") }),
            _ => task("TASK_STATE_WORKING"),
        };
        let body = format!("data: {event}\n\ndata: {}\n\n", json!({ "error": error }));
        let (server, client) = agent(way, move |_| Reply::stream(&body, Then::Stall)).await;
        let mut events = client
            .stream(request(), &CallOptions::default())
            .await
            .unwrap();
        let (seen, error) = read(&mut events).await;
        assert_eq!(seen, ["task TASK_STATE_WORKING"], "{way:?}");
        assert!(
            matches!(&error, Some(Error::Agent(error)) if error.message == "it broke"),
            "{way:?}: {error:?}"
        );
        assert_eq!(server.arrived().len(), 2, "{way:?} is not resumed");
    }
}

#[tokio::test]
async fn a_stream_may_take_longer_than_an_answer() {
    let (_server, client) =
        json_rpc(move |_| Reply::stream(frames(&[task("TASK_STATE_WORKING")]), Then::Repeat)).await;
    let mut options = CallOptions::default();
    options.timeout = Some(Duration::from_millis(200));
    let mut events = client.stream(request(), &options).await.unwrap();
    let begun = tokio::time::Instant::now();
    while begun.elapsed() < Duration::from_millis(400) {
        events.next().await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_silent_stream_is_lost_and_taken_up_again() {
    let (server, client) = json_rpc(|arrived| match method(arrived).as_str() {
        "SendStreamingMessage" => {
            Reply::stream(hasty(&frames(&[task("TASK_STATE_WORKING")])), Then::Stall)
        }
        _ => Reply::stream(frames(&[task("TASK_STATE_COMPLETED")]), Then::End),
    })
    .await;
    let mut options = CallOptions::default();
    options.idle_timeout = Duration::from_millis(100);
    let mut events = client.stream(request(), &options).await.unwrap();
    let (seen, error) = read(&mut events).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        seen,
        ["task TASK_STATE_WORKING", "task TASK_STATE_COMPLETED"]
    );
    assert_eq!(server.arrived().len(), 3);
}

#[tokio::test]
async fn a_lost_stream_goes_on_behind_the_last_event() {
    for lost in [Then::Break, Then::End] {
        let (server, client) = json_rpc(move |arrived| match method(arrived).as_str() {
            "SendStreamingMessage" => Reply::stream(
                hasty(&frames(&[task("TASK_STATE_WORKING"), chunk("one")])),
                lost,
            ),
            _ => Reply::stream(
                frames(&[chunk("two"), status("TASK_STATE_COMPLETED")]),
                Then::End,
            ),
        })
        .await;
        assert_eq!(
            whole(&client).await,
            [
                "task TASK_STATE_WORKING",
                "one",
                "two",
                "TASK_STATE_COMPLETED"
            ],
            "{lost:?}"
        );
        let resumed = &server.arrived()[2];
        assert_eq!(method(resumed), "SubscribeToTask");
        assert_eq!(resumed.json()["params"], json!({ "id": "t-1" }));
        assert_eq!(resumed.header("last-event-id"), Some("2"));
        assert_eq!(resumed.header("a2a-version"), Some("1.0"));
    }
}

#[tokio::test]
async fn a_task_that_ended_meanwhile_is_read_once() {
    let (server, client) = json_rpc(|arrived| match method(arrived).as_str() {
        "SendStreamingMessage" => {
            Reply::stream(hasty(&frames(&[task("TASK_STATE_WORKING")])), Then::Break)
        }
        "SubscribeToTask" => Reply::json(&json!({
            "jsonrpc": "2.0",
            "id": arrived.json()["id"],
            "error": { "code": -32004, "message": "it has ended" },
        })),
        _ => Reply::json(&json!({
            "jsonrpc": "2.0",
            "id": arrived.json()["id"],
            "result": task("TASK_STATE_FAILED")["task"],
        })),
    })
    .await;
    assert_eq!(
        whole(&client).await,
        ["task TASK_STATE_WORKING", "task TASK_STATE_FAILED"]
    );
    let methods: Vec<String> = server.arrived()[1..].iter().map(method).collect();
    assert_eq!(
        methods,
        ["SendStreamingMessage", "SubscribeToTask", "GetTask"]
    );
}

#[tokio::test]
async fn a_stream_that_cannot_be_resumed_says_why() {
    let (server, client) = json_rpc(|arrived| match method(arrived).as_str() {
        "SendStreamingMessage" => {
            Reply::stream(hasty(&frames(&[task("TASK_STATE_WORKING")])), Then::Break)
        }
        _ => Reply::new(503, "text/html", "<h1>Later</h1>"),
    })
    .await;
    let mut options = CallOptions::default();
    options.resumptions = 3;
    let mut events = client.stream(request(), &options).await.unwrap();
    let (seen, error) = read(&mut events).await;
    assert_eq!(seen, ["task TASK_STATE_WORKING"]);
    assert!(
        matches!(&error, Some(Error::HttpStatus { answer }) if answer.status == 503),
        "{error:?}"
    );
    assert_eq!(server.arrived().len(), 2 + 3);
    assert!(events.next().await.unwrap().is_none());
}

#[tokio::test]
async fn a_stream_that_only_repeats_the_task_is_not_resumed_for_ever() {
    let (server, client) =
        json_rpc(|_| Reply::stream(hasty(&frames(&[task("TASK_STATE_WORKING")])), Then::End)).await;
    let mut options = CallOptions::default();
    options.resumptions = 2;
    let mut events = client.stream(request(), &options).await.unwrap();
    let (seen, error) = read(&mut events).await;
    assert_eq!(seen.len(), 3);
    assert!(matches!(error, Some(Error::StreamEnded)), "{error:?}");
    assert_eq!(server.arrived().len(), 4);
}

#[tokio::test]
async fn without_a_task_nothing_is_sent_again() {
    for then in [Then::End, Then::Break] {
        let (server, client) = json_rpc(move |_| Reply::stream("retry: 1\n\n", then)).await;
        let mut events = client
            .stream(request(), &CallOptions::default())
            .await
            .unwrap();
        let (seen, error) = read(&mut events).await;
        assert!(seen.is_empty());
        assert!(error.is_some());
        assert_eq!(server.arrived().len(), 2, "{then:?}");
    }
}

#[tokio::test]
async fn an_event_that_was_cut_off_is_not_taken() {
    let cut = frames(&[status("TASK_STATE_COMPLETED")]);
    let body = hasty(&frames(&[task("TASK_STATE_WORKING")])) + cut.trim_end();
    let (_server, client) = json_rpc(move |arrived| match method(arrived).as_str() {
        "SendStreamingMessage" => Reply::stream(&body, Then::End),
        _ => Reply::stream(frames(&[task("TASK_STATE_CANCELED")]), Then::End),
    })
    .await;
    assert_eq!(
        whole(&client).await,
        ["task TASK_STATE_WORKING", "task TASK_STATE_CANCELED"]
    );
}

#[tokio::test]
async fn a_task_that_waits_for_its_client_ends_the_stream() {
    for state in ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"] {
        let body = frames(&[task("TASK_STATE_WORKING"), status(state)]);
        let (server, client) = json_rpc(move |_| Reply::stream(&body, Then::End)).await;
        assert_eq!(whole(&client).await, ["task TASK_STATE_WORKING", state]);
        assert_eq!(server.arrived().len(), 2);
    }
}

#[tokio::test]
async fn a_reader_that_leaves_closes_the_connection() {
    let body = frames(&[task("TASK_STATE_WORKING")]);
    let (server, client) = json_rpc(move |_| Reply::stream(&body, Then::Stall)).await;
    let mut readers = Vec::new();
    for _ in 0..20 {
        let mut events = client
            .stream(request(), &CallOptions::default())
            .await
            .unwrap();
        events.next().await.unwrap().unwrap();
        readers.push(events);
    }
    assert_eq!(server.open(), 20);
    drop(readers);
    wait_until(|| server.open() == 0).await;
}

#[tokio::test]
async fn the_last_event_closes_a_connection_that_the_agent_leaves_open() {
    let body = frames(&[task("TASK_STATE_COMPLETED")]);
    let (server, client) = json_rpc(move |_| Reply::stream(&body, Then::Stall)).await;
    assert_eq!(whole(&client).await, ["task TASK_STATE_COMPLETED"]);
    wait_until(|| server.open() == 0).await;
}

#[tokio::test]
async fn a_subscription_to_a_task_that_has_ended_is_one_get_task() {
    let (server, client) = json_rpc(|arrived| match method(arrived).as_str() {
        "SubscribeToTask" => Reply::json(&json!({
            "jsonrpc": "2.0",
            "id": arrived.json()["id"],
            "error": { "code": -32004, "message": "it has ended" },
        })),
        _ => Reply::json(&json!({
            "jsonrpc": "2.0",
            "id": arrived.json()["id"],
            "result": task("TASK_STATE_COMPLETED")["task"],
        })),
    })
    .await;
    let options = CallOptions::default();
    let mut events = client.subscribe("t-1", None, &options).await.unwrap();
    let event = events.next().await.unwrap().unwrap();
    assert_eq!(event.state(), Some(TaskState::Completed));
    assert!(events.next().await.unwrap().is_none());
    let methods: Vec<String> = server.arrived()[1..].iter().map(method).collect();
    assert_eq!(methods, ["SubscribeToTask", "GetTask"]);
}

#[tokio::test]
async fn a_refused_subscription_to_a_task_that_goes_on_stays_refused() {
    let (_server, client) = json_rpc(|arrived| match method(arrived).as_str() {
        "SubscribeToTask" => Reply::json(&json!({
            "jsonrpc": "2.0",
            "id": arrived.json()["id"],
            "error": { "code": -32004, "message": "no streams" },
        })),
        _ => Reply::json(&json!({
            "jsonrpc": "2.0",
            "id": arrived.json()["id"],
            "result": task("TASK_STATE_WORKING")["task"],
        })),
    })
    .await;
    let options = CallOptions::default();
    let error = client.subscribe("t-1", None, &options).await.unwrap_err();
    assert!(
        matches!(&error, Error::Agent(error) if error.kind == ErrorKind::UnsupportedOperation),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_stream_that_the_card_does_not_declare_is_asked_for_on_request_only() {
    let body = frames(&[task("TASK_STATE_COMPLETED")]);
    let mut card = card("ORIGIN/a2a");
    card["capabilities"] = json!({});
    let text = card.to_string();
    let server = Server::answering(move |arrived| {
        let origin = format!("http://{}", arrived.header("host").unwrap());
        Some(match arrived.path.ends_with("agent-card.json") {
            true => Reply::json(&text.replace("ORIGIN", &origin)),
            false => Reply::stream(&body, Then::End),
        })
    })
    .await;
    let discovered = discover(&egress(), &server.url("")).await.unwrap();
    let client = Client::new(egress(), &discovered).unwrap();
    let mut options = CallOptions::default();
    let error = client.stream(request(), &options).await.unwrap_err();
    assert!(error.to_string().contains("streaming"), "{error}");
    assert_eq!(server.arrived().len(), 1);
    options.undeclared = true;
    let mut events = client.stream(request(), &options).await.unwrap();
    assert_eq!(read(&mut events).await.0, ["task TASK_STATE_COMPLETED"]);
}

#[tokio::test]
async fn a_subscription_that_get_does_not_open_is_posted() {
    let body = format!("data: {}\n\n", task("TASK_STATE_COMPLETED"));
    let (server, client) = agent(WAYS[2], move |arrived| match arrived.verb.as_str() {
        "GET" => Reply::new(405, "text/plain", ""),
        _ => Reply::stream(&body, Then::End),
    })
    .await;
    let options = CallOptions::default();
    let mut events = client.subscribe("t/1", Some("7"), &options).await.unwrap();
    assert_eq!(read(&mut events).await.0, ["task TASK_STATE_COMPLETED"]);
    let calls = &server.arrived()[1..];
    assert_eq!(calls.len(), 2);
    for (call, verb) in calls.iter().zip(["GET", "POST"]) {
        assert_eq!(
            (call.verb.as_str(), call.target.as_str()),
            (verb, "/a2a/tasks/t%2F1:subscribe")
        );
        assert_eq!(call.header("last-event-id"), Some("7"));
    }
}

/// Waits for what happens on another connection.
async fn wait_until(happened: impl Fn() -> bool) {
    let wait = async {
        while !happened() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait)
        .await
        .unwrap();
}
