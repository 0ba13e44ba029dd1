//! What a command works on: the configuration, the data folder and the dealer, found from the
//! common flags.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

use catalogs::Catalog;
use dealers::{Dealer, DealerId};
use leads::{HashKey, Vault};
use store::{Claim, Clock, Conn, Store};

use super::{Common, outcome::Failure};
use crate::{
    app::with_schema,
    backup::{DATABASE_FILE, HASH_KEY_FILE},
    config::{Config, ConfigError, DEFAULT_FILE, user},
    data_lock, durable, nodes,
};

/// Data folder when neither flag nor configuration names one.
const DEFAULT_DATA: &str = "forecourt-data";

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

/// Where configuration and data lie.
pub(super) struct Place {
    pub(super) config_file: PathBuf,
    /// `None` where there is no configuration.
    pub(super) config: Option<Config>,
    pub(super) data: PathBuf,
}

/// Where configuration and data lie, also on a machine that has none of them yet.
pub(super) fn place(common: &Common) -> Result<Place, Failure> {
    let config_file = config_path(common);
    let config = match Config::read(&config_file) {
        Ok(config) => Some(config),
        Err(ConfigError::Missing { .. }) if common.config.is_none() => None,
        Err(error) => return Err(error.into()),
    };
    let data = match &config {
        Some(config) => data_folder(common, config, &config_file),
        None => common.data.clone().unwrap_or_else(|| DEFAULT_DATA.into()),
    };
    Ok(Place {
        config_file,
        config,
        data,
    })
}

/// The folder from which a configuration's paths are meant: its own.
pub(super) fn base(config_path: &Path) -> PathBuf {
    let folder = config_path.parent().unwrap_or(Path::new(""));
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

/// Which database a command works on.
pub(super) struct Database {
    pub(super) options: store::Options,
    /// On a server that other nodes may use too.
    pub(super) is_shared: bool,
    /// How long a node that starts asks it again; a file is there or not.
    pub(super) start_patience: Duration,
}

impl Database {
    /// Where it is, without user and password.
    pub(super) fn address(&self) -> String {
        match self.options.address() {
            store::Address::Sqlite(path) => path.display().to_string(),
            server => server.to_string(),
        }
    }
}

/// The database that flags and configuration name: a server, else the file in the data folder.
pub(super) fn database(
    common: &Common,
    config: Option<&Config>,
    data: &Path,
) -> Result<Database, Failure> {
    let stated = config.and_then(|config| config.store.clone());
    let settings = match &common.store {
        Some(url) => Some(stated.unwrap_or_default().at(url.clone())),
        None => stated,
    };
    let options = match &settings {
        None => store::Options::sqlite(data.join(DATABASE_FILE)),
        Some(settings) => {
            let options = settings.options();
            options.map_err(|error| Failure::usage(format!("store: {}", crate::explain(&error))))?
        }
    };
    Ok(Database {
        options: with_schema(options.clock(Clock::system())),
        is_shared: settings.is_some(),
        start_patience: settings.map_or(Duration::ZERO, |it| {
            it.start_patience.duration().unsigned_abs()
        }),
    })
}

/// A configuration with its data folder and the database.
pub(super) struct Site {
    pub(super) config: Config,
    pub(super) data: PathBuf,
    pub(super) store: Store,
    is_shared: bool,
    _in_use: InUse,
}

/// Keeps a restore from replacing the data meanwhile.
pub(super) struct InUse(#[expect(dead_code, reason = "held for its lock")] Option<File>);

impl Site {
    /// The keys of the personal data.
    pub(super) fn vault(&self) -> Result<Vault, Failure> {
        Ok(self.config.privacy.vault()?)
    }

    /// The key of the hashes by which repeats of a person are recognised.
    pub(super) async fn hash_key(&self) -> Result<HashKey, Failure> {
        Ok(hash_key(&self.data, &self.store, self.is_shared).await?)
    }
}

/// Opens the site that the flags name. The data folder is made when `create` is set, else it must
/// be there; then one that cannot be written to can still be read.
pub(super) fn open(common: &Common, create: bool) -> Result<Site, Failure> {
    let path = config_path(common);
    let config = Config::read(&path)?;
    let data = data_folder(common, &config, &path);
    let database = database(common, Some(&config), &data)?;
    let is_shared = database.is_shared;
    if !create {
        require_database(&data, &database)?;
    }
    let (store, in_use) = if create || is_shared {
        open_store(&data, database)?
    } else {
        open_present(&data, database)?
    };
    Ok(Site {
        config,
        data,
        store,
        is_shared,
        _in_use: in_use,
    })
}

/// Refuses a data folder without a database, where it has to have one.
pub(super) fn require_database(data: &Path, database: &Database) -> Result<(), Failure> {
    if database.is_shared || data.join(DATABASE_FILE).exists() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "there is no database in {}; `forecourt import FILE` or `forecourt serve` makes one, and `--data DIR` names another",
        data.display()
    )))
}

/// Opens the database, making it and the data folder when they are not there.
pub(super) fn open_store(data: &Path, database: Database) -> Result<(Store, InUse), Failure> {
    let in_use = make_folder(data)?;
    Ok((Store::open(database.options)?, in_use))
}

