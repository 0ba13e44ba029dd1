//! Everything that is kept about a person, for the person.

use dealers::DealerId;
use serde::Serialize;
use store::Conn;

use crate::{
    DeliveryId, Error, Lead, LeadId, Vault,
    outbox::{self, Attempt},
    query,
};

/// A lead with everything that became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KeptLead {
    /// The lead with its consent, what was taken back of that, its appointment, and where it went.
    #[serde(flatten)]
    pub lead: Lead,
    /// Every attempt to send it, by delivery.
    pub attempts: Vec<KeptAttempts>,
}

/// The attempts at a delivery.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KeptAttempts {
    /// The delivery.
    pub delivery_id: DeliveryId,
    /// The first one first.
    pub attempts: Vec<Attempt>,
}

/// Everything that is kept of these leads, but for the dealer's reasons of a legal hold.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn export(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    lead_ids: &[LeadId],
) -> Result<Vec<KeptLead>, Error> {
    let mut kept = Vec::new();
    for lead_id in lead_ids {
        let Some(lead) = query::show(conn, vault, dealer, lead_id)? else {
            continue;
        };
        let mut attempts = Vec::new();
        for delivery in &lead.summary.deliveries {
            attempts.push(KeptAttempts {
                delivery_id: delivery.delivery_id.clone(),
                attempts: outbox::attempts(conn, dealer, &delivery.delivery_id)?,
            });
        }
        kept.push(KeptLead { lead, attempts });
    }
    Ok(kept)
}
