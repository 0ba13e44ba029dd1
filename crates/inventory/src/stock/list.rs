//! What the command line shows: runs, units and the life of a VIN.

use aap::vehicle::Vehicle;
use dealers::DealerId;
use jiff::Timestamp;
use store::{Conn, Row, Value};
use uuid::Uuid;

use super::{Error, load, unit};

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunState {
    /// Its units are the feed's stock.
    Applied,
    /// The same bytes as the last good file: its units were seen once more.
    Repeated,
    /// Its units are the feed's stock, except at the rooftops and conditions where too many were
    /// missing: there the last good stock stays up.
    KeptInPart,
    /// The file could not be read as a feed; the last good stock stays up.
    Refused,
    /// The file could be read but not believed; the last good stock stays up.
    KeptLastGood,
}

impl RunState {
    pub(super) const ALL: [Self; 5] = [
        Self::Applied,
        Self::Repeated,
        Self::KeptInPart,
        Self::Refused,
        Self::KeptLastGood,
    ];

    /// The name in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Repeated => "repeated",
            Self::KeptInPart => "kept_in_part",
            Self::Refused => "refused",
            Self::KeptLastGood => "kept_last_good",
        }
    }

    /// True when the whole file was believed.
    #[must_use]
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Applied | Self::Repeated)
    }
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunRecord {
    /// Identifier.
    pub id: Uuid,
    /// Feed.
    pub feed: String,
    /// Arrival of the file.
    pub received_at: Timestamp,
    /// Name of the file.
    pub file_name: Option<String>,
    /// Digest of the file.
    pub file_digest: Option<String>,
    /// Layout, as [`crate::feed::Layout`] is written in JSON.
    pub layout: String,
    /// What became of it.
    pub state: RunState,
    /// Why it was not applied.
    pub reason: Option<String>,
    /// Rows in the file.
    pub rows: u64,
    /// Rows that are not published.
    pub skipped: u64,
    /// Warnings about published rows.
    pub warnings: u64,
    /// Units of the feed that were published by it.
    pub published: u64,
    /// Units that came onto the lot, or back.
    pub added: u64,
    /// Units whose price, list price or status changed.
    pub changed: u64,
    /// Units that left.
    pub withdrawn: u64,
}

/// The latest `limit` runs, newest first.
///
/// # Errors
/// When the database fails.
pub fn runs(conn: &mut dyn Conn, dealer: &DealerId, limit: u32) -> Result<Vec<RunRecord>, Error> {
    let runs = conn.all(
        "SELECT run_id, feed, received_at, file_name, file_digest, layout, state, reason,
                row_count, skipped, warnings, published, added, changed, withdrawn
         FROM feed_run WHERE dealer = $1 ORDER BY received_at DESC, run_id DESC LIMIT $2",
        &[dealer.into(), Value::Int(limit.into())],
        |row| {
            Ok(RunRecord {
                id: named(row, 0, |text| text.parse().ok())?,
                feed: row.text(1)?.to_owned(),
                received_at: row.time(2)?,
                file_name: row.optional_text(3)?.map(str::to_owned),
                file_digest: row.optional_text(4)?.map(str::to_owned),
                layout: row.text(5)?.to_owned(),
                state: named(row, 6, |text| {
                    RunState::ALL
                        .into_iter()
                        .find(|state| state.as_str() == text)
                })?,
                reason: row.optional_text(7)?.map(str::to_owned),
                rows: count(row, 8)?,
                skipped: count(row, 9)?,
                warnings: count(row, 10)?,
                published: count(row, 11)?,
                added: count(row, 12)?,
                changed: count(row, 13)?,
                withdrawn: count(row, 14)?,
            })
        },
    )?;
    Ok(runs)
}

/// A unit at one rooftop, published or gone.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StockedUnit {
    /// The vehicle as read from the feed.
    pub vehicle: Vehicle,
    /// The feed that last contained it.
    pub feed: String,
    /// Arrival of the first feed that contained it.
    pub first_seen_at: Timestamp,
    /// Arrival of the last good feed that contained it.
    pub seen_at: Timestamp,
    /// When it left; `None` while it is published.
    pub gone_at: Option<Timestamp>,
}

