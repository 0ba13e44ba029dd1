//! The way out when a destination does not take a lead.

use dealers::Dealer;
use jiff::Timestamp;
use store::Conn;

use super::{Error, Route};
use crate::{DeliveryId, Purpose};

/// A delivery that failed for good.
pub(super) struct Refused<'a> {
    pub(super) route: &'a Route,
    pub(super) delivery_id: &'a DeliveryId,
    pub(super) purpose: Purpose,
}

/// Makes the delivery to the rooftop's fallback. None where there is no other way, where the failed one
/// was but a copy or a test, or where the fallback gets the same already on behalf of another
/// destination.
pub(super) fn make(
    conn: &mut dyn Conn,
    dealer: &Dealer,
    refused: &Refused<'_>,
    fallback_id: &DeliveryId,
    now: Timestamp,
) -> Result<Option<DeliveryId>, Error> {
    if matches!(
        refused.purpose,
        Purpose::Copy | Purpose::Test | Purpose::Fallback
    ) {
        return Ok(None);
    }
    let Some((rooftop, destination)) = place(dealer, &refused.route.rooftop) else {
        return Ok(None);
    };
    if refused.route.rooftop == rooftop && refused.route.destination == destination {
        return Ok(None);
    }
    let made = conn.execute(
        "INSERT INTO delivery (dealer, delivery_id, lead_id, state, due_at, attempts, is_repeat,
             rooftop, destination, purpose, is_copy, sequence, created_at, queued_at, fallback_of)
         SELECT dealer, $3, lead_id, 'due', $6, 0, is_repeat, $4, $5, 'fallback', 0,
             (SELECT MAX(last.sequence) + 1 FROM delivery last
              WHERE last.dealer = failed.dealer AND last.lead_id = failed.lead_id),
             $6, $6, failed.delivery_id
         FROM delivery failed
         WHERE failed.dealer = $1 AND failed.delivery_id = $2
           AND NOT EXISTS (SELECT 1 FROM delivery other JOIN delivery origin
                 ON origin.dealer = other.dealer AND origin.delivery_id = other.fallback_of
               WHERE other.dealer = failed.dealer AND other.lead_id = failed.lead_id
                 AND other.rooftop = $4 AND other.destination = $5
                 AND other.purpose = 'fallback' AND other.state IN ('due', 'held', 'sent')
                 AND origin.purpose = failed.purpose)",
        &[
            (&refused.route.dealer).into(),
            refused.delivery_id.into(),
            fallback_id.into(),
            rooftop.into(),
            (&destination).into(),
            now.into(),
        ],
    )?;
    Ok((made > 0).then(|| fallback_id.clone()))
}

/// The fallback of a rooftop. The leads of one that is configured no longer are the default rooftop's
/// to look after.
fn place<'a>(dealer: &'a Dealer, rooftop: &'a str) -> Option<(&'a str, String)> {
    let name = if dealer.rooftops.contains_key(rooftop) {
        rooftop
    } else {
        dealer.default_rooftop()?
    };
    let (destination, _) = dealer.rooftops.get(name)?.fallback()?;
    Some((name, destination))
}
