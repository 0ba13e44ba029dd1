//! Why a dealer's agent gave no answer, or none of use.

use std::time::Duration;

use aap::{AapError, NotInVersion, Skill, response::UnreadableResponse};
use serde_json::Value;

use super::pending;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The agent could not be discovered or called, or answered in a way that is not A2A.
    #[error(transparent)]
    Agent(#[from] a2a_client::Error),
    /// The agent speaks A2A and no AAP: a generic A2A agent.
    #[error("{name} is a generic A2A agent: its card names no Auto Agent Protocol extension")]
    GenericAgent {
        /// The agent's name.
        name: String,
    },
    /// The agent speaks AAP in versions that this client does not know.
    #[error(
        "{name} speaks the Auto Agent Protocol only in versions unknown here ({}); known are 1.0 to 1.3",
        uris.join(", ")
    )]
    UnknownVersion {
        /// The agent's name.
        name: String,
        /// The extension URIs on its card.
        uris: Vec<String>,
    },
    /// The card does not list the skill, so that it is not called.
    #[error("{name} does not offer {skill}; it offers {}", offered(listed))]
    SkillNotListed {
        /// The agent's name.
        name: String,
        /// The skill wanted.
        skill: Skill,
        /// The AAP skills on the card.
        listed: Vec<Skill>,
    },
    /// The request uses members that the dealer's version does not know.
    #[error(transparent)]
    NotInVersion(#[from] NotInVersion),
    /// The dealer refused, in the protocol's own words.
    #[error("the dealer refused: {error}")]
    Refused {
        /// The error, read.
        error: Box<AapError>,
        /// The `aap.error` payload as it was sent.
        payload: Value,
    },
    /// The dealer answered with a task, although AAP knows messages only.
    #[error("the dealer answered {skill} with a task; AAP answers with a message")]
    AnsweredWithTask {
        /// The skill called.
        skill: Skill,
    },
    /// The answer holds no data part.
    #[error("the dealer's answer to {skill} holds no data")]
    NoData {
        /// The skill called.
        skill: Skill,
    },
    /// The data are not the response that belongs to the request.
    #[error(transparent)]
    Unreadable(#[from] UnreadableResponse),
    /// The request cannot be written as JSON.
    #[error("the request cannot be written as JSON")]
    Unwritable(#[source] serde_json::Error),
    /// The pending leads cannot be kept, so that the lead was not sent.
    #[error(transparent)]
    Pending(#[from] pending::Error),
}

impl Error {
    /// Whether the very same request may succeed later. A dealer's own word counts, also where it
    /// differs from the code's default (AAP 1.3, errors).
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Refused { error, .. } => error.retryable,
            Self::Agent(error) => error.is_retryable(),
            _ => false,
        }
    }

    /// How long the dealer asks to wait before the next attempt.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { error, .. } => error.retry_after(),
            Self::Agent(error) => error.retry_after(),
            _ => None,
        }
    }
}

fn offered(skills: &[Skill]) -> String {
    let ids: Vec<_> = skills.iter().map(|skill| skill.id()).collect();
    if ids.is_empty() {
        "no AAP skill".to_owned()
    } else {
        ids.join(", ")
    }
}
