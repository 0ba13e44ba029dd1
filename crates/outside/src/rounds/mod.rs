//! The rounds that somebody makes once a minute: what of each dealer's leads needs a person, although
//! nothing failed.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use dealers::{Dealer, DealerId};
use leads::HeldCount;
use store::{Error, Store};

use crate::{
    alarm::{self, Cause, Kind},
    explain,
};

/// How long the pause between two rounds is.
const EVERY: Duration = Duration::from_secs(60);

/// Looks after the leads of every dealer. Several processes may do it at once: what they find is the
/// same.
#[derive(Debug)]
pub struct Rounds {
    store: Store,
    dealers: Vec<(DealerId, Arc<Dealer>)>,
}

impl Rounds {
    /// Prepares the rounds over these dealers.
    #[must_use]
    pub fn new(store: Store, dealers: Vec<(DealerId, Arc<Dealer>)>) -> Self {
        Self { store, dealers }
    }

    /// Makes the rounds until the future is dropped.
    pub async fn run(&self) {
        loop {
            if let Err(error) = self.round().await {
                tracing::error!(error = %explain(&error), "the leads could not be looked after");
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Makes one round.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn round(&self) -> Result<(), Error> {
        let mut present = BTreeMap::new();
        for (id, _) in &self.dealers {
            let dealer = id.clone();
            let held = self
                .store
                .read(move |conn| leads::count_held(conn, &dealer));
            present.extend(held_cause(id, held.await?));
        }
        alarm::reconcile(&self.store, |cause| cause.kind == Kind::LeadsHeld, present).await
    }
}

/// That leads wait for a person; `None` when none does. They are as good as lost when nobody knows
/// about them.
#[must_use]
pub fn held_cause(dealer: &DealerId, held: HeldCount) -> Option<(Cause, String)> {
    let what = match held.leads {
        0 => return None,
        1 => "1 lead waits for a person".to_owned(),
        more => format!("{more} leads wait for a person"),
    };
    let message = format!(
        "{what}, as their agents are held; `forecourt leads held` shows them, `forecourt leads release` lets them go"
    );
    let cause = Cause::of_dealer(dealer, Kind::LeadsHeld, "leads");
    Some((cause, message))
}

#[cfg(test)]
mod tests;
