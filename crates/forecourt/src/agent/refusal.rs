//! Why a request gets no answer, and the error that says so in the form of the caller's profile.

use a2a::error::Error;
use aap::{
    Profile,
    error::{AapError, ErrorCode},
    validate::{Problem, Rejection},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

/// Why a request gets no answer.
pub(super) enum Refusal {
    /// The payload breaks rules; every problem is in it.
    Invalid(Rejection),
    /// A rule of the skill.
    Coded {
        code: ErrorCode,
        message: String,
        details: Option<Value>,
    },
    /// The request breaks a rule of A2A, which has errors of its own.
    Protocol(Error),
    /// The server failed. What happened goes to the log, not to the caller.
    Failed(String),
}

impl Refusal {
    pub(super) fn coded(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Coded {
            code,
            message: message.into(),
            details: None,
        }
    }

    pub(super) fn with_details(self, details: Value) -> Self {
        match self {
            Self::Coded { code, message, .. } => Self::Coded {
                code,
                message,
                details: Some(details),
            },
            other => other,
        }
    }

    /// The same refusal with these problems among its details.
    pub(super) fn with_problems(mut self, problems: &[Problem]) -> Self {
        if let Self::Coded { details, .. } = &mut self {
            details.get_or_insert_default()["errors"] = json!(problems);
        }
        self
    }

    pub(super) fn failed(error: impl std::error::Error) -> Self {
        Self::Failed(crate::explain(&error))
    }

    /// The program contradicts itself.
    pub(super) fn defect(what: &str) -> Self {
        Self::Failed(what.to_owned())
    }

    /// The error that the caller gets. An AAP error carries this identifier, and so does the log
    /// where the server failed.
    pub(super) fn into_error(self, profile: Profile, id: Uuid, now: Timestamp) -> Error {
        let id = id.to_string();
        let error = match self {
            Self::Invalid(rejection) => AapError::from_rejection(&rejection, id, now),
            Self::Coded {
                code,
                message,
                details,
            } => {
                let mut error = AapError::new(code, message, id, now);
                error.details = details;
                error
            }
            Self::Protocol(error) => return error,
            Self::Failed(cause) => {
                tracing::error!(error_id = %id, cause, "a request failed");
                AapError::new(
                    ErrorCode::InternalError,
                    "The dealer's server could not answer. Try again in a moment.",
                    id,
                    now,
                )
            }
        };
        encode(profile, &error)
    }
}

/// An AAP error as the JSON-RPC error of a profile.
fn encode(profile: Profile, error: &AapError) -> Error {
    Error::application(
        error.code.json_rpc_code(profile),
        error.message.clone(),
        serde_json::value::to_raw_value(&error.to_data(profile)).ok(),
    )
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self::Invalid(rejection)
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::failed(error)
    }
}
