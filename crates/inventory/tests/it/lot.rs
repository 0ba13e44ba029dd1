//! A dealer with its database, and what the tests ask of both.

use aap::inventory::VehicleRequest;
use dealers::{Dealer, DealerId, FeedSettings};
use inventory::{
    intake::{self, AcceptError, Arrival},
    snapshot::{Found, Snapshot},
    stock::{self, Attention, ByHand, HandOutcome, Pruned, RunOutcome, Stock},
};
use jiff::{SignedDuration, Timestamp};
use store::{Clock, Store};
use uuid::Uuid;

pub(crate) const CIVIC: &str = "2HGFC2F59KH000001";
pub(crate) const ACCORD: &str = "1HGCV1F30KA000002";
pub(crate) const CAMRY: &str = "4T1B11HK5KU000003";

/// A dealer with the rooftops North and South, and its database. Its feeds' prices are advertised
/// prices.
pub(crate) struct Lot {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) id: DealerId,
    pub(crate) dealer: Dealer,
}

impl Lot {
    /// The clock stands at 2026-05-01, 06:00.
    pub(crate) fn new() -> Self {
        let clock = Clock::manual(time("2026-05-01T06:00:00Z"));
        let mut lot = Self {
            store: Store::temporary(&[stock::MIGRATIONS], clock.clone()).unwrap(),
            clock,
            id: "demo-motors".parse().unwrap(),
            dealer: serde_json::from_value(serde_json::json!({
                "name": "Demo Motors",
                "rooftops": { "North": {}, "South": {} },
            }))
            .unwrap(),
        };
        for feed in [
            "all", "used", "mixed", "north", "south", "old-name", "new-name",
        ] {
            lot.feed(feed, |_| {});
        }
        lot
    }

    /// States something about a feed.
    pub(crate) fn feed(&mut self, name: &str, state: impl FnOnce(&mut FeedSettings)) {
        let settings = self.dealer.feeds.entry(name.to_owned()).or_default();
        settings.price.advertised = true;
        state(settings);
    }

    pub(crate) fn next_day(&self) {
        self.clock.advance(SignedDuration::from_hours(24));
    }

    pub(crate) fn hours_pass(&self, hours: i64) {
        self.clock.advance(SignedDuration::from_hours(hours));
    }

    /// A file of this feed arrives.
    pub(crate) async fn arrives(&self, feed: &str, content: &str) -> RunOutcome {
        let arrival = Arrival {
            feed,
            file_name: Some("stock.csv"),
            bytes: content.as_bytes(),
        };
        let published = intake::publish(&self.store, &self.id, &self.dealer, arrival).await;
        published.unwrap().1
    }

    /// A person says that the file of this run is right.
    pub(crate) async fn accepts(&self, run: Uuid, force: bool) -> Result<RunOutcome, AcceptError> {
        let accepted =
            intake::accept(&self.store, &self.id, &self.dealer, run, "pat", force).await?;
        Ok(accepted.1)
    }

    /// A person withdraws a unit, or restores it.
    pub(crate) async fn by_hand(
        &self,
        withdraw: bool,
        unit: &str,
        rooftop: Option<&str>,
    ) -> HandOutcome {
        let (id, dealer, now) = (self.id.clone(), self.dealer.clone(), self.clock.now());
        let (unit, rooftop) = (unit.to_owned(), rooftop.map(str::to_owned));
        let write = move |conn: &mut dyn store::Conn| {
            let word = ByHand {
                unit: &unit,
                rooftop: rooftop.as_deref(),
                by: "pat",
                reason: Some("recall"),
                now,
            };
            match withdraw {
                true => stock::withdraw(conn, &id, &dealer, word),
                false => stock::restore(conn, &id, &dealer, word),
            }
        };
        self.store.write(write).await.unwrap()
    }

    /// The causes for which a person is needed, each with the day and hour since when.
    pub(crate) async fn causes(&self) -> Vec<String> {
        let found = self.attention().await;
        found
            .iter()
            .map(|it| format!("{} since {}", it.cause, &it.since.to_string()[8..13]))
            .collect()
    }

    pub(crate) async fn attention(&self) -> Vec<Attention> {
        let (id, dealer, now) = (self.id.clone(), self.dealer.clone(), self.clock.now());
        let read = move |conn: &mut dyn store::Conn| stock::attention(conn, &id, &dealer, now);
        self.store.read(read).await.unwrap()
    }

