//! Reading leads back.

mod cursor;
mod enquiry;
mod search;
mod table;

use aap::{
    lead::{AppointmentRequest, AppointmentType, ConsentGrant, Customer, LeadStatus, SourceAgent},
    vehicle::Vehicle,
};
use dealers::{DealerId, Standing};
use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};
use store::{Conn, Row};

use crate::{
    AppointmentId, AppointmentStatus, Arrival, Error, Inquiry, LeadId, Origin, Personal,
    Revocation, Rights, Vault, VehicleState,
    outbox::{self, Delivery},
    revoke::revocations,
    vault::{CONSENT, HOLD, Place},
    wire::{from_json, from_word, read_json, read_text, read_word, unreadable},
};

pub use self::{
    cursor::{Cursor, NotACursor, Page},
    enquiry::{Enquiry, enquiries},
    search::{Search, search, search_whole},
    table::ExportFormat,
};

/// Which leads to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Only leads received at this time or later.
    pub since: Option<Timestamp>,
    /// Made-up leads too.
    pub tests: bool,
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
    /// How many leads repeat this one.
    pub repeats: i64,
    /// Who enquires; `None` once erased.
    pub person: Personal<Option<Person>>,
    /// The appointment asked for.
    pub appointment: Option<AppointmentSummary>,
    /// What may still be done with it.
    #[serde(flatten)]
    pub rights: Rights,
    /// How many of its deliveries are still due.
    pub deliveries_due: i64,
    /// How far it is on its way to the dealer, over all deliveries; absent once erased.
    pub arrival: Option<Arrival>,
    /// Its way to each destination, in the order of sending.
    pub deliveries: Vec<Delivery>,
}

impl LeadSummary {
    /// The same with its deliveries.
    fn delivered(mut self, conn: &mut dyn Conn, dealer: &DealerId) -> Result<Self, Error> {
        self.deliveries = outbox::of_lead(conn, dealer, &self.lead_id)?;
        self.arrival = Arrival::of(&self.deliveries);
        Ok(self)
    }
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
    /// The start that is agreed on, or held until a person agrees.
    pub starts_at: Option<Timestamp>,
    /// When it ends.
    pub ends_at: Option<Timestamp>,
    /// Starts that were offered instead of the wished one (RFC 3339).
    pub proposed: Vec<String>,
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
    /// The request, without its `idempotency_key` and without channels that were taken back; `None`
    /// once erased.
    pub request: Personal<Option<Inquiry>>,
    /// The ConsentGrant as received, byte for byte; `None` once erased, and when none is on record.
    pub consent_as_received: Personal<Option<String>>,
    /// The dealer's listing of the vehicle as it was when the lead came.
    pub listing: Option<Vehicle>,
    /// How the lead came.
    pub origin: Origin,
    /// How far the dealer trusted the agent when the lead came.
    pub standing: Standing,
    /// Whether the agent proved its name.
    pub verified: bool,
    /// Name of the agent's key that it presented. Another than the agent's is borrowed.
    pub agent_key: Option<String>,
    /// Why the dealer's policy rejected it.
    pub rejected_because: Option<String>,
    /// Whether something that looks like a secret number was taken out of the free texts.
    pub masked: bool,
    /// When the first of the equivalent leads came, when this is a repeat.
    pub first_received_at: Option<Timestamp>,
    /// Consent that was taken back, the earliest first.
    pub revocations: Vec<Revocation>,
    /// Why it may not be erased: the dealer's own matter, which no document repeats.
    #[serde(skip)]
    pub legal_hold: Personal<Option<String>>,
}

impl Lead {
    /// The same with its deliveries and with the consent that was taken back.
    fn completed(mut self, conn: &mut dyn Conn, dealer: &DealerId) -> Result<Self, Error> {
        self.summary = self.summary.delivered(conn, dealer)?;
        self.revocations = revocations(conn, dealer, &self.summary.lead_id)?;
        Ok(self)
    }
}

