//! Forgetting what need not be kept.

use dealers::DealerId;
use inventory::stock::{self, Error};
use jiff::Timestamp;
use store::Conn;

use crate::{Catalog, kept};

/// Forgets what came, went and changed its price longer ago than `keep_history`, and the runs of that time.
/// The last good file is kept however old it is.
///
/// # Errors
/// When the database fails.
pub fn prune(
    conn: &mut dyn Conn,
    id: &DealerId,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<(), Error> {
    let before = now
        .checked_sub(catalog.keep_history.duration())
        .unwrap_or(Timestamp::MIN);
    kept::forget_changes(conn, id, before)?;
    stock::prune_runs(conn, id, catalog.keep_history, now)?;
    Ok(())
}
