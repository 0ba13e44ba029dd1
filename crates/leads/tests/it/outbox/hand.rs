//! What people do to deliveries.

use super::*;

impl Desk {
    async fn retry(&self, delivery_id: &DeliveryId) -> Result<(), Error> {
        let (id, delivery_id) = (self.dealer.clone(), delivery_id.clone());
        let now = self.store.clock().now();
        self.change(move |conn| outbox::retry(conn, &id, &delivery_id, now))
            .await
    }

    async fn resend(
        &self,
        lead_id: &LeadId,
        destination: Option<&'static str>,
    ) -> Result<Vec<String>, Error> {
        let (id, lead_id, clock) = (
            self.dealer.clone(),
            lead_id.clone(),
            self.store.clock().clone(),
        );
        let added = self
            .change(move |conn| {
                let (new_id, now) = (|| clock.new_id().into(), clock.now());
                outbox::resend(conn, &id, &dealer(), &lead_id, destination, &new_id, now)
            })
            .await?;
        Ok(added.into_iter().map(|it| it.destination).collect())
    }

    async fn expand(&self, dealer: Dealer) -> u64 {
        let (id, clock) = (self.dealer.clone(), self.store.clock().clone());
        self.change(move |conn| {
            let (new_id, now) = (|| clock.new_id().into(), clock.now());
            outbox::expand(conn, &id, &dealer, 100, &new_id, now)
        })
        .await
        .expect("is done")
    }

    async fn pause(&self, hours: Option<i64>) {
        let (id, now) = (self.dealer.clone(), self.store.clock().now());
        let until = hours.map(|hours| now + SignedDuration::from_hours(hours));
        self.change(move |conn| outbox::pause(conn, &id, "North", "crm", until))
            .await
            .expect("is done");
    }
}

#[tokio::test]
async fn a_paused_destination_gets_nothing_until_its_time_or_a_person_comes() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    desk.pause(Some(2)).await;
    assert!(desk.lease(10).await.is_empty());
    desk.wait(SignedDuration::from_hours(2));
    let leased = desk.lease_one().await;
    desk.pause(None).await;
    assert_eq!(
        desk.settle(&leased, later()).await,
        Settled::Again {
            due_at: desk.store.clock().now() + SignedDuration::from_secs(30)
        }
    );
    desk.wait(SignedDuration::from_hours(24 * 300));
    assert!(desk.lease(10).await.is_empty(), "paused for good");
    let (id, now) = (desk.dealer.clone(), desk.store.clock().now());
    let waiting = desk.change(move |conn| outbox::resume(conn, &id, "North", "crm", now));
    assert_eq!(waiting.await.unwrap(), 1);
    let leased = desk.lease_one().await;
    assert!(
        matches!(desk.settle(&leased, later()).await, Settled::Again { .. }),
        "the pause does not use up the dealer's patience"
    );
}

#[tokio::test]
async fn what_the_receiver_says_does_not_end_a_persons_pause() {
    for outcome in [taken(), gone(), refused()] {
        let desk = Desk::open();
        desk.take(person(1)).await;
        let leased = desk.lease_one().await;
        desk.pause(None).await;
        desk.settle(&leased, outcome).await;
        desk.take(person(2)).await;
        desk.secs(3600);
        let mut found = desk.lease(10).await;
        found.retain(|it| it.route.destination == "crm");
        assert!(found.is_empty());
    }
}

#[tokio::test]
async fn what_failed_is_tried_again_with_new_patience() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    desk.wait(SignedDuration::from_hours(24 * 5));
    let leased = desk.lease_one().await;
    desk.settle(&leased, later()).await;
    desk.secs(60);
    desk.retry(&leased.delivery_id).await.unwrap();
    let mut again = desk.lease(10).await;
    again.retain(|it| it.delivery_id == leased.delivery_id);
    assert_eq!(again[0].attempt, 2);
    assert_eq!(
        desk.settle(&again[0], later()).await,
        Settled::Again {
            due_at: desk.store.clock().now() + SignedDuration::from_secs(30)
        },
        "neither given up nor at the longest wait"
    );
}

#[tokio::test]
async fn what_arrived_is_not_tried_again() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    let leased = desk.lease_one().await;
    desk.settle(&leased, taken()).await;
    let refused = desk.retry(&leased.delivery_id).await.unwrap_err();
    assert!(refused.to_string().contains("leads resend"), "{refused}");
    let unknown: DeliveryId = desk.store.clock().new_id().into();
    assert!(matches!(
        desk.retry(&unknown).await,
        Err(Error::UnknownDelivery(_))
    ));
}

