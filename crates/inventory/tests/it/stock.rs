//! Feed files arrive one after the other; what buyers see, and what the command line shows.

use aap::{
    inventory::{Filters, SearchRequest},
    vehicle::Condition,
};
use dealers::PageLimits;
use inventory::stock::{self, RunOutcome, RunState, Stock};
use jiff::SignedDuration;

use crate::lot::{ACCORD, CAMRY, CIVIC, Lot, accord, camry, civic, csv, time};

fn counts(outcome: &RunOutcome) -> [u64; 4] {
    assert_eq!(outcome.kept_last_good, None);
    [
        outcome.published,
        outcome.added,
        outcome.changed,
        outcome.withdrawn,
    ]
}

#[tokio::test]
async fn a_file_is_the_whole_stock_of_its_feed() {
    let lot = Lot::new();
    let first = lot
        .arrives("all", &csv(&[civic(20_000), accord(24_000), camry(26_000)]))
        .await;
    assert_eq!(counts(&first), [3, 3, 0, 0]);
    assert_eq!(
        lot.published().await,
        [
            "A2@South $24000 01",
            "C1@North $20000 01",
            "T3@North $26000 01"
        ]
    );

    lot.next_day();
    let second = lot
        .arrives("all", &csv(&[civic(19_500), accord(24_000)]))
        .await;
    assert_eq!(counts(&second), [2, 0, 1, 1]);
    assert_eq!(
        lot.published().await,
        ["A2@South $24000 02", "C1@North $19500 02"]
    );
    assert_eq!(lot.gone().await, ["T3 05-02"]);
    assert_eq!(lot.asked_for("T3").await, "gone");
    assert_eq!(lot.asked_for("C1").await, "listed");
    assert_eq!(lot.asked_for("X9").await, "unknown");

    lot.next_day();
    let third = lot
        .arrives("all", &csv(&[civic(19_500), accord(24_000), camry(25_000)]))
        .await;
    assert_eq!(counts(&third), [3, 1, 0, 0]);
    assert_eq!(lot.gone().await, [""; 0]);
    assert_eq!(lot.asked_for("T3").await, "listed");

    assert_eq!(
        lot.history(CIVIC).await,
        [
            "01 North published available $20000",
            "02 North changed available $19500"
        ]
    );
    assert_eq!(
        lot.history(ACCORD).await,
        ["01 South published available $24000"]
    );
    let camry = [
        "01 North published available $26000",
        "02 North withdrawn available $26000",
        "03 North published available $25000",
    ];
    assert_eq!(lot.history(CAMRY).await, camry);
    assert_eq!(lot.history("4t1b11hk5ku000003").await, camry);
}

#[tokio::test]
async fn a_unit_of_no_stated_condition_leaves_with_its_feed() {
    let mut lot = Lot::new();
    lot.feed("used", |feed| {
        feed.conditions = vec![Condition::Used, Condition::Cpo];
    });
    let unstated = format!("{CAMRY},T3,2019,Toyota,Camry,,9000,,North");
    lot.arrives("used", &csv(&[civic(20_000), unstated])).await;
    assert_eq!(lot.asked_for("T3").await, "listed");
    lot.next_day();
    let second = lot.arrives("used", &csv(&[civic(20_000)])).await;
    assert_eq!(counts(&second), [1, 0, 0, 1]);
    assert_eq!(lot.asked_for("T3").await, "gone");
}

#[tokio::test]
async fn a_listing_names_dealer_rooftop_status_and_the_arrival_of_its_feed() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    let stock = lot.load().await;
    let vehicle = &stock.listings[0].vehicle;
    assert_eq!(vehicle.dealer_id.as_deref(), Some("demo-motors"));
    assert_eq!(vehicle.rooftop.as_deref(), Some("North"));
    assert_eq!(
        vehicle.status.map(aap::vehicle::Status::as_str),
        Some("available")
    );
    assert_eq!(vehicle.updated_at.as_deref(), Some("2026-05-01T06:00:00Z"));
    assert_eq!(
        vehicle.inventory_date, None,
        "the feed states none, and none is invented"
    );
}

