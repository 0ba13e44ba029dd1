//! How an attempt at a delivery ends.

use dealers::{Dealer, DealerId};
use jiff::{SignedDuration, Timestamp};
use store::Conn;

use super::{
    Error, Leased, Route,
    backoff::again_after,
    fallback::{self, Refused},
    route,
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
    /// The configuration has no such destination, so that nobody was asked.
    NoDestination,
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
            Self::Permanent { .. } | Self::NoDestination | Self::Unsendable { .. } => "permanent",
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
            Self::NoDestination => "the configuration has no such destination any more",
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
    let (way, now) = (&leased.route, ending.now);
    let gives_up = now.duration_since(queued_at) >= dealer.leads.give_up_after.duration();
    match outcome {
        Outcome::Sent { .. } => {
            finish(conn, leased, DeliveryState::Sent, now)?;
            route::succeeded(conn, way, now)?;
            Ok(Settled::Sent)
        }
        Outcome::Temporary { retry_after, .. } if !gives_up => {
            let tries = tries_since(conn, leased, queued_at)?;
            let due_at = now + again_after(tries, ending.jitter, *retry_after);
            put_off(conn, leased, due_at)?;
            route::answered(conn, way)?;
            Ok(Settled::Again { due_at })
        }
        Outcome::Unreachable {
            detail,
            retry_after,
        } if !gives_up => {
            // The pause of the way is what grows, so that everything goes at once when it is over.
            let due_at = now + again_after(1, ending.jitter, None);
            put_off(conn, leased, due_at)?;
            route::out_of_reach(conn, way, detail, *retry_after, ending)?;
            Ok(Settled::Again { due_at })
        }
        Outcome::Temporary { .. } | Outcome::Unreachable { .. } | Outcome::Permanent { .. } => {
            match outcome {
                Outcome::Unreachable {
                    detail,
                    retry_after,
                } => route::out_of_reach(conn, way, detail, *retry_after, ending)?,
                _ => route::answered(conn, way)?,
            }
            route::refused(conn, way, leased.purpose, outcome.detail(), now)?;
            fail(conn, dealer, leased, ending)
        }
        Outcome::NoDestination => {
            // There is nobody to be spared.
            route::answered(conn, way)?;
            fail(conn, dealer, leased, ending)
        }
        Outcome::Unsendable { .. } => {
            finish(conn, leased, DeliveryState::Failed, now)?;
            route::give_way(conn, way)?;
            Ok(Settled::Failed { fallback: None })
        }
        Outcome::Erased => {
            finish(conn, leased, DeliveryState::Erased, now)?;
            route::give_way(conn, way)?;
            Ok(Settled::Erased)
        }
    }
}

/// Ends a delivery for good, with one to the fallback in its place.
fn fail(
    conn: &mut dyn Conn,
    dealer: &Dealer,
    leased: &Leased,
    ending: &Ending,
) -> Result<Settled, Error> {
    finish(conn, leased, DeliveryState::Failed, ending.now)?;
    let failed = Refused {
        route: &leased.route,
        delivery_id: &leased.delivery_id,
        purpose: leased.purpose,
    };
    let fallback = fallback::make(conn, dealer, &failed, &ending.fallback_id, ending.now)?;
    Ok(Settled::Failed { fallback })
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
    let Some((way, purpose)) = bounced else {
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
    route::refused(conn, &way, purpose, &bounce.detail, bounce.now)?;
    let failed = Refused {
        route: &way,
        delivery_id,
        purpose,
    };
    fallback::make(conn, dealer, &failed, &bounce.fallback_id, bounce.now)
}
