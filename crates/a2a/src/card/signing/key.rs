//! Keys that sign and verify.

use std::fmt;

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, crypto, errors};

/// How a card is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SigningAlgorithm {
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
}

impl SigningAlgorithm {
    /// The name in a header, such as `ES256` (RFC 7518 §3.1).
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Rs256 => "RS256",
        }
    }

    /// The algorithm of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "ES256" => Some(Self::Es256),
            "RS256" => Some(Self::Rs256),
            _ => None,
        }
    }

    fn of_library(self) -> Algorithm {
        match self {
            Self::Es256 => Algorithm::ES256,
            Self::Rs256 => Algorithm::RS256,
        }
    }
}

/// The text is no key, or not one for the algorithm.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Not a key in PEM of the kind that the algorithm needs.
    #[error("not a key for {algorithm} in PEM", algorithm = .algorithm.name())]
    Pem {
        /// The algorithm.
        algorithm: SigningAlgorithm,
        /// What is wrong.
        #[source]
        source: errors::Error,
    },
    /// Not a JSON Web Key (RFC 7517).
    #[error("not a JSON Web Key")]
    NotAJwk(#[source] serde_json::Error),
    /// A JSON Web Key of a kind that signs no cards here.
    #[error("the JSON Web Key is neither RSA nor of the curve P-256")]
    JwkKind,
    /// The members of a JSON Web Key are no key.
    #[error("the members of the JSON Web Key are no key")]
    Jwk(#[source] errors::Error),
    /// The members of a private JSON Web Key are no key, or do not belong together.
    #[error("the members of the JSON Web Key are no private key")]
    PrivateJwk,
}

/// A private key and what its signatures say about it.
#[derive(Clone)]
pub struct SigningKey {
    id: String,
    jku: Option<String>,
    algorithm: SigningAlgorithm,
    key: EncodingKey,
}

impl SigningKey {
    /// A private key in PEM: PKCS#8, or PKCS#1 for RSA. `id` becomes the header's `kid`.
    ///
    /// # Errors
    ///
    /// [`KeyError`] when it is no key for the algorithm.
    pub fn from_pem(
        id: impl Into<String>,
        algorithm: SigningAlgorithm,
        pem: &[u8],
    ) -> Result<Self, KeyError> {
        let key = match algorithm {
            SigningAlgorithm::Es256 => EncodingKey::from_ec_pem(pem),
            SigningAlgorithm::Rs256 => EncodingKey::from_rsa_pem(pem),
        };
        let key = key.map_err(|source| KeyError::Pem { algorithm, source })?;
        let key = Self::of(id, algorithm, key);
        // A key of another curve only shows when it signs.
        key.sign(b"")
            .map_err(|source| KeyError::Pem { algorithm, source })?;
        Ok(key)
    }

    /// A private JSON Web Key (RFC 7517): of the curve P-256, or RSA with its primes. `id` becomes the
    /// header's `kid`, whatever id the key has.
    ///
    /// # Errors
    ///
    /// [`KeyError`] when it is no private key, or of another kind.
    pub fn from_jwk(id: impl Into<String>, json: &str) -> Result<Self, KeyError> {
        let (algorithm, key) = super::jwk::read(json)?;
        let key = Self::of(id, algorithm, key);
        key.sign(b"").map_err(KeyError::Jwk)?;
        Ok(key)
    }

    fn of(id: impl Into<String>, algorithm: SigningAlgorithm, key: EncodingKey) -> Self {
        Self {
            id: id.into(),
            jku: None,
            algorithm,
            key,
        }
    }

    /// The same key, whose signatures say where its public half can be found.
    #[must_use]
    pub fn with_jku(mut self, url: impl Into<String>) -> Self {
        self.jku = Some(url.into());
        self
    }

    /// The key's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where the public half can be found.
    #[must_use]
    pub fn jku(&self) -> Option<&str> {
        self.jku.as_deref()
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> SigningAlgorithm {
        self.algorithm
    }

    /// The signature over `input`, base64url.
    pub(super) fn sign(&self, input: &[u8]) -> Result<String, errors::Error> {
        crypto::sign(input, &self.key, self.algorithm.of_library())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("id", &self.id)
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

/// A public key for one algorithm.
#[derive(Clone)]
pub struct VerifyingKey {
    algorithm: SigningAlgorithm,
    key: DecodingKey,
}

impl VerifyingKey {
    /// A public key in PEM.
    ///
    /// # Errors
    ///
    /// [`KeyError`] when it is no key for the algorithm.
    pub fn from_pem(algorithm: SigningAlgorithm, pem: &[u8]) -> Result<Self, KeyError> {
        let key = match algorithm {
            SigningAlgorithm::Es256 => DecodingKey::from_ec_pem(pem),
            SigningAlgorithm::Rs256 => DecodingKey::from_rsa_pem(pem),
        };
        let key = key.map_err(|source| KeyError::Pem { algorithm, source })?;
        Ok(Self { algorithm, key })
    }

    /// A JSON Web Key (RFC 7517), such as those of the set that `jku` leads to.
    ///
    /// # Errors
    ///
    /// [`KeyError`] when it is no key, or neither RSA nor of the curve P-256.
    pub fn from_jwk(json: &str) -> Result<Self, KeyError> {
        let jwk: Jwk = serde_json::from_str(json).map_err(KeyError::NotAJwk)?;
        let algorithm = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => SigningAlgorithm::Rs256,
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                SigningAlgorithm::Es256
            }
            _ => return Err(KeyError::JwkKind),
        };
        let key = DecodingKey::from_jwk(&jwk).map_err(KeyError::Jwk)?;
        Ok(Self { algorithm, key })
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> SigningAlgorithm {
        self.algorithm
    }

    /// Whether `signature` is one over `input`.
    pub(super) fn verifies(&self, signature: &str, input: &[u8]) -> bool {
        crypto::verify(signature, input, &self.key, self.algorithm.of_library()).unwrap_or(false)
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}
