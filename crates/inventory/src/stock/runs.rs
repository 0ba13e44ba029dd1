//! The arrivals of feed files, and how each feed stands.

use dealers::{Dealer, DealerId, Period};
use jiff::Timestamp;
use store::{Conn, Row, Value};
use uuid::Uuid;

use super::{
    Error,
    row::{self, count, json, named},
    run::Held,
};

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    const ALL: [Self; 5] = [
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

    pub(super) fn of(row: &dyn Row, column: usize) -> Result<Self, store::Error> {
        named(row, column, |text| {
            Self::ALL.into_iter().find(|state| state.as_str() == text)
        })
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
    /// Arrival of the file, or the moment at which a person had it applied.
    pub received_at: Timestamp,
    /// Name of the file.
    pub file_name: Option<String>,
    /// Digest of the file.
    pub file_digest: Option<String>,
    /// Layout, as [`crate::feed::Layout`] is written in JSON.
    pub layout: String,
    /// What became of it.
    pub state: RunState,
    /// Why it was not applied, or not everywhere.
    pub reason: Option<String>,
    /// Where the last good stock stayed up.
    pub held: Vec<Held>,
    /// The earlier run whose file a person had applied by this one.
    pub accepts: Option<Uuid>,
    /// Who had it applied.
    pub accepted_by: Option<String>,
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

impl RunRecord {
    /// A run of a feed that ended in this state. Nothing is counted yet.
    #[must_use]
    pub fn new(id: Uuid, feed: &str, received_at: Timestamp, state: RunState) -> Self {
        Self {
            id,
            feed: feed.to_owned(),
            received_at,
            file_name: None,
            file_digest: None,
            layout: String::new(),
            state,
            reason: None,
            held: Vec::new(),
            accepts: None,
            accepted_by: None,
            rows: 0,
            skipped: 0,
            warnings: 0,
            published: 0,
            added: 0,
            changed: 0,
            withdrawn: 0,
        }
    }
}

/// Writes a run down.
///
/// # Errors
/// When the database fails, or holds a run of this identifier.
pub fn enter(conn: &mut dyn Conn, dealer: &DealerId, run: &RunRecord) -> Result<(), store::Error> {
    let number = |count: u64| Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let held = serde_json::to_string(&run.held).ok();
    let accepted = run.accepts.map(|run| run.to_string());
    conn.execute(
        "INSERT INTO feed_run (dealer, run_id, feed, received_at, file_name, file_digest, layout,
                               row_count, skipped, warnings, published, added, changed, withdrawn,
                               state, reason, held, accepts, accepted_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19)",
        &[
            dealer.into(),
            (&run.id.to_string()).into(),
            (&run.feed).into(),
            run.received_at.into(),
            run.file_name.as_ref().into(),
            run.file_digest.as_ref().into(),
            (&run.layout).into(),
            number(run.rows),
            number(run.skipped),
            number(run.warnings),
            number(run.published),
            number(run.added),
            number(run.changed),
            number(run.withdrawn),
            run.state.as_str().into(),
            run.reason.as_ref().into(),
            held.as_deref().filter(|_| !run.held.is_empty()).into(),
            accepted.as_deref().into(),
            run.accepted_by.as_ref().into(),
        ],
    )?;
    Ok(())
}

/// A query whose rows [`record`] takes.
macro_rules! select_run {
    ($condition:literal) => {
        concat!(
            "SELECT run_id, feed, received_at, file_name, file_digest, layout, state, reason,
                    row_count, skipped, warnings, published, added, changed, withdrawn, held,
                    accepts, accepted_by
             FROM feed_run ",
            $condition
        )
    };
}

/// The latest `limit` runs of one feed, or of all, newest first.
///
/// # Errors
/// When the database fails.
pub fn runs(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: Option<&str>,
    limit: u32,
) -> Result<Vec<RunRecord>, Error> {
    let runs = conn.all(
        select_run!(
            "WHERE dealer = $1 AND (CAST($2 AS TEXT) IS NULL OR feed = $2)
             ORDER BY received_at DESC, run_id DESC LIMIT $3"
        ),
        &[dealer.into(), feed.into(), Value::Int(limit.into())],
        record,
    )?;
    Ok(runs)
}

/// One run.
///
/// # Errors
/// When the database fails.
pub fn run(conn: &mut dyn Conn, dealer: &DealerId, id: Uuid) -> Result<Option<RunRecord>, Error> {
    let run = conn.first(
        select_run!("WHERE dealer = $1 AND run_id = $2"),
        &[dealer.into(), (&id.to_string()).into()],
        record,
    )?;
    Ok(run)
}

fn record(row: &dyn Row) -> Result<RunRecord, store::Error> {
    Ok(RunRecord {
        id: row::id(row, 0)?,
        feed: row.text(1)?.to_owned(),
        received_at: row.time(2)?,
        file_name: row.optional_text(3)?.map(str::to_owned),
        file_digest: row.optional_text(4)?.map(str::to_owned),
        layout: row.text(5)?.to_owned(),
        state: RunState::of(row, 6)?,
        reason: row.optional_text(7)?.map(str::to_owned),
        held: json(row, 15)?.unwrap_or_default(),
        accepts: row.optional_text(16)?.and_then(|text| text.parse().ok()),
        accepted_by: row.optional_text(17)?.map(str::to_owned),
        rows: count(row, 8)?,
        skipped: count(row, 9)?,
        warnings: count(row, 10)?,
        published: count(row, 11)?,
        added: count(row, 12)?,
        changed: count(row, 13)?,
        withdrawn: count(row, 14)?,
    })
}

/// A run whose file is the feed's stock, at least in part.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastApplied {
    /// The run.
    pub id: Uuid,
    /// When its file was applied.
    pub at: Timestamp,
    /// Digest of the file.
    pub digest: Option<String>,
    /// What became of it.
    pub state: RunState,
}

