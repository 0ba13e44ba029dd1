//! Which feeds need a person, and until when.

use dealers::{Dealer, DealerId};
use inventory::{
    intake::{self, Arrival},
    stock::{self, Attention},
};
use jiff::SignedDuration;
use store::{Clock, Store};

const GOOD: &str = "VIN,Stock,Year,Make,Model\n1HGCV1F30KA000002,A2,2019,Honda,Accord\n";
const WEB_PAGE: &str = "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>";

struct Site {
    store: Store,
    id: DealerId,
    dealer: Dealer,
}

impl Site {
    /// The clock stands at 2026-05-01, 06:00.
    fn new() -> Self {
        let clock = Clock::manual("2026-05-01T06:00:00Z".parse().unwrap());
        let dealer = serde_json::from_value(serde_json::json!({
            "name": "Demo Motors",
            "rooftops": { "North": {} },
            "feeds": { "all": { "expect_every": "26h", "max_age": "72h" } },
        }));
        Self {
            store: Store::temporary(&[stock::MIGRATIONS], clock).unwrap(),
            id: "demo-motors".parse().unwrap(),
            dealer: dealer.unwrap(),
        }
    }

    async fn arrives(&self, content: &str) {
        let arrival = Arrival {
            feed: "all",
            file_name: None,
            bytes: content.as_bytes(),
        };
        intake::publish(&self.store, &self.id, &self.dealer, arrival)
            .await
            .unwrap();
    }

    fn hours_pass(&self, hours: i64) {
        self.store
            .clock()
            .advance(SignedDuration::from_hours(hours));
    }

    async fn attention(&self) -> Vec<Attention> {
        let (id, dealer, now) = (
            self.id.clone(),
            self.dealer.clone(),
            self.store.clock().now(),
        );
        let read = move |conn: &mut dyn store::Conn| stock::attention(conn, &id, &dealer, now);
        self.store.read(read).await.unwrap()
    }

    /// Each cause with the day and hour since when it lasts.
    async fn causes(&self) -> Vec<String> {
        let found = self.attention().await;
        found
            .iter()
            .map(|it| format!("{} since {}", it.cause, &it.since.to_string()[8..13]))
            .collect()
    }
}

#[tokio::test]
async fn a_refused_file_needs_a_person_until_a_good_one_comes() {
    let site = Site::new();
    site.arrives(GOOD).await;
    assert_eq!(site.causes().await, [""; 0]);
    site.hours_pass(1);
    site.arrives(WEB_PAGE).await;
    site.hours_pass(1);
    site.arrives("").await;
    assert_eq!(site.causes().await, ["feed/all/refused since 01T07"]);
    let found = site.attention().await;
    assert!(found[0].text.contains("feed all"), "{}", found[0].text);
    assert!(found[0].run.is_some());
    site.hours_pass(1);
    site.arrives(GOOD).await;
    assert_eq!(site.causes().await, [""; 0]);
}

#[tokio::test]
async fn a_feed_is_overdue_after_its_time_and_its_units_are_hidden_after_theirs() {
    let site = Site::new();
    site.arrives(GOOD).await;
    site.hours_pass(26);
    assert_eq!(site.causes().await, [""; 0]);
    site.hours_pass(1);
    assert_eq!(site.causes().await, ["feed/all/overdue since 02T08"]);
    site.hours_pass(45);
    assert_eq!(
        site.causes().await,
        [
            "feed/all/hidden since 04T06",
            "feed/all/overdue since 02T08"
        ]
    );
    site.arrives(GOOD).await;
    assert_eq!(site.causes().await, [""; 0]);
}

#[tokio::test]
async fn a_feed_that_never_sent_a_file_is_overdue_once_it_is_expected() {
    let site = Site::new();
    site.hours_pass(100);
    assert_eq!(site.causes().await, [""; 0]);
    let (id, dealer, now) = (
        site.id.clone(),
        site.dealer.clone(),
        site.store.clock().now(),
    );
    let write = move |conn: &mut dyn store::Conn| stock::expect_feeds(conn, &id, &dealer, now);
    site.store.write(write).await.unwrap();
    site.hours_pass(27);
    assert_eq!(site.causes().await, ["feed/all/overdue since 06T12"]);
}
