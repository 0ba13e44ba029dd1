//! What a person does to deliveries: trying them again, closing and opening ways.

use dealers::DealerId;
use jiff::Timestamp;
use store::Conn;

use super::{Error, route::PausedBy, show};
use crate::{DeliveryId, DeliveryState};

/// Tries a delivery again at once that failed, bounced, or waits for its next attempt. The dealer's
/// patience begins anew.
///
/// # Errors
/// [`Error::UnknownDelivery`], [`Error::NotRetried`], [`Error::Erased`], or when the database fails.
pub fn retry(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    delivery_id: &DeliveryId,
    now: Timestamp,
) -> Result<(), Error> {
    let retried = conn.execute(
        "UPDATE delivery SET state = 'due', due_at = $3, queued_at = $3, finished_at = NULL
         WHERE dealer = $1 AND delivery_id = $2 AND state IN ('due', 'failed', 'bounced')
           AND EXISTS (SELECT 1 FROM person
               WHERE person.dealer = delivery.dealer AND person.lead_id = delivery.lead_id)",
        &[dealer.into(), delivery_id.into(), now.into()],
    )?;
    if retried == 1 {
        return Ok(());
    }
    let Some((delivery, _)) = show(conn, dealer, delivery_id)? else {
        return Err(Error::UnknownDelivery(delivery_id.clone()));
    };
    Err(match delivery.state {
        DeliveryState::Due | DeliveryState::Failed | DeliveryState::Bounced => {
            Error::Erased(delivery.lead_id)
        }
        state => Error::NotRetried {
            delivery_id: delivery_id.clone(),
            state,
        },
    })
}

/// Tries every delivery of a dealer again that failed or bounced; a made-up lead has served its purpose.
/// Returns how many.
///
/// # Errors
/// When the database fails.
pub fn retry_failed(conn: &mut dyn Conn, dealer: &DealerId, now: Timestamp) -> Result<u64, Error> {
    let retried = conn.execute(
        "UPDATE delivery SET state = 'due', due_at = $2, queued_at = $2, finished_at = NULL
         WHERE dealer = $1 AND state IN ('failed', 'bounced') AND purpose <> 'test'
           AND EXISTS (SELECT 1 FROM person
               WHERE person.dealer = delivery.dealer AND person.lead_id = delivery.lead_id)",
        &[dealer.into(), now.into()],
    )?;
    Ok(retried)
}

/// Closes the ways to a destination, until a time or until [`resume`]. What is being sent at this
/// moment is still sent; leads go on being taken and wait.
///
/// # Errors
/// When the database fails.
pub fn pause(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    rooftop: &str,
    destination: &str,
    until: Option<Timestamp>,
) -> Result<(), Error> {
    for is_copy in [false, true] {
        conn.execute(
            "INSERT INTO delivery_route
                 (dealer, rooftop, destination, is_copy, paused_by, paused_until)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (dealer, rooftop, destination, is_copy) DO UPDATE SET
                 paused_by = excluded.paused_by, paused_until = excluded.paused_until",
            &[
                dealer.into(),
                rooftop.into(),
                destination.into(),
                is_copy.into(),
                PausedBy::Person.as_str().into(),
                until.into(),
            ],
        )?;
    }
    Ok(())
}

/// Opens the ways to a destination again, whoever closed them; what waits there is due at once, and
/// the dealer's patience begins anew. Returns how many deliveries waited.
///
/// # Errors
/// When the database fails.
pub fn resume(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    rooftop: &str,
    destination: &str,
    now: Timestamp,
) -> Result<u64, Error> {
    let place = [dealer.into(), rooftop.into(), destination.into()];
    conn.execute(
        "UPDATE delivery_route SET paused_by = NULL, paused_until = NULL
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3",
        &place,
    )?;
    let [dealer, rooftop, destination] = place;
    let waiting = conn.execute(
        "UPDATE delivery SET due_at = $4, queued_at = $4
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND state = 'due'",
        &[dealer, rooftop, destination, now.into()],
    )?;
    Ok(waiting)
}
