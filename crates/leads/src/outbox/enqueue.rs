//! What joins the outbox after the lead was taken.

use std::collections::BTreeMap;

use dealers::{Dealer, DealerId};
use jiff::Timestamp;
use store::{Conn, Value};

use super::Error;
use crate::{
    DeliveryId, LeadId, NewDelivery, Purpose,
    wire::{read_word, unreadable},
};

/// Where a rooftop's leads go: each destination, and once more where people get a copy.
fn destinations(dealer: &Dealer, rooftop: &str) -> Vec<(String, Purpose)> {
    let mut ways = Vec::new();
    let Some(rooftop) = dealer.rooftops.get(rooftop) else {
        return ways;
    };
    for (name, destination) in rooftop.destinations() {
        let copied = destination.copy_to.is_some();
        ways.push((name.clone(), Purpose::Lead));
        if copied {
            ways.push((name, Purpose::Copy));
        }
    }
    ways
}

/// The deliveries of a new lead of a rooftop: one to each of its destinations, and one
/// more where people get a copy. Without any, one that
/// waits for the first. `new_id` makes their names.
#[must_use]
pub fn first_deliveries(
    dealer: &Dealer,
    rooftop: &str,
    new_id: &dyn Fn() -> DeliveryId,
) -> Vec<NewDelivery> {
    let mut ways = destinations(dealer, rooftop);
    if ways.is_empty() {
        ways.push((String::new(), Purpose::Lead));
    }
    let delivery = |(destination, purpose)| NewDelivery {
        delivery_id: new_id(),
        destination,
        purpose,
    };
    ways.into_iter().map(delivery).collect()
}

/// Adds a delivery of a lead that is known, behind those that it has. It goes to the rooftop of the
/// lead's earlier deliveries to that destination, else to the lead's own.
///
/// # Errors
/// [`Error::UnknownLead`], or when the database fails.
pub fn enqueue(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
    delivery: &NewDelivery,
    now: Timestamp,
) -> Result<(), Error> {
    let added = conn.execute(
        "INSERT INTO delivery (dealer, delivery_id, lead_id, state, due_at, attempts, is_repeat,
             rooftop, destination, purpose, is_copy, sequence, created_at, queued_at)
         SELECT dealer, $3, lead_id, 'due', $7, 0, CASE WHEN repeat_of IS NULL THEN 0 ELSE 1 END,
             COALESCE((SELECT MAX(earlier.rooftop) FROM delivery earlier
                 WHERE earlier.dealer = lead.dealer AND earlier.lead_id = lead.lead_id
                   AND earlier.destination = $4), rooftop, ''),
             $4, $5, $6,
             (SELECT COALESCE(MAX(earlier.sequence) + 1, 0) FROM delivery earlier
              WHERE earlier.dealer = lead.dealer AND earlier.lead_id = lead.lead_id),
             $7, $7
         FROM lead WHERE dealer = $1 AND lead_id = $2",
        &[
            dealer.into(),
            lead_id.into(),
            (&delivery.delivery_id).into(),
            (&delivery.destination).into(),
            delivery.purpose.as_str().into(),
            (delivery.purpose == Purpose::Copy).into(),
            now.into(),
        ],
    )?;
    if added == 0 {
        return Err(Error::UnknownLead(lead_id.clone()));
    }
    Ok(())
}

/// Sends a lead once more: to one destination of its rooftop, the fallback among them, or to each that
/// gets leads. Returns the names of the new deliveries with their destinations; `new_id` makes them.
///
/// # Errors
/// [`Error::UnknownLead`], [`Error::Erased`], [`Error::UnknownDestination`], or when the database
/// fails.
pub fn resend(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    lead_id: &LeadId,
    destination: Option<&str>,
    new_id: &dyn Fn() -> DeliveryId,
    now: Timestamp,
) -> Result<Vec<NewDelivery>, Error> {
    let rooftop = sendable(conn, id, lead_id)?;
    let rooftop = rooftop.filter(|name| dealer.rooftops.contains_key(name));
    let rooftop = rooftop.as_deref().or_else(|| dealer.default_rooftop());
    let rooftop = rooftop.unwrap_or_default();
    let names = resendable(dealer, rooftop, destination)?;
    let mut added = Vec::new();
    for destination in names {
        let delivery = NewDelivery {
            delivery_id: new_id(),
            destination,
            purpose: Purpose::Resend,
        };
        enqueue(conn, id, lead_id, &delivery, now)?;
        added.push(delivery);
    }
    Ok(added)
}

/// The rooftop of a lead that can be sent.
fn sendable(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    lead_id: &LeadId,
) -> Result<Option<String>, Error> {
    let found = conn.first(
        "SELECT rooftop, person.lead_id FROM lead
         LEFT JOIN person ON person.dealer = lead.dealer AND person.lead_id = lead.lead_id
         WHERE lead.dealer = $1 AND lead.lead_id = $2",
        &[dealer.into(), lead_id.into()],
        |row| {
            let rooftop = row.optional_text(0)?.map(str::to_owned);
            Ok((rooftop, row.optional_text(1)?.is_some()))
        },
    )?;
    match found {
        None => Err(Error::UnknownLead(lead_id.clone())),
        Some((_, false)) => Err(Error::Erased(lead_id.clone())),
        Some((rooftop, true)) => Ok(rooftop),
    }
}

