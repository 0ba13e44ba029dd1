//! A validated lead on its way into the database: everything about it that needs no database.

use std::collections::BTreeMap;

use aap::{
    formats::instant,
    lead::{AppointmentRequest, Channel, Customer, DealerContact, LeadSubmitRequest},
    text::fold,
};
use dealers::{DealerId, Standing};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    AppointmentId, Calendar, Caller, DeliveryId, Error, HashKey, Idempotency, LeadId, Origin,
    Purpose, VehicleMatch, car, hash::Hash, mask,
};

/// A lead that passed validation, with what the caller found out about it.
///
/// It prints nothing with `{:?}`, as it is full of personal data.
pub struct NewLead {
    /// Whose lead.
    pub dealer: DealerId,
    /// Name of the lead, if it becomes one.
    pub lead_id: LeadId,
    /// Name of its appointment, if it asks for one.
    pub appointment_id: AppointmentId,
    /// Its ways to the rooftop's destinations; empty when the rooftop has none yet.
    pub deliveries: Vec<NewDelivery>,
    /// How far the dealer trusts the agent.
    pub standing: Standing,
    /// How it came. A made-up lead repeats none and is repeated by none.
    pub origin: Origin,
    /// Why the dealer's policy rejects it, in words for the buyer that say nothing of the person. It
    /// is kept and goes nowhere.
    pub rejected: Option<String>,
    /// When it arrived.
    pub now: Timestamp,
    /// The payload.
    pub request: LeadSubmitRequest,
    /// The payload as received (JSON), out of which consent is kept byte for byte.
    pub payload: String,
    /// Who sends it.
    pub caller: Caller,
    /// Its idempotency key, if it has one.
    pub idempotency: Option<Idempotency>,
    /// What was found for its vehicle of interest.
    pub vehicle: VehicleMatch,
    /// Rooftop that gets it: the vehicle's, else the dealer's default.
    pub rooftop: Option<String>,
    /// When that rooftop takes appointments of the kind asked for; `None` where a person answers
    /// every wish.
    pub calendar: Option<Calendar>,
    /// Whom the buyer may turn to. With a telephone number, so that every answer with an
    /// appointment carries one.
    pub contact: DealerContact,
    /// Secret of the hashes.
    pub hash_key: HashKey,
}

/// One lead on its way to one destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewDelivery {
    /// Its name, the same over every attempt.
    pub delivery_id: DeliveryId,
    /// Name of the destination among the rooftop's; empty while there is none.
    pub destination: String,
    /// What for.
    pub purpose: Purpose,
}

/// A [`NewLead`] with everything worked out that needs no database. It can be accepted any number
/// of times with the same outcome.
pub struct Submission {
    pub(crate) lead: NewLead,
    /// Whether something was masked in its free text.
    pub(crate) masked: bool,
    pub(crate) consent: Consent,
    pub(crate) appointment: Option<Wish>,
    pub(crate) sender: Option<Hash>,
    /// Hashes of mail address and telephone number.
    pub(crate) contacts: Vec<Hash>,
    /// Hashes of mailbox and telephone number.
    reached: Vec<Hash>,
    /// Hash of the car and the wished time.
    pub(crate) subject: Hash,
}

impl Submission {
    /// Keyed hashes of the person's mailbox and telephone number, as far as they are given: addresses
    /// that reach the same mailbox by a tag, as in `ada+car@example.com`, have one.
    #[must_use]
    pub fn reached(&self) -> &[[u8; 32]] {
        &self.reached
    }
}

/// The consent columns.
pub(crate) struct Consent {
    pub(crate) as_received: String,
    pub(crate) channels: String,
    pub(crate) granted_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
}

/// The appointment asked for.
pub(crate) struct Wish {
    pub(crate) kind: &'static str,
    pub(crate) at: Option<Timestamp>,
    pub(crate) duration_minutes: Option<i64>,
}

impl NewLead {
    /// Masks card and social security numbers in the free text, and works out times, hashes and the
    /// consent as received.
    ///
    /// # Errors
    /// [`Error::Payload`] when the payload is not what validation lets pass.
    pub fn prepare(mut self) -> Result<Submission, Error> {
        let masked = mask::mask(&mut self.request);
        let appointment = self.request.appointment.as_ref().map(wish).transpose()?;
        let wished_at = appointment.as_ref().and_then(|wish| wish.at);
        Ok(Submission {
            masked,
            consent: self.consent()?,
            sender: self.caller.sender(&self.hash_key),
            contacts: self.contacts(),
            reached: reached(&self.hash_key, &self.request.customer),
            subject: self.subject(wished_at),
            appointment,
            lead: self,
        })
    }

