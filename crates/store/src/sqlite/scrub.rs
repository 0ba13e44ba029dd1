//! Leaving nothing on disk of what was deleted.
//!
//! Overwriting what is deleted (`secure_delete`) is not enough: when the engine moves rows from one
//! page to another, the old page keeps a copy in the part that it counts as unused. So the whole
//! database is built anew, and the log that held its earlier pages is emptied.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::Connection;

use super::{error::sort, sync_folder, unavailable};
use crate::{Error, backup};

/// How long it waits for other programs.
const PATIENCE: Duration = Duration::from_secs(30);

/// Builds the database anew without its unused space and empties its log.
pub(super) fn scrub(engine: &Connection, path: &Path) -> Result<(), Error> {
    let before = engine
        .query_row("PRAGMA busy_timeout", [], |row| row.get(0))
        .map(|milliseconds: u32| Duration::from_millis(milliseconds.into()))
        .map_err(sort)?;
    engine.busy_timeout(PATIENCE).map_err(sort)?;
    let scrubbed = rebuild(engine, path).and_then(|()| empty_log(engine));
    engine.busy_timeout(before).map_err(sort)?;
    scrubbed?;
    let copy = backup::before_migration(path);
    if copy.exists() {
        std::fs::remove_file(&copy).map_err(|error| unavailable(&copy, error))?;
        sync_folder(&copy).map_err(|error| unavailable(&copy, error))?;
    }
    Ok(())
}

/// The engine puts the new database together in a nameless file. In memory it would take as much of
/// that as the database is long; elsewhere than beside the database it would leave a copy on a disk
/// that nobody expects it on.
fn rebuild(engine: &Connection, path: &Path) -> Result<(), Error> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .map_or_else(|| PathBuf::from("."), Path::to_owned);
    let beside = |folder: Option<&Path>| {
        let name = folder.unwrap_or(Path::new("")).to_string_lossy();
        engine.pragma_update(None, "temp_store_directory", name.as_ref())
    };
    let rebuilt = beside(Some(&folder))
        .and_then(|()| engine.execute_batch("PRAGMA temp_store = FILE; VACUUM;"));
    let reset = engine.execute_batch("PRAGMA temp_store = MEMORY;");
    rebuilt.and(reset).and(beside(None)).map_err(sort)
}

fn empty_log(engine: &Connection) -> Result<(), Error> {
    let is_busy: bool = engine
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .map_err(sort)?;
    if is_busy {
        return Err(Error::busy("another program reads an earlier state"));
    }
    Ok(())
}
