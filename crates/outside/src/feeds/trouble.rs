//! A cause of a feed's source, kept true without asking the database at every look.

use dealers::DealerId;
use store::Store;

use crate::{
    alarm::{self, Cause, Kind},
    explain,
};

/// A network share or a server may be away for a moment; so many failures in a row need a person.
const FAILURES: u32 = 3;

/// Whether something about a feed's source is wrong.
#[derive(Debug)]
pub(super) struct Trouble {
    cause: Cause,
    failures: u32,
    /// What the database holds; `None` when that is not known.
    stored: Option<Option<String>>,
}

impl Trouble {
    pub(super) fn new(dealer: &DealerId, kind: Kind, feed: &str) -> Self {
        Self {
            cause: Cause::of_dealer(dealer, kind, feed),
            failures: 0,
            stored: None,
        }
    }

    /// Failures in a row.
    pub(super) const fn failures(&self) -> u32 {
        self.failures
    }

    /// Counts a failure. It needs a person at once, or when it lasts.
    pub(super) async fn failed(&mut self, store: &Store, message: String, at_once: bool) {
        self.failures += 1;
        tracing::warn!(
            dealer = self.cause.dealer.as_ref().map(tracing::field::display),
            feed = self.cause.subject,
            failures = self.failures,
            "{message}"
        );
        if at_once || self.failures >= FAILURES {
            self.set(store, Some(message)).await;
        }
    }

    /// Nothing is wrong.
    pub(super) async fn fine(&mut self, store: &Store) {
        self.failures = 0;
        self.set(store, None).await;
    }

    /// Sets what is wrong. A database that fails hears of it at the next look.
    pub(super) async fn set(&mut self, store: &Store, message: Option<String>) {
        if self.stored.as_ref() == Some(&message) {
            return;
        }
        match alarm::set(store, &self.cause, message.clone()).await {
            Ok(()) => self.stored = Some(message),
            Err(error) => {
                tracing::error!(error = %explain(&error), "an alarm could not be stored");
            }
        }
    }
}
