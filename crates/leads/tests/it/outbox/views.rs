//! What people see of deliveries.

use super::*;

#[tokio::test]
async fn deliveries_are_found_by_what_they_are() {
    let desk = Desk::open();
    let sent = desk.take_id(person(1)).await;
    let leased = desk.lease_one().await;
    desk.settle(&leased, taken()).await;
    desk.secs(60);
    let due = desk.take_id(person(2)).await;
    let count = async |filter: DeliveryFilter| {
        let dealer = desk.dealer.clone();
        let found = desk
            .ask(move |conn| outbox::list(conn, &dealer, &filter))
            .await;
        found.into_iter().map(|it| it.lead_id).collect::<Vec<_>>()
    };
    let all = || DeliveryFilter {
        limit: 10,
        ..DeliveryFilter::default()
    };
    assert_eq!(count(all()).await, [due.clone(), sent.clone()]);
    let mut filter = all();
    filter.state = Some(DeliveryState::Sent);
    assert_eq!(count(filter).await, std::slice::from_ref(&sent));
    let mut filter = all();
    filter.lead_id = Some(due.clone());
    assert_eq!(count(filter).await, std::slice::from_ref(&due));
    let mut filter = all();
    filter.destination = Some("fax".to_owned());
    assert_eq!(count(filter).await, []);
    let mut filter = all();
    filter.since = Some(desk.store.clock().now());
    assert_eq!(count(filter).await, std::slice::from_ref(&due));
    let mut filter = all();
    filter.limit = 1;
    assert_eq!(count(filter).await, [due]);
}

#[tokio::test]
async fn a_way_tells_what_waits_and_since_when() {
    let desk = Desk::open();
    let began = desk.store.clock().now();
    for number in 0..3 {
        desk.take(person(number)).await;
        desk.secs(10);
    }
    let route = desk.route().await;
    assert_eq!((route.waiting, route.oldest), (3, Some(began)));
    assert!(!route.is_paused(began));
}
