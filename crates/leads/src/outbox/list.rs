//! Reading deliveries back.

use dealers::DealerId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{Conn, Row, Value};

use super::Error;
use crate::{
    Cursor, DeliveryId, DeliveryState, LeadId, Page, Purpose,
    wire::{read_text, read_word, unreadable},
};

/// Which deliveries to list.
#[derive(Debug, Clone, Default)]
pub struct DeliveryFilter {
    /// Only those in this state.
    pub state: Option<DeliveryState>,
    /// Only those of this lead.
    pub lead_id: Option<LeadId>,
    /// Only those to destinations of this name.
    pub destination: Option<String>,
    /// Only those made at this time or later.
    pub since: Option<Timestamp>,
    /// Only those made before this time.
    pub until: Option<Timestamp>,
    /// At most so many, the newest.
    pub limit: u32,
}

/// A lead on its way to a destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Delivery {
    /// Its name, the same over every attempt.
    pub delivery_id: DeliveryId,
    /// The lead.
    pub lead_id: LeadId,
    /// Name of the rooftop.
    pub rooftop: String,
    /// Name of the destination; empty while the rooftop has none.
    pub destination: String,
    /// What for.
    pub purpose: Purpose,
    /// How far it is.
    pub state: DeliveryState,
    /// Whether the lead repeats an earlier one.
    pub is_repeat: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it is tried next; absent when it is not.
    pub due_at: Option<Timestamp>,
    /// How often it was tried.
    pub attempts: i64,
    /// What the receiver said last, or what happened on the way.
    pub detail: Option<String>,
    /// When it came to its end.
    pub finished_at: Option<Timestamp>,
    /// The failed delivery in whose place this one goes to the fallback.
    pub fallback_of: Option<DeliveryId>,
}

/// One attempt at a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Attempt {
    /// Its number, from 1.
    pub attempt: i64,
    /// When it began.
    pub begun_at: Timestamp,
    /// When it ended; absent while it is under way, and for good when its process died meanwhile.
    pub ended_at: Option<Timestamp>,
    /// `begun`, `sent`, `temporary`, `permanent`, `bounced` or `erased`.
    pub outcome: String,
    /// What the receiver said, or what happened on the way.
    pub detail: Option<String>,
}

/// How far a lead is on its way to the dealer, over all its deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Arrival {
    /// It is kept, and waits for a person or for a destination.
    Accepted,
    /// It is under way.
    Queued,
    /// A destination has it, or the fallback in its place, and nothing more is under way.
    Sent,
    /// It came back, and nobody else got it.
    Bounced,
    /// No destination took it, the fallback neither.
    Failed,
}

impl Arrival {
    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Bounced => "bounced",
            Self::Failed => "failed",
        }
    }

    /// Out of a lead's deliveries; tests and copies for people do not count. `None` when nothing was
    /// ever to be delivered, or the person is erased or took every consent back.
    #[must_use]
    pub fn of(deliveries: &[Delivery]) -> Option<Self> {
        let ways: Vec<Way> = deliveries.iter().map(Way::of).collect();
        Self::over(&ways)
    }

    /// The same out of what counts of them.
    pub(crate) fn over(ways: &[Way]) -> Option<Self> {
        let counts = |it: &&Way| !matches!(it.purpose, Purpose::Copy | Purpose::Test);
        let has = |state| {
            let mut those = ways.iter().filter(counts);
            those.any(|it| it.state == state)
        };
        let mut due = ways.iter().filter(counts);
        if due.any(|it| it.state == DeliveryState::Due && it.has_destination) {
            return Some(Self::Queued);
        }
        if has(DeliveryState::Held) || has(DeliveryState::Due) {
            return Some(Self::Accepted);
        }
        [
            (DeliveryState::Sent, Self::Sent),
            (DeliveryState::Bounced, Self::Bounced),
            (DeliveryState::Failed, Self::Failed),
        ]
        .into_iter()
        .find_map(|(state, arrival)| has(state).then_some(arrival))
    }
}

/// What counts of a delivery for how far its lead is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    pub(crate) purpose: Purpose,
    pub(crate) state: DeliveryState,
    pub(crate) has_destination: bool,
}

impl Way {
    const fn of(delivery: &Delivery) -> Self {
        Self {
            purpose: delivery.purpose,
            state: delivery.state,
            has_destination: !delivery.destination.is_empty(),
        }
    }
}

