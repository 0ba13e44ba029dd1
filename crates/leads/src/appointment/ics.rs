//! Appointments as an iCalendar document (RFC 5545), for the calendars of the people who keep them.

use aap::lead::AppointmentType;
use icalendar::{Calendar, Component, Event, EventLike, EventStatus, Property};
use jiff::Timestamp;

use super::{Appointment, AppointmentStatus};

/// Written into every document as the program that made it (RFC 5545 §3.7.3).
const PRODUCT: &str = "-//Forecourt//Appointments//EN";

/// How an iCalendar document is written.
#[derive(Debug, Clone, Copy)]
pub struct CalendarForm<'a> {
    /// Name of the calendar.
    pub name: &'a str,
    /// Whether the events name the person, with mail address and telephone number. Calendars are
    /// copied to many places, from which nothing can be erased.
    pub names_persons: bool,
    /// When the document is made.
    pub now: Timestamp,
}

/// An iCalendar document with one event for each appointment that has a time: TENTATIVE while it is
/// held, CONFIRMED, or CANCELLED. Times are in UTC, which every reader shows in its own zone. `UID`
/// is the appointment's name, so that a calendar that reads the document again changes the event
/// instead of doubling it.
#[must_use]
pub fn calendar(appointments: &[Appointment], form: &CalendarForm<'_>) -> String {
    let mut calendar = Calendar::empty();
    for (key, value) in [
        ("VERSION", "2.0"),
        ("PRODID", PRODUCT),
        ("CALSCALE", "GREGORIAN"),
        ("METHOD", "PUBLISH"),
    ] {
        calendar.append_property(Property::new(key, value));
    }
    for key in ["NAME", "X-WR-CALNAME"] {
        let mut name = Property::new(key, clean(form.name));
        // Said aloud, as the library escapes only where it knows that a value is text.
        calendar.append_property(name.add_parameter("VALUE", "TEXT").done());
    }
    calendar.extend(appointments.iter().filter_map(|it| event(it, form)));
    calendar.to_string()
}

fn event(appointment: &Appointment, form: &CalendarForm<'_>) -> Option<Event> {
    let (starts_at, ends_at) = (appointment.starts_at?, appointment.ends_at?);
    let status = match appointment.status {
        AppointmentStatus::Requested | AppointmentStatus::Proposed => EventStatus::Tentative,
        AppointmentStatus::Confirmed => EventStatus::Confirmed,
        AppointmentStatus::Canceled => EventStatus::Cancelled,
    };
    let changed_at = appointment.decided_at.unwrap_or(appointment.received_at);
    // It has to grow with each decision (RFC 5545 §3.8.7.4), so the seconds until the last one do.
    let revision = changed_at
        .duration_since(appointment.received_at)
        .as_secs()
        .max(0);
    let mut event = Event::with_uid(appointment.appointment_id.as_str());
    event
        .add_property("DTSTAMP", utc(form.now))
        .add_property("DTSTART", utc(starts_at))
        .add_property("DTEND", utc(ends_at))
        .add_property("CREATED", utc(appointment.received_at))
        .add_property("LAST-MODIFIED", utc(changed_at))
        .add_property("SEQUENCE", revision.to_string())
        .status(status)
        .summary(&summary(appointment, form))
        .description(&description(appointment, form));
    if let Some(rooftop) = &appointment.rooftop {
        event.location(&clean(rooftop));
    }
    Some(event.done())
}

fn summary(appointment: &Appointment, form: &CalendarForm<'_>) -> String {
    let kind = match appointment.kind {
        AppointmentType::Sales => "Sales appointment",
        AppointmentType::Service => "Service appointment",
        AppointmentType::TestDrive => "Test drive",
        AppointmentType::TradeIn => "Trade-in appraisal",
    };
    let person = appointment.person.0.as_ref().filter(|_| form.names_persons);
    let person = person.map(|it| format!("{} {}", it.first_name, it.last_name));
    let vehicle = appointment.vehicle.clone();
    let about: Vec<String> = [person, vehicle].into_iter().flatten().collect();
    match about.is_empty() {
        true => kind.to_owned(),
        false => clean(&format!("{kind}: {}", about.join(", "))),
    }
}

fn description(appointment: &Appointment, form: &CalendarForm<'_>) -> String {
    let mut lines = vec![match appointment.status {
        AppointmentStatus::Requested | AppointmentStatus::Proposed => {
            "Held, not confirmed; please answer the customer.".to_owned()
        }
        AppointmentStatus::Confirmed => "Confirmed.".to_owned(),
        AppointmentStatus::Canceled => "Canceled.".to_owned(),
    }];
    let stock = appointment.stock.as_ref();
    lines.extend(stock.map(|stock| format!("Stock number: {stock}")));
    if let Some(person) = appointment.person.0.as_ref().filter(|_| form.names_persons) {
        lines.extend(person.phone.as_ref().map(|phone| format!("Phone: {phone}")));
        lines.extend(person.email.as_ref().map(|email| format!("Email: {email}")));
    }
    lines.push(format!("Lead: {}", appointment.lead_id));
    let lines: Vec<String> = lines.iter().map(|line| clean(line)).collect();
    lines.join("\n")
}

/// Foreign text without control characters, which RFC 5545 §3.1 forbids in a value.
fn clean(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect()
}

/// `DATE-TIME` in UTC (RFC 5545 §3.3.5, form 2).
fn utc(at: Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}
