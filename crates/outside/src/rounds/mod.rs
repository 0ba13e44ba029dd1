//! The rounds that somebody makes once a minute: made-up leads are sent to every destination once a
//! day, and what of each dealer's leads needs a person, although nothing failed, is told.

mod daily;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use dealers::{Dealer, DealerId};
use leads::{HeldCount, Vault};
use store::{Error, Store};

use crate::{
    alarm::{self, Cause, Kind},
    explain,
};

/// How long the pause between two rounds is.
const EVERY: Duration = Duration::from_secs(60);

/// Looks after the leads of every dealer. Several processes may do it at once: what they find is the
/// same, and one of them sends the made-up leads.
#[derive(Debug)]
pub struct Rounds {
    store: Store,
    vault: Vault,
    /// Names this process in the lease.
    holder: String,
    dealers: Vec<(DealerId, Arc<Dealer>)>,
}

impl Rounds {
    /// Prepares the rounds over these dealers.
    #[must_use]
    pub fn new(store: Store, vault: Vault, dealers: Vec<(DealerId, Arc<Dealer>)>) -> Self {
        Self {
            holder: store.clock().new_id().to_string(),
            store,
            vault,
            dealers,
        }
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
        let mut room = self.room().await?;
        for (id, dealer) in &self.dealers {
            present.extend(self.test(id, dealer, &mut room).await?);
            let dealer = id.clone();
            let held = self
                .store
                .read(move |conn| leads::count_held(conn, &dealer));
            present.extend(held_cause(id, held.await?));
        }
        let mine = |cause: &Cause| matches!(cause.kind, Kind::LeadsHeld | Kind::TestLeadMissing);
        alarm::reconcile(&self.store, mine, present).await
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
