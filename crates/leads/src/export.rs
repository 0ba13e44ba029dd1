//! Everything that is kept about a person, for the person.

use dealers::DealerId;
use serde::Serialize;
use store::Conn;

use crate::{
    Error, Lead, LeadId, Vault,
    outbox::{self, Attempt, Delivery},
    query,
};

/// A lead with everything that became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KeptLead {
    /// The lead with its consent, what was taken back of that, and its appointment.
    #[serde(flatten)]
    pub lead: Lead,
    /// Where it went, and when.
    pub deliveries: Vec<KeptDelivery>,
}

/// A delivery with its attempts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KeptDelivery {
    /// The delivery.
    #[serde(flatten)]
    pub delivery: Delivery,
    /// Every attempt at it.
    pub tries: Vec<Attempt>,
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
        kept.push(KeptLead {
            lead,
            deliveries: deliveries(conn, dealer, lead_id)?,
        });
    }
    Ok(kept)
}

fn deliveries(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<Vec<KeptDelivery>, Error> {
    let mut kept = Vec::new();
    for delivery in outbox::of_lead(conn, dealer, lead_id)? {
        let shown = outbox::show(conn, dealer, &delivery.delivery_id);
        let tries = shown.map_err(|error| match error {
            outbox::Error::Store(error) => Error::Store(error),
            _ => Error::Stored { column: "delivery" },
        })?;
        kept.push(KeptDelivery {
            delivery,
            tries: tries.map(|(_, tries)| tries).unwrap_or_default(),
        });
    }
    Ok(kept)
}
