//! Which closures are taken together, and which wait for which.

use super::{GROUP, Order, Queue, UnderWay, Work, Write};
use crate::{
    Claim, Conn, Error,
    job::{Job, Ran},
};

struct Nothing;

impl Job for Nothing {
    fn is_abandoned(&self) -> bool {
        false
    }

    fn run(&mut self, _: &mut dyn Conn) -> Ran {
        Ran::Keep
    }

    fn answer(self: Box<Self>, _: Result<(), Error>) {}
}

fn put(queue: &Queue, claims: &[Claim]) {
    for claim in claims {
        let job = Box::new(Nothing);
        queue.put(Order::Write(Write { claim: *claim, job }));
    }
}

fn take(queue: &Queue) -> (Vec<Claim>, UnderWay<'_>) {
    let (work, under_way) = queue.take().unwrap();
    match work {
        Work::Writes(group) => (group.iter().map(|it| it.claim).collect(), under_way),
        Work::Scrub(_) => panic!("nobody asked for a scrub"),
    }
}

fn part(dealer: &str) -> Claim {
    Claim::part("leads", dealer)
}

#[test]
fn what_one_thread_has_under_way_waits_for_its_end() {
    let queue = Queue::new(2);
    put(&queue, &[part("a"), Claim::ROWS, part("a"), part("b")]);
    let (first, under_way) = take(&queue);
    assert_eq!(first, [part("a"), Claim::ROWS, part("a"), part("b")]);
    put(&queue, &[part("a"), Claim::ROWS, part("c"), part("b")]);
    let (second, _second) = take(&queue);
    assert_eq!(second, [Claim::ROWS, part("c")]);
    drop(under_way);
    assert_eq!(take(&queue).0, [part("a"), part("b")]);
}

#[test]
fn several_threads_keep_what_needs_everything_apart() {
    let claims = [part("a"), Claim::WHOLE, part("b"), Claim::WHOLE];
    let queue = Queue::new(2);
    put(&queue, &claims);
    assert_eq!(take(&queue).0, [part("a"), part("b")]);
    assert_eq!(take(&queue).0, [Claim::WHOLE, Claim::WHOLE]);
    let alone = Queue::new(1);
    put(&alone, &claims);
    assert_eq!(take(&alone).0, claims);
}

#[test]
fn a_group_is_bounded_and_the_rest_keeps_its_order() {
    let queue = Queue::new(2);
    put(&queue, &[part("a"); GROUP]);
    put(&queue, &[part("b"), part("c")]);
    assert_eq!(take(&queue).0.len(), GROUP);
    assert_eq!(take(&queue).0, [part("b"), part("c")]);
}

#[test]
fn a_closed_queue_is_emptied_first() {
    let queue = Queue::new(1);
    put(&queue, &[part("a")]);
    queue.close();
    assert_eq!(take(&queue).0, [part("a")]);
    assert!(queue.take().is_none());
}
