//! Made-up leads, which try the way to a destination.

use aap::lead::{DealerContact, LeadSubmitRequest};
use dealers::{Dealer, DealerId, Standing};
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use crate::{Caller, Error, HashKey, NewDelivery, NewLead, Origin, VehicleMatch};

/// Name of the agent that a made-up lead comes from.
const AGENT: &str = "Forecourt test";

/// What a made-up lead is for.
#[derive(Debug, Clone)]
pub struct MadeUp {
    /// Whose lead.
    pub dealer: DealerId,
    /// Its name.
    pub id: Uuid,
    /// The rooftop that gets it.
    pub rooftop: String,
    /// Its ways to the destinations that it tries.
    pub deliveries: Vec<NewDelivery>,
    /// When it is made.
    pub now: Timestamp,
}

/// A lead of nobody, which says so in every place where a person or a CRM may look. Its mailbox and
/// its telephone number belong to nobody (RFC 2606; numbers 555-0100 to 555-0199).
///
/// # Errors
/// None in a build whose tests pass.
pub fn made_up(wanted: MadeUp, dealer: &Dealer) -> Result<NewLead, Error> {
    let MadeUp {
        dealer: id,
        id: lead_id,
        rooftop,
        deliveries,
        now,
    } = wanted;
    let payload = json!({
        "type": "lead.submit.request",
        "customer": {
            "first_name": "Forecourt",
            "last_name": "Test",
            "email": "forecourt-test@example.com",
            "phone": "+12025550100",
        },
        "consent": {
            "granted_at": now,
            "allowed_channels": ["email"],
            "consent_text": "This is a test lead. There is no customer, and nobody gave consent.",
            "scope": ["lead_submission"],
        },
        "source_agent": { "name": AGENT },
        "message": format!(
            "This is a TEST LEAD by which {} checks that leads arrive at {rooftop}. There is no customer: please do not contact anybody, and discard it.",
            dealer.name
        ),
    });
    let request: LeadSubmitRequest =
        serde_json::from_value(payload.clone()).map_err(|error| Error::not_json(&error))?;
    Ok(NewLead {
        dealer: id,
        lead_id: lead_id.into(),
        // It asks for no appointment, so that nothing bears this name.
        appointment_id: lead_id.into(),
        deliveries,
        standing: Standing::Open,
        origin: Origin::Test,
        rejected: None,
        now,
        request,
        payload: payload.to_string(),
        caller: Caller::new(AGENT),
        idempotency: None,
        vehicle: VehicleMatch::None,
        rooftop: Some(rooftop),
        calendar: None,
        contact: DealerContact::default(),
        // Nobody looks for it by its contacts, so that none is kept.
        hash_key: HashKey::new([0; 32]),
    })
}
