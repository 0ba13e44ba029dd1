//! Why an agent was not found, not called, or did not answer as A2A has it.

use std::{fmt, time::Duration};

use a2a::{error::ErrorKind, method::Method};
use http::{HeaderMap, StatusCode, header};
use url::Url;

use crate::sse::TooLarge;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The network gave no answer, or the address must not be called.
    #[error(transparent)]
    Network(#[from] egress::Error),
    /// The HTTP status says that this is not the place, or not the time, and the body is no answer.
    #[error("{answer}")]
    HttpStatus {
        /// What came instead.
        answer: Box<Excerpt>,
    },
    /// There is something at the card's address, but no agent card.
    #[error("no agent card: {why}; {answer}")]
    NotACard {
        /// What is wrong with it.
        why: String,
        /// What came instead.
        answer: Box<Excerpt>,
    },
    /// The card names no interface that this client can call.
    #[error(
        "the agent offers no interface that this client can call ({wanted}): {}",
        offers(offered)
    )]
    NoSupportedInterface {
        /// Bindings and versions that were looked for.
        wanted: String,
        /// Binding, version and URL of each interface on the card.
        offered: Vec<String>,
    },
    /// The card does not declare what the operation needs, so that it is not called.
    #[error("the agent's card does not declare {capability}, which {} needs", method.name())]
    NotDeclared {
        /// The operation.
        method: Method,
        /// The member of the card's `capabilities`.
        capability: &'static str,
    },
    /// The agent answered with an error. Its `data` is kept as it was sent.
    #[error("the agent answered with an error: {0}")]
    Agent(#[source] a2a::error::Error),
    /// A stream ended before its task did, and could not be resumed.
    #[error("the agent ended the stream before its task had ended")]
    StreamEnded,
    /// An event of a stream is larger than allowed.
    #[error(transparent)]
    EventTooLarge(#[from] TooLarge),
    /// The body is no answer to the request.
    #[error("not an A2A answer: {why}; {answer}")]
    BadAnswer {
        /// What is wrong with it.
        why: String,
        /// What came.
        answer: Box<Excerpt>,
    },
    /// The request cannot be written.
    #[error("the request cannot be written: {why}")]
    Unwritable {
        /// Why.
        why: String,
    },
}

impl Error {
    /// True when the same request may succeed later: the network failed, or the server is busy or away
    /// by its HTTP status or its own word. Other errors of the agent are the caller's to judge.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Network(error) => error.is_retryable(),
            Self::HttpStatus { answer } => {
                matches!(answer.status.as_u16(), 408 | 429 | 502 | 503 | 504)
            }
            Self::Agent(error) => {
                matches!(
                    error.kind,
                    ErrorKind::TooManyRequests | ErrorKind::Unavailable
                )
            }
            _ => false,
        }
    }

    /// The wait that an HTTP answer asks for (`Retry-After` in seconds).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::HttpStatus { answer } => answer.retry_after,
            _ => None,
        }
    }
}

fn offers(offered: &[String]) -> String {
    if offered.is_empty() {
        "it names none".to_owned()
    } else {
        format!("it names {}", offered.join(", "))
    }
}

/// The beginning of an answer that is not what it should be, so that a person can see what it was:
/// a proxy's page, a login form, another service.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt {
    /// The URL that was called, without query.
    pub url: String,
    /// HTTP status.
    pub status: StatusCode,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The first characters of the body on one line, at most [`Excerpt::LENGTH`].
    pub beginning: String,
    /// How many bytes the body has.
    pub body_length: usize,
    /// `Retry-After` in seconds.
    pub retry_after: Option<Duration>,
}

impl Excerpt {
    /// How many characters of a body are kept.
    pub const LENGTH: usize = 120;

    pub(crate) fn of(response: &egress::Response) -> Box<Self> {
        Self::new(
            &response.url,
            response.status,
            &response.headers,
            &response.body,
        )
    }

    pub(crate) fn new(
        url: &Url,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Box<Self> {
        let mut url = url.clone();
        url.set_query(None);
        url.set_fragment(None);
        // Neither fails for a URL that was called, since it has a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let retry_after = text(header::RETRY_AFTER)
            .and_then(|value| value.trim().parse().ok())
            .map(Duration::from_secs);
        Box::new(Self {
            url: url.into(),
            status,
            content_type: text(header::CONTENT_TYPE).map(str::to_owned),
            beginning: beginning(body),
            body_length: body.len(),
            retry_after,
        })
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content_type = self.content_type.as_deref().unwrap_or("no content type");
        write!(
            f,
            "{} answered HTTP {} with {content_type}",
            self.url,
            self.status.as_u16(),
        )?;
        if self.beginning.is_empty() {
            f.write_str(", no text")
        } else {
            write!(f, ", beginning {:?}", self.beginning)
        }
    }
}

fn beginning(body: &[u8]) -> String {
    // A character has at most four bytes.
    let end = body.len().min(Excerpt::LENGTH * 4);
    String::from_utf8_lossy(&body[..end])
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|character| !character.is_control())
        .take(Excerpt::LENGTH)
        .collect()
}
