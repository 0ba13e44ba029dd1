//! Followers of a task.

use std::time::Duration;

use a2a::model::{StreamResponse, TaskState};

use super::*;

#[tokio::test]
async fn a_stream_begins_with_its_task_and_ends_with_its_last_status() {
    let bench = Bench::new();
    let request = Operation::SendStreamingMessage(says("chunks 3"));
    let events = all(bench.stream(request).await.unwrap()).await;
    let StreamResponse::Task(task) = &events[0].event else {
        panic!("no task first: {events:?}");
    };
    assert_eq!(task.status.state, TaskState::Submitted);
    let chunks: Vec<&str> = events.iter().filter_map(|it| chunk_of(&it.event)).collect();
    assert_eq!(chunks, ["0 ", "1 ", "2 "]);
    assert_eq!(states(&events).last(), Some(&TaskState::Completed));
    let last: Vec<bool> = events.iter().map(|it| it.is_last).collect();
    assert_eq!(last, [false, false, false, false, true]);
    let numbers: Vec<u64> = events.iter().map(|it| it.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_direct_answer_is_a_stream_of_one_message() {
    let bench = Bench::new();
    let request = Operation::SendStreamingMessage(says("direct"));
    let events = all(bench.stream(request).await.unwrap()).await;
    assert_eq!(events.len(), 1);
    assert!(matches!(events[0].event, StreamResponse::Message(_)));
}

#[tokio::test]
async fn an_agent_that_emits_5000_events_without_a_pause_loses_none_for_anybody() {
    let bench = Bench::new();
    let request = Operation::SendStreamingMessage(says("chunks 5000"));
    let mut first = bench.stream(request).await.unwrap();
    let begun = first.next().await.unwrap().unwrap();
    let id = begun.event.task_id().unwrap().to_owned();
    let late = bench.subscribe(&id, Some(1)).await.unwrap();
    let expected: String = (0..5000).map(|number| format!("{number} ")).collect();
    for stream in [first, late] {
        let events = all(stream).await;
        let text: String = events.iter().filter_map(|it| chunk_of(&it.event)).collect();
        assert_eq!(text, expected);
    }
    let task = bench.get(&id).await.unwrap();
    assert_eq!(task.artifacts.len(), 1);
    assert_eq!(artifact_text(&task), expected);
}

#[tokio::test]
async fn a_follower_sees_the_task_as_it_stands_and_then_what_happens() {
    let bench = Bench::new();
    let task = bench.send(says("ask")).await.unwrap();
    let mut stream = bench.subscribe(&task.id, None).await.unwrap();
    let snapshot = stream.next().await.unwrap().unwrap();
    assert_eq!(snapshot.event, StreamResponse::Task(task.clone()));
    // It stays open while the task waits.
    let silence = tokio::time::timeout(Duration::from_millis(50), stream.next()).await;
    assert!(silence.is_err());
    let mut answer = says("chunks 2");
    answer.message.task_id = Some(task.id.clone());
    bench.send(answer).await.unwrap();
    let events = all(stream).await;
    let expected = [TaskState::Working, TaskState::Completed];
    assert_eq!(states(&events), expected);
    assert_eq!(events.len(), 4);
    let over = bench.subscribe(&task.id, None).await.unwrap_err();
    assert_eq!(code(&over), -32004);
    let unknown = bench.subscribe("nobody", None).await.unwrap_err();
    assert_eq!(code(&unknown), -32001);
}

#[tokio::test]
async fn the_stream_of_a_message_ends_when_the_task_waits_for_its_client() {
    let bench = Bench::new();
    let request = Operation::SendStreamingMessage(says("ask"));
    let events = all(bench.stream(request).await.unwrap()).await;
    let expected = [TaskState::Submitted, TaskState::InputRequired];
    assert_eq!(states(&events), expected);
    assert!(events[1].is_last);
}

#[tokio::test]
async fn a_reader_that_comes_back_misses_and_repeats_nothing_also_after_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    let request = Operation::SendStreamingMessage(says("chunks 3000"));
    let whole = all(bench.stream(request).await.unwrap()).await;
    let id = whole[0].event.task_id().unwrap().to_owned();
    // Another process has nothing at hand and reads the log.
    let after = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    for seen in [1, 2, 1500, 3001] {
        let rest = all(after.subscribe(&id, Some(seen)).await.unwrap()).await;
        let expected: Vec<_> = whole.iter().filter(|it| it.number > seen).collect();
        assert_eq!(rest.iter().collect::<Vec<_>>(), expected, "after {seen}");
    }
    let wrong = Call::new(ProtocolVersion::V1_0).with_last_event_id(Some("x".to_owned()));
    let operation = Operation::SubscribeToTask(a2a::model::SubscribeToTaskRequest {
        id,
        ..Default::default()
    });
    let error = after
        .handler
        .call(after.agent.as_ref(), operation, wrong)
        .await;
    assert_eq!(code(&error.unwrap_err()), -32600);
}

#[tokio::test]
async fn a_client_that_leaves_does_not_stop_the_work() {
    let bench = Bench::new();
    let request = Operation::SendStreamingMessage(says("hold"));
    let mut stream = bench.stream(request).await.unwrap();
    let begun = stream.next().await.unwrap().unwrap();
    let id = begun.event.task_id().unwrap().to_owned();
    drop(stream);
    bench.agent.release.notify_one();
    let mut again = bench.subscribe(&id, Some(1)).await.unwrap();
    while again.next().await.unwrap().is_some() {}
    let task = bench.get(&id).await.unwrap();
    assert_eq!(task.status.state, TaskState::Completed);
}

#[tokio::test]
async fn events_of_an_agent_that_never_pauses_leave_before_it_has_finished() {
    let bench = Bench::new();
    let request = Operation::SendStreamingMessage(says("flood"));
    let mut stream = bench.stream(request).await.unwrap();
    for number in 1..=20 {
        let event = stream.next().await.unwrap().unwrap();
        assert_eq!(event.number, number);
        assert!(!event.is_last);
    }
    bench.agent.release();
    let events = all(stream).await;
    assert_eq!(states(&events), [TaskState::Completed]);
}
