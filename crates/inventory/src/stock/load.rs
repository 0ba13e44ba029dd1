//! The published stock, read for a snapshot.

use aap::vehicle::Vehicle;
use dealers::{Dealer, DealerId};
use jiff::Timestamp;
use store::{Conn, Value};

use super::{
    Error,
    unit::{Key, hides_at},
    withdrawal,
};
use crate::listing::{GoneUnit, Listing};

/// A dealer's stock, ready for a snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Stock {
    /// Which state of the stock this is; a later one is greater.
    pub version: u64,
    /// Published units, one for each VIN.
    pub listings: Vec<Listing>,
    /// For each listing, the arrivals of the first and of the last good feed that contained it at a rooftop
    /// that lists it.
    pub seen: Vec<(Timestamp, Timestamp)>,
    /// Units that left within the remembered time and are at no rooftop any more.
    pub gone: Vec<GoneUnit>,
    /// When the first of the published units is hidden because no good file contained it for its
    /// feed's `max_age`: from then on this stock is not right any more, without any run. `None`
    /// while no unit can be hidden by time.
    pub hides_at: Option<Timestamp>,
}

/// Reads the stock as buyers see it at `now`, and the units that went within the dealer's
/// `remember_sold`.
///
/// A VIN at several rooftops is one listing with the vehicle of the rooftop that owns it (see
/// [`Dealer::ownership`]); so is its `updated_at`, the arrival of the last good feed that contained
/// it there. A unit is not published that no good feed contained for its feed's `max_age`, or that
/// the dealer withdrew by hand.
///
/// # Errors
/// When the database fails or holds a record that is not a vehicle.
pub fn load(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    now: Timestamp,
) -> Result<Stock, Error> {
    let version = version(conn, id)?;
    let since = now
        .checked_sub(dealer.remember_sold.duration())
        .unwrap_or(Timestamp::MIN);
    let mut rows = remembered(conn, id, since)?;
    let mut stock = Stock {
        version,
        ..Stock::default()
    };
    let withdrawals = withdrawal::all(conn, id)?;
    for row in &mut rows {
        if row.gone_at.is_some() {
            continue;
        }
        let hides_at = hides_at(dealer, &row.feed, row.seen_at);
        row.gone_at = match withdrawals.of(&row.key) {
            Some(withdrawal) => Some(withdrawal.at),
            None => hides_at.filter(|at| *at <= now),
        };
        if row.gone_at.is_none() {
            stock.hides_at = earliest(stock.hides_at, hides_at);
        }
    }
    let ownership = dealer.ownership();
    let place = |rooftop: &str| ownership.iter().position(|name| *name == rooftop);
    rows.sort_by_cached_key(|row| {
        let place = place(&row.key.rooftop).unwrap_or(usize::MAX);
        // Units without a VIN are not one unit because they share a stock number.
        let apart = row.key.vin().is_none().then(|| row.key.rooftop.clone());
        (row.key.unit.clone(), apart, place, row.key.rooftop.clone())
    });
    let same = |left: &Row, right: &Row| {
        left.key == right.key || (left.key.unit == right.key.unit && left.key.vin().is_some())
    };
    for rooftops in rows.chunk_by(same) {
        let (listed, gone): (Vec<&Row>, Vec<&Row>) =
            rooftops.iter().partition(|row| row.gone_at.is_none());
        match listed.first() {
            Some(shown) => {
                stock.listings.push(Listing {
                    vehicle: published(shown, id)?,
                    rooftops: in_order(dealer, &listed),
                });
                stock.seen.push(seen(shown, &listed));
            }
            None => {
                for row in gone {
                    stock.gone.extend(gone_unit(row)?);
                }
            }
        }
    }
    Ok(stock)
}

fn seen(shown: &Row, listed: &[&Row]) -> (Timestamp, Timestamp) {
    let (first, last) = (shown.first_seen_at, shown.seen_at);
    listed.iter().fold((first, last), |(first, last), row| {
        (first.min(row.first_seen_at), last.max(row.seen_at))
    })
}

fn earliest(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}

/// The rooftops that list a unit, in the order of the configuration.
fn in_order(dealer: &Dealer, listed: &[&Row]) -> Vec<String> {
    let mut rooftops: Vec<String> = listed
        .iter()
        .map(|row| row.key.rooftop.clone())
        .filter(|rooftop| !rooftop.is_empty())
        .collect();
    rooftops.sort_by_cached_key(|rooftop| {
        let place = dealer.rooftops.get_index_of(rooftop);
        (place.unwrap_or(usize::MAX), rooftop.clone())
    });
    rooftops
}

/// Which state of the stock the database holds; 0 before the first run.
///
/// # Errors
/// When the database fails.
pub fn version(conn: &mut dyn Conn, dealer: &DealerId) -> Result<u64, Error> {
    let version = conn.first(
        "SELECT version FROM stock_version WHERE dealer = $1",
        &[dealer.into()],
        |row| row.int(0),
    )?;
    Ok(version
        .and_then(|version| u64::try_from(version).ok())
        .unwrap_or(0))
}

struct Row {
    key: Key,
    feed: String,
    record: String,
    first_seen_at: Timestamp,
    seen_at: Timestamp,
    /// Since when buyers do not see it.
    gone_at: Option<Timestamp>,
}

fn remembered(conn: &mut dyn Conn, dealer: &DealerId, since: Timestamp) -> Result<Vec<Row>, Error> {
    let rows = conn.all(
        "SELECT unit, rooftop, record, seen_at, gone_at, feed, first_seen_at FROM vehicle
         WHERE dealer = $1 AND (gone_at IS NULL OR gone_at >= $2)",
        &[dealer.into(), Value::from(since)],
        |row| {
            Ok(Row {
                key: Key {
                    unit: row.text(0)?.to_owned(),
                    rooftop: row.text(1)?.to_owned(),
                },
                record: row.text(2)?.to_owned(),
                seen_at: row.time(3)?,
                gone_at: row.optional_time(4)?,
                feed: row.text(5)?.to_owned(),
                first_seen_at: row.time(6)?,
            })
        },
    )?;
    Ok(rows)
}

/// The vehicle as buyers see it.
fn published(row: &Row, dealer: &DealerId) -> Result<Vehicle, Error> {
    let mut vehicle = vehicle(&row.key.unit, &row.record)?;
    vehicle.dealer_id = Some(dealer.to_string());
    vehicle.updated_at = Some(row.seen_at.to_string());
    Ok(vehicle)
}

fn gone_unit(row: &Row) -> Result<Option<GoneUnit>, Error> {
    let vehicle = vehicle(&row.key.unit, &row.record)?;
    Ok(row.gone_at.map(|gone_at| GoneUnit {
        vin: vehicle.vin,
        stock: vehicle.stock,
        vehicle_id: vehicle.vehicle_id,
        rooftop: Some(row.key.rooftop.clone()).filter(|name| !name.is_empty()),
        gone_at,
    }))
}

pub(super) fn vehicle(unit: &str, record: &str) -> Result<Vehicle, Error> {
    serde_json::from_str(record).map_err(|source| Error::Record {
        unit: unit.to_owned(),
        source,
    })
}
