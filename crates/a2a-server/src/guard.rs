//! What stands before the endpoints: who calls, and whether there is room.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use a2a::error::{Error, ErrorKind};
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::{Authentication, Identity};

/// What a request must pass before anything else of it is looked at. The default lets everything pass.
///
/// One guard may stand before several endpoints, whose requests then share its room. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    authentication: Option<Arc<Authentication>>,
    room: Option<Room>,
    shares: Option<Shares>,
}

/// How many requests may be under way.
#[derive(Debug, Clone)]
struct Room {
    free: Arc<Semaphore>,
    retry_after: HeaderValue,
}

/// How many of them may be of the same caller.
#[derive(Debug, Clone)]
struct Shares {
    each: usize,
    taken: Arc<Mutex<HashMap<String, usize>>>,
    retry_after: HeaderValue,
}

/// One request of a caller's share.
#[derive(Debug)]
struct Taken {
    caller: String,
    taken: Arc<Mutex<HashMap<String, usize>>>,
}

/// A request that may go on. Its place is free again when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Admitted {
    /// Who calls, where that is proven.
    pub(crate) caller: Option<Identity>,
    _place: Option<OwnedSemaphorePermit>,
    _share: Option<Taken>,
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
            retry_after: seconds(retry_after),
        });
        self
    }

    /// The same guard, which lets at most `requests` of one caller be answered at the same time, so that
    /// none takes the room of the others. Callers who prove nothing have no share of their own.
    #[must_use]
    pub fn at_most_each(mut self, requests: usize, retry_after: Duration) -> Self {
        self.shares = Some(Shares {
            each: requests,
            taken: Arc::default(),
            retry_after: seconds(retry_after),
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
        let share = match (&self.shares, &caller) {
            (Some(shares), Some(caller)) => Some(shares.take(&caller.name)?),
            _ => None,
        };
        Ok(Admitted {
            caller,
            _place: place,
            _share: share,
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
        let words = "the server has too much to do; try again later";
        let free = Arc::clone(&self.free).try_acquire_owned();
        free.map_err(|_| Refusal::later(ErrorKind::Unavailable, words, &self.retry_after))
    }
}

impl Shares {
    fn take(&self, caller: &str) -> Result<Taken, Refusal> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_caller = taken.entry(caller.to_owned()).or_default();
        if *of_caller >= self.each {
            let words = "too many of your requests are under way; wait for an answer";
            let kind = ErrorKind::TooManyRequests;
            return Err(Refusal::later(kind, words, &self.retry_after));
        }
        *of_caller += 1;
        Ok(Taken {
            caller: caller.to_owned(),
            taken: Arc::clone(&self.taken),
        })
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_caller) = taken.get_mut(&self.caller) {
            *of_caller -= 1;
            if *of_caller == 0 {
                taken.remove(&self.caller);
            }
        }
    }
}

fn seconds(duration: Duration) -> HeaderValue {
    HeaderValue::from(duration.as_secs().max(1))
}

impl Refusal {
    fn later(kind: ErrorKind, words: &str, retry_after: &HeaderValue) -> Self {
        Self {
            error: Error::new(kind, words),
            headers: vec![(header::RETRY_AFTER, retry_after.clone())],
        }
    }

    /// Whether the body that belongs to it is worth reading to its end: whoever is turned away for lack of
    /// room is not waited for.
    pub(crate) fn may_wait(&self) -> bool {
        !matches!(
            self.error.kind,
            ErrorKind::Unavailable | ErrorKind::TooManyRequests
        )
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
