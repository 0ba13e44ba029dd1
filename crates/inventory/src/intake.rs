//! A feed file as it arrives: read, compared with the stock, published.

use std::sync::Arc;

use dealers::{Dealer, DealerId};
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};
use store::{Clock, Store};

use crate::{
    feed::{self, FeedReport, ReadOptions},
    stock::{self, Run, RunOutcome},
};

/// A feed file as it arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// Name of the feed in the configuration.
    pub feed: &'a str,
    /// Name of the file, where it has one.
    pub file_name: Option<&'a str>,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Reads a file and makes it the feed's stock, durable on return. A file that is refused, or that
/// cannot be right, changes nothing but the list of runs.
///
/// # Errors
/// When the database fails. Nothing is written then.
pub async fn publish(
    store: &Store,
    id: &DealerId,
    dealer: &Dealer,
    arrival: Arrival<'_>,
) -> Result<(FeedReport, RunOutcome), stock::Error> {
    let settings = dealer.feeds.get(arrival.feed).cloned().unwrap_or_default();
    let options = ReadOptions::of(dealer, &settings, today(store.clock()));
    let report = Arc::new(feed::read(arrival.bytes, &options));
    let outcome = {
        let report = Arc::clone(&report);
        let (id, feed) = (id.clone(), arrival.feed.to_owned());
        let file_name = arrival.file_name.map(str::to_owned);
        let digest = hex(&Sha256::digest(arrival.bytes));
        let rooftops: Vec<String> = dealer.rooftops.keys().cloned().collect();
        let (run_id, now) = (store.clock().new_id(), store.clock().now());
        store
            .write(move |conn| {
                let run = Run {
                    dealer: &id,
                    feed: &feed,
                    id: run_id,
                    now,
                    file_name: file_name.as_deref(),
                    file_digest: Some(&digest),
                    report: &report,
                    settings: &settings,
                    rooftops: &rooftops,
                };
                stock::apply(conn, &run)
            })
            .await?
    };
    let mut report = Arc::unwrap_or_clone(report);
    report.kept_last_good = outcome.kept_last_good.is_some();
    Ok((report, outcome))
}

/// The day at this moment. Feeds carry dates without a zone, and one day more or less decides
/// nothing.
#[must_use]
pub fn today(clock: &Clock) -> jiff::civil::Date {
    TimeZone::UTC.to_datetime(clock.now()).date()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
