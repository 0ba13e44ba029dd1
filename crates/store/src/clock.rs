//! Time and identifiers, so that a test can stand at any date and see the same ids again.

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// Where time and new identifiers come from. Cheap to clone; clones share a manual clock's hands.
#[derive(Debug, Clone, Default)]
pub struct Clock(Option<Arc<Mutex<Manual>>>);

#[derive(Debug)]
struct Manual {
    now: Timestamp,
    ids: u64,
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub const fn system() -> Self {
        Self(None)
    }

    /// A clock that stands at `now` until it is moved, and whose ids are a counted sequence.
    #[must_use]
    pub fn manual(now: Timestamp) -> Self {
        Self(Some(Arc::new(Mutex::new(Manual { now, ids: 0 }))))
    }

    /// The time, cut to milliseconds, which is what the database keeps.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that asks the machine"
    )]
    pub fn now(&self) -> Timestamp {
        let now = match &self.0 {
            None => Timestamp::now(),
            Some(manual) => lock(manual).now,
        };
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// Moves a manual clock; the machine's clock stays as it is.
    pub fn advance(&self, by: SignedDuration) {
        if let Some(manual) = &self.0 {
            let mut manual = lock(manual);
            if let Ok(later) = manual.now.checked_add(by) {
                manual.now = later;
            }
        }
    }

    /// A new UUID of version 7: it begins with the time, so that keys grow in order.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that asks the machine"
    )]
    pub fn new_id(&self) -> Uuid {
        match &self.0 {
            None => Uuid::now_v7(),
            Some(manual) => {
                let mut manual = lock(manual);
                manual.ids += 1;
                let mut random = [0; 10];
                random[2..].copy_from_slice(&manual.ids.to_be_bytes());
                let milliseconds = u64::try_from(manual.now.as_millisecond()).unwrap_or_default();
                uuid::Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid()
            }
        }
    }
}

fn lock(manual: &Mutex<Manual>) -> std::sync::MutexGuard<'_, Manual> {
    manual
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
