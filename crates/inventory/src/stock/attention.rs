//! Which feeds need a person.

use dealers::{Dealer, DealerId, Period};
use jiff::Timestamp;
use store::Conn;
use uuid::Uuid;

use super::{
    Error, row,
    runs::{AwaitedSince, RunState, awaited_since},
};

/// What is wrong with a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum AttentionKind {
    /// The latest file could not be read as a feed.
    Refused,
    /// A file was read and not believed, whole or at some rooftops and conditions.
    KeptLastGood,
    /// No file came within the feed's `expect_every`.
    Overdue,
    /// Units are hidden because no good file contained them within the feed's `max_age`.
    Hidden,
}

impl AttentionKind {
    /// The name in causes and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::KeptLastGood => "kept_last_good",
            Self::Overdue => "overdue",
            Self::Hidden => "hidden",
        }
    }
}

/// A state of a feed that a person has to do something about. It lasts until [`attention`] lists
/// its cause no more.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attention {
    /// The same text as long as the state lasts, unique within the dealer: `feed/FEED/KIND`.
    pub cause: String,
    /// What is wrong.
    pub kind: AttentionKind,
    /// Feed.
    pub feed: String,
    /// When it began.
    pub since: Timestamp,
    /// The latest run that shows it, which `feeds show` explains.
    pub run: Option<Uuid>,
    /// One line for a person: what is wrong, what stays up meanwhile.
    pub text: String,
}

/// The feeds of a dealer that need a person at this moment, by cause. It is a function of the
/// database, the configuration and the clock: the same answer on every node.
///
/// # Errors
/// When the database fails.
pub fn attention(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    now: Timestamp,
) -> Result<Vec<Attention>, Error> {
    let mut found = Vec::new();
    for feed in feeds(conn, id, dealer)? {
        let settings = dealer.feeds.get(&feed).cloned().unwrap_or_default();
        let watched = Watched {
            feed: &feed,
            called: &format!("feed {feed}"),
            accept: "forecourt feeds accept",
            expect_every: settings.expect_every,
        };
        found.extend(attend(conn, id, watched, now)?);
        if let Some(age) = settings.max_age {
            found.extend(hidden(conn, id, &feed, age, now)?);
        }
    }
    found.sort_by(|left, right| left.cause.cmp(&right.cause));
    Ok(found)
}

/// A feed, and how people are told of it.
#[derive(Debug, Clone, Copy)]
pub struct Watched<'a> {
    /// Name of the feed in the database.
    pub feed: &'a str,
    /// What people call it: `feed used`.
    pub called: &'a str,
    /// The command that applies a file after all, before the identifier of the run.
    pub accept: &'a str,
    /// Longest time between two files.
    pub expect_every: Option<Period>,
}

/// What of one feed needs a person because of the files that came, or did not come.
///
/// # Errors
/// When the database fails.
pub fn attend(
    conn: &mut dyn Conn,
    id: &DealerId,
    watched: Watched<'_>,
    now: Timestamp,
) -> Result<Vec<Attention>, Error> {
    let unsettled = since_last_good(conn, id, watched.feed)?;
    let mut found = Vec::new();
    found.extend(refused(watched, &unsettled));
    found.extend(kept(watched, &unsettled));
    if let Some(every) = watched.expect_every {
        found.extend(overdue(conn, id, watched, every, now)?);
    }
    Ok(found)
}

/// Notes that files of the dealer's feeds are expected from now on, so that a feed that never
/// sends one becomes overdue. Feeds that are noted already keep their time.
///
/// # Errors
/// When the database fails.
pub fn expect_feeds(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    now: Timestamp,
) -> Result<(), Error> {
    let mut feeds = dealer.feeds.keys();
    feeds.try_for_each(|feed| expect_feed(conn, id, feed, now))
}

/// The same for one feed.
///
/// # Errors
/// When the database fails.
pub fn expect_feed(
    conn: &mut dyn Conn,
    id: &DealerId,
    feed: &str,
    now: Timestamp,
) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO feed_expected (dealer, feed, since) VALUES ($1, $2, $3)
         ON CONFLICT (dealer, feed) DO NOTHING",
        &[id.into(), feed.into(), now.into()],
    )?;
    Ok(())
}

/// The feeds of the configuration; where it names none, those that have sent files.
fn feeds(conn: &mut dyn Conn, id: &DealerId, dealer: &Dealer) -> Result<Vec<String>, Error> {
    if !dealer.feeds.is_empty() {
        return Ok(dealer.feeds.keys().cloned().collect());
    }
    Ok(conn.all(
        "SELECT DISTINCT feed FROM feed_run WHERE dealer = $1",
        &[id.into()],
        |row| Ok(row.text(0)?.to_owned()),
    )?)
}

/// A run of which the file was not wholly believed.
struct Unsettled {
    id: Uuid,
    at: Timestamp,
    state: RunState,
    reason: String,
}

