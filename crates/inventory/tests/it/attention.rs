//! Which feeds need a person, and until when.

use dealers::Period;
use inventory::stock;

use crate::lot::{Lot, accord, camry, civic, csv};

const WEB_PAGE: &str = "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>";

/// A dealer whose only feed sends a file a day.
fn lot() -> Lot {
    let mut lot = Lot::new();
    lot.dealer.feeds.clear();
    lot.feed("all", |feed| {
        feed.expect_every = Some(Period::try_from("26h".to_owned()).unwrap());
        feed.max_age = Some(Period::days(3));
    });
    lot
}

fn good() -> String {
    csv(&[civic(20_000), accord(24_000), camry(26_000)])
}

#[tokio::test]
async fn a_refused_file_needs_a_person_until_a_good_one_comes() {
    let lot = lot();
    lot.arrives("all", &good()).await;
    assert_eq!(lot.causes().await, [""; 0]);
    lot.hours_pass(1);
    lot.arrives("all", WEB_PAGE).await;
    lot.hours_pass(1);
    lot.arrives("all", "").await;
    assert_eq!(lot.causes().await, ["feed/all/refused since 01T07"]);
    let found = lot.attention().await;
    assert!(found[0].text.contains("feed all"), "{}", found[0].text);
    assert!(found[0].run.is_some());
    lot.hours_pass(1);
    lot.arrives("all", &good()).await;
    assert_eq!(lot.causes().await, [""; 0]);
}

#[tokio::test]
async fn a_feed_is_overdue_after_its_time_and_its_units_are_hidden_after_theirs() {
    let lot = lot();
    lot.arrives("all", &good()).await;
    lot.hours_pass(26);
    assert_eq!(lot.causes().await, [""; 0]);
    lot.hours_pass(1);
    assert_eq!(lot.causes().await, ["feed/all/overdue since 02T08"]);
    lot.hours_pass(45);
    assert_eq!(
        lot.causes().await,
        [
            "feed/all/hidden since 04T06",
            "feed/all/overdue since 02T08"
        ]
    );
    lot.arrives("all", &good()).await;
    assert_eq!(lot.causes().await, [""; 0]);
}

#[tokio::test]
async fn a_feed_that_never_sent_a_file_is_overdue_once_it_is_expected() {
    let lot = lot();
    lot.hours_pass(100);
    assert_eq!(lot.causes().await, [""; 0]);
    let (id, dealer, now) = (lot.id.clone(), lot.dealer.clone(), lot.clock.now());
    let write = move |conn: &mut dyn store::Conn| stock::expect_feeds(conn, &id, &dealer, now);
    lot.store.write(write).await.unwrap();
    lot.hours_pass(27);
    assert_eq!(lot.causes().await, ["feed/all/overdue since 06T12"]);
}
