//! Credentials that are known beforehand.

use std::collections::HashMap;
use std::fmt;

use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};

use super::{Denied, Identity, Verifier};

/// API keys or opaque tokens, each by its SHA-256 digest: whoever reads the digests cannot call with them,
/// and how long a look-up takes tells nothing about a token.
///
/// A digest without salt is enough for tokens that are long and random, and for nothing else.
#[derive(Clone, Default)]
pub struct Tokens(HashMap<[u8; 32], Identity>);

impl Tokens {
    /// The same with another token.
    #[must_use]
    pub fn with_token(self, token: &str, identity: Identity) -> Self {
        self.with_digest(Sha256::digest(token).into(), identity)
    }

    /// The same with a token of which only the SHA-256 digest is known.
    #[must_use]
    pub fn with_digest(mut self, digest: [u8; 32], identity: Identity) -> Self {
        self.0.insert(digest, identity);
        self
    }
}

impl Verifier for Tokens {
    fn verify<'a>(&'a self, credential: &'a str) -> BoxFuture<'a, Result<Identity, Denied>> {
        let digest: [u8; 32] = Sha256::digest(credential).into();
        let found = self.0.get(&digest).cloned();
        let found = found.ok_or(Denied::Invalid("nobody has such a key or token"));
        Box::pin(std::future::ready(found))
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.0.len())
    }
}
