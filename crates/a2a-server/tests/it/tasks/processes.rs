//! Several processes on one store: each sees what the others do to its tasks.

use std::time::Duration;

use super::*;

/// Two processes on one store.
fn two() -> [Bench; 2] {
    let store = Arc::new(MemoryStore::new());
    [(); 2].map(|()| Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>))
}

/// Sees what others do, as a process that serves does.
async fn keeping_up<T>(bench: &Bench, done: impl Future<Output = T>) -> T {
    tokio::select! {
        done = done => done,
        () = bench.tasks.keep_up(Duration::from_millis(2)) => unreachable!("it goes on for ever"),
    }
}

#[tokio::test]
async fn a_task_is_followed_where_nobody_works_on_it() {
    let [one, other] = two();
    let task = one.send(says_at_once("paced 200")).await.unwrap();
    let stream = other.subscribe(&task.id, None).await.unwrap();
    let events = keeping_up(&other, all(stream)).await;
    let StreamResponse::Task(first) = events[0].event.clone() else {
        panic!("{:?}", events[0]);
    };
    let mut fold = a2a::fold::Fold::new(first);
    for event in &events[1..] {
        fold.apply(event.event.clone()).unwrap();
    }
    assert_eq!(fold.task(), &one.get(&task.id).await.unwrap());
    let last = events.last().unwrap();
    assert_eq!(last.event.state(), Some(TaskState::Completed));
    // Begun here and gone on with there, a stream has every event once.
    let mut begun = one.subscribe(&task.id, Some(0)).await.unwrap();
    let mut numbers = Vec::new();
    while numbers.len() < 100 {
        numbers.push(begun.next().await.unwrap().unwrap().number);
    }
    let rest = other.subscribe(&task.id, numbers.last().copied());
    let rest = all(rest.await.unwrap()).await;
    numbers.extend(rest.iter().map(|it| it.number));
    assert_eq!(numbers, (1..=last.number).collect::<Vec<_>>());
}

#[tokio::test]
async fn word_of_a_change_is_enough() {
    let [one, other] = two();
    let task = one.send(says_at_once("hold")).await.unwrap();
    one.agent.begun().await;
    let mut stream = other.subscribe(&task.id, None).await.unwrap();
    let state = stream.next().await.unwrap().unwrap().event.state();
    assert_eq!(state, Some(TaskState::Working));
    one.agent.release();
    let ended = one.subscribe(&task.id, None).await;
    if let Ok(ended) = ended {
        all(ended).await;
    }
    other.tasks.hear(&task.id).await;
    assert_eq!(states(&all(stream).await), [TaskState::Completed]);
}

#[tokio::test]
async fn work_is_canceled_from_another_process() {
    let [one, other] = two();
    let task = one.send(says_at_once("hold")).await.unwrap();
    one.agent.begun().await;
    let reader = one.subscribe(&task.id, None).await.unwrap();
    let canceled = other.cancel(&task.id).await.unwrap();
    assert_eq!(canceled.status.state, TaskState::Canceled);
    // The work hears of it, and so does whoever follows it there.
    let events = keeping_up(&one, async {
        one.agent.canceled.notified().await;
        all(reader).await
    });
    let states = states(&events.await);
    assert_eq!(states, [TaskState::Working, TaskState::Canceled]);
    let again = other.cancel(&task.id).await.unwrap_err();
    assert_eq!(code(&again), -32002);
}

#[tokio::test]
async fn work_that_never_pauses_is_canceled_from_another_process() {
    let [one, other] = two();
    let task = one.send(says_at_once("flood")).await.unwrap();
    let canceled = other.cancel(&task.id).await.unwrap();
    assert_eq!(canceled.status.state, TaskState::Canceled);
    // Nothing follows it: the work ends by itself.
    one.tasks.close(Duration::from_secs(60)).await;
    let left = one.get(&task.id).await.unwrap();
    assert_eq!(left, other.get(&task.id).await.unwrap());
    assert_eq!(left.status.state, TaskState::Canceled);
}

#[tokio::test]
async fn of_two_endings_in_two_processes_exactly_one_counts() {
    for _ in 0..50 {
        let [one, other] = two();
        let task = one.send(says_at_once("hold")).await.unwrap();
        one.agent.begun().await;
        one.agent.release();
        let canceled = other.cancel(&task.id).await;
        one.tasks.close(Duration::from_secs(60)).await;
        let task = one.get(&task.id).await.unwrap();
        let expected = match canceled {
            Ok(_) => TaskState::Canceled,
            Err(error) => {
                assert_eq!(code(&error), -32002);
                TaskState::Completed
            }
        };
        assert_eq!(task.status.state, expected);
        assert_eq!(other.get(&task.id).await.unwrap(), task);
    }
}

#[tokio::test]
async fn a_question_is_answered_in_another_process() {
    let [one, other] = two();
    let asked = one.send(says("ask")).await.unwrap();
    let mut reply = says("work");
    reply.message.task_id = Some(asked.id.clone());
    let done = other.send(reply).await.unwrap();
    assert_eq!(done.status.state, TaskState::Completed);
    assert_eq!(one.get(&asked.id).await.unwrap(), done);
    let mut late = says("work");
    late.message.task_id = Some(asked.id);
    assert_eq!(code(&one.send(late).await.unwrap_err()), -32004);
}
