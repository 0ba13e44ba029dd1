//! Whether a card is as its agent's owner signed it (A2A 1.0 §8.4).

use std::{collections::HashMap, fmt};

use a2a::card::{
    self,
    signing::{self, SignatureHeader, Unverified, Verified, VerifyingKey, signature_headers},
};
use egress::Egress;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use crate::{
    discover::Discovered,
    error::{Error, Excerpt},
};

/// Most bytes of a set of keys.
const KEY_SET_LIMIT: usize = 1024 * 1024;
/// Most sets of keys that are fetched for one card.
const MOST_KEY_SETS: usize = 4;

/// Which keys a card may be signed with. Without any, no signature is right: that a card is signed by a
/// key that the card itself names proves nothing.
#[derive(Clone, Default)]
pub struct Trust {
    keys: KeySet,
    key_sets: Vec<Url>,
}

impl Trust {
    /// Trusts no key.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts a key that is at hand, by the id that signatures name it with.
    #[must_use]
    pub fn with_key(mut self, id: impl Into<String>, key: VerifyingKey) -> Self {
        self.keys.0.insert(id.into(), key);
        self
    }

    /// Trusts the keys of a set that is at hand, whatever `jku` signatures name.
    #[must_use]
    pub fn with_keys(mut self, keys: KeySet) -> Self {
        self.keys.0.extend(keys.0);
        self
    }

    /// Trusts the keys of a set (RFC 7517 §5), which is fetched where a signature's `jku` is this very
    /// address. Other addresses are never fetched.
    #[must_use]
    pub fn with_key_set(mut self, url: Url) -> Self {
        self.key_sets.push(url);
        self
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust")
            .field("keys", &self.keys)
            .field("key_sets", &self.key_sets)
            .finish()
    }
}

/// Why a card is not verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// No signature is right.
    #[error(transparent)]
    Unverified(#[from] Unverified),
    /// A set of trusted keys cannot be had.
    #[error("the keys at {url} cannot be had")]
    KeySet {
        /// Where it should be.
        url: Url,
        /// Why.
        source: Box<Error>,
    },
}

/// Public keys by the ids that signatures name them with.
#[derive(Clone, Default)]
pub struct KeySet(HashMap<String, VerifyingKey>);

impl KeySet {
    /// Reads a set of JSON Web Keys (RFC 7517 §5), or a single one. A key that has no id or cannot verify
    /// the signature of a card is left out, as another program may use it.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn read(json: &[u8]) -> Result<Self, NotAKeySet> {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow)]
            keys: Option<Vec<&'a RawValue>>,
            kty: Option<&'a RawValue>,
        }
        #[derive(Deserialize)]
        struct Named {
            kid: String,
        }
        let whole: &RawValue = serde_json::from_slice(json).map_err(NotAKeySet::NotJson)?;
        let members: Members<'_> =
            serde_json::from_str(whole.get()).map_err(NotAKeySet::NotJson)?;
        let keys = match members {
            Members {
                keys: Some(keys), ..
            } => keys,
            Members { kty: Some(_), .. } => vec![whole],
            _ => return Err(NotAKeySet::NoKeys),
        };
        let key = |text: &str| {
            let named: Named = serde_json::from_str(text).ok()?;
            Some((named.kid, VerifyingKey::from_jwk(text).ok()?))
        };
        Ok(Self(keys.iter().filter_map(|jwk| key(jwk.get())).collect()))
    }

    /// Fetches a set of keys.
    ///
    /// # Errors
    /// [`Error::Network`], [`Error::HttpStatus`], or [`Error::BadAnswer`] for what is no set of keys.
    pub async fn fetch(egress: &Egress, url: &Url) -> Result<Self, Error> {
        let request = egress.get(url.as_str()).body_limit(KEY_SET_LIMIT);
        let response = request.send().await?;
        if !response.status.is_success() {
            return Err(Error::HttpStatus {
                answer: Excerpt::of(&response),
            });
        }
        Self::read(&response.body).map_err(|error| Error::BadAnswer {
            why: error.to_string(),
            answer: Excerpt::of(&response),
        })
    }

    /// The ids of the keys, in their order.
    #[must_use]
    pub fn ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = self.0.keys().map(String::as_str).collect();
        ids.sort_unstable();
        ids
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeySet").field(&self.ids()).finish()
    }
}

/// The text is no set of keys.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotAKeySet {
    /// It is not JSON of the right form.
    #[error("no set of keys: {0}")]
    NotJson(serde_json::Error),
    /// It is an object of something else.
    #[error("no set of keys: it has neither keys nor kty")]
    NoKeys,
}

impl Discovered {
    /// Verifies the signatures over the card as it was sent.
    ///
    /// # Errors
    /// As [`verify()`].
    pub async fn verify(&self, egress: &Egress, trust: &Trust) -> Result<Verified, VerifyError> {
        verify(&self.raw, egress, trust).await
    }
}

/// Verifies the signatures over the document of a card.
///
/// # Errors
/// [`VerifyError`]; that a trusted set of keys cannot be had is told only when no other key does.
pub async fn verify(
    document: &[u8],
    egress: &Egress,
    trust: &Trust,
) -> Result<Verified, VerifyError> {
    let mut fetched = HashMap::new();
    let mut missing = None;
    for url in key_sets(document, trust)? {
        match KeySet::fetch(egress, &url).await {
            Ok(keys) => {
                fetched.insert(url, keys);
            }
            Err(source) => {
                let source = Box::new(source);
                missing = Some(VerifyError::KeySet { url, source });
            }
        }
    }
    let key = |header: &SignatureHeader| {
        let id = header.kid.as_ref()?;
        if let Some(key) = trust.keys.0.get(id) {
            return Some(key.clone());
        }
        let set = Url::parse(header.jku.as_ref()?).ok()?;
        fetched.get(&set)?.0.get(id).cloned()
    };
    signing::verify(document, key)
        .map_err(|error| missing.unwrap_or(VerifyError::Unverified(error)))
}

/// The trusted sets that the card's signatures name.
fn key_sets(document: &[u8], trust: &Trust) -> Result<Vec<Url>, Unverified> {
    let card = card::read(document).map_err(Unverified::NotACard)?.card;
    let headers = signature_headers(&card).into_iter().flatten();
    let mut urls: Vec<Url> = headers
        .filter_map(|header| Url::parse(&header.jku?).ok())
        .filter(|url| trust.key_sets.contains(url))
        .collect();
    urls.sort();
    urls.dedup();
    urls.truncate(MOST_KEY_SETS);
    Ok(urls)
}
