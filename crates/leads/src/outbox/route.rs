//! The way to a destination, and whether it is open.

use dealers::DealerId;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Conn, Row, Value};

use super::{Ending, Error, backoff::pause_after};
use crate::{Purpose, wire::unreadable};

/// The way to a destination of a rooftop. The copies for people take a way of their own, since they
/// go to another mailbox: neither holds up the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Route {
    /// Whose.
    pub dealer: DealerId,
    /// Name of the rooftop.
    pub rooftop: String,
    /// Name of the destination; empty while the rooftop has none.
    pub destination: String,
    /// Whether it is the way of the copies for people.
    pub is_copy: bool,
}

impl Route {
    /// The way of a delivery.
    #[must_use]
    pub fn new(
        dealer: &DealerId,
        rooftop: impl Into<String>,
        destination: impl Into<String>,
        purpose: Purpose,
    ) -> Self {
        Self {
            dealer: dealer.clone(),
            rooftop: rooftop.into(),
            destination: destination.into(),
            is_copy: purpose == Purpose::Copy,
        }
    }

    /// The four columns by which tables name it.
    pub(super) fn key(&self) -> [Value<'_>; 4] {
        [
            (&self.dealer).into(),
            (&self.rooftop).into(),
            (&self.destination).into(),
            self.is_copy.into(),
        ]
    }

    /// From four columns, of which `first` is the first.
    pub(super) fn read(row: &dyn Row, first: usize) -> Result<Self, store::Error> {
        Ok(Self {
            dealer: row.text(first)?.parse().map_err(|_| unreadable(first))?,
            rooftop: row.text(first + 1)?.to_owned(),
            destination: row.text(first + 2)?.to_owned(),
            is_copy: row.int(first + 3)? != 0,
        })
    }
}

/// As people name it: `North/crm`, with the copies told apart.
impl std::fmt::Display for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.rooftop, self.destination)?;
        if self.is_copy {
            f.write_str(" (copy)")?;
        }
        Ok(())
    }
}

/// Who closed a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PausedBy {
    /// A person.
    Person,
    /// So many failures in a row that the receiver is spared for a while.
    Failures,
}

impl PausedBy {
    /// The word in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Failures => "failures",
        }
    }
}

/// What decides whether something may be sent over a way.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gate {
    /// How often in a row the receiver was out of reach.
    pub(super) failures: i64,
    paused: bool,
    until: Option<Timestamp>,
}

impl Gate {
    pub(super) fn of(conn: &mut dyn Conn, route: &Route) -> Result<Self, store::Error> {
        let found = conn.first(
            "SELECT failures, paused_by, paused_until FROM delivery_route
             WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4",
            &route.key(),
            |row| {
                Ok(Self {
                    failures: row.int(0)?,
                    paused: row.optional_text(1)?.is_some(),
                    until: row.optional_time(2)?,
                })
            },
        )?;
        Ok(found.unwrap_or_default())
    }

    /// A pause without an end lasts until somebody ends it.
    pub(super) fn is_closed(&self, now: Timestamp) -> bool {
        self.paused && self.until.is_none_or(|until| now < until)
    }
}

/// Everything is well with the way. A person's pause stays.
pub(super) fn succeeded(conn: &mut dyn Conn, route: &Route, now: Timestamp) -> Result<(), Error> {
    let [dealer, rooftop, destination, is_copy] = route.key();
    conn.execute(
        "INSERT INTO delivery_route (dealer, rooftop, destination, is_copy, succeeded_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (dealer, rooftop, destination, is_copy) DO UPDATE SET
             succeeded_at = excluded.succeeded_at, failures = 0, refusals = 0,
             failing_since = NULL, trouble = NULL,
             paused_until = CASE WHEN delivery_route.paused_by = 'person'
                 THEN delivery_route.paused_until END,
             paused_by = CASE WHEN delivery_route.paused_by = 'person' THEN 'person' END",
        &[dealer, rooftop, destination, is_copy, now.into()],
    )?;
    Ok(())
}

/// The receiver is there, whatever it said: the way is open.
pub(super) fn answered(conn: &mut dyn Conn, route: &Route) -> Result<(), Error> {
    conn.execute(
        "UPDATE delivery_route SET failures = 0,
             failing_since = CASE WHEN refusals > 0 THEN failing_since END,
             trouble = CASE WHEN refusals > 0 THEN trouble END,
             paused_until = CASE WHEN paused_by = 'person' THEN paused_until END,
             paused_by = CASE WHEN paused_by = 'person' THEN 'person' END
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4
           AND failures > 0",
        &route.key(),
    )?;
    Ok(())
}

/// A probe that said nothing about the receiver: the next one may go.
pub(super) fn give_way(conn: &mut dyn Conn, route: &Route) -> Result<(), Error> {
    conn.execute(
        "UPDATE delivery_route SET paused_by = NULL, paused_until = NULL
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4
           AND paused_by = 'failures'",
        &route.key(),
    )?;
    Ok(())
}

