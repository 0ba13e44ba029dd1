//! Machines whose clocks differ.

use super::*;
use crate::support::{eventually, lead};

/// Debian's library that shows a program another time (package `faketime`). `None`, with the reason printed,
/// where it is not installed: the test is skipped then.
fn other_clock() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let found = folders
        .map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"))
        .find(|library| library.exists());
    if found.is_none() {
        println!("skipped, faketime is not here");
    }
    found
}

#[test]
fn a_node_whose_clock_is_off_is_not_ready_and_the_others_are() {
    let (Some(postgres), Some(library)) = (Postgres::find(), other_clock()) else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    let one = cluster.node("one");
    let others = [("two", "+90s", "ahead of"), ("three", "-90s", "behind")];
    for (number, (name, offset, side)) in others.into_iter().enumerate() {
        let node = cluster.node_with(
            name,
            &[
                ("LD_PRELOAD", library.as_os_str()),
                ("FAKETIME", OsStr::new(offset)),
                ("FAKETIME_DONT_FAKE_MONOTONIC", OsStr::new("1")),
            ],
        );
        eventually("it notices", || readiness(&node).0 == 503);
        let (_, why) = readiness(&node);
        assert!(
            why["reasons"][0].as_str().unwrap().contains(side),
            "{why:#}"
        );
        assert_eq!(readiness(&one).0, 200);
        // What reaches it all the same is kept once, and carried on by whoever is right.
        node.answer(&lead(number));
        one.answer(&lead(number));
    }
    assert_eq!(cluster.leads().len(), 2);
    eventually("both reach the CRM", || cluster.crm.calls().len() >= 2);
}
