//! What is particular to PostgreSQL: writers side by side, several nodes, a server that goes away.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use store::{Claim, Conn, Error, Heard, Migration, Options, OwnedSignal, Signal, Store};
use testkit::{postgres::Postgres, proxy::Proxy};
use tokio::task::JoinSet;

use crate::{NAMES, add, names, place::aside};

pub(crate) const COUNTERS: &[Migration] = &[Migration {
    name: "counters-1",
    sql: "CREATE TABLE counter (dealer TEXT NOT NULL, value BIGINT NOT NULL, PRIMARY KEY (dealer));
          INSERT INTO counter (dealer, value) VALUES ('a', 0), ('b', 0), ('c', 0)",
}];

/// Two nodes on one database, each with several writers.
fn nodes(url: &str, migrations: &[&'static [Migration]]) -> [Store; 2] {
    [(); 2].map(|()| {
        let options = Options::postgres(url).expect("is a URL");
        // Whoever waits here waits for others that do the same, on however slow a machine.
        let options = options.patience(Duration::from_secs(60));
        Store::open(options.migrations(migrations)).expect("opens")
    })
}

/// Reads, thinks, and writes what it thought: wrong as soon as another does so meanwhile.
fn count_up(conn: &mut dyn Conn, dealer: &str) -> Result<u64, Error> {
    let value = conn.first(
        "SELECT value FROM counter WHERE dealer = $1",
        &[dealer.into()],
        |row| row.int(0),
    )?;
    let next = value.unwrap_or_default() + 1;
    conn.execute(
        "UPDATE counter SET value = $2 WHERE dealer = $1",
        &[dealer.into(), next.into()],
    )
}

/// Counts up so many times at once, on both nodes in turn, each dealer's counter as often. Each time counts.
pub(crate) async fn count_up_on_both(nodes: &[Store; 2], times: usize) {
    let mut writers = JoinSet::new();
    for number in 0..times {
        let node = nodes[number % 2].clone();
        let dealer = ["a", "b", "c"][number % 3];
        // Every tenth without saying what it touches.
        let claim = match number % 10 {
            0 => Claim::WHOLE,
            _ => Claim::part("count", dealer),
        };
        writers.spawn(async move {
            node.write_claiming(claim, move |conn| count_up(conn, dealer))
                .await
        });
    }
    while let Some(written) = writers.join_next().await {
        assert_eq!(written.unwrap().unwrap(), 1);
    }
}

pub(crate) async fn counted(store: &Store) -> Vec<i64> {
    store
        .read(|conn| {
            conn.all("SELECT value FROM counter ORDER BY dealer", &[], |row| {
                row.int(0)
            })
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_before_it_is_written_stays_true_on_every_node() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let nodes = nodes(&server.database(), &[COUNTERS]);
    count_up_on_both(&nodes, 600).await;
    assert_eq!(counted(&nodes[0]).await, [200, 200, 200]);
    assert_eq!(counted(&nodes[1]).await, [200, 200, 200]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_claims_different_parts_runs_side_by_side() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let url = server.database();
    let ([one, two], [three, _]) = (nodes(&url, &[NAMES]), nodes(&url, &[NAMES]));
    // Each closure waits for the others to be inside, too.
    let inside = Arc::new(Barrier::new(3));
    let meet = |store: &Store, claim| {
        let inside = Arc::clone(&inside);
        let store = store.clone();
        async move {
            let met = store.write_claiming(claim, move |_| {
                inside.wait();
                Ok::<_, Error>(())
            });
            met.await
        }
    };
    let (a, b, c) = tokio::join!(
        meet(&one, Claim::part("leads", "a")),
        meet(&two, Claim::part("leads", "b")),
        meet(&three, Claim::part("stock", "a")),
    );
    a.and(b).and(c).unwrap();
}

/// Two transactions that change two rows in opposite orders: the server ends one, which is run again.
#[tokio::test(flavor = "multi_thread")]
async fn a_deadlock_costs_nobody_an_error() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let nodes = nodes(&server.database(), &[COUNTERS]);
    let meet = Arc::new(Barrier::new(2));
    let runs = Arc::new(AtomicUsize::new(0));
    let mut writers = JoinSet::new();
    for (node, order) in nodes.iter().cloned().zip([["a", "b"], ["b", "a"]]) {
        let (meet, runs) = (Arc::clone(&meet), Arc::clone(&runs));
        writers.spawn(async move {
            let both = node.write_claiming(Claim::ROWS, move |conn| {
                let up = "UPDATE counter SET value = value + 1 WHERE dealer = $1";
                conn.execute(up, &[order[0].into()])?;
                if runs.fetch_add(1, Ordering::SeqCst) < 2 {
                    meet.wait();
                }
                conn.execute(up, &[order[1].into()])
            });
            both.await
        });
    }
    while let Some(written) = writers.join_next().await {
        assert_eq!(written.unwrap().unwrap(), 1);
    }
    assert_eq!(counted(&nodes[0]).await, [2, 2, 0]);
    assert!(runs.load(Ordering::SeqCst) > 2, "one of the two ran again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_another_node_holds_for_long_is_a_conflict_for_that_part_alone() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let url = server.database();
    let [node, _] = nodes(&url, &[COUNTERS]);
    let options = Options::postgres(&url).unwrap().migrations(&[COUNTERS]);
    let other = Store::open(options.connections(1).patience(Duration::from_millis(50))).unwrap();
    let gate = Arc::new(Barrier::new(2));
    let holding = node.write_claiming(Claim::part("count", "a"), {
        let gate = Arc::clone(&gate);
        move |conn| {
            gate.wait();
            gate.wait();
            count_up(conn, "a")
        }
    });
    let meanwhile = async {
        let wait = |gate: &Arc<Barrier>| {
            aside({
                let gate = Arc::clone(gate);
                move || gate.wait()
            })
        };
        wait(&gate).await;
        let on = |dealer: &'static str| {
            other.write_claiming(Claim::part("count", dealer), move |conn| {
                count_up(conn, dealer)
            })
        };
        let (first, same, free) = tokio::join!(on("a"), on("a"), on("b"));
        for refused in [first, same] {
            let refused = refused.unwrap_err();
            assert!(matches!(refused, Error::Conflict { .. }), "{refused:?}");
            assert!(refused.is_transient());
        }
        free.unwrap();
        wait(&gate).await;
    };
    let (held, ()) = tokio::join!(holding, meanwhile);
    held.unwrap();
    assert_eq!(counted(&other).await, [1, 1, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_reaches_the_other_node_once_and_this_one_at_once() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let [node, other] = nodes(&server.database(), &[NAMES]);
    let (mut here, mut there) = (node.listen(), other.listen());
    // That it may have missed some says that the other node listens by now.
    assert_eq!(there.next().await, Heard::Missed);
    let signal = |key| Signal {
        topic: "task",
        dealer: "demo-motors",
        key,
    };
    for key in ["one", "two", "two", "last"] {
        node.tell(signal(key));
    }
    let mut heard = Vec::new();
    while heard.last() != Some(&Heard::Signal(OwnedSignal::from(signal("last")))) {
        heard.push(here.next().await);
    }
    let mut elsewhere = std::collections::HashSet::new();
    while elsewhere.len() < 3 {
        match there.next().await {
            Heard::Signal(signal) => elsewhere.insert(signal.key),
            Heard::Missed => panic!("nothing is missed"),
        };
    }
    assert_eq!(elsewhere, ["one", "two", "last"].map(str::to_owned).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_listens_learns_that_signals_were_lost_with_the_connection() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let [node, other] = nodes(&server.database(), &[NAMES]);
    let mut there = other.listen();
    assert_eq!(there.next().await, Heard::Missed);
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    assert_eq!(there.next().await, Heard::Missed);
    node.tell(Signal {
        topic: "due",
        dealer: "",
        key: "",
    });
    assert!(matches!(there.next().await, Heard::Signal(_)));
}

/// The answer to the commit is lost on the way. What was written is there, the caller is told that it is
/// unknown, and it is not written twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_is_lost_is_no_success_and_not_repeated() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let direct = server.database();
    let proxy = Proxy::to(server.port());
    let through = direct.replace(&server.port().to_string(), &proxy.port().to_string());
    let options = Options::postgres(&through).unwrap().migrations(&[NAMES]);
    let store = Store::open(options.connections(1)).unwrap();
    store.write(|conn| add(conn, "before")).await.unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let lost = store.write({
        let (runs, proxy) = (Arc::clone(&runs), proxy.clone());
        move |conn| {
            runs.fetch_add(1, Ordering::SeqCst);
            let added = add(conn, "Ada")?;
            // What is sent from here on arrives, and no answer comes back.
            proxy.swallow_answers();
            Ok::<_, Error>(added)
        }
    });
    let cut = async {
        while !names(&watcher(&direct)).await.contains(&"Ada".to_owned()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        proxy.cut();
    };
    let (lost, ()) = tokio::join!(lost, cut);
    let error = lost.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(error.is_transient());
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    proxy.heal();
    store.write(|conn| add(conn, "after")).await.unwrap();
    assert_eq!(names(&store).await, ["Ada", "after", "before"]);
}

fn watcher(url: &str) -> Store {
    let options = Options::postgres(url).expect("is a URL").connections(1);
    Store::open(options.migrations(&[NAMES])).expect("opens")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_is_an_error_for_everybody_at_once_and_found_again() {
    let Some(mut server) = Postgres::crash_safe() else {
        return;
    };
    let options = Options::postgres(&server.database()).unwrap();
    let store = Store::open(options.migrations(&[NAMES])).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    server.stop_hard();
    let mut writers = JoinSet::new();
    for number in 0..300 {
        let store = store.clone();
        writers.spawn(async move {
            store
                .write(move |conn| add(conn, &format!("lost {number}")))
                .await
        });
    }
    while let Some(written) = writers.join_next().await {
        let error = written.unwrap().unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    }
    let unread = store.read(|conn| add(conn, "x")).await.unwrap_err();
    assert!(unread.is_transient(), "{unread:?}");
    server.restart();
    store.write(|conn| add(conn, "Bob")).await.unwrap();
    assert_eq!(names(&store).await, ["Ada", "Bob"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_takes_too_long_is_ended_and_costs_only_its_closure() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let options = Options::postgres(&server.database()).unwrap();
    let options = options.statement_timeout(Duration::from_secs(3));
    let store = Store::open(options.connections(1).migrations(&[NAMES])).unwrap();
    let slow = store.write(|conn| conn.execute("SELECT pg_sleep(60)", &[]));
    let quick = store.write(|conn| add(conn, "Ada"));
    let (slow, quick) = tokio::join!(slow, quick);
    let slow: Error = slow.unwrap_err();
    assert!(matches!(slow, Error::Busy { .. }), "{slow:?}");
    quick.unwrap();
    let slow = store
        .read(|conn| conn.execute("SELECT pg_sleep(60)", &[]))
        .await;
    let slow: Error = slow.unwrap_err();
    assert!(slow.is_transient(), "{slow:?}");
    assert_eq!(names(&store).await, ["Ada"]);
}

#[tokio::test]
async fn what_cannot_be_used_is_said() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let open = |url: &str| Store::open(Options::postgres(url).unwrap()).unwrap_err();
    let nowhere = open("postgres://ada:secret@127.0.0.1:1/cars?sslmode=disable");
    assert_eq!(
        nowhere.to_string(),
        "the database postgres://127.0.0.1:1/cars cannot be reached"
    );
    assert!(nowhere.is_transient());
    for (from, to) in [("/postgres?", "/absent?"), ("postgres@", "nobody@")] {
        let denied = open(&server.url().replace(from, to));
        assert!(matches!(denied, Error::Denied { .. }), "{denied:?}");
        assert!(!denied.is_transient());
        let cause = std::error::Error::source(&denied).unwrap().to_string();
        assert!(cause.contains("does not exist"), "{cause}");
    }
    server.run("CREATE DATABASE odd ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc");
    let odd = open(&server.url().replace("/postgres?", "/odd?"));
    assert_eq!(
        odd.to_string(),
        "the database cannot be used: its encoding is LATIN1, UTF8 is needed"
    );
}

#[tokio::test]
async fn what_others_hold_while_a_store_is_opened_passes() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let url = server.database();
    drop(watcher(&url));
    for locks in [
        "LOCK TABLE migration",
        "SELECT pg_advisory_xact_lock(x'464f5245434f5552'::bigint)",
    ] {
        let _held = server.hold(&url, locks);
        let options = Options::postgres(&url).unwrap();
        let options = options.patience(Duration::from_millis(50));
        let refused = Store::open(options.migrations(&[NAMES, COUNTERS])).unwrap_err();
        assert!(refused.is_transient(), "{locks}: {refused:?}");
    }
    drop(
        Store::open(
            Options::postgres(&url)
                .unwrap()
                .migrations(&[NAMES, COUNTERS]),
        )
        .unwrap(),
    );
}

#[tokio::test]
async fn a_read_only_store_writes_nothing() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let url = server.database();
    let read_only = || Options::postgres(&url).unwrap().read_only();
    let empty = Store::open(read_only().migrations(&[NAMES])).unwrap_err();
    assert!(matches!(empty, Error::OlderSchema { .. }), "{empty:?}");
    let store = watcher(&url);
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    let reader = Store::open(read_only().migrations(&[NAMES])).unwrap();
    let refused = reader.write(|conn| add(conn, "Bob")).await.unwrap_err();
    assert!(matches!(refused, Error::ReadOnly { .. }), "{refused:?}");
    assert_eq!(names(&reader).await, ["Ada"]);
    assert!(reader.disk_bytes().await.unwrap() > 1_000_000);
}

#[tokio::test]
async fn a_scrub_takes_deleted_rows_out_of_the_tables() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let store = watcher(&server.database());
    for name in ["Ada", "Bob"] {
        store.write(move |conn| add(conn, name)).await.unwrap();
    }
    let gone = "DELETE FROM name WHERE name = 'Ada'";
    store
        .write(move |conn| conn.execute(gone, &[]))
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    store.scrub().await.unwrap();
    let scrubbed = store
        .read(|conn| {
            let sql = "SELECT relname FROM pg_stat_user_tables WHERE vacuum_count = 1 ORDER BY 1";
            conn.all(sql, &[], |row| row.text(0).map(str::to_owned))
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    assert_eq!(scrubbed, ["migration", "name", "nickname"]);
    assert_eq!(names(&store).await, ["Bob"]);
}
