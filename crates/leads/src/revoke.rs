//! Consent that is taken back: recorded, and told to everybody who has the lead.

use std::collections::BTreeSet;

use aap::lead::Channel;
use dealers::DealerId;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use store::Conn;

use crate::{
    DeliveryId, Error, LeadId, NewDelivery, Purpose, outbox, wire,
    wire::{read_word, read_words, unreadable},
};

/// Every way of contact.
pub(crate) const CHANNELS: [Channel; 3] = [Channel::Email, Channel::Phone, Channel::Sms];

/// Consent that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Revocation {
    /// When.
    pub revoked_at: Timestamp,
    /// Which ways of contact; all of them when empty.
    pub channels: Vec<Channel>,
    /// Who recorded it.
    pub recorded_by: String,
}

impl Revocation {
    /// Consent for these channels, taken back at this time.
    #[must_use]
    pub fn new(revoked_at: Timestamp, channels: Vec<Channel>) -> Self {
        Self {
            revoked_at,
            channels,
            recorded_by: String::new(),
        }
    }

    fn covers(&self, channel: Channel) -> bool {
        self.channels.is_empty() || self.channels.contains(&channel)
    }
}

/// What is left of a grant: channels are taken away and never added.
pub(crate) fn remaining(granted: &[Channel], revocations: &[Revocation]) -> Vec<Channel> {
    let is_left = |channel: &Channel| !revocations.iter().any(|it| it.covers(*channel));
    granted.iter().copied().filter(is_left).collect()
}

/// What a revocation did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Revoked {
    /// The lead.
    pub lead_id: LeadId,
    /// False when all of it had been taken back before, so that nothing was recorded.
    pub recorded: bool,
    /// The channels by which the person may still be contacted.
    pub remaining: Vec<Channel>,
    /// Word of it that is on its way, one for each destination that has the lead.
    pub told: Vec<NewDelivery>,
    /// Deliveries of the lead that are not made any more, as nothing remains.
    pub withdrawn: u64,
}

/// Records that consent to `channels` was taken back, to all of them when there are none, and sends
/// word to every destination that has the lead or may have it. What was not sent yet says so when it
/// is; where no channel remains it is not sent at all.
///
/// # Errors
/// [`Error::UnknownLead`], [`Error::Erased`], or when the database fails.
pub fn revoke(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
    wish: &Revocation,
    new_id: &dyn Fn() -> DeliveryId,
) -> Result<Revoked, Error> {
    let granted = granted(conn, dealer, lead_id)?;
    let mut revocations = revocations(conn, dealer, lead_id)?;
    let is_new = CHANNELS
        .into_iter()
        .any(|it| wish.covers(it) && !revocations.iter().any(|before| before.covers(it)));
    if !is_new {
        return Ok(Revoked {
            lead_id: lead_id.clone(),
            recorded: false,
            remaining: remaining(&granted, &revocations),
            told: Vec::new(),
            withdrawn: 0,
        });
    }
    let last = revocations.last().map(|it| it.revoked_at);
    record(conn, dealer, lead_id, wish, last)?;
    revocations.push(wish.clone());
    let remaining = remaining(&granted, &revocations);
    let now = wish.revoked_at;
    let knowing = knowing(conn, dealer, lead_id)?;
    let withdrawn = match remaining.is_empty() {
        true => withdraw(conn, dealer, lead_id, now)?,
        false => 0,
    };
    let mut told = Vec::new();
    for (destination, is_copy) in knowing {
        let delivery = NewDelivery {
            delivery_id: new_id(),
            destination,
            // A copy goes to people, who read of the revocation in it.
            purpose: if is_copy {
                Purpose::Copy
            } else {
                Purpose::Revocation
            },
        };
        outbox::enqueue(conn, dealer, lead_id, &delivery, now)?;
        told.push(delivery);
    }
    Ok(Revoked {
        lead_id: lead_id.clone(),
        recorded: true,
        remaining,
        told,
        withdrawn,
    })
}

