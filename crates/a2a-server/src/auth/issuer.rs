//! Keys that are fetched from their issuer, and kept.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use a2a::model::Timestamp;
use egress::Egress;
use futures_util::future::BoxFuture;
use http::{HeaderValue, StatusCode, header};
use serde::Deserialize;

use super::jwt::{KeySet, KeySetError, KeySource};
use crate::BoxError;

/// The most bytes of a document of an issuer.
const MOST: usize = 256 * 1024;

/// How keys are fetched.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IssuerSettings {
    /// How long keys are good without asking the issuer again; 1 hour by default.
    pub keep: Duration,
    /// How long they stay good while the issuer cannot be asked; 24 hours by default.
    pub keep_at_most: Duration,
    /// The shortest time between two questions, however many tokens name keys that are not there, or however
    /// often the issuer fails; 1 minute by default.
    pub pause: Duration,
    /// How long the issuer may take for an answer; 5 s by default.
    pub timeout: Duration,
}

impl Default for IssuerSettings {
    fn default() -> Self {
        Self {
            keep: Duration::from_hours(1),
            keep_at_most: Duration::from_hours(24),
            pause: Duration::from_mins(1),
            timeout: Duration::from_secs(5),
        }
    }
}

/// The keys of an issuer of tokens, as it publishes them. They are fetched when the first token comes, and
/// again when they are old or a token names one that is not among them, one question at a time.
pub struct IssuerKeys {
    egress: Egress,
    place: Place,
    settings: IssuerSettings,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    kept: Mutex<Kept>,
    /// One asks, and those who come meanwhile wait for what it hears.
    asking: tokio::sync::Mutex<()>,
}

/// Where the keys are.
#[derive(Debug)]
enum Place {
    /// In the set at this URL.
    Set(String),
    /// Where the metadata of this issuer say.
    Metadata(String),
}

#[derive(Debug, Default)]
struct Kept {
    keys: Option<(KeySet, Timestamp)>,
    /// When the issuer answered last, or failed to.
    asked: Option<Timestamp>,
}

