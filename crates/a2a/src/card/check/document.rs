//! Every fault of a card's document, for the clients of each generation.

use std::collections::HashSet;

use serde_json::value::RawValue;

use super::super::read::{CardError, CardShape};
use super::super::{AgentCard, CardProblem, v03};
use crate::fault::{At, Fault, Faults};
use crate::model::Metadata;
use crate::protojson::{Field, read_str};

/// What is wrong with a card's document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardReport {
    /// For clients of 1.0; `None` when the card has nothing for them.
    pub v1_0: Option<Vec<CardProblem>>,
    /// For clients of 0.3; `None` when the card has nothing for them.
    pub v0_3: Option<Vec<CardProblem>>,
}

impl CardReport {
    /// Whether every client that the card is for can use it.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let problems = [&self.v1_0, &self.v0_3];
        problems.into_iter().flatten().all(Vec::is_empty)
    }
}

/// Judges the document of a card as a client of each generation sees it: one of 1.0 by its
/// `supportedInterfaces`, one of 0.3 by its `url`. Each problem says where, what was found and what is
/// expected there.
///
/// # Errors
///
/// [`CardError`] for a document that is no card.
pub fn check(document: &[u8]) -> Result<CardReport, CardError> {
    let read = super::super::read::read(document)?;
    let text = std::str::from_utf8(document).map_err(CardError::NotUtf8)?;
    let text = text.trim_start_matches('\u{feff}');
    let members: HashSet<String> = serde_json::from_str::<Metadata>(text)
        .map(|card| {
            card.members()
                .into_iter()
                .map(|(name, _)| name.into())
                .collect()
        })
        .unwrap_or_default();
    let is_0_3 = members.contains("url");
    let v0_3 = is_0_3.then(|| problems::<v03::Card>(text, |card, at| card.check_values(at)));
    let v1_0 = (read.shape == CardShape::V1_0).then(|| {
        let mut found = problems::<AgentCard>(text, |card, at| card.check_values(at));
        if is_0_3 {
            found.extend(unlisted_url(text, &read.card));
        } else {
            found.extend(leftovers(&members));
        }
        found
    });
    Ok(CardReport { v1_0, v0_3 })
}

fn problems<T: Field>(text: &str, check: impl FnOnce(&T, At<'_>)) -> Vec<CardProblem> {
    let mut faults = match read_str::<T>(text) {
        Err(faults) => return told(&faults),
        Ok((card, faults)) => {
            let found = Faults::default();
            check(&card, At::root(&found));
            let mut all = faults;
            all.extend(found.into_vec());
            all
        }
    };
    // A value that could not be read is not judged a second time as an empty one.
    let mut seen = HashSet::new();
    faults.retain(|fault| seen.insert(fault.pointer()));
    told(&faults)
}

fn told(faults: &[Fault]) -> Vec<CardProblem> {
    faults.iter().map(CardProblem::from).collect()
}

/// Members by which clients of 0.3 would go, in a card that has nothing else for them.
fn leftovers(members: &HashSet<String>) -> Vec<CardProblem> {
    let problem = |name: &str, words: &str| CardProblem {
        pointer: format!("/{name}"),
        words: words.to_owned(),
    };
    let of_0_3 = [
        (
            "security",
            "is of A2A 0.3; clients of 1.0 read securityRequirements",
        ),
        (
            "supportsAuthenticatedExtendedCard",
            "is of A2A 0.3; clients of 1.0 read capabilities.extendedAgentCard",
        ),
        (
            "additionalInterfaces",
            "is of A2A 0.3; clients of 1.0 read supportedInterfaces",
        ),
        (
            "preferredTransport",
            "is of A2A 0.3; clients of 1.0 read supportedInterfaces",
        ),
        (
            "protocolVersion",
            "is of A2A 0.3; clients of 1.0 read it in each of supportedInterfaces",
        ),
    ];
    let found = of_0_3
        .into_iter()
        .filter(|(name, _)| members.contains(*name));
    found.map(|(name, words)| problem(name, words)).collect()
}

/// The address for clients of 0.3 must be that of an interface of 0.3 for those of 1.0 too.
fn unlisted_url(text: &str, card: &AgentCard) -> Option<CardProblem> {
    let document: Metadata = serde_json::from_str(text).ok()?;
    let url: &RawValue = document.get("url")?;
    let url: String = serde_json::from_str(url.get()).ok()?;
    let mut interfaces = card.supported_interfaces.iter();
    let listed = interfaces.any(|interface| interface.speaks_0_3() && interface.url == url);
    (!listed).then(|| CardProblem {
        pointer: "/supportedInterfaces".to_owned(),
        words: "has no interface of protocolVersion 0.3 at the card's url".to_owned(),
    })
}
