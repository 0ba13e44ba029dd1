//! What tokens say of themselves, signed or told by their issuer.

use a2a::model::Timestamp;
use serde::Deserialize;

/// How far the clocks of issuer and server may differ, in seconds.
const LEEWAY: f64 = 60.0;

/// When a token is good, in seconds since 1970 (RFC 7519 §4.1.4, §4.1.5).
#[derive(Debug, Deserialize)]
pub(super) struct Validity {
    pub(super) exp: Option<f64>,
    nbf: Option<f64>,
}

impl Validity {
    /// Whether it is good now; otherwise why not.
    pub(super) fn check(&self, now: Timestamp) -> Result<(), &'static str> {
        let now = now.get().as_millisecond() as f64 / 1000.0;
        if self.exp.is_some_and(|exp| exp + LEEWAY <= now) {
            return Err("the token has expired");
        }
        if self.nbf.is_some_and(|nbf| nbf - LEEWAY > now) {
            return Err("the token is not valid yet");
        }
        Ok(())
    }

    /// When it ends, where it says so and that is a time of this age.
    pub(super) fn end(&self) -> Option<Timestamp> {
        let end = jiff::SignedDuration::try_from_secs_f64(self.exp?).ok()?;
        let end = jiff::Timestamp::from_duration(end).ok()?;
        Timestamp::try_from(end).ok()
    }
}

/// For whom a token is.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Audience {
    pub(super) fn names(&self, audience: &str) -> bool {
        match self {
            Self::One(one) => one == audience,
            Self::Several(several) => several.iter().any(|it| it == audience),
        }
    }
}

/// What a token allows.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Scopes {
    /// Separated by spaces (RFC 8693 §4.2).
    Text(String),
    List(Vec<String>),
}

impl Scopes {
    pub(super) fn list(self) -> Vec<String> {
        match self {
            Self::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
            Self::List(list) => list,
        }
    }
}
