//! Payloads of `lead.submit`.

use serde::{Deserialize, Serialize};

use crate::{dealer::Address, vehicle::Vehicle};

/// A way to reach a person that the person may allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// Electronic mail.
    Email,
    /// A call.
    Phone,
    /// A text message to the telephone number.
    Sms,
}

/// Which way the person prefers; `any` implies none in particular.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PreferredContact {
    /// Electronic mail.
    Email,
    /// A call.
    Phone,
    /// A text message.
    Sms,
    /// Any allowed way.
    Any,
}

impl PreferredContact {
    /// The channel that the preference needs consent for.
    #[must_use]
    pub const fn channel(self) -> Option<Channel> {
        match self {
            Self::Email => Some(Channel::Email),
            Self::Phone => Some(Channel::Phone),
            Self::Sms => Some(Channel::Sms),
            Self::Any => None,
        }
    }
}

/// The person who enquires. At least one of mail address and telephone number is set.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Customer {
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Mail address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Telephone number in E.164 form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// Preferred way of contact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred_contact: Option<PreferredContact>,
    /// Postal address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
}

/// Leaves out what is the person's, so that it does not reach a log.
impl std::fmt::Debug for Customer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Customer")
            .field("preferred_contact", &self.preferred_contact)
            .finish_non_exhaustive()
    }
}

/// What the person agreed to, kept verbatim.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsentGrant {
    /// When it was given (RFC 3339 with offset).
    pub granted_at: String,
    /// Ways of contact that were allowed.
    pub allowed_channels: Vec<Channel>,
    /// The text that the person saw.
    pub consent_text: String,
    /// Always exactly `lead_submission`.
    pub scope: Vec<String>,
    /// When it ends (RFC 3339 with offset).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// Leaves out what is the person's, so that it does not reach a log.
impl std::fmt::Debug for ConsentGrant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConsentGrant")
            .field("granted_at", &self.granted_at)
            .field("allowed_channels", &self.allowed_channels)
            .field("scope", &self.scope)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// What an appointment is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AppointmentType {
    /// A talk with sales.
    Sales,
    /// Maintenance.
    Service,
    /// A test drive or demo ride of the vehicle of interest.
    TestDrive,
    /// An appraisal of the trade-in.
    TradeIn,
}

impl AppointmentType {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sales => "sales",
            Self::Service => "service",
            Self::TestDrive => "test_drive",
            Self::TradeIn => "trade_in",
        }
    }
}

/// An appointment that a lead asks for.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppointmentRequest {
    /// Purpose.
    pub appointment_type: AppointmentType,
    /// Wished start (RFC 3339 with offset).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appointment_at: Option<String>,
    /// Wished length in minutes, at least 15.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub duration_minutes: Option<u64>,
    /// Note of the buyer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// Leaves out what is the person's, so that it does not reach a log.
impl std::fmt::Debug for AppointmentRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AppointmentRequest")
            .field("appointment_type", &self.appointment_type)
            .field("appointment_at", &self.appointment_at)
            .field("duration_minutes", &self.duration_minutes)
            .finish_non_exhaustive()
    }
}

/// The buyer's agent that sends a lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceAgent {
    /// Stable name.
    pub name: String,
    /// Home page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The agent's own card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_card_url: Option<String>,
}

/// Payload of a `lead.submit.request`, without its `type`.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct LeadSubmitRequest {
    /// Who enquires.
    pub customer: Customer,
    /// What was agreed to.
    pub consent: ConsentGrant,
    /// The vehicle that the person wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vehicle_of_interest: Option<Vehicle>,
    /// The vehicle that the person gives in payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trade_in: Option<Vehicle>,
    /// The appointment asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appointment: Option<AppointmentRequest>,
    /// Free text, at most 4000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Which agent sends it.
    pub source_agent: SourceAgent,
    /// When the agent finished it (RFC 3339 with offset).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted_at: Option<String>,
    /// Key under which a repeat is recognised, 1 to 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Leaves out what is the person's, so that it does not reach a log.
impl std::fmt::Debug for LeadSubmitRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeadSubmitRequest")
            .field("consent", &self.consent)
            .field("appointment", &self.appointment)
            .field("source_agent", &self.source_agent)
            .field("submitted_at", &self.submitted_at)
            .field("idempotency_key", &self.idempotency_key)
            .finish_non_exhaustive()
    }
}

/// What became of a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeadStatus {
    /// Taken.
    Received,
    /// An equivalent lead of the same caller was taken before.
    Duplicate,
    /// Not taken, by the dealer's policy.
    Rejected,
}

/// State of an appointment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AppointmentStatus {
    /// Noted; staff will answer.
    Requested,
    /// Other times are offered.
    Proposed,
    /// Booked.
    Confirmed,
    /// Not possible.
    Rejected,
}

/// The appointment in an answer to a lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppointmentAnswer {
    /// Dealer's identifier.
    pub appointment_id: String,
    /// State.
    pub status: AppointmentStatus,
    /// Booked start, present exactly when confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<String>,
    /// Offered starts, present exactly when proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed_times: Vec<String>,
}

/// Whom the buyer may turn to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DealerContact {
    /// Name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Telephone number in E.164 form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
}

/// Payload `data` of a `lead.submit.response`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadSubmitResult {
    /// Dealer's identifier of the lead.
    pub lead_id: String,
    /// What became of it.
    pub status: LeadStatus,
    /// The appointment, when one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appointment: Option<AppointmentAnswer>,
    /// Whom to turn to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dealer: Option<DealerContact>,
}