/// How many leads a dealer has; made-up ones are counted by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// All of them.
    pub leads: i64,
    /// The made-up ones.
    pub tests: i64,
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
                 lead.source_card_url, lead.submitted_at, consent.as_received, lead.listing,
                 lead.origin, lead.standing, lead.verified, lead.masked, original.received_at,
                 appointment.starts_at, appointment.proposed, appointment.ends_at,
                 appointment.decided_at, COALESCE(consent.channels, ''),
                 (SELECT string_agg(CASE revocation.channels WHEN '' THEN 'email,phone,sms'
                      ELSE revocation.channels END, ',') FROM revocation
                  WHERE revocation.dealer = lead.dealer AND revocation.lead_id = lead.lead_id),
                 lead.legal_hold, lead.erased_at,
                 (SELECT COUNT(*) FROM lead later
                  WHERE later.dealer = lead.dealer AND later.repeat_of = lead.lead_id),
                 lead.agent_key, lead.rejected_because
             FROM lead
             LEFT JOIN lead AS original
               ON original.dealer = lead.dealer AND original.lead_id = lead.repeat_of
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
use select;

/// A dealer's leads, newest first.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn list(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    filter: Filter,
) -> Result<Vec<LeadSummary>, Error> {
    let limits = Search {
        since: filter.since,
        tests: filter.tests,
        ..Search::default()
    };
    Ok(search(conn, vault, dealer, &limits, None, filter.limit)?.entries)
}

/// One lead with everything that is kept of it; `None` when the dealer has no such lead.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn show(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<Option<Lead>, Error> {
    let found = conn.first(
        select!("WHERE lead.dealer = $1 AND lead.lead_id = $2"),
        &[dealer.into(), lead_id.into()],
        |row| Ok(lead(&Columns::of(row, vault, dealer)?)),
    )?;
    let Some(lead) = found else {
        return Ok(None);
    };
    lead?.completed(conn, dealer).map(Some)
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
        leads: number("SELECT COUNT(*) FROM lead WHERE dealer = $1 AND origin <> 'test'")?,
        tests: number("SELECT COUNT(*) FROM lead WHERE dealer = $1 AND origin = 'test'")?,
        repeats: number("SELECT COUNT(*) FROM lead WHERE dealer = $1 AND repeat_of IS NOT NULL")?,
        deliveries_due: number(
            "SELECT COUNT(*) FROM delivery
             WHERE dealer = $1 AND state = 'due' AND purpose <> 'test'",
        )?,
    })
}

/// A row of [`select!`], its sealed columns opened where they are read.
struct Columns<'a> {
    row: &'a dyn Row,
    vault: &'a Vault,
    dealer: &'a DealerId,
    lead_id: LeadId,
}

impl<'a> Columns<'a> {
    fn of(row: &'a dyn Row, vault: &'a Vault, dealer: &'a DealerId) -> Result<Self, store::Error> {
        Ok(Self {
            row,
            vault,
            dealer,
            lead_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
        })
    }

    /// The text of a column that is sealed under `name`.
    fn personal(&self, column: usize, name: &'static str) -> Result<Option<String>, Error> {
        let place = Place::new(self.dealer, &self.lead_id, name);
        let stored = self.row.optional_text(column)?;
        let text = stored.map(|stored| self.vault.unseal(place, stored));
        Ok(text.transpose()?)
    }

    /// The same for JSON.
    fn personal_json<T: DeserializeOwned>(
        &self,
        column: usize,
        name: &'static str,
    ) -> Result<Option<T>, Error> {
        let text = self.personal(column, name)?;
        let value = text.map(|text| from_json(column, &text)).transpose()?;
        Ok(value)
    }
}

fn summary(columns: &Columns<'_>) -> Result<LeadSummary, Error> {
    let row = columns.row;
    let vehicle = match read_text(row, 6)? {
        Some(listing) => Some(listing),
        None => columns
            .personal_json(14, "person.vehicle")?
            .and_then(|vehicle: Vehicle| vehicle.title()),
    };
    Ok(LeadSummary {
        lead_id: columns.lead_id.clone(),
        received_at: row.time(1)?,
        status: read_word(row, 2)?.ok_or_else(|| unreadable(2))?,
        rooftop: read_text(row, 3)?,
        source_agent: row.text(4)?.to_owned(),
        vehicle_state: read_word(row, 5)?.ok_or_else(|| unreadable(5))?,
        vehicle: Personal(vehicle),
        vin: read_text(row, 7)?,
        stock: read_text(row, 8)?,
        repeat_of: read_word(row, 9)?,
        repeats: row.int(44)?,
        person: Personal(person(columns)?),
        appointment: appointment(row)?,
        rights: Rights::read(row, 40)?,
        deliveries_due: row.int(19)?,
        arrival: None,
        deliveries: Vec::new(),
    })
}

