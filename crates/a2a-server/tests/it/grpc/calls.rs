//! Calls and what they come to.

use a2a::error::{Error, ErrorKind};
use a2a::headers::ProtocolVersion;
use a2a::model::{
    CancelTaskRequest, GetTaskRequest, HistoryLength, ListTasksRequest, PartContent,
    SendMessageRequest, SendMessageResponse, TaskState,
};
use a2a::operation::{Operation, Outcome};
use a2a::protobuf::{Form as _, v1};
use a2a_server::{Guard, Options};

use super::{Peer, Site, both_versions, direct};
use crate::tasks::{says, says_at_once};

#[tokio::test]
async fn tasks_are_sent_read_listed_and_canceled() {
    let site = Site::new();
    let peer = site.peer();
    let task = sent(&peer, says("chunks 3")).await;
    assert_eq!(task, (TaskState::Completed, "0 1 2 ".to_owned()));
    let held = match peer
        .call(&Operation::SendMessage(says_at_once("hold")))
        .await
    {
        Ok(Outcome::Sent(SendMessageResponse::Task(task))) => task,
        other => panic!("no task: {other:?}"),
    };
    let get = |history| {
        Operation::GetTask(GetTaskRequest {
            id: held.id.clone(),
            history_length: HistoryLength::new(history),
            ..GetTaskRequest::default()
        })
    };
    for (length, expected) in [(0, 0), (5, 1)] {
        match peer.call(&get(length)).await {
            Ok(Outcome::Task(task)) => assert_eq!(task.history.len(), expected),
            other => panic!("no task: {other:?}"),
        }
    }
    // 0.3 means all of it by 0.
    match site.old_peer().call(&get(0)).await {
        Ok(Outcome::Task(task)) => assert_eq!(task.history.len(), 1),
        other => panic!("no task: {other:?}"),
    }
    let list = Operation::ListTasks(ListTasksRequest::default());
    match peer.call(&list).await {
        Ok(Outcome::Tasks(page)) => assert_eq!((page.tasks.len(), page.total_size), (2, 2)),
        other => panic!("no list: {other:?}"),
    }
    let cancel = Operation::CancelTask(CancelTaskRequest {
        id: held.id.clone(),
        ..CancelTaskRequest::default()
    });
    match peer.call(&cancel).await {
        Ok(Outcome::Task(task)) => assert_eq!(task.status.state, TaskState::Canceled),
        other => panic!("no task: {other:?}"),
    }
    let again = peer.call(&cancel).await.unwrap_err();
    assert_eq!(again.kind, ErrorKind::TaskNotCancelable);
}

#[tokio::test]
async fn both_packages_reach_the_same_agent() {
    let site = Site::new();
    for peer in [site.peer(), site.old_peer()] {
        let answer = peer.call(&Operation::SendMessage(says("direct"))).await;
        let Ok(Outcome::Sent(SendMessageResponse::Message(message))) = answer else {
            panic!("no message: {answer:?}");
        };
        assert_eq!(
            message.parts[0].content,
            PartContent::Text("hello".to_owned())
        );
        let task = sent(&peer, says("ask")).await;
        assert_eq!(task.0, TaskState::InputRequired);
    }
}

#[tokio::test]
async fn a_call_to_the_package_of_1_0_has_to_say_its_version() {
    let site = Site::new();
    let address = site.server.address;
    let silent = || Peer::silent(address, ProtocolVersion::V1_0);
    for version in ["1.0", "1.0.7"] {
        let peer = silent().with("a2a-version", version);
        assert_eq!(sent(&peer, says("ask")).await.0, TaskState::InputRequired);
    }
    let wrong = ["", "0.3", "1.1", "2.0", "one"];
    let wrong = wrong.map(|version| silent().with("a2a-version", version));
    for peer in wrong.into_iter().chain([silent()]) {
        let refused = peer.call(&Operation::SendMessage(says("direct"))).await;
        assert_eq!(refused.unwrap_err().kind, ErrorKind::VersionNotSupported);
    }
    // The package tells 0.3.
    let old = Peer::silent(address, ProtocolVersion::V0_3);
    assert_eq!(sent(&old, says("ask")).await.0, TaskState::InputRequired);
}

#[tokio::test]
async fn a_version_that_is_not_supported_has_no_service() {
    let server = direct(Options::default(), Guard::default());
    let old = Peer::new(server.address, ProtocolVersion::V0_3);
    let refused = old.unary::<_, v1::Task>("GetTask", v1::GetTaskRequest::default());
    let status = refused.await.err().unwrap();
    assert_eq!(status.code(), tonic::Code::Unimplemented);
}

#[tokio::test]
async fn required_extensions_are_asked_for_and_the_activated_ones_are_named() {
    let mut options = both_versions();
    options.required_extensions = vec!["urn:needed".to_owned()];
    let server = direct(options, Guard::default());
    for (version, header) in [
        (ProtocolVersion::V1_0, "a2a-extensions"),
        (ProtocolVersion::V0_3, "x-a2a-extensions"),
    ] {
        let peer = Peer::new(server.address, version);
        let refused = peer.call(&Operation::SendMessage(says("hi"))).await;
        let kind = refused.unwrap_err().kind;
        assert_eq!(kind, ErrorKind::ExtensionSupportRequired);
        let peer = peer.with(header, "urn:other, urn:needed");
        peer.call(&Operation::SendMessage(says("hi")))
            .await
            .unwrap();
    }
    let peer = Peer::new(server.address, ProtocolVersion::V1_0)
        .with("a2a-extensions", "urn:other, urn:needed");
    let message = v1::SendMessageRequest::write(says("hi")).unwrap();
    let answer = peer.unary::<_, v1::SendMessageResponse>("SendMessage", message);
    let answer = answer.await.unwrap();
    assert_eq!(
        answer.metadata().get("a2a-extensions").unwrap(),
        "urn:needed"
    );
}

#[tokio::test]
async fn the_agent_learns_who_calls_and_whom() {
    let server = direct(both_versions(), Guard::default());
    let peer = Peer::new(server.address, ProtocolVersion::V1_0)
        .with("authorization", "Bearer t0ken")
        .with("a2a-extensions", "urn:x");
    let expected = format!(
        r#"version=1.0 extensions=["urn:x"] bearer=Some("t0ken") host=Some("{}") peer=127.0.0.1"#,
        server.address
    );
    let answer = peer.call(&Operation::SendMessage(says("call"))).await;
    let Ok(Outcome::Sent(SendMessageResponse::Message(message))) = answer else {
        panic!("no message: {answer:?}");
    };
    assert_eq!(message.parts[0].content, PartContent::Text(expected));
}

/// State and artifacts of the task that a message comes to.
async fn sent(peer: &Peer, request: SendMessageRequest) -> (TaskState, String) {
    let answer: Result<Outcome, Error> = peer.call(&Operation::SendMessage(request)).await;
    match answer {
        Ok(Outcome::Sent(SendMessageResponse::Task(task))) => {
            (task.status.state, crate::tasks::artifact_text(&task))
        }
        other => panic!("no task: {other:?}"),
    }
}