/// The runs after the last one whose whole file was believed, oldest first.
fn since_last_good(
    conn: &mut dyn Conn,
    id: &DealerId,
    feed: &str,
) -> Result<Vec<Unsettled>, Error> {
    let good = conn.first(
        "SELECT received_at, run_id FROM feed_run
         WHERE dealer = $1 AND feed = $2 AND state IN ('applied', 'repeated')
         ORDER BY received_at DESC, run_id DESC LIMIT 1",
        &[id.into(), feed.into()],
        |row| Ok((row.int(0)?, row.text(1)?.to_owned())),
    )?;
    let (at, run) = good.unwrap_or((i64::MIN, String::new()));
    let runs = conn.all(
        "SELECT run_id, received_at, state, reason FROM feed_run
         WHERE dealer = $1 AND feed = $2
           AND (received_at > $3 OR (received_at = $3 AND run_id > $4))
         ORDER BY received_at, run_id",
        &[id.into(), feed.into(), at.into(), (&run).into()],
        |row| {
            Ok(Unsettled {
                id: row::id(row, 0)?,
                at: row.time(1)?,
                state: RunState::of(row, 2)?,
                reason: row.optional_text(3)?.unwrap_or_default().to_owned(),
            })
        },
    )?;
    Ok(runs)
}

/// The latest file is refused, perhaps like those right before it.
fn refused(watched: Watched<'_>, runs: &[Unsettled]) -> Option<Attention> {
    let is_refused = |run: &&Unsettled| run.state == RunState::Refused;
    let first = runs.iter().rev().take_while(is_refused).last()?;
    let latest = runs.last()?;
    Some(Attention::new(
        watched.feed,
        AttentionKind::Refused,
        first.at,
        Some(latest.id),
        format!(
            "the latest file of {} was refused and the last good stock stays up: {}",
            watched.called, latest.reason
        ),
    ))
}

/// A file was not believed, and none that could be believed whole came after it.
fn kept(watched: Watched<'_>, runs: &[Unsettled]) -> Option<Attention> {
    let held =
        |run: &&Unsettled| matches!(run.state, RunState::KeptLastGood | RunState::KeptInPart);
    let first = runs.iter().find(held)?;
    let latest = runs.iter().rev().find(held)?;
    Some(Attention::new(
        watched.feed,
        AttentionKind::KeptLastGood,
        first.at,
        Some(latest.id),
        format!(
            "a file of {} was not believed: {}; `{} {}` applies it after all",
            watched.called, latest.reason, watched.accept, latest.id
        ),
    ))
}

/// No file came in time, believed or not.
fn overdue(
    conn: &mut dyn Conn,
    id: &DealerId,
    watched: Watched<'_>,
    every: Period,
    now: Timestamp,
) -> Result<Option<Attention>, Error> {
    let Watched { feed, called, .. } = watched;
    let Some(since) = awaited_since(conn, id, feed)? else {
        return Ok(None);
    };
    let due = since.at().checked_add(every.duration());
    let due = due.unwrap_or(Timestamp::MAX);
    if due >= now {
        return Ok(None);
    }
    let came = match since {
        AwaitedSince::File(at) => format!("the last file of {called} came at {}", minute(at)),
        AwaitedSince::Expected(at) => format!("no file of {called} came since {}", minute(at)),
    };
    Ok(Some(Attention::new(
        feed,
        AttentionKind::Overdue,
        due,
        None,
        format!("{came}; one is expected every {}", String::from(every)),
    )))
}

/// Units that were not seen for too long.
fn hidden(
    conn: &mut dyn Conn,
    id: &DealerId,
    feed: &str,
    age: Period,
    now: Timestamp,
) -> Result<Option<Attention>, Error> {
    let Ok(limit) = now.checked_sub(age.duration()) else {
        return Ok(None);
    };
    let found = conn.first(
        "SELECT COUNT(*), MIN(seen_at) FROM vehicle
         WHERE dealer = $1 AND feed = $2 AND gone_at IS NULL AND seen_at <= $3",
        &[id.into(), feed.into(), limit.into()],
        |row| Ok((row.int(0)?, row.optional_time(1)?)),
    )?;
    let Some((units, Some(seen))) = found else {
        return Ok(None);
    };
    let since = seen.checked_add(age.duration()).unwrap_or(now);
    Ok(Some(Attention::new(
        feed,
        AttentionKind::Hidden,
        since,
        None,
        format!(
            "{units} units of feed {feed} are hidden, as no good file contained them for {}",
            String::from(age)
        ),
    )))
}

/// A time as people write it, to the minute.
fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

impl Attention {
    /// A state of a feed, with its words.
    #[must_use]
    pub fn new(
        feed: &str,
        kind: AttentionKind,
        since: Timestamp,
        run: Option<Uuid>,
        text: String,
    ) -> Self {
        Self {
            cause: format!("feed/{feed}/{}", kind.as_str()),
            kind,
            feed: feed.to_owned(),
            since,
            run,
            text,
        }
    }
}
