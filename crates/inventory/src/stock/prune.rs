//! Forgetting what need not be kept.

use dealers::{Dealer, DealerId, Period};
use jiff::Timestamp;
use store::Conn;

use super::{
    Error,
    history::{Event, HistoryEvent},
    lot::Terms,
    row::condition,
    unit::{Key, hides_at},
    write,
};

/// How long the report on a run is kept.
const KEEP_REPORTS: Period = Period::days(90);
/// How long a file that was not believed can be applied after all.
const KEEP_FILES: Period = Period::days(30);

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Pruned {
    /// Units that left, or were hidden, longer ago than the dealer's `remember_sold`.
    pub units: u64,
    /// Steps in the life of units that were over longer ago than the dealer's `keep_history`.
    pub events: u64,
    /// Feed runs older than the dealer's `keep_history`.
    pub runs: u64,
    /// Reports on runs older than 90 days.
    pub reports: u64,
    /// Files of runs, kept in case a person has them applied, older than 30 days.
    pub files: u64,
}

/// Forgets what the dealer need not keep any more. A day is soon enough: what is too old is not
/// published before either.
///
/// A price is forgotten when another one has replaced it, or the unit has left, longer ago than
/// `keep_history`; one that is published still is kept however old it is. What the dealer withdrew
/// by hand is never forgotten.
///
/// # Errors
/// When the database fails.
pub fn prune(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    now: Timestamp,
) -> Result<Pruned, Error> {
    let ago = |period: Period| now.checked_sub(period.duration()).unwrap_or(Timestamp::MIN);
    let units = forget_hidden(conn, id, dealer, ago(dealer.remember_sold))?
        + forget(
            conn,
            "DELETE FROM vehicle WHERE dealer = $1 AND gone_at < $2",
            id,
            ago(dealer.remember_sold),
        )?;
    let events = forget_events(conn, id, ago(dealer.keep_history))?;
    let PrunedRuns {
        runs,
        reports,
        files,
    } = prune_runs(conn, id, dealer.keep_history, now)?;
    Ok(Pruned {
        units,
        events,
        runs,
        reports,
        files,
    })
}

/// What of the arrivals of files was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrunedRuns {
    /// Runs that are older than they are kept.
    pub runs: u64,
    /// Reports on runs older than 90 days.
    pub reports: u64,
    /// Files of runs, kept in case a person has them applied, older than 30 days.
    pub files: u64,
}

/// Forgets the runs of all feeds that are older than `keep`, and what is kept of them for a shorter time.
///
/// # Errors
/// When the database fails.
pub fn prune_runs(
    conn: &mut dyn Conn,
    id: &DealerId,
    keep: Period,
    now: Timestamp,
) -> Result<PrunedRuns, Error> {
    let ago = |period: Period| now.checked_sub(period.duration()).unwrap_or(Timestamp::MIN);
    Ok(PrunedRuns {
        runs: forget_runs(conn, id, ago(keep))?,
        reports: forget(
            conn,
            "DELETE FROM feed_report WHERE dealer = $1 AND kept_at < $2",
            id,
            ago(KEEP_REPORTS),
        )?,
        files: forget(
            conn,
            "DELETE FROM feed_file WHERE dealer = $1 AND kept_at < $2",
            id,
            ago(KEEP_FILES),
        )?,
    })
}

/// Units that no good file contained for so long that they were hidden before `limit`.
fn forget_hidden(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    limit: Timestamp,
) -> Result<u64, Error> {
    let mut forgotten = 0;
    for feed in dealer.feeds.keys() {
        let hidden = conn.all(
            "SELECT unit, rooftop, seen_run, seen_at, condition, status, price, list_price
             FROM vehicle WHERE dealer = $1 AND feed = $2 AND gone_at IS NULL AND seen_at < $3",
            &[id.into(), feed.into(), limit.into()],
            |row| {
                let key = Key {
                    unit: row.text(0)?.to_owned(),
                    rooftop: row.text(1)?.to_owned(),
                };
                let terms = Terms::read(row, 5)?;
                let run = row.text(2)?.to_owned();
                let condition = condition(row.optional_text(4)?);
                Ok((
                    key,
                    run,
                    hides_at(dealer, feed, row.time(3)?),
                    condition,
                    terms,
                ))
            },
        )?;
        for (key, run, hidden_at, condition, terms) in hidden {
            let Some(at) = hidden_at.filter(|at| *at < limit) else {
                continue;
            };
            let event = Event::of_known(at, HistoryEvent::Hidden, (&run, feed), condition, &terms);
            write::event(conn, id, &key, &event)?;
            forgotten += conn.execute(
                "DELETE FROM vehicle WHERE dealer = $1 AND unit = $2 AND rooftop = $3",
                &[id.into(), (&key.unit).into(), (&key.rooftop).into()],
            )?;
        }
    }
    Ok(forgotten)
}

fn forget_events(
    conn: &mut dyn Conn,
    id: &DealerId,
    limit: Timestamp,
) -> Result<u64, store::Error> {
    let events = conn.execute(
        "DELETE FROM vehicle_event WHERE dealer = $1 AND happened_at < $2
         AND (event IN ('withdrawn', 'hidden') OR EXISTS (
             SELECT 1 FROM vehicle_event AS later
             WHERE later.dealer = vehicle_event.dealer AND later.unit = vehicle_event.unit
               AND later.rooftop = vehicle_event.rooftop
               AND later.happened_at > vehicle_event.happened_at AND later.happened_at < $2))",
        &[id.into(), limit.into()],
    )?;
    conn.execute(
        "DELETE FROM price_statement WHERE dealer = $1 AND EXISTS (
             SELECT 1 FROM price_statement AS later
             WHERE later.dealer = price_statement.dealer
               AND later.rooftop = price_statement.rooftop
               AND later.condition = price_statement.condition
               AND later.feed = price_statement.feed
               AND later.stated_at > price_statement.stated_at AND later.stated_at < $2)",
        &[id.into(), limit.into()],
    )?;
    Ok(events)
}

/// The last good run of a feed is kept: the next file is compared with it.
fn forget_runs(conn: &mut dyn Conn, id: &DealerId, limit: Timestamp) -> Result<u64, store::Error> {
    conn.execute(
        "DELETE FROM feed_run WHERE dealer = $1 AND received_at < $2 AND EXISTS (
             SELECT 1 FROM feed_run AS later
             WHERE later.dealer = feed_run.dealer AND later.feed = feed_run.feed
               AND later.state IN ('applied', 'repeated')
               AND later.received_at > feed_run.received_at)",
        &[id.into(), limit.into()],
    )
}

/// What lies before a limit and is asked for by nothing else.
fn forget(
    conn: &mut dyn Conn,
    sql: &'static str,
    id: &DealerId,
    limit: Timestamp,
) -> Result<u64, store::Error> {
    conn.execute(sql, &[id.into(), limit.into()])
}
