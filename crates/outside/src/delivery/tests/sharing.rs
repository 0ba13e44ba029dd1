//! Several workers, and workers that stop.

use std::collections::BTreeSet;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_on_one_database_send_each_lead_once() {
    const LEADS: usize = 100;
    let house = House::open();
    let sink = MailSink::start();
    for number in 0..LEADS {
        house.take(number).await;
    }
    let (one, other) = (house.worker(&sink), house.worker(&sink));
    beside(
        &one,
        beside(&other, house.until("crm", DeliveryState::Sent, LEADS)),
    )
    .await;
    let mails = sink.mails();
    assert_eq!(mails.len(), LEADS);
    let names: BTreeSet<String> = mails.iter().map(message_id).collect();
    assert_eq!(names.len(), LEADS);
    assert_eq!(house.attempts().await, 100);
}

#[tokio::test]
async fn what_follows_on_a_lead_arrives_after_it() {
    let house = House::open();
    let sink = MailSink::start();
    for number in 0..20 {
        let lead_id = house.take(number).await;
        let clock = house.store.clock().clone();
        let dealer = Arc::clone(&house.dealer);
        let resent = house.store.write(move |conn| {
            let (new_id, now) = (|| clock.new_id().into(), clock.now());
            outbox::resend(conn, &id(), &dealer, &lead_id, Some("crm"), &new_id, now)
        });
        resent.await.unwrap();
    }
    let worker = house.worker(&sink);
    beside(&worker, house.until("crm", DeliveryState::Sent, 40)).await;
    let mut seen = BTreeSet::new();
    for mail in sink.mails() {
        let lead = mail
            .text
            .lines()
            .find(|it| it.starts_with("X-Forecourt-Lead:"))
            .unwrap()
            .to_owned();
        let is_first = seen.insert(lead);
        let is_resend = mail.text.contains("status=\"resend\"");
        assert_eq!(is_resend, !is_first, "{}", mail.text);
    }
}

#[tokio::test]
async fn a_worker_that_stops_finishes_what_it_sends() {
    let house = House::open();
    let sink = MailSink::start();
    for number in 0..50 {
        house.take(number).await;
    }
    let worker = house.worker(&sink);
    beside(&worker, async {
        while sink.mails().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    worker.release().await;
    let sent = sink.mails().len();
    let deliveries = house.deliveries().await;
    let marked = deliveries
        .iter()
        .filter(|it| it.state == DeliveryState::Sent);
    assert_eq!(marked.count(), sent, "what the receiver took is marked");
    // Nobody has to wait for a lease to end.
    let other = house.worker(&sink);
    beside(&other, house.until("crm", DeliveryState::Sent, 50)).await;
    assert_eq!(sink.mails().len(), 50);
}

#[tokio::test]
async fn a_search_that_is_begun_again_takes_up_what_the_one_before_left() {
    let house = House::open();
    let sink = MailSink::start();
    for number in 0..30 {
        house.take(number).await;
    }
    let worker = house.worker(&sink);
    // As when a configuration is read again and cannot be used.
    for _ in 0..20 {
        beside(&worker, tokio::time::sleep(Duration::from_millis(3))).await;
    }
    beside(&worker, house.until("crm", DeliveryState::Sent, 30)).await;
    assert_eq!(sink.mails().len(), 30);
}
