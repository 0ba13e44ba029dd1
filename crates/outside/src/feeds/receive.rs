//! One way in for a file, whatever brought it: read, published, answered with a report.

use std::sync::Arc;

use bytes::Bytes;
use dealers::{Dealer, DealerId};
use inventory::{
    feed::FeedReport,
    intake::{self, Arrival},
    stock::{self, RunOutcome},
};
use serde_json::{Value, json};
use store::Store;
use tokio::runtime::Handle;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It is the stock of its feed, whole or in part.
    Applied,
    /// It looked wrong, and the stock stays as the last good file left it.
    KeptLastGood,
    /// It could not be read as a feed.
    Refused,
}

/// What became of a file, with the report for whoever sent it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Receipt {
    /// In one word.
    pub verdict: Verdict,
    /// The report as JSON: what was read, every row that was skipped and why, and what the run did
    /// to the stock. The vehicles themselves are left out: they stand in the file.
    pub document: Value,
}

/// Reads a file and makes it the feed's stock, durable on return. The work is done away from the
/// threads that serve requests.
///
/// # Errors
/// When the database fails. Nothing is written then, and the file can be handed in again.
pub async fn receive(
    store: &Store,
    id: &DealerId,
    dealer: &Arc<Dealer>,
    feed: &str,
    file_name: Option<&str>,
    bytes: Bytes,
) -> Result<Receipt, stock::Error> {
    let (store, id, dealer) = (store.clone(), id.clone(), Arc::clone(dealer));
    let (feed, file_name) = (feed.to_owned(), file_name.map(str::to_owned));
    let runtime = Handle::current();
    let work = move || {
        let arrival = Arrival {
            feed: &feed,
            file_name: file_name.as_deref(),
            bytes: &bytes,
        };
        let published = runtime.block_on(intake::publish(&store, &id, &dealer, arrival));
        published.map(|(report, outcome)| receipt(&feed, file_name.as_deref(), &report, &outcome))
    };
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or(Err(store::Error::Panicked.into()))
}

fn receipt(
    feed: &str,
    file_name: Option<&str>,
    report: &FeedReport,
    outcome: &RunOutcome,
) -> Receipt {
    let verdict = match (&report.refused, &outcome.kept_last_good) {
        (Some(_), _) => Verdict::Refused,
        (None, Some(_)) => Verdict::KeptLastGood,
        (None, None) => Verdict::Applied,
    };
    let mut document = json!(report);
    if let Value::Object(document) = &mut document {
        document.remove("vehicles");
        document.insert("feed".to_owned(), json!(feed));
        document.insert("file".to_owned(), json!(file_name));
        document.insert("result".to_owned(), json!(verdict.as_str()));
        document.insert(
            "run".to_owned(),
            json!({
                "added": outcome.added,
                "changed": outcome.changed,
                "withdrawn": outcome.withdrawn,
                "reason": outcome.kept_last_good,
            }),
        );
    }
    Receipt { verdict, document }
}

impl Verdict {
    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::KeptLastGood => "kept_last_good",
            Self::Refused => "refused",
        }
    }
}
