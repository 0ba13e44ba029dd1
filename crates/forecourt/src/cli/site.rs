//! What a command works on: the configuration, the data folder and the dealer, found from the
//! common flags.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use dealers::{Dealer, DealerId};
use leads::HashKey;
use store::{Clock, Store};

use super::{Common, outcome::Failure};
use crate::{
    app::migrations,
    config::{Config, DEFAULT_FILE},
};

/// Data folder when neither flag nor configuration names one.
const DEFAULT_DATA: &str = "forecourt-data";
/// The database inside the data folder.
const DATABASE_FILE: &str = "forecourt.db";
/// The key of the hashes of personal data, inside the data folder.
const HASH_KEY_FILE: &str = "person-hash.key";

/// The configuration file: the flag, else the one in the data folder, else the one in this folder.
pub(super) fn config_path(common: &Common) -> PathBuf {
    if let Some(path) = &common.config {
        return path.clone();
    }
    if let Some(data) = &common.data {
        let beside = data.join(DEFAULT_FILE);
        if beside.exists() {
            return beside;
        }
    }
    PathBuf::from(DEFAULT_FILE)
}

/// The data folder: the flag, else the configuration's (read from its own folder), else the default.
pub(super) fn data_folder(common: &Common, config: &Config, config_path: &Path) -> PathBuf {
    if let Some(data) = &common.data {
        return data.clone();
    }
    let stated = config
        .data
        .clone()
        .unwrap_or_else(|| PathBuf::from(DEFAULT_DATA));
    config_path
        .parent()
        .map_or(stated.clone(), |folder| folder.join(stated))
}

/// The folder from which a configuration's paths are meant: its own.
pub(super) fn base(config_path: &Path) -> PathBuf {
    let folder = config_path.parent().unwrap_or(Path::new(""));
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

/// Bytes of the database file in a data folder.
pub(super) fn database_size(data: &Path) -> Option<u64> {
    let found = std::fs::metadata(data.join(DATABASE_FILE));
    found.ok().map(|found| found.len())
}

/// A configuration with its database.
pub(super) struct Site {
    pub(super) config: Config,
    pub(super) store: Store,
}

/// Opens the site that the flags name. The data folder is made when `create` is set, else it must
/// be there.
pub(super) fn open(common: &Common, create: bool) -> Result<Site, Failure> {
    let path = config_path(common);
    let config = Config::read(&path)?;
    let data = data_folder(common, &config, &path);
    if !create && !data.join(DATABASE_FILE).exists() {
        return Err(Failure::usage(format!(
            "there is no database in {}; `forecourt import FILE` or `forecourt serve` makes one, and `--data DIR` names another",
            data.display()
        )));
    }
    let store = open_store(&data)?;
    Ok(Site { config, store })
}

/// Opens the database in a data folder, making both when they are not there.
pub(super) fn open_store(data: &Path) -> Result<Store, Failure> {
    std::fs::create_dir_all(data).map_err(|error| {
        Failure::refused(
            "io",
            format!(
                "the data folder {} cannot be made: {error}; --data names another",
                data.display()
            ),
        )
    })?;
    Ok(Store::open(
        store::Options::sqlite(data.join(DATABASE_FILE))
            .clock(Clock::system())
            .migrations(&migrations()),
    )?)
}

/// The dealer that the flag names, or the only one.
pub(super) fn dealer<'a>(
    common: &Common,
    config: &'a Config,
) -> Result<(&'a DealerId, &'a Dealer), Failure> {
    let known = || {
        let ids: Vec<&str> = config.dealers.keys().map(DealerId::as_str).collect();
        ids.join(", ")
    };
    if let Some(wanted) = &common.dealer {
        return config
            .dealers
            .iter()
            .find(|(id, _)| id.as_str() == wanted)
            .ok_or_else(|| {
                Failure::usage(format!(
                    "there is no dealer {wanted:?} in the configuration; there is {}",
                    known()
                ))
            });
    }
    match config.dealers.first() {
        Some(only) if config.dealers.len() == 1 => Ok(only),
        _ => Err(Failure::usage(format!(
            "name the dealer with --dealer: {}",
            known()
        ))),
    }
}

/// The key of the hashes by which repeats of a person are recognised, kept beside the database and
/// made on first use. Whoever has the database alone cannot try out telephone numbers against it.
pub(super) fn hash_key(data: &Path) -> Result<HashKey, Failure> {
    let path = data.join(HASH_KEY_FILE);
    let fault = |what: &dyn std::fmt::Display| {
        Failure::refused("hash_key", format!("{}: {what}", path.display()))
    };
    if !path.exists() {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| fault(&error))?;
        match write_private(&path, &secret) {
            // Another process made it at the same moment: its key counts.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => made.map_err(|error| fault(&error))?,
        }
    }
    let secret = std::fs::read(&path).map_err(|error| fault(&error))?;
    let secret = secret
        .try_into()
        .map_err(|_| fault(&"is not a key of 32 bytes; restore it from a backup"))?;
    Ok(HashKey::new(secret))
}

/// Writes a file that only its owner may read, whole or not at all.
fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    std::fs::File::open(folder)?.sync_all()
}
