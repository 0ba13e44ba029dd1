//! What other processes change while the server runs: stock that is imported, tests of destinations
//! that are passed.

use std::{sync::Arc, time::Duration};

use dealers::DealerId;
use inventory::stock;
use jiff::{SignedDuration, Timestamp};
use leads::readiness::{Lack, last_passed};
use store::{Error, Heard};
use tokio::time::Instant;

use super::{
    App,
    directory::{Directory, Served},
};

/// How soon what another process changed is served when no word comes of it. Where the look at many
/// dealers takes long it is rarer, but never rarer than [`REFRESH_AT_LEAST_EVERY`].
const REFRESH_EVERY: Duration = Duration::from_secs(1);
/// The longest that a change of which no word comes goes unnoticed.
const REFRESH_AT_LEAST_EVERY: Duration = Duration::from_secs(5);
/// How often it is seen whether there is more stock in memory than is wanted.
const MAKE_ROOM_EVERY: Duration = Duration::from_millis(200);
/// For how long the last test is looked at again, as another may be written in the same instant.
const SETTLES_AFTER: SignedDuration = SignedDuration::from_secs(5);

impl App {
    /// Takes over stock that another process imported, offers to take leads when the destinations
    /// have passed their tests, and bounds the stock in memory, until the future is dropped. A database
    /// that does not answer delays this and loses nothing.
    pub async fn keep_fresh(&self) {
        tokio::join!(self.keep_looking(), self.keep_listening(), self.keep_room());
    }

    async fn keep_looking(&self) {
        let mut seen = None;
        loop {
            let begun = Instant::now();
            self.refresh_all().await;
            if let Err(error) = self.look_for_tests(&mut seen).await {
                tracing::warn!(
                    error = %crate::explain(&error),
                    "the tests of the destinations could not be read"
                );
            }
            let rest = REFRESH_EVERY.max(begun.elapsed() * 20);
            tokio::time::sleep(rest.min(REFRESH_AT_LEAST_EVERY)).await;
        }
    }

    /// Takes over stock of which another node says that it imported it.
    async fn keep_listening(&self) {
        let mut signals = self.store.listen();
        loop {
            match signals.next().await {
                Heard::Signal(signal) if signal.topic == stock::TOPIC => {
                    self.refresh_one(&signal.dealer).await;
                }
                Heard::Signal(_) => {}
                Heard::Missed => self.refresh_all().await,
            }
        }
    }

    /// Takes stock out of memory that nobody has asked for longest, where there is more than is wanted. Of
    /// thousands of dealers many may be asked for the first time within a second, each of whom brings stock.
    async fn keep_room(&self) {
        loop {
            tokio::time::sleep(MAKE_ROOM_EVERY).await;
            let directory = self.directory.load_full();
            let Some(larder) = &directory.larder else {
                continue;
            };
            let taken = larder.make_room(directory.dealers().map(|served| &served.lot));
            if taken.is_empty() {
                continue;
            }
            tracing::debug!(put_away = taken.len(), "stock was taken out of memory");
            // Much of it takes long to free, while connections are to be accepted.
            let freed = tokio::task::spawn_blocking(move || drop(taken)).await;
            drop(freed);
        }
    }

    async fn refresh_one(&self, dealer: &str) {
        let Some(served) = self.directory.load_full().by_id(dealer) else {
            return;
        };
        let id = served.lot.id().clone();
        let read = self.store.read(move |conn| stock::version(conn, &id)).await;
        match read {
            Ok(stored) => self.refresh(&served, stored).await,
            Err(error) => unread(&error),
        }
    }

    async fn refresh_all(&self) {
        let versions = match self.store.read(stock::versions).await {
            Ok(versions) => versions,
            Err(error) => return unread(&error),
        };
        for served in self.directory.load_full().dealers() {
            let stored = versions.get(served.lot.id()).copied().unwrap_or_default();
            self.refresh(served, stored).await;
        }
    }

    /// Loads the stock of a dealer when its version is not the one in memory.
    async fn refresh(&self, served: &Served, stored: u64) {
        let lot = &served.lot;
        match lot.refresh(stored, &self.store).await {
            Ok(false) => {}
            Ok(true) => tracing::info!(
                dealer = %lot.id(),
                vehicles = lot.in_memory().map_or(0, |stock| stock.len()),
                "serving new stock"
            ),
            Err(error) => tracing::warn!(
                dealer = %lot.id(),
                error = %crate::explain(&error),
                "the stock could not be read again"
            ),
        }
    }

    /// Renews the offers of dealers that take no leads, when a test was passed since `seen`.
    async fn look_for_tests(&self, seen: &mut Option<Timestamp>) -> Result<(), Error> {
        let directory = self.directory.load_full();
        let waits = |served: &&Arc<Served>| !served.offer().lacks.is_empty();
        let waiting: Vec<&Arc<Served>> = directory.dealers().filter(waits).collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let last = self.store.read(last_passed).await?;
        let settled =
            last.is_none_or(|last| self.store.clock().now().duration_since(last) >= SETTLES_AFTER);
        if last == *seen && settled {
            return Ok(());
        }
        for served in waiting {
            self.renew_offer(&directory, served).await?;
        }
        *seen = last;
        Ok(())
    }

    async fn renew_offer(&self, directory: &Directory, served: &Served) -> Result<(), Error> {
        let lacks = directory.lacks(&served.lot, self.site()).await?;
        if lacks == served.offer().lacks {
            return Ok(());
        }
        let takes_leads = lacks.is_empty();
        let offer = directory.offer(&served.lot, lacks, self.site()).await?;
        served.renew(offer);
        if takes_leads {
            tracing::info!(
                dealer = %served.lot.id(),
                "every destination has passed its test: lead.submit is offered"
            );
        }
        Ok(())
    }

    /// Everything that keeps dealers from taking leads.
    #[must_use]
    pub fn lacks(&self) -> Vec<(DealerId, Vec<Lack>)> {
        let directory = self.directory.load();
        let dealers = directory.dealers();
        let lacks = dealers.map(|served| (served.lot.id().clone(), served.offer().lacks.clone()));
        lacks.filter(|(_, lacks)| !lacks.is_empty()).collect()
    }
}

fn unread(error: &dyn std::error::Error) {
    tracing::warn!(
        error = %crate::explain(error),
        "the versions of the stock could not be read"
    );
}
