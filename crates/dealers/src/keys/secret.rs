//! A key as its holder has it.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use crate::DealerId;

/// Begins every key, so that a leaked one is recognised for what it is.
const PREFIX: &str = "forecourt";
/// Characters of 256 bits in base64 without padding.
const RANDOM_LENGTH: usize = 43;

/// A key as its holder has it: `forecourt.{dealer}.` and 256 random bits in base64url. Only made of
/// characters that a bearer token may have (RFC 6750 §2.1). It does not show in debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    dealer: DealerId,
    text: String,
}

impl Secret {
    /// The key of a dealer with these random bits.
    #[must_use]
    pub fn new(dealer: DealerId, random: [u8; 32]) -> Self {
        let text = format!("{PREFIX}.{dealer}.{}", URL_SAFE_NO_PAD.encode(random));
        Self { dealer, text }
    }

    /// Reads a key; `None` when the text has not the form of one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (prefix, dealer, random) = (parts.next()?, parts.next()?, parts.next()?);
        let whole = parts.next().is_none() && prefix == PREFIX && random.len() == RANDOM_LENGTH;
        whole.then_some(())?;
        Some(Self {
            dealer: dealer.parse().ok()?,
            text: text.to_owned(),
        })
    }

    /// Whose key it says it is.
    #[must_use]
    pub fn dealer(&self) -> &DealerId {
        &self.dealer
    }

    /// The text that the holder keeps. It belongs on a screen once, and into no log.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// What is kept of it.
    pub(super) fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.text).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({PREFIX}.{}.…)", self.dealer)
    }
}
