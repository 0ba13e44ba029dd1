//! What people say beside the feeds: withdrawals, ownership, price statements; and what is
//! forgotten.

use dealers::Period;
use inventory::stock::{HandOutcome, HistoryEvent, RunState};

use crate::lot::{ACCORD, CAMRY, CIVIC, Lot, accord, camry, civic, csv};

#[tokio::test]
async fn a_withdrawal_outlives_the_feeds_until_it_is_undone() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000), camry(26_000)]))
        .await;
    lot.next_day();
    assert_eq!(
        lot.by_hand(true, "2hgfc2f59kh000001", None).await,
        HandOutcome::Done(1)
    );
    assert_eq!(lot.asked_for("C1").await, "gone");
    assert_eq!(lot.by_hand(true, CIVIC, None).await, HandOutcome::AlreadySo);
    lot.next_day();
    let outcome = lot
        .arrives("all", &csv(&[civic(19_000), camry(26_000)]))
        .await;
    assert_eq!(outcome.state, RunState::Applied);
    assert_eq!((outcome.published, outcome.changed), (1, 0));
    assert_eq!(outcome.withheld.len(), 1);
    assert_eq!(outcome.withheld[0].vin.as_deref(), Some(CIVIC));
    assert_eq!(outcome.withheld[0].reason.as_deref(), Some("recall"));
    assert_eq!(lot.published().await, ["T3@North $26000 03"]);
    assert_eq!(lot.gone().await, ["C1 05-02"]);

    lot.next_day();
    assert_eq!(lot.by_hand(false, CIVIC, None).await, HandOutcome::Done(1));
    assert_eq!(
        lot.published().await,
        ["C1@North $19000 03", "T3@North $26000 03"],
        "at the price that the feed has by now"
    );
    assert_eq!(
        lot.history(CIVIC).await,
        [
            "01 North published available $20000",
            "02 North withdrawn available $20000",
            "04 North published available $19000",
        ]
    );
    let life = lot.life(CIVIC).await;
    assert_eq!(life[1].by.as_deref(), Some("pat"));
    assert_eq!(life[1].reason.as_deref(), Some("recall"));
    assert_eq!(
        lot.by_hand(false, CIVIC, None).await,
        HandOutcome::AlreadySo
    );
    assert_eq!(
        lot.by_hand(true, "1HGCM82633A009999", None).await,
        HandOutcome::Unknown
    );
}

#[tokio::test]
async fn a_unit_can_be_withdrawn_at_one_rooftop() {
    let lot = Lot::new();
    let at_south = format!("{CIVIC},S77,2019,Honda,Civic,used,18500,,South");
    lot.arrives("all", &csv(&[civic(20_000), at_south])).await;
    lot.by_hand(true, CIVIC, Some("North")).await;
    assert_eq!(lot.published().await, ["S77@South $18500 01"]);
    lot.by_hand(true, CIVIC, None).await;
    assert_eq!(lot.published().await, [""; 0]);
    lot.by_hand(false, CIVIC, Some("North")).await;
    assert_eq!(lot.published().await, [""; 0], "withdrawn everywhere still");
    lot.by_hand(false, CIVIC, None).await;
    assert_eq!(lot.published().await, ["C1@North+South $20000 01"]);
}

#[tokio::test]
async fn a_unit_without_a_vin_is_withdrawn_by_its_stock_number() {
    let lot = Lot::new();
    let trailer = ",T-1,2022,Acme,Hauler,used,4000,,North".to_owned();
    lot.arrives("all", &csv(&[trailer])).await;
    lot.by_hand(true, "t-1", None).await;
    assert_eq!(lot.asked_for("T-1").await, "gone");
}

#[tokio::test]
async fn the_owners_price_is_published_and_differences_are_kept_with_the_run() {
    let mut lot = Lot::new();
    lot.dealer.ownership = vec!["South".to_owned()];
    lot.arrives("north", &csv(&[civic(20_000)])).await;
    let at_south = format!("{CIVIC},S77,2019,Honda,Civic,used,18500,,South");
    let outcome = lot.arrives("south", &csv(&[at_south])).await;
    assert_eq!(lot.published().await, ["S77@North+South $18500 01"]);
    let offers = &outcome.price_differences[0].offers;
    assert_eq!(
        (offers[0].rooftop.as_str(), offers[1].rooftop.as_str()),
        ("South", "North")
    );
    let (id, run) = (lot.id.clone(), outcome.run);
    let read = move |conn: &mut dyn store::Conn| inventory::stock::report(conn, &id, run);
    let report = lot.store.read(read).await.unwrap().unwrap();
    assert_eq!(report["price_differences"][0]["vin"], CIVIC);
    assert_eq!(report["price_differences"][0]["offers"][1]["price"], 20_000);
    assert_eq!(report["layout"], "aliases");
    assert_eq!(report["vehicles"], serde_json::Value::Null);
}