fn resendable(dealer: &Dealer, rooftop: &str, wanted: Option<&str>) -> Result<Vec<String>, Error> {
    let known = dealer.rooftops.get(rooftop);
    let usual: Vec<String> =
        known.map_or_else(Vec::new, |it| it.destinations().into_keys().collect());
    let fallback = known.and_then(|it| it.fallback()).map(|(name, _)| name);
    let unknown = |destination: &str| {
        let all: Vec<&str> = usual.iter().chain(&fallback).map(String::as_str).collect();
        Error::UnknownDestination {
            rooftop: rooftop.to_owned(),
            destination: destination.to_owned(),
            known: if all.is_empty() {
                "none".to_owned()
            } else {
                all.join(", ")
            },
        }
    };
    match wanted {
        None if usual.is_empty() => Err(unknown("")),
        None => Ok(usual),
        Some(name) if usual.iter().chain(&fallback).any(|known| known == name) => {
            Ok(vec![name.to_owned()])
        }
        Some(name) => Err(unknown(name)),
    }
}

/// A delivery that waits for its rooftop to have a destination.
struct Unaddressed {
    delivery_id: DeliveryId,
    rooftop: String,
    state: String,
}

/// The dealers of whose leads some wait for their rooftop to have a destination.
///
/// # Errors
/// When the database fails.
pub fn without_destination(conn: &mut dyn Conn) -> Result<Vec<DealerId>, Error> {
    let dealers = conn.all(
        "SELECT DISTINCT dealer FROM delivery
         WHERE destination = '' AND state IN ('due', 'held')",
        &[],
        |row| row.text(0)?.parse().map_err(|_| unreadable(0)),
    )?;
    Ok(dealers)
}

/// Gives leads that came while their rooftop had no destination the ones that it has by now: the
/// delivery without a destination is superseded by one for each. Returns how many were, at most
/// `most`; those whose rooftop still has none stay. `new_id` makes names.
///
/// # Errors
/// When the database fails.
pub fn expand(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    most: u32,
    new_id: &dyn Fn() -> DeliveryId,
    now: Timestamp,
) -> Result<u64, Error> {
    let mut ways = BTreeMap::new();
    let mut expanded = 0;
    for waiting in unaddressed(conn, id)? {
        if expanded == u64::from(most) {
            break;
        }
        let rooftop = if dealer.rooftops.contains_key(&waiting.rooftop) {
            waiting.rooftop.as_str()
        } else {
            dealer.default_rooftop().unwrap_or_default()
        };
        let ways = ways
            .entry(rooftop.to_owned())
            .or_insert_with(|| destinations(dealer, rooftop));
        if ways.is_empty() {
            continue;
        }
        if supersede(conn, id, &waiting, rooftop, ways, new_id, now)? {
            expanded += 1;
        }
    }
    Ok(expanded)
}

fn unaddressed(conn: &mut dyn Conn, dealer: &DealerId) -> Result<Vec<Unaddressed>, Error> {
    let found = conn.all(
        "SELECT delivery_id, rooftop, state FROM delivery
         WHERE dealer = $1 AND destination = '' AND state IN ('due', 'held')
         ORDER BY delivery_id",
        &[dealer.into()],
        |row| {
            Ok(Unaddressed {
                delivery_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
                rooftop: row.text(1)?.to_owned(),
                state: row.text(2)?.to_owned(),
            })
        },
    )?;
    Ok(found)
}

/// False when another process did it meanwhile, or the lead is not to be sent any more.
fn supersede(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    waiting: &Unaddressed,
    rooftop: &str,
    ways: &[(String, Purpose)],
    new_id: &dyn Fn() -> DeliveryId,
    now: Timestamp,
) -> Result<bool, Error> {
    let superseded = conn.execute(
        "UPDATE delivery SET state = 'superseded', finished_at = $3
         WHERE dealer = $1 AND delivery_id = $2 AND state = $4",
        &[
            dealer.into(),
            (&waiting.delivery_id).into(),
            now.into(),
            (&waiting.state).into(),
        ],
    )?;
    if superseded == 0 {
        return Ok(false);
    }
    for (place, (destination, purpose)) in (0_i64..).zip(ways) {
        let delivery_id = new_id();
        conn.execute(
            "INSERT INTO delivery (dealer, delivery_id, lead_id, state, due_at, attempts,
                 is_repeat, rooftop, destination, purpose, is_copy, sequence, created_at, queued_at)
             SELECT dealer, $3, lead_id, $4, $5, 0, is_repeat, $6, $7, $8, $9, sequence + $10,
                 $5, $5
             FROM delivery WHERE dealer = $1 AND delivery_id = $2",
            &[
                dealer.into(),
                (&waiting.delivery_id).into(),
                (&delivery_id).into(),
                (&waiting.state).into(),
                now.into(),
                rooftop.into(),
                destination.into(),
                purpose.as_str().into(),
                (*purpose == Purpose::Copy).into(),
                Value::Int(place),
            ],
        )?;
    }
    Ok(true)
}
