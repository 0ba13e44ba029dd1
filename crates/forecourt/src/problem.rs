//! Refusals of the dealer's API, outside A2A.

use std::time::Duration;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

/// How long to wait, for the header `Retry-After`: whole seconds, rather one too many.
pub(crate) fn retry_after(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// Whoever asks too often is told when to come back.
pub(crate) fn too_many_requests(wait: Duration) -> Response {
    let seconds = retry_after(wait);
    let detail = format!("too many requests; send the next one in {seconds} seconds");
    let mut response = response(StatusCode::TOO_MANY_REQUESTS, &detail);
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Problem JSON (RFC 9457) without a type of its own: the status says what kind it is.
pub(crate) fn response(status: StatusCode, detail: &str) -> Response {
    let document = json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": detail,
    });
    let form = [(header::CONTENT_TYPE, "application/problem+json")];
    (status, form, document.to_string()).into_response()
}
