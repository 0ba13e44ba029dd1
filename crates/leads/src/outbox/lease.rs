//! Taking deliveries that are due, so that no other worker sends them meanwhile.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use dealers::DealerId;
use jiff::{SignedDuration, Timestamp};
use store::{Conn, Value};

use super::{
    Error, Route,
    backoff::FAILURES,
    route::{self, Gate, PausedBy},
};
use crate::{
    DeliveryId, LeadId, Purpose,
    wire::{read_word, unreadable},
};

/// What a worker has room for.
#[derive(Debug, Clone)]
pub struct Search {
    /// The time.
    pub now: Timestamp,
    /// The dealers whose leads the worker sends.
    pub dealers: Arc<BTreeSet<DealerId>>,
    /// Most deliveries to find.
    pub most: usize,
    /// Most deliveries over one way at the same time.
    pub per_route: usize,
    /// How many the worker already has under way, by their way.
    pub busy: HashMap<Route, usize>,
    /// The way at which the last search ended. Searches go round, so that a way with thousands of
    /// leads does not keep the others waiting.
    pub after: Option<Route>,
}

/// A delivery that was due when it was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    route: Route,
    delivery_id: DeliveryId,
    /// The receiver was out of reach; this one finds out whether it is back.
    is_probe: bool,
}

impl Candidate {
    /// Its way.
    #[must_use]
    pub const fn route(&self) -> &Route {
        &self.route
    }

    /// Its name.
    #[must_use]
    pub const fn delivery_id(&self) -> &DeliveryId {
        &self.delivery_id
    }
}

/// The terms on which candidates are taken.
#[derive(Debug, Clone)]
pub struct Lease {
    /// The worker, by a name that no other has.
    pub holder: Arc<str>,
    /// The time.
    pub now: Timestamp,
    /// For how long.
    pub length: SignedDuration,
}

/// A delivery that the caller has to itself for a while, with an attempt begun.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leased {
    /// Its way.
    pub route: Route,
    /// Its name, the same over every attempt.
    pub delivery_id: DeliveryId,
    /// The lead.
    pub lead_id: LeadId,
    /// What for.
    pub purpose: Purpose,
    /// What it stands for: its purpose, or that of the delivery for which it is the fallback.
    pub occasion: Purpose,
    /// Whether the lead repeats an earlier one.
    pub is_repeat: bool,
    /// Which attempt this is, from 1.
    pub attempt: i64,
    pub(super) holder: Arc<str>,
}

impl Leased {
    /// Whose lead.
    #[must_use]
    pub const fn dealer(&self) -> &DealerId {
        &self.route.dealer
    }

    /// The worker that has it.
    #[must_use]
    pub fn holder(&self) -> &str {
        &self.holder
    }
}

/// Deliveries that are due, the oldest of each way first, and the way at which the search ended. Left
/// out are closed ways, ways on which the worker has no room, and what has to wait for an earlier
/// delivery of the same lead over the same way.
///
/// # Errors
/// When the database fails.
pub fn candidates(
    conn: &mut dyn Conn,
    search: &Search,
) -> Result<(Vec<Candidate>, Option<Route>), Error> {
    let mut found = Vec::new();
    let mut at = search.after.clone();
    let mut wrapped = at.is_none();
    while found.len() < search.most {
        let Some(route) = next_route(conn, at.as_ref())? else {
            if wrapped {
                return Ok((found, None));
            }
            wrapped = true;
            at = None;
            continue;
        };
        // Once round: this is where the search began.
        if wrapped && search.after.as_ref().is_some_and(|first| route > *first) {
            return Ok((found, at));
        }
        if search.dealers.contains(&route.dealer) {
            due_on(conn, search, &route, &mut found)?;
        }
        at = Some(route);
    }
    Ok((found, at))
}

