//! Reading the cards of other agents.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{AgentCard, CardProblem, v03};
use crate::fault::Fault;
use crate::protojson::read_str;

/// A card that was read, in the form of 1.0.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadCard {
    /// The card, with empty values where the document's are missing or wrong.
    pub card: AgentCard,
    /// The form of the document.
    pub shape: CardShape,
    /// What is wrong with the document; pointers lead into it as it was sent.
    pub warnings: Vec<CardProblem>,
}

/// The form of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardShape {
    /// Interfaces in `supportedInterfaces`.
    V1_0,
    /// Interfaces in `url`, `preferredTransport` and `additionalInterfaces`.
    V0_3,
}

/// The document is not an agent card.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// Not UTF-8.
    #[error("the document is not UTF-8")]
    NotUtf8(#[source] std::str::Utf8Error),
    /// Not a JSON object.
    #[error("the document is not a JSON object: {0}")]
    NotAnObject(String),
    /// A JSON object without what makes a card.
    #[error("the document is not an agent card: it has no {}", .missing.join(" and no "))]
    NotACard {
        /// What is missing.
        missing: Vec<&'static str>,
    },
}

/// Reads the card of any agent: of 1.0 when it has `supportedInterfaces`, whatever else it has, and of
/// 0.3 when it has `name` and `url`.
///
/// # Errors
///
/// [`CardError`] for a document that is no card. A card with faults is no error.
pub fn read(document: &[u8]) -> Result<ReadCard, CardError> {
    let text = std::str::from_utf8(document).map_err(CardError::NotUtf8)?;
    let text = text.trim_start_matches('\u{feff}');
    let outline: Outline<'_> =
        serde_json::from_str(text).map_err(|error| CardError::NotAnObject(error.to_string()))?;
    match outline.shape()? {
        CardShape::V1_0 => read_1_0(text),
        CardShape::V0_3 => read_0_3(text),
    }
}

/// The members that tell what a document is.
#[derive(Deserialize)]
struct Outline<'a> {
    name: Option<IgnoredAny>,
    url: Option<IgnoredAny>,
    #[serde(borrow, rename = "supportedInterfaces", alias = "supported_interfaces")]
    supported_interfaces: Option<&'a RawValue>,
}

impl Outline<'_> {
    fn shape(&self) -> Result<CardShape, CardError> {
        let legacy = self.name.is_some() && self.url.is_some();
        match self.supported_interfaces {
            // Some 0.3 agents write every member that they know of, empty ones too.
            Some(interfaces) if !(legacy && is_empty_array(interfaces)) => Ok(CardShape::V1_0),
            _ if legacy => Ok(CardShape::V0_3),
            _ => Err(CardError::NotACard {
                missing: self.missing(),
            }),
        }
    }

    fn missing(&self) -> Vec<&'static str> {
        let mut missing = Vec::new();
        if self.name.is_none() {
            missing.push("name");
        }
        if self.url.is_none() {
            missing.push("supportedInterfaces (or url, in a card of A2A 0.3)");
        }
        missing
    }
}

fn is_empty_array(value: &RawValue) -> bool {
    let elements: Option<Vec<IgnoredAny>> = serde_json::from_str(value.get()).ok();
    elements.is_some_and(|elements| elements.is_empty())
}

fn read_1_0(text: &str) -> Result<ReadCard, CardError> {
    let (mut card, faults) = read_str::<AgentCard>(text).map_err(|faults| unreadable(&faults))?;
    if let Ok((leftovers, _)) = read_str::<v03::Leftovers>(text) {
        leftovers.add_to(&mut card);
    }
    Ok(ReadCard {
        card,
        shape: CardShape::V1_0,
        warnings: faults.iter().map(CardProblem::from).collect(),
    })
}

fn read_0_3(text: &str) -> Result<ReadCard, CardError> {
    let (card, mut faults) = read_str::<v03::Card>(text).map_err(|faults| unreadable(&faults))?;
    let card = card.into_1_0(&mut faults);
    Ok(ReadCard {
        card,
        shape: CardShape::V0_3,
        warnings: faults.iter().map(CardProblem::from).collect(),
    })
}

fn unreadable(faults: &[Fault]) -> CardError {
    CardError::NotAnObject(crate::protojson::in_words(faults))
}
