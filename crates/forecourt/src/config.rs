//! The configuration: one TOML file, checked as a whole before anything starts.

mod account;
pub mod alarm;
mod analyst;
pub mod bounces;
mod check;
pub mod mail;
mod operations;
pub mod privacy;
pub mod store;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use aap::Profile;
use catalogs::Catalog;
use dealers::{Dealer, DealerId};
use indexmap::IndexMap;
use ipnet::IpNet;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, de::Error as _};
use url::Url;

pub use self::store::{StoreSettings, UrlText};
pub use alarm::Alarm;
pub use analyst::{AnalystSettings, ModelSettings};
pub use bounces::Bounces;
pub use check::Problem;
use check::list;
pub use mail::{OAuth, OutgoingError, Smtp};
pub use operations::{BackupSettings, MetricsSettings, Network, Rate, RateSettings, TlsSettings};
pub use privacy::PrivacySettings;

/// The file that is read when no other is named.
pub const DEFAULT_FILE: &str = "forecourt.toml";

/// What `forecourt init` writes: every setting with its default, commented out.
pub const TEMPLATE: &str = include_str!("config/template.toml");

/// The whole configuration.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// Address under which buyers' agents reach this server; the listening address when absent.
    #[serde(default, deserialize_with = "deserialize_public_url")]
    pub public_url: Option<Url>,
    /// Where `serve` listens.
    #[serde(default = "default_listen", deserialize_with = "deserialize_listen")]
    pub listen: SocketAddr,
    /// Folder of the database.
    #[serde(default)]
    pub data: Option<PathBuf>,
    /// The database server that several nodes share; a file in the data folder when absent.
    #[serde(default)]
    pub store: Option<StoreSettings>,
    /// The certificate under which the server speaks TLS; in clear when absent.
    #[serde(default)]
    pub tls: Option<TlsSettings>,
    /// Proxies whose word on a request's sender and host is taken.
    #[serde(default)]
    pub trusted_proxies: Vec<Network>,
    /// Who may read `/metrics`.
    #[serde(default)]
    pub metrics: MetricsSettings,
    /// Backups that the server makes by itself.
    #[serde(default)]
    pub backup: Option<BackupSettings>,
    /// Encryption of personal data.
    #[serde(default)]
    pub privacy: PrivacySettings,
    /// Log output.
    #[serde(default)]
    pub log: LogSettings,
    /// Versions of the Auto Agent Protocol.
    #[serde(default)]
    pub aap: AapSettings,
    /// Limits of the server.
    #[serde(default)]
    pub limits: Limits,
    /// By which server leads leave as mail, and as whom.
    #[serde(default)]
    pub mail: Smtp,
    /// Where mail with leads comes back to.
    #[serde(default)]
    pub bounces: Bounces,
    /// Whom to tell when something needs a person.
    #[serde(default)]
    pub alarm: Alarm,
    /// The analyst that answers a seller's own questions.
    #[serde(default)]
    pub analyst: AnalystSettings,
    /// What the server may call of its own accord.
    #[serde(default)]
    pub outgoing: Outgoing,
    /// The dealers by identifier, in the order of the file.
    #[serde(default)]
    pub dealers: IndexMap<DealerId, Dealer>,
    /// Catalogs of sellers without cars by name, in the order of the file. None is called as a dealer is.
    #[serde(default)]
    pub catalogs: IndexMap<DealerId, Catalog>,
}

/// What the server may call of its own accord.
#[derive(Debug, Clone, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Outgoing {
    /// Networks that are not public and may be called all the same, for example a CRM in the
    /// dealer's own network.
    #[serde(deserialize_with = "deserialize_nets")]
    pub allow: Vec<IpNet>,
}

/// Versions of the Auto Agent Protocol. The released one is always served.
#[derive(Debug, Clone, Copy, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AapSettings {
    /// An unreleased version that is served beside the released one, at an address of its own.
    pub preview: Option<Preview>,
}

/// An unreleased version of the Auto Agent Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Preview {
    /// The draft of 2.0.
    #[serde(rename = "2.0-draft")]
    Draft2,
}

impl Preview {
    /// The profile that is served.
    #[must_use]
    pub const fn profile(self) -> Profile {
        match self {
            Self::Draft2 => Profile::Draft2,
        }
    }
}

/// How logs are written. They go to standard error and hold no personal data.
#[derive(Debug, Clone, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct LogSettings {
    /// `text` for people, `json` for machines.
    pub format: LogFormat,
    /// Least severity, or a filter such as `forecourt=debug,warn`.
    pub level: Option<String>,
}

/// Form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One readable line per event.
    #[default]
    Text,
    /// One JSON object per event.
    Json,
}

/// Limits of the server.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Largest request body in bytes.
    pub body_bytes: usize,
    /// Deepest nesting of a request body.
    pub json_depth: usize,
    /// Seconds within which a request's header must arrive.
    pub header_seconds: u64,
    /// Seconds within which a request's body must arrive; what has arrived adds to them.
    pub body_seconds: u64,
    /// Seconds after which an idle connection is closed.
    pub idle_seconds: u64,
    /// Seconds that requests under way get when the server stops.
    pub shutdown_seconds: u64,
    /// How many megabytes of stock are kept in memory, about; all of it when absent. What nobody has asked
    /// for longest is loaded again when somebody does.
    pub stock_megabytes: Option<usize>,
    /// How many requests are answered before the sender is asked to wait.
    pub rate: RateSettings,
}

