//! Who takes which piece of time. Counting in single statements keeps two transactions at once
//! from getting one place, on every engine.

use std::collections::BTreeSet;

use dealers::DealerId;
use jiff::{SignedDuration, Timestamp};
use store::Conn;

use super::{Span, calendar::pieces};
use crate::Error;

/// How long counts of past times are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(48);

/// Whose time: a dealer's rooftop and a kind of appointment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Desk<'a> {
    pub(crate) dealer: &'a DealerId,
    pub(crate) rooftop: &'a str,
    /// As AAP writes it, for example `test_drive`.
    pub(crate) kind: &'a str,
}

impl Desk<'_> {
    /// Takes a place in every piece of a span, or in none: false when one has none left.
    pub(crate) fn take(
        self,
        conn: &mut dyn Conn,
        span: Span,
        capacity: i64,
    ) -> Result<bool, Error> {
        for at in pieces(span.starts_at, span.ends_at) {
            // The first one of a piece finds no row; whoever meets a row needs a place in it.
            let taken = conn.execute(
                "INSERT INTO slot (dealer, rooftop, kind, starts_at, taken)
                 VALUES ($1, $2, $3, $4, 1)
                 ON CONFLICT (dealer, rooftop, kind, starts_at)
                 DO UPDATE SET taken = slot.taken + 1 WHERE slot.taken < $5",
                &[
                    self.dealer.into(),
                    self.rooftop.into(),
                    self.kind.into(),
                    at.into(),
                    capacity.into(),
                ],
            )?;
            if taken == 0 {
                let ends_at = at;
                self.give_back(conn, Span { ends_at, ..span })?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Gives the places of a span back.
    pub(crate) fn give_back(self, conn: &mut dyn Conn, span: Span) -> Result<(), Error> {
        let Some(first) = pieces(span.starts_at, span.ends_at).next() else {
            return Ok(());
        };
        conn.execute(
            "UPDATE slot SET taken = taken - 1
             WHERE dealer = $1 AND rooftop = $2 AND kind = $3 AND starts_at >= $4
               AND starts_at < $5 AND taken > 0",
            &[
                self.dealer.into(),
                self.rooftop.into(),
                self.kind.into(),
                first.into(),
                span.ends_at.into(),
            ],
        )?;
        Ok(())
    }

    /// The pieces from one time to another, by their beginnings, in which so many appointments go
    /// on that none has room beside them.
    pub(crate) fn full(
        self,
        conn: &mut dyn Conn,
        from: Timestamp,
        to: Timestamp,
        capacity: i64,
    ) -> Result<BTreeSet<Timestamp>, Error> {
        let first = pieces(from, to).next().unwrap_or(from);
        let full = conn.all(
            "SELECT starts_at FROM slot
             WHERE dealer = $1 AND rooftop = $2 AND kind = $3 AND starts_at >= $4
               AND starts_at < $5 AND taken >= $6",
            &[
                self.dealer.into(),
                self.rooftop.into(),
                self.kind.into(),
                first.into(),
                to.into(),
                capacity.into(),
            ],
            |row| row.time(0),
        )?;
        Ok(full.into_iter().collect())
    }

    /// Forgets the counts of times long past, which nobody can take any more.
    pub(crate) fn forget(self, conn: &mut dyn Conn, now: Timestamp) -> Result<(), Error> {
        let before = now.saturating_sub(KEPT).unwrap_or(Timestamp::MIN);
        conn.execute(
            "DELETE FROM slot WHERE dealer = $1 AND rooftop = $2 AND kind = $3 AND starts_at < $4",
            &[
                self.dealer.into(),
                self.rooftop.into(),
                self.kind.into(),
                before.into(),
            ],
        )?;
        Ok(())
    }
}
