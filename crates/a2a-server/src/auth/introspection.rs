//! Tokens that only their issuer can read, who is asked about each (RFC 7662).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use a2a::model::{Secret, Timestamp};
use data_encoding::BASE64;
use egress::Egress;
use futures_util::future::BoxFuture;
use http::{HeaderValue, StatusCode, header};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::claims::{Audience, Scopes, Validity};
use super::{Denied, Identity, Verifier};

/// The most bytes of an answer.
const MOST: usize = 64 * 1024;

/// How an issuer is asked about tokens.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IntrospectionSettings {
    /// How long an answer is good: so long a token that was revoked may still be used. 30 s by default.
    pub keep: Duration,
    /// How many answers are kept at most; 10,000 by default.
    pub most: usize,
    /// How long the issuer may take for an answer; 5 s by default.
    pub timeout: Duration,
}

impl Default for IntrospectionSettings {
    fn default() -> Self {
        Self {
            keep: Duration::from_secs(30),
            most: 10_000,
            timeout: Duration::from_secs(5),
        }
    }
}

/// Verifies opaque tokens by asking their issuer. A caller's name is what it says in `sub`, or in
/// `client_id` for a client that acts for itself; the audience has to be named among those in `aud`.
pub struct Introspection {
    egress: Egress,
    endpoint: String,
    /// This server's own credentials.
    authorization: HeaderValue,
    audience: String,
    settings: IntrospectionSettings,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    kept: Mutex<HashMap<[u8; 32], Kept>>,
}

/// What the issuer said of a token, by whose digest it is found.
#[derive(Debug, Clone)]
struct Kept {
    verdict: Verdict,
    until: Timestamp,
}

/// Whose a token is, or why it is worth nothing.
type Verdict = Result<Identity, &'static str>;

/// The issuer said nothing of a token.
#[derive(Debug, thiserror::Error)]
enum Unasked {
    #[error("the issuer cannot be asked about a token")]
    NotReached(#[source] egress::Error),
    #[error("the issuer does not accept the credentials with which it is asked about tokens: {0}")]
    Refused(u16),
    #[error("the issuer answered {0} to a question about a token")]
    Status(u16),
    #[error("the issuer's answer about a token has another form")]
    NoAnswer,
}

impl Introspection {
    /// Asks the issuer at `endpoint` (RFC 7662 §2), as the client `id` with its secret (RFC 6749 §2.3.1),
    /// about tokens for `audience`; `clock` tells the time.
    #[must_use]
    pub fn new(
        egress: Egress,
        endpoint: impl Into<String>,
        (id, secret): (&str, &Secret),
        audience: impl Into<String>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            egress,
            endpoint: endpoint.into(),
            authorization: authorization(id, secret),
            audience: audience.into(),
            settings: IntrospectionSettings::default(),
            clock: Box::new(clock),
            kept: Mutex::default(),
        }
    }

    /// The same, asking in another way.
    #[must_use]
    pub fn with_settings(mut self, settings: IntrospectionSettings) -> Self {
        self.settings = settings;
        self
    }

    async fn verdict(&self, token: &str) -> Result<Verdict, Unasked> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let now = (self.clock)();
        if let Some(kept) = self.kept().get(&digest).filter(|kept| now < kept.until) {
            return Ok(kept.verdict.clone());
        }
        let answer = self.ask(token).await?;
        let now = (self.clock)();
        let (verdict, ends) = answer.judge(&self.audience, now);
        self.keep(digest, &verdict, ends, now);
        Ok(verdict)
    }

    async fn ask(&self, token: &str) -> Result<Answer, Unasked> {
        let form = format!("token={}&token_type_hint=access_token", encode(token));
        let request = self
            .egress
            .post(&self.endpoint, form)
            .timeout(self.settings.timeout)
            .body_limit(MOST)
            .header(header::AUTHORIZATION, self.authorization.clone())
            .header(header::ACCEPT, HeaderValue::from_static("application/json"))
            .header(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/x-www-form-urlencoded"),
            );
        let answer = request.send().await.map_err(Unasked::NotReached)?;
        match answer.status {
            StatusCode::OK => {
                // What it says of a token is repeated nowhere, also not in an error.
                serde_json::from_slice(&answer.body).map_err(|_| Unasked::NoAnswer)
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(Unasked::Refused(answer.status.as_u16()))
            }
            other => Err(Unasked::Status(other.as_u16())),
        }
    }

    /// Keeps an answer for a while, and no longer than the token is good.
    fn keep(&self, digest: [u8; 32], verdict: &Verdict, ends: Option<Timestamp>, now: Timestamp) {
        let until = now.get().checked_add(self.settings.keep).ok();
        let until = until.and_then(|until| Timestamp::try_from(until).ok());
        let Some(until) = [until, ends].into_iter().flatten().min() else {
            return;
        };
        let mut kept = self.kept();
        if kept.len() >= self.settings.most {
            kept.retain(|_, it| now < it.until);
        }
        // The ones that are asked about most are soon there again.
        if kept.len() >= self.settings.most {
            kept.clear();
        }
        let verdict = verdict.clone();
        kept.insert(digest, Kept { verdict, until });
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<[u8; 32], Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the issuer says of a token (RFC 7662 §2.2).
#[derive(Deserialize)]
struct Answer {
    active: bool,
    sub: Option<String>,
    client_id: Option<String>,
    aud: Option<Audience>,
    scope: Option<Scopes>,
    #[serde(flatten)]
    validity: Validity,
}

impl Answer {
    /// Whose the token is, and when it ends.
    fn judge(self, audience: &str, now: Timestamp) -> (Verdict, Option<Timestamp>) {
        if !self.active {
            return (Err("the token is not active"), None);
        }
        if let Err(reason) = self.validity.check(now) {
            return (Err(reason), None);
        }
        if !self.aud.is_some_and(|aud| aud.names(audience)) {
            return (Err("the token is for another audience"), None);
        }
        let name = match (self.sub, self.client_id) {
            (Some(sub), _) => sub,
            // A person could have the name of a client.
            (None, Some(client)) => format!("client {client}"),
            (None, None) => return (Err("the token is nobody's"), None),
        };
        let scopes = self.scope.map_or_else(Vec::new, Scopes::list);
        let identity = Identity::new(name).with_scopes(scopes);
        (Ok(identity), self.validity.end())
    }
}

fn authorization(id: &str, secret: &Secret) -> HeaderValue {
    let pair = format!("{}:{}", encode(id), encode(secret.expose()));
    let text = format!("Basic {}", BASE64.encode(pair.as_bytes()));
    // Base64 is visible ASCII, which every header may hold.
    let mut value = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Basic"));
    value.set_sensitive(true);
    value
}

/// A value of a form (`application/x-www-form-urlencoded`).
fn encode(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

impl Verifier for Introspection {
    fn verify<'a>(&'a self, credential: &'a str) -> BoxFuture<'a, Result<Identity, Denied>> {
        Box::pin(async move {
            let verdict = self.verdict(credential).await;
            let verdict = verdict.map_err(|unasked| Denied::Unavailable(unasked.into()))?;
            verdict.map_err(Denied::Invalid)
        })
    }
}

impl fmt::Debug for Introspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Introspection")
            .field("endpoint", &self.endpoint)
            .field("audience", &self.audience)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
