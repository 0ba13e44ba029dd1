//! A cause of a source that is looked at again and again, kept true without asking the database at
//! every look.

use store::Store;

use crate::{
    alarm::{self, Cause},
    explain,
};

/// A network share or a server may be away for a moment; so many failures in a row need a person.
const FAILURES: u32 = 3;

/// Whether something about a source is wrong.
#[derive(Debug)]
pub(crate) struct Trouble {
    cause: Cause,
    failures: u32,
    /// What the database holds; `None` when that is not known.
    stored: Option<Option<String>>,
}

impl Trouble {
    pub(crate) fn new(cause: Cause) -> Self {
        Self {
            cause,
            failures: 0,
            stored: None,
        }
    }

    /// Failures in a row.
    pub(crate) const fn failures(&self) -> u32 {
        self.failures
    }

    /// Counts a failure. It needs a person at once, or when it lasts.
    pub(crate) async fn failed(&mut self, store: &Store, message: String, at_once: bool) {
        self.failures += 1;
        tracing::warn!(
            dealer = self.cause.dealer.as_ref().map(tracing::field::display),
            subject = self.cause.subject,
            failures = self.failures,
            "{message}"
        );
        if at_once || self.failures >= FAILURES {
            self.set(store, Some(message)).await;
        }
    }

    /// Nothing is wrong.
    pub(crate) async fn fine(&mut self, store: &Store) {
        self.failures = 0;
        self.set(store, None).await;
    }

    /// Sets what is wrong. A database that fails hears of it at the next look.
    pub(crate) async fn set(&mut self, store: &Store, message: Option<String>) {
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
