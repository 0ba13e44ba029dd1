//! Messages of 0.3.

use a2a::card::{AgentCard, AgentInterface};
use a2a::headers::ProtocolVersion;
use a2a::model::{
    CancelTaskRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest, HistoryLength,
    ListTaskPushNotificationConfigsRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
};
use a2a::protobuf::{Form, v0_3};
use proptest::prelude::*;

use super::{json, sent, tame};
use crate::generate;

proptest! {
    #[test]
    fn events_survive(event in generate::event(), is_final: bool) {
        let event = tame(&event);
        let (read, _) = sent::<v0_3::StreamResponse>((event.clone(), is_final)).unwrap();
        // Metadata is written anew, without duplicates and blanks.
        let expected = crate::v03::event(event);
        prop_assert_eq!(json(&read), json(&expected));
    }

    #[test]
    fn requests_survive(request in generate::send_request()) {
        let request = tame(&request);
        let read = sent::<v0_3::SendMessageRequest>(request.clone()).unwrap();
        prop_assert_eq!(json(&read), json(&crate::v03::request(request)));
    }
}

fn text(text: &str) -> String {
    text.to_owned()
}

#[test]
fn resources_have_names() {
    let get = GetTaskRequest {
        id: text("t"),
        history_length: HistoryLength::new(2),
        tenant: None,
    };
    assert_eq!(
        v0_3::GetTaskRequest::write(get.clone()).unwrap().name,
        "tasks/t"
    );
    assert_eq!(sent::<v0_3::GetTaskRequest>(get.clone()), Ok(get));
    let cancel = CancelTaskRequest {
        id: text("t"),
        ..CancelTaskRequest::default()
    };
    assert_eq!(sent::<v0_3::CancelTaskRequest>(cancel.clone()), Ok(cancel));
    let subscribe = SubscribeToTaskRequest {
        id: text("t"),
        tenant: None,
    };
    assert_eq!(
        sent::<v0_3::TaskSubscriptionRequest>(subscribe.clone()),
        Ok(subscribe)
    );
    let config = GetTaskPushNotificationConfigRequest {
        task_id: text("t"),
        id: text("p"),
        tenant: None,
    };
    let name = v0_3::GetTaskPushNotificationConfigRequest::write(config.clone())
        .unwrap()
        .name;
    assert_eq!(name, "tasks/t/pushNotificationConfigs/p");
    assert_eq!(
        sent::<v0_3::GetTaskPushNotificationConfigRequest>(config.clone()),
        Ok(config)
    );
    let list = ListTaskPushNotificationConfigsRequest {
        task_id: text("t"),
        page_size: 3,
        ..ListTaskPushNotificationConfigsRequest::default()
    };
    assert_eq!(
        sent::<v0_3::ListTaskPushNotificationConfigRequest>(list.clone()),
        Ok(list)
    );

    let bad = v0_3::GetTaskRequest {
        name: text("t"),
        history_length: 0,
    };
    assert_eq!(bad.read().unwrap_err().message, "name is not tasks/{task}");
    let of_tenant = SubscribeToTaskRequest {
        id: text("t"),
        tenant: Some(text("x")),
    };
    let Err(faults) = v0_3::TaskSubscriptionRequest::write(of_tenant) else {
        panic!("a tenant was written");
    };
    assert_eq!(faults[0].to_string(), "tenant has no place in A2A 0.3");
}

#[test]
fn a_webhook_keeps_its_task_and_its_first_scheme() {
    let config: TaskPushNotificationConfig = serde_json::from_str(
        r#"{"taskId":"t","id":"p","url":"https://a.example","token":"k","authentication":{"scheme":"Bearer","credentials":"c"}}"#,
    )
    .unwrap();
    let create = v0_3::CreateTaskPushNotificationConfigRequest::write(config.clone()).unwrap();
    assert_eq!(create.parent, "tasks/t");
    assert_eq!(create.config_id, "p");
    assert_eq!(create.read().unwrap(), config);
    assert_eq!(
        sent::<v0_3::TaskPushNotificationConfig>(config.clone()),
        Ok(config)
    );

    let nameless = v0_3::CreateTaskPushNotificationConfigRequest {
        parent: text("tasks/t"),
        config_id: String::new(),
        config: Some(v0_3::TaskPushNotificationConfig {
            name: String::new(),
            push_notification_config: Some(v0_3::PushNotificationConfig {
                url: text("https://a.example"),
                ..v0_3::PushNotificationConfig::default()
            }),
        }),
    };
    assert_eq!(nameless.read().unwrap().id.as_deref(), Some("t"));
}

#[test]
fn a_request_without_a_configuration_blocks() {
    let message = || {
        Some(v0_3::Message {
            message_id: text("m"),
            role: 1,
            content: vec![v0_3::Part {
                part: Some(v0_3::part::Part::Text(text("x"))),
                metadata: None,
            }],
            ..v0_3::Message::default()
        })
    };
    for (configuration, immediately) in [
        (None, None),
        (Some(true), Some(false)),
        (Some(false), Some(true)),
    ] {
        let request = v0_3::SendMessageRequest {
            request: message(),
            configuration: configuration.map(|blocking| v0_3::SendMessageConfiguration {
                blocking,
                ..v0_3::SendMessageConfiguration::default()
            }),
            metadata: None,
        };
        let found = request.read().unwrap().configuration;
        assert_eq!(found.map(|found| found.return_immediately), immediately);
    }
}

#[test]
fn a_card_names_its_interfaces_of_0_3() {
    let interface = |url, version| AgentInterface::new(url, AgentInterface::GRPC, version);
    let mut card = AgentCard {
        name: text("N"),
        supported_interfaces: vec![
            interface("a.example:443", ProtocolVersion::V1_0),
            interface("grpc://a.example:443", ProtocolVersion::V0_3),
        ],
        ..AgentCard::default()
    };
    let written = v0_3::AgentCard::write(card.clone()).unwrap();
    assert_eq!(written.url, "grpc://a.example:443");
    assert_eq!(written.preferred_transport, "GRPC");
    assert!(written.additional_interfaces.is_empty());
    let (read, _) = written.read_lenient();
    assert_eq!(read.supported_interfaces, card.supported_interfaces[1..]);
    card.supported_interfaces.truncate(1);
    assert!(v0_3::AgentCard::write(card).is_err());
}
