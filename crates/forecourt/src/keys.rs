//! Who may use the dealer's API: a request's bearer key, judged against the keys of the database.
//!
//! ```
//! use axum::{http::{HeaderMap, StatusCode, header}, response::IntoResponse};
//! use dealers::keys::{NewKey, Scope, Secret};
//! use store::{Clock, Store};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Store::temporary(&[dealers::keys::MIGRATIONS], Clock::system())?;
//! let secret = Secret::new("demo-motors".parse()?, [7; 32]);
//! let key = NewKey { name: "vendor".into(), scopes: [Scope::Feeds].into(), expires_at: None };
//! let (kept, now) = (secret.clone(), store.clock().now());
//! store.write(move |conn| dealers::keys::create(conn, &kept, &key, now)).await?;
//!
//! let mut headers = HeaderMap::new();
//! headers.insert(header::AUTHORIZATION, format!("Bearer {}", secret.expose()).parse()?);
//! let grant = forecourt::keys::authorise(&store, &headers, None, Scope::Feeds).await.unwrap();
//! assert_eq!(grant.dealer.as_str(), "demo-motors");
//! let denied = forecourt::keys::authorise(&store, &headers, None, Scope::Leads).await.unwrap_err();
//! assert_eq!(denied.into_response().status(), StatusCode::FORBIDDEN);
//! # Ok(())
//! # }
//! ```

use a2a_server::bearer;
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use dealers::{
    DealerId,
    keys::{self, Key, KeyState, Scope, Secret},
};
use store::{Claim, Store};

use crate::{agent::PATIENCE, problem};