/// Every unit that the dealer's database knows, one for each rooftop, by VIN, stock number and
/// identifier.
///
/// # Errors
/// When the database fails or holds a record that is not a vehicle.
pub fn vehicles(conn: &mut dyn Conn, dealer: &DealerId) -> Result<Vec<StockedUnit>, Error> {
    let rows = conn.all(
        "SELECT unit, record, feed, first_seen_at, seen_at, gone_at
         FROM vehicle WHERE dealer = $1 ORDER BY unit DESC, rooftop",
        &[dealer.into()],
        |row| {
            Ok((
                row.text(0)?.to_owned(),
                row.text(1)?.to_owned(),
                row.text(2)?.to_owned(),
                row.time(3)?,
                row.time(4)?,
                row.optional_int(5)?.map(|_| row.time(5)).transpose()?,
            ))
        },
    )?;
    rows.into_iter()
        .map(|(unit, record, feed, first_seen_at, seen_at, gone_at)| {
            Ok(StockedUnit {
                vehicle: load::vehicle(&unit, &record)?,
                feed,
                first_seen_at,
                seen_at,
                gone_at,
            })
        })
        .collect()
}

/// What happened to a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HistoryEvent {
    /// It came onto the lot, or back.
    Published,
    /// Price, list price or status changed.
    Changed,
    /// It left.
    Withdrawn,
}

impl HistoryEvent {
    const ALL: [Self; 3] = [Self::Published, Self::Changed, Self::Withdrawn];

    /// The name in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Changed => "changed",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// One step in the life of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// Arrival of the feed.
    pub at: Timestamp,
    /// The run.
    pub run: Uuid,
    /// Rooftop; empty when the feed does not tell.
    pub rooftop: String,
    /// What happened.
    pub event: HistoryEvent,
    /// Status after it, or the last one when it left.
    pub status: Option<String>,
    /// Advertised price in whole US dollars, after it, or the last one when it left.
    pub price: Option<u64>,
    /// List price in whole US dollars, after it, or the last one when it left.
    pub list_price: Option<u64>,
}

/// The life of a VIN at every rooftop, oldest first.
///
/// # Errors
/// When the database fails.
pub fn history(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    vin: &str,
) -> Result<Vec<HistoryEntry>, Error> {
    let unit = unit::of_vin(vin);
    let entries = conn.all(
        "SELECT happened_at, run_id, rooftop, event, status, price, list_price
         FROM vehicle_history WHERE dealer = $1 AND unit = $2
         ORDER BY happened_at, run_id, rooftop",
        &[dealer.into(), Value::Text(&unit)],
        |row| {
            Ok(HistoryEntry {
                at: row.time(0)?,
                run: named(row, 1, |text| text.parse().ok())?,
                rooftop: row.text(2)?.to_owned(),
                event: named(row, 3, |text| {
                    HistoryEvent::ALL
                        .into_iter()
                        .find(|event| event.as_str() == text)
                })?,
                status: row.optional_text(4)?.map(str::to_owned),
                price: dollars(row, 5)?,
                list_price: dollars(row, 6)?,
            })
        },
    )?;
    Ok(entries)
}

/// Reads a text column as one of the values that it may hold.
pub(super) fn named<T>(
    row: &dyn Row,
    column: usize,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, store::Error> {
    let text = row.text(column)?;
    read(text).ok_or_else(|| store::Error::Value {
        column,
        reason: format!("{text:?} is not a value that this column holds"),
    })
}

fn count(row: &dyn Row, column: usize) -> Result<u64, store::Error> {
    Ok(u64::try_from(row.int(column)?).unwrap_or(0))
}

/// An amount that may be missing.
pub(super) fn dollars(row: &dyn Row, column: usize) -> Result<Option<u64>, store::Error> {
    let amount = row.optional_int(column)?;
    Ok(amount.and_then(|amount| u64::try_from(amount).ok()))
}
