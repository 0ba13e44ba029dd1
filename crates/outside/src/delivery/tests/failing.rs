//! Receivers that fail.

use super::*;

#[tokio::test]
async fn a_server_that_is_down_for_an_hour_loses_nothing_and_is_not_hammered() {
    const LEADS: usize = 40;
    let house = House::open();
    for number in 0..LEADS {
        house.take(number).await;
    }
    // A port at which nobody listens any more.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let worker = house.worker_by(server(port));
    beside(&worker, async {
        for _ in 0..120 {
            house.wait(30);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    worker.release().await;
    let attempts = house.attempts().await;
    assert!(
        (4..=60).contains(&attempts),
        "{attempts} attempts in an hour at a server that refuses connections"
    );
    let states = house.states().await;
    assert_eq!(states, [(("crm".to_owned(), "due"), LEADS)].into());

    let sink = MailSink::start();
    let worker = house.worker(&sink);
    house.wait(600);
    beside(&worker, house.until("crm", DeliveryState::Sent, LEADS)).await;
    let mut names: Vec<String> = sink.mails().iter().map(message_id).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), LEADS);
}

#[tokio::test]
async fn a_mail_that_is_put_off_goes_later_and_the_others_at_once() {
    let house = House::open();
    let sink = MailSink::start();
    sink.answer_next("451 4.7.1 try again later");
    house.take(1).await;
    house.wait(1);
    house.take(2).await;
    let worker = house.worker(&sink);
    beside(&worker, async {
        house.until("crm", DeliveryState::Sent, 1).await;
        assert_eq!(sink.mails().len(), 1);
        house.wait(60);
        house.until("crm", DeliveryState::Sent, 2).await;
    })
    .await;
    assert_eq!(house.attempts().await, 3);
}

#[tokio::test]
async fn a_mailbox_that_is_gone_sends_the_lead_to_the_fallback() {
    let house = House::open();
    let sink = MailSink::start();
    sink.answer_next("550 5.1.1 no such user");
    let lead_id = house.take(1).await;
    let worker = house.worker(&sink);
    beside(&worker, house.until("fallback", DeliveryState::Sent, 1)).await;
    let mails = sink.wait_for(1);
    assert_eq!(mails[0].to, ["manager@group.example"]);
    assert!(mails[0].text.contains(lead_id.as_str()));
    let failed = &house.deliveries().await[0];
    assert_eq!(failed.state, DeliveryState::Failed);
    let detail = failed.detail.as_deref().unwrap();
    assert!(detail.contains("550 5.1.1 no such user"), "{detail}");
}

#[tokio::test]
async fn an_erased_person_is_not_sent() {
    let house = House::open();
    let sink = MailSink::start();
    house.take(1).await;
    let erased = house.store.write(|conn| {
        conn.execute("DELETE FROM person", &[])?;
        Ok::<_, store::Error>(())
    });
    erased.await.unwrap();
    let worker = house.worker(&sink);
    beside(&worker, house.until("crm", DeliveryState::Erased, 1)).await;
    assert!(sink.mails().is_empty());
}

#[tokio::test]
async fn a_destination_that_is_configured_no_longer_passes_its_leads_to_the_fallback() {
    let house = House::open();
    let sink = MailSink::start();
    house.take(1).await;
    let renamed = house.store.write(|conn| {
        conn.execute("UPDATE delivery SET destination = 'old-crm'", &[])?;
        Ok::<_, store::Error>(())
    });
    renamed.await.unwrap();
    let worker = house.worker(&sink);
    beside(&worker, house.until("fallback", DeliveryState::Sent, 1)).await;
    assert_eq!(house.deliveries().await[0].state, DeliveryState::Failed);
}

#[tokio::test]
async fn a_lead_that_cannot_be_decrypted_waits_for_its_key() {
    let house = House::open();
    let sink = MailSink::start();
    house.take(1).await;
    let sealed = house.store.write(|conn| {
        conn.execute("UPDATE person SET first_name = '{v1}lost.AAAA'", &[])?;
        Ok::<_, store::Error>(())
    });
    sealed.await.unwrap();
    let worker = house.worker(&sink);
    beside(&worker, async {
        while house.attempts().await == 0 || house.deliveries().await[0].detail.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let delivery = &house.deliveries().await[0];
    assert_eq!(delivery.state, DeliveryState::Due);
    let detail = delivery.detail.as_deref().unwrap();
    assert!(detail.contains("former_key_files"), "{detail}");
}
