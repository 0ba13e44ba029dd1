//! Receivers that fail, for a while or for good.

use leads::outbox::{Bounce, PausedBy};

use super::*;

#[tokio::test]
async fn a_lead_that_is_not_taken_for_now_is_tried_at_growing_intervals() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    let mut waits = Vec::new();
    for _ in 0..5 {
        let leased = desk.lease_one().await;
        let Settled::Again { due_at } = desk.settle(&leased, later()).await else {
            panic!("it is tried again");
        };
        let wait = due_at.duration_since(desk.store.clock().now());
        waits.push(wait.as_secs());
        desk.wait(wait - SignedDuration::from_millis(1));
        assert!(desk.lease(10).await.is_empty(), "not before its time");
        desk.wait(SignedDuration::from_millis(1));
    }
    assert_eq!(waits, [30, 60, 120, 240, 480]);
    let route = desk.route().await;
    assert_eq!((route.failures, route.paused_by), (0, None));
}

#[tokio::test]
async fn one_lead_that_is_put_off_does_not_hold_up_another() {
    let desk = Desk::open();
    desk.take(person(1)).await;
    let first = desk.lease_one().await;
    desk.take(person(2)).await;
    desk.settle(&first, later()).await;
    let second = desk.lease_one().await;
    assert_ne!(second.lead_id, first.lead_id);
}

#[tokio::test]
async fn a_refusal_for_good_sends_the_lead_to_the_fallback() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let leased = desk.lease_one().await;
    let Settled::Failed {
        fallback: Some(fallback),
    } = desk.settle(&leased, refused()).await
    else {
        panic!("there is a fallback");
    };
    let route = desk.route().await;
    assert_eq!((route.refusals, route.trouble.as_deref()), (1, Some("550")));
    let to_fallback = desk.lease_one().await;
    assert_eq!(to_fallback.delivery_id, fallback);
    assert_eq!(to_fallback.lead_id, lead_id);
    assert_eq!(to_fallback.route.destination, "fallback");
    assert_eq!(
        (to_fallback.purpose, to_fallback.occasion),
        (Purpose::Fallback, Purpose::Lead)
    );
    assert_eq!(desk.settle(&to_fallback, taken()).await, Settled::Sent);
    assert_eq!(
        desk.states().await,
        [
            ("crm".to_owned(), DeliveryState::Failed),
            ("fallback".to_owned(), DeliveryState::Sent)
        ]
    );
    assert_eq!(Arrival::of(&desk.deliveries().await), Some(Arrival::Sent));
    assert!(desk.ask(outbox::unreached).await.is_empty());
}

#[tokio::test]
async fn a_lead_that_the_fallback_refuses_too_needs_a_person() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    for destination in ["crm", "fallback"] {
        let leased = desk.lease_one().await;
        assert_eq!(leased.route.destination, destination);
        desk.settle(&leased, refused()).await;
    }
    assert!(desk.lease(10).await.is_empty());
    let unreached = desk.ask(outbox::unreached).await;
    assert_eq!((unreached.len(), unreached[0].leads), (1, 1));
    assert_eq!(unreached[0].lead_id, lead_id);
    assert_eq!(Arrival::of(&desk.deliveries().await), Some(Arrival::Failed));

    let id = desk.dealer.clone();
    let now = desk.store.clock().now();
    let retried = desk
        .change(move |conn| outbox::retry_failed(conn, &id, now))
        .await;
    assert_eq!(retried.unwrap(), 2);
    assert!(desk.ask(outbox::unreached).await.is_empty());

    for leased in desk.lease(10).await {
        desk.settle(&leased, refused()).await;
    }
    assert_eq!(desk.ask(outbox::unreached).await.len(), 1);
    let erased = desk.change(|conn| Ok(conn.execute("DELETE FROM person", &[])?));
    erased.await.unwrap();
    assert!(desk.ask(outbox::unreached).await.is_empty());
}

#[tokio::test]
async fn after_days_the_dealer_gives_up() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    desk.wait(SignedDuration::from_hours(4 * 24 - 1));
    let leased = desk.lease_one().await;
    assert!(matches!(
        desk.settle(&leased, later()).await,
        Settled::Again { .. }
    ));
    desk.wait(SignedDuration::from_hours(1));
    let leased = desk.lease_one().await;
    assert!(matches!(
        desk.settle(&leased, gone()).await,
        Settled::Failed { fallback: Some(_) }
    ));
}

