//! An answer whose body is read while it arrives.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use tokio::time::timeout;
use url::Url;

use crate::{
    client::{Response, content_type, failure, origin, read_body},
    error::Error,
};

/// An answer whose head has arrived. Dropping it closes its connection, or gives its part of the
/// connection back.
#[derive(Debug)]
#[non_exhaustive]
pub struct Incoming {
    /// HTTP status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// The URL that was called.
    pub url: Url,
    answer: reqwest::Response,
}

impl Incoming {
    pub(crate) fn new(url: Url, answer: reqwest::Response) -> Self {
        Self {
            status: answer.status(),
            headers: answer.headers().clone(),
            url,
            answer,
        }
    }

    /// The `Content-Type` header, when it is sent and is text.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        content_type(&self.headers)
    }

    /// The next bytes of the body; `None` at its end. `idle` is the longest wait for them, however
    /// long the whole body takes.
    ///
    /// # Errors
    /// [`Error::TimedOut`] when nothing came for so long, [`Error::Interrupted`] when the connection
    /// broke.
    pub async fn chunk(&mut self, idle: Duration) -> Result<Option<Bytes>, Error> {
        match timeout(idle, self.answer.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk),
            Ok(Err(error)) => Err(failure(&self.url, error)),
            Err(_silence) => Err(Error::TimedOut {
                origin: origin(&self.url),
            }),
        }
    }

    /// Reads the body to its end, at most `limit` bytes of it, `within` a time.
    ///
    /// # Errors
    /// As [`Self::chunk`], and [`Error::TooLarge`].
    pub async fn collect(self, within: Duration, limit: usize) -> Result<Response, Error> {
        let Self {
            status,
            headers,
            url,
            answer,
        } = self;
        let body = match timeout(within, read_body(&url, answer, limit)).await {
            Ok(body) => body?,
            Err(_elapsed) => {
                return Err(Error::TimedOut {
                    origin: origin(&url),
                });
            }
        };
        Ok(Response {
            status,
            headers,
            body,
            url,
        })
    }
}
