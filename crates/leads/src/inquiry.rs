//! What a person asks for, as it is kept.

use aap::{
    lead::{AppointmentRequest, ConsentGrant, Customer, LeadSubmitRequest, SourceAgent},
    vehicle::Vehicle,
};
use serde::Serialize;

/// What a person asks for: a `lead.submit.request` without its key, or a lead that another system
/// handed over. Those may lack what the protocol asks for, so nothing here says that it was
/// validated: a mail address and a telephone number may both be absent, and the number may have any
/// form.
#[derive(Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Inquiry {
    /// Who enquires.
    pub customer: Customer,
    /// What was agreed to; `None` when no consent is on record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent: Option<ConsentGrant>,
    /// The vehicle that the person wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vehicle_of_interest: Option<Vehicle>,
    /// The vehicle that the person gives in payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trade_in: Option<Vehicle>,
    /// The appointment asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appointment: Option<AppointmentRequest>,
    /// Free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who sent it.
    pub source_agent: SourceAgent,
    /// When the sender finished it (RFC 3339 with offset).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted_at: Option<String>,
}

impl From<LeadSubmitRequest> for Inquiry {
    fn from(request: LeadSubmitRequest) -> Self {
        Self {
            customer: request.customer,
            consent: Some(request.consent),
            vehicle_of_interest: request.vehicle_of_interest,
            trade_in: request.trade_in,
            appointment: request.appointment,
            message: request.message,
            source_agent: request.source_agent,
            submitted_at: request.submitted_at,
        }
    }
}

/// Leaves out what is the person's, so that it does not reach a log.
impl std::fmt::Debug for Inquiry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inquiry")
            .field("appointment", &self.appointment)
            .field("source_agent", &self.source_agent)
            .field("submitted_at", &self.submitted_at)
            .finish_non_exhaustive()
    }
}
