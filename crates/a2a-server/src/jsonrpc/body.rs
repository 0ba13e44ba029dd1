//! Reading a request's body within its limit.

use std::time::Duration;

use a2a::error::Error;
use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use http::request::Parts;
use http::{StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::serve::BodyTimeout;

/// How much of a body that is too long is read and thrown away. Closing on a peer that is still sending
/// resets the connection, and the peer never sees why it was refused.
const DISCARDED: usize = 4 * 1024 * 1024;
/// How long that may take.
const DISCARDING: Duration = Duration::from_secs(1);

/// A body that is not taken, and the status that says so.
pub(super) type Refused = (StatusCode, Error);

/// The whole body, of at most `limit` bytes. What came in one piece is not copied.
pub(super) async fn read(head: &Parts, mut body: Body, limit: usize) -> Result<Bytes, Refused> {
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

/// Reads on until the body ends or fails, within [`DISCARDED`] bytes and [`DISCARDING`].
async fn discard(mut body: Body) {
    let reading = async {
        let mut discarded = 0;
        while let Some(Ok(frame)) = body.frame().await {
            discarded += frame.data_ref().map_or(0, Bytes::len);
            if discarded > DISCARDED {
                return;
            }
        }
    };
    // Whether it ended makes no difference to the answer.
    let _ = tokio::time::timeout(DISCARDING, reading).await;
}