#[tokio::test]
async fn a_receiver_out_of_reach_is_spared_and_tried_by_one_delivery_at_a_time() {
    let desk = Desk::open();
    for number in 0..50 {
        desk.take(person(number)).await;
    }
    let leased = desk.lease(4).await;
    assert_eq!(leased.len(), 4);
    for one in &leased {
        desk.settle(one, gone()).await;
    }
    assert_eq!(desk.route().await.paused_by, Some(PausedBy::Failures));
    assert!(
        desk.lease(50).await.is_empty(),
        "46 others are due and spare it"
    );

    // An hour in which nothing answers.
    let mut probes = 0;
    for _ in 0..3600 / 5 {
        desk.secs(5);
        let leased = desk.lease(50).await;
        assert!(leased.len() <= 1, "one at a time");
        for one in &leased {
            assert!(desk.lease(50).await.is_empty(), "while it is under way");
            desk.settle(one, gone()).await;
            probes += 1;
        }
    }
    assert!((10..=20).contains(&probes), "{probes} probes in an hour");

    // It is back: the first that gets through opens the way for all.
    desk.wait(SignedDuration::from_mins(6));
    let probe = desk.lease(50).await;
    assert_eq!(probe.len(), 1);
    desk.settle(&probe[0], taken()).await;
    let rest = desk.lease(50).await;
    assert_eq!(rest.len(), 49);
    for one in &rest {
        desk.settle(one, taken()).await;
    }
    let route = desk.route().await;
    assert_eq!(
        (route.failures, route.waiting, route.failing_since),
        (0, 0, None)
    );
}

#[tokio::test]
async fn a_probe_whose_worker_died_does_not_close_the_way_for_ever() {
    let desk = Desk::open();
    for number in 0..3 {
        desk.take(person(number)).await;
    }
    for one in desk.lease(3).await {
        desk.settle(&one, gone()).await;
    }
    desk.secs(60);
    assert_eq!(desk.lease(3).await.len(), 1);
    desk.secs(60);
    assert_eq!(desk.lease(3).await.len(), 1);
}

#[tokio::test]
async fn an_answer_of_any_kind_opens_the_way() {
    let desk = Desk::open();
    for number in 0..3 {
        desk.take(person(number)).await;
    }
    for one in desk.lease(3).await {
        desk.settle(&one, gone()).await;
    }
    desk.secs(60);
    let probe = desk.lease_one().await;
    desk.settle(&probe, later()).await;
    assert_eq!(desk.lease(3).await.len(), 2);
}

#[tokio::test]
async fn one_fallback_stands_in_for_two_destinations() {
    let desk = Desk::open();
    let mut two = dealer();
    let north = two.rooftops.get_mut("North").unwrap();
    north
        .destinations
        .insert("archive".to_owned(), Destination::mailbox("a@b.example"));
    let lead_id = desk.take_id(Request::new()).await;
    let now = desk.store.clock().now();
    let second = NewDelivery {
        delivery_id: desk.store.clock().new_id().into(),
        destination: "archive".to_owned(),
        purpose: Purpose::Lead,
    };
    let (id, lead) = (desk.dealer.clone(), lead_id.clone());
    desk.change(move |conn| outbox::enqueue(conn, &id, &lead, &second, now))
        .await
        .unwrap();
    for one in desk.lease(10).await {
        desk.settle(&one, refused()).await;
    }
    let to_fallback = desk.lease_one().await;
    assert_eq!(to_fallback.route.destination, "fallback");
}

#[tokio::test]
async fn a_bounce_marks_the_delivery_and_sends_the_lead_to_the_fallback_once() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    let leased = desk.lease_one().await;
    desk.settle(&leased, taken()).await;
    let bounce = async || {
        let bounce = Bounce {
            detail: "5.2.2 mailbox full".to_owned(),
            fallback_id: desk.store.clock().new_id().into(),
            now: desk.store.clock().now(),
        };
        let (id, delivery_id) = (desk.dealer.clone(), leased.delivery_id.clone());
        desk.change(move |conn| outbox::bounce(conn, &id, &dealer(), &delivery_id, &bounce))
            .await
            .unwrap()
    };
    let fallback = bounce().await.expect("a fallback");
    assert_eq!(bounce().await, None, "the same word again");
    assert_eq!(
        desk.states().await,
        [
            ("crm".to_owned(), DeliveryState::Bounced),
            ("fallback".to_owned(), DeliveryState::Due)
        ]
    );
    let attempt = &desk.attempts(&leased.delivery_id).await[0];
    assert_eq!(attempt.outcome, "bounced");
    assert_eq!(attempt.detail.as_deref(), Some("5.2.2 mailbox full"));
    assert_eq!(desk.lease_one().await.delivery_id, fallback);
    assert_eq!(desk.route().await.refusals, 1);
}

#[tokio::test]
async fn an_erased_person_is_not_sent_and_a_broken_lead_does_not_blame_the_receiver() {
    let desk = Desk::open();
    desk.take(person(1)).await;
    let leased = desk.lease_one().await;
    assert_eq!(desk.settle(&leased, Outcome::Erased).await, Settled::Erased);
    desk.take(person(2)).await;
    let leased = desk.lease_one().await;
    let broken = Outcome::Unsendable {
        detail: "the lead cannot be read".to_owned(),
    };
    assert_eq!(
        desk.settle(&leased, broken).await,
        Settled::Failed { fallback: None }
    );
    let states: Vec<DeliveryState> = desk.states().await.into_iter().map(|it| it.1).collect();
    assert_eq!(states, [DeliveryState::Erased, DeliveryState::Failed]);
    let routes = desk.ask(outbox::routes).await;
    assert!(routes.is_empty(), "{routes:?}");
}
