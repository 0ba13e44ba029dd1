//! What copies of the data hold of persons: which keys they need, and whose data are still in them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::Serialize;
use store::Conn;

use super::{DATABASE_FILE, Error, shelf::whole_backups};

/// Begins the name of the folder in which a restore sets data aside.
pub(super) const SET_ASIDE: &str = "replaced-";

/// A copy of the data that still holds a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Holding {
    /// Its folder.
    pub folder: PathBuf,
    /// When it was made; absent for data that a restore set aside.
    pub made_at: Option<Timestamp>,
}

/// The copies in which `holds` finds the person, the oldest first: the backups in a folder, and what
/// restores set aside in the data folder. One that cannot be read counts, as nobody can tell.
pub fn holding(
    backups: Option<&Path>,
    data: &Path,
    holds: impl Fn(&mut dyn Conn) -> Result<bool, leads::Error>,
) -> Vec<Holding> {
    let is_held = |folder: &Path| {
        let database = folder.join(DATABASE_FILE);
        // What is still in the log of data that were set aside is not read.
        let log = fs::metadata(folder.join(format!("{DATABASE_FILE}-wal")));
        if log.is_ok_and(|log| log.len() > 0) {
            return true;
        }
        store::backup::read(&database, &holds).unwrap_or(true)
    };
    let made = backups.map(whole_backups).and_then(Result::ok);
    let made = made.unwrap_or_default().into_iter();
    let made = made.map(|(folder, made_at)| (folder, Some(made_at)));
    let aside = set_aside(data).into_iter().map(|folder| (folder, None));
    let mut found: Vec<Holding> = aside
        .chain(made)
        .filter(|(folder, _)| is_held(folder))
        .map(|(folder, made_at)| Holding { folder, made_at })
        .collect();
    found.sort_by(|one, other| (one.made_at, &one.folder).cmp(&(other.made_at, &other.folder)));
    found
}

fn set_aside(data: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(data).into_iter().flatten().flatten();
    let is_aside = |entry: &fs::DirEntry| {
        entry.file_name().to_string_lossy().starts_with(SET_ASIDE)
            && entry.path().join(DATABASE_FILE).exists()
    };
    entries.filter(is_aside).map(|entry| entry.path()).collect()
}

/// Names of the keys without which personal data and webhooks of a backup cannot be read.
///
/// # Errors
/// When its database cannot be read.
pub fn keys_needed(backup: &Path) -> Result<BTreeSet<String>, Error> {
    let database = backup.join(DATABASE_FILE);
    let schema = store::backup::inspect(&database)?;
    let has = |migration: &str| schema.iter().any(|name| name == migration);
    let mut keys = BTreeSet::new();
    if has("leads-1") {
        keys.extend(store::backup::read(&database, leads::keys_in_use)?);
    }
    if has("forecourt-tasks-1") {
        keys.extend(store::backup::read(&database, crate::tasks::keys_in_use)?);
    }
    Ok(keys)
}
