//! What stands before the endpoints: who calls, and whether there is room.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use a2a::error::{Error, ErrorKind};
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::Authentication;

/// What a request must pass before anything else of it is looked at. The default lets everything pass.
///
/// One guard may stand before several endpoints, whose requests then share its room. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    authentication: Option<Arc<Authentication>>,
    room: Option<Room>,
}

/// How many requests may be under way.
#[derive(Debug, Clone)]
struct Room {
    free: Arc<Semaphore>,
    retry_after: HeaderValue,
}

/// A request that may go on. Its place is free again when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Admitted {
    /// Who calls, where that is proven.
    pub(crate) caller: Option<String>,
    _place: Option<OwnedSemaphorePermit>,
}

/// A request that may not, and the headers that tell what to do about it.
pub(crate) struct Refusal {
    pub(crate) error: Error,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Guard {
    /// The same guard, which finds out who calls and turns away who may not.
    #[must_use]
    pub fn authenticating(mut self, authentication: Authentication) -> Self {
        self.authentication = Some(Arc::new(authentication));
        self
    }

    /// The same guard, which lets at most `requests` be answered at the same time; more are told at once
    /// to come back after a time, of which whole seconds count. A stream counts until it begins: its
    /// connection is limited by [`ServeOptions`](crate::serve::ServeOptions).
    #[must_use]
    pub fn at_most(mut self, requests: usize, retry_after: Duration) -> Self {
        let requests = requests.min(Semaphore::MAX_PERMITS);
        self.room = Some(Room {
            free: Arc::new(Semaphore::new(requests)),
            retry_after: HeaderValue::from(retry_after.as_secs().max(1)),
        });
        self
    }

    /// Whether a request may go on. Nothing waits here for room.
    pub(crate) async fn admit(
        &self,
        headers: &HeaderMap,
        query: Option<&str>,
    ) -> Result<Admitted, Refusal> {
        let place = match &self.room {
            None => None,
            Some(room) => Some(room.enter()?),
        };
        let caller = match &self.authentication {
            None => None,
            Some(authentication) => authentication.caller(headers, query).await?,
        };
        Ok(Admitted {
            caller,
            _place: place,
        })
    }

    /// Adds to an answer of 401 how to authenticate, where it does not say so itself (RFC 9110 §15.5.2).
    pub(crate) fn challenge(&self, response: &mut Response) {
        let silent = response.status() == StatusCode::UNAUTHORIZED
            && !response.headers().contains_key(header::WWW_AUTHENTICATE);
        if let (true, Some(authentication)) = (silent, &self.authentication) {
            for challenge in authentication.challenges(None) {
                let headers = response.headers_mut();
                headers.append(header::WWW_AUTHENTICATE, challenge);
            }
        }
    }
}

impl Room {
    fn enter(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        Arc::clone(&self.free)
            .try_acquire_owned()
            .map_err(|_| Refusal {
                error: Error::new(
                    ErrorKind::Unavailable,
                    "the server has too much to do; try again later",
                ),
                headers: vec![(header::RETRY_AFTER, self.retry_after.clone())],
            })
    }
}

impl Refusal {
    /// Whether the caller is at fault. Whoever is turned away for lack of room is not waited for.
    pub(crate) fn is_callers(&self) -> bool {
        self.error.kind != ErrorKind::Unavailable
    }

    /// The answer of a binding with the headers of the refusal.
    pub(crate) fn complete(self, mut response: Response) -> Response {
        for (name, value) in self.headers {
            response.headers_mut().append(name, value);
        }
        response
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal")
            .field("error", &self.error)
            .finish()
    }
}
