//! Lists of leads by page.

use dealers::DealerId;
use jiff::Timestamp;
use store::{Conn, Value};

use super::{Columns, Lead, LeadSummary, lead, select, summary};
use crate::{Cursor, DeliveryState, Error, Page, Vault};

/// Which leads are looked for; everything that is absent is no limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// Received at this time or later.
    pub since: Option<Timestamp>,
    /// Received before this time.
    pub until: Option<Timestamp>,
    /// With a delivery in this state.
    pub state: Option<DeliveryState>,
    /// From the agent that calls itself exactly so.
    pub agent: Option<String>,
    /// For this rooftop.
    pub rooftop: Option<String>,
    /// Whether made-up leads are listed too.
    pub tests: bool,
}

/// A page of a dealer's leads, newest first, from `after` on.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn search(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    search: &Search,
    after: Option<&Cursor>,
    limit: u32,
) -> Result<Page<LeadSummary>, Error> {
    let found = rows(conn, vault, dealer, (search, after, limit), summary)?;
    let page = Page::of(found, limit, |it| (it.received_at, it.lead_id.as_str()));
    page.try_map(|lead| lead.delivered(conn, dealer))
}

/// The same with everything that is kept of each lead.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn search_whole(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    search: &Search,
    after: Option<&Cursor>,
    limit: u32,
) -> Result<Page<Lead>, Error> {
    let found = rows(conn, vault, dealer, (search, after, limit), lead)?;
    let page = Page::of(found, limit, |it| {
        (it.summary.received_at, it.summary.lead_id.as_str())
    });
    page.try_map(|lead| lead.completed(conn, dealer))
}

/// One row more than the limit, by which it is known that there are more.
fn rows<T>(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    (search, after, limit): (&Search, Option<&Cursor>, u32),
    read: fn(&Columns<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let [at, id] = Cursor::values(after);
    let until = search.until.map_or(Value::Int(i64::MAX), Value::from);
    let found = conn.all(
        select!(
            "WHERE lead.dealer = $1 AND lead.received_at >= $2 AND lead.received_at < $3
               AND (lead.received_at, lead.lead_id) < ($4, $5)
               AND ($6 = '' OR lead.source_agent = $6) AND ($7 = '' OR lead.rooftop = $7)
               AND ($8 = '' OR EXISTS (SELECT 1 FROM delivery
                   WHERE delivery.dealer = lead.dealer AND delivery.lead_id = lead.lead_id
                     AND delivery.state = $8))
               AND (lead.origin <> 'test' OR $10 = 1)
             ORDER BY lead.received_at DESC, lead.lead_id DESC LIMIT $9"
        ),
        &[
            dealer.into(),
            search.since.unwrap_or(Timestamp::MIN).into(),
            until,
            at,
            id,
            search.agent.as_deref().unwrap_or_default().into(),
            search.rooftop.as_deref().unwrap_or_default().into(),
            search.state.map_or("", DeliveryState::as_str).into(),
            Value::Int(i64::from(limit) + 1),
            search.tests.into(),
        ],
        |row| Ok(read(&Columns::of(row, vault, dealer)?)),
    )?;
    found.into_iter().collect()
}
