//! Reading a request's body within its limit.

use a2a::error::Error;
use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use http::request::Parts;
use http::{StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::serve::{BodyTimeout, DISCARDED, discard};

/// A body that is not taken, and the status that says so.
pub(crate) type Refused = (StatusCode, Error);

/// The whole body, of at most `limit` bytes. What came in one piece is not copied.
pub(crate) async fn read(head: &Parts, mut body: Body, limit: usize) -> Result<Bytes, Refused> {
    let announced = body.size_hint().lower();
    if announced > limit as u64 {
        // A peer that asks before it sends, or would send for long, is told at once.
        let asks = head.headers.contains_key(header::EXPECT);
        if !asks && announced <= limit.saturating_add(DISCARDED) as u64 {
            discard(body).await;
        }
        return Err(too_long(limit));
    }
    match Limited::new(&mut body, limit).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            discard(body).await;
            Err(too_long(limit))
        }
        Err(error) if BodyTimeout::caused(error.as_ref()) => {
            let error = Error::invalid_request("the body did not arrive in time");
            Err((StatusCode::REQUEST_TIMEOUT, error))
        }
        Err(_) => {
            let error = Error::invalid_request("the body broke off");
            Err((StatusCode::BAD_REQUEST, error))
        }
    }
}

fn too_long(limit: usize) -> Refused {
    let error = Error::invalid_request(format!("the body is longer than {limit} bytes"));
    (StatusCode::PAYLOAD_TOO_LARGE, error)
}
