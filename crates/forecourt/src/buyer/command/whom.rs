//! Whom to talk to, one dealer or many, and how patiently.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use egress::Egress;
use jiff::SignedDuration;
use serde_json::json;
use store::Clock;

use super::{input, outcome};
use crate::{
    buyer::{
        Dealer, Error, Retry,
        market::{Market, Patience, read_list},
        reach::Opened,
    },
    cli::outcome::{Exit, Failure},
    explain,
};

/// One dealer, and how patiently to wait for it.
#[derive(Debug, Args)]
pub(crate) struct To {
    /// The agent's base URL, or the URL of its card
    #[arg(value_name = "URL")]
    url: String,
    #[command(flatten)]
    patience: OnePatience,
}

/// One dealer, or many at once.
#[derive(Debug, Args)]
pub(crate) struct Whom {
    /// The agent's base URL, or the URL of its card
    #[arg(value_name = "URL", required_unless_present = "dealers")]
    url: Option<String>,
    #[command(flatten)]
    patience: OnePatience,
    /// Ask many dealers at once: a file with one URL a line, and after it what you call the dealer;
    /// `#` begins a comment; `-` reads standard input
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Many dealers",
        conflicts_with_all = ["url", "timeout"]
    )]
    dealers: Option<PathBuf>,
    /// Dealers that are asked at the same time
    #[arg(
        long,
        value_name = "COUNT",
        help_heading = "Many dealers",
        default_value_t = 16,
        conflicts_with = "url",
        value_parser = clap::value_parser!(u16).range(1..=256)
    )]
    at_once: u16,
    /// What each dealer has for its answer, repeats included
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Many dealers",
        default_value = "10s",
        conflicts_with = "url",
        value_parser = time
    )]
    deadline: Duration,
    /// What all dealers have together; then the answers so far are the result [default: no limit]
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Many dealers",
        conflicts_with = "url",
        value_parser = time
    )]
    within: Option<Duration>,
}

#[derive(Debug, Clone, Copy, Args)]
struct OnePatience {
    /// Longest wait for an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Repeats, at most, of what the dealer calls retryable and of what the network loses
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=20))]
    retries: u32,
}

/// What [`Whom`] comes to.
pub(super) enum Chosen {
    One(To),
    Many(Market),
}

impl To {
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn retry(&self) -> Retry {
        Retry::at_most(self.patience.retries)
    }

    pub(super) fn egress(&self) -> Result<Egress, Failure> {
        if !self.url.contains("://") {
            return Err(Failure::usage(format!(
                "{:?} has no scheme; write for example https://dealer.example",
                self.url
            )));
        }
        Opened::by(&self.url)
            .egress(Duration::from_secs(self.patience.timeout))
            .map_err(|error| setup(&error))
    }

    pub(super) async fn dealer(&self, clock: &Clock) -> Result<Dealer, Failure> {
        Dealer::discover(&self.egress()?, &self.url, clock)
            .await
            .map_err(outcome::failure)
    }

    pub(super) async fn call<T>(
        &self,
        call: impl AsyncFn() -> Result<T, Error>,
    ) -> Result<T, Failure> {
        self.retry().run(call).await.map_err(outcome::failure)
    }
}

impl Whom {
    pub(super) fn reads_standard_input(&self) -> bool {
        self.dealers.as_deref() == Some(Path::new("-"))
    }

    pub(super) fn choose(self, clock: &Clock) -> Result<Chosen, Failure> {
        let Some(list) = &self.dealers else {
            return Ok(Chosen::One(To {
                // Without a list, the command line is refused where there is no URL either.
                url: self.url.unwrap_or_default(),
                patience: self.patience,
            }));
        };
        let dealers = read_list(&input::bytes(list)?).map_err(|error| {
            let message = format!("{}: {error}", list.display());
            let document = json!({
                "error": { "code": "invalid_list", "message": message, "problems": error.0 },
            });
            Failure::new(Exit::Usage, "invalid_list", message).with_document(document)
        })?;
        let mut patience = Patience::default();
        patience.at_once = self.at_once.into();
        patience.deadline = self.deadline;
        patience.within = self.within;
        patience.retry = Retry::at_most(self.patience.retries);
        Market::new(dealers, patience, clock)
            .map(Chosen::Many)
            .map_err(|error| setup(&error))
    }
}

fn setup(error: &egress::Error) -> Failure {
    Failure::refused("setup", explain(error))
}

/// Reads a length of time such as `10s`, `500ms` or `1m 30s`, up to an hour.
fn time(text: &str) -> Result<Duration, String> {
    let expected = "expected a length of time up to one hour, for example 10s, 500ms or 1m 30s";
    let time: SignedDuration = text.parse().map_err(|_| expected.to_owned())?;
    Duration::try_from(time)
        .ok()
        .filter(|time| (Duration::from_millis(1)..=Duration::from_secs(3600)).contains(time))
        .ok_or_else(|| expected.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_and_is_at_most_an_hour() {
        for (text, milliseconds) in [
            ("10s", 10_000),
            ("500ms", 500),
            ("1m 30s", 90_000),
            ("1h", 3_600_000),
        ] {
            assert_eq!(
                time(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for wrong in ["", "10", "-1s", "0s", "2h", "soon"] {
            assert!(time(wrong).unwrap_err().contains("10s"), "{wrong}");
        }
    }
}
