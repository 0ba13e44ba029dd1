//! All rows of one database into another that has none, whatever the engines are.
//!
//! Tables, columns and keys are taken from the catalog of the source. Both sides are one transaction:
//! the source is read in one state while others write to it, and the target has everything or nothing.
//! Before it is committed each table is read back, and has to have as many rows as the source and the
//! same digest of their contents.

use std::thread;

use sha2::{Digest, Sha256};

use crate::{Address, Claim, Error, Options, Row, Value, postgres, session::Session, sqlite};

/// Rows that are read and written at a time.
const ROWS: usize = 500;
/// Most values in one statement.
const VALUES: usize = 8000;
/// Most bytes of texts that are held for one statement, about.
const BYTES: usize = 4 << 20;
/// The schema has its own rows there already.
const LEFT_OUT: &str = "migration";

/// A table as the catalog of its database describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    /// The columns of the primary key, in its order, by their places among the columns.
    pub(crate) key: Vec<usize>,
    /// The tables that its foreign keys lead to.
    pub(crate) parents: Vec<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Text,
    Bytes,
}

/// What was moved of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// Its name.
    pub table: String,
    /// How many rows.
    pub rows: u64,
    /// SHA-256 over its rows in the order of the primary key, as both databases hold them, in
    /// hexadecimal digits.
    pub digest: String,
}

/// How far a transfer is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The table that is copied, or read back.
    pub table: String,
    /// What was done so far: each row counts twice, as it is copied and read back.
    pub done: u64,
    /// What there is to do.
    pub all: u64,
}

/// Why nothing was moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The source cannot be read.
    #[error("the database that is read")]
    Source(#[source] Error),
    /// The target cannot be written.
    #[error("the database that is written")]
    Target(#[source] Error),
    /// The target holds something already.
    #[error("the target has rows in {table} already; name an empty database")]
    NotEmpty {
        /// A table that has rows.
        table: String,
    },
    /// The databases have different tables.
    #[error("{table} is not the same table in both databases")]
    OtherSchema {
        /// The table.
        table: String,
    },
    /// The copy is not what was read.
    #[error(
        "{table} was not copied faithfully ({source_rows} rows read, {target_rows} written); nothing was moved"
    )]
    Differs {
        /// The table.
        table: String,
        /// Rows of the source.
        source_rows: u64,
        /// Rows of the target.
        target_rows: u64,
    },
}

/// Moves everything from one database to another. Both options name the same migrations: the source has
/// their schema already, the target gets it. Blocks for as long as it takes.
///
/// # Errors
/// [`TransferError`]. The target has no row more than before then.
pub fn transfer(
    from: &Options,
    to: &Options,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Vec<Moved>, TransferError> {
    // Beside the caller's thread, which may be one that must not wait.
    thread::scope(|scope| {
        let moving = scope.spawn(|| {
            let mut source = open(from, true).map_err(TransferError::Source)?;
            let mut target = open(to, false).map_err(TransferError::Target)?;
            Transfer {
                source: source.as_mut(),
                target: target.as_mut(),
                progress,
                done: 0,
                all: 0,
            }
            .all()
        });
        moving
            .join()
            .unwrap_or(Err(TransferError::Target(Error::Panicked)))
    })
}

fn open(options: &Options, is_source: bool) -> Result<Box<dyn Session>, Error> {
    match (&options.address, is_source) {
        (Address::Sqlite(path), true) => sqlite::open_to_read(path, options),
        (Address::Sqlite(path), false) => sqlite::open_to_write(path, options),
        (Address::Postgres(url), _) => postgres::open(url, options, is_source),
    }
}

struct Transfer<'a> {
    source: &'a mut dyn Session,
    target: &'a mut dyn Session,
    progress: &'a mut (dyn FnMut(&Progress) + Send),
    done: u64,
    all: u64,
}

