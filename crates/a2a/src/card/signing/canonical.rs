//! The bytes that a signature is over.

use serde_json::{Map, Value};

use crate::card::AgentCard;

/// The card's reduced form, in canonical JSON.
pub(super) fn reduced(card: &AgentCard) -> Result<Vec<u8>, serde_json::Error> {
    canonical(&without_signatures(serde_json::to_value(card)?))
}

/// The card's reduced form without anything empty in it, in canonical JSON.
pub(super) fn reduced_without_empties(card: &AgentCard) -> Result<Vec<u8>, serde_json::Error> {
    let card = without_signatures(serde_json::to_value(card)?);
    canonical(&without_empties(card).unwrap_or_default())
}

/// Canonical JSON (RFC 8785).
pub(super) fn canonical(value: &Value) -> Result<Vec<u8>, serde_json::Error> {
    serde_json_canonicalizer::to_vec(value)
}

pub(super) fn without_signatures(mut card: Value) -> Value {
    if let Value::Object(members) = &mut card {
        members.remove("signatures");
    }
    card
}

/// The value without anything empty in it: some implementations drop empty strings, lists and objects
/// at every level before they sign.
pub(super) fn without_empties(value: Value) -> Option<Value> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::Null => None,
        Value::Array(elements) => {
            let elements: Vec<Value> = elements.into_iter().filter_map(without_empties).collect();
            (!elements.is_empty()).then_some(Value::Array(elements))
        }
        Value::Object(members) => {
            let kept = members
                .into_iter()
                .filter_map(|(name, value)| Some((name, without_empties(value)?)));
            let kept: Map<String, Value> = kept.collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        other => Some(other),
    }
}
