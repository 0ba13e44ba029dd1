//! HTTP responses that carry a JSON-RPC envelope.

use a2a::error::{Error, ErrorKind};
use a2a::jsonrpc::{Id, write_error};
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

/// An envelope, result or error, with status 200.
pub(super) fn json(envelope: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(envelope));
    let media_type = HeaderValue::from_static("application/json");
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, media_type);
    response
}

/// An error of a call. Its status is 200, but for what concerns the HTTP request more than the call: who
/// may not, or not at the moment, is told so by a status that every client and proxy understands.
pub(super) fn failed(id: &Id, error: &Error) -> Response {
    let mut response = json(write_error(id, error));
    if let ErrorKind::Unauthenticated
    | ErrorKind::PermissionDenied
    | ErrorKind::TooManyRequests
    | ErrorKind::Unavailable = error.kind
    {
        *response.status_mut() = crate::status(error.kind.http_status());
    }
    response
}

/// An HTTP request that was refused before there was an id.
pub(super) fn refused(status: StatusCode, error: &Error) -> Response {
    let mut response = json(write_error(&Id::null(), error));
    *response.status_mut() = status;
    response
}

pub(super) fn method_not_allowed() -> Response {
    let error = Error::invalid_request("JSON-RPC requests are sent with POST");
    let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, &error);
    response
        .headers_mut()
        .insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}
