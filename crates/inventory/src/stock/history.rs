//! The life of a unit: when it was published, at which prices, on whose word.

use aap::vehicle::{Condition, Vehicle};
use dealers::{Dealer, DealerId};
use jiff::Timestamp;
use store::{Conn, Value};
use uuid::Uuid;

use super::{
    Error, load,
    lot::Terms,
    row::{self, condition, dollars, named},
    run::Cell,
    statement::{self, PriceStatement},
    unit::{self, hides_at},
    withdrawal,
};

/// What happened to a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HistoryEvent {
    /// It came onto the lot, or back.
    Published,
    /// Price, list price or status changed.
    Changed,
    /// It left.
    Withdrawn,
    /// No good file contained it for its feed's `max_age`.
    Hidden,
}

impl HistoryEvent {
    const ALL: [Self; 4] = [
        Self::Published,
        Self::Changed,
        Self::Withdrawn,
        Self::Hidden,
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// The name in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Changed => "changed",
            Self::Withdrawn => "withdrawn",
            Self::Hidden => "hidden",
        }
    }
}

/// A step in the life of a unit, to be written.
pub(super) struct Event<'a> {
    pub(super) at: Timestamp,
    /// Empty when no run did it.
    pub(super) run: &'a str,
    pub(super) kind: HistoryEvent,
    pub(super) feed: &'a str,
    pub(super) condition: Option<Condition>,
    pub(super) terms: &'a Terms,
    pub(super) price_column: Option<&'a str>,
    pub(super) by: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
}

impl<'a> Event<'a> {
    /// A step that took no price from a file and that no person stands for. The unit is given as it
    /// was until then: the run that saw it last, its feed, condition and terms.
    pub(super) fn of_known(
        at: Timestamp,
        kind: HistoryEvent,
        (run, feed): (&'a str, &'a str),
        condition: Option<Condition>,
        terms: &'a Terms,
    ) -> Self {
        Self {
            at,
            run,
            kind,
            feed,
            condition,
            terms,
            price_column: None,
            by: None,
            reason: None,
        }
    }
}

/// One step in the life of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// When it happened.
    pub at: Timestamp,
    /// The run that did it, or that saw the unit last; `None` for what a person did.
    pub run: Option<Uuid>,
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
    /// Header of the column from which the price, or else the list price, was taken.
    pub price_column: Option<String>,
    /// What the dealer had stated about prices at that time; `None` when nothing.
    pub statement: Option<PriceStatement>,
    /// The person who did it.
    pub by: Option<String>,
    /// What the person said.
    pub reason: Option<String>,
}

/// The life of a unit at every rooftop, oldest first: of the one with this VIN, or of those without
/// a VIN that have this stock number or identifier.
///
/// # Errors
/// When the database fails.
pub fn history(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    unit: &str,
    now: Timestamp,
) -> Result<Vec<HistoryEntry>, Error> {
    let statements = statement::all(conn, id)?;
    let mut entries = Vec::new();
    for name in unit::candidates(unit) {
        entries.extend(written(conn, id, &name, &statements)?);
        entries.extend(hidden(conn, id, dealer, &name, now)?);
    }
    entries.sort_by_key(|entry| entry.at);
    Ok(entries)
}

/// One step in the life of any unit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct UnitEvent {
    /// The unit: `vin:…`, `stock:…` or `id:…`.
    pub unit: String,
    /// When it happened.
    pub at: Timestamp,
    /// Rooftop; empty when the feed does not tell.
    pub rooftop: String,
    /// What happened.
    pub event: HistoryEvent,
    /// Advertised price in whole US dollars, after it, or the last one when it left.
    pub price: Option<u64>,
    /// The unit as it was read last.
    pub vehicle: Vehicle,
}

