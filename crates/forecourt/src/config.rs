//! The configuration: one TOML file, checked as a whole before anything starts.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use dealers::{Dealer, DealerId, FeedSettings};
use indexmap::IndexMap;
use serde::Deserialize;
use url::Url;

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
    #[serde(default)]
    pub public_url: Option<Url>,
    /// Where `serve` listens.
    #[serde(default = "default_listen")]
    pub listen: SocketAddr,
    /// Folder of the database.
    #[serde(default)]
    pub data: Option<PathBuf>,
    /// Log output.
    #[serde(default)]
    pub log: LogSettings,
    /// Limits of the server.
    #[serde(default)]
    pub limits: Limits,
    /// The dealers by identifier, in the order of the file.
    pub dealers: IndexMap<DealerId, Dealer>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
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
    /// Seconds within which a request's body must arrive.
    pub body_seconds: u64,
    /// Seconds after which an idle connection is closed.
    pub idle_seconds: u64,
    /// Seconds that requests under way get when the server stops.
    pub shutdown_seconds: u64,
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
    #[error("{path}: {}", list(.problems))]
    Contradictory {
        /// The file.
        path: PathBuf,
        /// Every problem found.
        problems: Vec<Problem>,
    },
}

/// One thing in a configuration that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// Dotted key, for example `dealers.group.default_rooftop`.
    pub key: String,
    /// What is wrong and what to write instead.
    pub message: String,
}

fn list(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| format!("{}: {}", problem.key, problem.message))
        .collect();
    lines.join("\n  ")
}

impl Config {
    /// Reads and checks a configuration file.
    ///
    /// # Errors
    /// See [`ConfigError`]; all contradictions are reported at once.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| {
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
        })?;
        Self::parse(&text, path)
    }

    /// Reads and checks the text of a configuration; `path` is what messages call it.
    ///
    /// # Errors
    /// See [`ConfigError`]; all contradictions are reported at once.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|error| ConfigError::Malformed {
            path: path.to_owned(),
            message: error.to_string(),
        })?;
        let problems = config.problems();
        if problems.is_empty() {
            Ok(config)
        } else {
            Err(ConfigError::Contradictory {
                path: path.to_owned(),
                problems,
            })
        }
    }

    fn problems(&self) -> Vec<Problem> {
        let mut found = Findings::default();
        if let Some(url) = &self.public_url
            && (!matches!(url.scheme(), "http" | "https") || url.query().is_some())
        {
            found.add(
                "public_url",
                "write an http or https address without a query",
            );
        }
        if self.dealers.is_empty() {
            found.add("dealers", "name at least one dealer: [dealers.ID]");
        }
        for limit in [
            ("limits.body_bytes", self.limits.body_bytes as u64),
            ("limits.json_depth", self.limits.json_depth as u64),
            ("limits.header_seconds", self.limits.header_seconds),
            ("limits.body_seconds", self.limits.body_seconds),
            ("limits.idle_seconds", self.limits.idle_seconds),
        ] {
            if limit.1 == 0 {
                found.add(limit.0, "0 would refuse everything; write a larger number");
            }
        }
        let mut hosts = BTreeMap::new();
        for (id, dealer) in &self.dealers {
            check_dealer(id, dealer, &mut found);
            for host in &dealer.hosts {
                if let Some(other) = hosts.insert(host.to_ascii_lowercase(), id.clone()) {
                    found.add(
                        format!("dealers.{id}.hosts"),
                        format!("{host:?} is already a host of dealer {other}"),
                    );
                }
            }
        }
        found.0
    }
}

#[derive(Default)]
struct Findings(Vec<Problem>);

impl Findings {
    fn add(&mut self, key: impl Into<String>, message: impl Into<String>) {
        self.0.push(Problem {
            key: key.into(),
            message: message.into(),
        });
    }
}

fn check_dealer(id: &DealerId, dealer: &Dealer, found: &mut Findings) {
    let key = |rest: &str| format!("dealers.{id}.{rest}");
    if dealer.rooftops.is_empty() {
        found.add(key("rooftops"), "name at least one rooftop");
    }
    if dealer.skills.is_empty() {
        found.add(key("skills"), "name at least one skill");
    }
    if let Some(name) = &dealer.default_rooftop
        && !dealer.rooftops.contains_key(name)
    {
        found.add(key("default_rooftop"), unknown_rooftop(name, dealer));
    }
    let page = dealer.page;
    if page.default == 0 || page.most == 0 || page.default > page.most || page.most > 1000 {
        found.add(
            key("page"),
            format!(
                "default {} and most {}: both are at least 1, default is at most `most`, and `most` at most 1000",
                page.default, page.most
            ),
        );
    }
    for host in &dealer.hosts {
        if host.contains(['/', ' ']) || host.is_empty() {
            found.add(
                key("hosts"),
                format!("{host:?} is not a host name; write for example \"agent.group.example\""),
            );
        }
    }
    let mut feed_ids = BTreeMap::new();
    for (name, rooftop) in &dealer.rooftops {
        let key = |rest: &str| format!("dealers.{id}.rooftops.{name}.{rest}");
        if let Some(feed_id) = &rooftop.feed_id
            && let Some(other) = feed_ids.insert(feed_id.clone(), name)
        {
            found.add(
                key("feed_id"),
                format!("{feed_id:?} is already the feed_id of {other}"),
            );
        }
        if let Some(zone) = &rooftop.timezone
            && jiff::tz::TimeZone::get(zone).is_err()
        {
            found.add(
                key("timezone"),
                format!("{zone:?} is not an IANA zone; write for example \"America/Chicago\""),
            );
        }
        if let Some(website) = &rooftop.website
            && !aap::formats::is_uri(website)
        {
            found.add(key("website"), format!("{website:?} is not an address"));
        }
        repeated_fees(rooftop.fees.as_deref(), &key("fees"), found);
    }
    for (name, feed) in &dealer.feeds {
        check_feed(&key(&format!("feeds.{name}")), feed, dealer, found);
    }
}

fn check_feed(key: &str, feed: &FeedSettings, dealer: &Dealer, found: &mut Findings) {
    for rooftop in &feed.rooftops {
        if !dealer.rooftops.contains_key(rooftop) {
            found.add(format!("{key}.rooftops"), unknown_rooftop(rooftop, dealer));
        }
    }
    for condition in &feed.conditions {
        if !condition.is_sale() {
            found.add(
                format!("{key}.conditions"),
                format!(
                    "{:?} is a condition of trade-ins; stock is \"new\", \"used\" or \"cpo\"",
                    condition.as_str()
                ),
            );
        }
    }
    repeated_fees(
        feed.price.fees.as_deref(),
        &format!("{key}.price.fees"),
        found,
    );
}

fn unknown_rooftop(name: &str, dealer: &Dealer) -> String {
    let known: Vec<&str> = dealer.rooftops.keys().map(String::as_str).collect();
    format!(
        "there is no rooftop {name:?}; there is {}",
        known.join(", ")
    )
}

fn repeated_fees(fees: Option<&[aap::vehicle::DealerFee]>, key: &str, found: &mut Findings) {
    let mut names = std::collections::BTreeSet::new();
    for fee in fees.unwrap_or_default() {
        let name = fee.name.trim();
        if name.is_empty() || name.chars().count() > 120 {
            found.add(
                key,
                format!("{name:?}: a fee's name has 1 to 120 characters"),
            );
        }
        if !names.insert(name) {
            found.add(
                key,
                format!("{name:?} is named twice; a fee's name is unique in its list"),
            );
        }
    }
}

#[cfg(test)]
mod tests;