/// What [`delivery`] reads.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT delivery_id, lead_id, rooftop, destination, purpose, state, is_repeat,
                 created_at, due_at, attempts,
                 (SELECT last.detail FROM delivery_attempt last
                  WHERE last.dealer = delivery.dealer AND last.delivery_id = delivery.delivery_id
                    AND last.detail IS NOT NULL ORDER BY last.attempt DESC LIMIT 1),
                 finished_at, fallback_of
             FROM delivery ",
            $rest
        )
    };
}

/// A dealer's deliveries, newest first.
///
/// # Errors
/// When the database fails.
pub fn list(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    filter: &DeliveryFilter,
) -> Result<Vec<Delivery>, Error> {
    Ok(page(conn, dealer, filter, None)?.entries)
}

/// A page of a dealer's deliveries, newest first, from `after` on.
///
/// # Errors
/// When the database fails.
pub fn page(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    filter: &DeliveryFilter,
    after: Option<&Cursor>,
) -> Result<Page<Delivery>, Error> {
    let [at, id] = Cursor::values(after);
    let found = conn.all(
        select!(
            "WHERE dealer = $1 AND ($2 = '' OR state = $2) AND ($3 = '' OR lead_id = $3)
               AND ($4 = '' OR destination = $4) AND created_at >= $5 AND created_at < $6
               AND (created_at, delivery_id) < ($7, $8)
             ORDER BY created_at DESC, delivery_id DESC LIMIT $9"
        ),
        &[
            dealer.into(),
            filter.state.map_or("", DeliveryState::as_str).into(),
            filter.lead_id.as_ref().map_or("", LeadId::as_str).into(),
            filter.destination.as_deref().unwrap_or_default().into(),
            filter.since.unwrap_or(Timestamp::MIN).into(),
            filter.until.map_or(Value::Int(i64::MAX), Value::from),
            at,
            id,
            Value::Int(i64::from(filter.limit) + 1),
        ],
        delivery,
    )?;
    Ok(Page::of(found, filter.limit, |it| {
        (it.created_at, it.delivery_id.as_str())
    }))
}

/// The deliveries of a lead, in their order.
///
/// # Errors
/// When the database fails.
pub fn of_lead(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<Vec<Delivery>, store::Error> {
    conn.all(
        select!("WHERE dealer = $1 AND lead_id = $2 ORDER BY sequence, delivery_id"),
        &[dealer.into(), lead_id.into()],
        delivery,
    )
}

/// One delivery with its attempts; `None` when the dealer has no such delivery.
///
/// # Errors
/// When the database fails.
pub fn show(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    delivery_id: &DeliveryId,
) -> Result<Option<(Delivery, Vec<Attempt>)>, Error> {
    let found = conn.first(
        select!("WHERE dealer = $1 AND delivery_id = $2"),
        &[dealer.into(), delivery_id.into()],
        delivery,
    )?;
    let Some(found) = found else {
        return Ok(None);
    };
    Ok(Some((found, attempts(conn, dealer, delivery_id)?)))
}

/// Every attempt at a delivery, in their order.
///
/// # Errors
/// When the database fails.
pub fn attempts(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    delivery_id: &DeliveryId,
) -> Result<Vec<Attempt>, store::Error> {
    conn.all(
        "SELECT attempt, begun_at, ended_at, outcome, detail FROM delivery_attempt
         WHERE dealer = $1 AND delivery_id = $2 ORDER BY attempt",
        &[dealer.into(), delivery_id.into()],
        |row| {
            Ok(Attempt {
                attempt: row.int(0)?,
                begun_at: row.time(1)?,
                ended_at: row.optional_time(2)?,
                outcome: row.text(3)?.to_owned(),
                detail: read_text(row, 4)?,
            })
        },
    )
}

fn delivery(row: &dyn Row) -> Result<Delivery, store::Error> {
    let state = read_word(row, 5)?.ok_or_else(|| unreadable(5))?;
    Ok(Delivery {
        delivery_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
        lead_id: read_word(row, 1)?.ok_or_else(|| unreadable(1))?,
        rooftop: row.text(2)?.to_owned(),
        destination: row.text(3)?.to_owned(),
        purpose: read_word(row, 4)?.ok_or_else(|| unreadable(4))?,
        state,
        is_repeat: row.int(6)? != 0,
        created_at: row.time(7)?,
        due_at: match state {
            DeliveryState::Due => Some(row.time(8)?),
            _ => None,
        },
        attempts: row.int(9)?,
        detail: read_text(row, 10)?,
        finished_at: row.optional_time(11)?,
        fallback_of: read_word(row, 12)?,
    })
}
