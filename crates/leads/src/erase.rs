//! Erasing: everything that identifies a person is taken out of leads, and the proof of what was agreed
//! and done stays. An appointment that is still to come is called off.
//!
//! Of a lead stay its name, its times, the dealer's own listing, the agent's name, which channels were
//! allowed and taken back and when, a keyed hash of the consent, and when it went where. What the
//! database's files still hold of deleted rows is the store's matter
//! ([`Store::scrub`](store::Store::scrub)).

use std::collections::BTreeMap;

use dealers::DealerId;
use jiff::Timestamp;
use serde::Serialize;
use store::{Conn, Value};
use uuid::Uuid;

use crate::{
    Error, HashKey, KeyId, LeadId, Purpose, Vault, Whom,
    appointment::{Span, slot::Desk},
    vault::{CONSENT, Place, sealed_with},
    wire::{read_word, unreadable},
};

/// An order to erase.
#[derive(Debug, Clone)]
pub struct Order {
    /// Names the erasure.
    pub erasure_id: Uuid,
    /// Why, in words that name nobody.
    pub reason: String,
    /// Who gives the order.
    pub recorded_by: String,
    /// The time.
    pub now: Timestamp,
}

/// A destination that has, or may have, a lead that was erased here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Told {
    /// The lead.
    pub lead_id: LeadId,
    /// Name of the rooftop.
    pub rooftop: String,
    /// Name of the destination.
    pub destination: String,
    /// What was sent.
    pub purpose: Purpose,
    /// When it was sent or tried last.
    pub at: Timestamp,
}

/// An erasure that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Erasure {
    /// When.
    pub erased_at: Timestamp,
    /// Why.
    pub reason: String,
    /// Who gave the order.
    pub recorded_by: String,
    /// How many leads.
    pub leads: i64,
}

/// Erases these leads of a person, all of them or none, and keeps a proof by which the person can be
/// recognised again and not be found out.
///
/// # Errors
/// [`Error::OnHold`] when one of them is on legal hold, [`Error::UnknownLead`], or when the database
/// fails.
pub fn erase(
    conn: &mut dyn Conn,
    vault: &Vault,
    hash_key: &HashKey,
    dealer: &DealerId,
    whom: &[Whom],
    lead_ids: &[LeadId],
    order: &Order,
) -> Result<(), Error> {
    let held = on_hold(conn, dealer, lead_ids)?;
    if !held.is_empty() {
        return Err(Error::OnHold(held));
    }
    for lead_id in lead_ids {
        remove(conn, vault, hash_key, dealer, lead_id, order.now)?;
    }
    note(conn, dealer, lead_ids.len(), order)?;
    let erasure_id = order.erasure_id.to_string();
    for whom in whom {
        conn.execute(
            "INSERT INTO erased_person (dealer, hash, erasure_id) VALUES ($1, $2, $3)
             ON CONFLICT (dealer, hash, erasure_id) DO NOTHING",
            &[
                dealer.into(),
                whom.erased(hash_key).as_slice().into(),
                (&erasure_id).into(),
            ],
        )?;
    }
    Ok(())
}

/// Erases leads that came before a time, at most `limit` of them, and returns how many. Those on legal
/// hold stay.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn erase_older(
    conn: &mut dyn Conn,
    vault: &Vault,
    hash_key: &HashKey,
    dealer: &DealerId,
    before: Timestamp,
    limit: u32,
    order: &Order,
) -> Result<usize, Error> {
    let lead_ids: Vec<LeadId> = conn.all(
        "SELECT lead_id FROM lead
         WHERE dealer = $1 AND received_at < $2 AND erased_at IS NULL AND legal_hold IS NULL
         ORDER BY received_at LIMIT $3",
        &[dealer.into(), before.into(), Value::Int(limit.into())],
        |row| read_word(row, 0)?.ok_or_else(|| unreadable(0)),
    )?;
    for lead_id in &lead_ids {
        remove(conn, vault, hash_key, dealer, lead_id, order.now)?;
    }
    if !lead_ids.is_empty() {
        note(conn, dealer, lead_ids.len(), order)?;
    }
    Ok(lead_ids.len())
}

