//! How the ways fare, and which leads nobody has: what people are told of.

use std::collections::BTreeMap;

use dealers::DealerId;
use jiff::Timestamp;
use serde::Serialize;
use store::Conn;

use super::{Error, Route, route::PausedBy};
use crate::{
    LeadId,
    wire::{read_text, read_word, unreadable},
};

/// How a way fares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RouteStatus {
    /// Which way.
    #[serde(flatten)]
    pub route: Route,
    /// How many deliveries wait.
    pub waiting: i64,
    /// Since when the oldest of them is under way.
    pub oldest: Option<Timestamp>,
    /// Who closed it; absent while it is open.
    pub paused_by: Option<PausedBy>,
    /// Until when it is closed; absent when for good.
    pub paused_until: Option<Timestamp>,
    /// How often in a row the receiver was out of reach.
    pub failures: i64,
    /// How many deliveries failed for good or came back since one was taken.
    pub refusals: i64,
    /// Since when it fails.
    pub failing_since: Option<Timestamp>,
    /// What was said last.
    pub trouble: Option<String>,
    /// When a delivery was taken last.
    pub succeeded_at: Option<Timestamp>,
}

impl RouteStatus {
    fn open(route: Route) -> Self {
        Self {
            route,
            waiting: 0,
            oldest: None,
            paused_by: None,
            paused_until: None,
            failures: 0,
            refusals: 0,
            failing_since: None,
            trouble: None,
            succeeded_at: None,
        }
    }

    /// True for the way of copies where nobody gets any: a pause closes it with that of the leads.
    fn is_idle(&self) -> bool {
        let was_used = self.succeeded_at.is_some() || self.failing_since.is_some();
        self.route.is_copy && self.waiting == 0 && !was_used
    }

    /// True while nothing is sent over it.
    #[must_use]
    pub fn is_paused(&self, now: Timestamp) -> bool {
        self.paused_by.is_some() && self.paused_until.is_none_or(|until| now < until)
    }
}

/// Every way of every dealer that was ever gone or on which something waits, in order.
///
/// # Errors
/// When the database fails.
pub fn routes(conn: &mut dyn Conn) -> Result<Vec<RouteStatus>, Error> {
    let mut routes: BTreeMap<Route, RouteStatus> = conn
        .all(
            "SELECT dealer, rooftop, destination, is_copy, paused_by, paused_until, failures,
                 refusals, failing_since, trouble, succeeded_at
             FROM delivery_route",
            &[],
            |row| {
                let route = Route::read(row, 0)?;
                let status = RouteStatus {
                    paused_by: read_word(row, 4)?,
                    paused_until: row.optional_time(5)?,
                    failures: row.int(6)?,
                    refusals: row.int(7)?,
                    failing_since: row.optional_time(8)?,
                    trouble: read_text(row, 9)?,
                    succeeded_at: row.optional_time(10)?,
                    ..RouteStatus::open(route.clone())
                };
                Ok((route, status))
            },
        )?
        .into_iter()
        .collect();
    conn.rows(
        "SELECT dealer, rooftop, destination, is_copy, COUNT(*), MIN(queued_at) FROM delivery
         WHERE state = 'due' GROUP BY dealer, rooftop, destination, is_copy",
        &[],
        &mut |row| {
            let route = Route::read(row, 0)?;
            let open = || RouteStatus::open(route.clone());
            let status = routes.entry(route.clone()).or_insert_with(open);
            (status.waiting, status.oldest) = (row.int(4)?, row.optional_time(5)?);
            Ok(())
        },
    )?;
    Ok(routes.into_values().filter(|it| !it.is_idle()).collect())
}

/// Leads of a rooftop that nobody has and that nobody will get unless a person does something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unreached {
    /// Whose.
    pub dealer: DealerId,
    /// Name of the rooftop.
    pub rooftop: String,
    /// How many.
    pub leads: i64,
    /// One of them.
    pub lead_id: LeadId,
}

/// The leads of every dealer that every destination refused and that have nothing under way, those of
/// erased persons left out.
///
/// # Errors
/// When the database fails.
pub fn unreached(conn: &mut dyn Conn) -> Result<Vec<Unreached>, Error> {
    let found = conn.all(
        "SELECT dealer, rooftop, COUNT(DISTINCT lead_id), MIN(lead_id) FROM delivery
         WHERE state IN ('failed', 'bounced') AND purpose NOT IN ('copy', 'test')
           AND EXISTS (SELECT 1 FROM person
               WHERE person.dealer = delivery.dealer AND person.lead_id = delivery.lead_id)
           AND NOT EXISTS (SELECT 1 FROM delivery other
               WHERE other.dealer = delivery.dealer AND other.lead_id = delivery.lead_id
                 AND other.state IN ('sent', 'due', 'held')
                 AND other.purpose NOT IN ('copy', 'test'))
         GROUP BY dealer, rooftop ORDER BY dealer, rooftop",
        &[],
        |row| {
            Ok(Unreached {
                dealer: row.text(0)?.parse().map_err(|_| unreadable(0))?,
                rooftop: row.text(1)?.to_owned(),
                leads: row.int(2)?,
                lead_id: read_word(row, 3)?.ok_or_else(|| unreadable(3))?,
            })
        },
    )?;
    Ok(found)
}