/// Makes the data folder when it is not there, and claims it.
pub(super) fn make_folder(data: &Path) -> Result<InUse, Failure> {
    std::fs::create_dir_all(data).map_err(|error| {
        Failure::refused(
            "io",
            format!(
                "the data folder {} cannot be made: {error}; --data names another",
                data.display()
            ),
        )
    })?;
    use_folder(data)
}

/// Opens a database that is there, for reading alone where its folder allows no more.
fn open_present(data: &Path, database: Database) -> Result<(Store, InUse), Failure> {
    let in_use = use_folder(data)?;
    let store = match Store::open(database.options.clone()) {
        Err(store::Error::Unavailable { .. } | store::Error::ReadOnly { .. }) => {
            Store::open(database.options.read_only())?
        }
        opened => opened?,
    };
    Ok((store, in_use))
}

fn use_folder(data: &Path) -> Result<InUse, Failure> {
    let lock = data_lock::shared(data)
        .map_err(|error| Failure::refused("io", format!("{}: {error}", data.display())))?;
    lock.map(InUse).ok_or_else(|| {
        Failure::refused(
            "in_use",
            format!("a backup is being restored into {}", data.display()),
        )
    })
}

/// Who gives the command, as far as the environment tells.
pub(super) fn operator() -> String {
    user().unwrap_or_else(|| "somebody at the command line".to_owned())
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
        None => Err(Failure::usage(
            "the configuration has no dealer; --catalog names a catalog where a command knows them",
        )),
        _ => Err(Failure::usage(format!(
            "name the dealer with --dealer: {}",
            known()
        ))),
    }
}

/// The catalog that a flag names, or the only one.
pub(super) fn catalog<'a>(
    named: Option<&str>,
    config: &'a Config,
) -> Result<(&'a DealerId, &'a Catalog), Failure> {
    let known = || {
        let names: Vec<&str> = config.catalogs.keys().map(DealerId::as_str).collect();
        names.join(", ")
    };
    if config.catalogs.is_empty() {
        return Err(Failure::usage(
            "the configuration has no catalogs: [catalogs.NAME] with a name makes one",
        ));
    }
    let Some(wanted) = named else {
        return match config.catalogs.first() {
            Some(only) if config.catalogs.len() == 1 => Ok(only),
            _ => {
                let words = format!("name the catalog with --catalog: {}", known());
                Err(Failure::usage(words))
            }
        };
    };
    let mut catalogs = config.catalogs.iter();
    let found = catalogs.find(|(id, _)| id.as_str() == wanted);
    found.ok_or_else(|| {
        Failure::usage(format!(
            "there is no catalog {wanted:?} in the configuration; there is {}",
            known()
        ))
    })
}

/// Why there is no key of the personal hashes.
#[derive(Debug, thiserror::Error)]
pub(super) enum HashKeyError {
    /// The database could not be asked what the other nodes have.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The file cannot be used.
    #[error("{0}")]
    File(String),
}

impl From<HashKeyError> for Failure {
    fn from(error: HashKeyError) -> Self {
        match error {
            HashKeyError::Store(error) => error.into(),
            HashKeyError::File(words) => Self::refused("hash_key", words),
        }
    }
}

/// The key of the hashes by which repeats of a person are recognised, kept beside the database and
/// made on first use. Whoever has the database alone cannot try out telephone numbers against it. All
/// nodes of a database need the same one, so a database that is shared knows a digest of it.
pub(super) async fn hash_key(
    data: &Path,
    store: &Store,
    is_shared: bool,
) -> Result<HashKey, HashKeyError> {
    let path = data.join(HASH_KEY_FILE);
    if !is_shared {
        return hash_key_in(&path);
    }
    let known = store.read(nodes::hash_key_mark).await?;
    let other = |what: &str| {
        HashKeyError::File(format!(
            "{}: {what}; copy this file from the data folder of another node",
            path.display()
        ))
    };
    if known.is_some() && !path.exists() {
        return Err(other(
            "the nodes of this database have a key of the personal hashes, and here is none",
        ));
    }
    let key = hash_key_in(&path)?;
    let mark = key.mark();
    // A node that comes back finds its own and writes nothing.
    let agreed = match known {
        Some(known) => known == mark,
        None => {
            let agree = move |conn: &mut dyn Conn| nodes::agree_on_hash_key(conn, &mark);
            store.write_claiming(Claim::ROWS, agree).await?
        }
    };
    if agreed {
        Ok(key)
    } else {
        Err(other(
            "this is not the key of the personal hashes that the other nodes of this database have",
        ))
    }
}

fn hash_key_in(path: &Path) -> Result<HashKey, HashKeyError> {
    let fault =
        |what: &dyn std::fmt::Display| HashKeyError::File(format!("{}: {what}", path.display()));
    if !path.exists() {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| fault(&error))?;
        match durable::create(path, &secret) {
            // Another process made it at the same moment: its key counts.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => made.map_err(|error| fault(&error))?,
        }
    }
    let secret = std::fs::read(path).map_err(|error| fault(&error))?;
    let secret = secret
        .try_into()
        .map_err(|_| fault(&"is not a key of 32 bytes; restore it from a backup"))?;
    Ok(HashKey::new(secret))
}
