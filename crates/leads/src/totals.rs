//! How many there are of everything, over all dealers: for those who run the server.

use store::{Conn, Error};

/// Leads and deliveries of all dealers, by the word of the state that they are in; made-up ones are
/// not among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Totals {
    /// Leads by status.
    pub leads: Vec<(String, u64)>,
    /// Deliveries by state; those that are `due` are the depth of the outbox.
    pub deliveries: Vec<(String, u64)>,
}

/// Counts leads and deliveries of all dealers.
///
/// # Errors
/// When the database fails.
pub fn totals(conn: &mut dyn Conn) -> Result<Totals, Error> {
    let mut by_state = |sql| {
        conn.all(sql, &[], |row| {
            let count = u64::try_from(row.int(1)?).unwrap_or_default();
            Ok((row.text(0)?.to_owned(), count))
        })
    };
    Ok(Totals {
        leads: by_state(
            "SELECT status, COUNT(*) FROM lead WHERE origin <> 'test'
             GROUP BY status ORDER BY status",
        )?,
        deliveries: by_state(
            "SELECT state, COUNT(*) FROM delivery WHERE purpose <> 'test'
             GROUP BY state ORDER BY state",
        )?,
    })
}
