//! One arrival of a feed file: what comes onto the lot, what changes, what leaves.

use std::collections::{BTreeMap, BTreeSet};

use aap::vehicle::{Condition, Status, Vehicle};
use dealers::{DealerId, FeedSettings};
use jiff::Timestamp;
use store::Conn;
use uuid::Uuid;

use super::{
    Error,
    list::{HistoryEvent, RunState, dollars},
    unit::{self, Key},
    write,
};
use crate::feed::{FeedReport, SoldUnit};

/// One arrival of a feed file.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Dealer.
    pub dealer: &'a DealerId,
    /// Name of the feed in the configuration.
    pub feed: &'a str,
    /// Identifier of this run.
    pub id: Uuid,
    /// Arrival, which becomes the `updated_at` of its units.
    pub now: Timestamp,
    /// Name of the file.
    pub file_name: Option<&'a str>,
    /// Digest of the file, in any form that tells two files apart.
    pub file_digest: Option<&'a str>,
    /// What was read from it.
    pub report: &'a FeedReport,
    /// Which rooftops and conditions the feed covers.
    pub settings: &'a FeedSettings,
    /// The dealer's rooftops in the order of the configuration.
    pub rooftops: &'a [String],
}

/// What a run did to the stock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunOutcome {
    /// Units in the file, each of which is published.
    pub published: u64,
    /// Units that came onto the lot, or back.
    pub added: u64,
    /// Units whose price, list price or status changed.
    pub changed: u64,
    /// Units that left.
    pub withdrawn: u64,
    /// Why the stock stays as the last good file left it; `None` when this file was applied.
    pub kept_last_good: Option<String>,
    /// VINs of this file that another rooftop offers at another price, by VIN.
    pub price_differences: Vec<PriceDifference>,
}

/// One VIN with different prices at several rooftops.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PriceDifference {
    /// VIN.
    pub vin: String,
    /// Each rooftop's offer, in the order of the configuration. The first is what buyers see.
    pub offers: Vec<Offer>,
}

/// What one rooftop asks for a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offer {
    /// Rooftop; empty when the feed does not tell.
    pub rooftop: String,
    /// Advertised price in whole US dollars.
    pub price: Option<u64>,
    /// List price in whole US dollars.
    pub list_price: Option<u64>,
}

/// Makes the units of a feed file the stock of its feed. A file that was refused, or that cannot
/// be right, changes nothing but the list of runs.
///
/// # Errors
/// When the database fails. Nothing is written then.
pub fn apply(conn: &mut dyn Conn, run: &Run<'_>) -> Result<RunOutcome, Error> {
    let before = stored(conn, run.dealer)?;
    let sold = sold_units(run.report);
    if let Some((state, reason)) = rejection(run, &before, &sold) {
        let outcome = RunOutcome {
            kept_last_good: Some(reason),
            ..RunOutcome::default()
        };
        write::run(conn, run, state, &outcome)?;
        return Ok(outcome);
    }
    let read = units_of(run.report);
    let mut outcome = RunOutcome {
        published: read.len() as u64,
        ..RunOutcome::default()
    };
    for (key, vehicle) in &read {
        match publish(conn, run, key, vehicle, before.get(key))? {
            Some(HistoryEvent::Published) => outcome.added += 1,
            Some(HistoryEvent::Changed) => outcome.changed += 1,
            Some(HistoryEvent::Withdrawn) | None => {}
        }
    }
    let mut staying = Vec::new();
    for (key, unit) in &before {
        if read.contains_key(key) || unit.gone_at.is_some() {
            continue;
        }
        let own = unit.feed == run.feed && covers(run.settings, key, unit);
        if own || is_sold(&sold, key) {
            write::withdraw(conn, run, key, &unit.terms)?;
            outcome.withdrawn += 1;
        } else {
            staying.push((key, &unit.terms));
        }
    }
    let known = before
        .keys()
        .chain(read.keys())
        .map(|key| key.unit.as_str());
    remember_sold(conn, run, &sold, &known.collect())?;
    outcome.price_differences = price_differences(run.rooftops, &read, &staying);
    write::raise_version(conn, run.dealer)?;
    write::run(conn, run, RunState::Applied, &outcome)?;
    Ok(outcome)
}

