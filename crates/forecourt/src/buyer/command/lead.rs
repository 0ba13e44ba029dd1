//! A lead as a file, as flags, or as a file completed by flags.

use std::path::PathBuf;

use aap::{
    Request, Skill,
    lead::{AppointmentType, Channel, PreferredContact},
};
use clap::Args;
use serde_json::{Map, Value, json};
use store::Clock;

use super::{filters::word, input};
use crate::{buyer::Lead, cli::outcome::Failure};

/// The name under which leads are sent unless another is given.
const AGENT_NAME: &str = "forecourt";

/// The members of a lead that people give by hand; a file can hold every other one.
#[derive(Debug, Args)]
pub(crate) struct LeadFlags {
    /// The lead as JSON (a `lead.submit.request`), from a file or `-` for standard input; flags
    /// replace what it says
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The person's given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// The person's family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// The person's mail address
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// The person's telephone number, for example +13125550100
    #[arg(long, value_name = "NUMBER")]
    phone: Option<String>,
    /// How the person prefers to be reached: email, phone, sms or any
    #[arg(long, value_name = "WAY", value_parser = word::<PreferredContact>)]
    preferred_contact: Option<PreferredContact>,
    /// The text that the person was shown and agreed to, word for word
    #[arg(long, value_name = "TEXT")]
    consent_text: Option<String>,
    /// A channel that the person allowed: email, phone or sms; may be repeated
    #[arg(long, value_name = "CHANNEL", value_parser = word::<Channel>)]
    channel: Vec<Channel>,
    /// When the person agreed, for example 2026-05-01T14:30:00-05:00
    #[arg(long, value_name = "TIME", conflicts_with = "consent_given_now")]
    granted_at: Option<String>,
    /// The person agrees at this moment
    #[arg(long)]
    consent_given_now: bool,
    /// When the consent ends
    #[arg(long, value_name = "TIME")]
    consent_expires_at: Option<String>,
    /// VIN of the vehicle of interest
    #[arg(long, value_name = "VIN")]
    vin: Option<String>,
    /// Stock number of the vehicle of interest
    #[arg(long, value_name = "STOCK")]
    stock: Option<String>,
    /// The dealer's own identifier of the vehicle of interest
    #[arg(long, value_name = "ID")]
    vehicle_id: Option<String>,
    /// What the person writes to the dealer
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// An appointment is asked for: sales, service, test_drive or trade_in
    #[arg(long, value_name = "TYPE", value_parser = word::<AppointmentType>)]
    appointment_type: Option<AppointmentType>,
    /// When, for example 2026-05-03T11:00:00-05:00
    #[arg(long, value_name = "TIME")]
    appointment_at: Option<String>,
    /// Name of the buyer's agent that sends the lead [default: forecourt]
    #[arg(long, value_name = "NAME")]
    agent_name: Option<String>,
    /// Home page of the buyer's agent
    #[arg(long, value_name = "URL")]
    agent_url: Option<String>,
    /// Key under which the dealer recognises a repeat [default: a new one, kept until the answer]
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

impl LeadFlags {
    /// The lead, judged by the protocol's rules. Consent comes from the buyer alone: text, channels
    /// and time are never made up.
    pub(super) fn read(&self, clock: &Clock) -> Result<Lead, Failure> {
        let mut payload = match &self.file {
            Some(path) => input::json(path)?,
            None => json!({}),
        };
        if let Value::Object(members) = &mut payload {
            self.complete(members)?;
            self.require_consent(members, clock)?;
        }
        let request = match input::judged(Skill::LeadSubmit, payload, clock)? {
            Request::LeadSubmit(request) => *request,
            other => return Err(input::not_a(Skill::LeadSubmit, &other)),
        };
        Ok(if self.consent_given_now {
            Lead::with_consent_given_now(request)
        } else {
            Lead::new(request)
        })
    }

    /// Writes the flags into the payload.
    fn complete(&self, payload: &mut Map<String, Value>) -> Result<(), Failure> {
        let vin = self.vin.as_deref().map(str::to_ascii_uppercase);
        let texts = [
            ("customer", "first_name", &self.first_name),
            ("customer", "last_name", &self.last_name),
            ("customer", "email", &self.email),
            ("customer", "phone", &self.phone),
            ("consent", "consent_text", &self.consent_text),
            ("consent", "granted_at", &self.granted_at),
            ("consent", "expires_at", &self.consent_expires_at),
            ("vehicle_of_interest", "vin", &vin),
            ("vehicle_of_interest", "stock", &self.stock),
            ("vehicle_of_interest", "vehicle_id", &self.vehicle_id),
            ("appointment", "appointment_at", &self.appointment_at),
            ("source_agent", "name", &self.agent_name),
            ("source_agent", "url", &self.agent_url),
        ];
        for (object, member, text) in texts {
            if let Some(text) = text {
                put(payload, object, member, text.as_str().into());
            }
        }
        for (member, text) in [
            ("message", &self.message),
            ("idempotency_key", &self.idempotency_key),
        ] {
            if let Some(text) = text {
                payload.insert(member.to_owned(), text.as_str().into());
            }
        }
        if let Some(way) = &self.preferred_contact {
            put(payload, "customer", "preferred_contact", input::value(way)?);
        }
        if !self.channel.is_empty() {
            let channels = input::value(&self.channel)?;
            put(payload, "consent", "allowed_channels", channels);
        }
        if let Some(purpose) = &self.appointment_type {
            let purpose = input::value(purpose)?;
            put(payload, "appointment", "appointment_type", purpose);
        }
        if self.consent_text.is_some() && !has(payload, "consent", "scope") {
            // The one scope that the protocol has.
            put(payload, "consent", "scope", json!(["lead_submission"]));
        }
        if !payload.contains_key("source_agent") {
            put(payload, "source_agent", "name", AGENT_NAME.into());
        }
        Ok(())
    }

    fn require_consent(
        &self,
        payload: &mut Map<String, Value>,
        clock: &Clock,
    ) -> Result<(), Failure> {
        let dated = has(payload, "consent", "granted_at");
        if self.consent_given_now && dated {
            return Err(Failure::usage(
                "the lead says when consent was given; leave --consent-given-now out",
            ));
        }
        let missing: Vec<&str> = [
            (
                has(payload, "consent", "consent_text"),
                "the text that the person was shown (--consent-text)",
            ),
            (
                has(payload, "consent", "allowed_channels"),
                "the channels that the person allowed (--channel)",
            ),
            (
                dated || self.consent_given_now,
                "when the person agreed (--granted-at, or --consent-given-now)",
            ),
        ]
        .into_iter()
        .filter_map(|(there, what)| (!there).then_some(what))
        .collect();
        if !missing.is_empty() {
            return Err(Failure::usage(format!(
                "a lead needs the person's consent; missing: {}",
                missing.join(", ")
            )));
        }
        if self.consent_given_now {
            let now = clock.now().to_string();
            put(payload, "consent", "granted_at", now.into());
        }
        Ok(())
    }
}

/// Sets a member of an object of the payload, which is made where it is absent. What stands there
/// and is no object is left to the validation.
fn put(payload: &mut Map<String, Value>, object: &str, member: &str, value: Value) {
    let object = payload
        .entry(object)
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(members) = object {
        members.insert(member.to_owned(), value);
    }
}

fn has(payload: &Map<String, Value>, object: &str, member: &str) -> bool {
    payload
        .get(object)
        .and_then(|object| object.get(member))
        .is_some()
}
