//! Appointments for people to read, in the time of the rooftop's clock.

use comfy_table::Table;
use dealers::Dealer;
use jiff::{Timestamp, tz::TimeZone};
use leads::{AppointmentStatus, appointment::Appointment};

use crate::cli::{
    outcome::{self, keep_whole},
    text::clean,
};

pub(super) fn table(appointments: &[Appointment], dealer: &Dealer) -> Table {
    let mut rows = outcome::table(["time", "status", "what", "person", "appointment"]);
    for appointment in appointments {
        rows.add_row([
            time(appointment, dealer),
            appointment.status.as_str().to_owned(),
            what(appointment, dealer),
            person(appointment),
            appointment.appointment_id.to_string(),
        ]);
    }
    keep_whole(&mut rows, &[0, 1, 4]);
    rows
}

/// The kind, the vehicle, and the rooftop where there are several.
fn what(appointment: &Appointment, dealer: &Dealer) -> String {
    let kind = appointment.kind.as_str().replace('_', " ");
    let rooftop = appointment.rooftop.clone();
    let parts = [
        Some(kind),
        appointment.vehicle.clone(),
        rooftop.filter(|_| dealer.rooftops.len() > 1),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    clean(&parts.join(", "))
}

/// What became of an appointment, in one sentence.
pub(super) fn line(appointment: &Appointment, dealer: &Dealer, changed: bool) -> String {
    let kind = appointment.kind.as_str().replace('_', " ");
    let person = person(appointment);
    let whose = match person.is_empty() {
        true => String::new(),
        false => format!(" of {person}"),
    };
    let what = match (appointment.status, changed) {
        (AppointmentStatus::Confirmed, true) => "confirmed",
        (AppointmentStatus::Confirmed, false) => "was confirmed already",
        (AppointmentStatus::Canceled, true) if appointment.starts_at.is_some() => {
            "canceled; its time is free again"
        }
        (AppointmentStatus::Canceled, false) => "was canceled already",
        (status, _) => status.as_str(),
    };
    let time = time(appointment, dealer);
    format!("{kind}{whose}, {time}: {what}")
}

fn person(appointment: &Appointment) -> String {
    let person = appointment.person.0.as_ref();
    person.map_or_else(String::new, |person| {
        clean(&format!("{} {}", person.first_name, person.last_name))
    })
}

/// The agreed time, else the wished one with a question mark.
fn time(appointment: &Appointment, dealer: &Dealer) -> String {
    let zone = appointment
        .rooftop
        .as_ref()
        .and_then(|name| dealer.rooftops.get(name)?.timezone.as_deref())
        .and_then(|zone| TimeZone::get(zone).ok())
        .unwrap_or(TimeZone::UTC);
    let shown = |at: Timestamp| {
        let local = at.to_zoned_datetime(zone.clone());
        local.strftime("%Y-%m-%d %H:%M %Z").to_string()
    };
    let wished = appointment.wished_at.as_deref();
    match (
        appointment.starts_at,
        wished.and_then(aap::formats::instant),
    ) {
        (Some(at), _) => shown(at),
        (None, Some(at)) => format!("{}?", shown(at)),
        (None, None) => "to be agreed on".to_owned(),
    }
}
