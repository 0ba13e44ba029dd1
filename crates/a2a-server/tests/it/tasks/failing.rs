//! A store that fails: whoever asks hears so at once, and nothing of why.

use std::sync::atomic::AtomicBool;

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
    /// Fails from the first entry that is added to a log.
    loses_logs: AtomicBool,
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
            let cause = "postgres://admin:hunter2@10.0.0.1/lot refused the connection";
            return Box::pin(ready(Err(StoreError::Failed(cause.into()))));
        }
        done(&self.store)
    }
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
        if self.loses_logs.load(Ordering::SeqCst) {
            self.goes_down(true);
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

#[tokio::test]
async fn a_log_that_cannot_be_written_ends_its_readers_and_whoever_waits() {
    let store = Arc::new(Failing::default());
    store.loses_logs.store(true, Ordering::SeqCst);
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    tells_nothing(&bench.send(says("work")).await.unwrap_err());
    store.goes_down(false);
    let request = Operation::SendStreamingMessage(says("chunks 20"));
    let mut stream = bench.stream(request).await.unwrap();
    let begun = stream.next().await.unwrap().unwrap();
    let error = loop {
        match stream.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("a stream without an end that ends"),
            Err(error) => break error,
        }
    };
    tells_nothing(&error);
    // What was stored is there when the store is.
    store.goes_down(false);
    let id = begun.event.task_id().unwrap();
    assert_eq!(bench.get(id).await.unwrap().id, id);
}
