//! The answer's message: what happens next, in plain words that promise no time.
//!
//! It is made of the dealer's own words and fixed sentences only. It is kept with the idempotency
//! key, where nothing about the person may stand, and a buyer's words could carry anything.

use aap::{
    lead::{AppointmentType, Channel, LeadStatus},
    vehicle::Vehicle,
};

use crate::{NewLead, Submission, VehicleMatch};

const MASKED: &str = "Digits that look like a card or social security number were masked and not kept; please do not send such numbers.";

/// What to tell the buyer.
pub(crate) fn next_step(submission: &Submission, status: LeadStatus) -> String {
    let lead = &submission.lead;
    let sentences = [
        Some(taken(lead, status)),
        vehicle(lead).map(str::to_owned),
        Some(contact(lead)),
        lead.contact
            .phone
            .as_ref()
            .map(|phone| format!("You can also call {phone}.")),
        submission.masked.then(|| MASKED.to_owned()),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    sentences.join(" ")
}

fn taken(lead: &NewLead, status: LeadStatus) -> String {
    let about = lead
        .vehicle
        .listing()
        .and_then(Vehicle::title)
        .map_or_else(String::new, |title| format!(" about the {title}"));
    match status {
        LeadStatus::Duplicate => format!(
            "We already have your inquiry{about}. The repeat went to our team, marked as one."
        ),
        LeadStatus::Received | LeadStatus::Rejected => {
            format!("We received your inquiry{about}.")
        }
    }
}

fn vehicle(lead: &NewLead) -> Option<&'static str> {
    match lead.vehicle {
        VehicleMatch::Unknown => {
            Some("The vehicle that it names is not in our stock list; our team will look into it.")
        }
        VehicleMatch::Gone => {
            Some("The vehicle that it names is no longer available; our team knows about it.")
        }
        VehicleMatch::None | VehicleMatch::Known(_) => None,
    }
}

fn contact(lead: &NewLead) -> String {
    let by = channels(lead);
    match &lead.request.appointment {
        None => format!("Our team will follow up {by}."),
        Some(appointment) => {
            let kind = match appointment.appointment_type {
                AppointmentType::Sales => "sales appointment",
                AppointmentType::Service => "service appointment",
                AppointmentType::TestDrive => "test drive",
                AppointmentType::TradeIn => "trade-in appraisal",
            };
            format!(
                "Your {kind} is requested but not booked yet; our team will contact you {by} to agree on a time."
            )
        }
    }
}

/// The preferred way, else every allowed one.
fn channels(lead: &NewLead) -> String {
    let preferred = lead.request.customer.preferred_contact;
    let channels = match preferred.and_then(|preferred| preferred.channel()) {
        Some(channel) => vec![channel],
        None => lead.request.consent.allowed_channels.clone(),
    };
    let words: Vec<&str> = channels
        .iter()
        .map(|channel| match channel {
            Channel::Email => "by email",
            Channel::Phone => "by phone",
            Channel::Sms => "by text message",
        })
        .collect();
    words.join(" or ")
}
