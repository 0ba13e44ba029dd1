//! Why a dealer's agent gave no answer, or none of use.

use std::time::Duration;

use a2a::error::ErrorKind as A2aErrorKind;
use aap::{AapError, NotInVersion, Skill, response::UnreadableResponse};
use serde::Serialize;
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
        "{name} speaks the Auto Agent Protocol only in versions unknown here ({}); known are 1.0 to 1.3 and the 2.0 draft",
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
    /// The dealer had this long and gave no answer.
    #[error("no answer within {}", in_words(*waited))]
    Deadline {
        /// How long was waited, discovery and repeats included.
        waited: Duration,
    },
    /// The time for all dealers together was over before this one's turn.
    #[error("not asked, since the time for all dealers was over")]
    NotAsked,
}

/// What kind of failure an [`Error`] is, for a program to decide by. The names on the wire are those
/// that `--json` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The URL is none.
    InvalidUrl,
    /// The address must not be called: it is not public, or plain HTTP.
    AddressNotAllowed,
    /// No connection, or one that broke.
    Unreachable,
    /// The network gave no answer in time.
    TimedOut,
    /// Something before the agent says that it is away (an HTTP status).
    Unavailable,
    /// No answer within the time that the dealer had.
    Deadline,
    /// The time for all dealers together was over before this one's turn.
    NotAsked,
    /// There is no agent card at the address.
    NotAnAgent,
    /// The card offers no interface that this client can call.
    NoSupportedInterface,
    /// An A2A agent whose card names no AAP extension.
    GenericAgent,
    /// An agent that speaks AAP only in versions unknown here.
    UnknownVersion,
    /// The agent refused the version or the extension that its own card advertises.
    VersionRefused,
    /// The card does not list the skill.
    SkillNotListed,
    /// The request uses members that the dealer's version does not know.
    NotInVersion,
    /// The dealer refused with an `aap.error`.
    Refused,
    /// The agent answered with an error that is no `aap.error`.
    ProtocolError,
    /// The answer is malformed.
    BadAnswer,
    /// The pending leads cannot be kept.
    PendingLeads,
    /// The fault is on this side.
    Internal,
}

impl ErrorKind {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidUrl => "invalid_url",
            Self::AddressNotAllowed => "address_not_allowed",
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed_out",
            Self::Unavailable => "unavailable",
            Self::Deadline => "deadline",
            Self::NotAsked => "not_asked",
            Self::NotAnAgent => "not_an_agent",
            Self::NoSupportedInterface => "no_supported_interface",
            Self::GenericAgent => "generic_agent",
            Self::UnknownVersion => "unknown_version",
            Self::VersionRefused => "version_refused",
            Self::SkillNotListed => "skill_not_listed",
            Self::NotInVersion => "not_in_version",
            Self::Refused => "refused",
            Self::ProtocolError => "protocol_error",
            Self::BadAnswer => "bad_answer",
            Self::PendingLeads => "pending_leads",
            Self::Internal => "internal",
        }
    }
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Agent(error) => agent_kind(error),
            Self::GenericAgent { .. } => ErrorKind::GenericAgent,
            Self::UnknownVersion { .. } => ErrorKind::UnknownVersion,
            Self::SkillNotListed { .. } => ErrorKind::SkillNotListed,
            Self::NotInVersion(_) => ErrorKind::NotInVersion,
            Self::Refused { .. } => ErrorKind::Refused,
            Self::AnsweredWithTask { .. } | Self::NoData { .. } | Self::Unreadable(_) => {
                ErrorKind::BadAnswer
            }
            Self::Unwritable(_) => ErrorKind::Internal,
            Self::Pending(_) => ErrorKind::PendingLeads,
            Self::Deadline { .. } => ErrorKind::Deadline,
            Self::NotAsked => ErrorKind::NotAsked,
        }
    }

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

fn agent_kind(error: &a2a_client::Error) -> ErrorKind {
    use a2a_client::Error as Agent;
    match error {
        Agent::Network(error) => network_kind(error),
        Agent::HttpStatus { answer } if answer.status.is_server_error() || error.is_retryable() => {
            ErrorKind::Unavailable
        }
        Agent::HttpStatus { .. } | Agent::NotACard { .. } => ErrorKind::NotAnAgent,
        Agent::NoSupportedInterface { .. } => ErrorKind::NoSupportedInterface,
        Agent::BadAnswer { .. } => ErrorKind::BadAnswer,
        Agent::Agent(error) => match error.kind {
            A2aErrorKind::ExtensionSupportRequired | A2aErrorKind::VersionNotSupported => {
                ErrorKind::VersionRefused
            }
            _ => ErrorKind::ProtocolError,
        },
        _ => ErrorKind::Internal,
    }
}

fn network_kind(error: &egress::Error) -> ErrorKind {
    use egress::Error as Network;
    match error {
        Network::InvalidUrl { .. } => ErrorKind::InvalidUrl,
        Network::SchemeNotAllowed { .. } | Network::AddressBlocked { .. } => {
            ErrorKind::AddressNotAllowed
        }
        Network::Redirected { .. } | Network::TooLarge { .. } => ErrorKind::NotAnAgent,
        Network::TimedOut { .. } => ErrorKind::TimedOut,
        Network::Unreachable { .. } | Network::Interrupted { .. } | Network::Tls { .. } => {
            ErrorKind::Unreachable
        }
        _ => ErrorKind::Internal,
    }
}

/// A length of time in the units that people read.
fn in_words(time: Duration) -> String {
    // Nobody waits longer than a signed duration holds.
    jiff::SignedDuration::try_from(time)
        .map_or_else(|_| format!("{time:?}"), |it| format!("{it:#}"))
}

fn offered(skills: &[Skill]) -> String {
    let ids: Vec<_> = skills.iter().map(|skill| skill.id()).collect();
    if ids.is_empty() {
        "no AAP skill".to_owned()
    } else {
        ids.join(", ")
    }
}