#[tokio::test]
async fn a_change_that_is_not_an_offer_is_published_without_an_event() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    lot.next_day();
    let outcome = lot
        .arrives(
            "all",
            &csv(&[civic(20_000).replace("Civic", "Civic Sedan")]),
        )
        .await;
    assert_eq!(counts(&outcome), [1, 0, 0, 0]);
    assert_eq!(
        lot.load().await.listings[0].vehicle.model.as_deref(),
        Some("Civic Sedan")
    );
    lot.next_day();
    let outcome = lot
        .arrives(
            "all",
            &csv(&[civic(20_000).replace(",,North", ",pending,North")]),
        )
        .await;
    assert_eq!(counts(&outcome), [1, 0, 1, 0]);
    let expected = [
        "01 North published available $20000",
        "03 North changed pending $20000",
    ];
    assert_eq!(lot.history(CIVIC).await, expected);
}

#[tokio::test]
async fn a_file_that_cannot_be_right_keeps_the_last_good_stock() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000), accord(24_000)]))
        .await;
    let before = lot.load().await;
    lot.next_day();
    let web_page = lot
        .arrives(
            "all",
            "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
        )
        .await;
    assert!(web_page.kept_last_good.is_some());
    let empty = lot.arrives("all", &csv(&[])).await;
    assert!(empty.kept_last_good.is_some());
    assert_eq!([web_page.withdrawn, empty.withdrawn], [0, 0]);
    // Nothing to publish, and only one of the two is called sold.
    let sold = civic(20_000).replace(",,North", ",sold,North");
    let partly = lot.arrives("all", &csv(&[sold])).await;
    let reason = "the file has no vehicle to publish and does not call the 1 on the lot sold; they stay until a \
                  file has vehicles";
    assert_eq!(partly.kept_last_good.as_deref(), Some(reason));

    assert_eq!(
        lot.load().await,
        before,
        "same units, same updated_at, same version"
    );
    let runs = lot.runs().await;
    let states: Vec<RunState> = runs.iter().map(|run| run.state).collect();
    assert_eq!(
        states,
        [
            RunState::KeptLastGood,
            RunState::Refused,
            RunState::Refused,
            RunState::Applied
        ]
    );
    assert_eq!(runs[0].reason.as_deref(), Some(reason));
    assert_eq!(runs[1].reason, empty.kept_last_good);
    assert_eq!(runs[3].reason, None);
}

#[tokio::test]
async fn runs_tell_what_each_file_did() {
    let lot = Lot::new();
    lot.arrives("used", &csv(&[civic(20_000), accord(24_000)]))
        .await;
    lot.next_day();
    let without_identifier = ",,2019,Honda,Fit,used,1,,North".to_owned();
    lot.arrives(
        "used",
        &csv(&[civic(21_000), camry(26_000), without_identifier]),
    )
    .await;
    let runs = lot.runs().await;
    assert_eq!(runs.len(), 2);
    let latest = &runs[0];
    assert_eq!(
        (latest.feed.as_str(), latest.received_at),
        ("used", time("2026-05-02T06:00:00Z"))
    );
    assert_eq!(latest.file_name.as_deref(), Some("stock.csv"));
    assert_eq!(latest.layout, "aliases");
    assert_eq!((latest.rows, latest.published, latest.skipped), (3, 2, 1));
    assert_eq!((latest.added, latest.changed, latest.withdrawn), (1, 1, 1));
    assert!(latest.id > runs[1].id);
}

#[tokio::test]
async fn a_feed_withdraws_its_own_units_only() {
    let lot = Lot::new();
    lot.arrives("north", &csv(&[civic(20_000)])).await;
    lot.arrives("south", &csv(&[accord(24_000)])).await;
    lot.next_day();
    let outcome = lot.arrives("north", &csv(&[camry(26_000)])).await;
    assert_eq!(counts(&outcome), [1, 1, 0, 1]);
    assert_eq!(
        lot.published().await,
        ["A2@South $24000 01", "T3@North $26000 02"]
    );
}

#[tokio::test]
async fn a_feed_withdraws_only_what_it_covers() {
    let mut lot = Lot::new();
    lot.arrives(
        "mixed",
        &csv(&[civic(20_000), accord(24_000), camry(26_000)]),
    )
    .await;
    lot.feed("mixed", |feed| {
        feed.rooftops = vec!["North".to_owned()];
        feed.conditions = vec![Condition::New, Condition::Cpo];
    });
    lot.next_day();
    let other = "1HGCM82633A000009,N9,2020,Honda,Pilot,new,30000,,North".to_owned();
    let outcome = lot.arrives("mixed", &csv(&[other])).await;
    // The Camry is new and at North; the Civic is used, the Accord at South.
    assert_eq!(counts(&outcome), [1, 1, 0, 1]);
    assert_eq!(
        lot.published().await,
        [
            "A2@South $24000 01",
            "C1@North $20000 01",
            "N9@North $30000 02"
        ]
    );
}

