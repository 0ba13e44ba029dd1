//! Who calls: credentials checked as the agent's card says (A2A 1.0 §7).
//!
//! [`Authentication::of_card`] takes from the card where the credentials of each security scheme are and
//! which schemes a caller must use; a [`Verifier`] for each scheme says whose they are. Three come along:
//! [`Tokens`] for API keys and opaque bearer tokens that are known beforehand, [`Jwt`] for tokens that an
//! issuer has signed, whose [`IssuerKeys`] are fetched, and [`Introspection`] for tokens that only their
//! issuer can read. A [`Guard`](crate::Guard) has every request checked before its body is read.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use a2a::card::{AgentCard, ApiKeySecurityScheme, Scopes, SecurityRequirement, SecurityScheme};
//! use a2a_server::Guard;
//! use a2a_server::auth::{Authentication, Identity, Tokens, Verifier};
//!
//! let mut card = AgentCard::default();
//! let scheme = SecurityScheme::ApiKey(ApiKeySecurityScheme {
//!     location: "header".to_owned(),
//!     name: "X-API-Key".to_owned(),
//!     ..ApiKeySecurityScheme::default()
//! });
//! card.security_schemes.insert("key".to_owned(), scheme);
//! let schemes = BTreeMap::from([("key".to_owned(), Scopes::default())]);
//! card.security_requirements.push(SecurityRequirement { schemes });
//!
//! let keys = Tokens::default().with_token("kept-secret", Identity::new("north-lot"));
//! let verifiers = BTreeMap::from([("key".to_owned(), Arc::new(keys) as Arc<dyn Verifier>)]);
//! let authentication = Authentication::of_card(&card, &verifiers).unwrap();
//! let guard = Guard::default().authenticating(authentication);
//! ```

mod claims;
mod credential;
mod introspection;
mod issuer;
mod jwt;
mod tokens;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use a2a::card::AgentCard;
use a2a::error::{Error, ErrorKind};
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderValue, header};

use crate::guard::Refusal;
use crate::{BoxError, correlation_id};

use credential::{Denial, Place};

pub use introspection::{Introspection, IntrospectionSettings};
pub use issuer::{IssuerError, IssuerKeys, IssuerSettings};
pub use jwt::{Jwt, KeySet, KeySetError, KeySource, NotAnAlgorithm};
pub use tokens::Tokens;

/// Says whose a credential is.
pub trait Verifier: fmt::Debug + Send + Sync {
    /// Whose credential it is: an API key, or what stands behind the name of the scheme in an
    /// `Authorization` header.
    fn verify<'a>(&'a self, credential: &'a str) -> BoxFuture<'a, Result<Identity, Denied>>;
}

/// Whose a credential is, and what it allows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// A name that no other holder of credentials of the same scheme has.
    pub name: String,
    /// The scopes that were granted.
    pub scopes: Vec<String>,
}

impl Identity {
    /// Somebody without scopes.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            scopes: Vec::new(),
        }
    }

    /// The same with scopes.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }
}

