//! A copy of a database that may be in use: taken at one instant, whole, and read through before it
//! counts.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    Address, Conn, Error, Options, migrate, sqlite,
    transfer::{TransferError, transfer},
};

/// Copies the database at `database` to the new file `copy`, while others read and write it. The copy
/// is one consistent state with every write that was answered before; it is checked, on disk, and
/// readable by its owner alone when this returns. Blocks for as long as the copying takes.
///
/// Returns the names of the migrations that the copy has.
///
/// # Errors
/// What the database refuses; [`Error::Unavailable`] when `copy` exists or cannot be written,
/// [`Error::Full`] when the disk has no room, [`Error::Corrupt`] when the copy is not sound. Nothing is
/// left at `copy` then.
pub fn copy(database: &Path, copy: &Path) -> Result<Vec<String>, Error> {
    sqlite::create_new(copy)?;
    let copied = sqlite::copy(database, copy).and_then(|()| inspect(copy));
    if copied.is_err() {
        // What cannot be removed either is an incomplete copy under a name that nobody was promised.
        let _ = std::fs::remove_file(copy);
    }
    copied
}

/// Copies the database that options name, wherever it is, to the new SQLite file `copy`, as
/// [`copy()`] does. Of a PostgreSQL database each table is read back and compared; it has the schema of the
/// options already.
///
/// Returns the names of the migrations that the copy has.
///
/// # Errors
/// As [`copy()`]; [`Error::OlderSchema`] and [`Error::NewerSchema`] too.
pub fn copy_of(from: &Options, copy: &Path) -> Result<Vec<String>, Error> {
    if let Address::Sqlite(path) = &from.address {
        return self::copy(path, copy);
    }
    sqlite::create_new(copy)?;
    let to = Options {
        address: Address::Sqlite(copy.to_owned()),
        ..from.clone()
    };
    let copied = transfer(from, &to, &mut |_| {}).map_err(|error| match error {
        TransferError::Source(error) | TransferError::Target(error) => error,
        other => Error::Corrupt {
            source: Arc::new(other),
        },
    });
    let copied = copied
        .and_then(|_| sqlite::settle(copy))
        .and_then(|()| inspect(copy));
    if copied.is_err() {
        let _ = std::fs::remove_file(copy);
    }
    copied
}

/// Reads a database through that nobody writes to, and returns the names of the migrations that it
/// has. Nothing is written, not beside it either.
///
/// # Errors
/// [`Error::Corrupt`] when it is damaged, [`Error::Unavailable`] when it cannot be read.
pub fn inspect(database: &Path) -> Result<Vec<String>, Error> {
    let mut session = sqlite::open_at_rest(database)?;
    sqlite::check_integrity(&mut session)?;
    migrate::applied(&mut session)
}

/// Runs a closure that only reads on a database that nobody writes to. Nothing is written, not beside it
/// either.
///
/// # Errors
/// When the database cannot be read, or what the closure returns.
pub fn read<T, E: From<Error>>(
    database: &Path,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    let mut session = sqlite::open_at_rest(database)?;
    work(&mut session)
}

/// The copy that is kept beside a database of the state before its schema was changed last.
#[must_use]
pub fn before_migration(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".before-migration");
    PathBuf::from(name)
}

/// Copies the database to [`before_migration`], in place of an earlier copy.
pub(crate) fn keep_before_migration(database: &Path) -> Result<(), Error> {
    let kept = before_migration(database);
    let mut partial = kept.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    // Whoever calls this holds the write lock, so nobody else is making one: this one broke off.
    if partial.exists() {
        std::fs::remove_file(&partial).map_err(|error| sqlite::unavailable(&partial, error))?;
    }
    copy(database, &partial)?;
    std::fs::rename(&partial, &kept)
        .and_then(|()| sqlite::sync_folder(&kept))
        .map_err(|error| sqlite::unavailable(&kept, error))
}
