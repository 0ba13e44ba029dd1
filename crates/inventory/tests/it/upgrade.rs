//! A database of an earlier schema keeps its history.

use inventory::stock::{self, HistoryEvent};
use store::{Clock, Options, Store};

use crate::lot::{CIVIC, Lot, time};

#[tokio::test]
async fn the_history_of_an_earlier_schema_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::manual(time("2026-05-01T06:00:00Z"));
    let options = Options::sqlite(folder.path().join("store.sqlite")).clock(clock.clone());
    let run = clock.new_id().to_string();
    let before = Store::open(options.clone().migrations(&[&stock::MIGRATIONS[..2]])).unwrap();
    before
        .write(move |conn| {
            conn.execute(
                "INSERT INTO feed_run (dealer, run_id, feed, received_at, layout, row_count, skipped,
                                       warnings, published, added, changed, withdrawn, state)
                 VALUES ('demo-motors', $1, 'used', 1777615200000, 'aliases', 1, 0, 0, 1, 1, 0, 0,
                         'applied')",
                &[(&run).into()],
            )?;
            conn.execute(
                "INSERT INTO vehicle_history (dealer, unit, run_id, rooftop, happened_at, event,
                                              status, price)
                 VALUES ('demo-motors', $2, $1, 'North', 1777615200000, 'published', 'available',
                         20000)",
                &[(&run).into(), (&format!("vin:{CIVIC}")).into()],
            )
        })
        .await
        .unwrap();
    drop(before);

    let mut lot = Lot::new();
    lot.store = Store::open(options.migrations(&[stock::MIGRATIONS])).unwrap();
    lot.clock = clock;
    let life = lot.life(CIVIC).await;
    assert_eq!(life.len(), 1);
    assert_eq!(life[0].event, HistoryEvent::Published);
    assert_eq!(life[0].price, Some(20_000));
    assert_eq!(lot.runs().await[0].feed, "used");
}