impl Transfer<'_> {
    fn all(mut self) -> Result<Vec<Moved>, TransferError> {
        self.source.begin(&[]).map_err(TransferError::Source)?;
        self.target
            .begin(&[Claim::WHOLE])
            .map_err(TransferError::Target)?;
        let moved = self.tables();
        let ended = match &moved {
            Ok(_) => self.target.commit(),
            Err(_) => self.target.rollback(),
        };
        let read = self.source.rollback();
        let moved = moved?;
        ended.map_err(TransferError::Target)?;
        read.map_err(TransferError::Source)?;
        Ok(moved)
    }

    fn tables(&mut self) -> Result<Vec<Moved>, TransferError> {
        let source = self.source.tables().map_err(TransferError::Source)?;
        let target = self.target.tables().map_err(TransferError::Target)?;
        let tables = parents_first(source);
        for table in &tables {
            let same = target.iter().find(|it| it.name == table.name);
            if !same.is_some_and(|same| same.columns == table.columns && same.key == table.key) {
                let table = table.name.clone();
                return Err(TransferError::OtherSchema { table });
            }
            let rows = count(self.target, table).map_err(TransferError::Target)?;
            if rows > 0 {
                let table = table.name.clone();
                return Err(TransferError::NotEmpty { table });
            }
            self.all += 2 * count(self.source, table).map_err(TransferError::Source)?;
        }
        tables.iter().map(|table| self.table(table)).collect()
    }

    fn table(&mut self, table: &Table) -> Result<Moved, TransferError> {
        let mut read = Reading::of(table);
        while let Some(rows) = read.next(self.source).map_err(TransferError::Source)? {
            insert(self.target, table, &rows).map_err(TransferError::Target)?;
            self.tell(table, rows.len());
        }
        let mut back = Reading::of(table);
        while let Some(rows) = back.next(self.target).map_err(TransferError::Target)? {
            self.tell(table, rows.len());
        }
        let (source_rows, target_rows) = (read.rows, back.rows);
        let (read, back) = (read.digest(), back.digest());
        if read != back || source_rows != target_rows {
            return Err(TransferError::Differs {
                table: table.name.clone(),
                source_rows,
                target_rows,
            });
        }
        Ok(Moved {
            table: table.name.clone(),
            rows: source_rows,
            digest: read,
        })
    }

    fn tell(&mut self, table: &Table, rows: usize) {
        self.done += rows as u64;
        (self.progress)(&Progress {
            table: table.name.clone(),
            done: self.done,
            all: self.all,
        });
    }
}

/// A value on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Held {
    fn read(row: &dyn Row, column: usize, kind: Kind) -> Result<Self, Error> {
        let value = match kind {
            Kind::Int => row.optional_int(column)?.map(Self::Int),
            // What PostgreSQL makes of the one character that it cannot hold.
            Kind::Text => row
                .optional_text(column)?
                .map(|text| Self::Text(text.replace('\0', "\u{fffd}"))),
            Kind::Bytes => row
                .optional_bytes(column)?
                .map(|bytes| Self::Bytes(bytes.to_vec())),
        };
        Ok(value.unwrap_or(Self::Null))
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Int(value) => Value::Int(*value),
            Self::Text(text) => Value::Text(text),
            Self::Bytes(bytes) => Value::Bytes(bytes),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Null | Self::Int(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// Its kind, its length and its bytes, so that no two lists of values are written alike.
    fn add_to(&self, digest: &mut Sha256) {
        let number;
        let (kind, bytes) = match self {
            Self::Null => (0, &[][..]),
            Self::Int(value) => {
                number = value.to_be_bytes();
                (1, &number[..])
            }
            Self::Text(text) => (2, text.as_bytes()),
            Self::Bytes(bytes) => (3, &bytes[..]),
        };
        digest.update([kind]);
        digest.update((bytes.len() as u64).to_be_bytes());
        digest.update(bytes);
    }
}

/// Reads a table in the order of its key, some rows at a time.
struct Reading<'t> {
    table: &'t Table,
    after: Option<Vec<Held>>,
    rows: u64,
    sums: Sha256,
    most: usize,
    ended: bool,
}

impl<'t> Reading<'t> {
    fn of(table: &'t Table) -> Self {
        let most = VALUES / table.columns.len().max(1);
        Self {
            table,
            after: None,
            rows: 0,
            sums: Sha256::new(),
            most: most.clamp(1, ROWS),
            ended: false,
        }
    }

