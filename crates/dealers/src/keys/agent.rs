//! Buyers' agents that prove their names.

use jiff::Timestamp;
use store::Conn;

use super::{Key, KeyState, Scope, Secret, find, list};
use crate::{DealerId, policy::seen_name};

/// Whether the name that a buyer's agent gives itself is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AgentProof {
    /// It presents the key that bears the name.
    Verified,
    /// No key bears the name, so nobody can prove it.
    Unproven,
    /// A key bears the name, and it does not present it.
    Contradicted,
}

/// A buyer's agent as its key shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentIdentity {
    /// Whether the name is its own.
    pub proof: AgentProof,
    /// The key of scope `agent` that it presents, whatever name that bears.
    pub key: Option<Key>,
}

/// Judges the name that a buyer's agent gives itself by the key that it presents. Names are compared
/// as [`seen_name`] has it. A key that opens nothing any more proves nothing, and gives its name free.
///
/// # Errors
/// What the database refuses.
pub fn identify(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    presented: Option<&Secret>,
    name: &str,
    now: Timestamp,
) -> Result<AgentIdentity, store::Error> {
    let opens =
        |key: &Key| key.scopes.contains(&Scope::Agent) && key.state(now) == KeyState::Active;
    let name = seen_name(name);
    let presented = presented.filter(|secret| secret.dealer() == dealer);
    let key = match presented {
        Some(secret) => find(conn, secret)?.filter(opens),
        None => None,
    };
    let bears_name = |key: &Key| name.is_some() && seen_name(&key.name) == name;
    let proof = if key.as_ref().is_some_and(bears_name) {
        AgentProof::Verified
    } else if list(conn, dealer)?
        .iter()
        .any(|key| opens(key) && bears_name(key))
    {
        AgentProof::Contradicted
    } else {
        AgentProof::Unproven
    };
    Ok(AgentIdentity { proof, key })
}