    pub(crate) async fn prune(&self) -> Pruned {
        let (id, dealer, now) = (self.id.clone(), self.dealer.clone(), self.clock.now());
        let write = move |conn: &mut dyn store::Conn| stock::prune(conn, &id, &dealer, now);
        self.store.write(write).await.unwrap()
    }

    pub(crate) async fn load(&self) -> Stock {
        let (id, dealer, now) = (self.id.clone(), self.dealer.clone(), self.clock.now());
        let read = move |conn: &mut dyn store::Conn| stock::load(conn, &id, &dealer, now);
        self.store.read(read).await.unwrap()
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        let stock = self.load().await;
        let rooftops: Vec<String> = self.dealer.rooftops.keys().cloned().collect();
        Snapshot::build(stock.listings, stock.gone, &rooftops, stock.version).unwrap()
    }

    /// Each listing as `stock@rooftops $price day`, by stock number.
    pub(crate) async fn published(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .load()
            .await
            .listings
            .iter()
            .map(|listing| {
                let it = &listing.vehicle;
                let price = it.price.map_or("-".to_owned(), |price| price.to_string());
                let stock = it.stock.as_deref().unwrap_or("-");
                let day = &it.updated_at.as_deref().unwrap()[8..10];
                format!("{stock}@{} ${price} {day}", listing.rooftops.join("+"))
            })
            .collect();
        lines.sort();
        lines
    }

    /// The stock numbers of the units that are gone, with the day on which they went.
    pub(crate) async fn gone(&self) -> Vec<String> {
        let day = |at: Timestamp| at.to_string()[5..10].to_owned();
        let stock = self.load().await;
        let line = |unit: &inventory::listing::GoneUnit| {
            format!(
                "{} {}",
                unit.stock.as_deref().unwrap_or("-"),
                day(unit.gone_at)
            )
        };
        let mut lines: Vec<String> = stock.gone.iter().map(line).collect();
        lines.sort();
        lines
    }

    /// What a buyer hears who asks for this stock number.
    pub(crate) async fn asked_for(&self, stock: &str) -> &'static str {
        let request = VehicleRequest {
            stock: Some(stock.to_owned()),
            ..VehicleRequest::default()
        };
        match self.snapshot().await.find(&request) {
            Found::Listing(_) => "listed",
            Found::Gone(_) => "gone",
            Found::Unknown => "unknown",
        }
    }

    /// The life of a VIN as `day rooftop event status $price`.
    pub(crate) async fn history(&self, vin: &str) -> Vec<String> {
        let line = |entry: &stock::HistoryEntry| {
            let day = &entry.at.to_string()[8..10];
            let event = entry.event.as_str();
            let status = entry.status.as_deref().unwrap_or("-");
            let price = entry
                .price
                .map_or("-".to_owned(), |price| price.to_string());
            format!("{day} {} {event} {status} ${price}", entry.rooftop)
        };
        self.life(vin).await.iter().map(line).collect()
    }

    pub(crate) async fn life(&self, vin: &str) -> Vec<stock::HistoryEntry> {
        let (id, dealer, now) = (self.id.clone(), self.dealer.clone(), self.clock.now());
        let vin = vin.to_owned();
        let read = move |conn: &mut dyn store::Conn| stock::history(conn, &id, &dealer, &vin, now);
        self.store.read(read).await.unwrap()
    }

    pub(crate) async fn runs(&self) -> Vec<stock::RunRecord> {
        let id = self.id.clone();
        let read = move |conn: &mut dyn store::Conn| stock::runs(conn, &id, None, 10);
        self.store.read(read).await.unwrap()
    }
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A file with these rows below the header.
pub(crate) fn csv(rows: &[String]) -> String {
    let header = "VIN,Stock,Year,Make,Model,Condition,Price,Status,Rooftop";
    format!("{header}\n{}\n", rows.join("\n"))
}

pub(crate) fn civic(price: u32) -> String {
    format!("{CIVIC},C1,2019,Honda,Civic,used,{price},,North")
}

pub(crate) fn accord(price: u32) -> String {
    format!("{ACCORD},A2,2019,Honda,Accord,cpo,{price},,South")
}

pub(crate) fn camry(price: u32) -> String {
    format!("{CAMRY},T3,2019,Toyota,Camry,new,{price},,North")
}
