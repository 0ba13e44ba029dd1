//! Streams of events.

use a2a::error::ErrorKind;
use a2a::model::{StreamResponse, SubscribeToTaskRequest, TaskState};
use a2a::operation::Operation;
use a2a::protobuf::{Form as _, v0_3, v1};

use super::Site;
use crate::tasks::{says, says_at_once};

fn subscribe(id: &str) -> Operation {
    Operation::SubscribeToTask(SubscribeToTaskRequest {
        id: id.to_owned(),
        ..SubscribeToTaskRequest::default()
    })
}

#[tokio::test]
async fn a_stream_begins_with_its_task_and_ends_with_its_last_status() {
    let site = Site::new();
    for peer in [site.peer(), site.old_peer()] {
        let stream = Operation::SendStreamingMessage(says("chunks 3"));
        let events = peer.follow(&stream).await.unwrap();
        assert!(matches!(events[0], StreamResponse::Task(_)), "{events:?}");
        assert_eq!(events.len(), 5);
        assert_eq!(events[4].state(), Some(TaskState::Completed));
    }
}

#[tokio::test]
async fn an_agent_that_emits_5000_events_without_a_pause_loses_none() {
    let site = Site::new();
    let stream = Operation::SendStreamingMessage(says("chunks 5000"));
    let events = site.peer().follow(&stream).await.unwrap();
    assert_eq!(events.len(), 5002);
}

#[tokio::test]
async fn the_last_status_of_a_stream_is_final_in_0_3() {
    let site = Site::new();
    for (text, expected) in [("chunks 1", 3), ("ask", 2)] {
        let message = v0_3::SendMessageRequest::write(says(text)).unwrap();
        let peer = site.old_peer();
        let stream = peer.streaming::<_, v0_3::StreamResponse>("SendStreamingMessage", message);
        let mut stream = stream.await.unwrap();
        let mut finals = Vec::new();
        while let Some(event) = stream.message().await.unwrap() {
            let (_, is_final) = event.read().unwrap();
            finals.push(is_final);
        }
        let (last, before) = finals.split_last().unwrap();
        assert!(*last && !before.contains(&true), "{text}: {finals:?}");
        assert_eq!(finals.len(), expected, "{text}");
    }
}

#[tokio::test]
async fn a_stream_that_cannot_begin_is_refused_before_its_first_event() {
    let site = Site::new();
    let done = site.bench.send(says("chunks 1")).await.unwrap();
    let message = v1::SubscribeToTaskRequest {
        id: "none".to_owned(),
        ..Default::default()
    };
    let peer = site.peer();
    let refused = peer.streaming::<_, v1::StreamResponse>("SubscribeToTask", message);
    assert_eq!(refused.await.unwrap_err().code(), tonic::Code::NotFound);
    let ended = peer.follow(&subscribe(&done.id)).await.unwrap_err();
    assert_eq!(ended.kind, ErrorKind::UnsupportedOperation);
}

#[tokio::test]
async fn a_follower_that_leaves_stops_neither_the_work_nor_others() {
    let site = Site::new();
    let task = site.bench.send(says_at_once("hold")).await.unwrap();
    let peer = site.peer();
    let other = site.old_peer();
    let message = v0_3::TaskSubscriptionRequest {
        name: format!("tasks/{}", task.id),
    };
    let stays = other.streaming::<_, v0_3::StreamResponse>("TaskSubscription", message);
    let mut stays = stays.await.unwrap();
    let message = v1::SubscribeToTaskRequest {
        id: task.id.clone(),
        ..Default::default()
    };
    let leaves = peer.streaming::<_, v1::StreamResponse>("SubscribeToTask", message);
    let mut leaves = leaves.await.unwrap();
    let first = leaves.message().await.unwrap().unwrap().read().unwrap();
    assert_eq!(first.task_id(), Some(task.id.as_str()));
    drop((leaves, peer));
    site.bench.agent.begun().await;
    site.bench.agent.release();
    let mut last = None;
    while let Some(event) = stays.message().await.unwrap() {
        last = event.read().unwrap().0.state();
    }
    assert_eq!(last, Some(TaskState::Completed));
}
