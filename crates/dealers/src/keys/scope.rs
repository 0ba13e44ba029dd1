//! What a key may do.

use std::{collections::BTreeSet, fmt, str::FromStr};

/// What a key may do. Each scope opens one part of the API and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Send feed files.
    Feeds,
    /// Read leads, with the personal data in them.
    Leads,
    /// See how leads were delivered, send them again, report what came back.
    Deliveries,
    /// Send leads as the buyer's agent whose name the key bears.
    Agent,
    /// Ask the analyst about the dealer's own data.
    Analyst,
    /// Also say, by `catalog_context`, which rows a question to the analyst is about.
    AnalystContext,
}

/// The text is not a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a scope; write one or more of feeds, leads, deliveries, agent, analyst, analyst-context"
)]
pub struct UnknownScope(pub String);

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 6] = [
        Self::Feeds,
        Self::Leads,
        Self::Deliveries,
        Self::Agent,
        Self::Analyst,
        Self::AnalystContext,
    ];

    /// The scope as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Feeds => "feeds",
            Self::Leads => "leads",
            Self::Deliveries => "deliveries",
            Self::Agent => "agent",
            Self::Analyst => "analyst",
            Self::AnalystContext => "analyst-context",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// Scopes as a column holds them: separated by a space, as in OAuth (RFC 6749 §3.3).
pub(super) fn join(scopes: &BTreeSet<Scope>) -> String {
    let words: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    words.join(" ")
}

/// The scopes in a column. One that this version does not know opens nothing here.
pub(super) fn split(column: &str) -> BTreeSet<Scope> {
    column.split(' ').filter_map(|it| it.parse().ok()).collect()
}
