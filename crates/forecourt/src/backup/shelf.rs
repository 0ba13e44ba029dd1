//! The folder in which backups gather: the newest, how old it is, which of them go.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use jiff::{SignedDuration, Timestamp};

use super::{Error, Manifest, NAME};
use crate::config::BackupSettings;

/// Held while a backup is made.
const LOCK_FILE: &str = ".forecourt-backup.lock";

/// Makes this the only backup into the folder, for as long as the file is held.
pub(super) fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LOCK_FILE);
    let file = File::create(&path).map_err(Error::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Busy(folder.to_owned())),
        Err(TryLockError::Error(source)) => Err(Error::io(&path)(source)),
    }
}

/// Removes what was left behind, under names that begin like this, by work that broke off. The caller
/// holds the folder's lock.
pub(super) fn sweep(folder: &Path, prefix: &str) -> Result<(), Error> {
    for path in entries(folder, prefix)? {
        fs::remove_dir_all(&path).map_err(Error::io(&path))?;
    }
    Ok(())
}

/// The newest whole backup in a folder, and when it was made; `None` where there is none.
///
/// # Errors
/// When the folder cannot be read.
pub fn newest(folder: &Path) -> Result<Option<(PathBuf, Timestamp)>, Error> {
    if !folder.exists() {
        return Ok(None);
    }
    let whole = whole_backups(folder)?;
    Ok(whole.into_iter().max_by_key(|(_, made_at)| *made_at))
}

/// Removes the oldest backups beyond the `keep` newest, and returns which.
///
/// # Errors
/// When one cannot be removed.
pub fn thin_out(folder: &Path, keep: usize) -> Result<Vec<PathBuf>, Error> {
    let mut backups = whole_backups(folder)?;
    backups.sort_by_key(|(_, made_at)| std::cmp::Reverse(*made_at));
    let surplus: Vec<PathBuf> = backups
        .into_iter()
        .skip(keep.max(1))
        .map(|(path, _)| path)
        .collect();
    for path in &surplus {
        fs::remove_dir_all(path).map_err(Error::io(path))?;
    }
    Ok(surplus)
}

/// What a person has to be told about the backups; `None` while the newest is younger than twice the
/// configured time, so that a single one that was late tells nobody.
#[must_use]
pub fn age_finding(settings: &BackupSettings, since: Timestamp, now: Timestamp) -> Option<String> {
    let (every, dir) = (settings.every.duration(), settings.dir.display());
    let found = match newest(&settings.dir) {
        Ok(found) => found,
        Err(error) => return Some(format!("backups cannot be looked at: {error}")),
    };
    // A server that never made one has had time since its start.
    let last = found.as_ref().map_or(since, |(_, made_at)| *made_at);
    let age = now.duration_since(last);
    if age <= every.saturating_mul(2) {
        return None;
    }
    Some(match found {
        Some((_, made_at)) => format!(
            "the last good backup in {dir} is of {made_at}, {} ago; the log says why no other was made",
            hours(age)
        ),
        None => format!("there is no backup in {dir}; the log says why none was made"),
    })
}

fn hours(age: SignedDuration) -> String {
    match age.as_hours() {
        hours @ 0..48 => format!("{hours} hours"),
        hours => format!("{} days", hours / 24),
    }
}

/// Backups whose manifest can be read and whose files have the right length. A backup got its name
/// after it was read through, so that this much suffices to count it.
pub(super) fn whole_backups(folder: &Path) -> Result<Vec<(PathBuf, Timestamp)>, Error> {
    let is_whole = |path: &Path, manifest: &Manifest| {
        manifest.files.iter().all(|file| {
            let found = fs::metadata(path.join(&file.name));
            found.is_ok_and(|found| found.len() == file.bytes)
        })
    };
    let backups = entries(folder, NAME)?.into_iter().filter_map(|path| {
        let manifest = Manifest::read(&path).ok()?;
        is_whole(&path, &manifest).then_some((path, manifest.made_at))
    });
    Ok(backups.collect())
}

/// Folders in a folder whose names begin so.
fn entries(folder: &Path, beginning: &str) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(Error::io(folder))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(folder))?;
        let is_folder = entry.file_type().is_ok_and(|it| it.is_dir());
        if is_folder && entry.file_name().to_string_lossy().starts_with(beginning) {
            found.push(entry.path());
        }
    }
    Ok(found)
}
