//! Nodes that start while their database is busy or away.

use super::*;
use crate::support::{eventually, run};

/// What a node logs for each time that it has to ask again.
const WAITS: &str = "the start waits for the database";

impl Cluster {
    /// Starts a node, does `meanwhile` once the node has found the database in no state to serve it, and waits
    /// until the node serves.
    fn node_that_waits(&self, name: &str, meanwhile: impl FnOnce()) -> Server {
        std::thread::scope(|scope| {
            let started = scope.spawn(|| self.node(name));
            eventually("the node waits", || {
                self.log(name).contains(WAITS) || started.is_finished()
            });
            meanwhile();
            started.join().unwrap()
        })
    }

    /// Starts a node that gives up: what it logged, its exit status last.
    fn node_that_ends(&self) -> (String, Option<i32>) {
        let (config, data) = (self.config.to_str().unwrap(), self.data("ends"));
        let data = data.to_str().unwrap();
        let output = run(&["serve", "--config", config, "--data", data]);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (words, output.status.code())
    }
}

#[test]
fn a_node_that_comes_back_waits_for_what_others_hold() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let url = postgres.database();
    let cluster = Cluster::with(&url, "statement_timeout = \"4s\"");
    let mut node = cluster.node("one");
    node.kill();
    for locks in [
        "LOCK TABLE migration",
        "LOCK TABLE server_agreement",
        "LOCK TABLE card",
        "SELECT pg_advisory_xact_lock(x'464f5245434f5552'::bigint)",
    ] {
        fs::remove_file(cluster.log_file("one")).unwrap();
        let held = postgres.hold(&url, locks);
        let mut node = cluster.node_that_waits("one", || drop(held));
        assert!(cluster.log("one").contains(WAITS), "{locks}");
        assert_eq!(readiness(&node).0, 200, "{locks}");
        node.kill();
    }
}

#[test]
fn a_database_that_comes_up_after_its_node_is_waited_for() {
    let Some(mut postgres) = Postgres::crash_safe() else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    postgres.stop_hard();
    let node = cluster.node_that_waits("one", || postgres.restart());
    assert!(cluster.log("one").contains("cannot be reached"));
    assert_eq!(readiness(&node).0, 200);
}

#[test]
fn a_node_gives_up_in_the_end_and_at_once_where_waiting_does_not_help() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let url = postgres.database();
    let cluster = Cluster::with(&url, "start_patience = \"8s\"");
    let held = postgres.hold(&url, "LOCK TABLE migration");
    let (words, exit) = cluster.node_that_ends();
    assert_eq!(exit, Some(1), "{words}");
    assert!(words.contains(WAITS), "{words}");
    assert!(words.contains("lock timeout"), "{words}");
    drop(held);
    for (wrong, reason) in [
        (
            url.replace("postgres@", "nobody@"),
            "role \"nobody\" does not exist",
        ),
        (url.replace("/test_", "/absent_"), "does not exist"),
    ] {
        write(&cluster.folder.path().join("store.url"), &wrong);
        let (words, exit) = cluster.node_that_ends();
        assert_eq!(exit, Some(1), "{words}");
        assert!(words.contains(reason), "{words}");
        assert!(!words.contains(WAITS), "{words}");
    }
}

#[test]
fn a_node_starts_beside_the_next_version_and_beside_no_later_one() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let url = postgres.database();
    let cluster = Cluster::on(&url);
    let added_by = |generation: u64| {
        let sql = format!(
            "INSERT INTO migration (name, applied_at, generation) \
             VALUES ('leads-{generation}99', 0, {generation})"
        );
        postgres.run_in(&url, &sql);
    };
    added_by(2);
    let node = cluster.node("one");
    assert_eq!(readiness(&node).0, 200);
    assert!(cluster.log("one").contains("replace this program soon"));
    added_by(3);
    let (status, why) = readiness(&node);
    assert_eq!(status, 503, "{why:#}");
    let (words, exit) = cluster.node_that_ends();
    assert_eq!(exit, Some(1), "{words}");
    assert!(words.contains("newer version"), "{words}");
    assert!(words.contains("leads-399"), "{words}");
}
