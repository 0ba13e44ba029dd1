//! HTTP+JSON of 0.3.

use a2a::error::{Error, ErrorKind};
use a2a::method::Method;
use a2a::model::{
    Artifact, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetTaskRequest,
    HistoryLength, ListTaskPushNotificationConfigsResponse, Message, Part, PartContent,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use a2a::operation::{Operation, Outcome};
use a2a::rest::{Route, read_error};
use a2a::v03::rest::{Answer, Event, read, read_event, read_outcome, write, write_error};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::value::{RawValue, to_raw_value};

use super::{event, request};
use crate::generate;
use crate::raw;

fn arrived(verb: &str, target: &str, body: &str) -> Result<Operation, Error> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    read(Route::find(verb, path).unwrap(), query, body.as_bytes(), 64)
}

fn message() -> Message {
    Message::user("m-1")
        .with_part(Part::text("hello"))
        .with_part(Part::raw([1, 2, 3]).with_filename("a.bin"))
        .with_part(Part::url("https://a.example/b.pdf").with_media_type("application/pdf"))
        .with_part(Part::data(raw(r#"{"n":1.0}"#)))
        .with_part(Part::data(raw("null")))
}

fn config() -> TaskPushNotificationConfig {
    serde_json::from_str(
        r#"{"taskId":"t","id":"p","url":"https://a.example","authentication":{"scheme":"Bearer"}}"#,
    )
    .unwrap()
}

#[test]
fn answers_and_events_on_the_wire() {
    let mut task = Task::new(
        "t",
        "c",
        TaskStatus::new(TaskState::Canceled).with_message(message()),
    );
    task.artifacts
        .push(Artifact::new("a").with_part(Part::text("x")));
    let answers = [
        Outcome::Sent(SendMessageResponse::Message(message())),
        Outcome::Sent(SendMessageResponse::Task(task.clone())),
        Outcome::Task(task),
        Outcome::PushConfig(config()),
        Outcome::PushConfigs(ListTaskPushNotificationConfigsResponse {
            configs: vec![config()],
            next_page_token: String::new(),
        }),
        Outcome::Deleted,
    ]
    .map(|outcome| serde_json::to_string(&Answer::try_from(outcome).unwrap()).unwrap());
    let update = TaskStatusUpdateEvent::new("t", "c", TaskStatus::new(TaskState::Working));
    let events = [true, false].map(|is_final| {
        let event = StreamResponse::StatusUpdate(update.clone());
        serde_json::to_string(&Event::new(event, is_final)).unwrap()
    });
    assert_snapshot!(
        answers
            .into_iter()
            .chain(events)
            .collect::<Vec<_>>()
            .join("\n")
    );
}

#[test]
fn what_a_client_writes_a_server_reads() {
    let mut sent = SendMessageRequest::new(message());
    sent.configuration = Some(Default::default());
    let id = || "t/1".to_owned();
    let operations = [
        Operation::SendMessage(SendMessageRequest::new(message())),
        Operation::SendStreamingMessage(sent),
        Operation::GetTask(GetTaskRequest {
            id: id(),
            history_length: HistoryLength::new(3),
            tenant: None,
        }),
        Operation::CancelTask(CancelTaskRequest {
            id: id(),
            ..CancelTaskRequest::default()
        }),
        Operation::SubscribeToTask(SubscribeToTaskRequest {
            id: id(),
            tenant: None,
        }),
        Operation::CreateTaskPushNotificationConfig(config()),
        Operation::DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest {
            task_id: id(),
            id: "p".to_owned(),
            tenant: None,
        }),
        Operation::GetExtendedAgentCard(Default::default()),
    ];
    let mut lines = Vec::new();
    for operation in operations {
        let outgoing = write(&operation).unwrap();
        let body = String::from_utf8(outgoing.body.unwrap_or_default()).unwrap();
        let verb = outgoing.verb.as_str();
        lines.push(format!("{verb} {} {body}", outgoing.target));
        assert_eq!(arrived(verb, &outgoing.target, &body).unwrap(), operation);
    }
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn requests_of_other_clients_are_read() {
    // Original names, and `request` for `message`, as the official client for Python sends.
    let operation = arrived(
        "POST",
        "/v1/message:send",
        r#"{"request":{"message_id":"m","role":"ROLE_USER","content":[{"file":{"file_with_bytes":"AQID","mime_type":"a/b"}}]},
            "configuration":{"blocking":true,"history_length":0,"push_notification":{"url":"https://a.example"}}}"#,
    );
    let Ok(Operation::SendMessage(request)) = operation else {
        panic!("not a message: {operation:?}");
    };
    assert_eq!(
        request.message.parts[0].content,
        PartContent::Raw(vec![1, 2, 3])
    );
    let configuration = request.configuration.unwrap();
    assert!(!configuration.return_immediately);
    assert_eq!(configuration.history_length, None);
    assert_eq!(
        configuration.task_push_notification_config.unwrap().url,
        "https://a.example"
    );

    // The configuration alone, as the path's definition says, or with the path's members around it.
    for (body, id) in [
        (r#"{"pushNotificationConfig":{"url":"u","id":"p"}}"#, "p"),
        (r#"{"pushNotificationConfig":{"url":"u"}}"#, "t"),
        (
            r#"{"parent":"tasks/t","configId":"q","config":{"pushNotificationConfig":{"url":"u"}}}"#,
            "q",
        ),
        (
            r#"{"name":"tasks/x/pushNotificationConfigs/r","pushNotificationConfig":{"url":"u"}}"#,
            "r",
        ),
    ] {
        let operation = arrived("POST", "/v1/tasks/t/pushNotificationConfigs", body).unwrap();
        let Operation::CreateTaskPushNotificationConfig(config) = operation else {
            panic!("not a registration: {operation:?}");
        };
        assert_eq!(config.id.as_deref(), Some(id), "{body}");
        assert_eq!(config.task_id.as_deref(), Some("t"));
    }
}

#[test]
fn an_error_has_what_each_client_knows_it_by() {
    let error = Error::new(ErrorKind::TaskNotFound, "no such task");
    let body = write_error(404, &error);
    let found: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(found["code"], -32001);
    assert_eq!(found["type"], "TaskNotFoundError");
    assert_eq!(found["message"], "no such task");
    assert_eq!(found["error"]["code"], 404);
    assert_eq!(found["error"]["status"], "NOT_FOUND");
    let read = read_error(404, &body).unwrap();
    assert_eq!((read.kind, read.message), (error.kind, error.message));

    let other = write_error(401, &Error::new(ErrorKind::Unauthenticated, "who?"));
    let other: serde_json::Value = serde_json::from_slice(&other).unwrap();
    assert!(
        other.get("type").is_none(),
        "0.3 has no name for it: {other}"
    );
}

#[test]
fn lists_of_tasks_are_not_offered() {
    let error = arrived("GET", "/v1/tasks", "").unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnsupportedOperation);
}

#[test]
fn a_message_without_a_configuration_blocks() {
    for (configuration, immediately) in [
        ("", None),
        (r#","configuration":{"blocking":true}"#, Some(false)),
        (r#","configuration":{}"#, Some(true)),
    ] {
        let body = format!(
            r#"{{"message":{{"messageId":"m","role":1,"content":[{{"text":"x"}}]}}{configuration}}}"#
        );
        let operation = arrived("POST", "/v1/message:send", &body);
        let Ok(Operation::SendMessage(request)) = operation else {
            panic!("not a message: {operation:?}");
        };
        let found = request.configuration.map(|found| found.return_immediately);
        assert_eq!(found, immediately, "{configuration}");
    }
}

#[test]
fn faults_are_placed_where_they_are() {
    let error = arrived(
        "POST",
        "/v1/message:send",
        r#"{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"text":"x"}],
            "content":[{},{"text":"a","data":{"data":{}}},{"file":{}},{"file":{"fileWithUri":"u","fileWithBytes":""}},{"data":{"data":[]}}]}}"#,
    )
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidParams);
    assert_eq!(
        error.message.split("; ").collect::<Vec<_>>(),
        [
            "message.role is \"user\", not one of ROLE_USER, ROLE_AGENT",
            "message.content[0] is empty: none of text, file, data is set",
            "message.content[1] is ambiguous: more than one of text, file, data is set",
            "message.content[2].file is empty: none of fileWithBytes, fileWithUri is set",
            "message.content[3].file is ambiguous: fileWithBytes and fileWithUri are both set",
            "message.content[4].data.data is an array, not an object",
        ]
    );
}

proptest! {
    #[test]
    fn events_survive_0_3(sent in generate::event(), is_final: bool) {
        let written = to_raw_value(&Event::new(sent.clone(), is_final)).unwrap();
        let (read, _, faults) = read_event(&written).unwrap();
        prop_assert_eq!(read, event(sent));
        prop_assert!(faults.iter().all(|fault| fault.pointer() == "/task/contextId"), "{:?}", faults);
    }

    #[test]
    fn requests_survive_0_3(sent in generate::send_request()) {
        let outgoing = write(&Operation::SendMessage(sent.clone())).unwrap();
        let body = String::from_utf8(outgoing.body.unwrap()).unwrap();
        let back = arrived("POST", &outgoing.target, &body).unwrap();
        prop_assert_eq!(back, Operation::SendMessage(request(sent)));
    }

    #[test]
    fn no_0_3_body_panics(value in generate::json()) {
        let bodies = [
            value.clone(),
            format!(r#"{{"message":{value},"config":{value},"pushNotificationConfig":{value}}}"#),
            format!(r#"{{"message":{{"content":[{{"file":{value},"data":{value}}},{value}]}}}}"#),
            format!(r#"{{"task":{value},"statusUpdate":{{"status":{value}}}}}"#),
        ];
        for body in bodies {
            let _ = arrived("POST", "/v1/message:send", &body);
            let _ = arrived("POST", "/v1/tasks/t/pushNotificationConfigs", &body);
            let body = RawValue::from_string(body).unwrap();
            for method in Method::all() {
                let _ = read_outcome(method, &body);
            }
            let _ = read_event(&body);
        }
    }
}