#[tokio::test]
async fn a_lead_is_sent_once_more_where_a_person_wants() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let first = desk.lease_one().await;
    desk.settle(&first, taken()).await;
    assert_eq!(desk.resend(&lead_id, None).await.unwrap(), ["crm"]);
    let leased = desk.lease_one().await;
    assert_eq!(leased.purpose, Purpose::Resend);
    assert_ne!(leased.delivery_id, first.delivery_id);
    desk.settle(&leased, taken()).await;
    assert_eq!(
        desk.resend(&lead_id, Some("fallback")).await.unwrap(),
        ["fallback"]
    );
    let refused = desk.resend(&lead_id, Some("fax")).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "rooftop \"North\" has no destination \"fax\"; it has crm, fallback"
    );
    let unknown: LeadId = desk.store.clock().new_id().into();
    assert!(matches!(
        desk.resend(&unknown, None).await,
        Err(Error::UnknownLead(_))
    ));
}

#[tokio::test]
async fn the_fallback_of_a_resend_is_one_too() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let first = desk.lease_one().await;
    desk.settle(&first, taken()).await;
    desk.resend(&lead_id, None).await.unwrap();
    let leased = desk.lease_one().await;
    desk.settle(&leased, refused()).await;
    let fallback = desk.lease_one().await;
    assert_eq!(
        (fallback.purpose, fallback.occasion),
        (Purpose::Fallback, Purpose::Resend)
    );
}

#[tokio::test]
async fn leads_without_a_destination_wait_for_the_first() {
    let mut desk = Desk::open();
    desk.destination.clear();
    desk.take(Request::new()).await;
    assert!(desk.lease(10).await.is_empty());
    assert_eq!(
        Arrival::of(&desk.deliveries().await),
        Some(Arrival::Accepted)
    );
    let mut bare = dealer();
    bare.rooftops["North"].crm = None;
    assert_eq!(desk.expand(bare).await, 0);
    let mut copied = dealer();
    let mut archive = Destination::mailbox("archive@demo-motors.example");
    archive.copy_to = Some("desk@demo-motors.example".to_owned());
    copied.rooftops["North"]
        .destinations
        .insert("archive".to_owned(), archive);
    assert_eq!(desk.expand(copied.clone()).await, 1);
    assert_eq!(desk.expand(copied).await, 0);
    let leased = desk.lease(10).await;
    let mut routes: Vec<String> = leased.iter().map(|it| it.route.to_string()).collect();
    routes.sort();
    assert_eq!(
        routes,
        ["North/archive", "North/archive (copy)", "North/crm"]
    );
    let superseded = &desk.deliveries().await[0];
    assert_eq!(superseded.state, DeliveryState::Superseded);
}

#[tokio::test]
async fn a_made_up_lead_that_is_refused_is_no_refused_lead() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    desk.change(|conn| Ok(conn.execute("UPDATE delivery SET purpose = 'test'", &[])?))
        .await
        .expect("is done");
    let leased = desk.lease_one().await;
    assert_eq!(
        desk.settle(&leased, refused()).await,
        Settled::Failed { fallback: None }
    );
    assert!(desk.ask(outbox::routes).await.is_empty());
    let (id, now) = (desk.dealer.clone(), desk.store.clock().now());
    let retried = desk.change(move |conn| outbox::retry_failed(conn, &id, now));
    assert_eq!(retried.await.unwrap(), 0);
    desk.retry(&leased.delivery_id)
        .await
        .expect("by its name it is");
}

#[tokio::test]
async fn a_receiver_that_asks_for_time_gets_it_after_a_pause_that_is_over() {
    let desk = Desk::open();
    desk.pause(Some(1)).await;
    desk.wait(SignedDuration::from_hours(1));
    desk.take(person(1)).await;
    let leased = desk.lease_one().await;
    let busy = Outcome::Unreachable {
        detail: "HTTP status 429".to_owned(),
        retry_after: Some(SignedDuration::from_mins(10)),
    };
    desk.settle(&leased, busy).await;
    desk.take(person(2)).await;
    desk.secs(300);
    assert!(desk.lease(10).await.is_empty(), "it asked for ten minutes");
    desk.secs(300);
    assert_eq!(desk.lease(10).await.len(), 2);
}

#[tokio::test]
async fn a_pause_shows_no_way_of_copies_that_nobody_gets() {
    let desk = Desk::open();
    desk.pause(None).await;
    let routes = desk.ask(outbox::routes).await;
    let routes: Vec<String> = routes.iter().map(|it| it.route.to_string()).collect();
    assert_eq!(routes, ["North/crm"]);
}
