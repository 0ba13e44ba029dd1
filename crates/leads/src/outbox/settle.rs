//! How an attempt at a delivery ends.

use dealers::{Dealer, DealerId};
use jiff::{SignedDuration, Timestamp};
use store::Conn;

use super::{
    Error, Leased, Route,
    backoff::{again_after, pause_after},
    fallback::{self, Refused},
    route::PausedBy,
};
use crate::{
    DeliveryId, DeliveryState, Purpose,
    wire::{read_word, unreadable},
};

/// What came of an attempt. The words are the receiver's, or say what happened on the way; they name
/// no person.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The receiver took it.
    Sent {
        /// What it said.
        detail: String,
    },
    /// The receiver did not take this delivery for now.
    Temporary {
        /// What it said.
        detail: String,
        /// How long it asks to wait.
        retry_after: Option<SignedDuration>,
    },
    /// The receiver is out of reach, for every delivery alike.
    Unreachable {
        /// What happened.
        detail: String,
        /// How long it asks to wait.
        retry_after: Option<SignedDuration>,
    },
    /// The receiver refused it for good.
    Permanent {
        /// What it said.
        detail: String,
    },
    /// There is something wrong with the lead itself, so that no receiver can get it.
    Unsendable {
        /// What.
        detail: String,
    },
    /// The person was erased meanwhile.
    Erased,
}

impl Outcome {
    /// The word of the attempt, in the database and in JSON.
    const fn word(&self) -> &'static str {
        match self {
            Self::Sent { .. } => "sent",
            Self::Temporary { .. } | Self::Unreachable { .. } => "temporary",
            Self::Permanent { .. } | Self::Unsendable { .. } => "permanent",
            Self::Erased => "erased",
        }
    }

    /// What the receiver said, or what happened on the way.
    #[must_use]
    pub fn detail(&self) -> &str {
        match self {
            Self::Sent { detail }
            | Self::Temporary { detail, .. }
            | Self::Unreachable { detail, .. }
            | Self::Permanent { detail }
            | Self::Unsendable { detail } => detail,
            Self::Erased => "the person was erased before it was sent",
        }
    }
}

/// The terms on which an attempt ends.
#[derive(Debug, Clone)]
pub struct Ending {
    /// The time.
    pub now: Timestamp,
    /// From 0 to 1, spreads the next attempts.
    pub jitter: f64,
    /// The name of the delivery to the fallback, if there will be one.
    pub fallback_id: DeliveryId,
}

/// What became of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Settled {
    /// It arrived.
    Sent,
    /// It is tried again.
    Again {
        /// When.
        due_at: Timestamp,
    },
    /// It failed for good.
    Failed {
        /// The delivery to the fallback that was made for it.
        fallback: Option<DeliveryId>,
    },
    /// The person was erased.
    Erased,
    /// The lease was lost, so that another worker says what becomes of it.
    Lost,
}

/// Ends an attempt. A failure for good, or one that comes when the dealer has given up, makes a
/// delivery to the rooftop's fallback in the same transaction.
///
/// # Errors
/// When the database fails.
pub fn settle(
    conn: &mut dyn Conn,
    dealer: &Dealer,
    leased: &Leased,
    outcome: &Outcome,
    ending: &Ending,
) -> Result<Settled, Error> {
    end_attempt(conn, leased, outcome, ending.now)?;
    let Some(queued_at) = held_since(conn, leased)? else {
        return Ok(Settled::Lost);
    };
    let (route, now) = (&leased.route, ending.now);
    let gives_up = now.duration_since(queued_at) >= dealer.leads.give_up_after.duration();
    match outcome {
        Outcome::Sent { .. } => {
            finish(conn, leased, DeliveryState::Sent, now)?;
            succeeded(conn, route, now)?;
            Ok(Settled::Sent)
        }
        Outcome::Temporary { retry_after, .. } if !gives_up => {
            let tries = tries_since(conn, leased, queued_at)?;
            let due_at = now + again_after(tries, ending.jitter, *retry_after);
            put_off(conn, leased, due_at)?;
            answered(conn, route)?;
            Ok(Settled::Again { due_at })
        }
        Outcome::Unreachable {
            detail,
            retry_after,
        } if !gives_up => {
            // The pause of the way is what grows, so that everything goes at once when it is over.
            let due_at = now + again_after(1, ending.jitter, None);
            put_off(conn, leased, due_at)?;
            out_of_reach(conn, route, detail, *retry_after, ending)?;
            Ok(Settled::Again { due_at })
        }
        Outcome::Temporary { detail, .. }
        | Outcome::Unreachable { detail, .. }
        | Outcome::Permanent { detail } => {
            finish(conn, leased, DeliveryState::Failed, now)?;
            match outcome {
                Outcome::Unreachable { retry_after, .. } => {
                    out_of_reach(conn, route, detail, *retry_after, ending)?;
                }
                _ => answered(conn, route)?,
            }
            refused(conn, route, detail, now)?;
            let failed = Refused {
                route,
                delivery_id: &leased.delivery_id,
                purpose: leased.purpose,
            };
            let fallback = fallback::make(conn, dealer, &failed, &ending.fallback_id, now)?;
            Ok(Settled::Failed { fallback })
        }
        Outcome::Unsendable { .. } => {
            finish(conn, leased, DeliveryState::Failed, now)?;
            give_way(conn, route)?;
            Ok(Settled::Failed { fallback: None })
        }
        Outcome::Erased => {
            finish(conn, leased, DeliveryState::Erased, now)?;
            give_way(conn, route)?;
            Ok(Settled::Erased)
        }
    }
}

