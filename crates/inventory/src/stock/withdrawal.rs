//! Units that the dealer withdraws by hand, and what it says about them.

use std::collections::HashMap;

use aap::vehicle::Condition;
use dealers::{Dealer, DealerId};
use jiff::Timestamp;
use store::Conn;

use super::{
    Error,
    history::{Event, HistoryEvent},
    lot::Terms,
    row::condition,
    unit::{self, Key, hides_at},
    write,
};

/// A unit that stays off the lot, whatever the feeds say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Withdrawal {
    pub(super) at: Timestamp,
    pub(super) reason: Option<String>,
}

/// The dealer's withdrawals by unit, each with its rooftop; an empty one means every rooftop.
#[derive(Debug, Default)]
pub(super) struct Withdrawals(HashMap<String, Vec<(String, Withdrawal)>>);

impl Withdrawals {
    /// What keeps this unit off the lot.
    pub(super) fn of(&self, key: &Key) -> Option<&Withdrawal> {
        let here =
            |(rooftop, _): &&(String, Withdrawal)| rooftop.is_empty() || *rooftop == key.rooftop;
        let found = self.0.get(&key.unit)?.iter().find(here)?;
        Some(&found.1)
    }
}

pub(super) fn all(conn: &mut dyn Conn, dealer: &DealerId) -> Result<Withdrawals, Error> {
    let rows = conn.all(
        "SELECT unit, rooftop, withdrawn_at, reason FROM withdrawal WHERE dealer = $1",
        &[dealer.into()],
        |row| {
            let withdrawal = Withdrawal {
                at: row.time(2)?,
                reason: row.optional_text(3)?.map(str::to_owned),
            };
            Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned(), withdrawal))
        },
    )?;
    let mut withdrawals = Withdrawals::default();
    for (unit, rooftop, withdrawal) in rows {
        let of_unit = withdrawals.0.entry(unit).or_default();
        of_unit.push((rooftop, withdrawal));
    }
    Ok(withdrawals)
}

/// A person's word about one unit.
#[derive(Debug, Clone, Copy)]
pub struct ByHand<'a> {
    /// VIN; for a unit without one, its stock number or the dealer's own identifier.
    pub unit: &'a str,
    /// Rooftop; every rooftop when absent.
    pub rooftop: Option<&'a str>,
    /// Who says so.
    pub by: &'a str,
    /// Why.
    pub reason: Option<&'a str>,
    /// When.
    pub now: Timestamp,
}

/// What a person's word about a unit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandOutcome {
    /// Done; the number of rooftops at which the published stock is another one.
    Done(u64),
    /// It was so before; nothing is written.
    AlreadySo,
    /// The dealer's stock knows no such unit, or not at this rooftop.
    Unknown,
}

/// Takes a unit off the lot until it is restored: a feed that still lists it does not bring it
/// back. Feeds keep its record up to date meanwhile.
///
/// # Errors
/// When the database fails.
pub fn withdraw(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    word: ByHand<'_>,
) -> Result<HandOutcome, Error> {
    let units = known(conn, id, dealer, word)?;
    let Some(first) = units.first() else {
        return Ok(HandOutcome::Unknown);
    };
    let written = conn.execute(
        "INSERT INTO withdrawal (dealer, unit, rooftop, withdrawn_at, withdrawn_by, reason)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (dealer, unit, rooftop) DO NOTHING",
        &[
            id.into(),
            (&first.key.unit).into(),
            word.rooftop.unwrap_or_default().into(),
            word.now.into(),
            word.by.into(),
            word.reason.into(),
        ],
    )?;
    if written == 0 {
        return Ok(HandOutcome::AlreadySo);
    }
    let published = units.iter().filter(|unit| unit.is_published());
    tell(conn, id, word, HistoryEvent::Withdrawn, published)
}

/// Undoes [`withdraw`]: the unit is on the lot again wherever a feed has it.
///
/// # Errors
/// When the database fails.
pub fn restore(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    word: ByHand<'_>,
) -> Result<HandOutcome, Error> {
    let mut lifted = 0;
    let names = unit::candidates(word.unit);
    let before = known(conn, id, dealer, word)?;
    for name in &names {
        // A rooftop in the command lifts what was said of that rooftop; none lifts everything.
        lifted += conn.execute(
            "DELETE FROM withdrawal
             WHERE dealer = $1 AND unit = $2 AND (CAST($3 AS TEXT) IS NULL OR rooftop = $3)",
            &[id.into(), name.into(), word.rooftop.into()],
        )?;
    }
    if lifted == 0 {
        return Ok(match before.is_empty() {
            true => HandOutcome::Unknown,
            false => HandOutcome::AlreadySo,
        });
    }
    let withdrawals = all(conn, id)?;
    let back = before
        .iter()
        .filter(|unit| unit.withheld && withdrawals.of(&unit.key).is_none())
        .filter(|unit| unit.is_on_lot && !unit.is_hidden);
    tell(conn, id, word, HistoryEvent::Published, back)
}

/// A unit at a rooftop, as far as a person's word is about it.
struct Known {
    key: Key,
    feed: String,
    condition: Option<Condition>,
    terms: Terms,
    is_on_lot: bool,
    is_hidden: bool,
    withheld: bool,
}

impl Known {
    fn is_published(&self) -> bool {
        self.is_on_lot && !self.is_hidden && !self.withheld
    }
}

/// The unit that the word is about, at each rooftop that has or had it.
fn known(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    word: ByHand<'_>,
) -> Result<Vec<Known>, Error> {
    let withdrawals = all(conn, id)?;
    for name in unit::candidates(word.unit) {
        let units = conn.all(
            "SELECT rooftop, feed, condition, status, price, list_price, seen_at, gone_at
             FROM vehicle
             WHERE dealer = $1 AND unit = $2 AND (CAST($3 AS TEXT) IS NULL OR rooftop = $3) ORDER BY rooftop",
            &[id.into(), (&name).into(), word.rooftop.into()],
            |row| {
                let key = Key {
                    unit: name.clone(),
                    rooftop: row.text(0)?.to_owned(),
                };
                let feed = row.text(1)?.to_owned();
                let hides_at = hides_at(dealer, &feed, row.time(6)?);
                Ok(Known {
                    withheld: withdrawals.of(&key).is_some(),
                    key,
                    feed,
                    condition: condition(row.optional_text(2)?),
                    terms: Terms::read(row, 3)?,
                    is_on_lot: row.optional_int(7)?.is_none(),
                    is_hidden: hides_at.is_some_and(|at| at <= word.now),
                })
            },
        )?;
        if !units.is_empty() {
            return Ok(units);
        }
    }
    Ok(Vec::new())
}

/// Writes the history of a person's word, and tells the nodes.
fn tell<'u>(
    conn: &mut dyn Conn,
    id: &DealerId,
    word: ByHand<'_>,
    kind: HistoryEvent,
    units: impl Iterator<Item = &'u Known>,
) -> Result<HandOutcome, Error> {
    let mut told = 0;
    for unit in units {
        let event = Event {
            by: Some(word.by),
            reason: word.reason,
            ..Event::of_known(
                word.now,
                kind,
                ("", &unit.feed),
                unit.condition,
                &unit.terms,
            )
        };
        write::event(conn, id, &unit.key, &event)?;
        told += 1;
    }
    write::raise_version(conn, id)?;
    Ok(HandOutcome::Done(told))
}