/// Erases leads of all dealers whose person only a lost key would open, at most `limit` of them, and
/// returns how many.
///
/// # Errors
/// [`Error::OnHold`] when one of them is on legal hold, or when the database fails.
pub fn erase_lost(
    conn: &mut dyn Conn,
    vault: &Vault,
    hash_key: &HashKey,
    key: KeyId,
    limit: u32,
    order: &Order,
) -> Result<usize, Error> {
    let lost = sealed_with(conn, key, limit)?;
    let mut of_dealer: BTreeMap<DealerId, Vec<LeadId>> = BTreeMap::new();
    for (dealer, lead_id) in lost {
        of_dealer.entry(dealer).or_default().push(lead_id);
    }
    let mut erased = 0;
    for (dealer, lead_ids) in of_dealer {
        erase(conn, vault, hash_key, &dealer, &[], &lead_ids, order)?;
        erased += lead_ids.len();
    }
    Ok(erased)
}

/// The destinations that have these leads, or may have them since sending was begun.
///
/// # Errors
/// When the database fails.
pub fn told(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_ids: &[LeadId],
) -> Result<Vec<Told>, Error> {
    let mut told = Vec::new();
    for lead_id in lead_ids {
        told.extend(conn.all(
            "SELECT rooftop, destination, purpose, MAX(attempt.begun_at)
             FROM delivery JOIN delivery_attempt AS attempt
               ON attempt.dealer = delivery.dealer AND attempt.delivery_id = delivery.delivery_id
             WHERE delivery.dealer = $1 AND delivery.lead_id = $2
             GROUP BY rooftop, destination, purpose ORDER BY rooftop, destination, purpose",
            &[dealer.into(), lead_id.into()],
            |row| {
                Ok(Told {
                    lead_id: lead_id.clone(),
                    rooftop: row.text(0)?.to_owned(),
                    destination: row.text(1)?.to_owned(),
                    purpose: read_word(row, 2)?.ok_or_else(|| unreadable(2))?,
                    at: row.time(3)?,
                })
            },
        )?);
    }
    Ok(told)
}

/// Whether one of these leads still has its person, as in a backup.
///
/// # Errors
/// When the database fails.
pub fn has_person(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_ids: &[LeadId],
) -> Result<bool, Error> {
    for lead_id in lead_ids {
        let found = conn.first(
            "SELECT 1 FROM person WHERE dealer = $1 AND lead_id = $2",
            &[dealer.into(), lead_id.into()],
            |row| row.int(0),
        )?;
        if found.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Earlier erasures of a person, the first one first.
///
/// # Errors
/// When the database fails.
pub fn erasures_of(
    conn: &mut dyn Conn,
    hash_key: &HashKey,
    dealer: &DealerId,
    whom: &[Whom],
) -> Result<Vec<Erasure>, Error> {
    let mut found = Vec::new();
    for whom in whom {
        found.extend(conn.all(
            "SELECT erasure.erasure_id, erasure.erased_at, erasure.reason, erasure.recorded_by,
                 erasure.leads
             FROM erased_person JOIN erasure ON erasure.dealer = erased_person.dealer
               AND erasure.erasure_id = erased_person.erasure_id
             WHERE erased_person.dealer = $1 AND erased_person.hash = $2",
            &[dealer.into(), whom.erased(hash_key).as_slice().into()],
            |row| {
                let erasure = Erasure {
                    erased_at: row.time(1)?,
                    reason: row.text(2)?.to_owned(),
                    recorded_by: row.text(3)?.to_owned(),
                    leads: row.int(4)?,
                };
                Ok((erasure.erased_at, row.text(0)?.to_owned(), erasure))
            },
        )?);
    }
    found.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
    found.dedup_by(|one, other| one.1 == other.1);
    Ok(found.into_iter().map(|(_, _, erasure)| erasure).collect())
}

/// Which of these leads are on legal hold.
pub(crate) fn on_hold(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_ids: &[LeadId],
) -> Result<Vec<LeadId>, Error> {
    let mut held = Vec::new();
    for lead_id in lead_ids {
        let found = conn.first(
            "SELECT legal_hold FROM lead WHERE dealer = $1 AND lead_id = $2",
            &[dealer.into(), lead_id.into()],
            |row| Ok(row.optional_text(0)?.is_some()),
        )?;
        match found {
            None => return Err(Error::UnknownLead(lead_id.clone())),
            Some(true) => held.push(lead_id.clone()),
            Some(false) => {}
        }
    }
    Ok(held)
}

fn note(conn: &mut dyn Conn, dealer: &DealerId, leads: usize, order: &Order) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO erasure (dealer, erasure_id, erased_at, reason, recorded_by, leads)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            dealer.into(),
            (&order.erasure_id.to_string()).into(),
            order.now.into(),
            (&order.reason).into(),
            (&order.recorded_by).into(),
            Value::Int(i64::try_from(leads).unwrap_or(i64::MAX)),
        ],
    )?;
    Ok(())
}

