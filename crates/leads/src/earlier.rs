//! Equivalent leads that came before.

use store::{Conn, Row, Value};

use crate::{
    Error, LeadId, Submission,
    appointment::{Existing, Span},
    wire::{read_word, unreadable},
};

/// Within this time an equivalent lead is a repeat, in milliseconds: 24 hours.
const REPEAT: i64 = 24 * 60 * 60 * 1000;

/// What came before a lead, as far as it is equivalent: same mail address or telephone number,
/// same car, same wished time.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// The first such lead, whoever sent it. It is the dealer's to know.
    pub(crate) of_anybody: Option<LeadId>,
    /// The first such lead of the same sender, which may be told to it.
    pub(crate) of_sender: Option<LeadId>,
    /// The appointment of the same kind that stands with the sender's leads.
    pub(crate) of_sender_appointment: Option<Existing>,
    /// The appointment of the same kind that holds the wished time, whoever sent it.
    pub(crate) of_anybody_appointment: Option<Existing>,
}

impl Earlier {
    pub(crate) fn find(conn: &mut dyn Conn, submission: &Submission) -> Result<Self, Error> {
        let Some(of_anybody) = first_of_anybody(conn, submission)? else {
            return Ok(Self::default());
        };
        Ok(Self {
            of_anybody: Some(of_anybody),
            of_sender: first_of_sender(conn, submission)?,
            of_sender_appointment: appointment_of_sender(conn, submission)?,
            of_anybody_appointment: appointment_of_anybody(conn, submission)?,
        })
    }
}

/// Whether the same sender sent an equivalent lead before, within the time in which a lead is a repeat.
/// What others sent does not count, so that nobody learns of it.
///
/// # Errors
/// When the database fails.
pub fn is_own_repeat(conn: &mut dyn Conn, submission: &Submission) -> Result<bool, Error> {
    Ok(first_of_sender(conn, submission)?.is_some())
}

fn first_of_anybody(conn: &mut dyn Conn, submission: &Submission) -> Result<Option<LeadId>, Error> {
    let Some(args) = equivalent(submission) else {
        return Ok(None);
    };
    // Where the earliest within the time is itself a repeat, the lead that it repeats.
    let found = conn.first(
        "SELECT COALESCE(lead.repeat_of, lead.lead_id)
         FROM contact JOIN lead
           ON lead.dealer = contact.dealer AND lead.lead_id = contact.lead_id
         WHERE contact.dealer = $1 AND contact.hash IN ($2, $3) AND contact.subject = $4
           AND contact.received_at >= $5
         ORDER BY contact.received_at, contact.lead_id LIMIT 1",
        &args,
        |row| read_word(row, 0),
    )?;
    Ok(found.flatten())
}

fn first_of_sender(conn: &mut dyn Conn, submission: &Submission) -> Result<Option<LeadId>, Error> {
    let (Some(args), Some(sender)) = (equivalent(submission), &submission.sender) else {
        return Ok(None);
    };
    let mut args = args.to_vec();
    args.push(sender.as_slice().into());
    let found = conn.first(
        "SELECT COALESCE(lead.answered_as, lead.lead_id)
         FROM contact JOIN lead
           ON lead.dealer = contact.dealer AND lead.lead_id = contact.lead_id
         WHERE contact.dealer = $1 AND contact.hash IN ($2, $3) AND contact.subject = $4
           AND contact.received_at >= $5 AND lead.sender = $6
         ORDER BY contact.received_at, contact.lead_id LIMIT 1",
        &args,
        |row| read_word(row, 0),
    )?;
    Ok(found.flatten())
}

/// Dealer, one or two contacts, subject, time. `None` for a lead without contacts.
fn equivalent(submission: &Submission) -> Option<[Value<'_>; 5]> {
    let (first, last) = (submission.contacts.first()?, submission.contacts.last()?);
    let lead = &submission.lead;
    Some([
        (&lead.dealer).into(),
        first.as_slice().into(),
        last.as_slice().into(),
        submission.subject.as_slice().into(),
        (lead.now.as_millisecond() - REPEAT).into(),
    ])
}

/// The newest appointments among equivalent leads that stand and repeat no other. One that was
/// answered with other times stands no more: the same wish may find its time free.
macro_rules! appointments {
    ($rest:literal) => {
        concat!(
            "SELECT appointment.appointment_id, appointment.status, appointment.starts_at,
                 appointment.ends_at
             FROM contact
             JOIN lead ON lead.dealer = contact.dealer AND lead.lead_id = contact.lead_id
             JOIN appointment
               ON appointment.dealer = contact.dealer AND appointment.lead_id = contact.lead_id
             WHERE contact.dealer = $1 AND contact.hash IN ($2, $3) AND contact.subject = $4
               AND contact.received_at >= $5 AND appointment.kind = $6
               AND appointment.status IN ('requested', 'confirmed')
               AND appointment.repeat_of IS NULL ",
            $rest,
            " ORDER BY contact.received_at DESC, contact.lead_id DESC LIMIT 1"
        )
    };
}

fn appointment_of_sender(
    conn: &mut dyn Conn,
    submission: &Submission,
) -> Result<Option<Existing>, Error> {
    let (Some(args), Some(sender), Some(wish)) = (
        equivalent(submission),
        &submission.sender,
        &submission.appointment,
    ) else {
        return Ok(None);
    };
    let mut args = args.to_vec();
    args.push(wish.kind.into());
    args.push(sender.as_slice().into());
    let found = conn.first(
        appointments!("AND lead.sender = $7"),
        &args,
        existing_appointment,
    )?;
    Ok(found)
}

fn appointment_of_anybody(
    conn: &mut dyn Conn,
    submission: &Submission,
) -> Result<Option<Existing>, Error> {
    let (Some(args), Some(wish)) = (equivalent(submission), &submission.appointment) else {
        return Ok(None);
    };
    let mut args = args.to_vec();
    args.push(wish.kind.into());
    args.push(wish.at.into());
    let found = conn.first(
        appointments!("AND appointment.starts_at = $7"),
        &args,
        existing_appointment,
    )?;
    Ok(found)
}

fn existing_appointment(row: &dyn Row) -> Result<Existing, store::Error> {
    let span = match (row.optional_time(2)?, row.optional_time(3)?) {
        (Some(starts_at), Some(ends_at)) => Some(Span { starts_at, ends_at }),
        _ => None,
    };
    Ok(Existing {
        appointment_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
        status: read_word(row, 1)?.ok_or_else(|| unreadable(1))?,
        span,
    })
}
