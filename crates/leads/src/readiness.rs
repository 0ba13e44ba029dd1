//! Whether a dealer's leads will arrive: every rooftop has a destination and a fallback, and each has
//! passed a test since its settings were changed.

use std::{collections::HashMap, fmt};

use dealers::{Dealer, DealerId};
use jiff::Timestamp;
use serde::Serialize;
use store::{Conn, Error};

/// What keeps the leads of a rooftop from arriving for sure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "lacks", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Lack {
    /// Its leads go nowhere.
    Destination {
        /// Name of the rooftop.
        rooftop: String,
    },
    /// Nobody gets a lead that a destination refuses for good.
    Fallback {
        /// Name of the rooftop.
        rooftop: String,
    },
    /// A destination, or the fallback, has not shown that it takes leads.
    Test {
        /// Name of the rooftop.
        rooftop: String,
        /// Name of the destination.
        destination: String,
        /// Whether it passed a test before its settings were changed.
        is_changed: bool,
    },
}

/// What is missing and what to do about it.
impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Destination { rooftop } => write!(
                f,
                "rooftop {rooftop:?} has no destination for its leads; write `crm = \"...\"` or a table `destinations.NAME`"
            ),
            Self::Fallback { rooftop } => write!(
                f,
                "rooftop {rooftop:?} has nobody who gets the leads that a destination refuses; write `fallback = \"...\"`"
            ),
            Self::Test {
                rooftop,
                destination,
                is_changed,
            } => write!(
                f,
                "destination {destination:?} of rooftop {rooftop:?} {}; run `forecourt leads test`",
                if *is_changed {
                    "has not been tested since its settings were changed"
                } else {
                    "has not passed a test"
                }
            ),
        }
    }
}

/// Everything that keeps a dealer's leads from arriving for sure. `digest` is the digest of the
/// settings of a rooftop's destination, by their names, as [`note_passed`] got it.
///
/// # Errors
/// When the database fails.
pub fn lacks(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    digest: &dyn Fn(&str, &str) -> Option<String>,
) -> Result<Vec<Lack>, Error> {
    let passed = passed(conn, id)?;
    let mut lacks = Vec::new();
    for (name, rooftop) in &dealer.rooftops {
        if rooftop.destinations().is_empty() {
            lacks.push(Lack::Destination {
                rooftop: name.clone(),
            });
        }
        if rooftop.fallback().is_none() {
            lacks.push(Lack::Fallback {
                rooftop: name.clone(),
            });
        }
        for destination in rooftop.every_destination().into_keys() {
            let key = (name.clone(), destination);
            let tested = passed.get(&key);
            if tested.is_none() || tested != digest(&key.0, &key.1).as_ref() {
                lacks.push(Lack::Test {
                    is_changed: tested.is_some(),
                    rooftop: key.0,
                    destination: key.1,
                });
            }
        }
    }
    Ok(lacks)
}

/// The settings under which each destination passed its last test, by rooftop and destination.
fn passed(
    conn: &mut dyn Conn,
    dealer: &DealerId,
) -> Result<HashMap<(String, String), String>, Error> {
    let rows = conn.all(
        "SELECT rooftop, destination, settings FROM destination
         WHERE dealer = $1 AND tested_at IS NOT NULL AND settings IS NOT NULL",
        &[dealer.into()],
        |row| {
            let key = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
            Ok((key, row.text(2)?.to_owned()))
        },
    )?;
    Ok(rows.into_iter().collect())
}

/// Notes that a destination took a test lead under these settings.
///
/// # Errors
/// When the database fails.
pub fn note_passed(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    rooftop: &str,
    destination: &str,
    settings: &str,
    now: Timestamp,
) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO destination (dealer, rooftop, destination, settings, tested_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (dealer, rooftop, destination) DO UPDATE SET
             settings = excluded.settings, tested_at = excluded.tested_at",
        &[
            dealer.into(),
            rooftop.into(),
            destination.into(),
            settings.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// When the last test of any destination was passed, so that a server sees that there is news.
///
/// # Errors
/// When the database fails.
pub fn last_passed(conn: &mut dyn Conn) -> Result<Option<Timestamp>, Error> {
    let last = conn.first("SELECT MAX(tested_at) FROM destination", &[], |row| {
        row.optional_time(0)
    })?;
    Ok(last.flatten())
}