/// The channels that the person agreed to; none where no consent is on record.
fn granted(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<Vec<Channel>, Error> {
    let found = conn.first(
        "SELECT COALESCE(consent.channels, ''), lead.erased_at FROM lead
         LEFT JOIN consent ON consent.dealer = lead.dealer AND consent.lead_id = lead.lead_id
         WHERE lead.dealer = $1 AND lead.lead_id = $2",
        &[dealer.into(), lead_id.into()],
        |row| Ok((read_words(row, 0)?, row.optional_time(1)?)),
    )?;
    match found {
        None => Err(Error::UnknownLead(lead_id.clone())),
        Some((_, Some(_))) => Err(Error::Erased(lead_id.clone())),
        Some((channels, None)) => Ok(channels),
    }
}

/// What was taken back of a lead's consent, the earliest first.
pub(crate) fn revocations(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<Vec<Revocation>, Error> {
    let found = conn.all(
        "SELECT revoked_at, channels, recorded_by FROM revocation
         WHERE dealer = $1 AND lead_id = $2 ORDER BY revoked_at",
        &[dealer.into(), lead_id.into()],
        |row| {
            Ok(Revocation {
                revoked_at: row.time(0)?,
                channels: read_words(row, 1)?,
                recorded_by: row.text(2)?.to_owned(),
            })
        },
    )?;
    Ok(found)
}

/// Writes it down, after what was recorded `last`, also within the same millisecond.
fn record(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
    wish: &Revocation,
    last: Option<Timestamp>,
) -> Result<(), Error> {
    let soonest = last.map(|last| last + SignedDuration::from_millis(1));
    let at = soonest.map_or(wish.revoked_at, |soonest| soonest.max(wish.revoked_at));
    let channels: Vec<String> = wish
        .channels
        .iter()
        .map(|channel| wire::word("channels", channel))
        .collect::<Result<_, _>>()?;
    conn.execute(
        "INSERT INTO revocation (dealer, lead_id, revoked_at, channels, recorded_by)
         VALUES ($1, $2, $3, $4, $5)",
        &[
            dealer.into(),
            lead_id.into(),
            at.into(),
            (&channels.join(",")).into(),
            (&wish.recorded_by).into(),
        ],
    )?;
    Ok(())
}

/// The destinations that have the lead, or may have it since sending was begun; true where people got
/// a copy.
fn knowing(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<BTreeSet<(String, bool)>, Error> {
    let found = conn.all(
        "SELECT DISTINCT destination, purpose FROM delivery
         WHERE dealer = $1 AND lead_id = $2 AND destination <> '' AND purpose <> 'test'
           AND (attempts > 0 OR state IN ('sent', 'bounced'))",
        &[dealer.into(), lead_id.into()],
        |row| {
            let purpose: Purpose = read_word(row, 1)?.ok_or_else(|| unreadable(1))?;
            Ok((row.text(0)?.to_owned(), purpose == Purpose::Copy))
        },
    )?;
    Ok(found.into_iter().collect())
}

/// Keeps what was not sent from being sent. What a worker is sending at this moment is on its way.
fn withdraw(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
    now: Timestamp,
) -> Result<u64, Error> {
    let withdrawn = conn.execute(
        "UPDATE delivery SET state = 'withdrawn', finished_at = $3, holder = NULL, held_until = 0
         WHERE dealer = $1 AND lead_id = $2 AND state IN ('due', 'held') AND held_until <= $3
           AND purpose NOT IN ('revocation', 'test')",
        &[dealer.into(), lead_id.into(), now.into()],
    )?;
    Ok(withdrawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_back(channels: &[Channel]) -> Revocation {
        Revocation::new(Timestamp::UNIX_EPOCH, channels.to_vec())
    }

    #[test]
    fn a_grant_only_shrinks() {
        use Channel::{Email, Phone, Sms};

        let granted = [Sms, Email];
        for (revocations, left) in [
            (vec![], vec![Sms, Email]),
            (vec![taken_back(&[Phone])], vec![Sms, Email]),
            (vec![taken_back(&[Sms, Phone])], vec![Email]),
            (vec![taken_back(&[Sms]), taken_back(&[Email])], vec![]),
            (vec![taken_back(&[])], vec![]),
            (vec![taken_back(&[]), taken_back(&[Phone])], vec![]),
        ] {
            assert_eq!(remaining(&granted, &revocations), left, "{revocations:?}");
        }
        assert_eq!(remaining(&[], &[]), []);
    }
}