fn person(columns: &Columns<'_>) -> Result<Option<Person>, Error> {
    let Some(first_name) = columns.personal(10, "person.first_name")? else {
        return Ok(None);
    };
    let last_name = columns.personal(11, "person.last_name")?;
    Ok(Some(Person {
        first_name,
        last_name: last_name.ok_or_else(|| unreadable(11))?,
        email: columns.personal(12, "person.email")?,
        phone: columns.personal(13, "person.phone")?,
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
        starts_at: row.optional_time(36)?,
        ends_at: row.optional_time(38)?,
        proposed: read_json(row, 37)?.unwrap_or_default(),
        decided_at: row.optional_time(39)?,
    }))
}

fn lead(columns: &Columns<'_>) -> Result<Lead, Error> {
    let summary = summary(columns)?;
    let consent = columns.personal(29, CONSENT)?;
    // It is empty where the person is erased.
    let consent_as_received = consent.filter(|consent| !consent.is_empty());
    Ok(Lead {
        request: Personal(request(columns, &summary, consent_as_received.as_deref())?),
        summary,
        consent_as_received: Personal(consent_as_received),
        listing: read_json(columns.row, 30)?,
        origin: read_word(columns.row, 31)?.ok_or_else(|| unreadable(31))?,
        standing: read_word(columns.row, 32)?.ok_or_else(|| unreadable(32))?,
        verified: columns.row.int(33)? != 0,
        agent_key: read_text(columns.row, 45)?,
        rejected_because: read_text(columns.row, 46)?,
        masked: columns.row.int(34)? != 0,
        first_received_at: columns.row.optional_time(35)?,
        revocations: Vec::new(),
        legal_hold: Personal(columns.personal(42, HOLD)?),
    })
}

/// The request as it was, put together from its columns.
fn request(
    columns: &Columns<'_>,
    summary: &LeadSummary,
    consent: Option<&str>,
) -> Result<Option<Inquiry>, Error> {
    let row = columns.row;
    let Some(person) = &summary.person.0 else {
        return Ok(None);
    };
    let appointment = summary.appointment.as_ref().map(|appointment| {
        Ok::<_, Error>(AppointmentRequest {
            appointment_type: appointment.kind,
            appointment_at: appointment.wished_at.clone(),
            duration_minutes: row
                .optional_int(25)?
                .map(u64::try_from)
                .transpose()
                .map_err(|_| unreadable(25))?,
            notes: columns.personal(24, "person.appointment_notes")?,
        })
    });
    let preferred_contact = columns.personal(20, "person.preferred_contact")?;
    Ok(Some(Inquiry {
        customer: Customer {
            first_name: person.first_name.clone(),
            last_name: person.last_name.clone(),
            email: person.email.clone(),
            phone: person.phone.clone(),
            preferred_contact: preferred_contact
                .map(|word| from_word(20, &word))
                .transpose()?,
            address: columns.personal_json(21, "person.address")?,
        },
        consent: consent
            .map(|text| granted(text, &summary.rights))
            .transpose()?,
        vehicle_of_interest: columns.personal_json(14, "person.vehicle")?,
        trade_in: columns.personal_json(23, "person.trade_in")?,
        appointment: appointment.transpose()?,
        message: columns.personal(22, "person.message")?,
        source_agent: SourceAgent {
            name: summary.source_agent.clone(),
            url: read_text(row, 26)?,
            agent_card_url: read_text(row, 27)?,
        },
        submitted_at: read_text(row, 28)?,
    }))
}

/// The consent with the channels that are left of it.
fn granted(text: &str, rights: &Rights) -> Result<ConsentGrant, store::Error> {
    let grant: ConsentGrant = from_json(29, text)?;
    Ok(ConsentGrant {
        allowed_channels: rights.allowed_channels.clone(),
        ..grant
    })
}
