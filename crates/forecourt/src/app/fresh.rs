//! What other processes change while the server runs: stock that is imported, tests of destinations
//! that are passed.

use std::{collections::HashMap, sync::Arc, time::Duration};

use dealers::DealerId;
use jiff::{SignedDuration, Timestamp};
use leads::readiness::{Lack, last_passed};
use store::Error;

use super::{
    App,
    directory::{Directory, Served},
};

/// How soon what another process changed is served.
const REFRESH_EVERY: Duration = Duration::from_secs(1);
/// For how long the last test is looked at again, as another may be written in the same instant.
const SETTLES_AFTER: SignedDuration = SignedDuration::from_secs(5);

impl App {
    /// Takes over stock that another process imported, and offers to take leads when the destinations
    /// have passed their tests, until the future is dropped. A database that does not answer delays
    /// this and loses nothing.
    pub async fn keep_fresh(&self) {
        let mut seen = None;
        loop {
            tokio::time::sleep(REFRESH_EVERY).await;
            match self.store.read(inventory::stock::versions).await {
                Ok(versions) => self.refresh(&versions).await,
                Err(error) => tracing::warn!(
                    error = %crate::explain(&error),
                    "the versions of the stock could not be read"
                ),
            }
            if let Err(error) = self.look_for_tests(&mut seen).await {
                tracing::warn!(
                    error = %crate::explain(&error),
                    "the tests of the destinations could not be read"
                );
            }
        }
    }

    /// Loads the stock of every dealer whose version is not the one in memory.
    async fn refresh(&self, versions: &HashMap<DealerId, u64>) {
        for served in self.directory.load_full().dealers() {
            let lot = &served.lot;
            let stored = versions.get(lot.id()).copied().unwrap_or_default();
            match lot.refresh(stored, &self.store).await {
                Ok(false) => {}
                Ok(true) => tracing::info!(
                    dealer = %lot.id(),
                    vehicles = lot.snapshot().len(),
                    "serving new stock"
                ),
                Err(error) => tracing::warn!(
                    dealer = %lot.id(),
                    error = %crate::explain(&error),
                    "the stock could not be read again"
                ),
            }
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
