//! What a dealer decides about leads: which agents it trusts, whom it serves, how long it keeps them.

use aap::text::fold;
use serde::{Deserialize, Serialize};

use crate::{Period, keys::AgentProof};

/// How far a dealer trusts a buyer's agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The dealer knows it: its leads are delivered, and limits per agent are wider.
    Known,
    /// Its leads are delivered.
    Open,
    /// Its leads are kept and wait for a person before they are delivered.
    Held,
}

impl Standing {
    /// The word in settings, in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Open => "open",
            Self::Held => "held",
        }
    }
}

/// Which of the buyers' agents a dealer trusts, by `source_agent.name`, compared as
/// [`seen_name`] has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentPolicy {
    /// Standing of an agent that is not named.
    pub unlisted: Standing,
    /// Agents that the dealer knows. Where a key of scope `agent` bears this name, only a caller with
    /// that key is taken for it.
    pub known: Vec<String>,
    /// Agents whose leads wait for a person.
    pub held: Vec<String>,
}

impl Default for AgentPolicy {
    fn default() -> Self {
        Self {
            unlisted: Standing::Open,
            known: Vec::new(),
            held: Vec::new(),
        }
    }
}

impl AgentPolicy {
    /// How far the dealer trusts the agent that calls itself `name`. Who claims a name that a key
    /// bears, without the key, is not taken for the agent that the dealer knows; an agent that is
    /// held is held whoever says to be it.
    #[must_use]
    pub fn standing(&self, name: &str, proof: AgentProof) -> Standing {
        if names(&self.held, name) {
            Standing::Held
        } else if names(&self.known, name) && proof != AgentProof::Contradicted {
            Standing::Known
        } else {
            self.unlisted
        }
    }
}

fn names(list: &[String], name: &str) -> bool {
    let name = seen_name(name);
    name.is_some() && list.iter().any(|listed| seen_name(listed) == name)
}

/// The form in which two names of agents are equal; `None` for a blank one. Case, spacing and characters
/// that nobody sees do not count, so that no agent looks like another and is treated otherwise.
///
/// ```
/// assert_eq!(dealers::seen_name(" Example\u{200b} AGENT\0"), dealers::seen_name("example agent"));
/// ```
#[must_use]
pub fn seen_name(name: &str) -> Option<String> {
    let is_seen = |it: &char| {
        it.is_whitespace()
            || !(it.is_control()
                || matches!(
                    it,
                    '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
                ))
    };
    let seen: String = name.chars().filter(is_seen).collect();
    fold(&seen)
}

/// What becomes of leads after they were taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeadSettings {
    /// How long personal data are kept after the lead came.
    pub keep: Period,
    /// How long a lead may be under way before a person is told.
    pub undelivered_after: Period,
    /// How long a lead is sent again and again to a destination that does not take it, before it goes
    /// to the fallback.
    pub give_up_after: Period,
    /// Whether a made-up lead is sent to every destination once a day.
    pub daily_test: bool,
}

impl Default for LeadSettings {
    fn default() -> Self {
        Self {
            keep: Period::days(730),
            undelivered_after: Period::minutes(15),
            give_up_after: Period::days(4),
            daily_test: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_key_is_known_by_its_key_alone() {
        let policy = AgentPolicy {
            unlisted: Standing::Open,
            known: vec!["Example  Agent".to_owned()],
            held: vec!["Noisy Agent".to_owned()],
        };
        for (name, proof, standing) in [
            ("example agent", AgentProof::Unproven, Standing::Known),
            ("example agent", AgentProof::Verified, Standing::Known),
            ("example agent", AgentProof::Contradicted, Standing::Open),
            ("NOISY AGENT", AgentProof::Unproven, Standing::Held),
            (
                "Noisy\0 Agent\u{200b}",
                AgentProof::Unproven,
                Standing::Held,
            ),
            ("noisy agent", AgentProof::Verified, Standing::Held),
            ("other", AgentProof::Verified, Standing::Open),
            (" ", AgentProof::Unproven, Standing::Open),
        ] {
            assert_eq!(policy.standing(name, proof), standing, "{name} {proof:?}");
        }
    }
}
