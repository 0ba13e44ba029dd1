//! Brings the schema of a database to what this program expects.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::{Error, session::Session};

/// One step of the schema, applied once per database and never edited afterwards.
///
/// The SQL is written once for every engine: any number of statements with `BIGINT`, `TEXT` and
/// `BYTES` columns, the primary key of each table beginning with the dealer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// Unique over all crates: the crate and a number, for example `leads-1`.
    pub name: &'static str,
    /// The statements.
    pub sql: &'static str,
}

/// Applies what is missing, each migration in a transaction of its own, in the order given.
pub(crate) fn migrate(
    session: &mut dyn Session,
    migrations: &[Migration],
    now: Timestamp,
) -> Result<(), Error> {
    let mut known = HashSet::new();
    for migration in migrations {
        if !known.insert(migration.name) {
            return Err(failed(
                migration,
                Error::statement("two migrations have this name"),
            ));
        }
    }
    session.batch(
        "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)",
    )?;
    let applied: Vec<String> = session.conn().all(
        "SELECT name FROM migration ORDER BY applied_at, name",
        &[],
        |row| row.text(0).map(str::to_owned),
    )?;
    let (applied, unknown): (Vec<String>, Vec<String>) = applied
        .into_iter()
        .partition(|name| known.contains(name.as_str()));
    if !unknown.is_empty() {
        return Err(Error::NewerSchema { unknown });
    }
    for migration in migrations {
        if applied.iter().any(|name| name == migration.name) {
            continue;
        }
        let outcome = apply(session, migration, now);
        if session.in_transaction() {
            session.rollback()?;
        }
        outcome.map_err(|source| failed(migration, source))?;
    }
    Ok(())
}

fn failed(migration: &Migration, source: Error) -> Error {
    Error::Migration {
        name: migration.name,
        source: Box::new(source),
    }
}

fn apply(session: &mut dyn Session, migration: &Migration, now: Timestamp) -> Result<(), Error> {
    session.begin()?;
    // Two programs that start at once both see it missing; the second one waits in `begin` and
    // finds it done.
    let recorded = session.conn().execute(
        "INSERT INTO migration (name, applied_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        &[migration.name.into(), now.into()],
    )?;
    if recorded == 1 {
        session.batch(migration.sql)?;
    }
    session.commit()
}
