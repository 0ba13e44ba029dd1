//! The statements by which a run changes the stock.

use aap::vehicle::{Condition, Vehicle};
use dealers::DealerId;
use jiff::Timestamp;
use serde_json::Value as Json;
use store::{Conn, Value};

use super::{
    Error, Run, RunOutcome,
    apply::Terms,
    list::{HistoryEvent, RunState},
    unit::Key,
};

/// Notes that a unit is in the file as it was before.
pub(super) fn seen(conn: &mut dyn Conn, run: &Run<'_>, key: &Key) -> Result<(), store::Error> {
    conn.execute(
        "UPDATE vehicle SET feed = $4, seen_run = $5, seen_at = $6
         WHERE dealer = $1 AND unit = $2 AND rooftop = $3",
        &[
            run.dealer.into(),
            (&key.unit).into(),
            (&key.rooftop).into(),
            run.feed.into(),
            (&run.id.to_string()).into(),
            run.now.into(),
        ],
    )?;
    Ok(())
}

/// Writes a unit as the file has it, on the lot when `gone_at` is none.
pub(super) fn unit(
    conn: &mut dyn Conn,
    run: &Run<'_>,
    key: &Key,
    vehicle: &Vehicle,
    record: &str,
    gone_at: Option<Timestamp>,
) -> Result<(), store::Error> {
    let terms = Terms::of(vehicle);
    conn.execute(
        "INSERT INTO vehicle (dealer, unit, rooftop, feed, record, condition, status, price,
                              list_price, first_seen_at, seen_run, seen_at, gone_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $10, $12)
         ON CONFLICT (dealer, unit, rooftop) DO UPDATE SET
             feed = excluded.feed, record = excluded.record, condition = excluded.condition,
             status = excluded.status, price = excluded.price, list_price = excluded.list_price,
             seen_run = excluded.seen_run, seen_at = excluded.seen_at, gone_at = excluded.gone_at",
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
            run.now.into(),
            (&run.id.to_string()).into(),
            gone_at.into(),
        ],
    )?;
    Ok(())
}

/// Takes a unit off the lot.
pub(super) fn withdraw(
    conn: &mut dyn Conn,
    run: &Run<'_>,
    key: &Key,
    terms: &Terms,
) -> Result<(), store::Error> {
    conn.execute(
        "UPDATE vehicle SET gone_at = $4 WHERE dealer = $1 AND unit = $2 AND rooftop = $3",
        &[
            run.dealer.into(),
            (&key.unit).into(),
            (&key.rooftop).into(),
            run.now.into(),
        ],
    )?;
    history(conn, run, key, HistoryEvent::Withdrawn, terms)
}

/// The vehicle as it is kept.
pub(super) fn record(key: &Key, vehicle: &Vehicle) -> Result<String, Error> {
    serde_json::to_string(vehicle).map_err(|source| Error::Record {
        unit: key.unit.clone(),
        source,
    })
}

/// Writes one step in the life of a unit.
pub(super) fn history(
    conn: &mut dyn Conn,
    run: &Run<'_>,
    key: &Key,
    event: HistoryEvent,
    terms: &Terms,
) -> Result<(), store::Error> {
    conn.execute(
        "INSERT INTO vehicle_history (dealer, unit, run_id, rooftop, happened_at, event, status,
                                      price, list_price)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            run.dealer.into(),
            (&key.unit).into(),
            (&run.id.to_string()).into(),
            (&key.rooftop).into(),
            run.now.into(),
            event.as_str().into(),
            terms.status.as_deref().into(),
            amount(terms.price),
            amount(terms.list_price),
        ],
    )?;
    Ok(())
}

/// Tells every node that the published stock is another one.
pub(super) fn raise_version(conn: &mut dyn Conn, dealer: &DealerId) -> Result<(), store::Error> {
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
    state: RunState,
    outcome: &RunOutcome,
) -> Result<(), store::Error> {
    let report = run.report;
    let layout = serde_json::to_value(report.layout).ok();
    let layout = layout.as_ref().and_then(Json::as_str).unwrap_or_default();
    conn.execute(
        "INSERT INTO feed_run (dealer, run_id, feed, received_at, file_name, file_digest, layout,
                               row_count, skipped, warnings, published, added, changed, withdrawn,
                               state, reason)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        &[
            run.dealer.into(),
            (&run.id.to_string()).into(),
            run.feed.into(),
            run.now.into(),
            run.file_name.into(),
            run.file_digest.into(),
            layout.into(),
            amount(Some(report.rows)),
            amount(Some(report.skipped.len() as u64)),
            amount(Some(report.warnings.len() as u64)),
            amount(Some(outcome.published)),
            amount(Some(outcome.added)),
            amount(Some(outcome.changed)),
            amount(Some(outcome.withdrawn)),
            state.as_str().into(),
            outcome.kept_last_good.as_deref().into(),
        ],
    )?;
    Ok(())
}

/// A whole number that may be missing, as a `BIGINT`.
fn amount(amount: Option<u64>) -> Value<'static> {
    amount.and_then(|amount| i64::try_from(amount).ok()).into()
}
