//! Sources against real folders and servers, with the clock in the test's hand.

mod address;
mod folder;
mod leases;

use inventory::stock::{self, RunState};
use serde_json::{Value, json};
use store::Clock;

use super::*;
use crate::alarm::{self, Kind};

/// A dealer with one feed called `used`, its database, and a clock that stands still.
struct Bench {
    store: Store,
    clock: Clock,
    dealer_id: DealerId,
}

impl Bench {
    fn new() -> Self {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let lists = [
            store::lease::MIGRATIONS,
            stock::MIGRATIONS,
            catalogs::MIGRATIONS,
            crate::MIGRATIONS,
        ];
        Self {
            store: Store::temporary(&lists, clock.clone()).unwrap(),
            clock,
            dealer_id: "group".parse().unwrap(),
        }
    }

    fn feeds(&self, settings: &Value) -> Feeds {
        let dealer: Dealer = serde_json::from_value(json!({
            "name": "Group Motors",
            "rooftops": { "North": {} },
            "feeds": { "used": settings },
        }))
        .unwrap();
        self.feeds_of(Some(&dealer), None)
    }

    /// The same for a catalog in the dealer's place.
    fn catalog(&self, settings: &Value) -> Feeds {
        let catalog: Catalog = serde_json::from_value(settings.clone()).unwrap();
        self.feeds_of(None, Some(&catalog))
    }

    fn feeds_of(&self, dealer: Option<&Dealer>, catalog: Option<&Catalog>) -> Feeds {
        let id = &self.dealer_id;
        Feeds::new(
            self.store.clone(),
            dealer.map(|dealer| (id, dealer)),
            catalog.map(|catalog| (id, catalog)),
            Path::new("/"),
            &Egress::new(egress::Options::default()).unwrap(),
        )
        .unwrap()
    }

    fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// State and file name of every run, oldest first.
    async fn runs(&self) -> Vec<(RunState, Option<String>)> {
        let dealer = self.dealer_id.clone();
        let mut runs = self
            .store
            .read(move |conn| stock::runs(conn, &dealer, None, 100))
            .await
            .unwrap();
        runs.reverse();
        let named = |run: stock::RunRecord| (run.state, run.file_name);
        runs.into_iter().map(named).collect()
    }

    /// Stock numbers on the lot.
    async fn lot(&self) -> Vec<String> {
        let dealer = self.dealer_id.clone();
        let units = self
            .store
            .read(move |conn| stock::vehicles(conn, &dealer))
            .await
            .unwrap();
        let mut lot: Vec<String> = units
            .into_iter()
            .filter(|unit| unit.gone_at.is_none())
            .filter_map(|unit| unit.vehicle.stock)
            .collect();
        lot.sort();
        lot
    }

    /// What is open, and its words.
    async fn open(&self) -> Vec<(Kind, String)> {
        let open = self.store.read(alarm::open).await.unwrap();
        open.into_iter()
            .map(|it| (it.cause.kind, it.message))
            .collect()
    }
}

/// A feed file with these stock numbers.
fn csv(stock: &[&str]) -> String {
    let mut text = "Stock,Year,Make,Model,Price\n".to_owned();
    for number in stock {
        text.push_str(&format!("{number},2022,Honda,Accord,9000\n"));
    }
    text
}
