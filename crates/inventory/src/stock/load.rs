//! The published stock, read for a snapshot.

use aap::vehicle::Vehicle;
use dealers::{DealerId, Period};
use jiff::Timestamp;
use store::{Conn, Value};

use super::{Error, unit::Key};
use crate::listing::{GoneUnit, Listing};

/// A dealer's stock, ready for a snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Stock {
    /// Which state of the stock this is; a later one is greater.
    pub version: u64,
    /// Published units, one for each VIN.
    pub listings: Vec<Listing>,
    /// Units that left within the remembered time and are at no rooftop any more.
    pub gone: Vec<GoneUnit>,
}

/// Reads the published units, and those that went within `remember` before `now`.
///
/// A VIN at several of the `rooftops` is one listing with the vehicle of the rooftop that comes
/// first in the configuration; so is its `updated_at`, the arrival of the last good feed that
/// contained it there.
///
/// # Errors
/// When the database fails or holds a record that is not a vehicle.
pub fn load(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    rooftops: &[String],
    remember: Period,
    now: Timestamp,
) -> Result<Stock, Error> {
    let version = version(conn, dealer)?;
    let since = now
        .checked_sub(remember.duration())
        .unwrap_or(Timestamp::MIN);
    let mut rows = remembered(conn, dealer, since)?;
    let place = |rooftop: &str| rooftops.iter().position(|name| name == rooftop);
    rows.sort_by_cached_key(|row| {
        let place = place(&row.key.rooftop).unwrap_or(usize::MAX);
        // Units without a VIN are not one unit because they share a stock number.
        let apart = row.key.vin().is_none().then(|| row.key.rooftop.clone());
        (row.key.unit.clone(), apart, place, row.key.rooftop.clone())
    });
    let mut stock = Stock {
        version,
        ..Stock::default()
    };
    let same = |left: &Row, right: &Row| {
        left.key == right.key || (left.key.unit == right.key.unit && left.key.vin().is_some())
    };
    for rooftops in rows.chunk_by(same) {
        let (listed, gone): (Vec<&Row>, Vec<&Row>) =
            rooftops.iter().partition(|row| row.gone_at.is_none());
        match listed.first() {
            Some(shown) => stock.listings.push(Listing {
                vehicle: published(shown, dealer)?,
                rooftops: listed
                    .iter()
                    .map(|row| row.key.rooftop.clone())
                    .filter(|rooftop| !rooftop.is_empty())
                    .collect(),
            }),
            None => {
                for row in gone {
                    stock.gone.extend(gone_unit(row)?);
                }
            }
        }
    }
    Ok(stock)
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
    record: String,
    seen_at: Timestamp,
    gone_at: Option<Timestamp>,
}

fn remembered(conn: &mut dyn Conn, dealer: &DealerId, since: Timestamp) -> Result<Vec<Row>, Error> {
    let rows = conn.all(
        "SELECT unit, rooftop, record, seen_at, gone_at FROM vehicle
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
                gone_at: row.optional_int(4)?.map(|_| row.time(4)).transpose()?,
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
        gone_at,
    }))
}

pub(super) fn vehicle(unit: &str, record: &str) -> Result<Vehicle, Error> {
    serde_json::from_str(record).map_err(|source| Error::Record {
        unit: unit.to_owned(),
        source,
    })
}
