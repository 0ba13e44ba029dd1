//! Legal hold: leads of which nothing may be erased, for a stated reason.

use dealers::DealerId;
use store::Conn;

use crate::{
    Error, LeadId, Vault,
    vault::{HOLD, Place},
};

/// Keeps a lead from being erased, for a reason; a reason that it had before is replaced. False when
/// the dealer has no such lead, or when it is erased.
///
/// # Errors
/// When the database fails, or the reason cannot be sealed.
pub fn hold(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    lead_id: &LeadId,
    reason: &str,
) -> Result<bool, Error> {
    let reason = vault.seal(Place::new(dealer, lead_id, HOLD), reason)?;
    let held = conn.execute(
        "UPDATE lead SET legal_hold = $3
         WHERE dealer = $1 AND lead_id = $2 AND erased_at IS NULL",
        &[dealer.into(), lead_id.into(), (&reason).into()],
    )?;
    Ok(held > 0)
}

/// Lets a lead be erased again. False when it was not on hold.
///
/// # Errors
/// When the database fails.
pub fn unhold(conn: &mut dyn Conn, dealer: &DealerId, lead_id: &LeadId) -> Result<bool, Error> {
    let let_go = conn.execute(
        "UPDATE lead SET legal_hold = NULL
         WHERE dealer = $1 AND lead_id = $2 AND legal_hold IS NOT NULL",
        &[dealer.into(), lead_id.into()],
    )?;
    Ok(let_go > 0)
}
