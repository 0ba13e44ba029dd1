//! JSON-RPC of 0.3.

use a2a::error::ErrorKind;
use a2a::jsonrpc::{Id, parse_request, write_request, write_response};
use a2a::method::{Method, Method03};
use a2a::model::{
    Artifact, CancelTaskRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    HistoryLength, ListTaskPushNotificationConfigsResponse, ListTasksRequest, Message, Part,
    PartContent, SendMessageRequest, SendMessageResponse, StreamResponse, Task,
    TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use a2a::operation::{Operation, Outcome};
use a2a::v03::NotIn03;
use a2a::v03::jsonrpc::{Answer, Event, read, read_event, read_outcome, write};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::value::{RawValue, to_raw_value};

use super::{event, request};
use crate::generate;
use crate::raw;

fn method(name: &str) -> Method03 {
    Method03::from_name(name).unwrap()
}

fn sent(params: &str) -> Result<SendMessageRequest, String> {
    match read(method("message/send"), Some(&raw(params))) {
        Ok(Operation::SendMessage(request)) => Ok(request),
        Ok(other) => panic!("not a message: {other:?}"),
        Err(error) => Err(error.message),
    }
}

fn message() -> Message {
    Message::agent("m-1")
        .with_context_id("c-1")
        .with_part(Part::text("hello").with_media_type("text/plain"))
        .with_part(Part::raw([1, 2, 3]).with_filename("a.bin"))
        .with_part(Part::url("https://a.example/b.pdf").with_media_type("application/pdf"))
        .with_part(Part::data(raw(r#"{"n":1.0}"#)))
        .with_part(Part::data(raw("[9007199254740993,null]")))
}

fn task() -> Task {
    let status = TaskStatus::new(TaskState::InputRequired)
        .with_message(message())
        .at("2026-05-01T12:00:00.5+02:00".parse().unwrap());
    let mut task = Task::new("t-1", "c-1", status);
    task.artifacts
        .push(Artifact::new("a-1").with_part(Part::text("done")));
    task.history
        .push(Message::user("m-0").with_part(Part::text("hi")));
    task
}

fn config() -> TaskPushNotificationConfig {
    serde_json::from_str(
        r#"{"taskId":"t-1","id":"p-1","url":"https://a.example","token":"k","authentication":{"scheme":"Bearer","credentials":"s"}}"#,
    )
    .unwrap()
}

#[test]
fn answers_on_the_wire() {
    let outcomes = [
        Outcome::Sent(SendMessageResponse::Message(message())),
        Outcome::Sent(SendMessageResponse::Task(task())),
        Outcome::Task(Task::new("t", "c", TaskStatus::new(TaskState::Unspecified))),
        Outcome::PushConfig(config()),
        Outcome::PushConfigs(ListTaskPushNotificationConfigsResponse {
            configs: vec![config()],
            next_page_token: String::new(),
        }),
        Outcome::Deleted,
    ];
    let lines = outcomes.map(|outcome| {
        let answer = Answer::try_from(outcome).unwrap();
        String::from_utf8(write_response(&Id::from(1), &answer)).unwrap()
    });
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn events_on_the_wire() {
    let status = TaskStatusUpdateEvent::new("t", "c", TaskStatus::new(TaskState::Completed));
    let chunk = Artifact::new("a").with_part(Part::text("x"));
    let chunk = TaskArtifactUpdateEvent::new("t", "c", chunk)
        .appended()
        .last();
    let events = [
        Event::new(StreamResponse::StatusUpdate(status.clone()), true),
        Event::new(StreamResponse::StatusUpdate(status), false),
        Event::new(StreamResponse::ArtifactUpdate(chunk), false),
        Event::new(StreamResponse::Message(Message::agent("m")), true),
    ];
    let lines = events.map(|event| serde_json::to_string(&event).unwrap());
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn requests_on_the_wire() {
    let mut request = SendMessageRequest::new(message());
    request.configuration = Some(Default::default());
    let operations = [
        Operation::SendMessage(request),
        Operation::GetTask(GetTaskRequest {
            id: "t".to_owned(),
            history_length: HistoryLength::new(3),
            tenant: None,
        }),
        Operation::CancelTask(CancelTaskRequest {
            id: "t".to_owned(),
            ..CancelTaskRequest::default()
        }),
        Operation::CreateTaskPushNotificationConfig(config()),
        Operation::GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest {
            task_id: "t".to_owned(),
            id: "p".to_owned(),
            tenant: None,
        }),
    ];
    let lines = operations.map(|operation| {
        let (method, params) = write(&operation).unwrap();
        let body = write_request(&Id::from(1), method, &params).unwrap();
        String::from_utf8(body).unwrap()
    });
    assert_snapshot!(lines.join("\n"));
    let unknown = write(&Operation::ListTasks(ListTasksRequest::default()));
    assert!(matches!(
        unknown,
        Err(NotIn03::Operation(Method::ListTasks))
    ));
}

#[test]
fn every_method_is_read() {
    for (name, params, task) in [
        ("tasks/get", r#"{"id":"t","historyLength":0}"#, "t"),
        ("tasks/cancel", r#"{"id":"t","metadata":{"a":1}}"#, "t"),
        ("tasks/resubscribe", r#"{"id":"t"}"#, "t"),
        ("tasks/pushNotificationConfig/list", r#"{"id":"t"}"#, "t"),
        (
            "tasks/pushNotificationConfig/delete",
            r#"{"id":"t","pushNotificationConfigId":"p"}"#,
            "t",
        ),
    ] {
        let operation = read(method(name), Some(&raw(params))).unwrap();
        assert_eq!(operation.method(), method(name).counterpart(), "{name}");
        assert_eq!(operation.task_id(), Some(task), "{name}");
        let (back, _) = write(&operation).unwrap();
        assert_eq!(back.name(), name);
    }
    let card = read(method("agent/getAuthenticatedExtendedCard"), None).unwrap();
    assert_eq!(card.method(), Method::GetExtendedAgentCard);
}

#[test]
fn a_configuration_without_an_id_has_that_of_its_task() {
    let params = raw(r#"{"taskId":"t","pushNotificationConfig":{"url":"https://a.example"}}"#);
    let set = read(method("tasks/pushNotificationConfig/set"), Some(&params)).unwrap();
    let Operation::CreateTaskPushNotificationConfig(config) = set else {
        panic!("not a registration: {set:?}");
    };
    assert_eq!(config.id.as_deref(), Some("t"));
    let get = read(
        method("tasks/pushNotificationConfig/get"),
        Some(&raw(r#"{"id":"t"}"#)),
    );
    let Ok(Operation::GetTaskPushNotificationConfig(get)) = get else {
        panic!("not a question: {get:?}");
    };
    assert_eq!((get.task_id.as_str(), get.id.as_str()), ("t", "t"));
}

#[test]
fn a_message_blocks_unless_it_says_otherwise() {
    for (configuration, immediately) in [
        ("", None),
        (r#","configuration":{}"#, Some(false)),
        (r#","configuration":{"blocking":true}"#, Some(false)),
        (r#","configuration":{"blocking":false}"#, Some(true)),
    ] {
        let request = sent(&format!(
            r#"{{"message":{{"kind":"message","messageId":"m","role":"user","parts":[{{"kind":"text","text":"x"}}]}}{configuration}}}"#
        ))
        .unwrap();
        let found = request.configuration.map(|found| found.return_immediately);
        assert_eq!(found, immediately, "{configuration}");
    }
}

fn content(part: &str) -> Result<Part, String> {
    let request = sent(&format!(
        r#"{{"message":{{"messageId":"m","role":"user","parts":[{part}]}}}}"#
    ))?;
    Ok(request.message.parts[0].clone())
}

#[test]
fn parts_are_read_by_kind() {
    let file = content(
        r#"{"file":{"mimeType":"a/b","bytes":"AQID","name":"n"},"kind":"file","metadata":{"k":1}}"#,
    )
    .unwrap();
    assert_eq!(file.content, PartContent::Raw(vec![1, 2, 3]));
    assert_eq!(file.filename.as_deref(), Some("n"));
    assert_eq!(file.media_type.as_deref(), Some("a/b"));
    assert!(file.metadata.is_some());

    // What the kind does not ask for is no fault, and a missing kind is told by the members.
    let text = content(r#"{"kind":"text","text":"","data":null,"file":null}"#).unwrap();
    assert_eq!(text.content, PartContent::Text(String::new()));
    let data = content(r#"{"data":{"a":1.0}}"#).unwrap();
    assert_eq!(data.content, PartContent::Data(raw(r#"{"a":1.0}"#)));
    // Drafts before 0.3 called it `type`; beside a kind that is any other member.
    for old in [
        r#"{"type":"text","text":"a"}"#,
        r#"{"kind":"text","type":"video","text":"a"}"#,
        r#"{"type":7,"text":"a"}"#,
    ] {
        let text = content(old).unwrap();
        assert_eq!(text.content, PartContent::Text("a".to_owned()), "{old}");
    }

    for (part, words) in [
        (r#"{"kind":"text"}"#, "message.parts[0].text is missing"),
        (
            r#"{"kind":"video"}"#,
            "message.parts[0].kind is \"video\", not one of text, file, data",
        ),
        (
            r#"{"type":"video","text":"a"}"#,
            "message.parts[0].kind is \"video\", not one of text, file, data",
        ),
        (r#"{}"#, "message.parts[0].kind is missing"),
        (
            r#"{"kind":"data","data":[1]}"#,
            "message.parts[0].data is an array, not an object",
        ),
        (
            r#"{"kind":"file","file":{"bytes":"AA==","uri":"x"}}"#,
            "message.parts[0].file is ambiguous: bytes and uri are both set",
        ),
        (
            r#"{"kind":"file","file":{"name":"x"}}"#,
            "message.parts[0].file is empty: none of bytes, uri is set",
        ),
        (
            r#"{"kind":"file","file":{"bytes":"?"}}"#,
            "message.parts[0].file.bytes is not base64: Invalid symbol 63, offset 0.",
        ),
    ] {
        assert!(
            content(part).unwrap_err().starts_with(words),
            "{part}: {:?}",
            content(part)
        );
    }
}

#[test]
fn wrapped_data_is_unwrapped() {
    let part = content(
        r#"{"kind":"data","data":{"value":[1,2.50]},"metadata":{"data_part_compat":true,"k":1}}"#,
    )
    .unwrap();
    assert_eq!(part.content, PartContent::Data(raw("[1,2.50]")));
    assert_eq!(part.metadata.unwrap().as_raw().get(), r#"{"k":1}"#);
    // Nobody said that this is a wrapper.
    let part = content(r#"{"kind":"data","data":{"value":1}}"#).unwrap();
    assert_eq!(part.content, PartContent::Data(raw(r#"{"value":1}"#)));
}

#[test]
fn faults_of_0_3_are_placed_where_they_are() {
    let error = sent(
        r#"{"message":{"kind":"task","role":"ROLE_USER","parts":[]},"configuration":{"historyLength":-1,
            "pushNotificationConfig":{"authentication":{}}}}"#,
    )
    .unwrap_err();
    assert_eq!(
        error.split("; ").collect::<Vec<_>>(),
        [
            "message.kind is \"task\", not \"message\"",
            "message.role is \"ROLE_USER\", not one of user, agent",
            "message.parts is empty",
            "message.messageId is missing",
            "configuration.historyLength is -1, not a whole number of 32 bits, zero or more",
            "configuration.pushNotificationConfig.authentication.schemes is missing",
            "configuration.pushNotificationConfig.url is missing",
        ]
    );
    let error = read(method("tasks/get"), None).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidParams);
}

#[test]
fn answers_of_0_3_agents_are_read() {
    let flawed = raw(r#"{"id":"t","status":{"state":"cancelled"},"kind":"task"}"#);
    let (outcome, faults) = read_outcome(method("message/send"), &flawed).unwrap();
    let Outcome::Sent(SendMessageResponse::Task(task)) = outcome else {
        panic!("not a task: {outcome:?}");
    };
    assert_eq!(task.id, "t");
    assert_eq!(faults.len(), 2);
    assert!(read_outcome(method("message/send"), &raw(r#"{"kind":"status-update"}"#)).is_err());
    assert!(read_outcome(method("message/send"), &raw("[]")).is_err());

    let list = raw(r#"[{"taskId":"t","pushNotificationConfig":{"id":"p","url":"u"}}]"#);
    let (outcome, _) = read_outcome(method("tasks/pushNotificationConfig/list"), &list).unwrap();
    assert!(
        matches!(outcome, Outcome::PushConfigs(page) if page.configs[0].task_id.as_deref() == Some("t"))
    );
    for nothing in ["null", "{}"] {
        let outcome = read_outcome(method("tasks/pushNotificationConfig/delete"), &raw(nothing));
        assert_eq!(outcome.unwrap().0, Outcome::Deleted);
    }
    let update = raw(r#"{"taskId":"t","contextId":"c","status":{"state":"working"},"final":true}"#);
    let (event, is_final, faults) = read_event(&update).unwrap();
    assert!(matches!(event, StreamResponse::StatusUpdate(_)) && is_final && faults.is_empty());
}

proptest! {
    #[test]
    fn events_survive_0_3(sent in generate::event(), is_final: bool) {
        let written = to_raw_value(&Event::new(sent.clone(), is_final)).unwrap();
        let (read, _, faults) = read_event(&written).unwrap();
        prop_assert_eq!(read, event(sent));
        // A task without a conversation is no task of 0.3.
        prop_assert!(faults.iter().all(|fault| fault.pointer() == "/contextId"), "{:?}", faults);
    }

    #[test]
    fn requests_survive_0_3(sent in generate::send_request()) {
        let (method, params) = write(&Operation::SendMessage(sent.clone())).unwrap();
        let back = read(method, Some(&params)).unwrap();
        prop_assert_eq!(back, Operation::SendMessage(request(sent)));
    }

    #[test]
    fn no_0_3_body_panics(value in generate::json(), kind in "task|message|status-update|artifact-update|x") {
        for body in [
            value.clone(),
            format!(r#"{{"message":{value},"taskId":{value},"pushNotificationConfig":{value},"id":{value}}}"#),
            format!(r#"{{"message":{{"kind":{value},"parts":[{{"kind":"file","file":{value}}},{value}]}}}}"#),
            format!(r#"{{"kind":"{kind}","status":{value},"artifact":{value},"parts":{value}}}"#),
        ] {
            let body = RawValue::from_string(body).unwrap();
            for name in Method::all().filter_map(Method03::of) {
                let _ = read(name, Some(&body));
                let _ = read_outcome(name, &body);
            }
            let _ = read_event(&body);
            let _ = parse_request(body.get().as_bytes(), 32);
        }
    }
}
