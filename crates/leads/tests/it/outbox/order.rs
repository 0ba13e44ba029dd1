//! Which delivery goes first.

use super::*;

#[tokio::test]
async fn leads_go_in_the_order_in_which_they_came() {
    let desk = Desk::open();
    let mut came = Vec::new();
    for number in 0..5 {
        came.push(desk.take_id(person(number)).await);
        desk.secs(1);
    }
    let went: Vec<LeadId> = desk
        .lease(10)
        .await
        .into_iter()
        .map(|it| it.lead_id)
        .collect();
    assert_eq!(went, came);
}

#[tokio::test]
async fn what_follows_on_a_lead_waits_until_the_lead_itself_is_through() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let mut ids = Vec::new();
    for purpose in [Purpose::Resend, Purpose::Revocation] {
        let delivery = NewDelivery {
            delivery_id: desk.store.clock().new_id().into(),
            destination: "crm".to_owned(),
            purpose,
        };
        ids.push(delivery.delivery_id.clone());
        let (id, lead_id) = (desk.dealer.clone(), lead_id.clone());
        let now = desk.store.clock().now();
        desk.change(move |conn| outbox::enqueue(conn, &id, &lead_id, &delivery, now))
            .await
            .unwrap();
    }
    let first = desk.lease_one().await;
    assert_eq!(first.purpose, Purpose::Lead);
    desk.settle(&first, later()).await;
    desk.secs(10);
    assert!(desk.lease(10).await.is_empty(), "the first is put off");
    desk.secs(20);
    let first = desk.lease_one().await;
    desk.settle(&first, refused()).await;
    // The fallback is another way; the resend does not wait for it.
    let mut next = desk.lease(10).await;
    next.retain(|it| it.route.destination == "crm");
    assert_eq!(next.len(), 1);
    assert_eq!(next[0].delivery_id, ids[0]);
    desk.settle(&next[0], taken()).await;
    assert_eq!(desk.lease_one().await.delivery_id, ids[1]);
}

#[tokio::test]
async fn the_copy_for_people_does_not_wait_for_the_crm() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let copy = NewDelivery {
        delivery_id: desk.store.clock().new_id().into(),
        destination: "crm".to_owned(),
        purpose: Purpose::Copy,
    };
    let (id, now) = (desk.dealer.clone(), desk.store.clock().now());
    desk.change(move |conn| outbox::enqueue(conn, &id, &lead_id, &copy, now))
        .await
        .unwrap();
    let both = desk.lease(10).await;
    let routes: Vec<String> = both.iter().map(|it| it.route.to_string()).collect();
    assert_eq!(routes, ["North/crm", "North/crm (copy)"]);
    for one in &both {
        let outcome = if one.route.is_copy {
            refused()
        } else {
            taken()
        };
        desk.settle(one, outcome).await;
    }
    assert_eq!(desk.route().await.refusals, 0, "the CRM took its own");
    assert!(desk.lease(10).await.is_empty(), "a copy has no fallback");
}

#[tokio::test]
async fn a_way_with_a_thousand_leads_leaves_room_for_the_others() {
    let desk = Desk::open();
    for number in 0..30 {
        desk.take(person(number)).await;
    }
    let lead_id = desk.take_id(person(99)).await;
    let other = NewDelivery {
        delivery_id: desk.store.clock().new_id().into(),
        destination: "webhook".to_owned(),
        purpose: Purpose::Lead,
    };
    let (id, now) = (desk.dealer.clone(), desk.store.clock().now());
    desk.change(move |conn| outbox::enqueue(conn, &id, &lead_id, &other, now))
        .await
        .unwrap();
    let mut search = desk.search(8);
    search.per_route = 4;
    let found = desk.find(search.clone()).await;
    let leased = desk.take_found(found).await;
    let to = |name| {
        leased
            .iter()
            .filter(|it| it.route.destination == name)
            .count()
    };
    assert_eq!((to("crm"), to("webhook")), (4, 1));

    search.busy = leased.iter().fold(HashMap::new(), |mut busy, one| {
        *busy.entry(one.route.clone()).or_default() += 1;
        busy
    });
    assert!(desk.find(search).await.is_empty(), "no room is left");
}

#[tokio::test]
async fn searches_go_round() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    for destination in ["archive", "webhook"] {
        let delivery = NewDelivery {
            delivery_id: desk.store.clock().new_id().into(),
            destination: destination.to_owned(),
            purpose: Purpose::Lead,
        };
        let (id, lead_id, now) = (
            desk.dealer.clone(),
            lead_id.clone(),
            desk.store.clock().now(),
        );
        desk.change(move |conn| outbox::enqueue(conn, &id, &lead_id, &delivery, now))
            .await
            .unwrap();
    }
    let mut search = desk.search(1);
    let mut seen = Vec::new();
    for _ in 0..4 {
        let one = search.clone();
        let (found, after) = desk.ask(move |conn| outbox::candidates(conn, &one)).await;
        seen.push(found[0].route().destination.clone());
        search.after = after;
    }
    assert_eq!(seen, ["archive", "crm", "webhook", "archive"]);
}
