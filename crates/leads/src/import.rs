//! Taking over leads of another system.

use aap::{lead::SourceAgent, vehicle::Vehicle};
use dealers::{DealerId, Standing};
use jiff::{
    Timestamp,
    tz::{Offset, TimeZone},
};
use store::Conn;

use crate::{
    Error, HashKey, Inquiry, LeadId, NewDelivery, Origin, Vault, VehicleMatch,
    adf::ReadProspect,
    car,
    insert::{ContactRows, PersonRow},
    mask, outbox,
    submission::{contacts, subject},
    wire,
};

/// Who sent a lead that does not say it.
const NOBODY: &str = "another system";

/// A lead of another system, with what the caller found out about it.
///
/// It prints nothing with `{:?}`, as it is full of personal data.
pub struct Import {
    /// Whose lead.
    pub dealer: DealerId,
    /// What the document says.
    pub prospect: ReadProspect,
    /// What was found for its vehicle of interest.
    pub vehicle: VehicleMatch,
    /// Rooftop that it belongs to.
    pub rooftop: Option<String>,
    /// That rooftop's zone, in which a time without an offset is read.
    pub zone: TimeZone,
    /// Its ways to the rooftop's destinations; empty where it is only to be kept.
    pub deliveries: Vec<NewDelivery>,
    /// When it is taken over.
    pub now: Timestamp,
    /// Secret of the hashes.
    pub hash_key: HashKey,
}

/// A lead that was taken over, or had been before.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// Its name here, the same however often its document is read.
    pub lead_id: LeadId,
    /// False when it was here already.
    pub is_new: bool,
    /// How many deliveries were made.
    pub deliveries: u64,
}

/// Takes over a lead of another system. A document that was read before changes nothing, except that
/// deliveries are made which it did not have.
///
/// It counts as received when its document says it was requested, else when it is taken over. Of
/// consent nothing is recorded, whatever its comments say: nobody here saw the person give it. Card
/// and social security numbers are masked in it as in every lead.
///
/// # Errors
/// [`Error::Unreachable`] when it has neither mail address nor telephone number, or when the
/// database fails.
pub fn import(conn: &mut dyn Conn, vault: &Vault, import: &Import) -> Result<Imported, Error> {
    let customer = &import.prospect.customer;
    if customer.email.is_none() && customer.phone.is_none() {
        return Err(Error::Unreachable);
    }
    let lead_id = import.lead_id();
    let is_new = !is_known(conn, &import.dealer, &lead_id)?;
    if is_new {
        insert_lead(conn, vault, import, &lead_id)?;
    }
    let mut made = 0;
    if was_only_kept(conn, &import.dealer, &lead_id)? {
        for delivery in &import.deliveries {
            outbox::enqueue(conn, &import.dealer, &lead_id, delivery, import.now)?;
            made += 1;
        }
    }
    Ok(Imported {
        lead_id,
        is_new,
        deliveries: made,
    })
}

impl Import {
    /// The lead's name, made of what names it where it comes from: provider, identifiers, time and
    /// person; and where it has no identifier, of all that it says.
    #[must_use]
    pub fn lead_id(&self) -> LeadId {
        let prospect = &self.prospect;
        let customer = &prospect.customer;
        let mut parts: Vec<&str> = vec![
            self.dealer.as_str(),
            prospect.provider.as_deref().unwrap_or_default(),
            prospect.requestdate.as_deref().unwrap_or_default(),
            &customer.first_name,
            &customer.last_name,
            customer.email.as_deref().unwrap_or_default(),
            customer.phone.as_deref().unwrap_or_default(),
        ];
        for id in &prospect.ids {
            parts.push(id.source.as_deref().unwrap_or_default());
            parts.push(&id.value);
        }
        let titles = [&prospect.vehicle, &prospect.trade_in]
            .map(|vehicle| wire::json("vehicle", vehicle).unwrap_or_default());
        if prospect.ids.is_empty() {
            parts.extend(titles.iter().map(String::as_str));
            parts.push(prospect.message.as_deref().unwrap_or_default());
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] =
            self.hash_key.hash("import", &parts);
        let bytes = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p];
        uuid::Builder::from_custom_bytes(bytes).into_uuid().into()
    }

    /// When it was requested, with the offset that counts there. A time to come is no such time.
    fn requested_at(&self) -> Option<(Timestamp, Offset)> {
        let requested = self.prospect.requested_at(&self.zone);
        requested.filter(|(at, _)| *at <= self.now)
    }

    /// When it counts as received.
    #[must_use]
    pub fn received_at(&self) -> Timestamp {
        self.requested_at().map_or(self.now, |(at, _)| at)
    }

    fn inquiry(&self) -> Inquiry {
        let prospect = &self.prospect;
        let requested = self.requested_at();
        Inquiry {
            customer: prospect.customer.clone(),
            consent: None,
            vehicle_of_interest: prospect.vehicle.clone(),
            trade_in: prospect.trade_in.clone(),
            appointment: None,
            message: message(prospect),
            source_agent: SourceAgent {
                name: prospect
                    .provider
                    .clone()
                    .unwrap_or_else(|| NOBODY.to_owned()),
                url: prospect.provider_url.clone(),
                agent_card_url: None,
            },
            submitted_at: requested.map(|(at, offset)| at.display_with_offset(offset).to_string()),
        }
    }
}

