//! Lists of leads by page.

use dealers::DealerId;
use jiff::Timestamp;
use serde::Serialize;
use store::{Conn, Value};

use super::{Columns, Lead, LeadSummary, lead, revocations, select, summary};
use crate::{
    Arrival, Cursor, DeliveryState, Error, LeadId, Page, Vault,
    outbox::{self, Delivery},
};

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
}

/// A lead with its ways to the dealer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Tracked<L> {
    /// The lead.
    #[serde(flatten)]
    pub lead: L,
    /// How far it is; absent when nothing was ever to be delivered.
    pub state: Option<Arrival>,
    /// Its deliveries, in their order.
    pub deliveries: Vec<Delivery>,
}

impl<L> Tracked<L> {
    /// Looks the deliveries of a lead up.
    ///
    /// # Errors
    /// When the database fails.
    pub fn new(
        conn: &mut dyn Conn,
        dealer: &DealerId,
        lead_id: &LeadId,
        lead: L,
    ) -> Result<Self, Error> {
        let deliveries = outbox::of_lead(conn, dealer, lead_id)?;
        Ok(Self {
            lead,
            state: Arrival::of(&deliveries),
            deliveries,
        })
    }
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
) -> Result<Page<Tracked<LeadSummary>>, Error> {
    let found = rows(conn, vault, dealer, (search, after, limit), summary)?;
    let page = Page::of(found, limit, |it| (it.received_at, it.lead_id.as_str()));
    page.try_map(|lead| {
        let id = lead.lead_id.clone();
        Tracked::new(conn, dealer, &id, lead)
    })
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
) -> Result<Page<Tracked<Lead>>, Error> {
    let found = rows(conn, vault, dealer, (search, after, limit), lead)?;
    let page = Page::of(found, limit, |it| {
        (it.summary.received_at, it.summary.lead_id.as_str())
    });
    page.try_map(|mut lead| {
        let id = lead.summary.lead_id.clone();
        lead.revocations = revocations(conn, dealer, &id)?;
        Tracked::new(conn, dealer, &id, lead)
    })
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
        ],
        |row| Ok(read(&Columns::of(row, vault, dealer)?)),
    )?;
    found.into_iter().collect()
}
