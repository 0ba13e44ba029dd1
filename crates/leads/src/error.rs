//! Why a lead was not taken.

use crate::{LeadId, outbox};

/// Why a lead was not taken, or could not be read. Nothing is stored when one is returned.
///
/// No text here repeats what a person wrote.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The same caller used the key for another payload (AAP `IDEMPOTENCY_CONFLICT`).
    #[error("the idempotency_key was already used for a different payload; send a new key")]
    IdempotencyConflict,
    /// A test drive is asked for a vehicle that the dealer does not know (AAP
    /// `VEHICLE_NOT_FOUND`).
    #[error("the vehicle of the test drive is not known to this dealer")]
    VehicleNotFound,
    /// A test drive is asked for a vehicle that is gone (AAP `VEHICLE_UNAVAILABLE`).
    #[error("the vehicle of the test drive is no longer available")]
    VehicleUnavailable,
    /// The wished time is not free, and the rooftop takes no lead without an appointment then (AAP
    /// `APPOINTMENT_TIME_UNAVAILABLE`).
    #[error("the wished time is not free")]
    AppointmentUnavailable {
        /// The nearest free times, with the rooftop's offset (RFC 3339).
        free: Vec<String>,
    },
    /// The payload holds what validation must refuse before it comes here.
    #[error("{}", at(pointer, reason))]
    Payload {
        /// JSON Pointer into the payload; empty for the whole of it.
        pointer: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The dealer has no such lead.
    #[error("there is no lead {0}")]
    UnknownLead(LeadId),
    /// The person of the lead was erased.
    #[error("the person of lead {0} was erased")]
    Erased(LeadId),
    /// Leads on legal hold are not erased.
    #[error(
        "nothing was erased: {} on legal hold; `forecourt leads show` tells why, and `forecourt leads unhold` lifts it",
        listed(.0)
    )]
    OnHold(Vec<LeadId>),
    /// A lead of another system has neither mail address nor telephone number.
    #[error("it has neither e-mail nor telephone, so that nobody could answer it")]
    Unreachable,
    /// A value cannot be put into its column: a defect of the program.
    #[error("{column} cannot be stored")]
    Stored {
        /// Which column.
        column: &'static str,
    },
    /// A personal column cannot be opened or sealed.
    #[error(transparent)]
    Vault(#[from] crate::VaultError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// For what puts deliveries into the outbox while it does something else.
impl From<outbox::Error> for Error {
    fn from(error: outbox::Error) -> Self {
        match error {
            outbox::Error::Store(error) => Self::Store(error),
            outbox::Error::UnknownLead(lead_id) => Self::UnknownLead(lead_id),
            outbox::Error::Erased(lead_id) => Self::Erased(lead_id),
            _ => Self::Stored { column: "delivery" },
        }
    }
}

fn listed(lead_ids: &[LeadId]) -> String {
    let names: Vec<&str> = lead_ids.iter().map(LeadId::as_str).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

fn at(pointer: &str, reason: &str) -> String {
    if pointer.is_empty() {
        reason.to_owned()
    } else {
        format!("{pointer} {reason}")
    }
}

impl Error {
    /// What serde says may repeat what a person wrote; the place does not.
    pub(crate) fn not_json(error: &serde_json::Error) -> Self {
        Self::Payload {
            pointer: "",
            reason: format!(
                "the payload is not a JSON object (line {}, column {})",
                error.line(),
                error.column()
            ),
        }
    }
}
