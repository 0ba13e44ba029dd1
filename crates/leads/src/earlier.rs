//! Equivalent leads that came before.

use store::{Conn, Value};

use crate::{AppointmentId, Error, LeadId, Submission, wire::read_word};

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
    /// The appointment of the same kind that the sender's lead has.
    pub(crate) appointment: Option<AppointmentId>,
}

impl Earlier {
    pub(crate) fn find(conn: &mut dyn Conn, submission: &Submission) -> Result<Self, Error> {
        let Some(of_anybody) = first_of_anybody(conn, submission)? else {
            return Ok(Self::default());
        };
        let of_sender = first_of_sender(conn, submission)?;
        let appointment = match &of_sender {
            Some(first) => appointment(conn, submission, first)?,
            None => None,
        };
        Ok(Self {
            of_anybody: Some(of_anybody),
            of_sender,
            appointment,
        })
    }
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

fn appointment(
    conn: &mut dyn Conn,
    submission: &Submission,
    of: &LeadId,
) -> Result<Option<AppointmentId>, Error> {
    let Some(wish) = &submission.appointment else {
        return Ok(None);
    };
    let found = conn.first(
        "SELECT appointment_id FROM appointment WHERE dealer = $1 AND lead_id = $2 AND kind = $3",
        &[
            (&submission.lead.dealer).into(),
            of.into(),
            wish.kind.into(),
        ],
        |row| read_word(row, 0),
    )?;
    Ok(found.flatten())
}
