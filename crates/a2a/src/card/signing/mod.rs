//! Signatures over cards (A2A 1.0 §8.4): JWS (RFC 7515) with the payload left out, over the canonical
//! JSON (RFC 8785) of the card.
//!
//! What is signed is the card in its reduced form: without `signatures`, without what is unset or is the
//! same as unset, and with what is required even if empty. That is the form in which [`AgentCard`] is
//! written, whatever a document has beside it, so that one signature holds for the card of 1.0 and for
//! [the card for both generations](AgentCard::in_both).
//!
//! Implementations differ in what they reduce, so [`verify()`] tries the forms that are in use. It asks its
//! caller for keys: whether a key is trusted, expired or revoked, and where `jku` leads, is not decided
//! here.

mod canonical;
mod document;
mod jwk;
mod key;
mod verify;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::{AgentCard, AgentCardSignature, CardError};
use canonical::{reduced, reduced_without_empties};

pub use document::sign_document;
pub use key::{KeyError, SigningAlgorithm, SigningKey, VerifyingKey};
pub use verify::{Refused, SignedForm, Unverified, Verified, signature_headers, verify};

/// The protected header of a signature, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignatureHeader {
    /// The algorithm, such as `ES256`.
    pub alg: String,
    /// `JOSE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typ: Option<String>,
    /// Which key signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// Where the set of keys lies; not to be fetched unless the address is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jku: Option<String>,
    /// Extensions of the header that a verifier must understand; there are none that this one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crit: Option<Vec<String>>,
}

/// A card could not be signed.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// The document is no card.
    #[error("the document is no card")]
    NotACard(#[source] CardError),
    /// The card cannot be written as JSON.
    #[error("the card cannot be written")]
    Unwritable(#[source] serde_json::Error),
    /// The key does not sign.
    #[error("the key does not sign")]
    Key(#[source] jsonwebtoken::errors::Error),
}

impl AgentCard {
    /// Signs the card, in place of earlier signatures by the key of the same id.
    ///
    /// A card whose reduced form has something empty in it, such as the scopes of a requirement, gets two
    /// signatures: one over that form, and one over the form without it, since the implementations in
    /// use drop what is empty before they verify.
    ///
    /// # Errors
    ///
    /// [`SigningError`] when the card cannot be written or the key does not sign.
    pub fn sign(&mut self, key: &SigningKey) -> Result<(), SigningError> {
        let mut payloads = vec![reduced(self).map_err(SigningError::Unwritable)?];
        payloads.push(reduced_without_empties(self).map_err(SigningError::Unwritable)?);
        let signatures = sign_payloads(payloads, key)?;
        add(self, signatures, key);
        Ok(())
    }
}

/// A signature over each of the payloads, or one if they are the same.
fn sign_payloads(
    mut payloads: Vec<Vec<u8>>,
    key: &SigningKey,
) -> Result<Vec<AgentCardSignature>, SigningError> {
    let header = SignatureHeader {
        alg: key.algorithm().name().to_owned(),
        typ: Some("JOSE".to_owned()),
        kid: Some(key.id().to_owned()),
        jku: key.jku().map(str::to_owned),
        crit: None,
    };
    let header = serde_json::to_vec(&header).map_err(SigningError::Unwritable)?;
    let protected = URL_SAFE_NO_PAD.encode(header);
    payloads.dedup();
    let sign = |payload: Vec<u8>| {
        let input = signing_input(&protected, &payload);
        let signature = key.sign(input.as_bytes()).map_err(SigningError::Key)?;
        Ok(AgentCardSignature {
            protected: protected.clone(),
            signature,
            header: None,
        })
    };
    payloads.into_iter().map(sign).collect()
}

/// Adds signatures in place of earlier ones by the key of the same id.
fn add(card: &mut AgentCard, signatures: Vec<AgentCardSignature>, key: &SigningKey) {
    let by_others = |known: &AgentCardSignature| {
        let header = verify::header(known).ok();
        header.and_then(|header| header.kid).as_deref() != Some(key.id())
    };
    card.signatures.retain(by_others);
    card.signatures.extend(signatures);
}

/// What is signed (RFC 7515 §5.1).
fn signing_input(protected: &str, payload: &[u8]) -> String {
    format!("{protected}.{}", URL_SAFE_NO_PAD.encode(payload))
}
