//! Which catalogs need a person, and how each stands.

use dealers::DealerId;
use inventory::stock::{self, Attention, AttentionKind, Error, FeedOverview, Watched};
use jiff::Timestamp;
use store::Conn;

use crate::{Catalog, FEED};

/// What of a catalog needs a person at this moment. It is a function of the database, the configuration and
/// the clock: the same answer on every node.
///
/// # Errors
/// When the database fails.
pub fn attention(
    conn: &mut dyn Conn,
    id: &DealerId,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<Vec<Attention>, Error> {
    let called = format!("catalog {id}");
    let accept = format!("forecourt catalogs accept --catalog {id}");
    let watched = Watched {
        feed: FEED,
        called: &called,
        accept: &accept,
        expect_every: catalog.expect_every,
    };
    let mut found = stock::attend(conn, id, watched, now)?;
    found.extend(too_old(conn, id, catalog, now)?);
    found.sort_by(|left, right| left.cause.cmp(&right.cause));
    Ok(found)
}

/// The last good file is older than questions are answered from.
fn too_old(
    conn: &mut dyn Conn,
    id: &DealerId,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<Option<Attention>, Error> {
    let Some(age) = catalog.max_age else {
        return Ok(None);
    };
    let last = stock::last_applied(conn, id, FEED)?;
    let since = last.and_then(|last| last.at.checked_add(age.duration()).ok());
    let Some(since) = since.filter(|since| *since <= now) else {
        return Ok(None);
    };
    let text = format!(
        "questions about catalog {id} are not answered from it, as no good file came for {}",
        String::from(age)
    );
    let kind = AttentionKind::Hidden;
    Ok(Some(Attention::new(FEED, kind, since, None, text)))
}

/// Notes that files of the catalog are expected from now on, so that one that never comes is overdue.
///
/// # Errors
/// When the database fails.
pub fn expect(conn: &mut dyn Conn, id: &DealerId, now: Timestamp) -> Result<(), Error> {
    stock::expect_feed(conn, id, FEED, now)
}

/// How the catalog stands: its latest run, its last good file, when the next one is expected.
///
/// # Errors
/// When the database fails.
pub fn overview(
    conn: &mut dyn Conn,
    id: &DealerId,
    catalog: &Catalog,
) -> Result<FeedOverview, Error> {
    stock::overview(conn, id, FEED, catalog.expect_every)
}