/// Why a credential proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum Denied {
    /// It is not good. The words are told to the caller.
    #[error("the credentials are not accepted: {0}")]
    Invalid(&'static str),
    /// It cannot be checked at the moment.
    #[error("the credentials cannot be checked at the moment")]
    Unavailable(#[source] BoxError),
}

/// The security of a card, ready to check requests.
#[derive(Debug)]
pub struct Authentication {
    schemes: Vec<Scheme>,
    /// Any one of them suffices.
    alternatives: Vec<Vec<Demand>>,
    /// Whether the card lets callers in who prove nothing.
    anonymous: bool,
}

#[derive(Debug)]
struct Scheme {
    name: String,
    place: Place,
    verifier: Arc<dyn Verifier>,
}

/// One scheme that an alternative needs, by its place among the schemes.
#[derive(Debug)]
struct Demand {
    scheme: usize,
    scopes: Vec<String>,
}

/// Why the security of a card cannot be checked; every fault of it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the card's security cannot be checked: {}", in_words(.0))]
pub struct Uncheckable(pub Vec<SchemeFault>);

/// What is wrong with one scheme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemeFault {
    /// A requirement names a scheme that `securitySchemes` lacks.
    #[error("securityRequirements names {0:?}, which securitySchemes lacks")]
    NotDeclared(String),
    /// Nobody checks the credentials of the scheme.
    #[error("there is no verifier for {0:?}")]
    NoVerifier(String),
    /// The scheme cannot be checked in a request.
    #[error("{0:?} {1}")]
    Unsupported(String, &'static str),
}

fn in_words(faults: &[SchemeFault]) -> String {
    let words: Vec<String> = faults.iter().map(ToString::to_string).collect();
    words.join("; ")
}

impl Authentication {
    /// What `securitySchemes` and `securityRequirements` of a card demand. `verifiers` has one for each
    /// scheme that a requirement names. A card without requirements lets everybody in; the requirements of
    /// single skills are left to the agent, since no request names a skill.
    ///
    /// # Errors
    /// [`Uncheckable`] with everything that stands in the way.
    pub fn of_card(
        card: &AgentCard,
        verifiers: &BTreeMap<String, Arc<dyn Verifier>>,
    ) -> Result<Self, Uncheckable> {
        let mut authentication = Self {
            schemes: Vec::new(),
            alternatives: Vec::new(),
            anonymous: card.security_requirements.is_empty(),
        };
        let mut faults = Vec::new();
        for requirement in &card.security_requirements {
            let mut demands = Vec::new();
            for (name, scopes) in &requirement.schemes {
                match authentication.scheme(name, card, verifiers) {
                    Ok(scheme) => demands.push(Demand {
                        scheme,
                        scopes: scopes.0.clone(),
                    }),
                    Err(fault) if faults.contains(&fault) => {}
                    Err(fault) => faults.push(fault),
                }
            }
            authentication.anonymous |= requirement.schemes.is_empty();
            if !demands.is_empty() {
                authentication.alternatives.push(demands);
            }
        }
        if faults.is_empty() {
            Ok(authentication)
        } else {
            Err(Uncheckable(faults))
        }
    }

    /// The place of a scheme among those that are checked.
    fn scheme(
        &mut self,
        name: &str,
        card: &AgentCard,
        verifiers: &BTreeMap<String, Arc<dyn Verifier>>,
    ) -> Result<usize, SchemeFault> {
        if let Some(known) = self.schemes.iter().position(|it| it.name == name) {
            return Ok(known);
        }
        let declared = card.security_schemes.get(name);
        let declared = declared.ok_or_else(|| SchemeFault::NotDeclared(name.to_owned()))?;
        let place = Place::of(declared)
            .map_err(|words| SchemeFault::Unsupported(name.to_owned(), words))?;
        let verifier = verifiers.get(name);
        let verifier = verifier.ok_or_else(|| SchemeFault::NoVerifier(name.to_owned()))?;
        self.schemes.push(Scheme {
            name: name.to_owned(),
            place,
            verifier: Arc::clone(verifier),
        });
        Ok(self.schemes.len() - 1)
    }

    /// Who calls; `None` for somebody who proves nothing where that is allowed. A credential that is not
    /// good is refused even there: its sender would look for tasks that an anonymous caller cannot see.
    pub(crate) async fn caller(
        &self,
        headers: &HeaderMap,
        query: Option<&str>,
    ) -> Result<Option<Identity>, Refusal> {
        let mut identities: Vec<Option<Identity>> = Vec::with_capacity(self.schemes.len());
        let mut denied = None;
        for scheme in &self.schemes {
            let identity = match scheme.place.find(headers, query) {
                None => None,
                Some(credential) => match scheme.verifier.verify(&credential).await {
                    Ok(identity) => Some(identity),
                    Err(reason) => {
                        denied = Some(reason);
                        None
                    }
                },
            };
            identities.push(identity);
        }
        let mut lacking = None;
        for alternative in &self.alternatives {
            match self.standing(alternative, &identities) {
                Standing::Proven(caller) => return Ok(Some(caller)),
                Standing::Lacks(scopes) => lacking = Some(scopes),
                Standing::Unproven => {}
            }
        }
        match (lacking, denied) {
            (Some(scopes), _) => Err(self.forbidden(&scopes)),
            (None, Some(Denied::Unavailable(cause))) => Err(unavailable(&*cause)),
            (None, Some(denied @ Denied::Invalid(_))) => {
                let error = Error::new(ErrorKind::Unauthenticated, denied.to_string());
                Err(self.refusal(error, Some(Denial::InvalidToken)))
            }
            (None, None) if self.anonymous => Ok(None),
            (None, None) => Err(self.refusal(Error::unauthenticated(), None)),
        }
    }

    fn standing(&self, alternative: &[Demand], identities: &[Option<Identity>]) -> Standing {
        let mut names = Vec::new();
        let mut granted = Vec::new();
        let mut lacking: Vec<String> = Vec::new();
        for demand in alternative {
            let Some(identity) = identities.get(demand.scheme).and_then(Option::as_ref) else {
                return Standing::Unproven;
            };
            let missing = demand.scopes.iter();
            let missing = missing.filter(|scope| !identity.scopes.contains(scope));
            lacking.extend(missing.cloned());
            let scheme = &self.schemes[demand.scheme].name;
            names.push(format!("{scheme}:{}", identity.name));
            granted.extend(identity.scopes.iter().cloned());
        }
        if lacking.is_empty() {
            Standing::Proven(Identity::new(names.join(" ")).with_scopes(granted))
        } else {
            Standing::Lacks(lacking)
        }
    }

    fn forbidden(&self, scopes: &[String]) -> Refusal {
        let message = format!("the credentials lack scopes: {}", scopes.join(", "));
        let error = Error::new(ErrorKind::PermissionDenied, message);
        self.refusal(error, Some(Denial::InsufficientScope(scopes)))
    }

    fn refusal(&self, error: Error, denial: Option<Denial<'_>>) -> Refusal {
        let challenges = self.challenges(denial).into_iter();
        Refusal {
            error,
            headers: challenges
                .map(|challenge| (header::WWW_AUTHENTICATE, challenge))
                .collect(),
        }
    }

    /// How to authenticate, as `WWW-Authenticate` has it: one challenge for each kind of credential.
    pub(crate) fn challenges(&self, denial: Option<Denial<'_>>) -> Vec<HeaderValue> {
        let mut challenges: Vec<HeaderValue> = Vec::new();
        for scheme in &self.schemes {
            let challenge = scheme.place.challenge(denial);
            if !challenges.contains(&challenge) {
                challenges.push(challenge);
            }
        }
        challenges
    }
}

/// How a request stands to one alternative.
enum Standing {
    /// It proves that it is by this caller.
    Proven(Identity),
    /// It proves who calls, who lacks these scopes.
    Lacks(Vec<String>),
    Unproven,
}

fn unavailable(cause: &(dyn std::error::Error + 'static)) -> Refusal {
    let correlation = correlation_id();
    tracing::error!(correlation, cause, "credentials cannot be checked");
    let message =
        format!("the credentials cannot be checked at the moment; it is logged as {correlation}");
    Refusal {
        error: Error::new(ErrorKind::Unavailable, message),
        headers: vec![(header::RETRY_AFTER, HeaderValue::from_static("10"))],
    }
}
