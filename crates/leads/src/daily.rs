//! Made-up leads that go to every destination once a day, and whether they arrived.

use std::collections::{BTreeMap, BTreeSet};

use dealers::DealerId;
use jiff::{SignedDuration, Timestamp};
use store::{Conn, Error};

use crate::{
    DeliveryState,
    wire::{read_text, read_word, unreadable},
};

/// How far back tests are looked at.
const LOOK_BACK: SignedDuration = SignedDuration::from_hours(24 * 7);

/// A destination of a rooftop, by their names.
pub type Place = (String, String);

/// What is known of the tests of a destination.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Tests {
    /// Since when a test is expected every day.
    pub expected_since: Option<Timestamp>,
    /// When the last one was made.
    pub last_made: Option<Timestamp>,
    /// When the last one arrived that did not come back.
    pub last_arrived: Option<Timestamp>,
    /// How far the last one is.
    pub last_state: Option<DeliveryState>,
    /// What the receiver said to it, or what happened on the way.
    pub last_detail: Option<String>,
}

/// What is known of the tests of a dealer's destinations; the last week's, whoever made them.
///
/// # Errors
/// When the database fails.
pub fn tests(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    now: Timestamp,
) -> Result<BTreeMap<Place, Tests>, Error> {
    let mut tests: BTreeMap<Place, Tests> = BTreeMap::new();
    conn.rows(
        "SELECT rooftop, destination, expected_since FROM destination
         WHERE dealer = $1 AND expected_since IS NOT NULL",
        &[dealer.into()],
        &mut |row| {
            let place = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
            tests.entry(place).or_default().expected_since = row.optional_time(2)?;
            Ok(())
        },
    )?;
    conn.rows(
        "SELECT rooftop, destination, created_at, state, finished_at,
             (SELECT last.detail FROM delivery_attempt last
              WHERE last.dealer = delivery.dealer AND last.delivery_id = delivery.delivery_id
              ORDER BY last.attempt DESC LIMIT 1)
         FROM delivery WHERE dealer = $1 AND purpose = 'test' AND created_at >= $2
         ORDER BY created_at, delivery_id",
        &[dealer.into(), (now - LOOK_BACK).into()],
        &mut |row| {
            let place = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
            let known = tests.entry(place).or_default();
            let state: DeliveryState = read_word(row, 3)?.ok_or_else(|| unreadable(3))?;
            if state == DeliveryState::Sent {
                known.last_arrived = known.last_arrived.max(row.optional_time(4)?);
            }
            known.last_made = Some(row.time(2)?);
            known.last_state = Some(state);
            known.last_detail = read_text(row, 5)?;
            Ok(())
        },
    )?;
    Ok(tests)
}

/// Notes for which of a dealer's destinations a test is expected every day from here on, and for which
/// no more. Those for which one was expected before keep their time.
///
/// # Errors
/// When the database fails.
pub fn expect(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    places: &BTreeSet<Place>,
    now: Timestamp,
) -> Result<(), Error> {
    let expected = conn.all(
        "SELECT rooftop, destination FROM destination
         WHERE dealer = $1 AND expected_since IS NOT NULL",
        &[dealer.into()],
        |row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned())),
    )?;
    let expected: BTreeSet<Place> = expected.into_iter().collect();
    for (rooftop, destination) in expected.difference(places) {
        conn.execute(
            "UPDATE destination SET expected_since = NULL
             WHERE dealer = $1 AND rooftop = $2 AND destination = $3",
            &[dealer.into(), rooftop.into(), destination.into()],
        )?;
    }
    for (rooftop, destination) in places.difference(&expected) {
        conn.execute(
            "INSERT INTO destination (dealer, rooftop, destination, expected_since)
             VALUES ($1, $2, $3, $4)
             ON CONFLICT (dealer, rooftop, destination) DO UPDATE SET
                 expected_since = excluded.expected_since",
            &[
                dealer.into(),
                rooftop.into(),
                destination.into(),
                now.into(),
            ],
        )?;
    }
    Ok(())
}
