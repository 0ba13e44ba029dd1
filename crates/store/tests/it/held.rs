//! A writing thread that is kept busy, to decide what shares a commit.

use std::{
    sync::{Arc, Barrier, Mutex, PoisonError},
    time::Duration,
};

use store::{Error, Store};
use tokio::task::JoinSet;

/// Keeps the writing thread busy until the guard is dropped, so that closures handed in meanwhile
/// end up in one group.
pub(crate) struct Held {
    gate: Arc<Barrier>,
    waiting: JoinSet<Result<(), Error>>,
}

impl Held {
    pub(crate) async fn hold(store: &Store) -> Self {
        let gate = Arc::new(Barrier::new(2));
        let (entered, inside) = tokio::sync::oneshot::channel();
        let entered = Mutex::new(Some(entered));
        let mut waiting = JoinSet::new();
        waiting.spawn({
            let (store, gate) = (store.clone(), Arc::clone(&gate));
            async move {
                store
                    .write(move |_| {
                        let entered = entered
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .take();
                        entered.expect("runs once").send(()).expect("is awaited");
                        gate.wait();
                        Ok::<_, Error>(())
                    })
                    .await
            }
        });
        inside.await.expect("the closure runs");
        Self { gate, waiting }
    }

    pub(crate) async fn release(mut self) {
        tokio::task::spawn_blocking(move || self.gate.wait());
        while let Some(done) = self.waiting.join_next().await {
            done.expect("joins").expect("is written");
        }
    }
}

/// Hands a future's closure in without waiting for the answer.
pub(crate) async fn poll_once<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) {
    assert!(
        tokio::time::timeout(Duration::ZERO, future).await.is_err(),
        "nothing is answered before its commit"
    );
}
