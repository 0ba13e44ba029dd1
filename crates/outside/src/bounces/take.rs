//! What word of a delivery may change.
//!
//! Nothing in a mail proves who sent it, and whoever knows the name of a delivery can write one. So a
//! mail changes only a delivery that went out as mail not long ago and counts as sent, and the worst
//! that it does is one more mail with the lead to the rooftop's own fallback, and an alarm.

use std::sync::Arc;

use dealers::{Dealer, DealerId};
use jiff::{SignedDuration, Timestamp};
use leads::{
    DeliveryId, DeliveryState,
    outbox::{self, Attempt, Bounce, Delivery, Error},
};
use store::{Conn, Store};

use super::{Report, Verdict, alarm};

/// Mail servers give up after five days; a mail that says so comes soon after.
const LATEST: SignedDuration = SignedDuration::from_hours(14 * 24);
/// How far the clocks of mail servers are apart at most.
const SKEW: SignedDuration = SignedDuration::from_mins(10);

/// The dealers whose deliveries are looked after.
pub type Dealers = Vec<(DealerId, Arc<Dealer>)>;

/// That deliveries came back, or are late.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// The deliveries that it may be about, the surest first. One of them is meant.
    pub about: Vec<DeliveryId>,
    /// Whether it will never arrive; else it is late.
    pub is_final: bool,
    /// What was said, without personal data.
    pub reason: String,
    /// Who says so.
    pub witness: Witness,
}

/// Who says that a delivery came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Witness {
    /// A mail, which anybody can have written; with the time that stands in it.
    Mail {
        /// When it was written.
        dated: Option<Timestamp>,
    },
    /// Somebody with a key of the dealer.
    Key,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Taken {
    /// The delivery counts as bounced.
    Bounced {
        /// Whose.
        dealer: DealerId,
        /// Which.
        delivery_id: DeliveryId,
        /// The delivery to the fallback that was made for it.
        fallback: Option<DeliveryId>,
    },
    /// It is noted that the delivery is late.
    Late {
        /// Whose.
        dealer: DealerId,
        /// Which.
        delivery_id: DeliveryId,
    },
    /// Nothing changes: it bounced before, did not go out as mail, or the word comes too late.
    Unchanged {
        /// Whose.
        dealer: DealerId,
        /// Which.
        delivery_id: DeliveryId,
        /// Its state.
        state: DeliveryState,
    },
    /// None of these deliveries is known.
    Unknown,
}

impl Report {
    /// What the mail claims; `None` when nothing came back and nothing is late.
    #[must_use]
    pub fn claim(&self) -> Option<Claim> {
        let is_final = match self.verdict {
            Verdict::Failed => true,
            Verdict::Delayed => false,
            Verdict::AutoReply | Verdict::Other => return None,
        };
        Some(Claim {
            about: self.about.clone(),
            is_final,
            reason: self.reason(),
            witness: Witness::Mail { dated: self.dated },
        })
    }
}

impl Claim {
    /// That a delivery came back, on the word of somebody with a key.
    #[must_use]
    pub fn by_key(delivery_id: DeliveryId, is_final: bool, reason: String) -> Self {
        Self {
            about: vec![delivery_id],
            is_final,
            reason,
            witness: Witness::Key,
        }
    }
}