/// What happened to all units of a dealer, oldest first; nothing of units that are forgotten.
///
/// # Errors
/// When the database fails or holds a record that is not a vehicle.
pub fn events(conn: &mut dyn Conn, id: &DealerId) -> Result<Vec<UnitEvent>, Error> {
    let rows = conn.all(
        "SELECT past.unit, past.happened_at, past.rooftop, past.event, past.price, unit.record
         FROM vehicle_event AS past
         JOIN vehicle AS unit ON unit.dealer = past.dealer AND unit.unit = past.unit
             AND unit.rooftop = past.rooftop
         WHERE past.dealer = $1
         ORDER BY past.happened_at, past.unit, past.rooftop, past.run_id, past.event",
        &[id.into()],
        |row| {
            let event = named(row, 3, HistoryEvent::named)?;
            let place = (
                row.text(0)?.to_owned(),
                row.time(1)?,
                row.text(2)?.to_owned(),
            );
            Ok((place, event, dollars(row, 4)?, row.text(5)?.to_owned()))
        },
    )?;
    rows.into_iter()
        .map(|((unit, at, rooftop), event, price, record)| {
            let vehicle = load::vehicle(&unit, &record)?;
            Ok(UnitEvent {
                unit,
                at,
                rooftop,
                event,
                price,
                vehicle,
            })
        })
        .collect()
}

fn written(
    conn: &mut dyn Conn,
    id: &DealerId,
    unit: &str,
    statements: &[PriceStatement],
) -> Result<Vec<HistoryEntry>, store::Error> {
    conn.all(
        "SELECT happened_at, run_id, rooftop, event, status, price, list_price, price_column,
                acted_by, reason, feed, condition
         FROM vehicle_event WHERE dealer = $1 AND unit = $2
         ORDER BY happened_at, run_id, rooftop",
        &[id.into(), unit.into()],
        |row| {
            let at = row.time(0)?;
            let rooftop = row.text(2)?.to_owned();
            let cell = Cell {
                rooftop: rooftop.clone(),
                condition: condition(row.optional_text(11)?),
            };
            Ok(HistoryEntry {
                at,
                run: match row.text(1)? {
                    "" => None,
                    _ => Some(row::id(row, 1)?),
                },
                rooftop,
                event: named(row, 3, HistoryEvent::named)?,
                status: row.optional_text(4)?.map(str::to_owned),
                price: dollars(row, 5)?,
                list_price: dollars(row, 6)?,
                price_column: row.optional_text(7)?.map(str::to_owned),
                statement: statement::in_force(statements, row.text(10)?, &cell, at).cloned(),
                by: row.optional_text(8)?.map(str::to_owned),
                reason: row.optional_text(9)?.map(str::to_owned),
            })
        },
    )
}

/// Units that are hidden at this moment. Time hides them and no run does, so that nothing is
/// written until the next run meets them.
fn hidden(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    unit: &str,
    now: Timestamp,
) -> Result<Vec<HistoryEntry>, Error> {
    let withdrawals = withdrawal::all(conn, id)?;
    let on_lot = conn.all(
        "SELECT rooftop, feed, seen_run, seen_at, status, price, list_price
         FROM vehicle WHERE dealer = $1 AND unit = $2 AND gone_at IS NULL ORDER BY rooftop",
        &[id.into(), Value::Text(unit)],
        |row| {
            let rooftop = row.text(0)?.to_owned();
            let key = unit::Key {
                unit: unit.to_owned(),
                rooftop: rooftop.clone(),
            };
            let hides_at = hides_at(dealer, row.text(1)?, row.time(3)?);
            let Some(at) = hides_at.filter(|at| *at <= now && withdrawals.of(&key).is_none())
            else {
                return Ok(None);
            };
            Ok(Some(HistoryEntry {
                at,
                run: Some(row::id(row, 2)?),
                rooftop,
                event: HistoryEvent::Hidden,
                status: row.optional_text(4)?.map(str::to_owned),
                price: dollars(row, 5)?,
                list_price: dollars(row, 6)?,
                price_column: None,
                statement: None,
                by: None,
                reason: None,
            }))
        },
    )?;
    Ok(on_lot.into_iter().flatten().collect())
}
