//! Whatever is written is read back as it was.

use a2a::jsonrpc::{parse_request, read_response, write_response};
use a2a::model::{Part, SendMessageRequest, StreamResponse, TaskArtifactUpdateEvent, read_params};
use proptest::prelude::*;
use serde_json::value::RawValue;

use crate::generate::{json, message, task};

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
