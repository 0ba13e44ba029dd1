//! What is known of all dealers' stock at once: for those who run the server.

use std::collections::HashMap;

use dealers::DealerId;
use store::{Conn, Error};

/// Which state of the stock the database holds, of every dealer that had a run.
///
/// # Errors
/// When the database fails.
pub fn versions(conn: &mut dyn Conn) -> Result<HashMap<DealerId, u64>, Error> {
    let rows = conn.all("SELECT dealer, version FROM stock_version", &[], |row| {
        Ok((row.text(0)?.to_owned(), row.int(1)?))
    })?;
    let known = rows.into_iter().filter_map(|(dealer, version)| {
        // A row of no dealer is nobody's stock.
        Some((
            dealer.parse().ok()?,
            u64::try_from(version).unwrap_or_default(),
        ))
    });
    Ok(known.collect())
}

/// Runs of all feeds of all dealers, by the word of the state that they ended in.
///
/// # Errors
/// When the database fails.
pub fn run_totals(conn: &mut dyn Conn) -> Result<Vec<(String, u64)>, Error> {
    conn.all(
        "SELECT state, COUNT(*) FROM feed_run GROUP BY state ORDER BY state",
        &[],
        |row| {
            let count = u64::try_from(row.int(1)?).unwrap_or_default();
            Ok((row.text(0)?.to_owned(), count))
        },
    )
}