#[tokio::test]
async fn every_price_rests_on_the_statement_of_its_day() {
    let mut lot = Lot::new();
    lot.feed("all", |feed| {
        feed.rooftops = vec!["North".to_owned()];
        feed.price.read_by = Some("deploy".to_owned());
    });
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    lot.next_day();
    // Another user runs the program: nothing new is stated.
    lot.feed("all", |feed| feed.price.read_by = Some("root".to_owned()));
    lot.arrives("all", &csv(&[civic(19_000)])).await;
    lot.next_day();
    lot.feed("all", |feed| {
        feed.price.advertised = false;
        feed.price.fees = Some(vec![aap::vehicle::DealerFee {
            name: "Documentation fee".to_owned(),
            amount: 85,
        }]);
        feed.price.column = Some("Price".to_owned());
        feed.price.stated_by = Some("R. Manager".to_owned());
    });
    let outcome = lot.arrives("all", &csv(&[civic(19_000)])).await;
    assert_eq!(outcome.changed, 1, "the same bytes at another price");

    let life = lot.life(CIVIC).await;
    let stated: Vec<String> = life
        .iter()
        .map(|entry| {
            let statement = entry.statement.as_ref().unwrap();
            assert_eq!(entry.price_column.as_deref(), Some("Price"));
            assert_eq!(statement.rooftop, "North");
            let day = &statement.stated_at.to_string()[8..10];
            let (price, by) = (entry.price.unwrap(), &statement.stated_by);
            format!("${price} advertised {} by {by} {day}", statement.advertised)
        })
        .collect();
    assert_eq!(
        stated,
        [
            "$20000 advertised true by configuration, read by deploy 01",
            "$19000 advertised true by configuration, read by deploy 01",
            "$19085 advertised false by R. Manager 03",
        ]
    );
}

#[tokio::test]
async fn a_unit_that_nobody_saw_is_hidden_by_time_alone_and_comes_back_when_seen() {
    let mut lot = Lot::new();
    lot.feed("all", |feed| feed.max_age = Some(Period::days(3)));
    lot.arrives("all", &csv(&[civic(20_000), camry(26_000)]))
        .await;
    lot.arrives("south", &csv(&[accord(24_000)])).await;
    let hides_at = lot.load().await.hides_at.unwrap();
    assert_eq!(hides_at.to_string(), "2026-05-04T06:00:00Z");
    lot.hours_pass(72);
    assert_eq!(
        lot.published().await,
        ["A2@South $24000 01"],
        "its feed has no max_age"
    );
    assert_eq!(lot.asked_for("C1").await, "gone");
    assert_eq!(lot.load().await.hides_at, None);
    assert_eq!(
        lot.history(CIVIC).await.last().unwrap(),
        "04 North hidden available $20000"
    );
    lot.next_day();
    let outcome = lot.arrives("all", &csv(&[civic(20_000)])).await;
    assert_eq!((outcome.added, outcome.withdrawn), (1, 1));
    assert_eq!(
        lot.history(CIVIC).await,
        [
            "01 North published available $20000",
            "04 North hidden available $20000",
            "05 North published available $20000",
        ]
    );
    assert_eq!(
        lot.history(CAMRY).await,
        [
            "01 North published available $26000",
            "04 North hidden available $26000",
            "05 North withdrawn available $26000",
        ]
    );
}

#[tokio::test]
async fn units_of_a_feed_that_the_dealer_has_no_more_leave_with_the_one_that_covers_them() {
    let mut lot = Lot::new();
    lot.arrives("old-name", &csv(&[civic(20_000), accord(24_000)]))
        .await;
    lot.dealer.feeds.shift_remove("old-name");
    lot.next_day();
    let outcome = lot.arrives("new-name", &csv(&[accord(24_000)])).await;
    assert_eq!((outcome.published, outcome.withdrawn), (1, 1));
    assert_eq!(lot.published().await, ["A2@South $24000 02"]);
    // A rooftop that is closed takes its units with it.
    lot.dealer.rooftops.shift_remove("South");
    lot.next_day();
    lot.arrives("new-name", &csv(&[civic(20_000)])).await;
    assert_eq!(lot.published().await, ["C1@North $20000 03"]);
    assert_eq!(
        lot.life(ACCORD).await.last().unwrap().event,
        HistoryEvent::Withdrawn
    );
}

#[tokio::test]
async fn sold_units_are_forgotten_after_90_days_and_prices_after_two_years() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000), camry(26_000)]))
        .await;
    lot.next_day();
    lot.arrives("all", &csv(&[camry(25_000)])).await;
    lot.hours_pass(90 * 24);
    assert_eq!(lot.prune().await.units, 0);
    assert_eq!(lot.asked_for("C1").await, "gone");
    lot.hours_pass(1);
    let pruned = lot.prune().await;
    assert_eq!((pruned.units, pruned.events), (1, 0));
    assert_eq!(pruned.reports, 1, "the first one went an hour before");
    assert_eq!(lot.asked_for("C1").await, "unknown");
    assert_eq!(lot.history(CIVIC).await.len(), 2, "its prices are kept");

    lot.hours_pass((730 - 90) * 24);
    let pruned = lot.prune().await;
    // The Civic's two steps and the Camry's first price; its second one is published still.
    assert_eq!((pruned.events, pruned.runs), (3, 1));
    assert_eq!(lot.history(CIVIC).await, [""; 0]);
    assert_eq!(
        lot.history(CAMRY).await,
        ["02 North changed available $25000"]
    );
    assert_eq!(lot.runs().await.len(), 1, "the last good run");
    assert_eq!(lot.asked_for("T3").await, "listed");
}

#[tokio::test]
async fn a_unit_of_a_feed_that_died_is_forgotten_and_its_prices_are_not() {
    let mut lot = Lot::new();
    lot.feed("all", |feed| feed.max_age = Some(Period::days(3)));
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    lot.hours_pass((3 + 90) * 24 + 1);
    assert_eq!(lot.prune().await.units, 1);
    assert_eq!(lot.causes().await, [""; 0]);
    assert_eq!(
        lot.history(CIVIC).await,
        [
            "01 North published available $20000",
            "04 North hidden available $20000",
        ]
    );
}
