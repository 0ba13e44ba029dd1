//! What the database keeps of a catalog: the last good file, and what each file changed.

use std::{collections::HashMap, io};

use csv::{ReaderBuilder, StringRecord, WriterBuilder};
use dealers::DealerId;
use inventory::stock;
use jiff::Timestamp;
use store::{Conn, Error};

use crate::compare::{Change, TOLD};

/// The last good file of a catalog.
#[derive(Debug, Clone)]
pub(crate) struct KeptFile {
    pub(crate) run: String,
    /// Arrival of the catalog's first good file.
    pub(crate) since: Timestamp,
    pub(crate) content: Packed,
    pub(crate) first_seen: Packed,
}

/// Deflated bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    /// Takes time.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(stock::pack(bytes))
    }

    /// Takes time.
    ///
    /// # Errors
    /// When they are damaged.
    pub(crate) fn unpack(&self) -> io::Result<Vec<u8>> {
        stock::unpack(&self.0)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// What one good file changed.
#[derive(Debug, Clone)]
pub(crate) struct KeptChanges {
    pub(crate) at: Timestamp,
    pub(crate) changes: Packed,
}

pub(crate) fn file(conn: &mut dyn Conn, id: &DealerId) -> Result<Option<KeptFile>, Error> {
    conn.first(
        "SELECT run_id, since, content, first_seen FROM catalog_file WHERE dealer = $1",
        &[id.into()],
        |row| {
            Ok(KeptFile {
                run: row.text(0)?.to_owned(),
                since: row.time(1)?,
                content: Packed(row.bytes(2)?.to_vec()),
                first_seen: Packed(row.bytes(3)?.to_vec()),
            })
        },
    )
}

/// Puts a file in the place of the one of the run `before`, or of none. False when another one is there
/// meanwhile; then nothing is written.
pub(crate) fn replace(
    conn: &mut dyn Conn,
    id: &DealerId,
    before: Option<&str>,
    name: Option<&str>,
    file: &KeptFile,
) -> Result<bool, Error> {
    let written = conn.execute(
        "INSERT INTO catalog_file (dealer, run_id, file_name, since, content, first_seen)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (dealer) DO UPDATE SET
             run_id = excluded.run_id, file_name = excluded.file_name, since = excluded.since,
             content = excluded.content, first_seen = excluded.first_seen
         WHERE catalog_file.run_id = $7",
        &[
            id.into(),
            (&file.run).into(),
            name.into(),
            file.since.into(),
            file.content.bytes().into(),
            file.first_seen.bytes().into(),
            before.unwrap_or_default().into(),
        ],
    )?;
    Ok(written > 0)
}

pub(crate) fn keep_changes(
    conn: &mut dyn Conn,
    id: &DealerId,
    run: &str,
    kept: &KeptChanges,
) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO catalog_change (dealer, happened_at, run_id, changes)
         VALUES ($1, $2, $3, $4)",
        &[
            id.into(),
            kept.at.into(),
            run.into(),
            kept.changes.bytes().into(),
        ],
    )?;
    Ok(())
}

/// What every file changed, oldest first.
pub(crate) fn changes(conn: &mut dyn Conn, id: &DealerId) -> Result<Vec<KeptChanges>, Error> {
    conn.all(
        "SELECT happened_at, changes FROM catalog_change
         WHERE dealer = $1 ORDER BY happened_at, run_id",
        &[id.into()],
        |row| {
            Ok(KeptChanges {
                at: row.time(0)?,
                changes: Packed(row.bytes(1)?.to_vec()),
            })
        },
    )
}

pub(crate) fn forget_changes(
    conn: &mut dyn Conn,
    id: &DealerId,
    before: Timestamp,
) -> Result<u64, Error> {
    conn.execute(
        "DELETE FROM catalog_change WHERE dealer = $1 AND happened_at < $2",
        &[id.into(), before.into()],
    )
}

/// The columns before those that [`TOLD`] names, and those behind them.
const FIRST: [&str; 2] = ["event", "id"];
const LAST: [&str; 2] = ["old price", "price"];

/// Changes as they are kept: with a header, so that a later program may tell more.
pub(crate) fn write_changes(changes: &[Change]) -> io::Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let told = TOLD.iter().map(|(header, _)| *header);
    writer.write_record(FIRST.into_iter().chain(told).chain(LAST))?;
    for change in changes {
        let first = [change.event.as_str(), &change.id];
        let told = change.told.iter().map(String::as_str);
        let last = [change.old_price.as_str(), &change.price];
        writer.write_record(first.into_iter().chain(told).chain(last))?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

/// Reads them back: the cells of these columns, one row for each change, empty where a column is not kept.
pub(crate) fn read_changes(bytes: &[u8], columns: &[&str]) -> io::Result<Vec<Vec<String>>> {
    let mut reader = ReaderBuilder::new().from_reader(bytes);
    let headers = reader.headers()?.clone();
    let places: Vec<Option<usize>> = columns
        .iter()
        .map(|column| headers.iter().position(|header| header == *column))
        .collect();
    let cells = |record: &StringRecord| {
        let cell = |place: &Option<usize>| place.and_then(|place| record.get(place));
        let cells = places.iter().map(|place| cell(place).unwrap_or_default());
        cells.map(str::to_owned).collect()
    };
    let records = reader.records().map(|record| Ok(cells(&record?)));
    records.collect()
}

/// When items came that were not in the first file, by key.
pub(crate) type FirstSeen = HashMap<String, i64>;

pub(crate) fn write_first_seen(seen: &FirstSeen) -> io::Result<Vec<u8>> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let mut keys: Vec<&String> = seen.keys().collect();
    keys.sort_unstable();
    for key in keys {
        writer.write_record([key.as_str(), &seen[key].to_string()])?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

pub(crate) fn read_first_seen(bytes: &[u8]) -> io::Result<FirstSeen> {
    let mut reader = ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let mut seen = FirstSeen::new();
    for record in reader.records() {
        let record = record?;
        let at = record.get(1).and_then(|at| at.parse().ok());
        if let (Some(key), Some(at)) = (record.get(0), at) {
            seen.insert(key.to_owned(), at);
        }
    }
    Ok(seen)
}
