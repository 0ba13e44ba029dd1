//! HTTP responses in a media type of the protocol.

use a2a::error::Error;
use a2a::rest;
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

/// In which media type a request is answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form(pub(super) &'static str);

impl Form {
    /// A body with status 200.
    pub(super) fn json(self, body: Vec<u8>) -> Response {
        let mut response = Response::new(Body::from(body));
        let media_type = HeaderValue::from_static(self.0);
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, media_type);
        response
    }

    /// An error with the status of its kind.
    pub(super) fn failed(self, error: &Error) -> Response {
        self.refused(crate::status(error.kind.http_status()), error)
    }

    /// An HTTP request that is at fault itself.
    pub(super) fn refused(self, status: StatusCode, error: &Error) -> Response {
        let mut response = self.json(rest::write_error_as(status.as_u16(), error));
        *response.status_mut() = status;
        response
    }

    /// A path that takes other verbs.
    pub(super) fn wrong_verb(self, allow: &'static str, error: &Error) -> Response {
        let mut response = self.refused(StatusCode::METHOD_NOT_ALLOWED, error);
        let allow = HeaderValue::from_static(allow);
        response.headers_mut().insert(header::ALLOW, allow);
        response
    }
}