/// The keys of an issuer cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IssuerError {
    /// It cannot be asked.
    #[error("the issuer cannot be asked for its keys")]
    NotAsked(#[source] egress::Error),
    /// It answered with another status than 200.
    #[error("{url} answered {status}")]
    Status {
        /// What was asked.
        url: String,
        /// The status.
        status: u16,
    },
    /// The document that names the place of the keys has another form.
    #[error("{url} has no metadata of an issuer with its `issuer` and `jwks_uri`")]
    NoMetadata {
        /// What was asked.
        url: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The document is about somebody else, whose keys would prove nothing.
    #[error("the metadata are of the issuer {found:?}, not of {expected:?}")]
    OtherIssuer {
        /// The issuer that was asked for.
        expected: String,
        /// The issuer of the document.
        found: String,
    },
    /// The keys have another form.
    #[error(transparent)]
    NoKeys(#[from] KeySetError),
    /// The issuer failed a moment ago and is not asked again yet.
    #[error("the issuer's keys could not be fetched a moment ago")]
    Paused,
}

impl IssuerKeys {
    /// The keys of an issuer that publishes metadata: those of OpenID Connect Discovery 1.0 §4, else those of
    /// RFC 8414 §3. `issuer` is its name as tokens have it, a URL; `clock` tells the time.
    #[must_use]
    pub fn discovered(
        egress: Egress,
        issuer: impl Into<String>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self::of(egress, Place::Metadata(issuer.into()), clock)
    }

    /// The keys of the JSON Web Key Set at a URL (RFC 7517 §5); `clock` tells the time.
    #[must_use]
    pub fn at(
        egress: Egress,
        jwks_url: impl Into<String>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self::of(egress, Place::Set(jwks_url.into()), clock)
    }

    fn of(
        egress: Egress,
        place: Place,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            egress,
            place,
            settings: IssuerSettings::default(),
            clock: Box::new(clock),
            kept: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// The same keys, fetched in another way.
    #[must_use]
    pub fn with_settings(mut self, settings: IssuerSettings) -> Self {
        self.settings = settings;
        self
    }

    async fn current(&self, id: Option<&str>) -> Result<KeySet, IssuerError> {
        if let Some(at_hand) = self.at_hand(id) {
            return at_hand;
        }
        let _one = self.asking.lock().await;
        // Whoever asked meanwhile may have brought it.
        if let Some(at_hand) = self.at_hand(id) {
            return at_hand;
        }
        let fetched = self.fetch().await;
        let now = (self.clock)();
        let mut kept = self.kept();
        kept.asked = Some(now);
        match fetched {
            Ok(keys) => {
                kept.keys = Some((keys.clone(), now));
                Ok(keys)
            }
            Err(error) => match self.usable(&kept, now) {
                Some(keys) => {
                    let issuer = self.place.name();
                    let source = crate::causes(&error);
                    tracing::warn!(issuer, %error, source, "keys of an issuer cannot be renewed");
                    Ok(keys)
                }
                None => Err(error),
            },
        }
    }

    /// What can be said without asking the issuer; `None` when it is to be asked.
    fn at_hand(&self, id: Option<&str>) -> Option<Result<KeySet, IssuerError>> {
        let now = (self.clock)();
        let kept = self.kept();
        if let Some((keys, since)) = &kept.keys
            && age(*since, now) < self.settings.keep
            && keys.has(id)
        {
            return Some(Ok(keys.clone()));
        }
        let is_paused = kept
            .asked
            .is_some_and(|asked| age(asked, now) < self.settings.pause);
        is_paused.then(|| self.usable(&kept, now).ok_or(IssuerError::Paused))
    }

    /// The keys that are kept, if they are not too old for everything.
    fn usable(&self, kept: &Kept, now: Timestamp) -> Option<KeySet> {
        let (keys, since) = kept.keys.as_ref()?;
        (age(*since, now) < self.settings.keep_at_most).then(|| keys.clone())
    }

    async fn fetch(&self) -> Result<KeySet, IssuerError> {
        let set = match &self.place {
            Place::Set(url) => url.clone(),
            Place::Metadata(issuer) => self.discover(issuer).await?.jwks_uri,
        };
        Ok(KeySet::from_json(&self.document(&set).await?)?)
    }

    async fn discover(&self, issuer: &str) -> Result<Metadata, IssuerError> {
        let [openid, oauth] = metadata_urls(issuer);
        let (url, document) = match self.document(&openid).await {
            Err(IssuerError::Status { status: 404, .. }) => {
                let document = self.document(&oauth).await?;
                (oauth, document)
            }
            document => (openid, document?),
        };
        let metadata = serde_json::from_slice::<Metadata>(&document);
        let metadata = metadata.map_err(|source| IssuerError::NoMetadata { url, source })?;
        if metadata.issuer == issuer {
            return Ok(metadata);
        }
        Err(IssuerError::OtherIssuer {
            expected: issuer.to_owned(),
            found: metadata.issuer,
        })
    }

    async fn document(&self, url: &str) -> Result<bytes::Bytes, IssuerError> {
        let request = self
            .egress
            .get(url)
            .timeout(self.settings.timeout)
            .body_limit(MOST)
            .header(header::ACCEPT, HeaderValue::from_static("application/json"));
        let answer = request.send().await.map_err(IssuerError::NotAsked)?;
        if answer.status == StatusCode::OK {
            return Ok(answer.body);
        }
        Err(IssuerError::Status {
            url: url.to_owned(),
            status: answer.status.as_u16(),
        })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    fn name(&self) -> &str {
        match self {
            Self::Set(url) => url,
            Self::Metadata(issuer) => issuer,
        }
    }
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

/// Where the metadata of an issuer may be: OpenID Connect puts the well-known path behind the issuer's own,
/// RFC 8414 before it.
fn metadata_urls(issuer: &str) -> [String; 2] {
    let issuer = issuer.trim_end_matches('/');
    let authority = issuer.find("://").map_or(0, |at| at + 3);
    let path = issuer[authority..].find('/');
    let (origin, path) = issuer.split_at(path.map_or(issuer.len(), |at| authority + at));
    [
        format!("{issuer}/.well-known/openid-configuration"),
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
    ]
}

/// How long ago it was; a clock that was set back makes nothing old.
fn age(since: Timestamp, now: Timestamp) -> Duration {
    let age = now.get().duration_since(since.get());
    Duration::try_from(age).unwrap_or_default()
}

impl KeySource for IssuerKeys {
    fn keys<'a>(&'a self, id: Option<&'a str>) -> BoxFuture<'a, Result<KeySet, BoxError>> {
        Box::pin(async move { Ok(self.current(id).await?) })
    }
}

impl fmt::Debug for IssuerKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuerKeys")
            .field("place", &self.place)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::metadata_urls;

    #[test]
    fn metadata_are_behind_the_path_of_an_issuer_or_before_it() {
        assert_eq!(
            metadata_urls("https://id.example/realms/lot"),
            [
                "https://id.example/realms/lot/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server/realms/lot",
            ]
        );
        assert_eq!(
            metadata_urls("https://id.example/"),
            [
                "https://id.example/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server",
            ]
        );
    }
}
