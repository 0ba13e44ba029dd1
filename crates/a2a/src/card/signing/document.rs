//! Signing the document of a card, which may hold more than the card.

use serde_json::value::RawValue;

use super::canonical::{canonical, without_empties, without_signatures};
use super::{SigningError, SigningKey, add, sign_payloads};
use crate::card::read::{CardError, CardShape, read};
use crate::card::{AgentCard, AgentCardSignature};
use crate::model::Metadata;
use crate::protojson::read_str;

/// Signs the document of any card and returns it with the signatures added, in place of earlier ones by the
/// key of the same id. Every other member stays as it is written.
///
/// A card of 1.0, whatever it has for clients of 0.3, is signed [in its reduced form](AgentCard::sign). One
/// of 0.3 alone has no such form; it is signed as the document is, and without anything empty in it.
///
/// # Errors
///
/// [`SigningError`] when the document is no card, or the key does not sign.
pub fn sign_document(document: &[u8], key: &SigningKey) -> Result<Box<RawValue>, SigningError> {
    let shape = read(document).map_err(SigningError::NotACard)?.shape;
    let text = std::str::from_utf8(document)
        .map_err(|error| SigningError::NotACard(CardError::NotUtf8(error)))?;
    let text = text.trim_start_matches('\u{feff}');
    let (mut card, _) = read_str::<AgentCard>(text).map_err(|faults| {
        let words = crate::protojson::in_words(&faults);
        SigningError::NotACard(CardError::NotAnObject(words))
    })?;
    match shape {
        CardShape::V1_0 => card.sign(key)?,
        CardShape::V0_3 => add(&mut card, sign_0_3(text, key)?, key),
    }
    let signed = Metadata::new(&Signatures {
        signatures: &card.signatures,
    });
    let whole: Metadata = serde_json::from_str(text).map_err(SigningError::Unwritable)?;
    let whole = signed.map_or(whole.clone(), |signed| whole.merged(signed));
    Ok(whole.into_raw())
}

#[derive(serde::Serialize)]
struct Signatures<'a> {
    signatures: &'a [AgentCardSignature],
}

fn sign_0_3(text: &str, key: &SigningKey) -> Result<Vec<AgentCardSignature>, SigningError> {
    let card = serde_json::from_str(text).map_err(SigningError::Unwritable)?;
    let card = without_signatures(card);
    let whole = canonical(&card).map_err(SigningError::Unwritable)?;
    let cleaned = canonical(&without_empties(card).unwrap_or_default());
    sign_payloads(vec![whole, cleaned.map_err(SigningError::Unwritable)?], key)
}
