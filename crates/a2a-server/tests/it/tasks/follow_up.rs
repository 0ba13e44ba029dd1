//! Messages about a task that is there already, and messages that come twice.

use a2a::model::{Part, TaskState};

use super::*;

fn about(task: &Task, text: &str) -> SendMessageRequest {
    let mut request = says(text);
    request.message.task_id = Some(task.id.clone());
    request
}

#[tokio::test]
async fn work_that_waits_reads_the_next_message_itself() {
    let bench = Bench::new();
    let asked = bench.send(says("converse")).await.unwrap();
    assert_eq!(asked.status.state, TaskState::InputRequired);
    let done = bench.send(about(&asked, "the red one")).await.unwrap();
    assert_eq!(done.id, asked.id);
    assert_eq!(done.status.state, TaskState::Completed);
    assert_eq!(artifact_text(&done), "the red one");
    let over = bench.send(about(&asked, "hello?")).await.unwrap_err();
    assert_eq!(code(&over), -32004);
}

#[tokio::test]
async fn a_message_that_contradicts_its_tasks_conversation_is_refused_and_changes_nothing() {
    let bench = Bench::new();
    let asked = bench.send(says("ask")).await.unwrap();
    let mut wrong = about(&asked, "work");
    wrong.message.context_id = Some("another".to_owned());
    let error = bench.send(wrong).await.unwrap_err();
    assert_eq!(code(&error), -32602);
    assert_eq!(bench.get(&asked.id).await.unwrap(), asked);
    let mut unknown = says("work");
    unknown.message.task_id = Some("made-up".to_owned());
    assert_eq!(code(&bench.send(unknown).await.unwrap_err()), -32001);
}

#[tokio::test]
async fn a_conversation_goes_on_over_tasks() {
    let bench = Bench::new();
    let mut first = says("work");
    first.message.context_id = Some("c-1".to_owned());
    let first = bench.send(first).await.unwrap();
    assert_eq!(first.context_id.as_deref(), Some("c-1"));
    let mut second = says("work");
    second.message.context_id = Some("c-1".to_owned());
    second.message.reference_task_ids = vec![first.id.clone()];
    let second = bench.send(second).await.unwrap();
    assert_ne!(first.id, second.id);
    let mut third = says("work");
    third.message.reference_task_ids = vec!["made-up".to_owned()];
    assert_eq!(code(&bench.send(third).await.unwrap_err()), -32001);
}

#[tokio::test]
async fn a_message_that_comes_twice_begins_one_task_and_another_of_its_id_none() {
    let bench = Bench::new();
    let message = says("work");
    let first = bench.send(message.clone()).await.unwrap();
    let again = bench.send(message.clone()).await.unwrap();
    assert_eq!(first, again);
    let mut other = message.clone();
    other.message.parts = vec![Part::text("ask")];
    assert_eq!(code(&bench.send(other).await.unwrap_err()), -32602);
    // Of somebody else it is a message of its own.
    let foreign = bench.asked_by("somebody").send(message).await.unwrap();
    assert_ne!(foreign.id, first.id);

    let asked = bench.send(says("ask")).await.unwrap();
    let reply = about(&asked, "work");
    let done = bench.send(reply.clone()).await.unwrap();
    let error = bench.send(reply).await;
    assert_eq!(error.unwrap().history.len(), done.history.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_one_id_at_the_same_time_begin_one_task() {
    let store = Arc::new(MemoryStore::new());
    let bench = Arc::new(Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>));
    let message = says("work");
    let mut sending = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (bench, message) = (Arc::clone(&bench), message.clone());
        sending.spawn(async move { bench.send(message).await.unwrap().id });
    }
    let ids: std::collections::BTreeSet<String> = sending.join_all().await.into_iter().collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(store.len(), 1);
}

#[tokio::test]
async fn a_follow_up_that_was_answered_by_a_question_is_not_worked_on_again() {
    let bench = Bench::new();
    let asked = bench.send(says("ask")).await.unwrap();
    let reply = about(&asked, "ask");
    let first = bench.send(reply.clone()).await.unwrap();
    assert_eq!(first.status.state, TaskState::InputRequired);
    let again = bench.send(reply).await.unwrap();
    assert_eq!(again, first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follow_up_that_comes_twice_at_once_is_worked_on_once() {
    let bench = Arc::new(Bench::new());
    let asked = bench.send(says("ask")).await.unwrap();
    let reply = about(&asked, "chunks 3");
    let mut sending = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (bench, reply) = (Arc::clone(&bench), reply.clone());
        sending.spawn(async move { bench.send(reply).await.unwrap() });
    }
    sending.join_all().await;
    let done = bench.get(&asked.id).await.unwrap();
    assert_eq!(done.status.state, TaskState::Completed);
    assert_eq!(artifact_text(&done), "0 1 2 ");
}

#[tokio::test]
async fn a_foreign_task_does_not_exist_for_any_operation() {
    let owner = Bench::new().asked_by("owner");
    let task = owner.send(says("ask")).await.unwrap();
    let other = owner.asked_by("other");
    let mut reference = says("work");
    reference.message.reference_task_ids = vec![task.id.clone()];
    let errors = [
        other.get(&task.id).await.unwrap_err(),
        other.cancel(&task.id).await.unwrap_err(),
        other.subscribe(&task.id, None).await.unwrap_err(),
        other.send(about(&task, "work")).await.unwrap_err(),
        other.send(reference).await.unwrap_err(),
    ];
    let absent = other.get("nobody").await.unwrap_err();
    for error in errors {
        assert_eq!(code(&error), code(&absent));
        let expected = absent.message.replace("nobody", &task.id);
        assert_eq!(error.message, expected);
    }
    assert_eq!(owner.get(&task.id).await.unwrap(), task);
}