/// The way on which something waits that comes next after this one.
fn next_route(conn: &mut dyn Conn, after: Option<&Route>) -> Result<Option<Route>, Error> {
    let first = [
        Value::Text(""),
        Value::Text(""),
        Value::Text(""),
        Value::Int(0),
    ];
    let after = after.map_or(first, Route::key);
    let found = conn.first(
        "SELECT dealer, rooftop, destination, is_copy FROM delivery
         WHERE state = 'due' AND (dealer, rooftop, destination, is_copy) > ($1, $2, $3, $4)
         ORDER BY dealer, rooftop, destination, is_copy LIMIT 1",
        &after,
        |row| Route::read(row, 0),
    )?;
    Ok(found)
}

fn due_on(
    conn: &mut dyn Conn,
    search: &Search,
    route: &Route,
    found: &mut Vec<Candidate>,
) -> Result<(), Error> {
    if route.destination.is_empty() {
        return Ok(());
    }
    let gate = Gate::of(conn, route)?;
    let is_probe = gate.failures >= FAILURES;
    let busy = search.busy.get(route).copied().unwrap_or_default();
    let room = if is_probe { 1 } else { search.per_route };
    let room = room.saturating_sub(busy).min(search.most - found.len());
    if room == 0 || gate.is_closed(search.now) {
        return Ok(());
    }
    let [dealer, rooftop, destination, is_copy] = route.key();
    let args = [
        dealer,
        rooftop,
        destination,
        is_copy,
        search.now.into(),
        Value::Int(i64::try_from(room).unwrap_or(i64::MAX)),
    ];
    let due = conn.all(
        "SELECT delivery_id FROM delivery
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4
           AND state = 'due' AND due_at <= $5 AND held_until <= $5
           AND NOT EXISTS (SELECT 1 FROM delivery earlier
               WHERE earlier.dealer = delivery.dealer AND earlier.lead_id = delivery.lead_id
                 AND earlier.rooftop = delivery.rooftop
                 AND earlier.destination = delivery.destination
                 AND earlier.is_copy = delivery.is_copy
                 AND earlier.sequence < delivery.sequence AND earlier.state IN ('due', 'held'))
         ORDER BY due_at, delivery_id LIMIT $6",
        &args,
        |row| read_word(row, 0)?.ok_or_else(|| unreadable(0)),
    )?;
    found.extend(due.into_iter().map(|delivery_id| Candidate {
        route: route.clone(),
        delivery_id,
        is_probe,
    }));
    Ok(())
}

/// Takes those of the candidates that are still due, and begins an attempt at each. An attempt that
/// was begun and has no end tells that the worker died meanwhile.
///
/// # Errors
/// When the database fails.
pub fn lease(
    conn: &mut dyn Conn,
    terms: &Lease,
    candidates: &[Candidate],
) -> Result<Vec<Leased>, Error> {
    let mut taken = Vec::new();
    for candidate in candidates {
        if candidate.is_probe && !take_probe(conn, terms, &candidate.route)? {
            continue;
        }
        if let Some(leased) = take(conn, terms, candidate)? {
            begin(conn, &leased, terms.now)?;
            taken.push(leased);
        } else if candidate.is_probe {
            route::give_way(conn, &candidate.route)?;
        }
    }
    Ok(taken)
}

/// Takes one delivery by its name, whatever waits before it and whoever closed its way, and begins an
/// attempt. `None` when it is not due.
///
/// # Errors
/// When the database fails.
pub fn claim(
    conn: &mut dyn Conn,
    terms: &Lease,
    route: &Route,
    delivery_id: &DeliveryId,
) -> Result<Option<Leased>, Error> {
    let candidate = Candidate {
        route: route.clone(),
        delivery_id: delivery_id.clone(),
        is_probe: false,
    };
    Ok(lease(conn, terms, &[candidate])?.pop())
}

