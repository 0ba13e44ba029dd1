//! A primary that is lost, and its standby in its place.

use std::time::Instant;

use super::{
    killed::{Load, check, delivered},
    *,
};
use crate::support::eventually;

/// How often the primary is lost; another number with `FORECOURT_FAILOVER_ROUNDS`.
fn rounds() -> usize {
    let rounds = std::env::var("FORECOURT_FAILOVER_ROUNDS").ok();
    rounds.map_or(2, |rounds| rounds.parse().unwrap())
}

#[test]
fn no_acknowledged_lead_is_lost_with_the_primary() {
    for round in 1..=rounds() {
        let Some(mut primary) = Postgres::crash_safe() else {
            return;
        };
        let standby = primary.standby();
        let both = format!("127.0.0.1:{},127.0.0.1:{}", primary.port(), standby.port());
        let one = format!("127.0.0.1:{}", primary.port());
        let url = primary.database().replace(&one, &both);
        let cluster = Cluster::on(&format!("{url}&target_session_attrs=read-write"));
        let nodes = ["one", "two"].map(|name| cluster.node(name));
        let addresses = nodes.iter().map(|node| node.address.clone()).collect();
        let load = Load::start(addresses);
        eventually("leads are taken", || load.count() >= 40);
        primary.stop_hard();
        let lost = Instant::now();
        standby.promote();
        let promoted = lost.elapsed();
        let before = load.count();
        eventually("leads are taken again", || load.count() > before);
        let away = lost.elapsed();
        eventually("leads are taken", || load.count() >= before + 40);
        let refusals = load.refusals();
        let acknowledged = load.stop();
        println!(
            "round {round}: {} leads acknowledged, {refusals} asked to come again, promoted after {promoted:?}, without writes for {away:?}",
            acknowledged.len()
        );
        check(&cluster, &acknowledged);
        delivered(&cluster, &acknowledged);
    }
}
