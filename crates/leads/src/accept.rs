//! Taking a lead: one transaction writes all of it, or nothing.

use aap::lead::{AppointmentType, DealerContact, LeadStatus, LeadSubmitResult};
use serde::{Deserialize, Serialize};
use store::Conn;

use crate::{
    Error, NewLead, Submission, Vault, VehicleMatch,
    appointment::arrange::{Arrangement, arrange},
    earlier::Earlier,
    idempotency::{remember, replay},
    insert, words,
};

/// The answer to a lead that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Accepted {
    /// `data` of the `lead.submit.response`.
    pub result: LeadSubmitResult,
    /// `message` of the `lead.submit.response`: the next step in plain words.
    pub message: String,
    /// The request is a repeat of an earlier one with the same key, and this is that one's answer.
    #[serde(skip)]
    pub replayed: bool,
}

/// Takes a lead. When the transaction is durable, the lead is there with its consent, its
/// appointment and its delivery.
///
/// A request whose key was used before gets the first answer, also when both arrive at once. An
/// equivalent lead (same mail address or telephone number, same car, same wished time) within 24
/// hours is kept and delivered like any other, marked as a repeat of the first. Only a caller that
/// can be recognised hears `duplicate`, and only of leads that it sent itself: another caller's
/// answer does not depend on whether somebody has enquired before. A lead that the dealer's policy
/// rejects is kept with its reason; it has no delivery and takes no time of an appointment.
///
/// A wished time is held or confirmed where the rooftop's [`Calendar`](crate::Calendar) has it
/// free; else the nearest free times are proposed. A repeat takes no second place.
///
/// What identifies the person is kept as `vault` writes it.
///
/// # Errors
/// [`Error::IdempotencyConflict`]; [`Error::VehicleNotFound`] or [`Error::VehicleUnavailable`]
/// when a test drive is asked for a car that is unknown or gone; [`Error::AppointmentUnavailable`]
/// where the rooftop refuses leads whose time is not free. Nothing is stored then.
pub fn accept(
    conn: &mut dyn Conn,
    vault: &Vault,
    submission: &Submission,
) -> Result<Accepted, Error> {
    let lead = &submission.lead;
    if let Some(idempotency) = &lead.idempotency
        && let Some(first) = replay(conn, &lead.dealer, idempotency, lead.now)?
    {
        return Ok(first);
    }
    check_test_drive(submission)?;
    let earlier = Earlier::find(conn, submission)?;
    let arrangement = arrange(conn, submission, &earlier)?;
    let answer = answer(submission, &earlier, arrangement.as_ref());
    if let Some(idempotency) = &lead.idempotency
        && !remember(
            conn,
            &lead.dealer,
            idempotency,
            &lead.lead_id,
            &answer,
            lead.now,
        )?
    {
        if let Some(arrangement) = &arrangement {
            arrangement.undo(conn, submission)?;
        }
        // The other transaction has committed meanwhile, so its answer can be read.
        return replay(conn, &lead.dealer, idempotency, lead.now)?
            .ok_or(Error::Stored { column: "answer" });
    }
    insert::lead(conn, submission, &earlier)?;
    insert::person(conn, vault, submission)?;
    insert::consent(conn, vault, submission)?;
    insert::appointment(conn, submission, arrangement.as_ref())?;
    insert::contacts(conn, submission)?;
    if lead.rejected.is_none() {
        insert::deliveries(conn, submission, &earlier)?;
    }
    Ok(answer)
}

/// The answer to a lead that goes nowhere.
fn rejection(lead: &NewLead, reason: &str) -> Accepted {
    Accepted {
        result: LeadSubmitResult {
            lead_id: lead.lead_id.to_string(),
            status: LeadStatus::Rejected,
            appointment: None,
            dealer: contact(lead),
        },
        message: reason.to_owned(),
        replayed: false,
    }
}

fn contact(lead: &NewLead) -> Option<DealerContact> {
    (lead.contact != DealerContact::default()).then(|| lead.contact.clone())
}

fn check_test_drive(submission: &Submission) -> Result<(), Error> {
    let lead = &submission.lead;
    let is_test_drive = lead
        .request
        .appointment
        .as_ref()
        .is_some_and(|appointment| appointment.appointment_type == AppointmentType::TestDrive);
    match lead.vehicle {
        VehicleMatch::Unknown if is_test_drive => Err(Error::VehicleNotFound),
        VehicleMatch::Gone if is_test_drive => Err(Error::VehicleUnavailable),
        _ => Ok(()),
    }
}

fn answer(
    submission: &Submission,
    earlier: &Earlier,
    arrangement: Option<&Arrangement>,
) -> Accepted {
    let lead = &submission.lead;
    if let Some(reason) = &lead.rejected {
        return rejection(lead, reason);
    }
    let (lead_id, status) = match &earlier.of_sender {
        Some(first) => (first, LeadStatus::Duplicate),
        None => (&lead.lead_id, LeadStatus::Received),
    };
    Accepted {
        result: LeadSubmitResult {
            lead_id: lead_id.to_string(),
            status,
            appointment: arrangement.map(|it| it.answer(lead.calendar.as_ref())),
            dealer: contact(lead),
        },
        message: words::next_step(submission, status, arrangement),
        replayed: false,
    }
}
