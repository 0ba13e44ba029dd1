//! Values of the model, for property tests.

use a2a::model::{
    Artifact, AuthenticationInfo, HistoryLength, Message, Metadata, Part, PartContent, Secret,
    SendMessageConfiguration, SendMessageRequest, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp,
};
use proptest::prelude::*;
use serde_json::value::RawValue;

/// A JSON value as text, with number tokens of every kind.
pub(crate) fn json() -> impl Strategy<Value = String> {
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

pub(crate) fn raw_json() -> impl Strategy<Value = Box<RawValue>> {
    json().prop_map(|text| RawValue::from_string(text).unwrap())
}

pub(crate) fn metadata() -> impl Strategy<Value = Option<Metadata>> {
    prop::option::of(raw_json().prop_map(|value| {
        Metadata::try_from(value).unwrap_or_else(|_| Metadata::new(&serde_json::json!({})).unwrap())
    }))
}

pub(crate) fn part() -> impl Strategy<Value = Part> {
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
pub(crate) fn name() -> impl Strategy<Value = Option<String>> {
    prop::option::of(any::<String>().prop_filter("not empty", |text| !text.is_empty()))
}

prop_compose! {
    pub(crate) fn message()(
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
    pub(crate) fn timestamp()(milliseconds in -62_135_596_800_000_i64..=253_402_207_200_000) -> Timestamp {
        jiff::Timestamp::from_millisecond(milliseconds).unwrap().try_into().unwrap()
    }
}

prop_compose! {
    pub(crate) fn task()(
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

prop_compose! {
    pub(crate) fn push_config()(
        id in name(),
        url in ".+",
        token in name(),
        authentication in prop::option::of((".+", name())),
    ) -> TaskPushNotificationConfig {
        TaskPushNotificationConfig {
            tenant: None,
            id,
            task_id: None,
            url,
            token: token.map(Secret::new),
            authentication: authentication.map(|(scheme, credentials)| AuthenticationInfo {
                scheme,
                credentials: credentials.map(Secret::new),
            }),
        }
    }
}

prop_compose! {
    pub(crate) fn send_request()(
        message in message(),
        metadata in metadata(),
        configuration in prop::option::of(configuration()),
    ) -> SendMessageRequest {
        SendMessageRequest { tenant: None, message, configuration, metadata }
    }
}

prop_compose! {
    fn configuration()(
        accepted_output_modes in prop::collection::vec(".+", 0..3),
        config in prop::option::of(push_config()),
        length in prop::option::of(0_i32..=i32::MAX),
        return_immediately: bool,
    ) -> SendMessageConfiguration {
        SendMessageConfiguration {
            accepted_output_modes,
            task_push_notification_config: config,
            history_length: length.and_then(HistoryLength::new),
            return_immediately,
        }
    }
}

/// An event of any kind.
pub(crate) fn event() -> impl Strategy<Value = StreamResponse> {
    (task(), metadata(), 0..4, any::<(bool, bool)>()).prop_map(
        |(mut task, metadata, kind, (append, last_chunk))| {
            let context_id = task.context_id.clone().unwrap_or_else(|| "c".to_owned());
            match kind {
                0 => StreamResponse::Message(task.history.remove(0)),
                1 => StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
                    task_id: task.id,
                    context_id,
                    status: task.status,
                    metadata,
                }),
                2 => StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
                    task_id: task.id,
                    context_id,
                    artifact: task.artifacts.remove(0),
                    append,
                    last_chunk,
                    metadata,
                }),
                _ => StreamResponse::Task(Task { metadata, ..task }),
            }
        },
    )
}
