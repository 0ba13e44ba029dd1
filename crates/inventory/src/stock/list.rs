//! The units that the database knows.

use aap::vehicle::Vehicle;
use dealers::DealerId;
use jiff::Timestamp;
use store::Conn;

use super::{Error, load};

/// A unit at one rooftop, published or gone.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StockedUnit {
    /// The vehicle as read from the feed.
    pub vehicle: Vehicle,
    /// The feed that last contained it.
    pub feed: String,
    /// Arrival of the first feed that contained it.
    pub first_seen_at: Timestamp,
    /// Arrival of the last good feed that contained it.
    pub seen_at: Timestamp,
    /// When it left; `None` while it is on the lot.
    pub gone_at: Option<Timestamp>,
}

/// Every unit that the dealer's database knows, one for each rooftop, by VIN, stock number and
/// identifier.
///
/// # Errors
/// When the database fails or holds a record that is not a vehicle.
pub fn vehicles(conn: &mut dyn Conn, dealer: &DealerId) -> Result<Vec<StockedUnit>, Error> {
    let rows = conn.all(
        "SELECT unit, record, feed, first_seen_at, seen_at, gone_at
         FROM vehicle WHERE dealer = $1 ORDER BY unit DESC, rooftop",
        &[dealer.into()],
        |row| {
            Ok((
                row.text(0)?.to_owned(),
                row.text(1)?.to_owned(),
                row.text(2)?.to_owned(),
                row.time(3)?,
                row.time(4)?,
                row.optional_time(5)?,
            ))
        },
    )?;
    rows.into_iter()
        .map(|(unit, record, feed, first_seen_at, seen_at, gone_at)| {
            Ok(StockedUnit {
                vehicle: load::vehicle(&unit, &record)?,
                feed,
                first_seen_at,
                seen_at,
                gone_at,
            })
        })
        .collect()
}
