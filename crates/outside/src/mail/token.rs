//! Access tokens for XOAUTH2: kept until shortly before they end, fetched from a token address
//! (RFC 6749) or read from a file that another program keeps fresh.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use egress::Egress;
use http::{HeaderValue, header};
use serde::Deserialize;
use tokio::{sync::Mutex, time::Instant};
use url::{Url, form_urlencoded};

use crate::Secret;

/// How long before its end a token counts as ended.
const MARGIN: Duration = Duration::from_secs(120);
/// How long a token is kept whose end is not told.
const UNTOLD: Duration = Duration::from_secs(300);
/// How long a token is kept at most, whatever its answer says.
const LONGEST: Duration = Duration::from_hours(24);
/// Longest wait for a token.
const PATIENCE: Duration = Duration::from_secs(15);
/// Most bytes of a token's answer.
const MOST: usize = 64 * 1024;

/// Where access tokens come from. Clones share the token that is kept.
#[derive(Debug, Clone)]
pub struct AccessTokens(Arc<Source>);

#[derive(Debug)]
enum Source {
    File(PathBuf),
    Address(Box<TokenAddress>, Mutex<Kept>),
}

/// An address that hands out access tokens.
#[derive(Debug)]
#[non_exhaustive]
pub struct TokenAddress {
    egress: Egress,
    url: Url,
    client_id: String,
    client_secret: Option<Secret>,
    scope: Option<String>,
    grant: Grant,
}

/// In exchange for what a token is handed out.
#[derive(Debug)]
pub enum Grant {
    /// For the program's own name and secret (RFC 6749 §4.4).
    ClientCredentials,
    /// For a refresh token, which a person's consent once brought (RFC 6749 §6). A new one that
    /// the answer brings replaces the file's content.
    RefreshToken(PathBuf),
}

#[derive(Debug, Default)]
struct Kept {
    token: Option<(Secret, Instant)>,
    /// Replaces the one of the file, when that could not be written.
    refresh_token: Option<Secret>,
}

/// Why there is no access token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// A file cannot be read.
    #[error("{path} cannot be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The address cannot be reached.
    #[error(transparent)]
    Call(#[from] egress::Error),
    /// The address answered and handed out none.
    #[error("{origin} handed out no token: HTTP status {status}{reason}")]
    Refused {
        /// Scheme, host and port of the address.
        origin: String,
        /// The status.
        status: u16,
        /// The error that it named, after a colon and a space; else empty.
        reason: String,
    },
}

/// An answer of a token address (RFC 6749 §5.1).
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: Option<u64>,
    refresh_token: Option<String>,
}

/// A refusal (RFC 6749 §5.2).
#[derive(Deserialize)]
struct Denied {
    error: String,
    #[serde(default)]
    error_description: String,
}

impl AccessTokens {
    /// Tokens from a file that another program keeps fresh. It is read for each login.
    #[must_use]
    pub fn file(path: PathBuf) -> Self {
        Self(Arc::new(Source::File(path)))
    }

    /// Tokens from an address.
    #[must_use]
    pub fn address(address: TokenAddress) -> Self {
        Self(Arc::new(Source::Address(
            Box::new(address),
            Mutex::default(),
        )))
    }

    /// A token that has not ended.
    ///
    /// # Errors
    /// [`TokenError`].
    pub async fn token(&self) -> Result<Secret, TokenError> {
        let (address, kept) = match &*self.0 {
            Source::File(path) => return read(path),
            Source::Address(address, kept) => (address, kept),
        };
        // Several logins at once wait for one request.
        let mut kept = kept.lock().await;
        if let Some((token, end)) = &kept.token
            && Instant::now() < *end
        {
            return Ok(token.clone());
        }
        let granted = match address.ask(kept.refresh_token.as_ref()).await {
            Ok(granted) => granted,
            Err(error) => {
                if matches!(error, TokenError::Refused { .. }) {
                    kept.refresh_token = None;
                }
                return Err(error);
            }
        };
        let lives = granted.expires_in.map_or(UNTOLD, Duration::from_secs);
        let lives = lives.min(LONGEST);
        let end = Instant::now() + lives.saturating_sub(MARGIN).max(lives / 2);
        let token = Secret::new(&granted.access_token);
        kept.token = Some((token.clone(), end));
        if let Some(next) = granted.refresh_token {
            kept.refresh_token = address.keep_refresh_token(&next);
        }
        Ok(token)
    }

