//! What people are told.

use super::*;
use crate::alarm;

impl House {
    async fn alarms(&self) -> Vec<(String, String)> {
        let dealers = [(id(), Arc::clone(&self.dealer))].into();
        alarms::look(&self.store, &dealers).await.unwrap();
        let open = self.store.read(alarm::open).await.unwrap();
        open.into_iter()
            .map(|alarm| (alarm.cause.to_string(), alarm.message))
            .collect()
    }
}

#[tokio::test]
async fn a_refusal_is_an_alarm_until_the_destination_takes_a_lead() {
    let house = House::open();
    let sink = MailSink::start();
    sink.answer_next("550 5.1.1 no such user");
    house.take(1).await;
    let worker = house.worker(&sink);
    beside(&worker, house.until("fallback", DeliveryState::Sent, 1)).await;
    let alarms = house.alarms().await;
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert_eq!(alarms[0].0, "destination failing: North/crm (group)");
    assert!(alarms[0].1.contains("550 5.1.1"), "{alarms:?}");
    assert!(!alarms[0].1.contains("no such user"), "{alarms:?}");
    house.take(2).await;
    beside(&worker, house.until("crm", DeliveryState::Sent, 1)).await;
    assert_eq!(house.alarms().await, []);
}

#[tokio::test]
async fn a_lead_that_is_under_way_for_too_long_is_an_alarm() {
    let house = House::open();
    house.take(1).await;
    house.wait(14 * 60);
    assert_eq!(house.alarms().await, []);
    house.wait(60);
    let alarms = house.alarms().await;
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert_eq!(alarms[0].0, "leads undelivered: North/crm (group)");
    assert!(alarms[0].1.contains("more than 15 minutes"), "{alarms:?}");
    let worker = house.worker(&MailSink::start());
    beside(&worker, house.until("crm", DeliveryState::Sent, 1)).await;
    assert_eq!(house.alarms().await, []);
}

#[tokio::test]
async fn a_lead_that_nobody_took_is_an_alarm_until_a_person_helps() {
    let house = House::open();
    let sink = MailSink::start();
    for _ in 0..2 {
        sink.answer_next("550 5.1.1 no such user");
    }
    let lead_id = house.take(1).await;
    let worker = house.worker(&sink);
    beside(&worker, house.until("fallback", DeliveryState::Failed, 1)).await;
    let alarms = house.alarms().await;
    let titles: Vec<&str> = alarms.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(
        titles,
        [
            "destination failing: North/crm (group)",
            "destination failing: North/fallback (group)",
            "leads undelivered: North (group)"
        ]
    );
    assert!(alarms[0].1.contains("the fallback gets them"), "{alarms:?}");
    assert!(alarms[1].1.contains("there is no other way"), "{alarms:?}");
    assert!(alarms[2].1.contains(lead_id.as_str()), "{alarms:?}");
    let now = house.store.clock().now();
    let retried = house
        .store
        .write(move |conn| outbox::retry_failed(conn, &id(), now));
    assert_eq!(retried.await.unwrap(), 2);
    beside(&worker, house.until("crm", DeliveryState::Sent, 1)).await;
    beside(&worker, house.until("fallback", DeliveryState::Sent, 1)).await;
    assert_eq!(house.alarms().await, []);
}

#[tokio::test]
async fn a_server_out_of_reach_is_an_alarm_and_names_the_trouble() {
    let house = House::open();
    for number in 0..4 {
        house.take(number).await;
    }
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let worker = house.worker_by(server(port));
    beside(&worker, async {
        while house.attempts().await < 3 || house.alarms().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let alarms = house.alarms().await;
    assert_eq!(alarms[0].0, "destination failing: North/crm (group)");
    assert!(alarms[0].1.contains("out of reach"), "{alarms:?}");
}

#[tokio::test]
async fn the_ways_of_a_destination_that_is_gone_raise_nothing() {
    let house = House::open();
    house.take(1).await;
    let renamed = house.store.write(|conn| {
        conn.execute("UPDATE delivery SET destination = 'old-crm'", &[])?;
        Ok::<_, store::Error>(())
    });
    renamed.await.unwrap();
    let worker = house.worker(&MailSink::start());
    beside(&worker, house.until("fallback", DeliveryState::Sent, 1)).await;
    assert_eq!(house.alarms().await, []);
    let ways = house.store.read(outbox::routes).await.unwrap();
    let names: Vec<String> = ways.iter().map(|it| it.route.to_string()).collect();
    assert_eq!(names, ["North/fallback"], "nobody refused anything");
}

#[tokio::test]
async fn an_alarm_about_leads_that_wait_says_what_to_do() {
    let house = House::open();
    house.take(1).await;
    house.wait(20 * 60);
    let paused = house
        .store
        .write(|conn| outbox::pause(conn, &id(), "North", "crm", None));
    paused.await.unwrap();
    let alarms = house.alarms().await;
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert!(alarms[0].1.contains("deliveries resume"), "{alarms:?}");
    let bare = house.store.write(|conn| {
        conn.execute("UPDATE delivery SET destination = ''", &[])?;
        Ok::<_, store::Error>(())
    });
    bare.await.unwrap();
    let alarms = house.alarms().await;
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    let whose = "rooftop \"North\" has no destination";
    assert!(alarms[0].1.contains(whose), "{alarms:?}");
    let without = house.store.write(|conn| {
        conn.execute("UPDATE delivery SET rooftop = ''", &[])?;
        Ok::<_, store::Error>(())
    });
    without.await.unwrap();
    let alarms = house.alarms().await;
    let whose = "the default rooftop has no destination";
    assert!(alarms[0].1.contains(whose), "{alarms:?}");
}