/// The units of a file by their keys; the first row of a key counts.
fn units_of(report: &FeedReport) -> BTreeMap<Key, &Vehicle> {
    let mut units = BTreeMap::new();
    for vehicle in report.vehicles.iter().map(|read| &read.vehicle) {
        if let Some(key) = Key::of(vehicle) {
            units.entry(key).or_insert(vehicle);
        }
    }
    units
}

/// Why the file must not become the stock. Every guard that compares a file with the stock before
/// it belongs here.
fn rejection(
    run: &Run<'_>,
    before: &BTreeMap<Key, StoredUnit>,
    sold: &Sold<'_>,
) -> Option<(RunState, String)> {
    if let Some(refusal) = &run.report.refused {
        return Some((RunState::Refused, refusal.message.clone()));
    }
    let own = |(_, unit): &(&Key, &StoredUnit)| unit.gone_at.is_none() && unit.feed == run.feed;
    let unexplained = |(key, _): &(&Key, &StoredUnit)| !is_sold(sold, key);
    let left = before.iter().filter(own).filter(unexplained).count();
    if run.report.vehicles.is_empty() && left > 0 {
        let reason = format!(
            "the file has no vehicle to publish and does not call the {left} on the lot sold; they \
             stay until a file has vehicles"
        );
        return Some((RunState::KeptLastGood, reason));
    }
    None
}

/// What a unit is offered at. A difference is an event in the unit's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) status: Option<String>,
    pub(super) price: Option<u64>,
    pub(super) list_price: Option<u64>,
}

impl Terms {
    pub(super) fn of(vehicle: &Vehicle) -> Self {
        Self {
            status: vehicle
                .status
                .map(|status| Status::as_str(status).to_owned()),
            price: vehicle.price,
            list_price: vehicle.list_price,
        }
    }
}

/// A unit as the database has it before the run.
struct StoredUnit {
    feed: String,
    /// Empty for a unit that is gone: it is written anew when it comes back.
    record: String,
    condition: Option<String>,
    terms: Terms,
    gone_at: Option<i64>,
}

fn stored(
    conn: &mut dyn Conn,
    dealer: &DealerId,
) -> Result<BTreeMap<Key, StoredUnit>, store::Error> {
    let units = conn.all(
        "SELECT unit, rooftop, feed, CASE WHEN gone_at IS NULL THEN record ELSE '' END,
                condition, status, price, list_price, gone_at
         FROM vehicle WHERE dealer = $1",
        &[dealer.into()],
        |row| {
            let key = Key {
                unit: row.text(0)?.to_owned(),
                rooftop: row.text(1)?.to_owned(),
            };
            let unit = StoredUnit {
                feed: row.text(2)?.to_owned(),
                record: row.text(3)?.to_owned(),
                condition: row.optional_text(4)?.map(str::to_owned),
                terms: Terms {
                    status: row.optional_text(5)?.map(str::to_owned),
                    price: dollars(row, 6)?,
                    list_price: dollars(row, 7)?,
                },
                gone_at: row.optional_int(8)?,
            };
            Ok((key, unit))
        },
    )?;
    Ok(units.into_iter().collect())
}

/// Publishes a unit of the file, and returns what is new about it.
fn publish(
    conn: &mut dyn Conn,
    run: &Run<'_>,
    key: &Key,
    vehicle: &Vehicle,
    before: Option<&StoredUnit>,
) -> Result<Option<HistoryEvent>, Error> {
    let terms = Terms::of(vehicle);
    let record = write::record(key, vehicle)?;
    let on_lot = before.filter(|unit| unit.gone_at.is_none());
    match on_lot {
        Some(unit) if unit.record == record => write::seen(conn, run, key)?,
        _ => write::unit(conn, run, key, vehicle, &record, None)?,
    }
    let event = match on_lot {
        None => HistoryEvent::Published,
        Some(unit) if unit.terms != terms => HistoryEvent::Changed,
        Some(_) => return Ok(None),
    };
    write::history(conn, run, key, event, &terms)?;
    Ok(Some(event))
}

