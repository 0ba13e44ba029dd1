//! Messages of 1.0.

use a2a::card::{AgentCard, read};
use a2a::model::{Message, Metadata, Part, PartContent};
use a2a::protobuf::{Form, v1};

use super::sent;
use crate::raw;

fn with_data(json: &str) -> Message {
    Message::user("m").with_part(Part::data(raw(json)))
}

fn content(message: &Message) -> &str {
    match &message.parts[0].content {
        PartContent::Data(value) => value.get(),
        other => panic!("not data: {other:?}"),
    }
}

#[test]
fn numbers_are_integers_where_they_are_whole() {
    for (sent_json, read_json) in [
        ("23500", "23500"),
        ("1.0", "1"),
        ("1e2", "100"),
        ("0.1", "0.1"),
        ("-9007199254740992", "-9007199254740992"),
        ("1e300", "1e+300"),
        ("null", "null"),
        (
            r#"{"b":[1,null,"x",true],"a":{}}"#,
            r#"{"a":{},"b":[1,null,"x",true]}"#,
        ),
    ] {
        let read = sent::<v1::Message>(with_data(sent_json)).unwrap();
        assert_eq!(content(&read), read_json, "{sent_json}");
    }
}

#[test]
fn integers_that_doubles_lack_are_refused() {
    for number in [
        "9007199254740993",
        "-9007199254740993",
        "18446744073709551615",
    ] {
        let error = sent::<v1::Message>(with_data(&format!("[{number}]"))).unwrap_err();
        assert_eq!(
            error,
            format!(
                "parts[0].data holds {number}, which gRPC cannot carry exactly; send it as a string"
            )
        );
    }
    let mut message = Message::user("m").with_part(Part::text("x"));
    message.metadata = Some(Metadata::try_from(raw(r#"{"n":9007199254740993}"#)).unwrap());
    assert!(
        sent::<v1::Message>(message)
            .unwrap_err()
            .starts_with("metadata holds ")
    );
}

#[test]
fn numbers_that_json_lacks_are_refused() {
    let mut message = v1::Message::write(with_data("1")).unwrap();
    let value = prost_types::Value {
        kind: Some(prost_types::value::Kind::NumberValue(f64::NAN)),
    };
    message.parts[0].content = Some(v1::part::Content::Data(value));
    assert_eq!(
        message.read().unwrap_err().message,
        "parts[0].data holds a number that JSON has not"
    );
}

#[test]
fn requests_are_refused_in_the_words_of_the_json_form() {
    let request = v1::SendMessageRequest {
        message: Some(v1::Message {
            role: 7,
            parts: vec![v1::Part::default()],
            ..v1::Message::default()
        }),
        configuration: Some(v1::SendMessageConfiguration {
            history_length: Some(-1),
            task_push_notification_config: Some(v1::TaskPushNotificationConfig::default()),
            ..v1::SendMessageConfiguration::default()
        }),
        ..v1::SendMessageRequest::default()
    };
    assert_eq!(
        request
            .read()
            .unwrap_err()
            .message
            .split("; ")
            .collect::<Vec<_>>(),
        [
            "message.messageId is missing",
            "message.role is 7, not one of ROLE_USER, ROLE_AGENT",
            "message.parts[0] is empty: none of text, raw, url, data is set",
            "configuration.taskPushNotificationConfig.url is missing",
            "configuration.historyLength is -1, not a whole number of 32 bits, zero or more",
        ]
    );
    let error = v1::SendMessageRequest::default().read().unwrap_err();
    assert_eq!(error.message, "message is missing");
}

#[test]
fn times_outside_the_protocol_are_refused() {
    for (seconds, nanos) in [
        (-62_135_596_801, 0),
        (253_402_300_800, 0),
        (0, -1),
        (0, 1_000_000_000),
    ] {
        let status = v1::TaskStatus {
            state: 1,
            timestamp: Some(prost_types::Timestamp { seconds, nanos }),
            message: None,
        };
        let task = v1::Task {
            id: "t".to_owned(),
            status: Some(status),
            ..v1::Task::default()
        };
        assert_eq!(
            task.read().unwrap_err().message,
            "status.timestamp is not a time of the years 1 to 9999",
            "{seconds} {nanos}"
        );
    }
}

#[test]
fn a_card_survives() {
    let document = br#"{"name":"N","description":"D","supportedInterfaces":[{"url":"a.example:443","protocolBinding":"GRPC",
        "tenant":"t","protocolVersion":"1.0"}],"provider":{"url":"https://a.example","organization":"O"},"version":"1",
        "documentationUrl":"","capabilities":{"streaming":false,"extendedAgentCard":true,"extensions":[{"uri":"u","params":{"n":1}}]},
        "securitySchemes":{"a":{"apiKeySecurityScheme":{"location":"header","name":"k"}},"h":{"httpAuthSecurityScheme":{"scheme":"Bearer"}},
            "o":{"oauth2SecurityScheme":{"flows":{"deviceCode":{"deviceAuthorizationUrl":"d","tokenUrl":"t","scopes":{"s":"x"}}}}},
            "p":{"oauth2SecurityScheme":{"flows":{"authorizationCode":{"authorizationUrl":"a","tokenUrl":"t","scopes":{},"pkceRequired":true}}}},
            "i":{"openIdConnectSecurityScheme":{"openIdConnectUrl":"u"}},"m":{"mtlsSecurityScheme":{}}},
        "securityRequirements":[{"schemes":{"a":{},"o":{"list":["s"]}}}],"defaultInputModes":["a/b"],"defaultOutputModes":["a/b"],
        "skills":[{"id":"s","name":"n","description":"d","tags":["t"],"examples":["e"],"securityRequirements":[{"schemes":{"h":{}}}]}],
        "signatures":[{"protected":"e30","signature":"AA","header":{"x":1}}]}"#;
    let card = read(document).unwrap();
    assert_eq!(card.warnings, []);
    assert_eq!(sent::<v1::AgentCard>(card.card.clone()), Ok(card.card));
    let empty = v1::AgentCard::write(AgentCard::default()).unwrap();
    assert!(
        empty
            .read()
            .unwrap_err()
            .message
            .starts_with("name is missing; ")
    );
}

#[test]
fn what_people_wrote_does_not_show_in_debug() {
    // Generated types have no Debug at all; this is what would be logged instead.
    let (message, faults) = v1::Message::write(Message::user("m").with_part(Part::text("s3cret")))
        .unwrap()
        .read_lenient();
    assert!(faults.is_empty());
    assert!(!format!("{message:?}").contains("s3cret"));
}
