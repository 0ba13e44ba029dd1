//! Tokens that an issuer has signed (RFC 7519, RFC 9068).

use std::fmt;
use std::sync::Arc;

use a2a::model::Timestamp;
use futures_util::future::BoxFuture;
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;

use super::claims::{Scopes, Validity};
use super::{Denied, Identity, Verifier};
use crate::BoxError;

/// The algorithms that are accepted: everything that needs a key of which only a part is public.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
];

/// Where an issuer's keys come from: [`IssuerKeys`](super::IssuerKeys) fetches them from the issuer, a
/// [`KeySet`] is there beforehand.
pub trait KeySource: fmt::Debug + Send + Sync {
    /// The issuer's keys, among which the one of this id should be: a source that has not got it may look
    /// for newer ones, as seldom as it sees fit.
    fn keys<'a>(&'a self, id: Option<&'a str>) -> BoxFuture<'a, Result<KeySet, BoxError>>;
}

/// A name that stands for no signature with a public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no algorithm that tokens may be signed with, such as ES256 or RS256")]
pub struct NotAnAlgorithm(pub String);

/// The public keys of an issuer. Cheap to clone.
#[derive(Clone)]
pub struct KeySet(Arc<[PublicKey]>);

struct PublicKey {
    id: Option<String>,
    /// Where the set says so.
    algorithm: Option<Algorithm>,
    key: DecodingKey,
}