/// True when the feed is the one to say whether this unit is still on the lot. One of no stated
/// condition came from this feed and from no other, so it leaves with it.
fn covers(settings: &FeedSettings, key: &Key, unit: &StoredUnit) -> bool {
    let rooftop = settings.rooftops.is_empty() || settings.rooftops.contains(&key.rooftop);
    let condition = unit.condition.as_deref().is_none_or(|condition| {
        let covered = |known: &Condition| known.as_str() == condition;
        settings.conditions.is_empty() || settings.conditions.iter().any(covered)
    });
    rooftop && condition
}

/// The units that a file itself calls sold, by unit.
type Sold<'a> = BTreeMap<String, Vec<&'a SoldUnit>>;

fn sold_units(report: &FeedReport) -> Sold<'_> {
    let mut units = Sold::new();
    for sold in &report.sold {
        if let Some(unit) = unit::of_sold(sold) {
            units.entry(unit).or_default().push(sold);
        }
    }
    units
}

/// True when the file calls the unit sold at this rooftop or at an unknown one, whichever feed the
/// unit came from.
fn is_sold(sold: &Sold<'_>, key: &Key) -> bool {
    let here = |sold: &&SoldUnit| {
        sold.rooftop
            .as_ref()
            .is_none_or(|name| *name == key.rooftop)
    };
    sold.get(&key.unit)
        .is_some_and(|sold| sold.iter().any(here))
}

/// Remembers the sold units that the dealer's stock never knew, so that a buyer who asks for one
/// hears that it is gone.
fn remember_sold(
    conn: &mut dyn Conn,
    run: &Run<'_>,
    sold: &Sold<'_>,
    known: &BTreeSet<&str>,
) -> Result<(), Error> {
    for (unit, sold) in sold
        .iter()
        .filter(|(unit, _)| !known.contains(unit.as_str()))
    {
        let Some(sold) = sold.first() else { continue };
        let vehicle = Vehicle {
            vin: sold.vin.clone(),
            stock: sold.stock.clone(),
            vehicle_id: sold.vehicle_id.clone(),
            rooftop: sold.rooftop.clone(),
            ..Vehicle::default()
        };
        let key = Key {
            unit: unit.clone(),
            rooftop: sold.rooftop.clone().unwrap_or_default(),
        };
        let record = write::record(&key, &vehicle)?;
        write::unit(conn, run, &key, &vehicle, &record, Some(run.now))?;
    }
    Ok(())
}

/// The VINs of the file that are on the lot of several rooftops at different prices.
fn price_differences(
    rooftops: &[String],
    read: &BTreeMap<Key, &Vehicle>,
    staying: &[(&Key, &Terms)],
) -> Vec<PriceDifference> {
    let mut offers: BTreeMap<&str, Vec<Offer>> = BTreeMap::new();
    for (key, vehicle) in read {
        if let Some(vin) = key.vin() {
            offers
                .entry(vin)
                .or_default()
                .push(Offer::of(key, &Terms::of(vehicle)));
        }
    }
    for (key, terms) in staying {
        if let Some(offers) = key.vin().and_then(|vin| offers.get_mut(vin)) {
            offers.push(Offer::of(key, terms));
        }
    }
    let place = |offer: &Offer| rooftops.iter().position(|name| *name == offer.rooftop);
    let differ = |offers: &[Offer]| {
        let terms = |offer: &Offer| (offer.price, offer.list_price);
        offers
            .windows(2)
            .any(|pair| terms(&pair[0]) != terms(&pair[1]))
    };
    offers.retain(|_, offers| differ(offers));
    offers
        .into_iter()
        .map(|(vin, mut offers)| {
            offers.sort_by_cached_key(|offer| {
                (place(offer).unwrap_or(usize::MAX), offer.rooftop.clone())
            });
            PriceDifference {
                vin: vin.to_owned(),
                offers,
            }
        })
        .collect()
}

impl Offer {
    fn of(key: &Key, terms: &Terms) -> Self {
        Self {
            rooftop: key.rooftop.clone(),
            price: terms.price,
            list_price: terms.list_price,
        }
    }
}