/// A key of ours for somebody else's server, as `Authorization` carries it (RFC 6750 §2.1); none where it is
/// empty or has characters that no header has. White space around it, such as the line end of a file, does not
/// count.
pub(crate) fn as_bearer(key: &str) -> Option<HeaderValue> {
    let key = Some(key.trim()).filter(|key| !key.is_empty())?;
    let mut value = HeaderValue::try_from(format!("Bearer {key}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// What an accepted key stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grant {
    /// Whose data the request may touch.
    pub dealer: DealerId,
    /// Name of the key, which may stand in a log.
    pub key: String,
}

/// Why a request is turned away.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Denied {
    /// It carries no key.
    #[error("send a key as `Authorization: Bearer KEY`; `forecourt key create` makes one")]
    Missing,
    /// It carries a text that opens nothing: no key, an expired one or a revoked one. Which of them
    /// is for the log.
    #[error("the key opens nothing here; it may be mistyped, expired or revoked")]
    Refused,
    /// The key is for another dealer.
    #[error("the key is another dealer's or catalog's")]
    OtherDealer,
    /// The key is for other work.
    #[error("the key has not the scope {0}")]
    Scope(Scope),
    /// The keys cannot be read at the moment.
    #[error("keys cannot be checked at the moment; try again")]
    Unavailable,
}

/// Judges a request by its `Authorization: Bearer` header (RFC 6750). `dealer` is whom the request
/// names by host or path; where it names none, the key's own dealer is meant.
///
/// # Errors
/// [`Denied`], which is an HTTP response: problem JSON (RFC 9457) with status 401, 403 or 503.
pub async fn authorise(
    store: &Store,
    headers: &HeaderMap,
    dealer: Option<&DealerId>,
    scope: Scope,
) -> Result<Grant, Denied> {
    let token = bearer(headers).ok_or(Denied::Missing)?;
    let (secret, key) = active(store, token).await?;
    if dealer.is_some_and(|dealer| *dealer != key.dealer) {
        return Err(Denied::OtherDealer);
    }
    if !key.scopes.contains(&scope) {
        return Err(Denied::Scope(scope));
    }
    note_use(store, secret, &key).await;
    Ok(Grant {
        dealer: key.dealer,
        key: key.name,
    })
}

/// The key that a text is, whatever it is for. It is for the caller to [note its use](note_use).
///
/// # Errors
/// [`Denied::Refused`] and [`Denied::Unavailable`].
pub(crate) async fn active(store: &Store, token: &str) -> Result<(Secret, Key), Denied> {
    let secret = Secret::parse(token).ok_or(Denied::Refused)?;
    let wanted = secret.clone();
    let prompt = store.within(PATIENCE);
    let found = prompt.read(move |conn| keys::find(conn, &wanted)).await;
    let key = found
        .map_err(|error| unavailable(&error))?
        .ok_or(Denied::Refused)?;
    let state = key.state(store.clock().now());
    if state != KeyState::Active {
        tracing::warn!(dealer = %key.dealer, key = key.name, state = state.as_str(), "a key was refused");
        return Err(Denied::Refused);
    }
    Ok((secret, key))
}

fn unavailable(error: &store::Error) -> Denied {
    tracing::error!(error = %crate::explain(error), "a key could not be checked");
    Denied::Unavailable
}

/// A use that cannot be noted is no reason to turn the request away.
pub(crate) async fn note_use(store: &Store, secret: Secret, key: &Key) {
    let now = store.clock().now();
    if !keys::is_use_news(key, now) {
        return;
    }
    let prompt = store.within(PATIENCE);
    let noted = prompt.write_claiming(Claim::ROWS, move |conn| keys::note_use(conn, &secret, now));
    if let Err(error) = noted.await {
        tracing::warn!(key = key.name, error = %crate::explain(&error), "the use of a key was not noted");
    }
}

impl Denied {
    fn status(&self) -> StatusCode {
        match self {
            Self::Missing | Self::Refused => StatusCode::UNAUTHORIZED,
            Self::OtherDealer | Self::Scope(_) => StatusCode::FORBIDDEN,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// What a client may do about it (RFC 6750 §3).
    fn challenge(&self) -> Option<String> {
        match self {
            Self::Missing => Some("Bearer".to_owned()),
            Self::Refused => Some("Bearer error=\"invalid_token\"".to_owned()),
            Self::Scope(scope) => Some(format!(
                "Bearer error=\"insufficient_scope\", scope=\"{scope}\""
            )),
            Self::OtherDealer => Some("Bearer error=\"insufficient_scope\"".to_owned()),
            Self::Unavailable => None,
        }
    }
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let mut response = problem::response(self.status(), &self.to_string());
        let challenge = self
            .challenge()
            .and_then(|it| HeaderValue::try_from(it).ok());
        if let Some(challenge) = challenge {
            let headers = response.headers_mut();
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, ToSpan as _};
    use store::Clock;

    use super::*;

    fn headers(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::AUTHORIZATION, value.parse().unwrap())])
    }

    /// A store with one key of `north` for feeds that ends in an hour, and its bearer header.
    async fn with_key() -> (Store, HeaderMap) {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let store = Store::temporary(&[keys::MIGRATIONS], clock).unwrap();
        let secret = Secret::new("north".parse().unwrap(), [7; 32]);
        let now = store.clock().now();
        let key = keys::NewKey {
            name: "vendor".to_owned(),
            scopes: [Scope::Feeds].into(),
            expires_at: Some(now + 1.hour()),
        };
        let kept = secret.clone();
        let made = store
            .write(move |conn| keys::create(conn, &kept, &key, now))
            .await;
        made.unwrap();
        (store, headers(&format!("bearer  {}", secret.expose())))
    }

    #[tokio::test]
    async fn a_key_opens_its_scope_of_its_dealer_until_it_ends() {
        let (store, headers) = with_key().await;
        let (north, south) = ("north".parse().unwrap(), "south".parse().unwrap());
        let judge = |dealer, scope| authorise(&store, &headers, dealer, scope);
        for dealer in [None, Some(&north)] {
            let grant = judge(dealer, Scope::Feeds).await.unwrap();
            assert_eq!(
                (grant.dealer, grant.key.as_str()),
                (north.clone(), "vendor")
            );
        }
        assert_eq!(
            judge(Some(&south), Scope::Feeds).await,
            Err(Denied::OtherDealer)
        );
        assert_eq!(
            judge(None, Scope::Leads).await,
            Err(Denied::Scope(Scope::Leads))
        );
        store.clock().advance(SignedDuration::from_hours(1));
        assert_eq!(judge(None, Scope::Feeds).await, Err(Denied::Refused));
    }

    #[tokio::test]
    async fn what_is_no_key_is_told_from_none() {
        let (store, good) = with_key().await;
        let other = good[header::AUTHORIZATION].to_str().unwrap();
        let other = format!("{}A", &other[..other.len() - 1]);
        for (headers, denied) in [
            (HeaderMap::new(), Denied::Missing),
            (headers("Basic abc"), Denied::Missing),
            (headers("Bearer abc"), Denied::Refused),
            (headers(&other), Denied::Refused),
        ] {
            let judged = authorise(&store, &headers, None, Scope::Feeds).await;
            assert_eq!(judged, Err(denied), "{headers:?}");
        }
    }

    #[test]
    fn a_refusal_tells_a_client_what_to_do() {
        for (denied, status, challenge) in [
            (Denied::Missing, 401, "Bearer"),
            (Denied::Refused, 401, "Bearer error=\"invalid_token\""),
            (
                Denied::Scope(Scope::Leads),
                403,
                "Bearer error=\"insufficient_scope\", scope=\"leads\"",
            ),
        ] {
            let response = denied.into_response();
            assert_eq!(response.status(), status);
            assert_eq!(response.headers()[header::WWW_AUTHENTICATE], challenge);
            let form = &response.headers()[header::CONTENT_TYPE];
            assert_eq!(form, "application/problem+json");
        }
    }
}