/// Takes the person out of one lead.
fn remove(
    conn: &mut dyn Conn,
    vault: &Vault,
    hash_key: &HashKey,
    dealer: &DealerId,
    lead_id: &LeadId,
    now: Timestamp,
) -> Result<(), Error> {
    seal_consent(conn, vault, hash_key, dealer, lead_id)?;
    call_off(conn, dealer, lead_id, now)?;
    let args = [dealer.into(), lead_id.into()];
    for sql in [
        "DELETE FROM person WHERE dealer = $1 AND lead_id = $2",
        "DELETE FROM contact WHERE dealer = $1 AND lead_id = $2",
        "DELETE FROM idempotency WHERE dealer = $1 AND lead_id = $2",
        "UPDATE appointment SET wished_text = NULL, proposed = NULL
         WHERE dealer = $1 AND lead_id = $2",
        "UPDATE delivery_attempt SET detail = NULL WHERE dealer = $1 AND delivery_id IN
             (SELECT delivery_id FROM delivery WHERE dealer = $1 AND lead_id = $2)",
    ] {
        conn.execute(sql, &args)?;
    }
    // What a worker is sending at this moment ends as it ends; it finds nothing to send afterwards.
    conn.execute(
        "UPDATE delivery SET state = 'erased', finished_at = $3, holder = NULL, held_until = 0
         WHERE dealer = $1 AND lead_id = $2 AND state IN ('due', 'held') AND held_until <= $3",
        &[dealer.into(), lead_id.into(), now.into()],
    )?;
    conn.execute(
        "UPDATE lead SET erased_at = $3, sender = NULL, source_url = NULL, source_card_url = NULL,
             submitted_at = NULL
         WHERE dealer = $1 AND lead_id = $2",
        &[dealer.into(), lead_id.into(), now.into()],
    )?;
    Ok(())
}

/// Gives back the time of an appointment that is still to come: nobody is left to come.
fn call_off(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
    now: Timestamp,
) -> Result<(), Error> {
    let to_come = conn.all(
        "SELECT appointment.appointment_id, appointment.kind,
             COALESCE(appointment.rooftop, lead.rooftop, ''), appointment.starts_at,
             appointment.ends_at
         FROM appointment
         JOIN lead ON lead.dealer = appointment.dealer AND lead.lead_id = appointment.lead_id
         WHERE appointment.dealer = $1 AND appointment.lead_id = $2
           AND appointment.repeat_of IS NULL AND appointment.status <> 'canceled'
           AND COALESCE(appointment.ends_at, appointment.wished_at, $3) >= $3",
        &[dealer.into(), lead_id.into(), now.into()],
        |row| {
            let texts = [0, 1, 2].map(|column| row.text(column).map(str::to_owned));
            let span = (row.optional_time(3)?, row.optional_time(4)?);
            Ok((texts, span))
        },
    )?;
    for (texts, span) in to_come {
        let [appointment_id, kind, rooftop] = texts;
        let (appointment_id, kind, rooftop) = (appointment_id?, kind?, rooftop?);
        if let (Some(starts_at), Some(ends_at)) = span {
            let desk = Desk {
                dealer,
                rooftop: &rooftop,
                kind: &kind,
            };
            desk.give_back(conn, Span { starts_at, ends_at })?;
        }
        conn.execute(
            "UPDATE appointment SET status = 'canceled', decided_at = $3
             WHERE dealer = $1 AND (appointment_id = $2 OR repeat_of = $2)",
            &[dealer.into(), (&appointment_id).into(), now.into()],
        )?;
    }
    Ok(())
}

/// Leaves a keyed hash of the consent in its place. Who has its text can show that it was this one.
fn seal_consent(
    conn: &mut dyn Conn,
    vault: &Vault,
    hash_key: &HashKey,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<(), Error> {
    let stored = conn.first(
        "SELECT as_received FROM consent WHERE dealer = $1 AND lead_id = $2",
        &[dealer.into(), lead_id.into()],
        |row| row.text(0).map(str::to_owned),
    )?;
    let Some(stored) = stored.filter(|stored| !stored.is_empty()) else {
        return Ok(());
    };
    // What no key opens is erased as well, without a proof that could be checked.
    let text = vault.unseal(Place::new(dealer, lead_id, CONSENT), &stored);
    let digest = text.map(|text| hash_key.hash("erased consent", &[&text]));
    conn.execute(
        "UPDATE consent SET as_received = '', digest = $3 WHERE dealer = $1 AND lead_id = $2",
        &[
            dealer.into(),
            lead_id.into(),
            digest.as_ref().ok().map(|digest| digest.as_slice()).into(),
        ],
    )?;
    Ok(())
}
