//! The rows of a lead.

use aap::{
    lead::{Customer, LeadStatus},
    vehicle::Vehicle,
};
use dealers::{DealerId, Standing};
use jiff::Timestamp;
use store::{Conn, Value};

use crate::{
    DeliveryState, Error, LeadId, Purpose, Submission, Vault,
    appointment::{AppointmentStatus, arrange::Arrangement},
    car,
    earlier::Earlier,
    hash::Hash,
    vault::{CONSENT, PERSON, Place},
    wire,
};

pub(crate) fn lead(
    conn: &mut dyn Conn,
    submission: &Submission,
    earlier: &Earlier,
) -> Result<(), Error> {
    let lead = &submission.lead;
    let agent = &lead.request.source_agent;
    let listing = lead.vehicle.listing();
    let status = match (&lead.rejected, &earlier.of_sender) {
        (Some(_), _) => LeadStatus::Rejected,
        (None, Some(_)) => LeadStatus::Duplicate,
        (None, None) => LeadStatus::Received,
    };
    let kept = listing
        .map(|listing| wire::json("listing", &car::kept(listing)))
        .transpose()?;
    conn.execute(
        "INSERT INTO lead (dealer, lead_id, received_at, status, rooftop, source_agent, source_url,
             source_card_url, submitted_at, sender, vehicle_state, vin, stock, vehicle_id, vehicle,
             repeat_of, answered_as, listing, standing, verified, agent_key,
             rejected_because, origin, masked)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
             $19, $20, $21, $22, $23, $24)",
        &[
            (&lead.dealer).into(),
            (&lead.lead_id).into(),
            lead.now.into(),
            (&wire::word("status", &status)?).into(),
            lead.rooftop.as_ref().into(),
            (&agent.name).into(),
            agent.url.as_ref().into(),
            agent.agent_card_url.as_ref().into(),
            lead.request.submitted_at.as_ref().into(),
            submission
                .sender
                .as_ref()
                .map(|hash| hash.as_slice())
                .into(),
            lead.vehicle.state().as_str().into(),
            listing.and_then(|car| car.vin.as_ref()).into(),
            listing.and_then(|car| car.stock.as_ref()).into(),
            listing.and_then(|car| car.vehicle_id.as_ref()).into(),
            listing.and_then(Vehicle::title).as_ref().into(),
            earlier.of_anybody.as_ref().into(),
            earlier.of_sender.as_ref().into(),
            kept.as_ref().into(),
            lead.standing.as_str().into(),
            lead.caller.is_verified.into(),
            lead.caller.agent_key.as_ref().into(),
            lead.rejected.as_ref().into(),
            lead.origin.as_str().into(),
            submission.masked.into(),
        ],
    )?;
    Ok(())
}

pub(crate) fn person(
    conn: &mut dyn Conn,
    vault: &Vault,
    submission: &Submission,
) -> Result<(), Error> {
    let lead = &submission.lead;
    let request = &lead.request;
    let appointment = request.appointment.as_ref();
    PersonRow {
        dealer: &lead.dealer,
        lead_id: &lead.lead_id,
        customer: &request.customer,
        message: request.message.as_ref(),
        vehicle: request.vehicle_of_interest.as_ref(),
        trade_in: request.trade_in.as_ref(),
        appointment_notes: appointment.and_then(|wish| wish.notes.as_ref()),
    }
    .insert(conn, vault)
}

/// Who enquires, and everything the person wrote.
pub(crate) struct PersonRow<'a> {
    pub(crate) dealer: &'a DealerId,
    pub(crate) lead_id: &'a LeadId,
    pub(crate) customer: &'a Customer,
    pub(crate) message: Option<&'a String>,
    pub(crate) vehicle: Option<&'a Vehicle>,
    pub(crate) trade_in: Option<&'a Vehicle>,
    pub(crate) appointment_notes: Option<&'a String>,
}

impl PersonRow<'_> {
    pub(crate) fn insert(&self, conn: &mut dyn Conn, vault: &Vault) -> Result<(), Error> {
        let customer = self.customer;
        let preferred_contact = customer
            .preferred_contact
            .as_ref()
            .map(|way| wire::word("preferred_contact", way))
            .transpose()?;
        let address = customer
            .address
            .as_ref()
            .map(|address| wire::json("address", address))
            .transpose()?;
        let vehicle = |column, vehicle: Option<&Vehicle>| {
            vehicle
                .map(|vehicle| wire::json(column, vehicle))
                .transpose()
        };
        let vehicle_of_interest = vehicle("vehicle", self.vehicle)?;
        let trade_in = vehicle("trade_in", self.trade_in)?;
        let texts = [
            Some(&customer.first_name),
            Some(&customer.last_name),
            customer.email.as_ref(),
            customer.phone.as_ref(),
            preferred_contact.as_ref(),
            address.as_ref(),
            self.message,
            vehicle_of_interest.as_ref(),
            trade_in.as_ref(),
            self.appointment_notes,
        ];
        let sealed = vault.seal_all(self.dealer, self.lead_id, &PERSON, texts)?;
        let mut args: Vec<Value<'_>> = vec![self.dealer.into(), self.lead_id.into()];
        args.extend(sealed.iter().map(|text| Value::from(text.as_ref())));
        conn.execute(
            "INSERT INTO person (dealer, lead_id, first_name, last_name, email, phone,
                 preferred_contact, address, message, vehicle, trade_in, appointment_notes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            &args,
        )?;
        Ok(())
    }
}

