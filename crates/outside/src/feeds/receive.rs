//! One way in for a file, whatever brought it: read, published, answered with a report.

use catalogs::Catalog;
use dealers::{Dealer, DealerId};
use inventory::{
    intake,
    stock::{self, RunState},
};
use serde_json::{Value, json};
use store::Store;

/// What a file becomes.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// Stock of a dealer.
    Stock {
        /// The dealer's settings.
        dealer: &'a Dealer,
        /// Name of the feed.
        feed: &'a str,
    },
    /// A catalog of a seller without cars.
    Catalog(&'a Catalog),
}

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

/// Reads a file and makes it what the target says, durable on return. `id` is the dealer's, or the name of
/// the catalog. The work is done away from the threads that serve requests.
///
/// # Errors
/// When the database fails. Nothing is written then, and the file can be handed in again.
pub async fn receive(
    store: &Store,
    id: &DealerId,
    target: Target<'_>,
    file_name: Option<&str>,
    bytes: &[u8],
) -> Result<Receipt, stock::Error> {
    match target {
        Target::Stock { dealer, feed } => {
            let arrival = intake::Arrival {
                feed,
                file_name,
                bytes,
            };
            let (mut report, outcome) = intake::publish(store, id, dealer, arrival).await?;
            let (state, digest) = (outcome.state, outcome.file_digest.clone());
            let document = with_run(report.without_vehicles(), outcome.document());
            Ok(receipt((feed, file_name), state, digest, document))
        }
        Target::Catalog(catalog) => {
            let arrival = catalogs::Arrival { file_name, bytes };
            let (report, run) = catalogs::publish(store, id, catalog, arrival).await?;
            let (state, digest) = (run.state, run.file_digest.clone());
            let document = with_run(report.document(), catalogs::run_document(&run));
            Ok(receipt(
                (catalogs::FEED, file_name),
                state,
                digest,
                document,
            ))
        }
    }
}

fn with_run(mut document: Value, run: Value) -> Value {
    document["run"] = run;
    document
}

fn receipt(
    (feed, file_name): (&str, Option<&str>),
    state: RunState,
    digest: Option<String>,
    mut document: Value,
) -> Receipt {
    let verdict = match state {
        RunState::Refused => Verdict::Refused,
        RunState::KeptLastGood => Verdict::KeptLastGood,
        _ => Verdict::Applied,
    };
    document["feed"] = json!(feed);
    document["file"] = json!(file_name);
    document["result"] = json!(state.as_str());
    Receipt {
        verdict,
        digest,
        document,
    }
}
