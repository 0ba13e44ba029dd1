//! Reading appointments back, for the people who keep them.

use aap::lead::AppointmentType;
use dealers::DealerId;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Conn, Row};

use super::{AppointmentStatus, Calendar, calendar::pieces, slot::Desk};
use crate::{
    AppointmentId, Error, LeadId, Person, Personal, Vault,
    vault::Place,
    wire::{read_json, read_text, read_word, unreadable},
};

/// An appointment with what the people who keep it need to know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Appointment {
    /// Its name.
    pub appointment_id: AppointmentId,
    /// The lead that asked for it.
    pub lead_id: LeadId,
    /// What for.
    pub kind: AppointmentType,
    /// How far it is.
    pub status: AppointmentStatus,
    /// Where.
    pub rooftop: Option<String>,
    /// When the lead arrived.
    pub received_at: Timestamp,
    /// The wished start as sent, with its offset.
    pub wished_at: Option<String>,
    /// How long the buyer wants it to take, in minutes.
    pub duration_minutes: Option<i64>,
    /// The start that is held or agreed on.
    pub starts_at: Option<Timestamp>,
    /// When it ends.
    pub ends_at: Option<Timestamp>,
    /// The starts that were proposed instead of the wished one (RFC 3339).
    pub proposed: Vec<String>,
    /// When it was confirmed or canceled.
    pub decided_at: Option<Timestamp>,
    /// Who confirmed or canceled it; absent when the dealer's settings did.
    pub decided_by: Option<String>,
    /// Why it was canceled.
    pub cancel_reason: Option<CancelReason>,
    /// Year, make, model and trim of the dealer's own listing.
    pub vehicle: Option<String>,
    /// Stock number of the listing.
    pub stock: Option<String>,
    /// Who comes; `None` once erased.
    pub person: Personal<Option<Person>>,
}

/// Why an appointment is called off. A word and no text, which could hold personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CancelReason {
    /// The buyer does not come.
    Buyer,
    /// The dealer cannot keep it.
    Dealer,
    /// The vehicle is gone.
    Vehicle,
}

impl CancelReason {
    /// The word of the column.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Buyer => "buyer",
            Self::Dealer => "dealer",
            Self::Vehicle => "vehicle",
        }
    }
}

/// Which appointments to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those that begin, or were wished for, at this time or later.
    pub since: Option<Timestamp>,
    /// Only those that begin, or were wished for, before this time.
    pub until: Option<Timestamp>,
    /// Those without any time, too.
    pub undated: bool,
    /// Only those at this rooftop.
    pub rooftop: Option<String>,
    /// Only those of this kind.
    pub kind: Option<AppointmentType>,
    /// Only those that are so far.
    pub status: Option<AppointmentStatus>,
    /// At most so many, the first ones.
    pub limit: u32,
}

/// So far back a calendar goes, so that its readers see what was canceled.
const CALENDAR_BACK: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Most events of a calendar.
const CALENDAR_EVENTS: u32 = 10_000;

impl Filter {
    /// What stands in a rooftop's [`calendar`](super::calendar()), or in that of all rooftops: from 30
    /// days ago on, at most 10,000 appointments.
    #[must_use]
    pub fn of_calendar(rooftop: Option<String>, now: Timestamp) -> Self {
        Self {
            since: now.saturating_sub(CALENDAR_BACK).ok(),
            rooftop,
            limit: CALENDAR_EVENTS,
            ..Self::default()
        }
    }
}

/// The columns that [`appointment`] reads. What repeats another appointment is left out.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT appointment.appointment_id, appointment.lead_id, appointment.kind,
                 appointment.status, COALESCE(appointment.rooftop, lead.rooftop), lead.received_at,
                 appointment.wished_text, appointment.duration_minutes, appointment.starts_at,
                 appointment.ends_at, appointment.proposed, appointment.decided_at,
                 appointment.decided_by, appointment.cancel_reason, lead.vehicle, lead.stock,
                 person.first_name, person.last_name, person.email, person.phone
             FROM appointment
             JOIN lead ON lead.dealer = appointment.dealer AND lead.lead_id = appointment.lead_id
             LEFT JOIN person
               ON person.dealer = appointment.dealer AND person.lead_id = appointment.lead_id
             WHERE appointment.dealer = $1 AND ",
            $rest
        )
    };
}

