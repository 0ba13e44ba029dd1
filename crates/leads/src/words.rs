//! The answer's message: what happens next, in plain words that promise no time but a booked one.
//!
//! It is made of the dealer's own words and fixed sentences only. It is kept with the idempotency
//! key, where nothing about the person may stand, and a buyer's words could carry anything.

use aap::{
    lead::{Channel, LeadStatus},
    vehicle::Vehicle,
};
use jiff::{Timestamp, tz::TimeZone};

use crate::{
    AppointmentStatus, Calendar, NewLead, Submission, VehicleMatch,
    appointment::{arrange::Arrangement, kind_name},
};

const MASKED: &str = "Digits that look like a card or social security number were masked and not kept; please do not send such numbers.";

/// What to tell the buyer.
pub(crate) fn next_step(
    submission: &Submission,
    status: LeadStatus,
    arrangement: Option<&Arrangement>,
) -> String {
    let lead = &submission.lead;
    let sentences = [
        Some(taken(lead, status)),
        vehicle(lead).map(str::to_owned),
        Some(contact(lead, arrangement)),
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

fn contact(lead: &NewLead, arrangement: Option<&Arrangement>) -> String {
    let by = channels(lead);
    let (Some(wish), Some(arrangement)) = (&lead.request.appointment, arrangement) else {
        return format!("Our team will follow up {by}.");
    };
    let kind = kind_name(wish.appointment_type);
    let calendar = lead.calendar.as_ref();
    let spoken = |at| spoken(calendar, at);
    let span = arrangement.span;
    match (arrangement.status, span.map(|span| span.starts_at)) {
        (AppointmentStatus::Confirmed, Some(at)) => {
            format!("Your {kind} is booked for {}.", spoken(at))
        }
        (AppointmentStatus::Requested, Some(at)) => format!(
            "{} is held for your {kind}, which is requested but not booked yet; our team will contact you {by} to confirm it.",
            spoken(at)
        ),
        (AppointmentStatus::Proposed, _) => {
            let free = arrangement.proposed.iter();
            let free: Vec<String> = free.map(|at| spoken(*at)).collect();
            format!(
                "The time that you asked for is not free, so your {kind} is not booked yet. Free times near it: {}. Choose one and send a new request for it; our team can also help {by}.",
                free.join("; ")
            )
        }
        _ => format!(
            "Your {kind} is requested but not booked yet; our team will contact you {by} to agree on a time."
        ),
    }
}

/// Day, date, time and zone as the rooftop's people say them, in UTC where its zone is not known:
/// `Saturday, May 2, 2026 at 11:00 AM CDT`.
fn spoken(calendar: Option<&Calendar>, at: Timestamp) -> String {
    let local = match calendar {
        Some(calendar) => calendar.local(at),
        None => at.to_zoned_datetime(TimeZone::UTC),
    };
    local.strftime("%A, %B %-d, %Y at %-I:%M %p %Z").to_string()
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
