//! A store that fails: whoever asks hears so at once, and nothing of why.

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use a2a_server::task::{
    Entry, ListPage, ListQuery, Owner, Remembered, StoreError, StoredTask, TaskKey,
};
use futures_util::future::{BoxFuture, ready};

use super::*;

/// Fails when it is told to.
#[derive(Default)]
struct Failing {
    store: MemoryStore,
    is_down: AtomicBool,
    /// Takes its time to add to a log.
    is_slow: AtomicBool,
    /// How often entries are not added to a log before they are.
    lost: AtomicUsize,
}

impl Failing {
    fn goes_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::SeqCst);
    }

    fn unless_down<'a, T: Send + 'a>(
        &'a self,
        done: impl FnOnce(&'a MemoryStore) -> BoxFuture<'a, Result<T, StoreError>>,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        if self.is_down.load(Ordering::SeqCst) {
            return Box::pin(ready(Err(failure())));
        }
        done(&self.store)
    }
}

fn failure() -> StoreError {
    StoreError::Failed("postgres://admin:hunter2@10.0.0.1/lot refused the connection".into())
}

impl TaskStore for Failing {
    fn create<'a>(
        &'a self,
        key: &'a TaskKey,
        first: &'a Arc<Entry>,
        message: Remembered,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>> {
        self.unless_down(|store| store.create(key, first, message))
    }

    fn append<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        entries: &'a [Arc<Entry>],
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let fewer = |lost: usize| lost.checked_sub(1);
        let (set, fetch) = (Ordering::SeqCst, Ordering::SeqCst);
        if self.lost.fetch_update(set, fetch, fewer).is_ok() {
            return Box::pin(ready(Err(failure())));
        }
        if self.is_slow.load(Ordering::SeqCst) {
            return Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(3)).await;
                self.store.append(key, after, entries).await
            });
        }
        self.unless_down(|store| store.append(key, after, entries))
    }

    fn task<'a>(
        &'a self,
        key: &'a TaskKey,
    ) -> BoxFuture<'a, Result<Option<StoredTask>, StoreError>> {
        self.unless_down(|store| store.task(key))
    }

    fn entries<'a>(
        &'a self,
        key: &'a TaskKey,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Entry>>, StoreError>> {
        self.unless_down(|store| store.entries(key, after, limit))
    }

    fn remembered<'a>(
        &'a self,
        owner: &'a Owner,
        message_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Remembered>, StoreError>> {
        self.unless_down(|store| store.remembered(owner, message_id))
    }

    fn list<'a>(&'a self, query: &'a ListQuery) -> BoxFuture<'a, Result<ListPage, StoreError>> {
        self.unless_down(|store| store.list(query))
    }

    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<TaskKey>, StoreError>> {
        self.unless_down(TaskStore::unfinished)
    }

    fn forget(
        &self,
        before: Timestamp,
        interrupted: bool,
    ) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.unless_down(|store| store.forget(before, interrupted))
    }

    fn trim<'a>(
        &'a self,
        owner: &'a Owner,
        most: usize,
    ) -> BoxFuture<'a, Result<usize, StoreError>> {
        self.unless_down(|store| store.trim(owner, most))
    }
}

fn tells_nothing(error: &Error) {
    assert_eq!(code(error), -32603, "{error:?}");
    for secret in ["hunter2", "postgres", "10.0.0.1"] {
        assert!(!error.message.contains(secret), "{}", error.message);
    }
}

#[tokio::test]
async fn a_store_that_fails_is_answered_within_the_request_without_its_words() {
    let store = Arc::new(Failing::default());
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    let asked = bench.send(says("ask")).await.unwrap();
    store.goes_down(true);
    let mut reply = says("work");
    reply.message.task_id = Some(asked.id.clone());
    let list = Operation::ListTasks(a2a::model::ListTasksRequest::default());
    for error in [
        bench.send(says("work")).await.unwrap_err(),
        bench.send(reply).await.unwrap_err(),
        bench.get(&asked.id).await.unwrap_err(),
        bench.cancel(&asked.id).await.unwrap_err(),
        bench.subscribe(&asked.id, None).await.unwrap_err(),
        bench.once(list).await.unwrap_err(),
    ] {
        tells_nothing(&error);
        assert!(error.message.contains("logged as"), "{}", error.message);
    }
    store.goes_down(false);
    assert_eq!(bench.get(&asked.id).await.unwrap(), asked);
}

/// More often than an entry is tried to be added.
const GIVEN_UP: usize = 4;

#[tokio::test]
async fn a_log_that_cannot_be_written_ends_whoever_waits_and_its_task() {
    let store = Arc::new(Failing::default());
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    store.lost.store(GIVEN_UP, Ordering::SeqCst);
    tells_nothing(&bench.send(says("work")).await.unwrap_err());

    store.lost.store(GIVEN_UP, Ordering::SeqCst);
    let request = Operation::SendStreamingMessage(says("chunks 20"));
    let mut stream = bench.stream(request).await.unwrap();
    stream.next().await.unwrap().unwrap();
    let error = loop {
        match stream.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("a stream without an end that ends"),
            Err(error) => break error,
        }
    };
    tells_nothing(&error);

    // Also while the reader of the lost log is still there.
    let list = || Operation::ListTasks(a2a::model::ListTasksRequest::default());
    loop {
        let Outcome::Tasks(page) = bench.once(list()).await.unwrap() else {
            panic!("no page");
        };
        assert_eq!(page.tasks.len(), 2);
        let failed = |task: &Task| task.status.state == TaskState::Failed;
        if page.tasks.iter().all(failed) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(stream);
}

#[tokio::test]
async fn work_that_ends_while_its_events_are_stored_loses_none() {
    let store = Arc::new(Failing::default());
    store.is_slow.store(true, Ordering::SeqCst);
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    for _ in 0..20 {
        let request = Operation::SendStreamingMessage(says("paced 5"));
        let events = all(bench.stream(request).await.unwrap()).await;
        let numbers: Vec<u64> = events.iter().map(|it| it.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
    }
}

#[tokio::test]
async fn a_client_that_leaves_while_its_message_is_stored_loses_nothing() {
    let store = Arc::new(Failing::default());
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    let asked = bench.send(says("ask")).await.unwrap();
    store.is_slow.store(true, Ordering::SeqCst);
    let mut reply = says("work");
    reply.message.task_id = Some(asked.id.clone());
    let patience = Duration::from_millis(1);
    let left = tokio::time::timeout(patience, bench.send(reply.clone())).await;
    assert!(left.is_err());
    // It comes again, is there once, and is worked on now.
    let again = bench.send(reply).await.unwrap();
    assert_eq!(again.status.state, TaskState::Completed);
    let texts: Vec<String> = again.history.iter().map(text_of).collect();
    assert_eq!(
        texts.iter().filter(|text| *text == "work").count(),
        1,
        "{texts:?}"
    );
}
