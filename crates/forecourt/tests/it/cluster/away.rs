//! A database that is away for a while.

use std::time::Instant;

use super::*;
use crate::support::{eventually, lead, send};

#[test]
fn what_needs_no_database_goes_on_and_the_rest_is_asked_to_come_again() {
    let Some(mut postgres) = Postgres::start() else {
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
