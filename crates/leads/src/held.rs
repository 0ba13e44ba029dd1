//! Leads that wait for a person, as the dealer holds the leads of their agents.

use dealers::DealerId;
use jiff::Timestamp;
use serde::Serialize;
use store::{Conn, Row};

use crate::{
    Error, LeadId,
    wire::{read_word, unreadable},
};

/// A lead that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HeldLead {
    /// Its name.
    pub lead_id: LeadId,
    /// When it arrived.
    pub received_at: Timestamp,
    /// Name that the buyer's agent gave itself.
    pub source_agent: String,
    /// Rooftop that gets it.
    pub rooftop: Option<String>,
}

/// How many leads wait for a person, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HeldCount {
    /// Leads that wait.
    pub leads: i64,
    /// When the first of them arrived.
    pub since: Option<Timestamp>,
}

/// A query over the leads of which a delivery is held.
macro_rules! of_held {
    ($columns:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM lead
             WHERE dealer = $1 AND lead_id IN (
                 SELECT lead_id FROM delivery WHERE dealer = $1 AND state = 'held') ",
            $rest
        )
    };
}

/// A dealer's leads that wait for a person, the one that waits longest first.
///
/// # Errors
/// When the database fails.
pub fn held(conn: &mut dyn Conn, dealer: &DealerId) -> Result<Vec<HeldLead>, Error> {
    let leads = conn.all(
        of_held!(
            "lead_id, received_at, source_agent, rooftop",
            "ORDER BY received_at, lead_id"
        ),
        &[dealer.into()],
        |row: &dyn Row| {
            Ok(HeldLead {
                lead_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
                received_at: row.time(1)?,
                source_agent: row.text(2)?.to_owned(),
                rooftop: row.optional_text(3)?.map(str::to_owned),
            })
        },
    )?;
    Ok(leads)
}

/// How many leads of a dealer wait for a person.
///
/// # Errors
/// When the database fails.
pub fn count_held(conn: &mut dyn Conn, dealer: &DealerId) -> Result<HeldCount, store::Error> {
    let found = conn.first(
        of_held!("COUNT(*), MIN(received_at)", ""),
        &[dealer.into()],
        |row| {
            Ok(HeldCount {
                leads: row.int(0)?,
                since: row.optional_time(1)?,
            })
        },
    )?;
    Ok(found.unwrap_or(HeldCount {
        leads: 0,
        since: None,
    }))
}

/// Lets a held lead go its way. False when it does not wait.
///
/// # Errors
/// When the database fails.
pub fn release(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
    now: Timestamp,
) -> Result<bool, Error> {
    let released = conn.execute(
        "UPDATE delivery SET state = 'due', due_at = $3, queued_at = $3
         WHERE dealer = $1 AND lead_id = $2 AND state = 'held'",
        &[dealer.into(), lead_id.into(), now.into()],
    )?;
    conn.execute(
        "UPDATE lead SET released_at = $3
         WHERE dealer = $1 AND lead_id = $2 AND standing = 'held' AND released_at IS NULL",
        &[dealer.into(), lead_id.into(), now.into()],
    )?;
    Ok(released > 0)
}
