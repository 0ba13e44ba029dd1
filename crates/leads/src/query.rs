//! Reading leads back.

use aap::{
    lead::{
        AppointmentRequest, AppointmentType, ConsentGrant, Customer, LeadStatus, LeadSubmitRequest,
        SourceAgent,
    },
    vehicle::Vehicle,
};
use dealers::DealerId;
use jiff::Timestamp;
use serde::Serialize;
use store::{Conn, Row, Value};

use crate::{
    AppointmentId, AppointmentStatus, Error, LeadId, Personal, VehicleState,
    wire::{read_json, read_text, read_word, unreadable},
};

/// Which leads to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Only leads received at this time or later.
    pub since: Option<Timestamp>,
    /// At most so many, the newest.
    pub limit: u32,
}

/// A lead in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeadSummary {
    /// Its name.
    pub lead_id: LeadId,
    /// When it arrived.
    pub received_at: Timestamp,
    /// What its sender was told.
    pub status: LeadStatus,
    /// Rooftop that gets it.
    pub rooftop: Option<String>,
    /// Name that the buyer's agent gave itself.
    pub source_agent: String,
    /// What was found for its vehicle.
    pub vehicle_state: VehicleState,
    /// Year, make, model and trim: the listing's, else the buyer's words.
    pub vehicle: Personal<Option<String>>,
    /// VIN of the listing.
    pub vin: Option<String>,
    /// Stock number of the listing.
    pub stock: Option<String>,
    /// The first of the equivalent leads, when this is a repeat.
    pub repeat_of: Option<LeadId>,
    /// Who enquires; `None` once erased.
    pub person: Personal<Option<Person>>,
    /// The appointment asked for.
    pub appointment: Option<AppointmentSummary>,
    /// How many of its deliveries are still due.
    pub deliveries_due: i64,
}

/// The person in a [`LeadSummary`].
#[derive(Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Person {
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Mail address.
    pub email: Option<String>,
    /// Telephone number in E.164 form.
    pub phone: Option<String>,
}

/// The appointment in a [`LeadSummary`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AppointmentSummary {
    /// Its name.
    pub appointment_id: AppointmentId,
    /// What for.
    pub kind: AppointmentType,
    /// How far it is.
    pub status: AppointmentStatus,
    /// The wished start as sent, with its offset.
    pub wished_at: Option<String>,
    /// The start that is held or agreed on.
    pub starts_at: Option<Timestamp>,
    /// When it ends.
    pub ends_at: Option<Timestamp>,
    /// The starts that were proposed instead of the wished one, with the rooftop's offset.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposed_times: Vec<String>,
    /// When it was confirmed or canceled.
    pub decided_at: Option<Timestamp>,
}

/// Everything that is kept of a lead.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Lead {
    /// What a list shows.
    #[serde(flatten)]
    pub summary: LeadSummary,
    /// The request, without its `idempotency_key`; `None` once erased.
    pub request: Personal<Option<LeadSubmitRequest>>,
    /// The ConsentGrant as received, byte for byte; `None` once erased.
    pub consent_as_received: Personal<Option<String>>,
}

/// How many leads a dealer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// All of them.
    pub leads: i64,
    /// Those that repeat an earlier one.
    pub repeats: i64,
    /// Deliveries that are still due.
    pub deliveries_due: i64,
}

/// The columns that [`summary`] and [`lead`] read, from the tables that hold them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT lead.lead_id, lead.received_at, lead.status, lead.rooftop, lead.source_agent,
                 lead.vehicle_state, lead.vehicle, lead.vin, lead.stock, lead.repeat_of,
                 person.first_name, person.last_name, person.email, person.phone, person.vehicle,
                 appointment.appointment_id, appointment.kind, appointment.status,
                 appointment.wished_text,
                 (SELECT COUNT(*) FROM delivery
                  WHERE delivery.dealer = lead.dealer AND delivery.lead_id = lead.lead_id
                    AND delivery.state = 'due'),
                 person.preferred_contact, person.address, person.message, person.trade_in,
                 person.appointment_notes, appointment.duration_minutes, lead.source_url,
                 lead.source_card_url, lead.submitted_at, consent.as_received,
                 appointment.starts_at, appointment.ends_at, appointment.proposed,
                 appointment.decided_at
             FROM lead
             LEFT JOIN person
               ON person.dealer = lead.dealer AND person.lead_id = lead.lead_id
             LEFT JOIN appointment
               ON appointment.dealer = lead.dealer AND appointment.lead_id = lead.lead_id
             LEFT JOIN consent
               ON consent.dealer = lead.dealer AND consent.lead_id = lead.lead_id ",
            $rest
        )
    };
}

/// A dealer's leads, newest first.
///
/// # Errors
/// When the database fails.
pub fn list(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    filter: Filter,
) -> Result<Vec<LeadSummary>, Error> {
    let since = filter.since.unwrap_or(Timestamp::MIN);
    let leads = conn.all(
        select!(
            "WHERE lead.dealer = $1 AND lead.received_at >= $2
             ORDER BY lead.received_at DESC, lead.lead_id DESC LIMIT $3"
        ),
        &[
            dealer.into(),
            since.into(),
            Value::Int(i64::from(filter.limit)),
        ],
        summary,
    )?;
    Ok(leads)
}