    fn consent(&self) -> Result<Consent, Error> {
        // Where a member stands twice the last one counts, as everywhere in JSON here.
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_str(&self.payload).map_err(|error| Error::not_json(&error))?;
        let as_received = members.get("consent").ok_or_else(|| Error::Payload {
            pointer: "/consent",
            reason: "is missing".to_owned(),
        })?;
        let consent = &self.request.consent;
        Ok(Consent {
            as_received: as_received.get().to_owned(),
            channels: channels(&consent.allowed_channels),
            granted_at: time("/consent/granted_at", &consent.granted_at)?,
            expires_at: consent
                .expires_at
                .as_deref()
                .map(|text| time("/consent/expires_at", text))
                .transpose()?,
        })
    }

    fn contacts(&self) -> Vec<Hash> {
        if self.origin == Origin::Test {
            return Vec::new();
        }
        contacts(&self.hash_key, &self.request.customer)
    }

    fn subject(&self, wished_at: Option<Timestamp>) -> Hash {
        if self.rejected.is_some() || self.origin == Origin::Test {
            // No later lead is a repeat of one that went nowhere or was made up.
            return self.hash_key.hash("alone", &[self.lead_id.as_str()]);
        }
        let car = car::identity(&self.vehicle, self.request.vehicle_of_interest.as_ref());
        subject(&self.hash_key, &car, wished_at)
    }
}

/// Hashes of mail address and telephone number, by which a person's leads are found.
pub(crate) fn contacts(key: &HashKey, customer: &Customer) -> Vec<Hash> {
    hashes(key, customer.email.as_deref(), customer.phone.as_deref())
}

fn hashes(key: &HashKey, email: Option<&str>, phone: Option<&str>) -> Vec<Hash> {
    let email = email.and_then(fold);
    let phone = phone.map(str::trim);
    let email = email.map(|email| key.hash("e-mail", &[&email]));
    let phone = phone.map(|phone| key.hash("phone", &[phone]));
    email.into_iter().chain(phone).collect()
}

/// Hashes of the places where the person is reached.
fn reached(key: &HashKey, customer: &Customer) -> Vec<Hash> {
    let email = customer.email.as_deref().map(|email| {
        let (local, domain) = email.rsplit_once('@').unwrap_or((email, ""));
        let mailbox = local.split('+').find(|part| !part.trim().is_empty());
        format!("{}@{domain}", mailbox.unwrap_or(local))
    });
    hashes(key, email.as_deref(), customer.phone.as_deref())
}

/// Hash of what a lead is about: the car and the wished time.
pub(crate) fn subject(key: &HashKey, car: &[String], wished_at: Option<Timestamp>) -> Hash {
    let wished_at = wished_at.map_or_else(String::new, |at| at.as_millisecond().to_string());
    let parts: Vec<&str> = std::iter::once(wished_at.as_str())
        .chain(car.iter().map(String::as_str))
        .collect();
    key.hash("subject", &parts)
}

fn wish(request: &AppointmentRequest) -> Result<Wish, Error> {
    // The schema has no upper bound; what no column can hold is kept as the longest that one can.
    let minutes = |minutes: u64| i64::try_from(minutes).unwrap_or(i64::MAX);
    Ok(Wish {
        kind: request.appointment_type.as_str(),
        at: request
            .appointment_at
            .as_deref()
            .map(|text| time("/appointment/appointment_at", text))
            .transpose()?,
        duration_minutes: request.duration_minutes.map(minutes),
    })
}

fn time(pointer: &'static str, text: &str) -> Result<Timestamp, Error> {
    instant(text).ok_or_else(|| Error::Payload {
        pointer,
        reason: "is not a time with an offset, as in 2026-05-03T11:00:00-07:00".to_owned(),
    })
}

fn channels(allowed: &[Channel]) -> String {
    let words: Vec<&str> = allowed
        .iter()
        .map(|channel| match channel {
            Channel::Email => "email",
            Channel::Phone => "phone",
            Channel::Sms => "sms",
        })
        .collect();
    words.join(",")
}
