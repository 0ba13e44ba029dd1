//! Deliveries: leads on their way to the destinations of a rooftop.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a delivery is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Purpose {
    /// The lead as it came.
    Lead,
    /// The lead for people to read, beside the one for the CRM.
    Copy,
    /// The lead once more, on a person's wish.
    Resend,
    /// The lead for the fallback, because a destination refused it for good.
    Fallback,
    /// Word that the person took consent back.
    Revocation,
    /// A made-up lead that tries the way.
    Test,
}

impl Purpose {
    /// The word in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Copy => "copy",
            Self::Resend => "resend",
            Self::Fallback => "fallback",
            Self::Revocation => "revocation",
            Self::Test => "test",
        }
    }
}

/// How far a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DeliveryState {
    /// It waits for its time, for its destination, or for a worker.
    Due,
    /// It waits for a person, as the dealer holds the agent's leads.
    Held,
    /// The receiver took it.
    Sent,
    /// The receiver took it and sent it back.
    Bounced,
    /// The receiver refused it for good, or every attempt failed.
    Failed,
    /// Another delivery was made in its place.
    Superseded,
    /// The person took back every consent before it was sent.
    Withdrawn,
    /// The person was erased before it was sent.
    Erased,
}

impl DeliveryState {
    /// Every state.
    pub const ALL: [Self; 8] = [
        Self::Due,
        Self::Held,
        Self::Sent,
        Self::Bounced,
        Self::Failed,
        Self::Superseded,
        Self::Withdrawn,
        Self::Erased,
    ];

    /// The word in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Held => "held",
            Self::Sent => "sent",
            Self::Bounced => "bounced",
            Self::Failed => "failed",
            Self::Superseded => "superseded",
            Self::Withdrawn => "withdrawn",
            Self::Erased => "erased",
        }
    }
}

/// The word names no state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is {}", DeliveryState::ALL.map(DeliveryState::as_str).join(", "))]
pub struct NotAState;

impl FromStr for DeliveryState {
    type Err = NotAState;

    fn from_str(word: &str) -> Result<Self, NotAState> {
        let mut all = Self::ALL.into_iter();
        all.find(|it| it.as_str() == word).ok_or(NotAState)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_word_that_the_database_knows_too() {
        for state in DeliveryState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
            assert_eq!(serde_json::json!(state), state.as_str());
        }
        let unknown = "sold".parse::<DeliveryState>().unwrap_err().to_string();
        assert_eq!(
            unknown,
            "there is due, held, sent, bounced, failed, superseded, withdrawn, erased"
        );
    }
}
