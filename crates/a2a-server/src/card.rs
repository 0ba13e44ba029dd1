//! Serving an agent's card (A2A 1.0 §8.2, §8.6).

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest as _, Sha256};

/// A card that is rendered once and served many times.
///
/// Route it with [`axum::routing::get`], which answers HEAD as well and every other method with 405.
#[derive(Debug, Clone)]
pub struct CardDocument {
    body: Bytes,
    etag: HeaderValue,
    cache_control: HeaderValue,
}

impl CardDocument {
    /// How long a client may use a card without asking again, unless told otherwise.
    const MAX_AGE: Duration = Duration::from_secs(300);

    /// A document of a card's JSON.
    #[must_use]
    pub fn new(json: impl Into<Bytes>) -> Self {
        let body = json.into();
        // Header values of hexadecimal digits are always valid.
        let etag = HeaderValue::try_from(etag(&body)).unwrap_or(HeaderValue::from_static("\"\""));
        Self {
            body,
            etag,
            cache_control: cache_control(Self::MAX_AGE),
        }
    }

    /// The same document with another time that clients may use it without asking again.
    #[must_use]
    pub fn with_max_age(mut self, max_age: Duration) -> Self {
        self.cache_control = cache_control(max_age);
        self
    }

    /// The card's JSON.
    #[must_use]
    pub fn json(&self) -> &Bytes {
        &self.body
    }

    /// Answers a GET: 304 without a body when the client has this very document.
    #[must_use]
    pub fn respond(&self, request: &HeaderMap) -> Response {
        let mut response = if self.is_known(request) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(self.body.clone()));
            let media_type = HeaderValue::from_static("application/json");
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, media_type);
            response
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.etag.clone());
        headers.insert(header::CACHE_CONTROL, self.cache_control.clone());
        response
    }

    /// `If-None-Match` compares weakly and may come as a list or `*` (RFC 9110 §13.1.2).
    fn is_known(&self, request: &HeaderMap) -> bool {
        let lines = request.get_all(header::IF_NONE_MATCH).iter();
        let mut tags = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
        tags.any(|tag| {
            let tag = tag.trim_ascii();
            let tag = tag.strip_prefix(b"W/").unwrap_or(tag);
            tag == b"*" || tag == self.etag.as_bytes()
        })
    }
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