/// A way that failed is closed again while one delivery tries it, so that no other worker does.
fn take_probe(conn: &mut dyn Conn, terms: &Lease, route: &Route) -> Result<bool, Error> {
    let [dealer, rooftop, destination, is_copy] = route.key();
    let args = [
        dealer,
        rooftop,
        destination,
        is_copy,
        terms.now.into(),
        (terms.now + terms.length).into(),
        PausedBy::Failures.as_str().into(),
    ];
    let taken = conn.execute(
        "UPDATE delivery_route SET paused_by = $7, paused_until = $6
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4
           AND (paused_by IS NULL OR paused_until <= $5)",
        &args,
    )?;
    Ok(taken == 1)
}

fn take(
    conn: &mut dyn Conn,
    terms: &Lease,
    candidate: &Candidate,
) -> Result<Option<Leased>, Error> {
    let leased = conn.first(
        "UPDATE delivery SET holder = $3, held_until = $4, attempts = attempts + 1
         WHERE dealer = $1 AND delivery_id = $2
           AND state = 'due' AND due_at <= $5 AND held_until <= $5
         RETURNING lead_id, purpose, is_repeat, attempts, COALESCE(
             (SELECT failed.purpose FROM delivery failed
              WHERE failed.dealer = delivery.dealer
                AND failed.delivery_id = delivery.fallback_of), purpose)",
        &[
            (&candidate.route.dealer).into(),
            (&candidate.delivery_id).into(),
            (&*terms.holder).into(),
            (terms.now + terms.length).into(),
            terms.now.into(),
        ],
        |row| {
            Ok(Leased {
                route: candidate.route.clone(),
                delivery_id: candidate.delivery_id.clone(),
                lead_id: read_word(row, 0)?.ok_or_else(|| unreadable(0))?,
                purpose: read_word(row, 1)?.ok_or_else(|| unreadable(1))?,
                is_repeat: row.int(2)? != 0,
                attempt: row.int(3)?,
                occasion: read_word(row, 4)?.ok_or_else(|| unreadable(4))?,
                holder: Arc::clone(&terms.holder),
            })
        },
    )?;
    Ok(leased)
}

fn begin(conn: &mut dyn Conn, leased: &Leased, now: Timestamp) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO delivery_attempt (dealer, delivery_id, attempt, begun_at, outcome)
         VALUES ($1, $2, $3, $4, 'begun')",
        &[
            leased.dealer().into(),
            (&leased.delivery_id).into(),
            leased.attempt.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Prolongs a lease. False when it was lost: another worker sends the delivery, or it is not to be
/// sent any more.
///
/// # Errors
/// When the database fails.
pub fn renew(conn: &mut dyn Conn, leased: &Leased, until: Timestamp) -> Result<bool, Error> {
    let held = conn.execute(
        "UPDATE delivery SET held_until = $5
         WHERE dealer = $1 AND delivery_id = $2 AND holder = $3 AND attempts = $4
           AND state = 'due'",
        &[
            leased.dealer().into(),
            (&leased.delivery_id).into(),
            (&*leased.holder).into(),
            leased.attempt.into(),
            until.into(),
        ],
    )?;
    Ok(held == 1)
}

/// Gives back what a worker has and does not send, so that it is due at once: all but `sending`.
/// Returns how many.
///
/// # Errors
/// When the database fails.
pub fn give_back(
    conn: &mut dyn Conn,
    holder: &str,
    sending: &HashSet<DeliveryId>,
) -> Result<usize, Error> {
    let mut held: Vec<(String, DeliveryId)> = conn.all(
        "SELECT dealer, delivery_id FROM delivery
         WHERE state = 'due' AND holder = $1 AND held_until > 0",
        &[holder.into()],
        |row| {
            let delivery_id = read_word(row, 1)?.ok_or_else(|| unreadable(1))?;
            Ok((row.text(0)?.to_owned(), delivery_id))
        },
    )?;
    held.retain(|(_, delivery_id)| !sending.contains(delivery_id));
    for (dealer, delivery_id) in &held {
        conn.execute(
            "UPDATE delivery SET held_until = 0
             WHERE dealer = $1 AND delivery_id = $2 AND holder = $3 AND state = 'due'",
            &[dealer.into(), delivery_id.into(), holder.into()],
        )?;
    }
    Ok(held.len())
}
