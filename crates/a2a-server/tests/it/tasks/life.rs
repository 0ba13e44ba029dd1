//! From the first message to the one terminal state.

use a2a::model::{HistoryLength, TaskState};

use super::*;

#[tokio::test]
async fn a_message_waits_for_the_end_of_its_task_unless_it_says_otherwise() {
    let bench = Bench::new();
    let done = bench.send(says("work")).await.unwrap();
    assert_eq!(done.status.state, TaskState::Completed);
    assert_eq!(done.history.len(), 1);
    let message = &done.history[0];
    assert_eq!(message.task_id.as_deref(), Some(done.id.as_str()));
    assert_eq!(message.context_id, done.context_id);

    let held = bench.send(says_at_once("hold")).await.unwrap();
    assert!(!held.status.state.is_terminal());
    bench.agent.release.notify_one();
    let mut stream = bench.subscribe(&held.id, None).await.unwrap();
    while stream.next().await.unwrap().is_some() {}
    let done = bench.get(&held.id).await.unwrap();
    assert_eq!(done.status.state, TaskState::Completed);
}

#[tokio::test]
async fn a_question_ends_the_wait_at_once() {
    let bench = Bench::new();
    let task = bench.send(says("ask")).await.unwrap();
    assert_eq!(task.status.state, TaskState::InputRequired);
    let question = task.status.message.unwrap();
    assert_eq!(text_of(&question), "which one?");
    assert_eq!(question.task_id.as_deref(), Some(task.id.as_str()));
}

#[tokio::test]
async fn a_direct_answer_leaves_nothing_behind() {
    let store = Arc::new(MemoryStore::new());
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    for _ in 0..100 {
        let sent = bench.once(Operation::SendMessage(says("direct"))).await;
        let Outcome::Sent(SendMessageResponse::Message(message)) = sent.unwrap() else {
            panic!("no message");
        };
        assert_eq!(text_of(&message), "hello");
    }
    assert!(store.is_empty());
}

#[tokio::test]
async fn work_that_fails_or_panics_fails_its_task_with_the_same_id_and_tells_no_cause() {
    let bench = Bench::new();
    for order in ["fail", "panic"] {
        let task = bench.send(says(order)).await.unwrap();
        assert_eq!(task.status.state, TaskState::Failed, "{order}");
        let words = text_of(task.status.message.as_ref().unwrap());
        assert!(words.contains("logged as"), "{words}");
        assert!(!words.contains("hunter2") && !words.contains("secret"));
        assert_eq!(bench.get(&task.id).await.unwrap(), task);
    }
    let error = bench.send(says("panic-at-once")).await.unwrap_err();
    assert_eq!(code(&error), -32603);
    assert!(!error.message.contains("secret"));
    let error = bench.send(says("refuse")).await.unwrap_err();
    assert_eq!(
        (code(&error), error.message.as_str()),
        (-32000, "not today")
    );
}

#[tokio::test]
async fn a_task_is_canceled_once_and_its_work_hears_of_it() {
    let bench = Bench::new();
    let task = bench.send(says_at_once("hold")).await.unwrap();
    bench.agent.begun.notified().await;
    let canceled = bench.cancel(&task.id).await.unwrap();
    assert_eq!(canceled.status.state, TaskState::Canceled);
    bench.agent.canceled.notified().await;
    let again = bench.cancel(&task.id).await.unwrap_err();
    assert_eq!(code(&again), -32002);
    let unknown = bench.cancel("nobody").await.unwrap_err();
    assert_eq!(code(&unknown), -32001);
    let asked = bench.send(says("ask")).await.unwrap();
    let canceled = bench.cancel(&asked.id).await.unwrap();
    assert_eq!(canceled.status.state, TaskState::Canceled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_an_ending_and_a_cancellation_at_the_same_moment_exactly_one_counts() {
    let bench = Arc::new(Bench::new());
    let mut ends = std::collections::BTreeMap::new();
    for _ in 0..10_000 {
        let task = bench.send(says_at_once("work")).await.unwrap();
        let canceled = bench.cancel(&task.id).await;
        let stored = bench.tasks_after(&task.id).await;
        let terminal: Vec<TaskState> = stored
            .into_iter()
            .filter(|state| state.is_terminal())
            .collect();
        assert_eq!(terminal.len(), 1, "{terminal:?}");
        let expected = match canceled {
            Ok(_) => TaskState::Canceled,
            Err(_) => TaskState::Completed,
        };
        assert_eq!(terminal[0], expected);
        *ends.entry(format!("{expected:?}")).or_insert(0) += 1;
    }
    println!("{ends:?}");
}

#[tokio::test]
async fn a_history_is_as_long_as_is_asked_for() {
    let bench = Bench::new();
    let first = bench.send(says("ask")).await.unwrap();
    let mut second = says("work");
    second.message.task_id = Some(first.id.clone());
    let task = bench.send(second).await.unwrap();
    // The question of the status before stands between the client's two messages.
    let texts: Vec<String> = task.history.iter().map(text_of).collect();
    assert_eq!(texts, ["ask", "which one?", "work"]);
    for (length, expected) in [(None, 3), (Some(0), 0), (Some(1), 1), (Some(9), 3)] {
        let request = GetTaskRequest {
            id: task.id.clone(),
            history_length: length.and_then(HistoryLength::new),
            ..GetTaskRequest::default()
        };
        let Outcome::Task(found) = bench.once(Operation::GetTask(request)).await.unwrap() else {
            panic!("no task");
        };
        assert_eq!(found.history.len(), expected, "{length:?}");
        let latest: Vec<String> = found.history.iter().map(text_of).collect();
        assert!(texts.ends_with(&latest));
    }
}

#[tokio::test]
async fn a_task_that_a_process_left_behind_is_failed_and_one_that_waits_is_not() {
    let store = Arc::new(MemoryStore::new());
    let before = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    let waiting = before.send(says("ask")).await.unwrap();
    let held = before.send(says_at_once("hold")).await.unwrap();
    before.agent.begun.notified().await;
    // Another process over the same store.
    let after = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    assert_eq!(after.tasks.recover().await.unwrap(), 1);
    let failed = after.get(&held.id).await.unwrap();
    assert_eq!(failed.status.state, TaskState::Failed);
    let waiting = after.get(&waiting.id).await.unwrap();
    assert_eq!(waiting.status.state, TaskState::InputRequired);
}

#[tokio::test]
async fn old_tasks_are_forgotten_by_state_and_age() {
    let store = Arc::new(MemoryStore::new());
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    let done = bench.send(says("work")).await.unwrap();
    let asked = bench.send(says("ask")).await.unwrap();
    let later: Timestamp = "2027-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(bench.tasks.forget(later, false).await.unwrap(), 1);
    assert_eq!(code(&bench.get(&done.id).await.unwrap_err()), -32001);
    assert!(bench.get(&asked.id).await.is_ok());
    assert_eq!(bench.tasks.forget(later, true).await.unwrap(), 1);
    assert!(store.is_empty());
}

impl Bench {
    /// The states that a task's log holds.
    async fn tasks_after(&self, id: &str) -> Vec<TaskState> {
        let stream = self.subscribe(id, Some(0)).await.unwrap();
        states(&all(stream).await)
    }
}
