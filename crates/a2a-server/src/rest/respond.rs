//! HTTP responses in a form of the protocol.

use a2a::error::Error;
use a2a::{rest, v03};
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

/// In which media types a request is answered, and how an error is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    answer: &'static str,
    error: &'static str,
    /// The body of an error, by its HTTP status.
    write_error: fn(u16, &Error) -> Vec<u8>,
}

impl Form {
    /// That of 0.3.
    pub(super) const V0_3: Self = Self {
        answer: rest::MEDIA_TYPE_JSON,
        error: rest::MEDIA_TYPE_JSON,
        write_error: v03::rest::write_error,
    };

    /// That of 1.0, in the media type that the request asks for. Where it asks for none, answers are in that of 1.0
    /// (A2A 1.0 §11.1) and errors, which are no objects of A2A, in that of any client of HTTP.
    pub(super) fn new(asked: Option<&'static str>) -> Self {
        Self {
            answer: asked.unwrap_or(rest::MEDIA_TYPE),
            error: asked.unwrap_or(rest::MEDIA_TYPE_JSON),
            write_error: rest::write_error_as,
        }
    }

    /// A body with status 200.
    pub(super) fn json(self, body: Vec<u8>) -> Response {
        respond(StatusCode::OK, self.answer, body)
    }

    /// An error with the status of its kind.
    pub(super) fn failed(self, error: &Error) -> Response {
        self.refused(crate::status(error.kind.http_status()), error)
    }

    /// An HTTP request that is at fault itself.
    pub(super) fn refused(self, status: StatusCode, error: &Error) -> Response {
        let body = (self.write_error)(status.as_u16(), error);
        respond(status, self.error, body)
    }

    /// A path that takes other verbs.
    pub(super) fn wrong_verb(self, allow: &'static str, error: &Error) -> Response {
        let mut response = self.refused(StatusCode::METHOD_NOT_ALLOWED, error);
        let allow = HeaderValue::from_static(allow);
        response.headers_mut().insert(header::ALLOW, allow);
        response
    }
}

fn respond(status: StatusCode, media_type: &'static str, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let media_type = HeaderValue::from_static(media_type);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, media_type);
    response
}
