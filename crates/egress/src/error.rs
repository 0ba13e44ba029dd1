//! Why a request was not made or not answered.

use std::{error::Error as StdError, fmt, net::IpAddr, sync::Arc};

/// Why there is no answer. Texts name the origin of a URL only: path and query may hold secrets.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a URL that can be called.
    #[error("not a usable URL: {reason}")]
    InvalidUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// The scheme is neither `https` nor `http`, or `http` to an address that is not opened for it.
    #[error("{scheme} is not allowed for {host}: {expected}")]
    SchemeNotAllowed {
        /// The scheme found.
        scheme: String,
        /// The host called.
        host: String,
        /// What to use instead.
        expected: &'static str,
    },
    /// The host is, or resolves to, addresses that are not on the public internet and were not
    /// opened on purpose.
    #[error("refused to connect to {host}: {address} is not a public address")]
    AddressBlocked {
        /// The host as the URL has it.
        host: String,
        /// The address that is closed.
        address: IpAddr,
    },
    /// The server answered with a redirect, which is never followed.
    #[error(
        "{origin} redirects (HTTP {status}) to {to}; redirects are not followed, use that address if you trust it"
    )]
    Redirected {
        /// Scheme, host and port that were called.
        origin: String,
        /// 301, 302, 303, 307 or 308.
        status: u16,
        /// The absolute target, or the `Location` header as sent when it is no URL.
        to: String,
    },
    /// No connection: the name does not resolve, or nobody listens.
    #[error("cannot reach {origin}")]
    Unreachable {
        /// Scheme, host and port that were called.
        origin: String,
        /// What the network said.
        source: Cause,
    },
    /// The connection broke before the answer was complete. The server may have acted.
    #[error("the connection to {origin} broke before the answer was complete")]
    Interrupted {
        /// Scheme, host and port that were called.
        origin: String,
        /// What the network said.
        source: Cause,
    },
    /// No complete answer in the time allowed. The server may have acted.
    #[error("{origin} did not answer in time")]
    TimedOut {
        /// Scheme, host and port that were called.
        origin: String,
    },
    /// The body is longer than allowed; reading stopped.
    #[error("the answer of {origin} is larger than {limit} bytes")]
    TooLarge {
        /// Scheme, host and port that were called.
        origin: String,
        /// Most bytes allowed.
        limit: usize,
    },
    /// No secure connection: an untrusted or wrong certificate, or a server that speaks no TLS.
    #[error("no secure connection to {origin}")]
    Tls {
        /// Scheme, host and port that were called.
        origin: String,
        /// What the TLS library said.
        source: Cause,
    },
    /// The client could not be set up.
    #[error("the HTTP client could not be set up")]
    Setup {
        /// What the HTTP library said.
        source: Cause,
    },
}

impl Error {
    /// True when the same request may succeed later: the network failed, not the request.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. } | Self::Interrupted { .. } | Self::TimedOut { .. }
        )
    }
}

/// What the HTTP library said, in the words of its innermost error (the outer ones only say that
/// a request failed).
#[derive(Clone)]
pub struct Cause(Arc<dyn StdError + Send + Sync>);

impl Cause {
    pub(crate) fn new(error: impl StdError + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outermost: &(dyn StdError + 'static) = &*self.0;
        let innermost = chain(outermost).last().unwrap_or(outermost);
        write!(f, "{innermost}")
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl StdError for Cause {}

/// An error and everything below it, outermost first.
pub(crate) fn chain<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let found = next?;
        next = found.source();
        Some(found)
    })
}