/// A dealer's appointments in the order of their time, those without a time last. A repeat of one
/// is not listed.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn list(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    filter: &Filter,
) -> Result<Vec<Appointment>, Error> {
    let kind = filter.kind.map_or("", AppointmentType::as_str);
    let status = filter.status.map_or("", AppointmentStatus::as_str);
    let found = conn.all(
        select!(
            "appointment.repeat_of IS NULL
               AND ((COALESCE(appointment.starts_at, appointment.wished_at) >= $2
                     AND COALESCE(appointment.starts_at, appointment.wished_at) < $3)
                 OR ($4 = 1 AND COALESCE(appointment.starts_at, appointment.wished_at) IS NULL))
               AND ($5 = '' OR COALESCE(appointment.rooftop, lead.rooftop) = $5)
               AND ($6 = '' OR appointment.kind = $6)
               AND ($7 = '' OR appointment.status = $7)
             ORDER BY
               CASE WHEN COALESCE(appointment.starts_at, appointment.wished_at) IS NULL
                 THEN 1 ELSE 0 END,
               COALESCE(appointment.starts_at, appointment.wished_at), lead.received_at,
               appointment.appointment_id
             LIMIT $8"
        ),
        &[
            dealer.into(),
            filter.since.unwrap_or(Timestamp::MIN).into(),
            filter.until.unwrap_or(Timestamp::MAX).into(),
            filter.undated.into(),
            filter.rooftop.as_deref().unwrap_or_default().into(),
            kind.into(),
            status.into(),
            i64::from(filter.limit).into(),
        ],
        |row| Ok(appointment(row, vault, dealer)),
    )?;
    found.into_iter().collect()
}

/// One appointment; `None` when the dealer has no such appointment. The name of a repeat gives the
/// appointment that it repeats.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn show(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    appointment_id: &AppointmentId,
) -> Result<Option<Appointment>, Error> {
    conn.first(
        select!(
            "appointment.appointment_id = (
               SELECT COALESCE(named.repeat_of, named.appointment_id) FROM appointment AS named
               WHERE named.dealer = $1 AND named.appointment_id = $2)"
        ),
        &[dealer.into(), appointment_id.into()],
        |row| Ok(appointment(row, vault, dealer)),
    )?
    .transpose()
}

/// The starts from `from` up to and including `to` that an appointment of so many minutes would
/// get, in the order of time.
///
/// # Errors
/// When the database fails.
pub fn free(
    conn: &mut dyn Conn,
    wanted: &Wanted<'_>,
    from: Timestamp,
    to: Timestamp,
    now: Timestamp,
) -> Result<Vec<Timestamp>, Error> {
    let calendar = wanted.calendar;
    let length = calendar.length(wanted.minutes);
    let (earliest, latest) = calendar.span(now);
    let (from, to) = (from.max(earliest), to.min(latest));
    if from > to {
        return Ok(Vec::new());
    }
    let desk = Desk {
        dealer: wanted.dealer,
        rooftop: wanted.rooftop,
        kind: wanted.kind.as_str(),
    };
    let last_end = to.saturating_add(length).unwrap_or(Timestamp::MAX);
    let full = desk.full(conn, from, last_end, calendar.capacity())?;
    let has_room = |at: &Timestamp, length: SignedDuration| {
        !pieces(*at, *at + length).any(|piece| full.contains(&piece))
    };
    let mut free = calendar.starts(from, to, length);
    free.retain(|at| has_room(at, length));
    Ok(free)
}

/// What [`free`] looks for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Whose appointment.
    pub dealer: &'a DealerId,
    /// Where.
    pub rooftop: &'a str,
    /// What for.
    pub kind: AppointmentType,
    /// How long; one slot when absent.
    pub minutes: Option<i64>,
    /// When the rooftop takes this kind.
    pub calendar: &'a Calendar,
}

fn appointment(row: &dyn Row, vault: &Vault, dealer: &DealerId) -> Result<Appointment, Error> {
    let lead_id: LeadId = read_word(row, 1)?.ok_or_else(|| unreadable(1))?;
    Ok(Appointment {
        appointment_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
        kind: read_word(row, 2)?.ok_or_else(|| unreadable(2))?,
        status: read_word(row, 3)?.ok_or_else(|| unreadable(3))?,
        rooftop: read_text(row, 4)?,
        received_at: row.time(5)?,
        wished_at: read_text(row, 6)?,
        duration_minutes: row.optional_int(7)?,
        starts_at: row.optional_time(8)?,
        ends_at: row.optional_time(9)?,
        proposed: read_json(row, 10)?.unwrap_or_default(),
        decided_at: row.optional_time(11)?,
        decided_by: read_text(row, 12)?,
        cancel_reason: read_word(row, 13)?,
        vehicle: read_text(row, 14)?,
        stock: read_text(row, 15)?,
        person: Personal(person(row, vault, dealer, &lead_id)?),
        lead_id,
    })
}

fn person(
    row: &dyn Row,
    vault: &Vault,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<Option<Person>, Error> {
    let column = |column, name| {
        let stored = row.optional_text(column)?;
        let place = Place::new(dealer, lead_id, name);
        let text = stored
            .map(|stored| vault.unseal(place, stored))
            .transpose()?;
        Ok::<_, Error>(text)
    };
    let Some(first_name) = column(16, "person.first_name")? else {
        return Ok(None);
    };
    Ok(Some(Person {
        first_name,
        last_name: column(17, "person.last_name")?.ok_or_else(|| unreadable(17))?,
        email: column(18, "person.email")?,
        phone: column(19, "person.phone")?,
    }))
}
