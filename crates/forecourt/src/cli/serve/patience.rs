//! A start beside a database server that is slow, busy or being replaced by another: what needs the
//! database is asked again until it answers.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::{app::OpenError, cli::site::HashKeyError};

/// The pause after the first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How long a start asks again. All its steps share it.
#[derive(Debug)]
pub(super) struct Patience {
    ends: Instant,
}

/// Why a step of the start failed.
pub(super) trait Setback: std::error::Error {
    /// Whether the same may succeed later, and nothing else has to be done for it.
    fn may_pass(&self) -> bool;
}

impl Patience {
    pub(super) fn of(length: Duration) -> Self {
        let ends = Instant::now() + length;
        Self { ends }
    }

    /// Does a step of the start, again after each setback that may pass by itself.
    ///
    /// # Errors
    /// The setback that may not pass, or the last one within the patience.
    pub(super) async fn insist<T, E: Setback>(
        &self,
        step: &str,
        mut attempt: impl AsyncFnMut() -> Result<T, E>,
    ) -> Result<T, E> {
        let mut pause = FIRST_PAUSE;
        loop {
            let setback = match attempt().await {
                Err(setback) if setback.may_pass() => setback,
                done => return done,
            };
            let left = self.ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(setback);
            }
            pause = pause.min(left);
            tracing::warn!(
                step,
                error = %crate::explain(&setback),
                again_after_ms = pause.as_millis(),
                gives_up_after_s = left.as_secs(),
                "the start waits for the database"
            );
            sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

impl Setback for store::Error {
    fn may_pass(&self) -> bool {
        self.is_transient()
    }
}

impl Setback for HashKeyError {
    fn may_pass(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_transient())
    }
}

impl Setback for OpenError {
    fn may_pass(&self) -> bool {
        match self {
            Self::Store(error) => error.is_transient(),
            Self::Stock { source, .. } => source.is_transient(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use store::Error;

    use super::*;

    fn away() -> Error {
        let source: Box<dyn std::error::Error + Send + Sync> = "nobody answers".into();
        Error::Unavailable {
            path: None,
            source: Arc::from(source),
        }
    }

    async fn tries(patience: u64, mut outcomes: Vec<Result<(), Error>>) -> (usize, bool) {
        let mut tries = 0;
        outcomes.reverse();
        let patience = Patience::of(Duration::from_secs(patience));
        let done = patience.insist("a step", async || {
            tries += 1;
            outcomes.pop().unwrap_or_else(|| Err(away()))
        });
        let is_done = done.await.is_ok();
        (tries, is_done)
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_pass_is_tried_until_it_does_or_the_patience_ends() {
        assert_eq!(
            tries(60, vec![Err(away()), Err(away()), Ok(())]).await,
            (3, true)
        );
        // After 0, 0.5, 1.5, 3.5, 7.5, 15.5, 25.5, 30 s.
        assert_eq!(tries(30, Vec::new()).await, (8, false));
        // A file has none.
        assert_eq!(tries(0, Vec::new()).await, (1, false));
    }

    #[tokio::test(start_paused = true)]
    async fn what_needs_a_person_is_told_at_once() {
        let unknown = vec!["leads-99".to_owned()];
        let newer = Err(Error::NewerSchema { unknown });
        assert_eq!(tries(60, vec![Err(away()), newer]).await, (2, false));
    }
}
