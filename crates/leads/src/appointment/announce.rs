//! Word of a decided appointment to where its lead has gone.

use dealers::DealerId;
use jiff::Timestamp;
use store::Conn;

use crate::{
    DeliveryId, LeadId, NewDelivery, Purpose,
    outbox::{self, enqueue},
};

/// Sends the lead once more to every destination that has it or is getting it at this moment, so
/// that the appointment's new state arrives there too. A lead that still waits is sent with that
/// state anyway. Returns how many deliveries were added; `new_id` makes their names.
///
/// # Errors
/// When the database fails.
pub fn announce(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
    new_id: &dyn Fn() -> DeliveryId,
    now: Timestamp,
) -> Result<usize, outbox::Error> {
    let destinations: Vec<String> = conn.all(
        "SELECT DISTINCT destination FROM delivery
         WHERE dealer = $1 AND lead_id = $2 AND destination <> ''
           AND (state = 'sent' OR (state = 'due' AND held_until > $3))
           AND EXISTS (SELECT 1 FROM person
               WHERE person.dealer = delivery.dealer AND person.lead_id = delivery.lead_id)
         ORDER BY destination",
        &[dealer.into(), lead_id.into(), now.into()],
        |row| row.text(0).map(str::to_owned),
    )?;
    for destination in &destinations {
        let delivery = NewDelivery {
            delivery_id: new_id(),
            destination: destination.clone(),
            purpose: Purpose::Resend,
        };
        enqueue(conn, dealer, lead_id, &delivery, now)?;
    }
    Ok(destinations.len())
}