/// Takes a claim about deliveries of these dealers: marks the one that it is about, makes the delivery
/// to the fallback, and raises the alarm. The same claim twice changes nothing more.
///
/// # Errors
/// When the database fails. Nothing has changed then.
pub async fn take(store: &Store, dealers: &Dealers, claim: Claim) -> Result<Taken, Error> {
    let (known, wanted) = (dealers.clone(), claim.clone());
    let found = store.read(move |conn| find(conn, &known, &wanted)).await?;
    let Some((id, dealer, delivery_id)) = found else {
        return Ok(Taken::Unknown);
    };
    let (now, fallback_id) = (store.clock().now(), store.clock().new_id());
    let taken = store
        .write_claiming(leads::claim(&id), {
            let (id, dealer) = (id.clone(), Arc::clone(&dealer));
            move |conn| {
                let bounce = Bounce {
                    detail: claim.reason.clone(),
                    fallback_id: fallback_id.into(),
                    now,
                };
                apply(conn, (&id, &dealer), &delivery_id, &claim, &bounce)
            }
        })
        .await?;
    if let Taken::Bounced {
        delivery_id,
        fallback,
        ..
    } = &taken
    {
        tracing::warn!(
            dealer = %id,
            delivery = %delivery_id,
            fallback = fallback.as_ref().map(DeliveryId::as_str),
            "a lead came back"
        );
        alarm::renew(store, &vec![(id, dealer)]).await?;
    }
    Ok(taken)
}

/// The first of the deliveries that is known, with its dealer.
fn find(
    conn: &mut dyn Conn,
    dealers: &Dealers,
    claim: &Claim,
) -> Result<Option<(DealerId, Arc<Dealer>, DeliveryId)>, Error> {
    for delivery_id in &claim.about {
        for (id, dealer) in dealers {
            if outbox::show(conn, id, delivery_id)?.is_some() {
                return Ok(Some((id.clone(), Arc::clone(dealer), delivery_id.clone())));
            }
        }
    }
    Ok(None)
}

fn apply(
    conn: &mut dyn Conn,
    (id, dealer): (&DealerId, &Dealer),
    delivery_id: &DeliveryId,
    claim: &Claim,
    bounce: &Bounce,
) -> Result<Taken, Error> {
    let Some((delivery, attempts)) = outbox::show(conn, id, delivery_id)? else {
        return Ok(Taken::Unknown);
    };
    let (whose, delivery_id) = (id.clone(), delivery_id.clone());
    if !may_change(dealer, &delivery, &attempts, claim.witness, bounce.now) {
        return Ok(Taken::Unchanged {
            dealer: whose,
            delivery_id,
            state: delivery.state,
        });
    }
    if claim.is_final {
        let fallback = outbox::bounce(conn, id, dealer, &delivery_id, bounce)?;
        return Ok(Taken::Bounced {
            dealer: whose,
            delivery_id,
            fallback,
        });
    }
    outbox::note(conn, id, &delivery_id, &format!("late: {}", claim.reason))?;
    Ok(Taken::Late {
        dealer: whose,
        delivery_id,
    })
}

/// Whether word may change a delivery: it went out, and by mail where a mail says so, and the word is
/// about this sending of it.
fn may_change(
    dealer: &Dealer,
    delivery: &Delivery,
    attempts: &[Attempt],
    witness: Witness,
    now: Timestamp,
) -> bool {
    let last = attempts.last();
    let went_out = match delivery.state {
        DeliveryState::Sent => true,
        // The process that sent it did not live to note so.
        DeliveryState::Due => last.is_some_and(|it| it.outcome == "begun"),
        _ => false,
    };
    let Witness::Mail { dated } = witness else {
        return went_out;
    };
    let sent_at = delivery.finished_at.or(last.map(|it| it.begun_at));
    let is_timely = sent_at.is_some_and(|sent_at| {
        let is_of_earlier = dated.is_some_and(|dated| dated < sent_at - SKEW);
        now.duration_since(sent_at) <= LATEST && !is_of_earlier
    });
    went_out && is_timely && goes_by_mail(dealer, delivery)
}

/// A destination that is configured no longer may have been a mailbox.
fn goes_by_mail(dealer: &Dealer, delivery: &Delivery) -> bool {
    let Some(rooftop) = dealer.rooftops.get(&delivery.rooftop) else {
        return true;
    };
    let all = rooftop.every_destination();
    let destination = all.get(&delivery.destination);
    destination.is_none_or(|it| it.mail.is_some())
}
