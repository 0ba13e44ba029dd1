//! One arrival of a feed file, and what it did to the stock.

use aap::vehicle::{Condition, Vehicle};
use dealers::{Dealer, DealerId, FeedSettings};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::{runs::RunState, unit::Key};
use crate::feed::FeedReport;

/// One arrival of a feed file.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Dealer.
    pub dealer: &'a DealerId,
    /// What the dealer states of itself.
    pub stated: &'a Dealer,
    /// Name of the feed in the configuration.
    pub feed: &'a str,
    /// What the dealer states of the feed: the rooftops and conditions that it covers, its prices.
    pub settings: &'a FeedSettings,
    /// Identifier of this run.
    pub id: Uuid,
    /// When the stock changes.
    pub now: Timestamp,
    /// When the file arrived, which becomes the `updated_at` of its units. Earlier than `now` for
    /// a file that a person has applied after all.
    pub arrived: Timestamp,
    /// Name of the file.
    pub file_name: Option<&'a str>,
    /// Digest of the file, in any form that tells two files apart.
    pub file_digest: Option<&'a str>,
    /// What was read from it.
    pub report: &'a FeedReport,
    /// Set when a person has the file of an earlier run applied: nothing is doubted then.
    pub accepts: Option<Acceptance<'a>>,
}

/// A person's word that a file is right.
#[derive(Debug, Clone, Copy)]
pub struct Acceptance<'a> {
    /// The run in which the file arrived.
    pub run: Uuid,
    /// Who says so.
    pub by: &'a str,
}

/// What a run did to the stock.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunOutcome {
    /// The run.
    pub run: Uuid,
    /// Digest of the file.
    pub file_digest: Option<String>,
    /// What became of it.
    pub state: RunState,
    /// Units of the file that are on the lot by it.
    pub published: u64,
    /// Units that came onto the lot, or back.
    pub added: u64,
    /// Units whose price, list price or status changed.
    pub changed: u64,
    /// Units that left.
    pub withdrawn: u64,
    /// Why the stock, or a part of it, stays as the last good file left it; `None` when the whole
    /// file was applied.
    pub kept_last_good: Option<String>,
    /// Where the last good stock stays up because too many units are missing from the file.
    pub held: Vec<Held>,
    /// VINs of this file that another rooftop offers at another price, by VIN.
    pub price_differences: Vec<PriceDifference>,
    /// Units of the file that the dealer has withdrawn by hand and that stay so.
    pub withheld: Vec<Withheld>,
}

/// A rooftop and condition at which a file was not believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Held {
    /// Rooftop; empty when the feed does not tell.
    pub rooftop: String,
    /// Condition; absent for units of no stated condition.
    pub condition: Option<Condition>,
    /// Units that the feed had published there, less those that the file calls sold.
    pub before: u64,
    /// Units that the file has there.
    pub after: u64,
}

/// One VIN with different prices at several rooftops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PriceDifference {
    /// VIN.
    pub vin: String,
    /// Each rooftop's offer, in the order of ownership. The first is what buyers see.
    pub offers: Vec<Offer>,
}

/// What one rooftop asks for a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Offer {
    /// Rooftop; empty when the feed does not tell.
    pub rooftop: String,
    /// Advertised price in whole US dollars.
    pub price: Option<u64>,
    /// List price in whole US dollars.
    pub list_price: Option<u64>,
}

/// A unit of the file that the dealer has withdrawn by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Withheld {
    /// VIN, when it has one.
    pub vin: Option<String>,
    /// Stock number, when it has one.
    pub stock: Option<String>,
    /// Rooftop; empty when the feed does not tell.
    pub rooftop: String,
    /// When it was withdrawn.
    pub withdrawn_at: Timestamp,
    /// Why, as far as it was said.
    pub reason: Option<String>,
}

impl RunOutcome {
    /// The outcome in JSON, as programs are told of it.
    #[must_use]
    pub fn document(&self) -> Json {
        json!({
            "id": self.run.to_string(),
            "state": self.state.as_str(),
            "published": self.published,
            "added": self.added,
            "changed": self.changed,
            "withdrawn": self.withdrawn,
            "reason": self.kept_last_good,
            "held": self.held,
            "price_differences": self.price_differences,
            "withheld": self.withheld,
        })
    }

    pub(super) fn new(run: &Run<'_>, state: RunState) -> Self {
        Self {
            run: run.id,
            file_digest: run.file_digest.map(str::to_owned),
            state,
            published: 0,
            added: 0,
            changed: 0,
            withdrawn: 0,
            kept_last_good: None,
            held: Vec::new(),
            price_differences: Vec::new(),
            withheld: Vec::new(),
        }
    }
}

/// A rooftop and a condition: the places that a feed covers, each judged by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) rooftop: String,
    pub(super) condition: Option<Condition>,
}

impl Cell {
    pub(super) fn new(key: &Key, condition: Option<Condition>) -> Self {
        Self {
            rooftop: key.rooftop.clone(),
            condition,
        }
    }
}

/// The headers from which a file's prices were taken.
#[derive(Debug, Default)]
pub(super) struct PriceColumns {
    price: Option<String>,
    list_price: Option<String>,
}

impl PriceColumns {
    pub(super) fn of(report: &FeedReport) -> Self {
        let feeding = |field: &str| {
            let headers: Vec<&str> = report
                .columns
                .iter()
                .filter(|column| column.field == Some(field))
                .map(|column| column.header.as_str())
                .collect();
            (!headers.is_empty()).then(|| headers.join(" or "))
        };
        Self {
            price: feeding("price"),
            list_price: feeding("list_price"),
        }
    }

    /// The header of the amount that buyers see for this unit.
    pub(super) fn shown(&self, vehicle: &Vehicle) -> Option<&str> {
        let of_list_price = || {
            vehicle.list_price?;
            // Where several columns may be the price and differ, the first of them is the list price.
            self.list_price.as_deref().or(self.price.as_deref())
        };
        match vehicle.price {
            Some(_) => self.price.as_deref(),
            None => of_list_price(),
        }
    }
}
