//! The bytes that leave.

use std::collections::BTreeMap;

use a2a::model::{
    Artifact, ListTasksResponse, Message, Metadata, Part, SendMessageConfiguration,
    SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use insta::assert_snapshot;

use crate::raw;

fn bytes(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

fn message() -> Message {
    let mut message = Message::agent("m-1")
        .with_context_id("c-1")
        .with_part(Part::text("Čeština <b> & ‘ 🚗").with_media_type("text/plain"))
        .with_part(Part::data(raw(
            r#"{"year":2021,"price":18990,"fee":1.0,"rate":1e2}"#,
        )))
        .with_part(Part::raw([0xfb, 0xff]).with_filename("two.bin"))
        .with_part(Part::url("https://dealer.example/photo.jpg"));
    message.extensions = vec!["https://dealer.example/extension".to_owned()];
    message.metadata = Some(Metadata::new(&BTreeMap::from([("a", None::<u8>)])).unwrap());
    message
}

fn status() -> TaskStatus {
    TaskStatus {
        state: TaskState::InputRequired,
        message: None,
        timestamp: Some("2026-05-01T12:00:00.5+02:00".parse().unwrap()),
    }
}

#[test]
fn a_direct_answer() {
    assert_snapshot!(bytes(&SendMessageResponse::Message(message())));
}

#[test]
fn a_request() {
    let mut request = SendMessageRequest::new(Message::user("m-2").with_part(Part::text("")));
    request.configuration = Some(SendMessageConfiguration {
        accepted_output_modes: vec!["application/json".to_owned()],
        history_length: a2a::model::HistoryLength::new(0),
        ..SendMessageConfiguration::default()
    });
    assert_snapshot!(bytes(&request));
}

#[test]
fn a_task() {
    let artifact = Artifact {
        artifact_id: "a-1".to_owned(),
        name: Some("Report".to_owned()),
        description: None,
        parts: vec![Part::text("done")],
        metadata: None,
        extensions: Vec::new(),
    };
    assert_snapshot!(bytes(&StreamResponse::Task(Task {
        id: "t-1".to_owned(),
        context_id: Some("c-1".to_owned()),
        status: status(),
        artifacts: vec![artifact],
        history: vec![message()],
        metadata: None,
    })));
}

#[test]
fn events() {
    let status = TaskStatusUpdateEvent {
        task_id: "t-1".to_owned(),
        context_id: "c-1".to_owned(),
        status: status(),
        metadata: None,
    };
    let artifact = TaskArtifactUpdateEvent {
        task_id: "t-1".to_owned(),
        context_id: "c-1".to_owned(),
        artifact: Artifact {
            artifact_id: "a-1".to_owned(),
            name: None,
            description: None,
            parts: vec![Part::text("more")],
            metadata: None,
            extensions: Vec::new(),
        },
        append: true,
        last_chunk: false,
        metadata: None,
    };
    assert_snapshot!(bytes(&[
        StreamResponse::StatusUpdate(status),
        StreamResponse::ArtifactUpdate(artifact),
    ]));
}

#[test]
fn required_members_are_written_even_when_empty() {
    assert_snapshot!(bytes(&ListTasksResponse::default()));
    let written = serde_json::to_string(&Message::agent("")).unwrap();
    assert_eq!(
        written,
        r#"{"messageId":"","role":"ROLE_AGENT","parts":[]}"#
    );
}

#[test]
fn number_tokens_leave_as_they_came() {
    let part = Part::data(raw(
        r#"{"a":9007199254740993,"b":23500,"c":1.0,"d":1e2,"e":-0}"#,
    ));
    assert_eq!(
        serde_json::to_string(&part).unwrap(),
        r#"{"data":{"a":9007199254740993,"b":23500,"c":1.0,"d":1e2,"e":-0}}"#
    );
}

#[test]
fn metadata_is_an_object() {
    assert!(Metadata::new(&[1]).is_err());
    assert!(Metadata::try_from(raw("null")).is_err());
    let metadata = Metadata::try_from(raw(r#"{"b":1.0,"a":{"x":null},"b":2}"#)).unwrap();
    let names: Vec<_> = metadata
        .members()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["b", "a", "b"]);
    assert_eq!(metadata.get("b").unwrap().get(), "2");
    assert_eq!(
        metadata
            .read::<BTreeMap<String, serde_json::Value>>()
            .unwrap()
            .len(),
        2
    );
}