#[tokio::test]
async fn a_unit_belongs_to_the_feed_that_last_contained_it() {
    let lot = Lot::new();
    lot.arrives("old-name", &csv(&[civic(20_000), camry(26_000)]))
        .await;
    lot.next_day();
    let renamed = lot
        .arrives("new-name", &csv(&[civic(20_000), camry(26_000)]))
        .await;
    assert_eq!(counts(&renamed), [2, 0, 0, 0]);
    lot.next_day();
    let outcome = lot.arrives("new-name", &csv(&[camry(26_000)])).await;
    assert_eq!(counts(&outcome), [1, 0, 0, 1]);
    assert_eq!(lot.published().await, ["T3@North $26000 03"]);
}

#[tokio::test]
async fn a_vin_at_two_rooftops_is_one_listing_with_the_first_rooftops_price() {
    let lot = Lot::new();
    let at_south = format!("{CIVIC},S77,2019,Honda,Civic,used,18500,,South");
    let south = lot
        .arrives("south", &csv(&[at_south.clone(), accord(24_000)]))
        .await;
    assert_eq!(south.price_differences, []);
    assert_eq!(
        lot.published().await,
        ["A2@South $24000 01", "S77@South $18500 01"]
    );

    lot.next_day();
    let north = lot.arrives("north", &csv(&[civic(20_000)])).await;
    assert_eq!(counts(&north), [1, 1, 0, 0]);
    assert_eq!(
        lot.published().await,
        ["A2@South $24000 01", "C1@North+South $20000 02"]
    );
    let [difference] = north.price_differences.as_slice() else {
        panic!("one difference")
    };
    assert_eq!(difference.vin, CIVIC);
    let offers: Vec<_> = difference
        .offers
        .iter()
        .map(|offer| (offer.rooftop.as_str(), offer.price))
        .collect();
    assert_eq!(offers, [("North", Some(20_000)), ("South", Some(18_500))]);

    let snapshot = lot.snapshot().await;
    let facets = serde_json::to_value(snapshot.facets(None).facets).unwrap();
    assert_eq!(
        facets["makes"],
        serde_json::json!([{"value": "Honda", "count": 2}])
    );
    let rooftops =
        serde_json::json!([{"value": "South", "count": 2}, {"value": "North", "count": 1}]);
    assert_eq!(facets["rooftops"], rooftops);
    let at_south_only = SearchRequest {
        filters: Some(Filters {
            rooftops: vec!["south".to_owned()],
            ..Filters::default()
        }),
        ..SearchRequest::default()
    };
    assert_eq!(
        snapshot
            .search(&at_south_only, PageLimits::default())
            .result
            .total,
        2
    );

    // It leaves North, and is still on the lot at South: it is not gone.
    lot.next_day();
    lot.arrives("north", &csv(&[camry(26_000)])).await;
    assert_eq!(
        lot.published().await,
        [
            "A2@South $24000 01",
            "S77@South $18500 01",
            "T3@North $26000 03"
        ]
    );
    assert_eq!(lot.gone().await, [""; 0]);

    // The same price everywhere is no difference.
    lot.next_day();
    let north = lot
        .arrives("north", &csv(&[civic(18_500), camry(26_000)]))
        .await;
    assert_eq!(north.price_differences, []);
}

#[tokio::test]
async fn one_file_may_list_a_vin_at_two_rooftops() {
    let lot = Lot::new();
    let at_south = format!("{CIVIC},S77,2019,Honda,Civic,used,18500,,South");
    let outcome = lot.arrives("all", &csv(&[at_south, civic(20_000)])).await;
    assert_eq!(counts(&outcome), [2, 2, 0, 0]);
    assert_eq!(outcome.price_differences.len(), 1);
    assert_eq!(lot.published().await, ["C1@North+South $20000 01"]);
    let expected = [
        "01 North published available $20000",
        "01 South published available $18500",
    ];
    assert_eq!(lot.history(CIVIC).await, expected);
}

#[tokio::test]
async fn units_without_a_vin_are_told_apart_by_rooftop_and_stock_number() {
    let lot = Lot::new();
    let trailer = |stock: &str, rooftop: &str, price: u32| {
        format!(",{stock},2022,Acme,Hauler,used,{price},,{rooftop}")
    };
    let rows = [trailer("T-1", "North", 4000), trailer("T-1", "South", 4100)];
    lot.arrives("all", &csv(&rows)).await;
    assert_eq!(
        lot.published().await,
        ["T-1@North $4000 01", "T-1@South $4100 01"]
    );
    lot.next_day();
    // The same unit, although its stock number is written in another way.
    let rows = [
        trailer("t-1 ", "North", 3900),
        trailer("T-1", "South", 4100),
    ];
    let outcome = lot.arrives("all", &csv(&rows)).await;
    assert_eq!(counts(&outcome), [2, 0, 1, 0]);
    assert_eq!(outcome.price_differences, [], "two units, not one");
}

