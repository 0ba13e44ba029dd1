//! Refusals of the dealer's API, outside A2A.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

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
