//! An answer whose body is read while it arrives.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use crate::{
    client::{Response, content_type, failure, origin},
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
    /// When the request's time is over.
    deadline: Instant,
    body_limit: usize,
}

impl Incoming {
    pub(crate) fn new(
        url: Url,
        answer: reqwest::Response,
        deadline: Instant,
        body_limit: usize,
    ) -> Self {
        Self {
            status: answer.status(),
            headers: answer.headers().clone(),
            url,
            answer,
            deadline,
            body_limit,
        }
    }

    /// The `Content-Type` header, when it is sent and is text.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        content_type(&self.headers)
    }

    /// When the time that the request allows for the complete answer is over.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Most bytes that the request allows the body to have.
    #[must_use]
    pub fn body_limit(&self) -> usize {
        self.body_limit
    }

    /// The body with its trailers, for a protocol that has its own frames in it. Its reader sees to time
    /// and size.
    #[must_use]
    pub fn into_body(self) -> Body {
        Body {
            url: self.url,
            body: http::Response::from(self.answer).into_body(),
        }
    }

    /// The next bytes of the body; `None` at its end. `idle` is the longest wait for them, however
    /// long the whole body takes.
    ///
    /// # Errors
    /// [`Error::TimedOut`] when nothing came for so long, [`Error::Interrupted`] when the connection
    /// broke.
    pub async fn chunk(&mut self, idle: Duration) -> Result<Option<Bytes>, Error> {
        match timeout(idle, self.answer.chunk()).await {
            Ok(chunk) => chunk.map_err(|error| failure(&self.url, error)),
            Err(_silence) => Err(timed_out(&self.url)),
        }
    }

    /// Reads the whole body, within the time and the size that the request allows.
    ///
    /// # Errors
    /// As [`Self::chunk`], and [`Error::TooLarge`].
    pub async fn collect(mut self) -> Result<Response, Error> {
        let body = match timeout_at(self.deadline, self.read_body()).await {
            Ok(body) => body?,
            Err(_elapsed) => return Err(timed_out(&self.url)),
        };
        Ok(Response {
            status: self.status,
            headers: self.headers,
            body,
            url: self.url,
        })
    }

    /// Counts what arrives, because a `Content-Length` may be absent or lie.
    async fn read_body(&mut self) -> Result<Bytes, Error> {
        let mut body = BytesMut::new();
        while let Some(chunk) = self
            .answer
            .chunk()
            .await
            .map_err(|error| failure(&self.url, error))?
        {
            if body.len() + chunk.len() > self.body_limit {
                return Err(Error::TooLarge {
                    origin: origin(&self.url),
                    limit: self.body_limit,
                });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }
}

/// The body of an answer, and the trailers behind it.
#[derive(Debug)]
pub struct Body {
    url: Url,
    body: reqwest::Body,
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| frame.map_err(|error| failure(&self.url, error))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

pub(crate) fn timed_out(url: &Url) -> Error {
    Error::TimedOut {
        origin: origin(url),
    }
}
