//! One way in for a file, whatever brought it: read, published, answered with a report.

use dealers::{Dealer, DealerId};
use inventory::{
    feed::FeedReport,
    intake::{self, Arrival},
    stock::{self, RunOutcome, RunState},
};
use serde_json::{Value, json};
use store::Store;

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
    /// What became of it, coarsely; `document` names the run's state.
    pub verdict: Verdict,
    /// [`intake::digest`] of the file, as the run has it.
    pub digest: Option<String>,
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
    dealer: &Dealer,
    feed: &str,
    file_name: Option<&str>,
    bytes: &[u8],
) -> Result<Receipt, stock::Error> {
    let arrival = Arrival {
        feed,
        file_name,
        bytes,
    };
    let (mut report, outcome) = intake::publish(store, id, dealer, arrival).await?;
    Ok(receipt(feed, file_name, &mut report, outcome))
}

fn receipt(
    feed: &str,
    file_name: Option<&str>,
    report: &mut FeedReport,
    outcome: RunOutcome,
) -> Receipt {
    let verdict = match outcome.state {
        RunState::Refused => Verdict::Refused,
        RunState::KeptLastGood => Verdict::KeptLastGood,
        _ => Verdict::Applied,
    };
    let mut document = report.without_vehicles();
    if let Value::Object(document) = &mut document {
        document.insert("feed".to_owned(), json!(feed));
        document.insert("file".to_owned(), json!(file_name));
        document.insert("result".to_owned(), json!(outcome.state.as_str()));
        document.insert("run".to_owned(), outcome.document());
    }
    Receipt {
        verdict,
        digest: outcome.file_digest,
        document,
    }
}