/// True when the feed's latest file that could be read was not believed as a whole, and nobody has
/// had it applied since.
pub(crate) fn is_in_doubt(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: &str,
) -> Result<bool, store::Error> {
    let latest = conn.first(
        "SELECT state FROM feed_run WHERE dealer = $1 AND feed = $2 AND state <> 'refused'
         ORDER BY received_at DESC, run_id DESC LIMIT 1",
        &[dealer.into(), feed.into()],
        |row| RunState::of(row, 0),
    )?;
    Ok(latest.is_some_and(|state| !state.is_good()))
}

/// The latest run of a feed whose file was applied, at least in part.
///
/// # Errors
/// When the database fails.
pub fn last_applied(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: &str,
) -> Result<Option<LastApplied>, store::Error> {
    conn.first(
        "SELECT run_id, received_at, file_digest, state FROM feed_run
         WHERE dealer = $1 AND feed = $2 AND state IN ('applied', 'repeated', 'kept_in_part')
         ORDER BY received_at DESC, run_id DESC LIMIT 1",
        &[dealer.into(), feed.into()],
        |row| {
            Ok(LastApplied {
                id: row::id(row, 0)?,
                at: row.time(1)?,
                digest: row.optional_text(2)?.map(str::to_owned),
                state: RunState::of(row, 3)?,
            })
        },
    )
}

/// How a feed stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedOverview {
    /// Name.
    pub feed: String,
    /// Its latest run; `None` when no file ever came.
    pub last: Option<RunRecord>,
    /// Arrival of the latest file whose units are the stock, at least in part.
    pub last_applied_at: Option<Timestamp>,
    /// Units of the feed on the lot, hidden and withheld ones included.
    pub on_lot: u64,
    /// When the next file is expected; `None` where nothing is stated or nothing is known yet.
    pub next_expected: Option<Timestamp>,
}

/// How each feed stands: those of the configuration in its order, then those that sent files and
/// are not in it.
///
/// # Errors
/// When the database fails.
pub fn feeds(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
) -> Result<Vec<FeedOverview>, Error> {
    let mut names: Vec<String> = dealer.feeds.keys().cloned().collect();
    let known = conn.all(
        "SELECT DISTINCT feed FROM feed_run WHERE dealer = $1 ORDER BY feed",
        &[id.into()],
        |row| Ok(row.text(0)?.to_owned()),
    )?;
    for name in known {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
        .into_iter()
        .map(|feed| {
            let every = dealer.feeds.get(&feed).and_then(|it| it.expect_every);
            overview(conn, id, &feed, every)
        })
        .collect()
}

/// How one feed stands, of which a file is expected `every` so often.
///
/// # Errors
/// When the database fails.
pub fn overview(
    conn: &mut dyn Conn,
    id: &DealerId,
    feed: &str,
    every: Option<Period>,
) -> Result<FeedOverview, Error> {
    let on_lot = conn.first(
        "SELECT COUNT(*) FROM vehicle WHERE dealer = $1 AND feed = $2 AND gone_at IS NULL",
        &[id.into(), feed.into()],
        |row| count(row, 0),
    )?;
    let waiting_since = awaited_since(conn, id, feed)?;
    Ok(FeedOverview {
        last: runs(conn, id, Some(feed), 1)?.into_iter().next(),
        last_applied_at: last_applied(conn, id, feed)?.map(|last| last.at),
        on_lot: on_lot.unwrap_or(0),
        next_expected: every
            .zip(waiting_since)
            .and_then(|(every, since)| since.at().checked_add(every.duration()).ok()),
        feed: feed.to_owned(),
    })
}

/// Since when the next file of a feed is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) enum AwaitedSince {
    /// The last file arrived then.
    File(Timestamp),
    /// No file ever came; it is expected since then.
    Expected(Timestamp),
}

impl AwaitedSince {
    pub(super) const fn at(self) -> Timestamp {
        match self {
            Self::File(at) | Self::Expected(at) => at,
        }
    }
}

pub(super) fn awaited_since(
    conn: &mut dyn Conn,
    id: &DealerId,
    feed: &str,
) -> Result<Option<AwaitedSince>, Error> {
    // A file that a person has applied after all arrived before.
    let file = conn.first(
        "SELECT received_at FROM feed_run
         WHERE dealer = $1 AND feed = $2 AND accepts IS NULL ORDER BY received_at DESC LIMIT 1",
        &[id.into(), feed.into()],
        |row| row.time(0),
    )?;
    if let Some(at) = file {
        return Ok(Some(AwaitedSince::File(at)));
    }
    let expected = conn.first(
        "SELECT since FROM feed_expected WHERE dealer = $1 AND feed = $2",
        &[id.into(), feed.into()],
        |row| row.time(0),
    )?;
    Ok(expected.map(AwaitedSince::Expected))
}
