//! Writers that share a commit.

use std::sync::{Arc, Barrier};

use store::Error;
use tokio::task::JoinSet;

use crate::{
    add,
    held::{Held, poll_once},
    names,
    place::Place,
};

on_both! {
    a_failing_closure_undoes_only_itself,
    a_panicking_closure_undoes_only_itself,
    a_constraint_checked_at_the_commit_fails_only_its_closure,
    many_writers_lose_nothing,
    a_read_sees_one_state,
}

async fn a_failing_closure_undoes_only_itself(place: Place) {
    let store = place.store();
    let held = Held::hold(&store).await;
    let mut first = Box::pin(store.write(|conn| add(conn, "Ada")));
    let mut failing = Box::pin(store.write(|conn| {
        add(conn, "Bob")?;
        Err::<(), _>(Error::Closed)
    }));
    let mut clash = Box::pin(store.write(|conn| {
        add(conn, "Cid")?;
        add(conn, "Ada")
    }));
    let mut last = Box::pin(store.write(|conn| add(conn, "Dora")));
    poll_once(first.as_mut()).await;
    poll_once(failing.as_mut()).await;
    poll_once(clash.as_mut()).await;
    poll_once(last.as_mut()).await;
    held.release().await;

    first.await.unwrap();
    assert!(matches!(failing.await, Err(Error::Closed)));
    assert!(matches!(clash.await, Err(Error::Constraint { .. })));
    last.await.unwrap();
    assert_eq!(names(&store).await, ["Ada", "Dora"]);
}

async fn a_panicking_closure_undoes_only_itself(place: Place) {
    let store = place.store();
    let held = Held::hold(&store).await;
    let mut first = Box::pin(store.write(|conn| add(conn, "Ada")));
    let mut panicking = Box::pin(store.write(|conn| {
        add(conn, "Bob")?;
        if conn.execute("DELETE FROM nickname", &[])? == 0 {
            panic!("a defect of the closure");
        }
        Ok::<_, Error>(())
    }));
    let mut last = Box::pin(store.write(|conn| add(conn, "Cid")));
    poll_once(first.as_mut()).await;
    poll_once(panicking.as_mut()).await;
    poll_once(last.as_mut()).await;
    held.release().await;

    first.await.unwrap();
    assert!(matches!(panicking.await, Err(Error::Panicked)));
    last.await.unwrap();
    assert_eq!(names(&store).await, ["Ada", "Cid"]);
    store.write(|conn| add(conn, "Dora")).await.unwrap();
}

async fn a_constraint_checked_at_the_commit_fails_only_its_closure(place: Place) {
    let store = place.store();
    let held = Held::hold(&store).await;
    let mut good = Box::pin(store.write(|conn| add(conn, "Ada")));
    let mut dangling = Box::pin(store.write(|conn| {
        conn.execute(
            "INSERT INTO nickname (dealer, nickname, name) VALUES ('demo-motors', 'Bobby', 'Bob')",
            &[],
        )
    }));
    poll_once(good.as_mut()).await;
    poll_once(dangling.as_mut()).await;
    held.release().await;

    good.await.unwrap();
    assert!(matches!(dangling.await, Err(Error::Constraint { .. })));
    assert_eq!(names(&store).await, ["Ada"]);
}

async fn many_writers_lose_nothing(place: Place) {
    let store = place.store();
    let mut writers = JoinSet::new();
    for number in 0..3000 {
        let store = store.clone();
        writers.spawn(async move {
            store
                .write(move |conn| add(conn, &format!("{number:04}")))
                .await
        });
    }
    while let Some(written) = writers.join_next().await {
        assert_eq!(written.unwrap().unwrap(), 1);
    }
    assert_eq!(names(&store).await.len(), 3000);
}

async fn a_read_sees_one_state(place: Place) {
    let store = place.store();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    let gate = Arc::new(Barrier::new(2));
    let counts = store.read({
        let gate = Arc::clone(&gate);
        move |conn| {
            let count = "SELECT COUNT(*) FROM name";
            let before = conn.first(count, &[], |row| row.int(0))?;
            gate.wait();
            gate.wait();
            Ok::<_, Error>((before, conn.first(count, &[], |row| row.int(0))?))
        }
    });
    let meanwhile = async {
        let wait = |gate: Arc<Barrier>| tokio::task::spawn_blocking(move || gate.wait());
        wait(Arc::clone(&gate)).await.unwrap();
        store.write(|conn| add(conn, "Bob")).await.unwrap();
        wait(gate).await.unwrap();
    };
    let (counts, ()) = tokio::join!(counts, meanwhile);
    assert_eq!(counts.unwrap(), (Some(1), Some(1)));
    assert_eq!(names(&store).await, ["Ada", "Bob"]);
}
