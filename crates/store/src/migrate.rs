//! Brings the schema of a database to what this program expects.

use std::collections::HashSet;

use crate::{Claim, Error, Options, Row, session::Session};

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

/// Where applied migrations are recorded: each with the generation of the program that did it.
const TABLE: &str = "migration";

/// A migration that a database has.
struct Applied {
    name: String,
    generation: u64,
}

/// What a database has recorded.
enum Record {
    Absent,
    /// By a program that counted no generations yet.
    WithoutGenerations(Vec<Applied>),
    Whole(Vec<Applied>),
}

impl Record {
    fn applied(self) -> Vec<Applied> {
        match self {
            Self::Absent => Vec::new(),
            Self::WithoutGenerations(applied) | Self::Whole(applied) => applied,
        }
    }
}

/// Applies what is missing, each migration in a transaction of its own, in the order given. A
/// database that has a schema already is handed to `keep_a_copy` first, while nobody can write to it.
pub(crate) fn migrate(
    session: &mut dyn Session,
    options: &Options,
    keep_a_copy: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let migrations = &options.migrations;
    let known = names(migrations)?;
    let applied = match look(session)? {
        Record::Whole(applied) => applied,
        Record::Absent | Record::WithoutGenerations(_) => begin_record(session)?,
    };
    refuse_unknown(&applied, &known, options.generation)?;
    let missing = |applied: &[Applied], migration: &Migration| {
        !applied.iter().any(|it| it.name == migration.name)
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
        let outcome = apply(session, migration, options);
        if session.in_transaction() {
            session.rollback()?;
        }
        outcome.map_err(|source| failed(migration, source))?;
    }
    Ok(())
}

/// Refuses a database whose schema is not the one that this program expects.
pub(crate) fn expect(session: &mut dyn Session, options: &Options) -> Result<(), Error> {
    let known = names(&options.migrations)?;
    let applied = look(session)?.applied();
    refuse_unknown(&applied, &known, options.generation)?;
    let names = options.migrations.iter().map(|it| it.name);
    let missing: Vec<String> = names
        .filter(|name| !applied.iter().any(|it| it.name == *name))
        .map(str::to_owned)
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::OlderSchema { missing })
    }
}

/// Makes the table in which migrations are recorded. Another program may do so at the same time.
fn begin_record(session: &mut dyn Session) -> Result<Vec<Applied>, Error> {
    session.begin(&[Claim::WHOLE])?;
    match make_record(session) {
        Ok(applied) => session.commit().map(|()| applied),
        Err(error) => session.rollback().and(Err(error)),
    }
}

fn make_record(session: &mut dyn Session) -> Result<Vec<Applied>, Error> {
    session.batch(
        "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)",
    )?;
    if !session.has_column(TABLE, "generation")? {
        session.batch("ALTER TABLE migration ADD COLUMN generation BIGINT NOT NULL DEFAULT 1")?;
    }
    recorded(session)
}

/// The names of the migrations that a database has, also where it never had one.
pub(crate) fn applied(session: &mut dyn Session) -> Result<Vec<String>, Error> {
    let applied = look(session)?.applied();
    Ok(applied.into_iter().map(|it| it.name).collect())
}

/// What a database has recorded, looked up in a transaction, which bounds the wait for whoever is changing
/// the schema.
fn look(session: &mut dyn Session) -> Result<Record, Error> {
    session.begin(&[])?;
    let found = find(session);
    session.rollback().and(found)
}

fn find(session: &mut dyn Session) -> Result<Record, Error> {
    if session.has_column(TABLE, "generation")? {
        return recorded(session).map(Record::Whole);
    }
    if session.has_column(TABLE, "name")? {
        let sql = "SELECT name, CAST(1 AS BIGINT) FROM migration ORDER BY applied_at, name";
        let applied = session.conn().all(sql, &[], read)?;
        return Ok(Record::WithoutGenerations(applied));
    }
    Ok(Record::Absent)
}

fn recorded(session: &mut dyn Session) -> Result<Vec<Applied>, Error> {
    let sql = "SELECT name, generation FROM migration ORDER BY applied_at, name";
    session.conn().all(sql, &[], read)
}

fn read(row: &dyn Row) -> Result<Applied, Error> {
    Ok(Applied {
        name: row.text(0)?.to_owned(),
        generation: u64::try_from(row.int(1)?).unwrap_or_default(),
    })
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

/// Refuses a schema that has more than this program knows of. What the next generation adds is nothing to
/// it, so that it goes on until it is replaced.
fn refuse_unknown(
    applied: &[Applied],
    known: &HashSet<&'static str>,
    generation: u64,
) -> Result<(), Error> {
    let unknown = applied
        .iter()
        .filter(|it| !known.contains(it.name.as_str()));
    let (next, strange): (Vec<&Applied>, Vec<&Applied>) =
        unknown.partition(|it| it.generation == generation + 1);
    if !strange.is_empty() {
        let unknown = strange.iter().map(|it| it.name.clone()).collect();
        return Err(Error::NewerSchema { unknown });
    }
    if !next.is_empty() {
        tracing::warn!(
            migrations = next.len(),
            "the database has the schema of the next version of this program, which only adds to it: replace this program soon"
        );
    }
    Ok(())
}

fn failed(migration: &Migration, source: Error) -> Error {
    Error::Migration {
        name: migration.name,
        source: Box::new(source),
    }
}

fn apply(session: &mut dyn Session, migration: &Migration, options: &Options) -> Result<(), Error> {
    let generation = i64::try_from(options.generation).unwrap_or(i64::MAX);
    session.begin(&[Claim::WHOLE])?;
    // Two programs that start at once both see it missing; the second one waits in `begin` and
    // finds it done.
    let recorded = session.conn().execute(
        "INSERT INTO migration (name, applied_at, generation) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO NOTHING",
        &[
            migration.name.into(),
            options.clock.now().into(),
            generation.into(),
        ],
    )?;
    if recorded == 1 {
        session.batch(migration.sql)?;
    }
    session.commit()
}
