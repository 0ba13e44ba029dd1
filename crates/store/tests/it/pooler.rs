//! A pooler in transaction mode between the store and its server: every transaction may have another
//! session.

use jiff::SignedDuration;
use store::{Claim, Error, Heard, Lease, Options, OwnedSignal, PostgresUrl, Signal, Store, lease};
use testkit::{pooler::Pooler, postgres::Postgres};
use tokio::task::JoinSet;

use crate::{
    NAMES, add, names,
    postgres::{COUNTERS, count_up_on_both, counted},
};

/// Two nodes that speak with the server through a pooler, and hear it directly.
struct Nodes {
    nodes: [Store; 2],
    /// The database by way of the pooler.
    pooled: String,
    server: Postgres,
    _pooler: Pooler,
}

fn nodes() -> Option<Nodes> {
    let server = Postgres::start()?;
    let pooler = Pooler::to(&server)?;
    let direct = server.database();
    let [there, here] = [server.port(), pooler.port()].map(|port| format!(":{port}/"));
    let pooled = direct.replace(&there, &here);
    let nodes = [(); 2].map(|()| {
        let options = Options::postgres(&pooled).unwrap();
        let options = options.listen(PostgresUrl::parse(&direct).unwrap());
        let lists = [lease::MIGRATIONS, NAMES, COUNTERS];
        // Whoever waits here waits for others that do the same, on however slow a machine.
        let options = options.patience(std::time::Duration::from_secs(60));
        Store::open(options.migrations(&lists)).unwrap()
    });
    Some(Nodes {
        nodes,
        pooled,
        server,
        _pooler: pooler,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_keep_writers_apart_and_no_setting_outlives_its_transaction() {
    let Some(all) = nodes() else {
        return;
    };
    let Nodes {
        nodes,
        pooled,
        server,
        ..
    } = &all;
    count_up_on_both(nodes, 300).await;
    assert_eq!(counted(&nodes[0]).await, [100, 100, 100]);
    let twice = nodes[1].write(|conn| add(conn, "Ada").and_then(|_| add(conn, "Ada")));
    let twice = twice.await.unwrap_err();
    assert!(matches!(twice, Error::Constraint { .. }), "{twice:?}");
    assert!(names(&nodes[0]).await.is_empty());
    for _ in 0..6 {
        let timeouts =
            "SELECT current_setting('statement_timeout') || current_setting('lock_timeout')";
        assert_eq!(server.run_in(pooled, timeouts), "00");
    }
    let locks = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'";
    assert_eq!(server.run(locks), "0");
    nodes[0].scrub().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_node_at_a_time_holds_a_lease() {
    let Some(all) = nodes() else {
        return;
    };
    let mut asking = JoinSet::new();
    for number in 0..40 {
        let node = all.nodes[number % 2].clone();
        asking.spawn(async move {
            let now = node.clock().now();
            let length = SignedDuration::from_hours(1);
            let take = node.write_claiming(Claim::ROWS, move |conn| {
                let holder = &number.to_string();
                Lease {
                    dealer: "demo-motors",
                    work: "feeds",
                    holder,
                }
                .take(conn, now, length)
            });
            take.await.unwrap()
        });
    }
    let mut holders = 0;
    while let Some(taken) = asking.join_next().await {
        holders += usize::from(taken.unwrap());
    }
    assert_eq!(holders, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn signals_go_through_the_pooler_and_are_heard_past_it() {
    let Some(all) = nodes() else {
        return;
    };
    let [node, other] = &all.nodes;
    let mut there = other.listen();
    assert_eq!(there.next().await, Heard::Missed);
    let signal = Signal {
        topic: "task",
        dealer: "demo-motors",
        key: "one",
    };
    node.tell(signal);
    assert_eq!(there.next().await, Heard::Signal(OwnedSignal::from(signal)));
}
