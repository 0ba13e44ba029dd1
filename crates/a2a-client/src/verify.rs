//! Whether a card is as its agent's owner signed it (A2A 1.0 §8.4).

use std::{collections::HashMap, fmt};

use a2a::card::signing::{
    SignatureHeader, Unverified, Verified, VerifyingKey, signature_headers, verify,
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
    keys: HashMap<String, VerifyingKey>,
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
        self.keys.insert(id.into(), key);
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
        let ids: Vec<&String> = self.keys.keys().collect();
        f.debug_struct("Trust")
            .field("keys", &ids)
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

impl Discovered {
    /// Verifies the signatures over the card as it was sent.
    ///
    /// # Errors
    /// [`VerifyError`]; that a trusted set of keys cannot be had is told only when no other key does.
    pub async fn verify(&self, egress: &Egress, trust: &Trust) -> Result<Verified, VerifyError> {
        let mut fetched = HashMap::new();
        let mut missing = None;
        for url in self.key_sets(trust) {
            match fetch(egress, &url).await {
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
            if let Some(key) = trust.keys.get(id) {
                return Some(key.clone());
            }
            let set = Url::parse(header.jku.as_ref()?).ok()?;
            fetched.get(&set)?.get(id).cloned()
        };
        verify(&self.raw, key).map_err(|error| missing.unwrap_or(VerifyError::Unverified(error)))
    }

    /// The trusted sets that the card's signatures name.
    fn key_sets(&self, trust: &Trust) -> Vec<Url> {
        let headers = signature_headers(&self.card).into_iter().flatten();
        let mut urls: Vec<Url> = headers
            .filter_map(|header| Url::parse(&header.jku?).ok())
            .filter(|url| trust.key_sets.contains(url))
            .collect();
        urls.sort();
        urls.dedup();
        urls.truncate(MOST_KEY_SETS);
        urls
    }
}

/// The keys of a set by their ids. One that cannot be read is left out, as another program may use it.
async fn fetch(egress: &Egress, url: &Url) -> Result<HashMap<String, VerifyingKey>, Error> {
    #[derive(Deserialize)]
    struct KeySet<'a> {
        #[serde(borrow)]
        keys: Vec<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Named {
        kid: String,
    }
    let request = egress.get(url.as_str()).body_limit(KEY_SET_LIMIT);
    let response = request.send().await?;
    if !response.status.is_success() {
        return Err(Error::HttpStatus {
            answer: Excerpt::of(&response),
        });
    }
    let set: KeySet<'_> =
        serde_json::from_slice(&response.body).map_err(|error| Error::BadAnswer {
            why: format!("no set of keys: {error}"),
            answer: Excerpt::of(&response),
        })?;
    let key = |text: &str| {
        let named: Named = serde_json::from_str(text).ok()?;
        Some((named.kid, VerifyingKey::from_jwk(text).ok()?))
    };
    Ok(set.keys.iter().filter_map(|jwk| key(jwk.get())).collect())
}
