//! Brings the schema of a database to what this program expects.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::{Claim, Error, session::Session};

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

/// Where applied migrations are recorded.
const TABLE: &str = "migration";

/// Applies what is missing, each migration in a transaction of its own, in the order given. A
/// database that has a schema already is handed to `keep_a_copy` first, while nobody can write to it.
pub(crate) fn migrate(
    session: &mut dyn Session,
    migrations: &[Migration],
    now: Timestamp,
    keep_a_copy: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let known = names(migrations)?;
    let applied = match look(session)? {
        Some(applied) => applied,
        None => begin_record(session)?,
    };
    refuse_unknown(&applied, &known)?;
    let missing = |applied: &[String], migration: &Migration| {
        !applied.iter().any(|name| name == migration.name)
    };
    if !applied.is_empty() && migrations.iter().any(|it| missing(&applied, it)) {
        session.begin(&[Claim::WHOLE])?;
        // Another program may have applied it while this one waited for its turn.
        let applied = recorded(session);
        let copied = applied.and_then(|applied| {
            let still = migrations.iter().any(|it| missing(&applied, it));
            if still { keep_a_copy() } else { Ok(()) }
        });
        session.rollback()?;
        copied?;
    }
    for migration in migrations.iter().filter(|it| missing(&applied, it)) {
        let outcome = apply(session, migration, now);
        if session.in_transaction() {
            session.rollback()?;
        }
        outcome.map_err(|source| failed(migration, source))?;
    }
    Ok(())
}

/// Refuses a database whose schema is not the one that this program expects.
pub(crate) fn expect(session: &mut dyn Session, migrations: &[Migration]) -> Result<(), Error> {
    let known = names(migrations)?;
    let applied = applied(session)?;
    refuse_unknown(&applied, &known)?;
    let missing: Vec<String> = migrations
        .iter()
        .map(|migration| migration.name.to_owned())
        .filter(|name| !applied.contains(name))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::OlderSchema { missing })
    }
}

/// Makes the table in which migrations are recorded. Another program may do so at the same time.
fn begin_record(session: &mut dyn Session) -> Result<Vec<String>, Error> {
    session.begin(&[Claim::WHOLE])?;
    let made = session
        .batch(
            "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)",
        )
        .and_then(|()| recorded(session));
    match made {
        Ok(applied) => session.commit().map(|()| applied),
        Err(error) => session.rollback().and(Err(error)),
    }
}

/// The migrations that a database has, also where it never had one.
pub(crate) fn applied(session: &mut dyn Session) -> Result<Vec<String>, Error> {
    look(session).map(Option::unwrap_or_default)
}

/// The migrations that a database has; `None` where none are recorded yet. In a transaction, which bounds
/// the wait for whoever is changing the schema.
fn look(session: &mut dyn Session) -> Result<Option<Vec<String>>, Error> {
    session.begin(&[])?;
    let found = match session.has_column(TABLE, "name") {
        Ok(true) => recorded(session).map(Some),
        Ok(false) => Ok(None),
        Err(error) => Err(error),
    };
    session.rollback().and(found)
}

fn recorded(session: &mut dyn Session) -> Result<Vec<String>, Error> {
    session.conn().all(
        "SELECT name FROM migration ORDER BY applied_at, name",
        &[],
        |row| row.text(0).map(str::to_owned),
    )
}

fn names(migrations: &[Migration]) -> Result<HashSet<&'static str>, Error> {
    let mut known = HashSet::new();
    for migration in migrations {
        if !known.insert(migration.name) {
            return Err(failed(
                migration,
                Error::statement("two migrations have this name"),
            ));
        }
    }
    Ok(known)
}

fn refuse_unknown(applied: &[String], known: &HashSet<&'static str>) -> Result<(), Error> {
    let unknown: Vec<String> = applied
        .iter()
        .filter(|name| !known.contains(name.as_str()))
        .cloned()
        .collect();
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(Error::NewerSchema { unknown })
    }
}

fn failed(migration: &Migration, source: Error) -> Error {
    Error::Migration {
        name: migration.name,
        source: Box::new(source),
    }
}

fn apply(session: &mut dyn Session, migration: &Migration, now: Timestamp) -> Result<(), Error> {
    session.begin(&[Claim::WHOLE])?;
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
