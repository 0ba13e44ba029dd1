//! Back from a backup.

use std::{
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{
    CONFIG_FILE, DATABASE_FILE, Error, HASH_KEY_FILE, Manifest, manifest::FileEntry,
    person::SET_ASIDE, shelf::sweep, stamp, sync_folder, write_private,
};
use crate::{
    app::{migrations, with_schema},
    data_lock,
};

/// What the engine keeps beside a database.
const SIDE_FILES: [&str; 2] = ["-wal", "-shm"];
/// Begins the name of the folder with what is about to be put in place.
const INCOMING: &str = ".restoring-";

/// What a restore did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Restored {
    /// What the backup says of itself.
    pub manifest: Manifest,
    /// Where the data lie that were there before.
    pub set_aside: Option<PathBuf>,
    /// The configuration of that time, which is not put in place of the present one.
    pub configuration: Option<PathBuf>,
}

/// Reads a backup through: every file is there with its digest, and the database is sound and not of
/// a newer version.
///
/// # Errors
/// [`Error::Damaged`], [`Error::Newer`], [`Error::Store`].
pub fn verify(backup: &Path) -> Result<Manifest, Error> {
    let manifest = Manifest::read(backup)?;
    let damaged = |reason: String| Error::Damaged {
        folder: backup.to_owned(),
        reason,
    };
    for expected in &manifest.files {
        let name = &expected.name;
        let found = FileEntry::of(backup, name).map_err(|error| damaged(error.to_string()))?;
        if found.bytes != expected.bytes {
            return Err(damaged(format!(
                "{name} has {} bytes, {} are expected",
                found.bytes, expected.bytes
            )));
        }
        if found.sha256 != expected.sha256 {
            return Err(damaged(format!("{name} is not what the manifest says")));
        }
    }
    let known: Vec<&str> = migrations()
        .into_iter()
        .flatten()
        .map(|it| it.name)
        .collect();
    let schema = store::backup::inspect(&backup.join(DATABASE_FILE))?;
    let unknown: Vec<String> = schema
        .into_iter()
        .filter(|name| !known.contains(&name.as_str()))
        .collect();
    if unknown.is_empty() {
        Ok(manifest)
    } else {
        Err(Error::Newer(unknown))
    }
}

/// Puts the data of a backup into a data folder that nobody uses. Data that are there already are only
/// replaced when `force` is set, and then kept in a folder beside.
///
/// # Errors
/// [`Error`]; then the data folder is as before, but for a copy of the backup's files that was not put
/// in place.
pub fn restore(backup: &Path, data: &Path, force: bool, now: Timestamp) -> Result<Restored, Error> {
    let manifest = verify(backup)?;
    fs::create_dir_all(data).map_err(Error::io(data))?;
    let Some(_lock) = data_lock::exclusive(data).map_err(Error::io(data))? else {
        return Err(Error::InUse(data.to_owned()));
    };
    let present = data.join(DATABASE_FILE);
    if present.exists() && !force {
        return Err(Error::Exists(data.to_owned()));
    }
    sweep(data, INCOMING)?;
    // The long part comes first, under another name, so that what follows is a matter of renames.
    let incoming = tempfile::Builder::new()
        .prefix(INCOMING)
        .tempdir_in(data)
        .map_err(Error::io(data))?;
    for name in [HASH_KEY_FILE, DATABASE_FILE] {
        if manifest.has(name) {
            copy_private(&backup.join(name), &incoming.path().join(name))?;
        }
    }
    let set_aside = set_aside(data, now)?;
    for name in [HASH_KEY_FILE, DATABASE_FILE] {
        if manifest.has(name) {
            let target = data.join(name);
            fs::rename(incoming.path().join(name), &target).map_err(Error::io(&target))?;
        }
    }
    sync_folder(data)?;
    let configuration = manifest.has(CONFIG_FILE).then(|| backup.join(CONFIG_FILE));
    Ok(Restored {
        manifest,
        set_aside,
        configuration,
    })
}

/// Puts the data of a backup into an empty database of a server, and its key into the data folder. Each
/// table is read back and compared; the database has everything or nothing.
///
/// # Errors
/// [`Error`]; then nothing is in the database.
pub fn restore_into(
    database: &store::Options,
    backup: &Path,
    data: &Path,
) -> Result<Restored, Error> {
    let manifest = verify(backup)?;
    fs::create_dir_all(data).map_err(Error::io(data))?;
    let Some(_lock) = data_lock::exclusive(data).map_err(Error::io(data))? else {
        return Err(Error::InUse(data.to_owned()));
    };
    let key = data.join(HASH_KEY_FILE);
    let kept = fs::read(backup.join(HASH_KEY_FILE)).ok();
    let present = fs::read(&key).ok();
    if present.is_some() && kept != present {
        return Err(Error::OtherKey(key));
    }
    sweep(data, INCOMING)?;
    let incoming = tempfile::Builder::new()
        .prefix(INCOMING)
        .tempdir_in(data)
        .map_err(Error::io(data))?;
    let copy = incoming.path().join(DATABASE_FILE);
    copy_private(&backup.join(DATABASE_FILE), &copy)?;
    // An older version may have made it, and both sides need one schema.
    let source = with_schema(store::Options::sqlite(copy));
    drop(store::Store::open(source.clone())?);
    store::transfer::transfer(&source, database, &mut |_| {})?;
    if let (Some(kept), None) = (kept, present) {
        write_private(&key, &kept)?;
        sync_folder(data)?;
    }
    let configuration = manifest.has(CONFIG_FILE).then(|| backup.join(CONFIG_FILE));
    Ok(Restored {
        manifest,
        set_aside: None,
        configuration,
    })
}

fn copy_private(from: &Path, to: &Path) -> Result<(), Error> {
    write_private(to, &[])?;
    let copied = || {
        let mut source = fs::File::open(from)?;
        let mut target = fs::OpenOptions::new().write(true).open(to)?;
        std::io::copy(&mut source, &mut target)?;
        target.sync_all()
    };
    copied().map_err(Error::io(to))
}

/// Moves what is in the data folder of a database and its key into a folder of its own.
fn set_aside(data: &Path, now: Timestamp) -> Result<Option<PathBuf>, Error> {
    let mut names = vec![DATABASE_FILE.to_owned(), HASH_KEY_FILE.to_owned()];
    names.extend(SIDE_FILES.map(|ending| format!("{DATABASE_FILE}{ending}")));
    names.retain(|name| data.join(name).exists());
    if names.is_empty() {
        return Ok(None);
    }
    let aside = data.join(format!("{SET_ASIDE}{}", stamp(now)));
    fs::create_dir(&aside).map_err(Error::io(&aside))?;
    for name in names {
        let target = aside.join(&name);
        fs::rename(data.join(name), &target).map_err(Error::io(&target))?;
    }
    sync_folder(&aside)?;
    Ok(Some(aside))
}
