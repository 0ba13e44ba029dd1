//! Deliveries that came back, or of which word came that they are late.

use dealers::DealerId;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use store::Conn;

use super::{Error, Route};
use crate::{DeliveryId, wire::read_text};

/// How long a way is looked after on which something came back.
const LOOK_BACK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// A mail that has not come back for so long has most likely arrived.
const STAYED: SignedDuration = SignedDuration::from_hours(1);
/// Longest text about one attempt.
const MOST_DETAIL: usize = 1000;

/// A way over which deliveries came back, and nothing arrived since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CameBack {
    /// Which way.
    #[serde(flatten)]
    pub route: Route,
    /// How many deliveries.
    pub deliveries: i64,
    /// When word of the last one came.
    pub last_at: Timestamp,
    /// What was said of it.
    pub detail: Option<String>,
}

/// Adds what a mail server said to the last attempt at a delivery, which stays what it is. The same
/// words are kept once. False when there is no attempt.
///
/// # Errors
/// When the database fails.
pub fn note(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    delivery_id: &DeliveryId,
    words: &str,
) -> Result<bool, Error> {
    let last = conn.first(
        "SELECT attempt, detail FROM delivery_attempt
         WHERE dealer = $1 AND delivery_id = $2 ORDER BY attempt DESC LIMIT 1",
        &[dealer.into(), delivery_id.into()],
        |row| Ok((row.int(0)?, read_text(row, 1)?)),
    )?;
    let Some((attempt, known)) = last else {
        return Ok(false);
    };
    let known = known.unwrap_or_default();
    if known.contains(words) || known.len() + words.len() > MOST_DETAIL {
        return Ok(true);
    }
    let parts = [known.as_str(), words];
    let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    conn.execute(
        "UPDATE delivery_attempt SET detail = $4
         WHERE dealer = $1 AND delivery_id = $2 AND attempt = $3",
        &[
            dealer.into(),
            delivery_id.into(),
            attempt.into(),
            (&parts.join("; ")).into(),
        ],
    )?;
    Ok(true)
}

/// The ways of a dealer over which deliveries came back within a week, as long as nothing that was
/// sent there afterwards has stayed for an hour.
///
/// # Errors
/// When the database fails.
pub fn came_back(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    now: Timestamp,
) -> Result<Vec<CameBack>, store::Error> {
    let mut found = conn.all(
        "SELECT dealer, rooftop, destination, is_copy, COUNT(*), MAX(finished_at) FROM delivery
         WHERE dealer = $1 AND state = 'bounced' AND finished_at >= $2
         GROUP BY dealer, rooftop, destination, is_copy
         ORDER BY rooftop, destination, is_copy",
        &[dealer.into(), (now - LOOK_BACK).into()],
        |row| {
            Ok(CameBack {
                route: Route::read(row, 0)?,
                deliveries: row.int(4)?,
                last_at: row.time(5)?,
                detail: None,
            })
        },
    )?;
    let mut wrong = Vec::new();
    for mut way in found.drain(..) {
        if !works_again(conn, &way, now)? {
            way.detail = last_words(conn, &way)?;
            wrong.push(way);
        }
    }
    Ok(wrong)
}

fn works_again(conn: &mut dyn Conn, way: &CameBack, now: Timestamp) -> Result<bool, store::Error> {
    let [dealer, rooftop, destination, is_copy] = way.route.key();
    let arrived = conn.first(
        "SELECT 1 FROM delivery
         WHERE dealer = $1 AND state = 'sent' AND rooftop = $2 AND destination = $3
           AND is_copy = $4 AND finished_at > $5 AND finished_at <= $6
           AND created_at >= $7 LIMIT 1",
        &[
            dealer,
            rooftop,
            destination,
            is_copy,
            way.last_at.into(),
            (now - STAYED).into(),
            // By this an index finds them. Of what was made earlier hardly anything is sent afterwards.
            (way.last_at - LOOK_BACK).into(),
        ],
        |_| Ok(()),
    )?;
    Ok(arrived.is_some())
}

fn last_words(conn: &mut dyn Conn, way: &CameBack) -> Result<Option<String>, store::Error> {
    let [dealer, rooftop, destination, is_copy] = way.route.key();
    let found = conn.first(
        "SELECT delivery_attempt.detail FROM delivery
         JOIN delivery_attempt ON delivery_attempt.dealer = delivery.dealer
           AND delivery_attempt.delivery_id = delivery.delivery_id
         WHERE delivery.dealer = $1 AND delivery.state = 'bounced' AND delivery.rooftop = $2
           AND delivery.destination = $3 AND delivery.is_copy = $4
         ORDER BY delivery.finished_at DESC, delivery_attempt.attempt DESC LIMIT 1",
        &[dealer, rooftop, destination, is_copy],
        |row| read_text(row, 0),
    )?;
    Ok(found.flatten())
}