/// What the document says, with what has no column of its own here.
fn message(prospect: &ReadProspect) -> Option<String> {
    let mut lines: Vec<String> = prospect.message.iter().cloned().collect();
    if prospect.wants_test_drive {
        lines.push("Asks for a test drive.".to_owned());
    }
    for id in &prospect.ids {
        lines.push(match &id.source {
            Some(source) => format!("Identifier there: {} ({source})", id.value),
            None => format!("Identifier there: {}", id.value),
        });
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn is_known(conn: &mut dyn Conn, dealer: &DealerId, lead_id: &LeadId) -> Result<bool, Error> {
    let found = conn.first(
        "SELECT 1 FROM lead WHERE dealer = $1 AND lead_id = $2",
        &[dealer.into(), lead_id.into()],
        |row| row.int(0),
    )?;
    Ok(found.is_some())
}

/// Whether a lead that is here has its person still and never was on its way to anywhere.
fn was_only_kept(conn: &mut dyn Conn, dealer: &DealerId, lead_id: &LeadId) -> Result<bool, Error> {
    let found = conn.first(
        "SELECT 1 FROM person WHERE dealer = $1 AND lead_id = $2 AND NOT EXISTS (
             SELECT 1 FROM delivery
             WHERE delivery.dealer = person.dealer AND delivery.lead_id = person.lead_id)",
        &[dealer.into(), lead_id.into()],
        |row| row.int(0),
    )?;
    Ok(found.is_some())
}

fn insert_lead(
    conn: &mut dyn Conn,
    vault: &Vault,
    import: &Import,
    lead_id: &LeadId,
) -> Result<(), Error> {
    let mut inquiry = import.inquiry();
    let masked = mask::mask_inquiry(&mut inquiry);
    let received_at = import.received_at();
    let agent = &inquiry.source_agent;
    let listing = import.vehicle.listing();
    let kept = listing
        .map(|listing| wire::json("listing", &car::kept(listing)))
        .transpose()?;
    conn.execute(
        "INSERT INTO lead (dealer, lead_id, received_at, status, rooftop, source_agent, source_url,
             submitted_at, vehicle_state, vin, stock, vehicle_id, vehicle, listing, origin, standing,
             verified, masked)
         VALUES ($1, $2, $3, 'received', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0,
             $16)",
        &[
            (&import.dealer).into(),
            lead_id.into(),
            received_at.into(),
            import.rooftop.as_ref().into(),
            (&agent.name).into(),
            agent.url.as_ref().into(),
            inquiry.submitted_at.as_ref().into(),
            import.vehicle.state().as_str().into(),
            listing.and_then(|car| car.vin.as_ref()).into(),
            listing.and_then(|car| car.stock.as_ref()).into(),
            listing.and_then(|car| car.vehicle_id.as_ref()).into(),
            listing.and_then(Vehicle::title).as_ref().into(),
            kept.as_ref().into(),
            Origin::Import.as_str().into(),
            Standing::Open.as_str().into(),
            masked.into(),
        ],
    )?;
    PersonRow {
        dealer: &import.dealer,
        lead_id,
        customer: &inquiry.customer,
        message: inquiry.message.as_ref(),
        vehicle: inquiry.vehicle_of_interest.as_ref(),
        trade_in: inquiry.trade_in.as_ref(),
        appointment_notes: None,
    }
    .insert(conn, vault)?;
    let identity = car::identity(&import.vehicle, inquiry.vehicle_of_interest.as_ref());
    ContactRows {
        dealer: &import.dealer,
        lead_id,
        received_at,
        contacts: &contacts(&import.hash_key, &inquiry.customer),
        subject: &subject(&import.hash_key, &identity, None),
    }
    .insert(conn)
}
