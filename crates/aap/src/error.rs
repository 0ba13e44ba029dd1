//! The protocol's error vocabulary (AAP 1.3, error schema) and the payload that carries it.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{validate::Rejection, version::Profile};

/// `type` of an error payload.
pub const ERROR_TYPE: &str = "aap.error";
/// `@type` of an error payload in a list of details (the 2.0 draft).
const ERROR_TYPE_URL: &str = "https://autoagentprotocol.org/extensions/aap/error";
/// The domain of the protocol's own reasons in `google.rpc.ErrorInfo` (the 2.0 draft).
const ERROR_DOMAIN: &str = "autoagentprotocol.org";

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// What went wrong, in the protocol's closed list. A caller decides by this code, never by the
/// JSON-RPC number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The agent does not serve this kind of request.
    UnsupportedSkill,
    /// The payload breaks the request's schema.
    SchemaValidationFailed,
    /// One required member is missing and nothing else is wrong.
    MissingRequiredField,
    /// A vehicle's condition comes from the vocabulary of the other context.
    InvalidCondition,
    /// No vehicle has the identifier.
    VehicleNotFound,
    /// The vehicle is known and no longer offered.
    VehicleUnavailable,
    /// A lead without consent, or without consent to the channel it asks for.
    ContactConsentRequired,
    /// Consent that is malformed, expired, not given yet or of another scope.
    InvalidConsent,
    /// The wished time cannot be had.
    AppointmentTimeUnavailable,
    /// A key was used before with another payload.
    IdempotencyConflict,
    /// Too many requests.
    RateLimited,
    /// A fault of the dealer's agent.
    InternalError,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 12] = [
        Self::UnsupportedSkill,
        Self::SchemaValidationFailed,
        Self::MissingRequiredField,
        Self::InvalidCondition,
        Self::VehicleNotFound,
        Self::VehicleUnavailable,
        Self::ContactConsentRequired,
        Self::InvalidConsent,
        Self::AppointmentTimeUnavailable,
        Self::IdempotencyConflict,
        Self::RateLimited,
        Self::InternalError,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnsupportedSkill => "UNSUPPORTED_SKILL",
            Self::SchemaValidationFailed => "SCHEMA_VALIDATION_FAILED",
            Self::MissingRequiredField => "MISSING_REQUIRED_FIELD",
            Self::InvalidCondition => "INVALID_CONDITION",
            Self::VehicleNotFound => "VEHICLE_NOT_FOUND",
            Self::VehicleUnavailable => "VEHICLE_UNAVAILABLE",
            Self::ContactConsentRequired => "CONTACT_CONSENT_REQUIRED",
            Self::InvalidConsent => "INVALID_CONSENT",
            Self::AppointmentTimeUnavailable => "APPOINTMENT_TIME_UNAVAILABLE",
            Self::IdempotencyConflict => "IDEMPOTENCY_CONFLICT",
            Self::RateLimited => "RATE_LIMITED",
            Self::InternalError => "INTERNAL_ERROR",
        }
    }

    /// Whether the same request may succeed later, unless the dealer says otherwise.
    #[must_use]
    pub const fn default_retryable(self) -> bool {
        matches!(self, Self::RateLimited | Self::InternalError)
    }

    /// The number of the JSON-RPC error that carries this code under a profile.
    #[must_use]
    pub const fn json_rpc_code(self, profile: Profile) -> i64 {
        match self {
            Self::UnsupportedSkill => match profile {
                Profile::V1_3 => -32601,
                Profile::Draft2 => -32004,
            },
            Self::SchemaValidationFailed | Self::MissingRequiredField | Self::InvalidCondition => {
                -32602
            }
            Self::VehicleNotFound
            | Self::VehicleUnavailable
            | Self::ContactConsentRequired
            | Self::InvalidConsent
            | Self::AppointmentTimeUnavailable
            | Self::IdempotencyConflict => -32000,
            Self::RateLimited => match profile {
                Profile::V1_3 => -32002,
                Profile::Draft2 => -32000,
            },
            Self::InternalError => -32603,
        }
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error as the dealer's agent tells it. It serializes to the payload object of AAP 1.3, `type`
/// included; members of a received payload that the schema does not name are ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "type", rename = "aap.error")]
#[error("{code}: {message}")]
#[non_exhaustive]
pub struct AapError {
    /// Identifier of this occurrence, for the dealer's support.
    pub error_id: String,
    /// What went wrong.
    pub code: ErrorCode,
    /// The same in words, without personal data.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// More about it; for a request that failed validation
    /// `{"errors":[{"instanceLocation","keyword","error"}]}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// When it happened.
    pub created_at: Timestamp,
}

impl AapError {
    /// An error without details, retryable as the protocol has it for the code.
    #[must_use]
    pub fn new(
        code: ErrorCode,
        message: impl Into<String>,
        error_id: impl Into<String>,
        created_at: Timestamp,
    ) -> Self {
        Self {
            error_id: error_id.into(),
            code,
            message: message.into(),
            retryable: code.default_retryable(),
            details: None,
            created_at,
        }
    }

    /// The error for a request that failed validation, with every problem in its details.
    #[must_use]
    pub fn from_rejection(
        rejection: &Rejection,
        error_id: impl Into<String>,
        created_at: Timestamp,
    ) -> Self {
        Self::new(
            rejection.code,
            rejection.message.as_str(),
            error_id,
            created_at,
        )
        .with_details(json!({ "errors": rejection.problems }))
    }

    /// The same error with details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// The same error, told retryable or not.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// What stands in the JSON-RPC error's `data` under a profile: the payload itself (AAP 1.3), or a
    /// list of details that name their types (the 2.0 draft): `google.rpc.ErrorInfo` first, then
    /// `google.rpc.BadRequest` where places in the request are at fault, then the payload.
    #[must_use]
    pub fn to_data(&self, profile: Profile) -> Value {
        match profile {
            Profile::V1_3 => self.to_payload(),
            Profile::Draft2 => {
                let mut payload = self.to_payload();
                payload["@type"] = ERROR_TYPE_URL.into();
                let mut details = vec![self.error_info()];
                details.extend(self.bad_request());
                details.push(payload);
                Value::Array(details)
            }
        }
    }

    /// The payload object of AAP 1.3.
    #[must_use]
    pub fn to_payload(&self) -> Value {
        serde_json::to_value(self).expect("an error has string keys and finite numbers")
    }

    /// Its metadata are strings, which is all that the type can hold.
    fn error_info(&self) -> Value {
        json!({
            "@type": ERROR_INFO,
            "reason": self.code,
            "domain": ERROR_DOMAIN,
            "metadata": {
                "code": self.code,
                "error_id": self.error_id,
                "retryable": self.retryable.to_string(),
                "created_at": self.created_at,
            },
        })
    }

    /// The problems in the details, each as a field violation.
    fn bad_request(&self) -> Option<Value> {
        let problems = self.details.as_ref()?.get("errors")?.as_array()?;
        let text = |problem: &Value, member| match &problem[member] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let violations: Vec<Value> = problems
            .iter()
            .map(|problem| {
                let (keyword, error) = (text(problem, "keyword"), text(problem, "error"));
                let says_so = error.starts_with(&format!("{keyword}: "));
                json!({
                    "field": text(problem, "instanceLocation"),
                    "description": if says_so { error } else { format!("{keyword}: {error}") },
                })
            })
            .collect();
        let violations = Some(violations).filter(|violations| !violations.is_empty())?;
        Some(json!({ "@type": BAD_REQUEST, "fieldViolations": violations }))
    }

    /// Finds the AAP error in a JSON-RPC error's `data`: the object itself (AAP 1.x), or the member
    /// of a list of details that carries its type (the 2.0 draft). `Ok(None)` says that there is
    /// none, as in an error of the A2A layer.
    ///
    /// # Errors
    ///
    /// [`UnreadableError`] when the payload names itself an AAP error and is not a valid one.
    pub fn from_data(data: &Value) -> Result<Option<Self>, UnreadableError> {
        Self::payload_in(data)
            .map(Self::deserialize)
            .transpose()
            .map_err(UnreadableError)
    }

    /// The payload that [`Self::from_data`] reads, as it was sent.
    #[must_use]
    pub fn payload_in(data: &Value) -> Option<&Value> {
        match data {
            Value::Array(details) => details.iter().find(|detail| names_error(detail)),
            single => Some(single).filter(|single| names_error(single)),
        }
    }

    /// How long the dealer asks to wait before the next attempt (`details.retry_after_ms`, or
    /// `retry_after_seconds`).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let details = self.details.as_ref()?;
        let seconds = match details.get("retry_after_ms") {
            Some(milliseconds) => milliseconds.as_f64()? / 1000.0,
            None => details.get("retry_after_seconds")?.as_f64()?,
        };
        Duration::try_from_secs_f64(seconds).ok()
    }
}

fn names_error(payload: &Value) -> bool {
    let is = |member, name| payload.get(member).and_then(Value::as_str) == Some(name);
    is("type", ERROR_TYPE) || is("@type", ERROR_TYPE_URL)
}

/// A payload that names itself an AAP error and breaks the error schema.
#[derive(Debug, thiserror::Error)]
#[error("the dealer's error is not a valid aap.error: {0}")]
pub struct UnreadableError(#[source] serde_json::Error);