pub(crate) fn consent(
    conn: &mut dyn Conn,
    vault: &Vault,
    submission: &Submission,
) -> Result<(), Error> {
    let Submission { lead, consent, .. } = submission;
    let place = Place::new(&lead.dealer, &lead.lead_id, CONSENT);
    let as_received = vault.seal(place, &consent.as_received)?;
    conn.execute(
        "INSERT INTO consent
             (dealer, lead_id, as_received, channels, granted_at, expires_at, source_agent)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[
            (&lead.dealer).into(),
            (&lead.lead_id).into(),
            (&as_received).into(),
            (&consent.channels).into(),
            consent.granted_at.into(),
            consent.expires_at.into(),
            (&lead.request.source_agent.name).into(),
        ],
    )?;
    Ok(())
}

pub(crate) fn appointment(
    conn: &mut dyn Conn,
    submission: &Submission,
    arrangement: Option<&Arrangement>,
) -> Result<(), Error> {
    let lead = &submission.lead;
    let (Some(wish), Some(arrangement)) = (&submission.appointment, arrangement) else {
        return Ok(());
    };
    let request = lead.request.appointment.as_ref();
    // A repeat is as far as the appointment that it repeats, whatever its sender was told.
    let repeats = arrangement.repeats.as_ref();
    let status = repeats.map_or(arrangement.status, |first| first.status);
    let span = repeats.map_or(arrangement.span, |first| first.span);
    let proposed = arrangement.proposed_texts(lead.calendar.as_ref());
    let proposed = match proposed.is_empty() {
        true => None,
        false => Some(wire::json("proposed", &proposed)?),
    };
    let decided_at = (status == AppointmentStatus::Confirmed).then_some(lead.now);
    conn.execute(
        "INSERT INTO appointment (dealer, appointment_id, lead_id, kind, status, wished_at,
             wished_text, duration_minutes, repeat_of, rooftop, starts_at, ends_at, proposed,
             decided_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            (&lead.dealer).into(),
            (&lead.appointment_id).into(),
            (&lead.lead_id).into(),
            wish.kind.into(),
            status.as_str().into(),
            wish.at.into(),
            request.and_then(|wish| wish.appointment_at.as_ref()).into(),
            wish.duration_minutes.into(),
            repeats.map(|first| &first.appointment_id).into(),
            lead.rooftop.as_ref().into(),
            span.map(|span| span.starts_at).into(),
            span.map(|span| span.ends_at).into(),
            proposed.as_ref().into(),
            decided_at.into(),
        ],
    )?;
    Ok(())
}

pub(crate) fn contacts(conn: &mut dyn Conn, submission: &Submission) -> Result<(), Error> {
    let lead = &submission.lead;
    ContactRows {
        dealer: &lead.dealer,
        lead_id: &lead.lead_id,
        received_at: lead.now,
        contacts: &submission.contacts,
        subject: &submission.subject,
    }
    .insert(conn)
}

/// By what later leads are found to repeat this one.
pub(crate) struct ContactRows<'a> {
    pub(crate) dealer: &'a DealerId,
    pub(crate) lead_id: &'a LeadId,
    pub(crate) received_at: Timestamp,
    pub(crate) contacts: &'a [Hash],
    pub(crate) subject: &'a Hash,
}

impl ContactRows<'_> {
    pub(crate) fn insert(&self, conn: &mut dyn Conn) -> Result<(), Error> {
        for hash in self.contacts {
            conn.execute(
                "INSERT INTO contact (dealer, hash, subject, received_at, lead_id)
                 VALUES ($1, $2, $3, $4, $5)",
                &[
                    self.dealer.into(),
                    hash.as_slice().into(),
                    self.subject.as_slice().into(),
                    self.received_at.into(),
                    self.lead_id.into(),
                ],
            )?;
        }
        Ok(())
    }
}

/// One row for each destination. A lead without any keeps one row all the same, so that it is under
/// way as soon as its rooftop has a destination.
pub(crate) fn deliveries(
    conn: &mut dyn Conn,
    submission: &Submission,
    earlier: &Earlier,
) -> Result<(), Error> {
    let lead = &submission.lead;
    let state = match lead.standing {
        Standing::Held => DeliveryState::Held,
        Standing::Known | Standing::Open => DeliveryState::Due,
    };
    for (sequence, delivery) in (0_i64..).zip(&lead.deliveries) {
        conn.execute(
            "INSERT INTO delivery (dealer, delivery_id, lead_id, state, due_at, attempts, is_repeat,
                 rooftop, destination, purpose, is_copy, sequence, created_at, queued_at)
             VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8, $9, $10, $11, $5, $5)",
            &[
                (&lead.dealer).into(),
                (&delivery.delivery_id).into(),
                (&lead.lead_id).into(),
                state.as_str().into(),
                lead.now.into(),
                earlier.of_anybody.is_some().into(),
                lead.rooftop.as_deref().unwrap_or_default().into(),
                (&delivery.destination).into(),
                delivery.purpose.as_str().into(),
                (delivery.purpose == Purpose::Copy).into(),
                sequence.into(),
            ],
        )?;
    }
    Ok(())
}
