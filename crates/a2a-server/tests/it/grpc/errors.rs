//! Errors with their details.

use std::time::Duration;

use a2a::error::{ErrorData, ErrorKind};
use a2a::headers::ProtocolVersion;
use a2a::model::GetTaskRequest;
use a2a::operation::Operation;
use a2a::protobuf::{Form as _, v0_3, v1};
use a2a_server::{Guard, Options};
use serde_json::{Value, json};
use tonic::{Code, Status};

use super::peer::error;
use super::{Peer, Site, both_versions, direct};
use crate::callers::{either, guard};
use crate::tasks::says;

/// The details of a status in JSON.
fn details(status: &Status) -> Value {
    let ErrorData::Details(details) = error(status).data else {
        panic!("no details: {status:?}");
    };
    serde_json::to_value(details).unwrap()
}

#[tokio::test]
async fn an_error_of_the_protocol_carries_its_reason() {
    let site = Site::new();
    let request = v1::GetTaskRequest {
        id: "none".to_owned(),
        ..Default::default()
    };
    let peer = site.peer();
    let status = peer.unary::<_, v1::Task>("GetTask", request);
    let status = status.await.err().unwrap();
    assert_eq!(status.code(), Code::NotFound);
    assert_eq!(status.message(), r#"task not found: "none""#);
    let info = &details(&status)[0];
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert_eq!(info["reason"], "TASK_NOT_FOUND");
    assert_eq!(info["domain"], "a2a-protocol.org");
}

#[tokio::test]
async fn every_fault_of_a_message_is_told_with_its_place() {
    let site = Site::new();
    let request = v1::SendMessageRequest {
        message: Some(v1::Message {
            parts: vec![v1::Part::default()],
            ..Default::default()
        }),
        ..Default::default()
    };
    let peer = site.peer();
    let answer = peer.unary::<_, v1::SendMessageResponse>("SendMessage", request);
    let status = answer.await.err().unwrap();
    assert_eq!(status.code(), Code::InvalidArgument);
    let violations = &details(&status)[0]["fieldViolations"];
    assert_eq!(
        *violations,
        json!([
            {"field": "message.messageId", "description": "is missing"},
            {"field": "message.role", "description": "is missing"},
            {
                "field": "message.parts[0]",
                "description": "is empty: none of text, raw, url, data is set",
            },
        ])
    );
}

#[tokio::test]
async fn resource_names_of_0_3_are_checked() {
    let site = Site::new();
    let request = v0_3::GetTaskRequest {
        name: "t-1".to_owned(),
        ..Default::default()
    };
    let peer = site.old_peer();
    let status = peer.unary::<_, v0_3::Task>("GetTask", request);
    let status = status.await.err().unwrap();
    assert_eq!(status.code(), Code::InvalidArgument);
    // Clients of 0.3 find the error's name before its message.
    let expected = "InvalidParamsError: name is not tasks/{task}";
    assert_eq!(status.message(), expected);
}

#[tokio::test]
async fn what_is_not_offered_says_so() {
    let server = direct(Options::default(), Guard::default());
    let peer = Peer::new(server.address, ProtocolVersion::V1_0);
    let get = Operation::GetTask(GetTaskRequest {
        id: "t".to_owned(),
        ..GetTaskRequest::default()
    });
    let refused = peer.call(&get).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::UnsupportedOperation);
    let stream = Operation::SendStreamingMessage(says("hi"));
    let refused = peer.follow(&stream).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::UnsupportedOperation);
}

#[tokio::test]
async fn what_is_not_offered_is_unimplemented_to_0_3_and_a_failed_precondition_to_1_0() {
    let site = Site::new();
    let request = v1::GetExtendedAgentCardRequest::default();
    let peer = site.peer();
    let new = peer.unary::<_, v1::AgentCard>("GetExtendedAgentCard", request);
    let old = v0_3::GetAgentCardRequest::default();
    let peer = site.old_peer();
    let old = peer.unary::<_, v0_3::AgentCard>("GetAgentCard", old);
    let (new, old) = (new.await.err().unwrap(), old.await.err().unwrap());
    for (status, code) in [(new, Code::FailedPrecondition), (old, Code::Unimplemented)] {
        assert_eq!(status.code(), code);
        assert_eq!(details(&status)[0]["reason"], "UNSUPPORTED_OPERATION");
    }
}

#[tokio::test]
async fn an_agent_that_refuses_or_panics_ends_its_call_alone() {
    let server = direct(Options::default(), Guard::default());
    let peer = Peer::new(server.address, ProtocolVersion::V1_0);
    let refused = peer.call(&Operation::SendMessage(says("refuse"))).await;
    assert_eq!(refused.unwrap_err().message, "not today");
    let message = v1::SendMessageRequest::write(says("panic")).unwrap();
    let answer = peer.unary::<_, v1::SendMessageResponse>("SendMessage", message);
    let status = answer.await.err().unwrap();
    assert_eq!(status.code(), Code::Internal);
    assert!(!status.message().contains("secret"), "{status:?}");
    peer.call(&Operation::SendMessage(says("hi")))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_message_beyond_the_limit_is_refused() {
    let mut options = both_versions();
    options.body_limit = 1000;
    let server = direct(options, Guard::default());
    for version in [ProtocolVersion::V1_0, ProtocolVersion::V0_3] {
        let peer = Peer::new(server.address, version);
        let long = Operation::SendMessage(says(&"x".repeat(1001)));
        peer.call(&long).await.unwrap_err();
        peer.call(&Operation::SendMessage(says("hi")))
            .await
            .unwrap();
    }
    assert_eq!(
        server
            .agent
            .called
            .load(std::sync::atomic::Ordering::SeqCst),
        2
    );
}

#[tokio::test]
async fn callers_authenticate_as_the_card_says() {
    let guard = guard(&either());
    let server = direct(Options::default(), guard);
    let peer = Peer::new(server.address, ProtocolVersion::V1_0);
    let message = v1::SendMessageRequest::write(says("hi")).unwrap();
    let answer = peer.unary::<_, v1::SendMessageResponse>("SendMessage", message);
    let status = answer.await.err().unwrap();
    assert_eq!(status.code(), Code::Unauthenticated);
    let mut challenges = status.metadata().get_all("www-authenticate").iter();
    let offers_bearer = challenges.any(|it| it.to_str().unwrap().starts_with("Bearer"));
    assert!(offers_bearer, "{status:?}");
    let peer = peer.with("authorization", "Bearer good");
    peer.call(&Operation::SendMessage(says("hi")))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_call_that_there_is_no_room_for_is_told_when_to_come_back() {
    let guard = Guard::default().at_most(1, Duration::from_secs(7));
    let server = direct(Options::default(), guard);
    let peer = Peer::new(server.address, ProtocolVersion::V1_0);
    let (held, send) = (peer.clone(), Operation::SendMessage(says("hold")));
    let mut calls = tokio::task::JoinSet::new();
    calls.spawn(async move { held.call(&send).await });
    server.agent.waiting.notified().await;
    let message = v1::SendMessageRequest::write(says("hi")).unwrap();
    let answer = peer.unary::<_, v1::SendMessageResponse>("SendMessage", message);
    let status = answer.await.err().unwrap();
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.metadata().get("retry-after").unwrap(), "7");
    server.agent.release.notify_one();
    calls.join_next().await.unwrap().unwrap().unwrap();
    peer.call(&Operation::SendMessage(says("hi")))
        .await
        .unwrap();
}
