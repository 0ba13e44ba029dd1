//! Every operation over every binding and in both versions, with our own server at the other end.

use std::sync::atomic::{AtomicU64, Ordering};

use a2a::{
    error::ErrorKind,
    fold::Fold,
    headers::ProtocolVersion,
    model::{
        CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
        GetTaskPushNotificationConfigRequest, GetTaskRequest,
        ListTaskPushNotificationConfigsRequest, ListTasksRequest, Message, PageSize, Part,
        SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse, Task,
        TaskPushNotificationConfig, TaskState,
    },
};
use a2a_client::{Binding, CallOptions, Choice, Client, Error, Events, discover};
use serde_json::json;

use crate::{
    agent::{Running, WAYS, text_of},
    discovery::card,
    server::{Reply, Server, egress},
};

/// A message of its own id.
fn says(text: &str) -> SendMessageRequest {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let id = format!("m-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    SendMessageRequest::new(Message::user(id).with_part(Part::text(text)))
}

fn says_at_once(text: &str) -> SendMessageRequest {
    let mut request = says(text);
    request.configuration = Some(SendMessageConfiguration {
        return_immediately: true,
        ..SendMessageConfiguration::default()
    });
    request
}

async fn begin(client: &Client, request: SendMessageRequest) -> Task {
    let options = CallOptions::default();
    match client.send_message(request, &options).await.unwrap() {
        SendMessageResponse::Task(task) => task,
        other => panic!("no task: {other:?}"),
    }
}

fn task_text(task: &Task) -> String {
    let artifacts = task.artifacts.iter();
    artifacts.map(|artifact| text_of(&artifact.parts)).collect()
}

/// Reads a stream to its end and folds it.
async fn folded(events: &mut Events) -> Task {
    let Some(StreamResponse::Task(task)) = events.next().await.unwrap() else {
        panic!("the task comes first");
    };
    let mut fold = Fold::new(task);
    while let Some(event) = events.next().await.unwrap() {
        fold.apply(event).unwrap();
    }
    fold.into_task()
}

fn kind(error: &Error) -> ErrorKind {
    match error {
        Error::Agent(error) => error.kind,
        other => panic!("no error of the agent: {other:?}"),
    }
}

#[tokio::test]
async fn a_message_is_answered_with_a_message_or_a_task() {
    let agent = Running::start().await;
    let options = CallOptions::default();
    for way in WAYS {
        let client = agent.client(way).await;
        let answer = client.send_message(says("direct"), &options).await;
        let SendMessageResponse::Message(message) = answer.unwrap() else {
            panic!("{way:?}");
        };
        assert_eq!(text_of(&message.parts), "direct", "{way:?}");

        let task = begin(&client, says("3")).await;
        assert_eq!(task.status.state, TaskState::Completed, "{way:?}");
        assert_eq!(task_text(&task), "0 1 2 ", "{way:?}");

        let error = client.send_message(says("refuse"), &options).await;
        let Error::Agent(error) = error.unwrap_err() else {
            panic!("{way:?}");
        };
        assert_eq!(error.message, "not today", "{way:?}");
    }
}

#[tokio::test]
async fn tasks_are_read_and_ended() {
    let agent = Running::start().await;
    let options = CallOptions::default();
    for way in WAYS {
        let client = agent.client(way).await;
        let held = begin(&client, says_at_once("hold")).await;
        assert!(!held.status.state.is_terminal(), "{way:?}");
        let request = GetTaskRequest {
            id: held.id.clone(),
            ..GetTaskRequest::default()
        };
        let read = client.get_task(request, &options).await.unwrap();
        assert_eq!(read.id, held.id, "{way:?}");
        assert_eq!(read.context_id, held.context_id, "{way:?}");

        let request = CancelTaskRequest {
            id: held.id.clone(),
            ..CancelTaskRequest::default()
        };
        let canceled = client.cancel_task(request.clone(), &options).await.unwrap();
        assert_eq!(canceled.status.state, TaskState::Canceled, "{way:?}");
        let error = client.cancel_task(request, &options).await.unwrap_err();
        assert_eq!(kind(&error), ErrorKind::TaskNotCancelable, "{way:?}");

        let unknown = GetTaskRequest {
            id: "no such/task?".to_owned(),
            ..GetTaskRequest::default()
        };
        let error = client.get_task(unknown, &options).await.unwrap_err();
        assert_eq!(kind(&error), ErrorKind::TaskNotFound, "{way:?}");
    }
}

#[tokio::test]
async fn tasks_are_found_page_by_page_in_1_0() {
    let agent = Running::start().await;
    let options = CallOptions::default();
    for (binding, version) in WAYS {
        let client = agent.client((binding, version)).await;
        if version == ProtocolVersion::V0_3 {
            let error = client
                .list_tasks(ListTasksRequest::default(), &options)
                .await;
            let words = error.unwrap_err().to_string();
            assert!(words.contains("ListTasks"), "{words}");
            continue;
        }
        let asked = begin(&client, says("ask")).await;
        let mut mine = Vec::new();
        for _ in 0..2 {
            let mut request = says("ask");
            request.message.context_id.clone_from(&asked.context_id);
            mine.push(begin(&client, request).await.id);
        }
        mine.push(asked.id);
        let mut request = ListTasksRequest {
            context_id: asked.context_id,
            status: Some(TaskState::InputRequired),
            page_size: Some(PageSize::new(2).unwrap()),
            include_artifacts: Some(true),
            ..ListTasksRequest::default()
        };
        let mut found = Vec::new();
        loop {
            let page = client.list_tasks(request.clone(), &options).await.unwrap();
            assert_eq!((page.total_size, page.page_size), (3, 2), "{binding}");
            found.extend(page.tasks.into_iter().map(|task| task.id));
            if page.next_page_token.is_empty() {
                break;
            }
            request.page_token = Some(page.next_page_token);
        }
        found.sort();
        mine.sort();
        assert_eq!(found, mine, "{binding}");
    }
}

#[tokio::test]
async fn a_stream_brings_every_event_of_five_thousand() {
    let agent = Running::start().await;
    let options = CallOptions::default();
    let expected: String = (0..5000).map(|number| format!("{number} ")).collect();
    for way in WAYS {
        let client = agent.client(way).await;
        let mut events = client.stream(says("5000"), &options).await.unwrap();
        let task = folded(&mut events).await;
        assert_eq!(task.status.state, TaskState::Completed, "{way:?}");
        assert!(task_text(&task) == expected, "{way:?}");
        assert_eq!(events.task_id(), Some(task.id.as_str()));
    }
}

#[tokio::test]
async fn a_direct_answer_is_the_only_event() {
    let agent = Running::start().await;
    let options = CallOptions::default();
    for way in WAYS {
        let client = agent.client(way).await;
        let mut events = client.stream(says("direct"), &options).await.unwrap();
        let event = events.next().await.unwrap();
        assert!(matches!(event, Some(StreamResponse::Message(_))), "{way:?}");
        assert!(events.next().await.unwrap().is_none(), "{way:?}");
        let error = client.stream(says("refuse"), &options).await;
        assert!(matches!(error, Err(Error::Agent(_))), "{way:?}");
    }
}

#[tokio::test]
async fn a_question_ends_the_stream() {
    let agent = Running::start().await;
    let options = CallOptions::default();
    for way in WAYS {
        let client = agent.client(way).await;
        let mut events = client.stream(says("ask"), &options).await.unwrap();
        let task = folded(&mut events).await;
        assert_eq!(task.status.state, TaskState::InputRequired, "{way:?}");
    }
}

#[tokio::test]
async fn a_task_is_followed_from_where_a_reader_left_off() {
    let agent = Running::start().await;
    let options = CallOptions::default();
    for way in WAYS {
        let client = agent.client(way).await;
        let mut first = client.stream(says("hold"), &options).await.unwrap();
        let mut state = None;
        while state != Some(TaskState::Working) {
            state = first.next().await.unwrap().unwrap().state();
        }
        let id = first.task_id().unwrap().to_owned();
        let last = first.last_event_id().map(str::to_owned);
        // Messages of gRPC have no ids.
        assert_eq!(last.is_some(), way.0 != Binding::Grpc, "{way:?}");
        drop(first);

        let mut again = client
            .subscribe(&id, last.as_deref(), &options)
            .await
            .unwrap();
        let mut fresh = client.subscribe(&id, None, &options).await.unwrap();
        agent.release();
        let mut texts = String::new();
        while let Some(event) = again.next().await.unwrap() {
            if let StreamResponse::ArtifactUpdate(update) = event {
                texts += &text_of(&update.artifact.parts);
            }
        }
        assert_eq!(texts, "0 1 2 ", "{way:?}");
        let task = folded(&mut fresh).await;
        assert_eq!(task_text(&task), "0 1 2 ", "{way:?}");

        let mut ended = client.subscribe(&id, None, &options).await.unwrap();
        let task = folded(&mut ended).await;
        assert_eq!(task.status.state, TaskState::Completed, "{way:?}");
        let error = client.subscribe("unknown", None, &options).await;
        assert_eq!(
            kind(&error.unwrap_err()),
            ErrorKind::TaskNotFound,
            "{way:?}"
        );
    }
}

/// What the requests of the other operations look like, and how their answers are read.
#[tokio::test]
async fn webhooks_and_the_extended_card_are_asked_for() {
    let mut card = card("");
    card["capabilities"] = json!({ "pushNotifications": true, "extendedAgentCard": true });
    card["supportedInterfaces"] = json!([
        { "url": "ORIGIN/rest/?key=1", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0", "tenant": "north/1" },
    ]);
    let text = card.to_string();
    let config = json!({ "taskId": "t-1", "id": "c-1", "url": "https://hook.example" });
    let server = Server::answering(move |arrived| {
        let origin = format!("http://{}", arrived.header("host").unwrap());
        let body = text.replace("ORIGIN", &origin);
        Some(match (arrived.verb.as_str(), arrived.path.as_str()) {
            (_, "/.well-known/agent-card.json" | "/rest/north%2F1/extendedAgentCard") => {
                Reply::json(&body)
            }
            ("DELETE", _) => Reply::new(204, "text/plain", ""),
            ("GET", path) if path.ends_with("/pushNotificationConfigs") => Reply::new(
                200,
                "application/a2a+json",
                json!({ "configs": [config] }).to_string(),
            ),
            _ => Reply::new(201, "application/a2a+json", config.to_string()),
        })
    })
    .await;
    let discovered = discover(&egress(), &server.url("")).await.unwrap();
    let client = Client::new(egress(), &discovered).unwrap();
    let options = CallOptions::default();
    let config = TaskPushNotificationConfig {
        task_id: Some("t-1".to_owned()),
        url: "https://hook.example".to_owned(),
        ..TaskPushNotificationConfig::default()
    };
    let created = client.create_push_config(config, &options).await.unwrap();
    assert_eq!(created.id.as_deref(), Some("c-1"));
    let read = GetTaskPushNotificationConfigRequest {
        task_id: "t-1".to_owned(),
        id: "c-1".to_owned(),
        ..GetTaskPushNotificationConfigRequest::default()
    };
    let read = client.get_push_config(read, &options).await.unwrap();
    assert_eq!(read.url, "https://hook.example");
    let list = ListTaskPushNotificationConfigsRequest {
        task_id: "t-1".to_owned(),
        page_size: 10,
        ..ListTaskPushNotificationConfigsRequest::default()
    };
    let page = client.list_push_configs(list, &options).await.unwrap();
    assert_eq!(page.configs.len(), 1);
    let delete = DeleteTaskPushNotificationConfigRequest {
        task_id: "t-1".to_owned(),
        id: "c-1".to_owned(),
        ..DeleteTaskPushNotificationConfigRequest::default()
    };
    client.delete_push_config(delete, &options).await.unwrap();
    let extended = client.get_extended_card(&options).await.unwrap();
    assert_eq!(extended.name, "Echo");

    let calls = server.arrived();
    let calls: Vec<String> = calls[1..]
        .iter()
        .map(|call| format!("{} {}", call.verb, call.target))
        .collect();
    assert_eq!(
        calls,
        [
            "POST /rest/north%2F1/tasks/t-1/pushNotificationConfigs?key=1",
            "GET /rest/north%2F1/tasks/t-1/pushNotificationConfigs/c-1?key=1",
            "GET /rest/north%2F1/tasks/t-1/pushNotificationConfigs?key=1&pageSize=10",
            "DELETE /rest/north%2F1/tasks/t-1/pushNotificationConfigs/c-1?key=1",
            "GET /rest/north%2F1/extendedAgentCard?key=1",
        ]
    );
    assert!(
        server.arrived()[1..]
            .iter()
            .all(|call| call.header("a2a-version") == Some("1.0"))
    );
    let webhook = TaskPushNotificationConfig::default();
    let error = client.create_push_config(webhook, &options).await;
    assert!(matches!(error, Err(Error::Unwritable { .. })));
}

/// An address where nobody listens.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn an_interface_out_of_reach_gives_way_to_the_next_of_its_version() {
    let agent = Running::start().await;
    let mut discovered = agent.discover().await;
    let interfaces = &mut discovered.card.supported_interfaces;
    interfaces[0].url = nobody();
    let client = Client::new(egress(), &discovered).unwrap();
    assert_eq!(client.interface().binding, Binding::JsonRpc);
    begin(&client, says("1")).await;
    assert_eq!(client.interface().binding, Binding::HttpJson);
    begin(&client, says("1")).await;
}

#[tokio::test]
async fn an_older_version_is_spoken_on_request_only() {
    let agent = Running::start().await;
    let mut discovered = agent.discover().await;
    for interface in &mut discovered.card.supported_interfaces {
        if interface.protocol_version == "1.0" {
            interface.url = nobody();
        }
    }
    let options = CallOptions::default();
    let client = Client::new(egress(), &discovered).unwrap();
    let error = client.send_message(says("1"), &options).await;
    assert!(
        matches!(
            error,
            Err(Error::Network(egress::Error::Unreachable { .. }))
        ),
        "{error:?}"
    );
    let choice = Choice::with_older_versions();
    let client = Client::with_choice(egress(), &discovered, &choice).unwrap();
    begin(&client, says("1")).await;
    assert_eq!(client.interface().version, ProtocolVersion::V0_3);
}

#[tokio::test]
async fn an_agent_that_was_reached_is_not_asked_a_second_time_elsewhere() {
    let mut card = card("");
    card["supportedInterfaces"] = json!([
        { "url": "ORIGIN/broken", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
        { "url": "ORIGIN/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
    ]);
    let text = card.to_string();
    let server = Server::answering(move |arrived| {
        let origin = format!("http://{}", arrived.header("host").unwrap());
        Some(match arrived.path.ends_with("agent-card.json") {
            true => Reply::json(&text.replace("ORIGIN", &origin)),
            false => Reply::new(502, "text/html", "<h1>Bad gateway</h1>"),
        })
    })
    .await;
    let discovered = discover(&egress(), &server.url("")).await.unwrap();
    let client = Client::new(egress(), &discovered).unwrap();
    let options = CallOptions::default();
    let error = client.send_message(says("1"), &options).await;
    assert!(
        matches!(&error, Err(Error::HttpStatus { answer }) if answer.status == 502),
        "{error:?}"
    );
    assert_eq!(server.arrived().len(), 2);
}

#[tokio::test]
async fn the_older_media_type_is_sent_where_the_newer_is_refused() {
    let mut card = card("");
    card["supportedInterfaces"] = json!([
        { "url": "ORIGIN", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
    ]);
    let text = card.to_string();
    let server = Server::answering(move |arrived| {
        let origin = format!("http://{}", arrived.header("host").unwrap());
        let answer = r#"{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"x"}]}}"#;
        Some(match arrived.header("content-type") {
            None => Reply::json(&text.replace("ORIGIN", &origin)),
            Some("application/json") => Reply::json(&answer),
            Some(_) => Reply::new(415, "text/plain", "no"),
        })
    })
    .await;
    let discovered = discover(&egress(), &server.url("")).await.unwrap();
    let client = Client::new(egress(), &discovered).unwrap();
    let options = CallOptions::default();
    let answer = client.send_message(says("1"), &options).await;
    assert!(matches!(answer, Ok(SendMessageResponse::Message(_))));
    let calls = server.arrived();
    let types: Vec<_> = calls[1..]
        .iter()
        .map(|it| it.header("content-type"))
        .collect();
    assert_eq!(
        types,
        [Some("application/a2a+json"), Some("application/json")]
    );
}

#[tokio::test]
async fn errors_of_both_tables_are_told_apart_by_reason_then_code() {
    use ErrorKind::{ContentTypeNotSupported, TaskNotCancelable, UnsupportedOperation};
    let reason = |reason: &str| {
        json!([{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": reason,
            "domain": "a2a-protocol.org",
        }])
    };
    let cases = [
        (
            400,
            "FAILED_PRECONDITION",
            reason("TASK_NOT_CANCELABLE"),
            TaskNotCancelable,
        ),
        (409, "FAILED_PRECONDITION", json!([]), TaskNotCancelable),
        (415, "INVALID_ARGUMENT", json!([]), ContentTypeNotSupported),
        (400, "UNIMPLEMENTED", json!([]), UnsupportedOperation),
        (
            502,
            "INTERNAL",
            reason("INVALID_AGENT_RESPONSE"),
            ErrorKind::InvalidAgentResponse,
        ),
        (404, "NOT_FOUND", json!([]), ErrorKind::TaskNotFound),
        (
            401,
            "UNAUTHENTICATED",
            json!([]),
            ErrorKind::Unauthenticated,
        ),
        (
            429,
            "RESOURCE_EXHAUSTED",
            json!([]),
            ErrorKind::TooManyRequests,
        ),
    ];
    for (status, name, details, expected) in cases {
        let mut card = card("");
        card["supportedInterfaces"] = json!([
            { "url": "ORIGIN", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
        ]);
        let text = card.to_string();
        let body = json!({ "error": { "code": status, "status": name, "message": "no", "details": details } });
        let server = Server::answering(move |arrived| {
            let origin = format!("http://{}", arrived.header("host").unwrap());
            Some(match arrived.path.ends_with("agent-card.json") {
                true => Reply::json(&text.replace("ORIGIN", &origin)),
                false => Reply::new(status, "application/json", body.to_string()),
            })
        })
        .await;
        let discovered = discover(&egress(), &server.url("")).await.unwrap();
        let client = Client::new(egress(), &discovered).unwrap();
        let request = GetTaskRequest {
            id: "t".to_owned(),
            ..GetTaskRequest::default()
        };
        let error = client.get_task(request, &CallOptions::default()).await;
        assert_eq!(kind(&error.unwrap_err()), expected, "{status} {name}");
    }
}
