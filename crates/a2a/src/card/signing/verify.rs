//! Whether a card is as it was signed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::canonical::{
    canonical, reduced, reduced_without_empties, without_empties, without_signatures,
};
use super::{SignatureHeader, SigningAlgorithm, VerifyingKey, signing_input};
use crate::card::{AgentCard, AgentCardSignature, CardError};
use crate::protojson::read_str;

/// A card that one signature at least is right for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The place of the signature in `signatures`.
    pub index: usize,
    /// Its header.
    pub header: SignatureHeader,
    /// What it is over.
    pub form: SignedForm,
}

/// Which form of a card a signature is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignedForm {
    /// The reduced form of A2A 1.0 §8.4.1.
    Reduced,
    /// The reduced form without anything empty in it.
    ReducedWithoutEmpties,
    /// The document as it is.
    Document,
    /// The document without anything empty in it.
    DocumentWithoutEmpties,
}

/// No signature of a card is right.
#[derive(Debug, thiserror::Error)]
pub enum Unverified {
    /// The document is no card.
    #[error("the document is no card")]
    NotACard(#[source] CardError),
    /// The card has no signature.
    #[error("the card has no signature")]
    NotSigned,
    /// Why each signature is not taken, in their order.
    #[error("no signature of the card is right: {}", in_words(.0))]
    Refused(Vec<Refused>),
}

/// Why a signature is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The protected header cannot be read.
    #[error("its header cannot be read")]
    Header,
    /// The header names extensions that must be understood.
    #[error("its header demands what is not known here")]
    Critical,
    /// Another algorithm than ES256 and RS256.
    #[error("its algorithm is neither ES256 nor RS256")]
    Algorithm,
    /// The caller has no key for the header.
    #[error("there is no key for it")]
    NoKey,
    /// The key is of another algorithm than the header says.
    #[error("its key is of another algorithm")]
    KeyOfOtherAlgorithm,
    /// The card was changed, or another key signed it.
    #[error("it is not over this card, or of another key")]
    Mismatch,
}

fn in_words(refused: &[Refused]) -> String {
    let words = refused
        .iter()
        .enumerate()
        .map(|(index, reason)| format!("of number {}, {reason}", index + 1));
    words.collect::<Vec<_>>().join("; ")
}

/// The headers of a card's signatures, for a caller who fetches keys before it verifies; `None` for one
/// that cannot be read.
#[must_use]
pub fn signature_headers(card: &AgentCard) -> Vec<Option<SignatureHeader>> {
    let signatures = card.signatures.iter();
    signatures.map(|signature| header(signature).ok()).collect()
}

/// Verifies the document of a card as it was received. `key` gives the key for a header, when there is one
/// that is trusted and neither expired nor revoked.
///
/// # Errors
///
/// [`Unverified`] when the document is no card, has no signature, or none is right.
pub fn verify(
    document: &[u8],
    mut key: impl FnMut(&SignatureHeader) -> Option<VerifyingKey>,
) -> Result<Verified, Unverified> {
    let text = std::str::from_utf8(document)
        .map_err(|error| Unverified::NotACard(CardError::NotUtf8(error)))?;
    let not_a_card = |words: String| Unverified::NotACard(CardError::NotAnObject(words));
    let (card, _) = read_str::<AgentCard>(text)
        .map_err(|faults| not_a_card(crate::protojson::in_words(&faults)))?;
    if card.signatures.is_empty() {
        return Err(Unverified::NotSigned);
    }
    let payloads = payloads(&card, text);
    let mut refused = Vec::new();
    for (index, signature) in card.signatures.iter().enumerate() {
        match check(signature, &payloads, &mut key) {
            Ok((header, form)) => {
                return Ok(Verified {
                    index,
                    header,
                    form,
                });
            }
            Err(reason) => refused.push(reason),
        }
    }
    Err(Unverified::Refused(refused))
}

/// The forms of a card that implementations sign. One that cannot be made is left out.
fn payloads(card: &AgentCard, text: &str) -> Vec<(SignedForm, Vec<u8>)> {
    let document = serde_json::from_str(text).map(without_signatures).ok();
    let cleaned = |card: Option<Value>| canonical(&card.and_then(without_empties)?).ok();
    let forms = [
        (SignedForm::Reduced, reduced(card).ok()),
        (
            SignedForm::ReducedWithoutEmpties,
            reduced_without_empties(card).ok(),
        ),
        (
            SignedForm::Document,
            document.as_ref().and_then(|card| canonical(card).ok()),
        ),
        (SignedForm::DocumentWithoutEmpties, cleaned(document)),
    ];
    let forms = forms.into_iter();
    forms
        .filter_map(|(form, payload)| Some((form, payload?)))
        .collect()
}

fn check(
    signature: &AgentCardSignature,
    payloads: &[(SignedForm, Vec<u8>)],
    key: &mut impl FnMut(&SignatureHeader) -> Option<VerifyingKey>,
) -> Result<(SignatureHeader, SignedForm), Refused> {
    let header = header(signature)?;
    if header.crit.is_some() {
        return Err(Refused::Critical);
    }
    let algorithm = SigningAlgorithm::from_name(&header.alg).ok_or(Refused::Algorithm)?;
    let key = key(&header).ok_or(Refused::NoKey)?;
    if key.algorithm() != algorithm {
        return Err(Refused::KeyOfOtherAlgorithm);
    }
    let right = payloads.iter().find(|(_, payload)| {
        let input = signing_input(&signature.protected, payload);
        key.verifies(&signature.signature, input.as_bytes())
    });
    let (form, _) = right.ok_or(Refused::Mismatch)?;
    Ok((header, *form))
}

pub(super) fn header(signature: &AgentCardSignature) -> Result<SignatureHeader, Refused> {
    let bytes = URL_SAFE_NO_PAD
        .decode(&signature.protected)
        .map_err(|_| Refused::Header)?;
    serde_json::from_slice(&bytes).map_err(|_| Refused::Header)
}
