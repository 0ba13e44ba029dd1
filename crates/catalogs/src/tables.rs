//! A catalog's tables, from which the analyst answers.

use std::io;

use analyst::{Role, Table};
use dealers::DealerId;
use inventory::{intake::aside, stock};
use jiff::{Timestamp, tz::TimeZone};
use store::{Conn, Store};
use uuid::Uuid;

use crate::{
    Catalog, FEED,
    compare::{self, TOLD},
    kept::{self, FirstSeen, KeptChanges, KeptFile},
    read,
};

/// What is known of a catalog.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Tables {
    /// The last good file; `None` where none came, or none that is new enough.
    pub own: Option<Table>,
    /// What came, went and changed its price since the first good file; `None` where none came.
    pub history: Option<Table>,
    /// Which state of the catalog this is; a later one is greater.
    pub version: u64,
    /// When the file becomes too old, without any run.
    pub hides_at: Option<Timestamp>,
    /// What a reader of answers has to know.
    pub remarks: Vec<String>,
}

/// Reads the tables of a catalog as they are at this moment.
///
/// # Errors
/// When the database fails, or what it keeps is damaged.
pub async fn load(store: &Store, id: &DealerId, catalog: &Catalog) -> Result<Tables, stock::Error> {
    let now = store.clock().now();
    let key = id.clone();
    let kept = store.read(move |conn| Kept::read(conn, &key)).await?;
    let catalog = catalog.clone();
    aside(move || kept.tables(&catalog, now)).await?
}

/// What the database holds of a catalog.
struct Kept {
    version: u64,
    file: Option<KeptFile>,
    /// When its file was last seen at its source.
    seen_at: Option<Timestamp>,
    changes: Vec<KeptChanges>,
}

impl Kept {
    fn read(conn: &mut dyn Conn, id: &DealerId) -> Result<Self, stock::Error> {
        Ok(Self {
            version: stock::version(conn, id)?,
            file: kept::file(conn, id)?,
            seen_at: stock::last_applied(conn, id, FEED)?.map(|last| last.at),
            changes: kept::changes(conn, id)?,
        })
    }

    fn tables(self, catalog: &Catalog, now: Timestamp) -> Result<Tables, stock::Error> {
        let mut tables = Tables {
            version: self.version,
            ..Tables::default()
        };
        let Some(file) = &self.file else {
            tables
                .remarks
                .push("No file of the own catalog has come yet.".to_owned());
            return Ok(tables);
        };
        let fail = |source| stock::Error::Kept {
            run: file.run.parse().unwrap_or(Uuid::nil()),
            source,
        };
        let seen_at = self.seen_at.unwrap_or(file.since);
        tables.hides_at = catalog
            .max_age
            .and_then(|age| seen_at.checked_add(age.duration()).ok());
        let zone = catalog.zone();
        if tables.hides_at.is_some_and(|at| at <= now) {
            tables.hides_at = None;
            let day = day(seen_at, &zone);
            tables.remarks.push(format!(
                "The own catalog was not read: its last good file came on {day}, which is longer ago than its max_age."
            ));
            return Ok(tables);
        }
        let own = own(file, catalog, seen_at, &zone).map_err(fail)?;
        tables.history = Some(history(&own, &self.changes, &zone).map_err(fail)?);
        tables.own = Some(own);
        Ok(tables)
    }
}

/// The file's rows, with the days on which files had them where the file states none itself.
fn own(
    file: &KeptFile,
    catalog: &Catalog,
    seen_at: Timestamp,
    zone: &TimeZone,
) -> io::Result<Table> {
    let content = file.content.unpack()?;
    let first_seen = kept::read_first_seen(&file.first_seen.unpack()?)?;
    let mut table = read::table(&content, catalog).map_err(io::Error::other)?;
    let states_arrival = [Role::DateInStock, Role::DateAdded, Role::AgeDays]
        .into_iter()
        .any(|role| table.column(role).is_some());
    let keys = compare::keys(&table).filter(|_| !states_arrival);
    let days = keys.map(|keys| first_days(&keys, &first_seen, file.since, zone));
    let states_day = table.column(Role::SnapshotDate).is_some();
    if let Some(days) = days {
        table = table.with_column("first seen in a file", Role::DateAdded, days);
    }
    if !states_day {
        let seen = day(seen_at, zone);
        let cells = std::iter::repeat_n(seen, table.rows());
        table = table.with_column("seen in a file", Role::SnapshotDate, cells);
    }
    Ok(table)
}

fn first_days(
    keys: &[String],
    first_seen: &FirstSeen,
    since: Timestamp,
    zone: &TimeZone,
) -> Vec<String> {
    let first = day(since, zone);
    let of_key = |key: &String| {
        let at = first_seen.get(key);
        let at = at.and_then(|at| Timestamp::from_millisecond(*at).ok());
        at.map_or_else(|| first.clone(), |at| day(at, zone))
    };
    keys.iter().map(of_key).collect()
}

/// What happened, oldest first, told by the columns that the catalog itself has.
fn history(own: &Table, changes: &[KeptChanges], zone: &TimeZone) -> io::Result<Table> {
    let told = TOLD.iter().filter(|(_, role)| own.column(*role).is_some());
    let columns: Vec<(&str, Option<Role>)> = [("event", Role::Event), ("id", Role::Id)]
        .iter()
        .chain(told)
        .chain(&[("old price", Role::OldPrice), ("price", Role::Price)])
        .map(|(header, role)| (*header, Some(*role)))
        .chain([("day", Some(Role::EventDate))])
        .collect();
    let kept: Vec<&str> = columns.iter().map(|(header, _)| *header).collect();
    let kept = &kept[..kept.len() - 1];
    let mut rows = Vec::new();
    for one in changes {
        let day = day(one.at, zone);
        for mut row in kept::read_changes(&one.changes.unpack()?, kept)? {
            row.push(day.clone());
            rows.push(row);
        }
    }
    Ok(Table::of_rows("Catalog history", &columns, rows))
}

fn day(at: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(at).date().to_string()
}
