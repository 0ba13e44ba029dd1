//! The stock in the database: what each feed run published, changed and withdrew.

use dealers::{DealerId, FeedSettings, Period};
use jiff::Timestamp;
use store::{Conn, Error};
use uuid::Uuid;

use crate::listing::{GoneUnit, Listing};

/// One arrival of a feed file.
#[derive(Debug)]
pub struct Run<'a> {
    /// Dealer.
    pub dealer: &'a DealerId,
    /// Name of the feed in the configuration.
    pub feed: &'a str,
    /// Identifier of this run.
    pub id: Uuid,
    /// Arrival.
    pub now: Timestamp,
    /// The feed's statement: which rooftops and conditions it covers.
    pub settings: &'a FeedSettings,
    /// Every rooftop of the dealer, in the order of the configuration.
    pub rooftops: &'a [String],
}

/// What a run did to the stock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunOutcome {
    /// Units of this feed that are published after the run.
    pub published: u64,
    /// Units that were not published before.
    pub added: u64,
    /// Units whose price, list price or status changed.
    pub changed: u64,
    /// Units that were published and are not in the file.
    pub withdrawn: u64,
    /// Why the last good stock stays up; `None` when the file was applied.
    pub kept_last_good: Option<String>,
}

/// A dealer's stock, ready for a snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Stock {
    /// Which state of the stock this is; a later one is greater.
    pub version: u64,
    /// Published units, one for each VIN.
    pub listings: Vec<Listing>,
    /// Units that were published within the remembered time.
    pub gone: Vec<GoneUnit>,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Its units are the feed's stock.
    Applied,
    /// The file was not readable as a feed; the last good stock stays up.
    Refused,
    /// The file was readable but not believable; the last good stock stays up.
    KeptLastGood,
}

/// One run, as the command line lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunRecord {
    /// Identifier.
    pub id: Uuid,
    /// Feed.
    pub feed: String,
    /// Arrival.
    pub received_at: Timestamp,
    /// What became of it.
    pub state: RunState,
    /// Why it was not applied.
    pub reason: Option<String>,
    /// Rows in the file.
    pub rows: u64,
    /// Units published.
    pub published: u64,
}

/// One step in the life of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// When.
    pub at: Timestamp,
    /// Rooftop.
    pub rooftop: String,
    /// What happened.
    pub event: HistoryEvent,
    /// Advertised price after it, whole US dollars.
    pub price: Option<u64>,
    /// List price after it, whole US dollars.
    pub list_price: Option<u64>,
}

/// What happened to a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryEvent {
    /// It came onto the lot, or back.
    Published,
    /// Price, list price or status changed.
    Changed,
    /// It left the feed.
    Withdrawn,
}

/// Makes the units of a feed file the feed's stock, or keeps the last good stock and says why.
///
/// # Errors
/// What the database refuses.
pub fn apply(conn: &mut dyn Conn, run: &Run<'_>) -> Result<RunOutcome, Error> {
    let _ = (conn, run);
    Ok(RunOutcome::default())
}

/// The dealer's stock: one listing for each VIN, and what is gone within `remember`.
///
/// # Errors
/// What the database refuses.
pub fn load(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    rooftops: &[String],
    remember: Period,
    now: Timestamp,
) -> Result<Stock, Error> {
    let _ = (conn, dealer, rooftops, remember, now);
    Ok(Stock::default())
}

/// The latest runs, newest first.
///
/// # Errors
/// What the database refuses.
pub fn runs(conn: &mut dyn Conn, dealer: &DealerId, limit: u64) -> Result<Vec<RunRecord>, Error> {
    let _ = (conn, dealer, limit);
    Ok(Vec::new())
}

/// The life of a VIN, oldest first.
///
/// # Errors
/// What the database refuses.
pub fn history(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    vin: &str,
) -> Result<Vec<HistoryEntry>, Error> {
    let _ = (conn, dealer, vin);
    Ok(Vec::new())
}