/// A document is no set of keys.
#[derive(Debug, thiserror::Error)]
#[error("the document is no JSON Web Key Set")]
pub struct KeySetError(#[source] serde_json::Error);

impl KeySet {
    /// The keys of a JSON Web Key Set (RFC 7517 §5) that tokens may be signed with. Keys of other kinds and
    /// uses are left out, shared secrets among them.
    ///
    /// # Errors
    /// [`KeySetError`] when it is none.
    pub fn from_json(json: &[u8]) -> Result<Self, KeySetError> {
        let set: Set = serde_json::from_slice(json).map_err(KeySetError)?;
        let keys = set.keys.into_iter();
        let keys = keys.filter_map(|key| serde_json::from_value(key).ok());
        Ok(Self(keys.filter_map(|key| PublicKey::new(&key)).collect()))
    }

    /// Whether the key of an id may be among them.
    pub(super) fn has(&self, id: Option<&str>) -> bool {
        let is_it = |key: &PublicKey| key.id.is_none() || key.id.as_deref() == id;
        id.is_none() || self.0.iter().any(is_it)
    }

    /// The keys that a token of this header may be signed with.
    fn candidates(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> impl Iterator<Item = &PublicKey> {
        self.0.iter().filter(move |key| {
            let fits = key.key.family().algorithms().contains(&algorithm)
                && key.algorithm.is_none_or(|it| it == algorithm);
            fits && (id.is_none() || key.id.is_none() || key.id.as_deref() == id)
        })
    }
}

/// A set whose keys are read one by one, since one that is not understood is to be ignored (RFC 7517 §5).
#[derive(Deserialize)]
struct Set {
    keys: Vec<serde_json::Value>,
}

impl PublicKey {
    fn new(jwk: &Jwk) -> Option<Self> {
        let common = &jwk.common;
        let signs = matches!(common.public_key_use, None | Some(PublicKeyUse::Signature));
        let key = DecodingKey::from_jwk(jwk).ok().filter(|_| signs)?;
        let algorithm = common.key_algorithm.map(|it| it.to_string().parse());
        Some(Self {
            id: common.key_id.clone(),
            algorithm: algorithm.transpose().ok()?,
            key,
        })
        .filter(|it| it.key.family() != AlgorithmFamily::Hmac)
    }
}

impl KeySource for KeySet {
    fn keys<'a>(&'a self, _id: Option<&'a str>) -> BoxFuture<'a, Result<KeySet, BoxError>> {
        Box::pin(std::future::ready(Ok(self.clone())))
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = self.0.iter().map(|key| key.id.as_deref().unwrap_or("?"));
        f.debug_list().entries(ids).finish()
    }
}

/// Verifies the tokens of one issuer for one audience. A caller's name is the token's `sub`, its scopes are
/// those of `scope` or `scp`. Tokens without `exp`, `iss`, `aud` or `sub` are not accepted, and neither are
/// those with an algorithm of shared secrets or without a signature.
pub struct Jwt {
    keys: Arc<dyn KeySource>,
    issuer: String,
    audience: String,
    algorithms: Vec<Algorithm>,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
}

impl Jwt {
    /// Verifies tokens by `keys`; `clock` tells the time.
    #[must_use]
    pub fn new(
        keys: Arc<dyn KeySource>,
        issuer: impl Into<String>,
        audience: impl Into<String>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            keys,
            issuer: issuer.into(),
            audience: audience.into(),
            algorithms: ALGORITHMS.into(),
            clock: Box::new(clock),
        }
    }

    /// The same, which accepts only some of the algorithms (RFC 8725 §3.1), by their names of RFC 7518 §3.1:
    /// `ES256`.
    ///
    /// # Errors
    /// [`NotAnAlgorithm`] for a name that stands for no signature with a public key.
    pub fn with_algorithms<'a>(
        mut self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, NotAnAlgorithm> {
        let algorithm = |name: &'a str| {
            let named = name.parse().ok();
            let accepted = named.filter(|it| ALGORITHMS.contains(it));
            accepted.ok_or_else(|| NotAnAlgorithm(name.to_owned()))
        };
        self.algorithms = names.into_iter().map(algorithm).collect::<Result<_, _>>()?;
        Ok(self)
    }

    async fn identity(&self, token: &str) -> Result<Identity, Denied> {
        let header = decode_header(token).map_err(|_| Denied::Invalid("it is no signed token"))?;
        if header.crit.is_some() {
            return Err(Denied::Invalid("its header demands what is not known here"));
        }
        if !self.algorithms.contains(&header.alg) {
            return Err(Denied::Invalid(
                "it is signed with an algorithm that is not accepted",
            ));
        }
        let keys = self.keys.keys(header.kid.as_deref()).await;
        let keys = keys.map_err(Denied::Unavailable)?;
        let mut validation = Validation::new(header.alg);
        // The time is judged below, by the clock that this verifier was given.
        validation.validate_exp = false;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let mut reason = "it is signed with a key that its issuer does not have";
        for candidate in keys.candidates(header.kid.as_deref(), header.alg) {
            match decode::<Claims>(token, &candidate.key, &validation) {
                Ok(token) => return self.in_time(token.claims),
                Err(error) => reason = told(&error),
            }
        }
        Err(Denied::Invalid(reason))
    }

    fn in_time(&self, claims: Claims) -> Result<Identity, Denied> {
        let judged = claims.validity.check((self.clock)());
        judged.map_err(Denied::Invalid)?;
        let mut scopes = claims.scope.map_or_else(Vec::new, Scopes::list);
        scopes.extend(claims.scp.map_or_else(Vec::new, Scopes::list));
        Ok(Identity::new(claims.sub).with_scopes(scopes))
    }
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    #[serde(flatten)]
    validity: Validity,
    scope: Option<Scopes>,
    /// What some issuers call it.
    scp: Option<Scopes>,
}

fn told(error: &jsonwebtoken::errors::Error) -> &'static str {
    use jsonwebtoken::errors::ErrorKind;
    match error.kind() {
        ErrorKind::InvalidIssuer => "the token is of another issuer",
        ErrorKind::InvalidAudience => "the token is for another audience",
        ErrorKind::MissingRequiredClaim(_) => "the token lacks exp, iss, aud or sub",
        ErrorKind::InvalidSignature => "the token's signature is wrong",
        _ => "the token cannot be read",
    }
}

impl Verifier for Jwt {
    fn verify<'a>(&'a self, credential: &'a str) -> BoxFuture<'a, Result<Identity, Denied>> {
        Box::pin(self.identity(credential))
    }
}

impl fmt::Debug for Jwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jwt")
            .field("keys", &self.keys)
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}
