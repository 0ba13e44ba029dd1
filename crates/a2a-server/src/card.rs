//! Serving an agent's card (A2A 1.0 §8.2, §8.6).

use std::time::Duration;

use a2a::card::{AgentCard, OLD_WELL_KNOWN_PATH, WELL_KNOWN_PATH};
use a2a::headers::{A2A_VERSION, ProtocolVersion};
use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};
use sha2::{Digest as _, Sha256};

/// A card that is rendered once and served many times.
///
/// [`router`] serves it where clients look for it. A program with routes of its own has
/// [`axum::routing::get`] call [`respond`](Self::respond), which answers HEAD as well and every other method
/// with 405.
#[derive(Debug, Clone)]
pub struct CardDocument {
    plain: Rendered,
    /// The one that clients of 0.3 read too.
    both: Option<Rendered>,
    cache_control: HeaderValue,
    last_modified: Option<LastModified>,
}

/// Why a card cannot be published.
#[derive(Debug, thiserror::Error)]
pub enum Unpublishable {
    /// A member holds what cannot be written.
    #[error("the card cannot be written as JSON")]
    Unwritable(#[source] serde_json::Error),
    /// The card is to be read by clients of 0.3, and none of its interfaces speaks that.
    #[error("no interface of the card speaks A2A 0.3")]
    NoOldInterface,
}

#[derive(Debug, Clone)]
struct Rendered {
    body: Bytes,
    etag: HeaderValue,
}

#[derive(Debug, Clone)]
struct LastModified {
    at: Timestamp,
    value: HeaderValue,
}

impl CardDocument {
    /// How long a client may use a card without asking again, unless told otherwise.
    const MAX_AGE: Duration = Duration::from_secs(300);

    /// A document of a card's JSON.
    #[must_use]
    pub fn new(json: impl Into<Bytes>) -> Self {
        Self {
            plain: Rendered::new(json.into()),
            both: None,
            cache_control: cache_control(Self::MAX_AGE),
            last_modified: None,
        }
    }

    /// A document of a card, in the form of 1.0 alone.
    ///
    /// # Errors
    /// [`Unpublishable::Unwritable`].
    pub fn of(card: &AgentCard) -> Result<Self, Unpublishable> {
        let json = serde_json::to_vec(card).map_err(Unpublishable::Unwritable)?;
        Ok(Self::new(json))
    }

    /// A document of a card that clients of either generation read. Only who asks for version 1.0 by the
    /// header `A2A-Version` gets the form of 1.0 alone: clients of 0.3 send no such header.
    ///
    /// # Errors
    /// [`Unpublishable`].
    pub fn of_both(card: &AgentCard) -> Result<Self, Unpublishable> {
        let both = card.in_both().ok_or(Unpublishable::NoOldInterface)?;
        let json: Box<str> = both.into();
        let mut document = Self::of(card)?;
        document.both = Some(Rendered::new(Bytes::from(json.into_string())));
        Ok(document)
    }

    /// The same document with another time that clients may use it without asking again.
    #[must_use]
    pub fn with_max_age(mut self, max_age: Duration) -> Self {
        self.cache_control = cache_control(max_age);
        self
    }

    /// The same document, which says when it changed last. Whole seconds count.
    #[must_use]
    pub fn with_last_modified(mut self, at: Timestamp) -> Self {
        let written = DateTimePrinter::new().timestamp_to_rfc9110_string(&at);
        let value = written.ok().and_then(|it| HeaderValue::try_from(it).ok());
        self.last_modified = value.map(|value| LastModified { at, value });
        self
    }

    /// The card's JSON in the form of 1.0.
    #[must_use]
    pub fn json(&self) -> &Bytes {
        &self.plain.body
    }

    /// Answers a GET: 304 without a body when the client has this very document.
    #[must_use]
    pub fn respond(&self, request: &HeaderMap) -> Response {
        let rendered = match &self.both {
            Some(both) if !asks_for_1_0(request) => both,
            _ => &self.plain,
        };
        let mut response = if self.is_known(rendered, request) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(rendered.body.clone()));
            let media_type = HeaderValue::from_static("application/json");
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, media_type);
            response
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, rendered.etag.clone());
        headers.insert(header::CACHE_CONTROL, self.cache_control.clone());
        if let Some(last_modified) = &self.last_modified {
            headers.insert(header::LAST_MODIFIED, last_modified.value.clone());
        }
        if self.both.is_some() {
            headers.insert(header::VARY, HeaderValue::from_static(A2A_VERSION));
        }
        response
    }

    /// `If-None-Match` compares weakly and may come as a list or `*` (RFC 9110 §13.1.2); where it is
    /// missing, `If-Modified-Since` counts (§13.1.3).
    fn is_known(&self, rendered: &Rendered, request: &HeaderMap) -> bool {
        if !request.contains_key(header::IF_NONE_MATCH) {
            return self.is_unmodified(request).unwrap_or(false);
        }
        let lines = request.get_all(header::IF_NONE_MATCH).iter();
        let mut tags = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
        tags.any(|tag| {
            let tag = tag.trim_ascii();
            let tag = tag.strip_prefix(b"W/").unwrap_or(tag);
            tag == b"*" || tag == rendered.etag.as_bytes()
        })
    }

    fn is_unmodified(&self, request: &HeaderMap) -> Option<bool> {
        let since = request.get(header::IF_MODIFIED_SINCE)?.to_str().ok()?;
        let since = DateTimeParser::new().parse_timestamp(since).ok()?;
        let changed = self.last_modified.as_ref()?.at;
        Some(changed.as_second() <= since.as_second())
    }
}

impl Rendered {
    fn new(body: Bytes) -> Self {
        // Header values of hexadecimal digits are always valid.
        let etag = HeaderValue::try_from(etag(&body)).unwrap_or(HeaderValue::from_static("\"\""));
        Self { body, etag }
    }
}

/// A router that serves a card below `path`, where clients of 1.0 look for it and where those of early 0.3
/// did.
pub fn router(path: &str, document: CardDocument) -> Router {
    let handler = get(move |headers: HeaderMap| std::future::ready(document.respond(&headers)));
    let path = path.trim_end_matches('/');
    Router::new()
        .route(&format!("{path}{WELL_KNOWN_PATH}"), handler.clone())
        .route(&format!("{path}{OLD_WELL_KNOWN_PATH}"), handler)
}

fn asks_for_1_0(request: &HeaderMap) -> bool {
    let version = request.get(A2A_VERSION).and_then(|it| it.to_str().ok());
    let version = version.map(ProtocolVersion::from_header);
    matches!(version, Some(Ok(version)) if version >= ProtocolVersion::V1_0)
}

/// A strong tag: equal tags mean equal bytes, on every node.
fn etag(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    format!("\"{}\"", HEXLOWER.encode(&digest[..16]))
}

fn cache_control(max_age: Duration) -> HeaderValue {
    let value = format!("public, max-age={}", max_age.as_secs());
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("no-cache"))
}
