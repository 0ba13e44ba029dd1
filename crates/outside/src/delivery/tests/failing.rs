//! Receivers that fail.

use testkit::{
    certificate::Certificate,
    mail::{Act, At, Protection},
};

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

/// How often each mail arrived, in the order in which the first came.
fn arrivals(sink: &MailSink) -> Vec<(String, usize)> {
    let mut arrivals: Vec<(String, usize)> = Vec::new();
    for name in sink.mails().iter().map(message_id) {
        match arrivals.iter_mut().find(|(known, _)| *known == name) {
            Some((_, times)) => *times += 1,
            None => arrivals.push((name, 1)),
        }
    }
    arrivals
}

#[tokio::test]
async fn a_server_that_closes_after_the_mail_gets_it_twice_under_one_name() {
    let house = House::open();
    let sink = MailSink::start();
    sink.act_next(At::Content, Act::Close);
    house.take(1).await;
    let worker = house.worker(&sink);
    beside(&worker, async {
        while sink.count() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        house.until("crm", DeliveryState::Due, 1).await;
        while house.deliveries().await[0].detail.is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        house.wait(60);
        house.until("crm", DeliveryState::Sent, 1).await;
    })
    .await;
    let arrivals = arrivals(&sink);
    assert_eq!((arrivals.len(), arrivals[0].1), (1, 2), "{arrivals:?}");
}

#[tokio::test]
async fn a_server_that_hangs_keeps_a_lead_for_no_longer_than_allowed() {
    for place in [At::Banner, At::Recipient, At::Content] {
        let house = House::open();
        let sink = MailSink::start();
        sink.act_next(place, Act::Hang);
        house.take(1).await;
        let settings = Settings {
            look_every: Duration::from_millis(5),
            longest_sending: Duration::from_millis(300),
            ..Settings::default()
        };
        let worker = house.worker_with(server(sink.address().port()), settings);
        beside(&worker, async {
            while house.deliveries().await[0].detail.is_none() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let late = &house.deliveries().await[0];
            assert_eq!(late.state, DeliveryState::Due);
            house.wait(60);
            house.until("crm", DeliveryState::Sent, 1).await;
        })
        .await;
        assert_eq!(arrivals(&sink).len(), 1, "{place:?}");
    }
}

#[tokio::test]
async fn a_server_with_a_certificate_that_nobody_vouches_for_gets_nothing() {
    let house = House::open();
    let certificate = Certificate::new("localhost");
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    std::fs::write(&authority, certificate.pem()).unwrap();
    let sink = MailSink::protected(Protection::Implicit(certificate));
    house.take(1).await;
    let mut server = MailServer::new("localhost", sink.address().port(), MailTls::Implicit);
    let worker = house.worker_by(server.clone());
    beside(&worker, async {
        while house.deliveries().await[0].detail.is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    assert_eq!(house.deliveries().await[0].state, DeliveryState::Due);
    assert_eq!(sink.attempts(), 0);
    worker.release().await;

    server.ca_file = Some(authority);
    let worker = house.worker_by(server);
    house.wait(60);
    beside(&worker, house.until("crm", DeliveryState::Sent, 1)).await;
}

#[tokio::test]
async fn a_lead_that_was_sent_is_not_sent_again_because_the_database_failed() {
    let house = House::open();
    let sink = MailSink::start();
    house.take(1).await;
    // Nothing can be noted about a delivery that is due.
    let (break_it, mend_it) = match house.store.address() {
        store::Address::Sqlite(_) => (
            "CREATE TRIGGER no_room BEFORE UPDATE OF state ON delivery
             BEGIN SELECT RAISE(ABORT, 'no room'); END",
            "DROP TRIGGER no_room",
        ),
        store::Address::Postgres(_) => (
            "ALTER TABLE delivery ADD CONSTRAINT no_room CHECK (state = 'due')",
            "ALTER TABLE delivery DROP CONSTRAINT no_room",
        ),
    };
    let change = async |sql: &'static str| {
        let changed = house.store.write(move |conn| conn.execute(sql, &[]));
        let changed: Result<u64, store::Error> = changed.await;
        changed.unwrap();
    };
    change(break_it).await;
    let worker = house.worker(&sink);
    beside(&worker, async {
        while sink.count() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // However long it lasts: here several leases.
        for _ in 0..20 {
            house.wait(10);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        change(mend_it).await;
        house.until("crm", DeliveryState::Sent, 1).await;
    })
    .await;
    assert_eq!(arrivals(&sink), [(message_id(&sink.mails()[0]), 1)]);
}

#[tokio::test]
async fn leads_wait_while_the_disk_of_the_database_is_full() {
    let house = House::open();
    if !matches!(house.store.address(), store::Address::Sqlite(_)) {
        println!("skipped: only SQLite can be told how long its file may be");
        return;
    }
    let sink = MailSink::start();
    for number in 0..200 {
        house.take(number).await;
    }
    let pages = |limit: &'static str| {
        house
            .store
            .write(move |conn| conn.rows(limit, &[], &mut |_| Ok(())))
    };
    // No page more than there is: attempts and states find no room any more at some point.
    let full: Result<(), store::Error> = pages("PRAGMA max_page_count = 1").await;
    full.unwrap();
    let worker = house.worker(&sink);
    beside(&worker, async {
        for _ in 0..50 {
            house.wait(1);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let room: Result<(), store::Error> = pages("PRAGMA max_page_count = 100000").await;
        room.unwrap();
        house.until("crm", DeliveryState::Sent, 200).await;
    })
    .await;
    let arrivals = arrivals(&sink);
    assert_eq!(arrivals.len(), 200);
    assert!(
        arrivals.iter().all(|(_, times)| *times <= 2),
        "{arrivals:?}"
    );
}

#[tokio::test]
async fn a_long_sending_stays_one_workers_own() {
    let lists = [leads::MIGRATIONS, crate::MIGRATIONS];
    let house = House::over(Store::temporary(&lists, Clock::system()).unwrap());
    let sink = MailSink::start();
    sink.act_next(At::Recipient, Act::Hang);
    house.take(1).await;
    let settings = Settings {
        look_every: Duration::from_millis(5),
        lease: Duration::from_secs(2),
        longest_sending: Duration::from_secs(5),
        ..Settings::default()
    };
    let port = sink.address().port();
    let (one, other) = (
        house.worker_with(server(port), settings),
        house.worker_with(server(port), settings),
    );
    beside(
        &one,
        beside(&other, async {
            while house.deliveries().await[0].detail.is_none() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }),
    )
    .await;
    assert_eq!(house.attempts().await, 1, "the other left it alone");
}