    fn next(&mut self, session: &mut dyn Session) -> Result<Option<Vec<Vec<Held>>>, Error> {
        if self.ended {
            return Ok(None);
        }
        let after = self.after.take().unwrap_or_default();
        let args: Vec<Value<'_>> = after.iter().map(Held::value).collect();
        let sql = self.select(!args.is_empty());
        let columns = &self.table.columns;
        let mut found = Vec::new();
        session.run(&sql, &args, &mut |row| {
            let values = columns.iter().enumerate();
            let values = values.map(|(at, column)| Held::read(row, at, column.kind));
            found.push(values.collect::<Result<Vec<_>, _>>()?);
            Ok(())
        })?;
        self.ended = found.len() < self.most;
        for value in found.iter().flatten() {
            value.add_to(&mut self.sums);
        }
        self.rows += found.len() as u64;
        self.after = found
            .last()
            .map(|row| self.table.key.iter().map(|at| row[*at].clone()).collect());
        Ok((!found.is_empty()).then_some(found))
    }

    fn select(&self, goes_on: bool) -> String {
        let names: Vec<String> = self
            .table
            .columns
            .iter()
            .map(|it| quoted(&it.name))
            .collect();
        let key: Vec<&str> = self
            .table
            .key
            .iter()
            .map(|at| names[*at].as_str())
            .collect();
        let key = key.join(", ");
        let from = match goes_on {
            false => String::new(),
            true => format!(" WHERE ({key}) > ({})", places(1, self.table.key.len())),
        };
        format!(
            "SELECT {} FROM {}{from} ORDER BY {key} LIMIT {}",
            names.join(", "),
            quoted(&self.table.name),
            self.most
        )
    }

    fn digest(self) -> String {
        let digest = self.sums.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn insert(session: &mut dyn Session, table: &Table, rows: &[Vec<Held>]) -> Result<(), Error> {
    let mut some = Vec::new();
    let mut bytes = 0;
    for row in rows {
        bytes += row.iter().map(Held::len).sum::<usize>();
        some.push(row);
        if bytes > BYTES {
            insert_some(session, table, &some)?;
            some.clear();
            bytes = 0;
        }
    }
    insert_some(session, table, &some)
}

fn insert_some(session: &mut dyn Session, table: &Table, rows: &[&Vec<Held>]) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = table.columns.iter().map(|it| quoted(&it.name)).collect();
    let width = names.len();
    let tuples = (0..rows.len()).map(|row| format!("({})", places(row * width + 1, width)));
    let sql = format!(
        "INSERT INTO {} ({}) VALUES {}",
        quoted(&table.name),
        names.join(", "),
        tuples.collect::<Vec<_>>().join(", ")
    );
    let args: Vec<Value<'_>> = rows
        .iter()
        .flat_map(|row| row.iter())
        .map(Held::value)
        .collect();
    session.run(&sql, &args, &mut |_| Ok(()))?;
    Ok(())
}

fn count(session: &mut dyn Session, table: &Table) -> Result<u64, Error> {
    let sql = format!("SELECT COUNT(*) FROM {}", quoted(&table.name));
    let mut count = 0;
    session.run(&sql, &[], &mut |row| {
        count = u64::try_from(row.int(0)?).unwrap_or_default();
        Ok(())
    })?;
    Ok(count)
}

/// Placeholders from a number on.
fn places(first: usize, count: usize) -> String {
    let places = (first..first + count).map(|number| format!("${number}"));
    places.collect::<Vec<_>>().join(", ")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// In an order in which what a foreign key leads to is there first.
fn parents_first(tables: Vec<Table>) -> Vec<Table> {
    let mut waiting: Vec<Table> = tables
        .into_iter()
        .filter(|table| table.name != LEFT_OUT)
        .collect();
    let mut sorted: Vec<Table> = Vec::new();
    while !waiting.is_empty() {
        let before = waiting.len();
        let (ready, rest) = waiting.into_iter().partition(|table: &Table| {
            let is_there = |parent: &String| {
                *parent == table.name || sorted.iter().any(|it| it.name == *parent)
            };
            table.parents.iter().all(is_there)
        });
        sorted.extend::<Vec<Table>>(ready);
        waiting = rest;
        if waiting.len() == before {
            // They lead to each other. Only keys that are checked at the commit allow that.
            sorted.append(&mut waiting);
        }
    }
    sorted
}
