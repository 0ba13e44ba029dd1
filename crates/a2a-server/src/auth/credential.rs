//! Where a request has the credential of a security scheme.

use std::borrow::Cow;

use a2a::card::SecurityScheme;
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Where the credential of a scheme is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Header(HeaderName),
    Query(String),
    Cookie(String),
    /// Behind the name of this scheme in the `Authorization` header.
    Authorization(String),
}

/// What was wrong with the credentials that came (RFC 6750 §3.1).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Denial<'a> {
    InvalidToken,
    InsufficientScope(&'a [String]),
}

impl Place {
    /// Where a card says that it is; otherwise the predicate of a sentence about the scheme.
    pub(super) fn of(scheme: &SecurityScheme) -> Result<Self, &'static str> {
        match scheme {
            SecurityScheme::ApiKey(key) => match key.location.as_str() {
                "header" => HeaderName::try_from(&key.name)
                    .map(Self::Header)
                    .map_err(|_| "has a name that no header can have"),
                "query" => Ok(Self::Query(key.name.clone())),
                "cookie" => Ok(Self::Cookie(key.name.clone())),
                _ => Err("has a location other than header, query and cookie"),
            },
            SecurityScheme::HttpAuth(http) => {
                let is_token = HeaderName::try_from(&http.scheme).is_ok();
                let scheme = is_token.then(|| http.scheme.clone());
                scheme
                    .map(Self::Authorization)
                    .ok_or("names no scheme of HTTP authentication")
            }
            SecurityScheme::OAuth2(_) | SecurityScheme::OpenIdConnect(_) => {
                Ok(Self::Authorization("Bearer".to_owned()))
            }
            SecurityScheme::MutualTls(_) => {
                Err("is about client certificates, which are not seen here")
            }
            SecurityScheme::Unknown => Err("is of a kind that is not known here"),
        }
    }

    /// The credential, if the request has one.
    pub(super) fn find<'a>(
        &self,
        headers: &'a HeaderMap,
        query: Option<&str>,
    ) -> Option<Cow<'a, str>> {
        let found = match self {
            Self::Header(name) => Cow::Borrowed(headers.get(name)?.to_str().ok()?.trim()),
            Self::Query(name) => Cow::Owned(a2a::rest::parameter(query?, name)?),
            Self::Cookie(name) => Cow::Borrowed(cookie(headers, name)?),
            Self::Authorization(scheme) => Cow::Borrowed(authorization(headers, scheme)?),
        };
        Some(found).filter(|found| !found.is_empty())
    }

    /// The challenge that asks for it. Only `Bearer` has a place for what was wrong.
    pub(super) fn challenge(&self, denial: Option<Denial<'_>>) -> HeaderValue {
        let text = match self {
            Self::Header(name) => format!(r#"ApiKey in="header", name="{name}""#),
            Self::Query(name) => format!(r#"ApiKey in="query", name="{}""#, quotable(name)),
            Self::Cookie(name) => format!(r#"ApiKey in="cookie", name="{}""#, quotable(name)),
            Self::Authorization(scheme) if scheme.eq_ignore_ascii_case("bearer") => match denial {
                None => r#"Bearer realm="a2a""#.to_owned(),
                Some(Denial::InvalidToken) => {
                    r#"Bearer realm="a2a", error="invalid_token""#.to_owned()
                }
                Some(Denial::InsufficientScope(scopes)) => format!(
                    r#"Bearer realm="a2a", error="insufficient_scope", scope="{}""#,
                    quotable(&scopes.join(" "))
                ),
            },
            Self::Authorization(scheme) => format!(r#"{scheme} realm="a2a""#),
        };
        // What is put into it is visible ASCII.
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Bearer"))
    }
}

/// A card's text within the quotes of a header; characters that would need more than that are left out.
fn quotable(text: &str) -> String {
    let plain = |it: &char| (it.is_ascii_graphic() || *it == ' ') && !matches!(it, '"' | '\\');
    text.chars().filter(plain).collect()
}

/// What follows the name of a scheme (RFC 9110 §11.6.2).
fn authorization<'a>(headers: &'a HeaderMap, scheme: &str) -> Option<&'a str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (found, credential) = value.trim().split_once(' ')?;
    found
        .eq_ignore_ascii_case(scheme)
        .then(|| credential.trim())
}

/// The value of a cookie (RFC 6265 §4.2).
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let mut pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value.trim_matches('"'))
}
