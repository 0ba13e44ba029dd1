//! Who sends a lead.

use crate::{HashKey, hash::Hash};

/// The buyer's agent as far as it can be recognised.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// What the caller proved itself with, or the name of it. It is kept as a keyed hash only.
    /// `None` for an anonymous caller.
    pub credential: Option<String>,
    /// `source_agent.name` of the payload, whoever may claim it.
    pub source_agent_name: String,
    /// `contextId` that the caller sent with the message.
    pub context_id: Option<String>,
    /// Whether the caller proved by a key of the dealer that the name is its own.
    pub is_verified: bool,
    /// Name of the agent's key that it presented, where it did. Another name than the agent's is one
    /// that the caller borrows.
    pub agent_key: Option<String>,
}

impl Caller {
    /// An anonymous caller that says this `source_agent.name`.
    #[must_use]
    pub fn new(source_agent_name: impl Into<String>) -> Self {
        Self {
            credential: None,
            source_agent_name: source_agent_name.into(),
            context_id: None,
            is_verified: false,
            agent_key: None,
        }
    }

    /// The caller within which idempotency keys are unique.
    pub(crate) fn key_scope(&self, key: &HashKey) -> Hash {
        match &self.credential {
            Some(credential) => key.hash("caller", &["credential", credential]),
            None => key.hash("caller", &["agent", &self.source_agent_name]),
        }
    }

    /// The caller who may be told of its earlier leads. Anybody can claim an agent's name, so the
    /// name alone identifies nobody.
    pub(crate) fn sender(&self, key: &HashKey) -> Option<Hash> {
        match (&self.credential, &self.context_id) {
            (Some(credential), _) => Some(key.hash("sender", &["credential", credential])),
            (None, Some(context)) => Some(key.hash("sender", &["context", context])),
            (None, None) => None,
        }
    }
}

/// Leaves out the credential, so that it does not reach a log.
impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller")
            .field("is_anonymous", &self.credential.is_none())
            .field("source_agent_name", &self.source_agent_name)
            .finish_non_exhaustive()
    }
}
