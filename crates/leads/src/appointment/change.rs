//! What people make of an appointment: confirming it, moving it, calling it off.

use aap::lead::AppointmentType;
use dealers::{AppointmentSettings, Dealer, DealerId};
use jiff::{SignedDuration, Timestamp};
use store::{Conn, Row};

use super::{
    AppointmentStatus, Calendar, CancelReason, Span,
    arrange::{PROPOSED, wire_time},
    slot::Desk,
};
use crate::{
    AppointmentId, Error, LeadId, outbox,
    wire::{read_json, read_text, read_word, unreadable},
};

/// Who decides on an appointment, when, and by which settings.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// Whose appointment.
    pub dealer: &'a DealerId,
    /// The dealer's settings.
    pub settings: &'a Dealer,
    /// The person, for the record.
    pub by: &'a str,
    /// The time.
    pub now: Timestamp,
}

/// What a decision did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// The appointment: the first, where the name of a repeat was given.
    pub appointment_id: AppointmentId,
    /// The lead that asked for it.
    pub lead_id: LeadId,
    /// False when it stood that way before.
    pub changed: bool,
}

/// Why an appointment stays as it is. Nothing is changed when one is returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The dealer has no such appointment.
    #[error("there is no such appointment")]
    Unknown,
    /// It was called off; the buyer has to ask again.
    #[error("the appointment was canceled, and its time given back; a canceled one stays canceled")]
    Canceled,
    /// It has no time yet.
    #[error("the appointment has no time yet; say which{}", among(proposed))]
    NoTime {
        /// What was proposed to the buyer (RFC 3339).
        proposed: Vec<String>,
    },
    /// The time is over.
    #[error("{at} is past")]
    Past {
        /// The time.
        at: Timestamp,
    },
    /// As many appointments as there may be go on at the time.
    #[error("the time is not free{}", among(free))]
    Full {
        /// The nearest free times, with the rooftop's offset (RFC 3339).
        free: Vec<String>,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The lead cannot be read.
    #[error(transparent)]
    Lead(#[from] Error),
    /// Its destinations cannot be told.
    #[error(transparent)]
    Outbox(#[from] outbox::Error),
}

fn among(times: &[String]) -> String {
    match times.is_empty() {
        true => String::new(),
        false => format!("; free or proposed are {}", times.join(", ")),
    }
}

/// Confirms an appointment at the time that it holds, at the wished one, or at another. A person
/// may agree on a time outside opening hours and notice; the number of places counts all the same
/// where the rooftop says how many there are.
///
/// # Errors
/// [`ChangeError`]; a place is not given twice.
pub fn confirm(
    conn: &mut dyn Conn,
    decision: &Decision<'_>,
    appointment_id: &AppointmentId,
    at: Option<Timestamp>,
) -> Result<Decided, ChangeError> {
    let standing = Standing::find(conn, decision.dealer, appointment_id)?;
    let wished = match standing.status {
        AppointmentStatus::Canceled => return Err(ChangeError::Canceled),
        AppointmentStatus::Proposed => None,
        AppointmentStatus::Requested | AppointmentStatus::Confirmed => standing.wished_at,
    };
    let held = standing.span.map(|span| span.starts_at);
    let Some(starts_at) = at.or(held).or(wished) else {
        let proposed = standing.proposed;
        return Err(ChangeError::NoTime { proposed });
    };
    let was_confirmed = standing.status == AppointmentStatus::Confirmed;
    if was_confirmed && held == Some(starts_at) {
        return Ok(standing.decided(false));
    }
    if starts_at < decision.now {
        return Err(ChangeError::Past { at: starts_at });
    }
    let span = match standing.span {
        Some(span) if span.starts_at == starts_at => span,
        _ => standing.moved(conn, decision, starts_at)?,
    };
    conn.execute(
        "UPDATE appointment
         SET status = 'confirmed', starts_at = $3, ends_at = $4, decided_at = $5, decided_by = $6
         WHERE dealer = $1 AND (appointment_id = $2 OR repeat_of = $2)",
        &[
            decision.dealer.into(),
            (&standing.appointment_id).into(),
            span.starts_at.into(),
            span.ends_at.into(),
            decision.now.into(),
            decision.by.into(),
        ],
    )?;
    Ok(standing.decided(true))
}

/// Calls an appointment off and gives its time back.
///
/// # Errors
/// [`ChangeError::Unknown`], or when the database fails.
pub fn cancel(
    conn: &mut dyn Conn,
    decision: &Decision<'_>,
    appointment_id: &AppointmentId,
    reason: Option<CancelReason>,
) -> Result<Decided, ChangeError> {
    let standing = Standing::find(conn, decision.dealer, appointment_id)?;
    if standing.status == AppointmentStatus::Canceled {
        return Ok(standing.decided(false));
    }
    if let Some(span) = standing.span {
        standing.desk(decision).give_back(conn, span)?;
    }
    conn.execute(
        "UPDATE appointment
         SET status = 'canceled', decided_at = $3, decided_by = $4, cancel_reason = $5
         WHERE dealer = $1 AND (appointment_id = $2 OR repeat_of = $2)",
        &[
            decision.dealer.into(),
            (&standing.appointment_id).into(),
            decision.now.into(),
            decision.by.into(),
            reason.map(CancelReason::as_str).into(),
        ],
    )?;
    Ok(standing.decided(true))
}

/// An appointment as a decision finds it.
struct Standing {
    appointment_id: AppointmentId,
    lead_id: LeadId,
    kind: AppointmentType,
    status: AppointmentStatus,
    rooftop: String,
    wished_at: Option<Timestamp>,
    duration_minutes: Option<i64>,
    span: Option<Span>,
    proposed: Vec<String>,
}

impl Standing {
    /// The appointment, or the one that it repeats. Its row is taken first, so that two people who
    /// decide at once do it one after the other.
    fn find(
        conn: &mut dyn Conn,
        dealer: &DealerId,
        appointment_id: &AppointmentId,
    ) -> Result<Self, ChangeError> {
        conn.execute(
            "UPDATE appointment SET status = status
             WHERE dealer = $1 AND appointment_id = (
               SELECT COALESCE(named.repeat_of, named.appointment_id) FROM appointment AS named
               WHERE named.dealer = $1 AND named.appointment_id = $2)",
            &[dealer.into(), appointment_id.into()],
        )?;
        let found = conn.first(
            "SELECT appointment.appointment_id, appointment.lead_id, appointment.kind,
                 appointment.status, COALESCE(appointment.rooftop, lead.rooftop),
                 appointment.wished_at, appointment.duration_minutes, appointment.starts_at,
                 appointment.ends_at, appointment.proposed
             FROM appointment
             JOIN lead ON lead.dealer = appointment.dealer AND lead.lead_id = appointment.lead_id
             WHERE appointment.dealer = $1 AND appointment.appointment_id = (
               SELECT COALESCE(named.repeat_of, named.appointment_id) FROM appointment AS named
               WHERE named.dealer = $1 AND named.appointment_id = $2)",
            &[dealer.into(), appointment_id.into()],
            Self::read,
        )?;
        found.ok_or(ChangeError::Unknown)
    }

    fn read(row: &dyn Row) -> Result<Self, store::Error> {
        let status: AppointmentStatus = read_word(row, 3)?.ok_or_else(|| unreadable(3))?;
        let span = match (row.optional_time(7)?, row.optional_time(8)?) {
            // What was canceled has given its time back.
            (Some(starts_at), Some(ends_at)) if status != AppointmentStatus::Canceled => {
                Some(Span { starts_at, ends_at })
            }
            _ => None,
        };
        Ok(Self {
            appointment_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
            lead_id: read_word(row, 1)?.ok_or_else(|| unreadable(1))?,
            kind: read_word(row, 2)?.ok_or_else(|| unreadable(2))?,
            status,
            rooftop: read_text(row, 4)?.unwrap_or_default(),
            wished_at: row.optional_time(5)?,
            duration_minutes: row.optional_int(6)?,
            span,
            proposed: read_json(row, 9)?.unwrap_or_default(),
        })
    }

    /// Gives the held time back and takes another.
    fn moved(
        &self,
        conn: &mut dyn Conn,
        decision: &Decision<'_>,
        starts_at: Timestamp,
    ) -> Result<Span, ChangeError> {
        let rooftop = decision.settings.rooftops.get(&self.rooftop);
        let calendar = rooftop.and_then(|rooftop| Calendar::of(rooftop, self.kind));
        let length = match &calendar {
            Some(calendar) => calendar.length(self.duration_minutes),
            None => self.length_without_calendar(),
        };
        let ends_at = starts_at.saturating_add(length).unwrap_or(Timestamp::MAX);
        let span = Span { starts_at, ends_at };
        let desk = self.desk(decision);
        if let Some(held) = self.span {
            desk.give_back(conn, held)?;
        }
        let capacity = calendar.as_ref().map_or(i64::MAX, Calendar::capacity);
        if desk.take(conn, span, capacity)? {
            return Ok(span);
        }
        let nearest = match &calendar {
            Some(calendar) => {
                calendar.nearest(starts_at, length, decision.now, PROPOSED, |from, to| {
                    desk.full(conn, from, to, capacity)
                })?
            }
            None => Vec::new(),
        };
        let nearest = nearest.into_iter();
        Err(ChangeError::Full {
            free: nearest.map(|at| wire_time(calendar.as_ref(), at)).collect(),
        })
    }

    /// As long as the buyer wants, within a day.
    fn length_without_calendar(&self) -> SignedDuration {
        let default = AppointmentSettings::default().slot.duration();
        let wished = self.duration_minutes.unwrap_or(default.as_mins());
        SignedDuration::from_mins(wished.clamp(1, 24 * 60))
    }

    fn desk<'a>(&'a self, decision: &'a Decision<'_>) -> Desk<'a> {
        Desk {
            dealer: decision.dealer,
            rooftop: &self.rooftop,
            kind: self.kind.as_str(),
        }
    }

    fn decided(self, changed: bool) -> Decided {
        Decided {
            appointment_id: self.appointment_id,
            lead_id: self.lead_id,
            changed,
        }
    }
}
