//! Trying again, as the dealer allows.

use std::time::Duration;

use tokio::time::Instant;

use super::Error;

/// How often a request is repeated, and how long the pauses are.
///
/// A request is repeated only when its error says that this may help
/// ([`Error::is_retryable`]). The dealer's own pause is kept; where it names none, pauses double
/// (AAP 1.3, errors).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// Repeats after the first attempt, at most.
    pub limit: u32,
    /// The first pause where the dealer names none.
    pub first_pause: Duration,
    /// The longest pause. A dealer who asks for more gets no repeat now, since the buyer waits.
    pub longest_pause: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            limit: 3,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
        }
    }
}

impl Retry {
    /// Repeats at most `limit` times.
    #[must_use]
    pub fn at_most(limit: u32) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Calls until there is an answer, an error that a repeat does not help, or no repeat left.
    ///
    /// # Errors
    /// The last attempt's error.
    pub async fn run<T>(&self, call: impl AsyncFn() -> Result<T, Error>) -> Result<T, Error> {
        let call = &call;
        self.repeat(None, move || call()).await
    }

    /// The same, without a pause that would last beyond `end`: the last error says more than that the
    /// time was over.
    pub(super) async fn run_until<T, A>(
        &self,
        end: Instant,
        call: impl Fn() -> A,
    ) -> Result<T, Error>
    where
        A: Future<Output = Result<T, Error>>,
    {
        self.repeat(Some(end), call).await
    }

    async fn repeat<T, A>(&self, end: Option<Instant>, call: impl Fn() -> A) -> Result<T, Error>
    where
        A: Future<Output = Result<T, Error>>,
    {
        let mut repeats = 0;
        loop {
            let error = match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let pause = self.pause(&error, repeats);
            let Some(pause) =
                pause.filter(|pause| end.is_none_or(|end| Instant::now() + *pause < end))
            else {
                return Err(error);
            };
            repeats += 1;
            tracing::info!(repeats, limit = self.limit, ?pause, "trying again");
            tokio::time::sleep(pause).await;
        }
    }

    /// The pause before repeat number `repeats + 1`.
    fn pause(&self, error: &Error, repeats: u32) -> Option<Duration> {
        if repeats >= self.limit || !error.is_retryable() {
            return None;
        }
        let pause = error.retry_after().unwrap_or_else(|| {
            self.first_pause
                .saturating_mul(2_u32.saturating_pow(repeats))
        });
        (pause <= self.longest_pause).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use aap::{AapError, ErrorCode};
    use serde_json::{Value, json};

    fn refusal(retryable: bool, details: &Value) -> Error {
        let error = AapError::new(
            ErrorCode::RateLimited,
            "slow down",
            "err_1",
            jiff::Timestamp::UNIX_EPOCH,
        )
        .with_retryable(retryable)
        .with_details(details.clone());
        let payload = error.to_payload();
        Error::Refused {
            error: Box::new(error),
            payload,
        }
    }

    /// Runs calls that are all refused; gives how many there were and how long it took.
    async fn refused(retry: Retry, retryable: bool, details: Value) -> (u32, Duration) {
        let calls = Cell::new(0);
        let begin = Instant::now();
        let outcome: Result<(), Error> = retry
            .run(async || {
                calls.set(calls.get() + 1);
                Err(refusal(retryable, &details))
            })
            .await;
        assert!(matches!(outcome, Err(Error::Refused { .. })));
        (calls.get(), begin.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_double_where_the_dealer_names_none() {
        let (calls, time) = refused(Retry::default(), true, json!({})).await;
        assert_eq!((calls, time), (4, Duration::from_millis(500 + 1000 + 2000)));
    }

    #[tokio::test(start_paused = true)]
    async fn the_dealers_pause_is_kept() {
        let (calls, time) =
            refused(Retry::at_most(2), true, json!({ "retry_after_ms": 1500 })).await;
        assert_eq!((calls, time), (3, Duration::from_secs(3)));
        let (_, time) = refused(Retry::at_most(1), true, json!({ "retry_after_seconds": 7 })).await;
        assert_eq!(time, Duration::from_secs(7));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_retryable_is_not_repeated() {
        let (calls, time) = refused(Retry::default(), false, json!({ "retry_after_ms": 10 })).await;
        assert_eq!((calls, time), (1, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_that_is_too_long_ends_the_attempts() {
        let hour = json!({ "retry_after_seconds": 3600 });
        let (calls, time) = refused(Retry::default(), true, hour).await;
        assert_eq!((calls, time), (1, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_beyond_the_end_is_not_begun() {
        let calls = Cell::new(0);
        let begin = Instant::now();
        let outcome: Result<(), Error> = Retry::at_most(10)
            .run_until(begin + Duration::from_secs(3), || {
                calls.set(calls.get() + 1);
                std::future::ready(Err(refusal(true, &json!({ "retry_after_ms": 2000 }))))
            })
            .await;
        assert!(matches!(outcome, Err(Error::Refused { .. })));
        assert_eq!((calls.get(), begin.elapsed()), (2, Duration::from_secs(2)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_ends_the_attempts() {
        let calls = Cell::new(0);
        let answer = Retry::default()
            .run(async || {
                calls.set(calls.get() + 1);
                match calls.get() {
                    1 => Err(refusal(true, &json!({}))),
                    calls => Ok(calls),
                }
            })
            .await;
        assert_eq!(answer.unwrap(), 2);
    }
}
