//! Streams of messages about a task, where the work is ahead of whoever follows it.

use a2a::fold::Fold;
use a2a::model::{Artifact, Part, TaskArtifactUpdateEvent};

use super::*;
use crate::task::{MemoryStore, StreamEvent};

fn tasks() -> Tasks {
    let now: Timestamp = "2026-05-01T12:00:00Z".parse().unwrap();
    let store = Arc::new(MemoryStore::new());
    Tasks::new(store, move || now, Settings::default())
}

fn says(id: &str) -> Message {
    Message::user(id).with_part(Part::text("hello"))
}

fn owner() -> Owner {
    Owner::new(None, None)
}

/// A task that waits for its client, to which a message came whose work has not begun.
async fn gone_on_with(tasks: &Tasks) -> Begun {
    let begun = tasks.begin(&owner(), says("m-1"), None).await.unwrap();
    begun
        .run
        .emit_status(TaskState::InputRequired, None)
        .unwrap();
    begun.run.flush().await;
    let key = begun.key().clone();
    let (begun, delivered) = tasks.go_on(&key, says("m-2")).await.unwrap();
    assert!(!delivered);
    resume(&begun.run);
    begun
}

fn chunk(begun: &Begun, text: &str) -> StreamResponse {
    let (task, context) = (begun.key().id.clone(), begun.run.context_id());
    let artifact = Artifact::new("text").with_part(Part::text(text));
    let event = TaskArtifactUpdateEvent::new(task, context, artifact).appended();
    StreamResponse::ArtifactUpdate(event)
}

/// What is left of a stream that ends.
async fn rest(mut stream: Subscription) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await.unwrap() {
        events.push(event);
    }
    events
}

#[tokio::test]
async fn a_follow_ups_stream_tells_nothing_twice_that_its_first_task_holds() {
    let tasks = tasks();
    let begun = gone_on_with(&tasks).await;
    for text in ["one ", "two "] {
        begun.run.emit(chunk(&begun, text)).unwrap();
    }
    begun.run.flush().await;
    let stream = begun.follow(None).await.unwrap();
    begun.run.emit(chunk(&begun, "three")).unwrap();
    begun.run.emit_status(TaskState::Completed, None).unwrap();
    begun.run.flush().await;

    let mut events = rest(stream).await.into_iter();
    let Some(StreamResponse::Task(first)) = events.next().map(|it| it.event) else {
        panic!("the stream of a message begins with its task");
    };
    let mut fold = Fold::new(first);
    for event in events {
        fold.apply(event.event).unwrap();
    }
    assert_eq!(fold.task(), &tasks.get(begun.key()).await.unwrap());
    assert_eq!(fold.task().artifacts[0].parts.len(), 3);
}

#[tokio::test]
async fn a_follow_ups_stream_ends_with_a_task_that_waits_again_already() {
    let tasks = tasks();
    let begun = gone_on_with(&tasks).await;
    begun
        .run
        .emit_status(TaskState::InputRequired, None)
        .unwrap();
    begun.run.flush().await;
    let events = rest(begun.follow(None).await.unwrap()).await;
    let [only] = &events[..] else {
        panic!("one task and the end: {events:?}");
    };
    assert_eq!(only.event.state(), Some(TaskState::InputRequired));
    assert!(only.is_last);
}

#[tokio::test]
async fn a_message_sent_again_behind_the_last_event_of_its_stream_hears_its_end() {
    let tasks = tasks();
    let begun = tasks.begin(&owner(), says("m-1"), None).await.unwrap();
    begun
        .run
        .emit_status(TaskState::AuthRequired, None)
        .unwrap();
    begun.run.flush().await;
    for seen in [2, 999] {
        let again = tasks.repeated(&owner(), &says("m-1")).await.unwrap();
        let stream = again.unwrap().follow(Some(seen)).await.unwrap();
        assert!(rest(stream).await.last().unwrap().is_last);
    }
}

#[tokio::test]
async fn work_that_asks_again_at_once_is_not_put_back_to_work() {
    let tasks = tasks();
    let mut begun = tasks.begin(&owner(), says("m-1"), None).await.unwrap();
    let work = Work::new(async |mut sink: TaskSink| {
        loop {
            let question = sink.message(vec![Part::text("which one?")]);
            sink.ask(question).await?;
            sink.next_message().await.ok_or("ended")?;
        }
    });
    tasks.start(&mut begun, work);
    begun.answer(false, None).await.unwrap();
    for number in 2..50 {
        let message = says(&format!("m-{number}"));
        let (reply, delivered) = tasks.go_on(begun.key(), message).await.unwrap();
        assert!(delivered);
        let task = reply.answer(false, None).await.unwrap();
        assert_eq!(task.status.state, TaskState::InputRequired);
    }
}

#[tokio::test]
async fn a_task_that_asks_for_credentials_ends_the_wait_too() {
    let tasks = tasks();
    let mut begun = tasks.begin(&owner(), says("m-1"), None).await.unwrap();
    let work = Work::new(async |sink: TaskSink| {
        let words = sink.message(vec![Part::text("log in there")]);
        sink.status(TaskState::AuthRequired, Some(words)).await?;
        std::future::pending().await
    });
    tasks.start(&mut begun, work);
    let task = begun.answer(false, None).await.unwrap();
    assert_eq!(task.status.state, TaskState::AuthRequired);
    assert!(task.status.message.is_some());
}

#[tokio::test]
async fn readers_that_come_and_go_leave_nothing_behind() {
    let tasks = tasks();
    let begun = tasks.begin(&owner(), says("m-1"), None).await.unwrap();
    let run = Arc::clone(&begun.run);
    let holders = Arc::strong_count(&run);
    for _ in 0..10_000 {
        let mut reader = tasks.subscribe(begun.key(), None).await.unwrap();
        reader.next().await.unwrap().unwrap();
        assert_eq!(run.readers(), 1);
    }
    assert_eq!((run.readers(), Arc::strong_count(&run)), (0, holders));
}