/// Counts a failure of the receiver itself, and closes the way for a while after several in a row, or when it
/// asks for that. A person's pause stays until it is over.
pub(super) fn out_of_reach(
    conn: &mut dyn Conn,
    route: &Route,
    detail: &str,
    asked_for: Option<SignedDuration>,
    ending: &Ending,
) -> Result<(), Error> {
    let [dealer, rooftop, destination, is_copy] = route.key();
    let failures = conn.first(
        "INSERT INTO delivery_route
             (dealer, rooftop, destination, is_copy, failures, failing_since, trouble)
         VALUES ($1, $2, $3, $4, 1, $5, $6)
         ON CONFLICT (dealer, rooftop, destination, is_copy) DO UPDATE SET
             failures = delivery_route.failures + 1, trouble = excluded.trouble,
             failing_since = COALESCE(delivery_route.failing_since, excluded.failing_since)
         RETURNING failures",
        &[
            dealer,
            rooftop,
            destination,
            is_copy,
            ending.now.into(),
            without_words(detail).into(),
        ],
        |row| row.int(0),
    )?;
    let Some(pause) = pause_after(failures.unwrap_or_default(), ending.jitter, asked_for) else {
        return Ok(());
    };
    conn.execute(
        "UPDATE delivery_route SET paused_by = $5, paused_until = $6
         WHERE dealer = $1 AND rooftop = $2 AND destination = $3 AND is_copy = $4
           AND (paused_by IS NULL OR paused_by = $5 OR paused_until <= $7)",
        &[
            dealer,
            rooftop,
            destination,
            is_copy,
            PausedBy::Failures.as_str().into(),
            (ending.now + pause).into(),
            ending.now.into(),
        ],
    )?;
    Ok(())
}

/// Counts a delivery that failed for good. Of a made-up lead its own alarm tells, or the person who waits
/// for the answer: no buyer's lead was refused.
pub(super) fn refused(
    conn: &mut dyn Conn,
    route: &Route,
    purpose: Purpose,
    detail: &str,
    now: Timestamp,
) -> Result<(), Error> {
    if purpose == Purpose::Test {
        return Ok(());
    }
    let [dealer, rooftop, destination, is_copy] = route.key();
    conn.execute(
        "INSERT INTO delivery_route
             (dealer, rooftop, destination, is_copy, refusals, failing_since, trouble)
         VALUES ($1, $2, $3, $4, 1, $5, $6)
         ON CONFLICT (dealer, rooftop, destination, is_copy) DO UPDATE SET
             refusals = delivery_route.refusals + 1, trouble = excluded.trouble,
             failing_since = COALESCE(delivery_route.failing_since, excluded.failing_since)",
        &[
            dealer,
            rooftop,
            destination,
            is_copy,
            now.into(),
            without_words(detail).into(),
        ],
    )?;
    Ok(())
}

/// What happened, up to the code of the receiver's answer (RFC 5321 §4.2, RFC 3463, RFC 9110 §15). Alarms
/// and logs repeat it, long after the lead is erased, and nobody knows what stands in a receiver's words.
fn without_words(detail: &str) -> &str {
    let starts = detail.char_indices().map(|(at, _)| at);
    let end = starts
        .filter(|at| {
            let before = &detail[..*at];
            before.is_empty() || before.ends_with(": ") || before.ends_with("status ")
        })
        .find_map(|at| Some(at + code_length(&detail[at..])?));
    end.map_or(detail, |end| &detail[..end])
}

/// How long the code is with which a text begins: three digits, and an enhanced status behind them.
fn code_length(text: &str) -> Option<usize> {
    let word = |text: &str| {
        let end = text.find(|it: char| !it.is_ascii_digit() && it != '.');
        end.unwrap_or(text.len())
    };
    let code = word(text);
    if code != 3 || text[..code].contains('.') {
        return None;
    }
    let enhanced = text[code..].strip_prefix(' ').map_or(0, word);
    let is_enhanced = |status: &str| status.split('.').count() == 3 && !status.ends_with('.');
    let is_status = enhanced > 0 && is_enhanced(&text[code + 1..code + 1 + enhanced]);
    Some(if is_status { code + 1 + enhanced } else { code })
}

#[cfg(test)]
mod tests {
    use super::without_words;

    #[test]
    fn what_a_receiver_says_behind_its_code_is_left_out() {
        for (detail, kept) in [
            ("550 5.1.1 no Ada here", "550 5.1.1"),
            ("550 no Ada here", "550"),
            (
                "the mail was refused: 550 5.7.26. Ada",
                "the mail was refused: 550",
            ),
            (
                "the mailbox is full: 452 4.2.2 Ada: 550 5.1.1",
                "the mailbox is full: 452 4.2.2",
            ),
            ("HTTP status 422: Ada", "HTTP status 422"),
            (
                "the answer does not hold \"OK\": HTTP status 200: Ada",
                "the answer does not hold \"OK\": HTTP status 200",
            ),
            ("HTTP status 503", "HTTP status 503"),
            (
                "no connection to 127.0.0.1:465: refused",
                "no connection to 127.0.0.1:465: refused",
            ),
            (
                "the receiver did not finish within 600 seconds",
                "the receiver did not finish within 600 seconds",
            ),
            ("ä: 4502", "ä: 4502"),
        ] {
            assert_eq!(without_words(detail), kept);
        }
    }
}
