//! A PostgreSQL server that is reached and says nothing.

use std::{
    sync::{Arc, Barrier},
    time::Duration,
};

use store::{Conn, Error, Options, Store};
use testkit::{postgres::Postgres, proxy::Proxy};
use tokio::task::JoinSet;

use crate::{NAMES, add, names, place::aside};

/// A database that is reached through a network of ours.
fn behind_proxy() -> Option<(Options, Proxy)> {
    let server = Postgres::find()?;
    let proxy = Proxy::to(server.port());
    let url = server.database();
    let url = url.replace(&server.port().to_string(), &proxy.port().to_string());
    let options = Options::postgres(&url).unwrap().migrations(&[NAMES]);
    Some((options, proxy))
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends() {
    let Some((options, proxy)) = behind_proxy() else {
        return;
    };
    let options = options.statement_timeout(Duration::from_secs(3));
    let store = Store::open(options.connections(1)).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    proxy.swallow_answers();
    let error = store.write(|conn| add(conn, "Bob")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    proxy.heal();
    store.write(|conn| add(conn, "Cid")).await.unwrap();
}

/// A server that hangs is told to everybody who waits for it, long before a statement would be ended.
#[tokio::test(flavor = "multi_thread")]
async fn silence_is_told_to_everybody_at_once() {
    let Some((options, proxy)) = behind_proxy() else {
        return;
    };
    let options = options.statement_timeout(Duration::from_hours(1));
    let store = Store::open(options.connections(2)).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    assert_eq!(names(&store).await, ["Ada"]);
    proxy.swallow_answers();
    let mut callers = JoinSet::new();
    for number in 0..100 {
        let store = store.clone();
        callers.spawn(async move {
            match number % 2 {
                0 => store.read(|conn| conn.execute("SELECT 1", &[])).await,
                _ => {
                    store
                        .write(move |conn| add(conn, &number.to_string()))
                        .await
                }
            }
        });
    }
    let told = async {
        while let Some(told) = callers.join_next().await {
            let error: Error = told.unwrap().unwrap_err();
            assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(120), told).await;
    assert!(
        told.is_ok(),
        "some wait for as long as a statement may take"
    );
    proxy.heal();
    store.write(|conn| add(conn, "Bob")).await.unwrap();
}

/// A statement that is under way when the server begins to hang ends late, its caller does not wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_caller_waits_for_as_long_as_it_says() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let options = Options::postgres(&server.database()).unwrap();
    let store = Store::open(options.connections(1).migrations(&[NAMES])).unwrap();
    let gate = Arc::new(Barrier::new(2));
    let pass = || {
        let gate = Arc::clone(&gate);
        aside(move || {
            gate.wait();
        })
    };
    let mut holding = JoinSet::new();
    holding.spawn({
        let (store, gate) = (store.clone(), Arc::clone(&gate));
        let hold = move |conn: &mut dyn Conn| {
            gate.wait();
            gate.wait();
            add(conn, "Ada")
        };
        async move { store.write(hold).await }
    });
    pass().await;
    let prompt = store.within(Duration::from_millis(50));
    let late = prompt.write(|conn| add(conn, "Bob")).await.unwrap_err();
    assert!(matches!(late, Error::Unavailable { .. }), "{late:?}");
    pass().await;
    holding.join_next().await.unwrap().unwrap().unwrap();
    store.write(|conn| add(conn, "Cid")).await.unwrap();
    // What was handed in is done all the same.
    assert_eq!(names(&store).await, ["Ada", "Bob", "Cid"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_hosts_one_that_says_nothing_is_passed_over() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let proxy = Proxy::to(server.port());
    let one = format!("127.0.0.1:{}", server.port());
    let both = format!("127.0.0.1:{},{one}", proxy.port());
    let url = server.database().replace(&one, &both);
    let options = Options::postgres(&url).unwrap().migrations(&[NAMES]);
    let store = Store::open(options.connections(1)).unwrap();
    proxy.swallow_answers();
    let mut written = store.write(|conn| add(conn, "Ada")).await;
    for _ in 0..3 {
        if written.is_err() {
            written = store.write(|conn| add(conn, "Ada")).await;
        }
    }
    written.unwrap();
    assert_eq!(names(&store).await, ["Ada"]);
}
