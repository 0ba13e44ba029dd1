//! Leases: of several processes on one database, which one does a piece of work.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use crate::{Conn, Error, Migration};

/// The table of the leases, for [`Options::migrations`](crate::Options::migrations).
pub const MIGRATIONS: &[Migration] = &[Migration {
    name: "store-1",
    sql: "
-- Who does a piece of work, and until when nobody else may. `dealer` is empty for work of the whole
-- server. A lease in the past is free.
CREATE TABLE lease (
    dealer TEXT NOT NULL,
    work TEXT NOT NULL,
    holder TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    PRIMARY KEY (dealer, work)
);
",
}];

/// A piece of work that one process at a time does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease<'a> {
    /// Whose work it is; empty for the whole server's.
    pub dealer: &'a str,
    /// The name of the work.
    pub work: &'a str,
    /// The process that wants it, by a name that no other process has.
    pub holder: &'a str,
}

impl Lease<'_> {
    /// Takes the lease, or prolongs it for the process that holds it. True when the caller holds it
    /// until `now + length`.
    ///
    /// # Errors
    /// When the database fails.
    pub fn take(
        &self,
        conn: &mut dyn Conn,
        now: Timestamp,
        length: SignedDuration,
    ) -> Result<bool, Error> {
        conn.execute(
            "INSERT INTO lease (dealer, work, holder, held_until) VALUES ($1, $2, $3, 0)
             ON CONFLICT (dealer, work) DO NOTHING",
            &[self.dealer.into(), self.work.into(), self.holder.into()],
        )?;
        let until = ending(now, length);
        let taken = conn.execute(
            "UPDATE lease SET holder = $3, held_until = $4
             WHERE dealer = $1 AND work = $2 AND (holder = $3 OR held_until <= $5)",
            &[
                self.dealer.into(),
                self.work.into(),
                self.holder.into(),
                until.into(),
                now.into(),
            ],
        )?;
        Ok(taken == 1)
    }

    /// Takes or prolongs the same work of many dealers for one holder, and names those that it holds until
    /// `now + length`. What it holds already costs one statement, however many dealers there are.
    ///
    /// # Errors
    /// When the database fails.
    pub fn take_each<'d>(
        conn: &mut dyn Conn,
        work: &str,
        holder: &str,
        dealers: impl IntoIterator<Item = &'d str>,
        now: Timestamp,
        length: SignedDuration,
    ) -> Result<Vec<&'d str>, Error> {
        let until = ending(now, length);
        conn.execute(
            "UPDATE lease SET held_until = $3 WHERE work = $1 AND holder = $2 AND held_until > $4",
            &[work.into(), holder.into(), until.into(), now.into()],
        )?;
        let held = conn.all(
            "SELECT dealer, holder FROM lease WHERE work = $1 AND held_until > $2",
            &[work.into(), now.into()],
            |row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned())),
        )?;
        let held: HashMap<String, String> = held.into_iter().collect();
        let mut taken = Vec::new();
        for dealer in dealers {
            let is_taken = match held.get(dealer) {
                Some(by) => by == holder,
                None => Lease {
                    dealer,
                    work,
                    holder,
                }
                .take(conn, now, length)?,
            };
            if is_taken {
                taken.push(dealer);
            }
        }
        Ok(taken)
    }

    /// Lets the lease go, so that another process need not wait for its end. A lease that the
    /// caller does not hold stays as it is.
    ///
    /// # Errors
    /// When the database fails.
    pub fn release(&self, conn: &mut dyn Conn) -> Result<(), Error> {
        conn.execute(
            "UPDATE lease SET held_until = 0 WHERE dealer = $1 AND work = $2 AND holder = $3",
            &[self.dealer.into(), self.work.into(), self.holder.into()],
        )?;
        Ok(())
    }
}

fn ending(now: Timestamp, length: SignedDuration) -> i64 {
    now.as_millisecond() + i64::try_from(length.as_millis()).unwrap_or_default()
}