    /// Forgets the token that is kept. True when the next one may be another.
    pub(super) async fn forget(&self) -> bool {
        match &*self.0 {
            // The file is read each time; its owner had no time to write another one.
            Source::File(_) => false,
            Source::Address(_, kept) => kept.lock().await.token.take().is_some(),
        }
    }
}

impl TokenAddress {
    /// An address, asked by the guarded client.
    #[must_use]
    pub fn new(egress: Egress, url: Url, client_id: impl Into<String>, grant: Grant) -> Self {
        Self {
            egress,
            url,
            client_id: client_id.into(),
            client_secret: None,
            scope: None,
            grant,
        }
    }

    /// With the program's own secret.
    #[must_use]
    pub fn secret(mut self, secret: Option<Secret>) -> Self {
        self.client_secret = secret;
        self
    }

    /// For a scope, as the host of the mailbox names it.
    #[must_use]
    pub fn scope(mut self, scope: Option<String>) -> Self {
        self.scope = scope;
        self
    }

    async fn ask(&self, refresh_token: Option<&Secret>) -> Result<Granted, TokenError> {
        let form = self.form(refresh_token)?;
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let answer = self
            .egress
            .post(self.url.as_str(), form)
            .header(header::CONTENT_TYPE, kind)
            .header(header::ACCEPT, HeaderValue::from_static("application/json"))
            .timeout(PATIENCE)
            .body_limit(MOST)
            .send()
            .await?;
        let granted: Option<Granted> = serde_json::from_slice(&answer.body).ok();
        match granted {
            Some(granted) if answer.status.is_success() && !granted.access_token.is_empty() => {
                Ok(granted)
            }
            _ => Err(TokenError::Refused {
                origin: self.url.origin().ascii_serialization(),
                status: answer.status.as_u16(),
                reason: reason(&answer.body),
            }),
        }
    }

    fn form(&self, refresh_token: Option<&Secret>) -> Result<String, TokenError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("client_id", &self.client_id);
        if let Some(secret) = &self.client_secret {
            form.append_pair("client_secret", secret.reveal());
        }
        if let Some(scope) = &self.scope {
            form.append_pair("scope", scope);
        }
        match &self.grant {
            Grant::ClientCredentials => {
                form.append_pair("grant_type", "client_credentials");
            }
            Grant::RefreshToken(path) => {
                let token = refresh_token.map_or_else(|| read(path), |it| Ok(it.clone()))?;
                form.append_pair("grant_type", "refresh_token");
                form.append_pair("refresh_token", token.reveal());
            }
        }
        Ok(form.finish())
    }

    /// Writes a new refresh token over the old one. One that cannot be written is handed back, to
    /// be kept in memory: the old one works on for a while with the hosts that replace them.
    fn keep_refresh_token(&self, next: &str) -> Option<Secret> {
        let Grant::RefreshToken(path) = &self.grant else {
            return None;
        };
        if read(path).is_ok_and(|known| known.reveal() == next) {
            return None;
        }
        match replace(path, next) {
            Ok(()) => None,
            Err(error) => {
                tracing::warn!(
                    file = %path.display(),
                    %error,
                    "the new refresh token could not be written; the old one ends some day"
                );
                Some(Secret::new(next))
            }
        }
    }
}

fn read(path: &Path) -> Result<Secret, TokenError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Secret::new(&text)),
        Err(source) => Err(TokenError::Unreadable {
            path: path.to_owned(),
            source,
        }),
    }
}

/// Replaces a file at once, so that a reader sees the old or the new text.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// What a refusal names, without what it may quote at length.
fn reason(body: &[u8]) -> String {
    let Ok(denied) = serde_json::from_slice::<Denied>(body) else {
        return String::new();
    };
    let line = denied.error_description.lines().next().unwrap_or_default();
    let words: String = format!("{} {line}", denied.error)
        .chars()
        .take(200)
        .collect();
    format!(": {}", words.trim_end())
}
