//! What a lead's wish for an appointment becomes, inside the transaction that takes the lead.

use aap::lead::AppointmentAnswer;
use dealers::Standing;
use jiff::Timestamp;
use store::Conn;

use super::{AppointmentStatus, Calendar, Existing, Span, slot::Desk};
use crate::{AppointmentId, Error, NewLead, Submission, earlier::Earlier, submission::Wish};

/// How many free times are proposed.
pub(super) const PROPOSED: usize = 3;

/// What a wish becomes.
#[derive(Debug)]
pub(crate) struct Arrangement {
    /// Name of the appointment that the answer is about.
    pub(crate) appointment_id: AppointmentId,
    /// What the buyer's agent is told.
    pub(crate) status: AppointmentStatus,
    /// The time that is held or agreed on.
    pub(crate) span: Option<Span>,
    /// Free times instead of the wished one, in the order of time.
    pub(crate) proposed: Vec<Timestamp>,
    /// The appointment that this repeats, whose time it shares.
    pub(crate) repeats: Option<Existing>,
}

/// Decides on the wish of a lead and takes its time; `None` for a lead without a wish, and for
/// one that goes nowhere.
///
/// The sender's own repeat is told what became of the first. The repeat of another sender's lead is
/// answered like anybody's, so that nobody can probe who has an appointment, and shares the time of
/// the first instead of taking another place. A lead of a held agent takes no time before a person
/// has looked at it.
pub(crate) fn arrange(
    conn: &mut dyn Conn,
    submission: &Submission,
    earlier: &Earlier,
) -> Result<Option<Arrangement>, Error> {
    let lead = &submission.lead;
    let Some(wish) = submission
        .appointment
        .as_ref()
        .filter(|_| lead.rejected.is_none())
    else {
        return Ok(None);
    };
    if let Some(first) = &earlier.of_sender_appointment {
        return Ok(Some(Arrangement::shares(first)));
    }
    let arrangement = match (&lead.calendar, wish.at, lead.standing) {
        (Some(calendar), Some(at), Standing::Known | Standing::Open) => {
            at_a_time(conn, lead, wish, at, calendar, earlier)?
        }
        _ => Arrangement::of(lead, AppointmentStatus::Requested),
    };
    Ok(Some(arrangement))
}

fn at_a_time(
    conn: &mut dyn Conn,
    lead: &NewLead,
    wish: &Wish,
    at: Timestamp,
    calendar: &Calendar,
    earlier: &Earlier,
) -> Result<Arrangement, Error> {
    let desk = desk(lead, wish);
    let (now, capacity) = (lead.now, calendar.capacity());
    let length = calendar.length(wish.duration_minutes);
    desk.forget(conn, now)?;
    if calendar.is_open(at, length, now) {
        let span = Span {
            starts_at: at,
            ends_at: at + length,
        };
        let status = if calendar.confirms() {
            AppointmentStatus::Confirmed
        } else {
            AppointmentStatus::Requested
        };
        let first = &earlier.of_anybody_appointment;
        let got = match first {
            Some(_) => desk.full(conn, at, span.ends_at, capacity)?.is_empty(),
            None => desk.take(conn, span, capacity)?,
        };
        if got {
            return Ok(Arrangement {
                span: Some(span),
                repeats: first.clone(),
                ..Arrangement::of(lead, status)
            });
        }
    }
    let proposed = calendar.nearest(at, length, now, PROPOSED, |from, to| {
        desk.full(conn, from, to, capacity)
    })?;
    if calendar.refuses() {
        let free = proposed.into_iter();
        return Err(Error::AppointmentUnavailable {
            free: free.map(|at| wire_time(Some(calendar), at)).collect(),
        });
    }
    let status = if proposed.is_empty() {
        AppointmentStatus::Requested
    } else {
        AppointmentStatus::Proposed
    };
    Ok(Arrangement {
        proposed,
        ..Arrangement::of(lead, status)
    })
}

impl Arrangement {
    fn of(lead: &NewLead, status: AppointmentStatus) -> Self {
        Self {
            appointment_id: lead.appointment_id.clone(),
            status,
            span: None,
            proposed: Vec::new(),
            repeats: None,
        }
    }

    fn shares(first: &Existing) -> Self {
        Self {
            appointment_id: first.appointment_id.clone(),
            status: first.status,
            span: first.span,
            proposed: Vec::new(),
            repeats: Some(first.clone()),
        }
    }

    /// Gives the time back that it took, if the lead is not stored after all.
    pub(crate) fn undo(&self, conn: &mut dyn Conn, submission: &Submission) -> Result<(), Error> {
        match (&submission.appointment, self.span, &self.repeats) {
            (Some(wish), Some(span), None) => desk(&submission.lead, wish).give_back(conn, span),
            _ => Ok(()),
        }
    }

    /// The appointment as the answer has it. `confirmed_at` is there exactly when it is confirmed,
    /// `proposed_times` exactly when others are proposed (AAP 1.3, lead-submit-response schema).
    pub(crate) fn answer(&self, calendar: Option<&Calendar>) -> AppointmentAnswer {
        let booked = match (self.status, self.span) {
            (AppointmentStatus::Confirmed, Some(span)) => Some(span.starts_at),
            _ => None,
        };
        AppointmentAnswer {
            appointment_id: self.appointment_id.to_string(),
            status: self.status.told(),
            confirmed_at: booked.map(|at| wire_time(calendar, at)),
            proposed_times: self.proposed_texts(calendar),
        }
    }

    /// The proposed times with the rooftop's offset (RFC 3339).
    pub(crate) fn proposed_texts(&self, calendar: Option<&Calendar>) -> Vec<String> {
        let times = self.proposed.iter();
        times.map(|at| wire_time(calendar, *at)).collect()
    }
}

fn desk<'a>(lead: &'a NewLead, wish: &Wish) -> Desk<'a> {
    Desk {
        dealer: &lead.dealer,
        rooftop: lead.rooftop.as_deref().unwrap_or_default(),
        kind: wish.kind,
    }
}

/// A time with the rooftop's offset (RFC 3339), in UTC where its zone is not known.
pub(super) fn wire_time(calendar: Option<&Calendar>, at: Timestamp) -> String {
    match calendar {
        Some(calendar) => {
            let local = calendar.local(at);
            local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
        }
        None => at.to_string(),
    }
}
