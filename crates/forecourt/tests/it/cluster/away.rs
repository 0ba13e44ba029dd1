//! A database that is away for a while.

use std::time::Instant;

use testkit::proxy::Proxy;

use super::*;
use crate::support::{eventually, lead, send};

#[test]
fn what_needs_no_database_goes_on_and_the_rest_is_asked_to_come_again() {
    let Some(mut postgres) = Postgres::crash_safe() else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    let node = cluster.node("one");
    write(&cluster.drop_folder().join("export.csv"), &stock(3));
    eventually("the stock is served", || published(&node) == 3);
    assert_eq!(readiness(&node).0, 200);
    node.answer(&lead(1));

    postgres.stop_hard();
    eventually("it is not ready", || readiness(&node).0 == 503);
    let (_, why) = readiness(&node);
    assert!(!why["reasons"].as_array().unwrap().is_empty(), "{why:#}");
    let (alive, _) = request(&node.address, "GET", "/healthz", &[], "").unwrap();
    assert_eq!(alive, 200);
    assert_eq!(published(&node), 3);
    let asked = Instant::now();
    let (_, body) = send(&node.address, &lead(2)).unwrap();
    println!("a lead was turned away after {:?}", asked.elapsed());
    let reply: Value = serde_json::from_str(&body).unwrap();
    let error = &reply["error"]["data"];
    assert_eq!(error["code"], "INTERNAL_ERROR", "{reply:#}");
    assert_eq!(error["retryable"], true, "{reply:#}");

    postgres.restart();
    eventually("it is ready again", || readiness(&node).0 == 200);
    node.answer(&lead(2));
    assert_eq!(cluster.leads().len(), 2);
}

#[test]
fn a_database_that_hangs_is_told_while_its_clients_still_wait() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let proxy = Proxy::to(postgres.port());
    let [there, here] = [postgres.port(), proxy.port()].map(|port| format!(":{port}/"));
    let url = postgres.database().replace(&there, &here);
    // How long a statement may take is nothing to somebody who asks for one that takes no time.
    let cluster = Cluster::with(&url, "statement_timeout = \"1h\"");
    let node = cluster.node("one");
    let key = cluster.key("leads");
    let list = || {
        let headers = [("Authorization", key.as_str())];
        request(&node.address, "GET", "/api/leads", &headers, "").unwrap()
    };
    assert_eq!(list().0, 200);

    proxy.swallow_answers();
    for _ in 0..2 {
        let asked = Instant::now();
        std::thread::scope(|scope| {
            // Enough that some wait for others.
            let asking: Vec<_> = (0..20).map(|_| scope.spawn(list)).collect();
            for asked in asking {
                let (status, words) = asked.join().unwrap();
                assert_eq!(status, 503, "{words}");
            }
        });
        println!("the API was told after {:?}", asked.elapsed());
    }
    let (_, body) = send(&node.address, &lead(1)).unwrap();
    let reply: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(reply["error"]["data"]["retryable"], true, "{reply:#}");
    assert_eq!(readiness(&node).0, 503);

    proxy.heal();
    eventually("it is ready again", || readiness(&node).0 == 200);
    node.answer(&lead(1));
    assert_eq!(cluster.leads().len(), 1);
}
