//! Which leads a command is about: named one by one, or all of a person.

use clap::Args;
use dealers::DealerId;
use leads::{LeadId, Vault, Whom};
use store::Store;

use crate::cli::outcome::Failure;

#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct Whose {
    /// Identifiers of leads
    #[arg(
        value_name = "LEAD",
        required_unless_present = "person",
        conflicts_with = "person"
    )]
    leads: Vec<LeadId>,
    /// Every lead with this mail address or telephone number; may be repeated
    #[arg(long, value_name = "EMAIL|PHONE")]
    person: Vec<Whom>,
}

impl Whose {
    /// The leads.
    pub(super) async fn find(
        self,
        store: &Store,
        vault: &Vault,
        dealer: &DealerId,
    ) -> Result<Vec<LeadId>, Failure> {
        if self.person.is_empty() {
            return Ok(self.leads);
        }
        let found = of_person(store, vault, dealer, &self.person).await?;
        if found.is_empty() {
            return Err(nobody());
        }
        Ok(found)
    }
}

/// The leads of a person; empty when there are none.
pub(in crate::cli) async fn of_person(
    store: &Store,
    vault: &Vault,
    dealer: &DealerId,
    whom: &[Whom],
) -> Result<Vec<LeadId>, leads::Error> {
    let (vault, dealer, whom) = (vault.clone(), dealer.clone(), whom.to_vec());
    store
        .read(move |conn| leads::leads_of(conn, &vault, &dealer, &whom))
        .await
}

/// No lead is the person's.
pub(in crate::cli) fn nobody() -> Failure {
    Failure::refused(
        "person_not_found",
        "no lead has this mail address or telephone number",
    )
}
