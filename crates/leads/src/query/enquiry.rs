//! Leads without the persons behind them.

use aap::lead::LeadStatus;
use dealers::DealerId;
use jiff::Timestamp;
use store::{Conn, Row};

use crate::{
    Arrival, Error, LeadId,
    outbox::Way,
    wire::{read_text, read_word, unreadable},
};

/// A lead as it is counted: nothing of the person, so that no key is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Enquiry {
    /// Its name.
    pub lead_id: LeadId,
    /// When it arrived.
    pub received_at: Timestamp,
    /// What its sender was told.
    pub status: LeadStatus,
    /// Rooftop that gets it.
    pub rooftop: Option<String>,
    /// Name that the buyer's agent gave itself.
    pub source_agent: String,
    /// VIN of the listing.
    pub vin: Option<String>,
    /// Stock number of the listing.
    pub stock: Option<String>,
    /// How far it is on its way to the dealer, over all deliveries; absent once erased.
    pub arrival: Option<Arrival>,
}

/// A dealer's leads without persons, newest first, at most `limit`. Made-up ones are left out.
///
/// # Errors
/// When the database fails.
pub fn enquiries(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    limit: u32,
) -> Result<Vec<Enquiry>, Error> {
    // One row for each delivery, those of a lead one after the other.
    let rows = conn.all(
        "SELECT newest.lead_id, newest.received_at, newest.status, newest.rooftop,
             newest.source_agent, newest.vin, newest.stock,
             delivery.purpose, delivery.state, delivery.destination
         FROM (SELECT lead_id, received_at, status, rooftop, source_agent, vin, stock FROM lead
               WHERE dealer = $1 AND origin <> 'test'
               ORDER BY received_at DESC, lead_id DESC LIMIT $2) AS newest
         LEFT JOIN delivery
           ON delivery.dealer = $1 AND delivery.lead_id = newest.lead_id
         ORDER BY newest.received_at DESC, newest.lead_id DESC",
        &[dealer.into(), i64::from(limit).into()],
        |row| Ok((enquiry(row)?, way(row)?)),
    )?;
    let mut enquiries: Vec<Enquiry> = Vec::new();
    let mut ways: Vec<Way> = Vec::new();
    for (enquiry, way) in rows {
        if enquiries
            .last()
            .is_none_or(|last| last.lead_id != enquiry.lead_id)
        {
            settle(&mut enquiries, &mut ways);
            enquiries.push(enquiry);
        }
        ways.extend(way);
    }
    settle(&mut enquiries, &mut ways);
    Ok(enquiries)
}

/// The last lead with all its deliveries.
fn settle(enquiries: &mut [Enquiry], ways: &mut Vec<Way>) {
    if let Some(last) = enquiries.last_mut() {
        last.arrival = Arrival::over(ways);
    }
    ways.clear();
}

fn enquiry(row: &dyn Row) -> Result<Enquiry, store::Error> {
    Ok(Enquiry {
        lead_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
        received_at: row.time(1)?,
        status: read_word(row, 2)?.ok_or_else(|| unreadable(2))?,
        rooftop: read_text(row, 3)?,
        source_agent: row.text(4)?.to_owned(),
        vin: read_text(row, 5)?,
        stock: read_text(row, 6)?,
        arrival: None,
    })
}

fn way(row: &dyn Row) -> Result<Option<Way>, store::Error> {
    let (Some(purpose), Some(state)) = (read_word(row, 7)?, read_word(row, 8)?) else {
        return Ok(None);
    };
    Ok(Some(Way {
        purpose,
        state,
        has_destination: !row.text(9)?.is_empty(),
    }))
}
