//! The statements by which a run changes the stock.

use aap::vehicle::{Condition, Vehicle};
use dealers::DealerId;
use serde_json::Value as Json;
use store::{Conn, Value};

use super::{
    Error,
    history::Event,
    lot::Terms,
    run::{Run, RunOutcome},
    runs::{self, RunRecord},
    unit::Key,
};

/// Writes a unit as the file has it, on the lot. One that a later file contained keeps that
/// sighting.
pub(super) fn unit(
    conn: &mut dyn Conn,
    run: &Run<'_>,
    key: &Key,
    vehicle: &Vehicle,
    record: &str,
) -> Result<(), store::Error> {
    let terms = Terms::of(vehicle);
    conn.execute(
        "INSERT INTO vehicle (dealer, unit, rooftop, feed, record, condition, status, price,
                              list_price, first_seen_at, seen_run, seen_at, gone_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $10, NULL)
         ON CONFLICT (dealer, unit, rooftop) DO UPDATE SET
             feed = excluded.feed, record = excluded.record, condition = excluded.condition,
             status = excluded.status, price = excluded.price, list_price = excluded.list_price,
             seen_run = excluded.seen_run, gone_at = NULL,
             seen_at = CASE WHEN vehicle.seen_at > excluded.seen_at THEN vehicle.seen_at
                            ELSE excluded.seen_at END",
        &[
            run.dealer.into(),
            (&key.unit).into(),
            (&key.rooftop).into(),
            run.feed.into(),
            record.into(),
            vehicle.condition.map(Condition::as_str).into(),
            terms.status.as_deref().into(),
            amount(terms.price),
            amount(terms.list_price),
            run.arrived.into(),
            (&run.id.to_string()).into(),
        ],
    )?;
    Ok(())
}

/// Takes a unit off the lot.
pub(super) fn gone(conn: &mut dyn Conn, run: &Run<'_>, key: &Key) -> Result<(), store::Error> {
    conn.execute(
        "UPDATE vehicle SET gone_at = $4 WHERE dealer = $1 AND unit = $2 AND rooftop = $3",
        &[
            run.dealer.into(),
            (&key.unit).into(),
            (&key.rooftop).into(),
            run.now.into(),
        ],
    )?;
    Ok(())
}

/// True when the stock has or remembers the unit, at whatever rooftop.
pub(super) fn is_known(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    unit: &str,
) -> Result<bool, store::Error> {
    let known = conn.first(
        "SELECT 1 FROM vehicle WHERE dealer = $1 AND unit = $2 LIMIT 1",
        &[dealer.into(), unit.into()],
        |row| row.int(0),
    )?;
    Ok(known.is_some())
}

/// The vehicle as it is kept.
pub(super) fn record(key: &Key, vehicle: &Vehicle) -> Result<String, Error> {
    serde_json::to_string(vehicle).map_err(|source| Error::Record {
        unit: key.unit.clone(),
        source,
    })
}

/// Writes one step in the life of a unit.
pub(super) fn event(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    key: &Key,
    event: &Event<'_>,
) -> Result<(), store::Error> {
    conn.execute(
        "INSERT INTO vehicle_event (dealer, unit, happened_at, run_id, rooftop, event, feed,
                                    condition, status, price, list_price, price_column, acted_by,
                                    reason)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         ON CONFLICT (dealer, unit, happened_at, run_id, rooftop, event) DO NOTHING",
        &[
            dealer.into(),
            (&key.unit).into(),
            event.at.into(),
            event.run.into(),
            (&key.rooftop).into(),
            event.kind.as_str().into(),
            event.feed.into(),
            event.condition.map(Condition::as_str).into(),
            event.terms.status.as_deref().into(),
            amount(event.terms.price),
            amount(event.terms.list_price),
            event.price_column.into(),
            event.by.into(),
            event.reason.into(),
        ],
    )?;
    Ok(())
}

/// Tells every node that the published stock is another one.
///
/// # Errors
/// When the database fails.
pub fn raise_version(conn: &mut dyn Conn, dealer: &DealerId) -> Result<(), store::Error> {
    conn.execute(
        "INSERT INTO stock_version (dealer, version) VALUES ($1, 1)
         ON CONFLICT (dealer) DO UPDATE SET version = stock_version.version + 1",
        &[dealer.into()],
    )?;
    Ok(())
}

/// Writes the run itself.
pub(super) fn run(
    conn: &mut dyn Conn,
    run: &Run<'_>,
    outcome: &RunOutcome,
) -> Result<(), store::Error> {
    let report = run.report;
    let layout = serde_json::to_value(report.layout).ok();
    let layout = layout.as_ref().and_then(Json::as_str).unwrap_or_default();
    let mut record = RunRecord::new(run.id, run.feed, run.now, outcome.state);
    record.file_name = run.file_name.map(str::to_owned);
    record.file_digest = run.file_digest.map(str::to_owned);
    record.layout = layout.to_owned();
    record.reason.clone_from(&outcome.kept_last_good);
    record.held.clone_from(&outcome.held);
    record.accepts = run.accepts.map(|acceptance| acceptance.run);
    record.accepted_by = run.accepts.map(|acceptance| acceptance.by.to_owned());
    record.rows = report.rows;
    record.skipped = report.rows_skipped;
    record.warnings = report.warnings.len() as u64;
    record.published = outcome.published;
    record.added = outcome.added;
    record.changed = outcome.changed;
    record.withdrawn = outcome.withdrawn;
    runs::enter(conn, run.dealer, &record)
}

/// A whole number that may be missing, as a `BIGINT`.
fn amount(amount: Option<u64>) -> Value<'static> {
    amount.and_then(|amount| i64::try_from(amount).ok()).into()
}