/// The attempt is the worker's own, also where the lease was lost: what it saw is true.
fn end_attempt(
    conn: &mut dyn Conn,
    leased: &Leased,
    outcome: &Outcome,
    now: Timestamp,
) -> Result<(), Error> {
    conn.execute(
        "UPDATE delivery_attempt SET ended_at = $4, outcome = $5, detail = $6
         WHERE dealer = $1 AND delivery_id = $2 AND attempt = $3",
        &[
            leased.dealer().into(),
            (&leased.delivery_id).into(),
            leased.attempt.into(),
            now.into(),
            outcome.word().into(),
            outcome.detail().into(),
        ],
    )?;
    Ok(())
}

/// Since when a delivery that the caller still has is under way; `None` when the lease was lost.
fn held_since(conn: &mut dyn Conn, leased: &Leased) -> Result<Option<Timestamp>, Error> {
    // Holding it by a write keeps others out until the transaction ends, on every engine.
    let found = conn.first(
        "UPDATE delivery SET held_until = held_until
         WHERE dealer = $1 AND delivery_id = $2 AND holder = $3 AND attempts = $4
           AND state = 'due'
         RETURNING queued_at",
        &[
            leased.dealer().into(),
            (&leased.delivery_id).into(),
            (&*leased.holder).into(),
            leased.attempt.into(),
        ],
        |row| row.time(0),
    )?;
    Ok(found)
}

fn finish(
    conn: &mut dyn Conn,
    leased: &Leased,
    state: DeliveryState,
    now: Timestamp,
) -> Result<(), Error> {
    conn.execute(
        "UPDATE delivery SET state = $3, finished_at = $4, holder = NULL, held_until = 0
         WHERE dealer = $1 AND delivery_id = $2",
        &[
            leased.dealer().into(),
            (&leased.delivery_id).into(),
            state.as_str().into(),
            now.into(),
        ],
    )?;
    Ok(())
}

fn put_off(conn: &mut dyn Conn, leased: &Leased, due_at: Timestamp) -> Result<(), Error> {
    conn.execute(
        "UPDATE delivery SET due_at = $3, holder = NULL, held_until = 0
         WHERE dealer = $1 AND delivery_id = $2",
        &[
            leased.dealer().into(),
            (&leased.delivery_id).into(),
            due_at.into(),
        ],
    )?;
    Ok(())
}

/// A person who has a delivery tried again starts the waits anew.
fn tries_since(conn: &mut dyn Conn, leased: &Leased, queued_at: Timestamp) -> Result<i64, Error> {
    let tries = conn.first(
        "SELECT COUNT(*) FROM delivery_attempt
         WHERE dealer = $1 AND delivery_id = $2 AND begun_at >= $3",
        &[
            leased.dealer().into(),
            (&leased.delivery_id).into(),
            queued_at.into(),
        ],
        |row| row.int(0),
    )?;
    Ok(tries.unwrap_or(1))
}

/// Everything is well with the way. A person's pause stays.
fn succeeded(conn: &mut dyn Conn, route: &Route, now: Timestamp) -> Result<(), Error> {
    let [dealer, rooftop, destination, is_copy] = route.key();
    conn.execute(
        "INSERT INTO delivery_route (dealer, rooftop, destination, is_copy, succeeded_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (dealer, rooftop, destination, is_copy) DO UPDATE SET
             succeeded_at = excluded.succeeded_at, failures = 0, refusals = 0,
             failing_since = NULL, trouble = NULL,
             paused_until = CASE WHEN delivery_route.paused_by = 'person'
                 THEN delivery_route.paused_until END,
             paused_by = CASE WHEN delivery_route.paused_by = 'person' THEN 'person' END",
        &[dealer, rooftop, destination, is_copy, now.into()],
    )?;
    Ok(())
}

/// The receiver is there, whatever it said: the way is open.
fn answered(conn: &mut dyn Conn, route: &Route) -> Result<(), Error> {
    conn.execute(
        "UPDATE delivery_route SET failures = 0,
             failing_since = CASE WHEN refusals > 0 THEN failing_since END,
             trouble = CASE WHEN refusals > 0 THEN trouble END,
             paused_until = CASE WHEN paused_by = 'person' THEN paused_until END,
             paused_by = CASE WHEN paused_by = 'person' THEN 'person' END
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4
           AND failures > 0",
        &route.key(),
    )?;
    Ok(())
}