impl Limits {
    /// How much stock is kept in memory, where that is bounded.
    #[must_use]
    pub fn stock_bytes(&self) -> Option<usize> {
        self.stock_megabytes.map(|it| it.saturating_mul(1 << 20))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            json_depth: 64,
            header_seconds: 10,
            body_seconds: 30,
            idle_seconds: 60,
            shutdown_seconds: 10,
            stock_megabytes: None,
            rate: RateSettings::default(),
        }
    }
}

fn default_listen() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 8080))
}

/// Why there is no usable configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is not there.
    #[error(
        "there is no configuration at {path}; `forecourt init` writes one, and `--config FILE` names another"
    )]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not TOML, or has a key or value that is not known. The message names line and
    /// column.
    #[error("{path}: {message}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What and where.
        message: String,
    },
    /// The file can be read and contradicts itself.
    #[error("{path} cannot be used:{}", list(.problems))]
    Contradictory {
        /// The file.
        path: PathBuf,
        /// Every problem found.
        problems: Vec<Problem>,
    },
}

impl Config {
    /// Reads and checks a configuration file.
    ///
    /// # Errors
    /// See [`ConfigError`]; all contradictions are reported at once.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Self::signed(&read_text(path)?, path)
    }

    /// The same for a server, which also has to be able to use the files that the configuration
    /// names, as of `now`.
    ///
    /// # Errors
    /// See [`ConfigError`]; all contradictions are reported at once.
    pub fn read_to_serve(path: &Path, now: Timestamp) -> Result<Self, ConfigError> {
        let text = read_text(path)?;
        let config = Self::signed(&text, path)?;
        let problems = check::files(&config, &text, folder(path), now);
        usable(config, problems, path)
    }

    /// The configuration with the name of who states its prices by running the program.
    fn signed(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let mut config = Self::parse(text, path)?;
        let feeds = config
            .dealers
            .values_mut()
            .flat_map(|it| it.feeds.values_mut());
        for feed in feeds {
            feed.price.read_by = user();
        }
        Ok(config)
    }

    /// Reads and checks the text of a configuration; `path` is what messages call it.
    ///
    /// # Errors
    /// See [`ConfigError`]; all contradictions are reported at once.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let malformed = |error: toml::de::Error| ConfigError::Malformed {
            path: path.to_owned(),
            message: error.to_string().trim_end().to_owned(),
        };
        let document = toml::Deserializer::parse(text).map_err(malformed)?;
        let mut unknown = Vec::new();
        let mut config: Self =
            serde_ignored::deserialize(document, |key| unknown.push(steps(&key)))
                .map_err(malformed)?;
        let problems = check::problems(&config, unknown, text);
        config.resolve(folder(path));
        usable(config, problems, path)
    }

    /// Paths of the file are meant from the file's own folder.
    fn resolve(&mut self, folder: &Path) {
        let tls = self.tls.iter_mut();
        let tls = tls.flat_map(|tls| [&mut tls.cert_file, &mut tls.key_file]);
        let backup = self.backup.iter_mut().map(|backup| &mut backup.dir);
        let privacy = &mut self.privacy;
        let keys = privacy
            .key_file
            .iter_mut()
            .chain(&mut privacy.former_key_files);
        for path in tls.chain(backup).chain(keys) {
            *path = folder.join(&path);
        }
        self.analyst.resolve(folder);
        if let Some(store) = &mut self.store {
            store.resolve(folder);
        }
    }
}

/// The folder from which a configuration names files.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn read_text(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|source| {
        if source.kind() == std::io::ErrorKind::NotFound {
            ConfigError::Missing {
                path: path.to_owned(),
            }
        } else {
            ConfigError::Unreadable {
                path: path.to_owned(),
                source,
            }
        }
    })
}

fn usable(config: Config, problems: Vec<Problem>, path: &Path) -> Result<Config, ConfigError> {
    if problems.is_empty() {
        return Ok(config);
    }
    Err(ConfigError::Contradictory {
        path: path.to_owned(),
        problems,
    })
}

/// Who runs the program, as far as the environment tells.
#[must_use]
pub fn user() -> Option<String> {
    ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|name| !name.trim().is_empty())
}

/// Reads the address to listen on.
///
/// # Errors
/// The text is none; the message says what to write.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!(
            "{text:?} is not an IP address and a port; write for example \"127.0.0.1:8080\", or \"0.0.0.0:8080\" to be reached from other machines"
        )
    })
}

/// Reads the address under which buyers' agents reach the server.
///
/// # Errors
/// The text is none; the message says what to write.
pub fn public_url(text: &str) -> Result<Url, String> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .filter(|url| url.query().is_none() && url.fragment().is_none())
        .ok_or_else(|| {
            format!(
                "{text:?} is not an http or https address without a query; write for example \"https://agent.group.example\""
            )
        })
}

fn deserialize_listen<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    listen_address(&String::deserialize(from)?).map_err(D::Error::custom)
}

fn deserialize_public_url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Url>, D::Error> {
    let text = String::deserialize(from)?;
    public_url(&text).map(Some).map_err(D::Error::custom)
}

fn deserialize_nets<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<IpNet>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let net = |text: String| {
        text.parse().map_err(|_| {
            D::Error::custom(format!(
                "{text:?} is not a network; write for example \"10.2.0.0/16\""
            ))
        })
    };
    texts.into_iter().map(net).collect()
}

/// The keys that lead to an unknown key, itself last.
fn steps(path: &serde_ignored::Path<'_>) -> Vec<String> {
    use serde_ignored::Path;
    match path {
        Path::Root => Vec::new(),
        Path::Map { parent, key } => {
            let mut steps = steps(parent);
            steps.push(key.clone());
            steps
        }
        Path::Seq { parent, index } => {
            let mut steps = steps(parent);
            steps.push(index.to_string());
            steps
        }
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => steps(parent),
    }
}

#[cfg(test)]
mod tests;