/// One lead with everything that is kept of it; `None` when the dealer has no such lead.
///
/// # Errors
/// When the database fails.
pub fn show(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<Option<Lead>, Error> {
    let found = conn.first(
        select!("WHERE lead.dealer = $1 AND lead.lead_id = $2"),
        &[dealer.into(), lead_id.into()],
        lead,
    )?;
    Ok(found)
}

/// How many leads a dealer has.
///
/// # Errors
/// When the database fails.
pub fn count(conn: &mut dyn Conn, dealer: &DealerId) -> Result<Counts, Error> {
    let mut number = |sql| {
        let found = conn.first(sql, &[dealer.into()], |row| row.int(0))?;
        Ok::<_, Error>(found.unwrap_or_default())
    };
    Ok(Counts {
        leads: number("SELECT COUNT(*) FROM lead WHERE dealer = $1")?,
        repeats: number("SELECT COUNT(*) FROM lead WHERE dealer = $1 AND repeat_of IS NOT NULL")?,
        deliveries_due: number(
            "SELECT COUNT(*) FROM delivery WHERE dealer = $1 AND state = 'due'",
        )?,
    })
}

fn summary(row: &dyn Row) -> Result<LeadSummary, store::Error> {
    let vehicle = match read_text(row, 6)? {
        Some(listing) => Some(listing),
        None => read_json(row, 14)?.and_then(|vehicle: Vehicle| vehicle.title()),
    };
    Ok(LeadSummary {
        lead_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
        received_at: row.time(1)?,
        status: read_word(row, 2)?.ok_or_else(|| unreadable(2))?,
        rooftop: read_text(row, 3)?,
        source_agent: row.text(4)?.to_owned(),
        vehicle_state: read_word(row, 5)?.ok_or_else(|| unreadable(5))?,
        vehicle: Personal(vehicle),
        vin: read_text(row, 7)?,
        stock: read_text(row, 8)?,
        repeat_of: read_word(row, 9)?,
        person: Personal(person(row)?),
        appointment: appointment(row)?,
        deliveries_due: row.int(19)?,
    })
}

fn person(row: &dyn Row) -> Result<Option<Person>, store::Error> {
    let Some(first_name) = read_text(row, 10)? else {
        return Ok(None);
    };
    Ok(Some(Person {
        first_name,
        last_name: row.text(11)?.to_owned(),
        email: read_text(row, 12)?,
        phone: read_text(row, 13)?,
    }))
}

fn appointment(row: &dyn Row) -> Result<Option<AppointmentSummary>, store::Error> {
    let Some(appointment_id) = read_word(row, 15)? else {
        return Ok(None);
    };
    Ok(Some(AppointmentSummary {
        appointment_id,
        kind: read_word(row, 16)?.ok_or_else(|| unreadable(16))?,
        status: read_word(row, 17)?.ok_or_else(|| unreadable(17))?,
        wished_at: read_text(row, 18)?,
        starts_at: row.optional_time(30)?,
        ends_at: row.optional_time(31)?,
        proposed_times: read_json(row, 32)?.unwrap_or_default(),
        decided_at: row.optional_time(33)?,
    }))
}

fn lead(row: &dyn Row) -> Result<Lead, store::Error> {
    let summary = summary(row)?;
    Ok(Lead {
        request: Personal(request(row, &summary)?),
        summary,
        consent_as_received: Personal(read_text(row, 29)?),
    })
}

/// The request as it was, put together from its columns.
fn request(
    row: &dyn Row,
    summary: &LeadSummary,
) -> Result<Option<LeadSubmitRequest>, store::Error> {
    let (Some(person), Some(consent)) = (&summary.person.0, read_json::<ConsentGrant>(row, 29)?)
    else {
        return Ok(None);
    };
    let appointment = summary.appointment.as_ref().map(|appointment| {
        Ok::<_, store::Error>(AppointmentRequest {
            appointment_type: appointment.kind,
            appointment_at: appointment.wished_at.clone(),
            duration_minutes: row
                .optional_int(25)?
                .map(u64::try_from)
                .transpose()
                .map_err(|_| unreadable(25))?,
            notes: read_text(row, 24)?,
        })
    });
    Ok(Some(LeadSubmitRequest {
        customer: Customer {
            first_name: person.first_name.clone(),
            last_name: person.last_name.clone(),
            email: person.email.clone(),
            phone: person.phone.clone(),
            preferred_contact: read_word(row, 20)?,
            address: read_json(row, 21)?,
        },
        consent,
        vehicle_of_interest: read_json(row, 14)?,
        trade_in: read_json(row, 23)?,
        appointment: appointment.transpose()?,
        message: read_text(row, 22)?,
        source_agent: SourceAgent {
            name: summary.source_agent.clone(),
            url: read_text(row, 26)?,
            agent_card_url: read_text(row, 27)?,
        },
        submitted_at: read_text(row, 28)?,
        idempotency_key: None,
    }))
}
