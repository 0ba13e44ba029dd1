//! Whatever is written is read back as it was.

use a2a::jsonrpc::{parse_request, read_response, write_response};
use a2a::model::{
    Artifact, Message, Metadata, Part, PartContent, SendMessageRequest, StreamResponse, Task,
    TaskArtifactUpdateEvent, TaskState, TaskStatus, Timestamp, read_params,
};
use proptest::prelude::*;
use serde_json::value::RawValue;

/// A JSON value as text, with number tokens of every kind.
fn json() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        Just("9007199254740993".to_owned()),
        Just("23500".to_owned()),
        Just("1.0".to_owned()),
        Just("1e2".to_owned()),
        Just("-0".to_owned()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,9})?(e[+-]?[0-9]{1,2})?",
    ];
    let string = any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap());
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        number,
        string.clone()
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let member =
            (string.clone(), inner.clone()).prop_map(|(key, value)| format!("{key}: {value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::vec(member, 0..4)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

fn raw_json() -> impl Strategy<Value = Box<RawValue>> {
    json().prop_map(|text| RawValue::from_string(text).unwrap())
}

fn metadata() -> impl Strategy<Value = Option<Metadata>> {
    prop::option::of(raw_json().prop_map(|value| {
        Metadata::try_from(value).unwrap_or_else(|_| Metadata::new(&serde_json::json!({})).unwrap())
    }))
}

fn part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        any::<String>().prop_map(PartContent::Text),
        any::<Vec<u8>>().prop_map(PartContent::Raw),
        any::<String>().prop_map(PartContent::Url),
        raw_json().prop_map(PartContent::Data),
    ];
    (content, metadata(), name(), name()).prop_map(|(content, metadata, filename, media_type)| {
        Part {
            content,
            metadata,
            filename,
            media_type,
        }
    })
}

/// A text that is there or not; an empty one is not there.
fn name() -> impl Strategy<Value = Option<String>> {
    prop::option::of(any::<String>().prop_filter("not empty", |text| !text.is_empty()))
}

prop_compose! {
    fn message()(
        message_id in ".+",
        context_id in name(),
        agent in any::<bool>(),
        parts in prop::collection::vec(part(), 1..4),
        metadata in metadata(),
        extensions in prop::collection::vec(any::<String>(), 0..3),
    ) -> Message {
        let mut message = if agent { Message::agent(message_id) } else { Message::user(message_id) };
        message.context_id = context_id;
        message.parts = parts;
        message.metadata = metadata;
        message.extensions = extensions;
        message
    }
}

prop_compose! {
    fn timestamp()(milliseconds in -62_135_596_800_000_i64..=253_402_207_200_000) -> Timestamp {
        jiff::Timestamp::from_millisecond(milliseconds).unwrap().try_into().unwrap()
    }
}

prop_compose! {
    fn task()(
        id in ".+",
        message in message(),
        parts in prop::collection::vec(part(), 1..3),
        state in 1_i64..=8,
        timestamp in prop::option::of(timestamp()),
    ) -> Task {
        let state: TaskState = serde_json::from_str(&state.to_string()).unwrap();
        Task {
            id,
            context_id: message.context_id.clone(),
            status: TaskStatus { state, message: Some(message.clone()), timestamp },
            artifacts: vec![Artifact {
                artifact_id: "a".to_owned(),
                name: None,
                description: None,
                parts,
                metadata: None,
                extensions: Vec::new(),
            }],
            history: vec![message],
            metadata: None,
        }
    }
}

proptest! {
    #[test]
    fn a_message_survives(message in message()) {
        let written = serde_json::to_string(&SendMessageRequest::new(message.clone())).unwrap();
        let params = RawValue::from_string(written).unwrap();
        let read: SendMessageRequest = read_params(Some(&params)).unwrap();
        prop_assert_eq!(read.message, message);
    }

    #[test]
    fn a_task_survives_an_answer(task in task(), append: bool) {
        let mut sent = vec![StreamResponse::Task(task.clone())];
        sent.push(StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: task.id.clone(),
            context_id: "c".to_owned(),
            artifact: task.artifacts[0].clone(),
            append,
            last_chunk: !append,
            metadata: None,
        }));
        for event in sent {
            let answer = read_response(&write_response(&1.into(), &event)).unwrap();
            let read: StreamResponse = serde_json::from_str(answer.outcome.unwrap().get()).unwrap();
            prop_assert_eq!(read, event);
        }
    }

    #[test]
    fn data_keeps_its_text(value in json()) {
        let part: Part = serde_json::from_str(&format!(r#"{{"data": {value} }}"#)).unwrap();
        prop_assert_eq!(serde_json::to_string(&part).unwrap(), format!(r#"{{"data":{value}}}"#));
    }

    #[test]
    fn no_body_panics(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_request(&body, 8);
        let _ = read_response(&body);
        let _ = a2a::card::read(&body);
    }

    /// Bodies that are nearly requests reach further in.
    #[test]
    fn no_json_panics(value in json(), id in json(), method in json()) {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{{"message":{value}}}}}"#);
        if let Ok(request) = parse_request(body.as_bytes(), 64) {
            prop_assert!(read_params::<SendMessageRequest>(request.params).is_err());
            prop_assert_eq!(request.id.as_json(), id.as_str());
        }
        let _ = read_response(format!(r#"{{"error":{value},"id":{id}}}"#).as_bytes());
        let _ = a2a::card::read(format!(r#"{{"supportedInterfaces":{value},"skills":{id}}}"#).as_bytes());
        let _ = a2a::card::read(format!(r#"{{"name":{value},"url":{id},"security":{value}}}"#).as_bytes());
    }
}
