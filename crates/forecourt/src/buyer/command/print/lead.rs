//! What became of a lead.

use std::fmt::Write as _;

use aap::lead::{AppointmentAnswer, AppointmentStatus, LeadStatus, LeadSubmitResult};

use super::{NOT_STATED, clean, push_line};
use crate::buyer::Answer;

/// What became of a lead.
pub(crate) fn lead(answer: &Answer<LeadSubmitResult>) -> String {
    let result = &answer.data;
    let what = match result.status {
        LeadStatus::Received => "received",
        LeadStatus::Duplicate => "already known to the dealer",
        LeadStatus::Rejected => "rejected by the dealer",
    };
    let mut text = format!("lead {}: {what}", clean(&result.lead_id));
    push_line(&mut text, answer.message.as_deref());
    if let Some(appointment) = &result.appointment {
        let _ = write!(text, "\n{}", appointment_lines(appointment));
    }
    if let Some(dealer) = &result.dealer {
        let contact = [&dealer.name, &dealer.phone];
        let contact: Vec<String> = contact.into_iter().flatten().map(|it| clean(it)).collect();
        if !contact.is_empty() {
            let _ = write!(text, "\ndealer: {}", contact.join(", "));
        }
    }
    text
}

/// Only `confirmed` is a booking, and the buyer has to be told so (AAP 1.3, appointments).
fn appointment_lines(appointment: &AppointmentAnswer) -> String {
    let id = clean(&appointment.appointment_id);
    match appointment.status {
        AppointmentStatus::Confirmed => {
            let at = appointment.confirmed_at.as_deref().unwrap_or(NOT_STATED);
            format!("appointment {id}: confirmed for {}", clean(at))
        }
        AppointmentStatus::Requested => {
            format!("appointment {id}: requested. It is not booked until the dealer confirms it.")
        }
        AppointmentStatus::Proposed => format!(
            "appointment {id}: not booked. The dealer proposes {}; send the lead again with the \
             time chosen.",
            clean(&appointment.proposed_times.join(", "))
        ),
        AppointmentStatus::Rejected => format!("appointment {id}: rejected, not booked"),
    }
}
