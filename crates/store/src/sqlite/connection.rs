//! One SQLite connection with its cached statements.

use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rusqlite::{
    CachedStatement, OpenFlags, Statement, ToSql, params_from_iter,
    types::{ToSqlOutput, ValueRef},
};

use super::{
    error::sort,
    placeholders::{numbered, typed},
};
use crate::{Claim, Conn, Error, Row, Value, session::Session, transfer::Table};

/// Statements that stay prepared on each connection.
const STATEMENTS: usize = 256;

/// What a connection may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Reads a file that nobody writes to, without side files.
    AtRest,
    Write,
}

impl Access {
    /// How to read a database that cannot be written to: beside a program that has it open, or at
    /// rest where there is none.
    pub(super) fn at_rest_if_alone(path: &Path) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if Path::new(&log).exists() {
            Self::Read
        } else {
            Self::AtRest
        }
    }
}

pub(crate) struct Connection {
    engine: rusqlite::Connection,
    access: Access,
    path: PathBuf,
    /// The engine's text of each statement.
    texts: HashMap<&'static str, Arc<str>>,
}

impl Connection {
    pub(super) fn open(path: &Path, access: Access, patience: Duration) -> Result<Self, Error> {
        let mode = match access {
            Access::Read | Access::AtRest => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        // Each connection stays on one thread, so the engine's own locks are needless.
        let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = if access == Access::AtRest {
            let address = at_rest(path);
            rusqlite::Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)
        } else {
            rusqlite::Connection::open_with_flags(path, flags)
        };
        let engine = opened.map_err(|error| super::unavailable(path, error))?;
        engine.busy_timeout(patience).map_err(sort)?;
        // Temporary files would lie outside the database's folder, with personal data in them.
        engine
            .execute_batch("PRAGMA temp_store = MEMORY;")
            .map_err(sort)?;
        if access == Access::Write {
            // The journal mode is kept in the file; the others hold for this connection.
            engine
                .execute_batch(
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
                )
                .map_err(sort)?;
        }
        engine.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(Self {
            engine,
            access,
            path: path.to_owned(),
            texts: HashMap::new(),
        })
    }

    fn prepare(&mut self, sql: &'static str) -> Result<CachedStatement<'_>, Error> {
        let text = self
            .texts
            .entry(sql)
            .or_insert_with(|| numbered(sql).into());
        self.engine.prepare_cached(text).map_err(sort)
    }

    fn control(&mut self, sql: &'static str) -> Result<(), Error> {
        self.execute(sql, &[]).map(|_| ())
    }
}

/// The engine's address of a file that does not change.
fn at_rest(path: &Path) -> OsString {
    let mut address = OsString::from("file:");
    let text = path.to_string_lossy();
    // A drive is a folder below the root, and these characters would end the path
    // (https://sqlite.org/uri.html).
    #[cfg(windows)]
    let text = format!("/{}", text.replace('\\', "/"));
    let escaped = text
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    address.push(escaped);
    address.push("?immutable=1");
    address
}

impl Conn for Connection {
    fn execute(&mut self, sql: &'static str, args: &[Value<'_>]) -> Result<u64, Error> {
        let changed = self
            .prepare(sql)?
            .execute(params_from_iter(args.iter().map(Bound)))
            .map_err(sort)?;
        Ok(changed as u64)
    }

    fn rows(
        &mut self,
        sql: &'static str,
        args: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        run(&mut *self.prepare(sql)?, args, each)
    }
}

fn run(
    statement: &mut Statement<'_>,
    args: &[Value<'_>],
    each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut rows = statement
        .query(params_from_iter(args.iter().map(Bound)))
        .map_err(sort)?;
    while let Some(row) = rows.next().map_err(sort)? {
        each(&Columns(row))?;
    }
    Ok(())
}

impl Session for Connection {
    fn conn(&mut self) -> &mut dyn Conn {
        self
    }

    /// Whoever writes has all of the database, so that no claim can be less.
    fn begin(&mut self, claims: &[Claim]) -> Result<(), Error> {
        match self.access {
            // Taking the write lock at once avoids a refusal halfway through.
            Access::Write if !claims.is_empty() => self.control("BEGIN IMMEDIATE"),
            Access::Write | Access::Read | Access::AtRest => self.control("BEGIN"),
        }
    }

    fn savepoint(&mut self) -> Result<(), Error> {
        self.control("SAVEPOINT closure")
    }

    fn keep(&mut self) -> Result<(), Error> {
        self.control("RELEASE closure")
    }

    fn undo(&mut self) -> Result<(), Error> {
        self.control("ROLLBACK TO closure")?;
        self.control("RELEASE closure")
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.control("COMMIT")
    }

    fn rollback(&mut self) -> Result<(), Error> {
        self.control("ROLLBACK")
    }

    fn in_transaction(&self) -> bool {
        !self.engine.is_autocommit()
    }

    fn run(
        &mut self,
        sql: &str,
        args: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut statement = self.engine.prepare(&numbered(sql)).map_err(sort)?;
        run(&mut statement, args, each)
    }

    fn tables(&mut self) -> Result<Vec<Table>, Error> {
        super::catalog::tables(self)
    }

    fn has_column(&mut self, table: &str, column: &str) -> Result<bool, Error> {
        let found = self.conn().first(
            "SELECT 1 FROM pragma_table_info($1) WHERE name = $2",
            &[table.into(), column.into()],
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }

    fn scrub(&mut self) -> Result<(), Error> {
        super::scrub::scrub(&self.engine, &self.path)
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.engine.execute_batch(&typed(sql)).map_err(sort)
    }
}

struct Bound<'a>(&'a Value<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Bytes(value) => ValueRef::Blob(value),
        }))
    }
}

struct Columns<'a>(&'a rusqlite::Row<'a>);

impl Columns<'_> {
    fn get(&self, column: usize) -> Result<ValueRef<'_>, Error> {
        self.0
            .get_ref(column)
            .map_err(|_| wrong(column, "the result has no such column"))
    }
}

impl Row for Columns<'_> {
    fn optional_int(&self, column: usize) -> Result<Option<i64>, Error> {
        match self.get(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(value) => Ok(Some(value)),
            other => Err(unexpected(column, other, "BIGINT")),
        }
    }

    fn optional_text(&self, column: usize) -> Result<Option<&str>, Error> {
        match self.get(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(value) => std::str::from_utf8(value)
                .map(Some)
                .map_err(|_| wrong(column, "is not valid UTF-8")),
            other => Err(unexpected(column, other, "TEXT")),
        }
    }

    fn optional_bytes(&self, column: usize) -> Result<Option<&[u8]>, Error> {
        match self.get(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Blob(value) => Ok(Some(value)),
            other => Err(unexpected(column, other, "BYTES")),
        }
    }
}

fn unexpected(column: usize, found: ValueRef<'_>, expected: &str) -> Error {
    let found = found.data_type().to_string().to_uppercase();
    wrong(column, &format!("is {found}, expected {expected}"))
}

fn wrong(column: usize, reason: &str) -> Error {
    Error::Value {
        column,
        reason: reason.to_owned(),
    }
}