#[tokio::test]
async fn gone_units_are_remembered_for_the_set_time() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000), camry(26_000)]))
        .await;
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    lot.clock.advance(SignedDuration::from_hours(90 * 24));
    assert_eq!(lot.asked_for("T3").await, "gone");
    lot.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(lot.asked_for("T3").await, "unknown");
    assert_eq!(lot.asked_for("C1").await, "listed");
}

#[tokio::test]
async fn a_unit_that_a_file_calls_sold_is_gone_even_when_another_feed_brought_it() {
    let lot = Lot::new();
    lot.arrives("used", &csv(&[civic(20_000), accord(24_000)]))
        .await;
    lot.next_day();
    let sold = civic(20_000).replace(",,North", ",sold,North");
    let never_seen = "1HGCM82633A000009,N9,2020,Honda,Pilot,used,30000,sold,South".to_owned();
    let outcome = lot
        .arrives(
            "all",
            &csv(&[sold.clone(), never_seen.clone(), camry(26_000)]),
        )
        .await;
    assert_eq!(counts(&outcome), [1, 1, 0, 1]);
    assert_eq!(
        lot.published().await,
        ["A2@South $24000 01", "T3@North $26000 02"]
    );
    assert_eq!(lot.gone().await, ["C1 05-02", "N9 05-02"]);
    // Named sold again, they went when they went.
    lot.next_day();
    lot.arrives("all", &csv(&[sold, never_seen, camry(26_000)]))
        .await;
    assert_eq!(lot.gone().await, ["C1 05-02", "N9 05-02"]);
}

#[tokio::test]
async fn a_feed_that_calls_every_unit_sold_empties_its_lot() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    lot.next_day();
    let outcome = lot
        .arrives(
            "all",
            &csv(&[civic(20_000).replace(",,North", ",sold,North")]),
        )
        .await;
    assert_eq!(counts(&outcome), [0, 0, 0, 1]);
    assert_eq!(lot.published().await, [""; 0]);
    assert_eq!(lot.gone().await, ["C1 05-02"]);
}

#[tokio::test]
async fn the_version_grows_with_every_applied_file_and_dealers_are_apart() {
    let lot = Lot::new();
    assert_eq!(lot.load().await, Stock::default());
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    assert_eq!(lot.snapshot().await.version(), 1);
    lot.arrives("all", "not a feed").await;
    assert_eq!(lot.snapshot().await.version(), 1);
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    assert_eq!(lot.snapshot().await.version(), 2);

    let other = Lot {
        store: lot.store.clone(),
        clock: lot.clock.clone(),
        id: "other-motors".parse().unwrap(),
        dealer: lot.dealer.clone(),
    };
    other.arrives("all", &csv(&[camry(25_000)])).await;
    assert_eq!(other.published().await, ["T3@North $25000 01"]);
    assert_eq!(lot.published().await, ["C1@North $20000 01"]);
    assert_eq!(
        (other.load().await.version, lot.load().await.version),
        (1, 2)
    );
    assert_eq!(other.runs().await.len(), 1);
    assert_eq!(other.history(CIVIC).await, [""; 0]);
}

#[tokio::test]
async fn the_list_of_vehicles_shows_published_and_gone_units_with_their_times() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000), camry(26_000)]))
        .await;
    lot.next_day();
    lot.arrives("all", &csv(&[civic(20_000)])).await;
    let id = lot.id.clone();
    let read = move |conn: &mut dyn store::Conn| stock::vehicles(conn, &id);
    let units = lot.store.read(read).await.unwrap();
    let (first, second) = (time("2026-05-01T06:00:00Z"), time("2026-05-02T06:00:00Z"));
    let found: Vec<_> = units
        .iter()
        .map(|unit| {
            (
                unit.vehicle.stock.as_deref().unwrap(),
                unit.first_seen_at,
                unit.seen_at,
                unit.gone_at,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("T3", first, first, Some(second)),
            ("C1", first, second, None)
        ]
    );
    assert!(units.iter().all(|unit| unit.feed == "all"));
}
