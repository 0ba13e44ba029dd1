//! Backups: what the server cannot lose, in one folder that can be looked into with ordinary tools.
//!
//! A backup holds the database, the key of the personal hashes (without it, repeats of a person are
//! not recognised), the configuration as it was, and a manifest with the digest of each. Keys that
//! encrypt personal data are not in it, so that a stolen backup gives nobody away; the manifest names
//! those that are needed. It is put
//! together under a name that begins with a dot, read through, and only then given its own, so that
//! whatever has the name of a backup is a whole one. It holds personal data: only its owner may
//! read it.

mod manifest;
mod person;
mod restore;
mod shelf;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use tempfile::TempDir;

use self::{manifest::FileEntry, shelf::lock};
pub use self::{
    manifest::Manifest,
    person::{Holding, holding, keys_needed},
    restore::{Restored, restore, restore_into, verify},
    shelf::{age_finding, newest, thin_out},
};
use crate::durable;

/// The database inside the data folder, and inside a backup.
pub const DATABASE_FILE: &str = "forecourt.db";
/// The key of the hashes of personal data, beside it.
pub const HASH_KEY_FILE: &str = "person-hash.key";
/// The configuration inside a backup.
const CONFIG_FILE: &str = "forecourt.toml";
/// Begins the name of a backup; the time follows.
const NAME: &str = "forecourt-";
/// Begins the name of one that is being made.
const PARTIAL: &str = ".partial-";

/// Why a backup was not made or not restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The database cannot be copied, or the copy is not sound.
    #[error("the database")]
    Store(#[from] store::Error),
    /// Another backup into the same folder is under way.
    #[error("another backup into {0} is under way")]
    Busy(PathBuf),
    /// The folder is no backup, or a damaged one.
    #[error("{folder} is not a whole backup: {reason}")]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The backup is of a newer version of the program.
    #[error(
        "the backup was made by a newer version of this program (unknown: {}); install that version",
        .0.join(", ")
    )]
    Newer(Vec<String>),
    /// The data folder is in use.
    #[error("{0} is in use by a server or another command; stop it first")]
    InUse(PathBuf),
    /// The data folder has a database already.
    #[error("{0} has a database already; `--force` sets it aside and restores the backup")]
    Exists(PathBuf),
    /// The key in the data folder is another than the one in the backup.
    #[error("{0} belongs to other data than the backup's; put it aside first")]
    OtherKey(PathBuf),
    /// The data cannot be put into the database of a server.
    #[error("the backup could not be put into the database")]
    Transfer(#[from] store::transfer::TransferError),
}

impl Error {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}

/// Makes a backup of a database, in use or not, and of what lies in the data folder beside it, as a new
/// folder inside `into`, and returns its path. `config` is the configuration file, if there is one. The
/// database of a backup is always a SQLite file, of a server too: it can be read without one, and restored into
/// either. Blocks for as long as the copying takes.
///
/// # Errors
/// [`Error`]; then no new backup is there.
pub fn make(
    database: &store::Options,
    data: &Path,
    config: Option<&Path>,
    into: &Path,
    now: Timestamp,
) -> Result<PathBuf, Error> {
    fs::create_dir_all(into).map_err(Error::io(into))?;
    let _lock = lock(into)?;
    shelf::sweep(into, PARTIAL)?;
    let partial = partial_folder(into)?;
    let folder = partial.path();
    let schema = store::backup::copy_of(database, &folder.join(DATABASE_FILE))?;
    let mut names = vec![DATABASE_FILE];
    for (name, original) in [
        (HASH_KEY_FILE, Some(data.join(HASH_KEY_FILE))),
        (CONFIG_FILE, config.map(Path::to_owned)),
    ] {
        let Some(original) = original.filter(|path| path.exists()) else {
            continue;
        };
        let bytes = fs::read(&original).map_err(Error::io(&original))?;
        write_private(&folder.join(name), &bytes)?;
        names.push(name);
    }
    let files = names.iter().map(|name| FileEntry::of(folder, name));
    let files = files.collect::<Result<_, _>>()?;
    let manifest = Manifest::new(now, schema, keys_needed(folder)?, files);
    manifest.write(folder)?;
    sync_folder(folder)?;
    let name = into.join(format!("{NAME}{}", stamp(now)));
    fs::rename(folder, &name).map_err(Error::io(&name))?;
    // It has its own name: there is nothing left to remove under the old one.
    let _ = partial.keep();
    sync_folder(into)?;
    Ok(name)
}

fn partial_folder(into: &Path) -> Result<TempDir, Error> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PARTIAL);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir_in(into).map_err(Error::io(into))
}

/// Writes a new file that only its owner may read, and waits for the disk.
fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    use io::Write as _;

    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .map_err(Error::io(path))
}

fn sync_folder(folder: &Path) -> Result<(), Error> {
    durable::sync_folder(folder).map_err(Error::io(folder))
}

/// A moment as it stands in the names of folders: it sorts, and no file system refuses it.
fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H%M%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests;
