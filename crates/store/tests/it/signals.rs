//! Word from who writes to who waits.

use std::time::Duration;

use store::{Heard, OwnedSignal, Signal, Signals};

use crate::place::Place;

fn signal(key: &str) -> Signal<'_> {
    Signal {
        topic: "task",
        dealer: "demo-motors",
        key,
    }
}

fn heard(key: &str) -> Heard {
    Heard::Signal(OwnedSignal::from(signal(key)))
}

/// The next signal. That some may have been missed is said of the time before another node could be
/// heard.
async fn next(signals: &mut Signals) -> Heard {
    loop {
        match signals.next().await {
            Heard::Missed => {}
            signal => return signal,
        }
    }
}

on_both! {
    every_listener_hears_what_is_told_after_it_began,
    a_listener_that_falls_behind_is_told_so_and_hears_on,
    after_the_store_is_closed_nothing_is_heard,
    no_two_nodes_share_a_name,
}

async fn every_listener_hears_what_is_told_after_it_began(place: Place) {
    let store = place.store();
    store.tell(signal("before"));
    let (mut one, mut two) = (store.listen(), store.clone().listen());
    store.tell(signal("a"));
    store.tell(signal("b"));
    for listener in [&mut one, &mut two] {
        assert_eq!(next(listener).await, heard("a"));
        assert_eq!(next(listener).await, heard("b"));
    }
}

async fn a_listener_that_falls_behind_is_told_so_and_hears_on(place: Place) {
    let store = place.store();
    let mut slow = store.listen();
    for number in 0..10_000 {
        store.tell(signal(&number.to_string()));
    }
    assert_eq!(slow.next().await, Heard::Missed);
    while next(&mut slow).await != heard("9999") {}
}

async fn after_the_store_is_closed_nothing_is_heard(place: Place) {
    let store = place.store();
    let mut signals = store.listen();
    drop(store);
    let next = tokio::time::timeout(Duration::ZERO, next(&mut signals)).await;
    assert!(next.is_err(), "{next:?}");
}

async fn no_two_nodes_share_a_name(place: Place) {
    assert_ne!(place.store().node(), place.store().node());
}