/// A probe that said nothing about the receiver: the next one may go.
fn give_way(conn: &mut dyn Conn, route: &Route) -> Result<(), Error> {
    conn.execute(
        "UPDATE delivery_route SET paused_by = NULL, paused_until = NULL
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4
           AND paused_by = 'failures'",
        &route.key(),
    )?;
    Ok(())
}

/// Counts a failure of the receiver itself, and closes the way for a while after several in a row, or when it
/// asks for that. A person's pause stays.
fn out_of_reach(
    conn: &mut dyn Conn,
    route: &Route,
    detail: &str,
    asked_for: Option<SignedDuration>,
    ending: &Ending,
) -> Result<(), Error> {
    let [dealer, rooftop, destination, is_copy] = route.key();
    let failures = conn.first(
        "INSERT INTO delivery_route
             (dealer, rooftop, destination, is_copy, failures, failing_since, trouble)
         VALUES ($1, $2, $3, $4, 1, $5, $6)
         ON CONFLICT (dealer, rooftop, destination, is_copy) DO UPDATE SET
             failures = delivery_route.failures + 1, trouble = excluded.trouble,
             failing_since = COALESCE(delivery_route.failing_since, excluded.failing_since)
         RETURNING failures",
        &[
            dealer,
            rooftop,
            destination,
            is_copy,
            ending.now.into(),
            detail.into(),
        ],
        |row| row.int(0),
    )?;
    let Some(pause) = pause_after(failures.unwrap_or_default(), ending.jitter, asked_for) else {
        return Ok(());
    };
    conn.execute(
        "UPDATE delivery_route SET paused_by = $5, paused_until = $6
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4
           AND (paused_by IS NULL OR paused_by = $5)",
        &[
            dealer,
            rooftop,
            destination,
            is_copy,
            PausedBy::Failures.as_str().into(),
            (ending.now + pause).into(),
        ],
    )?;
    Ok(())
}

/// Counts a delivery that failed for good.
fn refused(conn: &mut dyn Conn, route: &Route, detail: &str, now: Timestamp) -> Result<(), Error> {
    let [dealer, rooftop, destination, is_copy] = route.key();
    conn.execute(
        "INSERT INTO delivery_route
             (dealer, rooftop, destination, is_copy, refusals, failing_since, trouble)
         VALUES ($1, $2, $3, $4, 1, $5, $6)
         ON CONFLICT (dealer, rooftop, destination, is_copy) DO UPDATE SET
             refusals = delivery_route.refusals + 1, trouble = excluded.trouble,
             failing_since = COALESCE(delivery_route.failing_since, excluded.failing_since)",
        &[
            dealer,
            rooftop,
            destination,
            is_copy,
            now.into(),
            detail.into(),
        ],
    )?;
    Ok(())
}

/// Word that a delivery came back after the receiver had taken it.
#[derive(Debug, Clone)]
pub struct Bounce {
    /// What the receiver said.
    pub detail: String,
    /// The name of the delivery to the fallback, if there will be one.
    pub fallback_id: DeliveryId,
    /// The time.
    pub now: Timestamp,
}

/// Marks a delivery as bounced and makes the one to the fallback, whose name is returned. Word that
/// comes twice, or of a delivery that did not arrive anyway, changes nothing.
///
/// # Errors
/// [`Error::UnknownDelivery`], or when the database fails.
pub fn bounce(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    delivery_id: &DeliveryId,
    bounce: &Bounce,
) -> Result<Option<DeliveryId>, Error> {
    // A worker that sends it at this moment, or did not live to note that it was sent, loses it.
    let bounced = conn.first(
        "UPDATE delivery SET state = 'bounced', finished_at = $3, holder = NULL, held_until = 0
         WHERE dealer = $1 AND delivery_id = $2 AND attempts > 0 AND state IN ('sent', 'due')
         RETURNING rooftop, destination, purpose",
        &[id.into(), delivery_id.into(), bounce.now.into()],
        |row| {
            let purpose: Purpose = read_word(row, 2)?.ok_or_else(|| unreadable(2))?;
            Ok((Route::new(id, row.text(0)?, row.text(1)?, purpose), purpose))
        },
    )?;
    let Some((route, purpose)) = bounced else {
        return match super::show(conn, id, delivery_id)? {
            Some(_) => Ok(None),
            None => Err(Error::UnknownDelivery(delivery_id.clone())),
        };
    };
    conn.execute(
        "UPDATE delivery_attempt SET outcome = 'bounced', detail = $3, ended_at = $4
         WHERE dealer = $1 AND delivery_id = $2 AND attempt = (SELECT MAX(last.attempt)
             FROM delivery_attempt last WHERE last.dealer = $1 AND last.delivery_id = $2)",
        &[
            id.into(),
            delivery_id.into(),
            (&bounce.detail).into(),
            bounce.now.into(),
        ],
    )?;
    refused(conn, &route, &bounce.detail, bounce.now)?;
    let failed = Refused {
        route: &route,
        delivery_id,
        purpose,
    };
    fallback::make(conn, dealer, &failed, &bounce.fallback_id, bounce.now)
}
