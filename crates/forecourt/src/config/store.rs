//! `[store]`: the database server that several nodes share.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use dealers::Period;
use serde::Deserialize;
use store::{Address, BadAddress, PostgresUrl};

use super::check::Findings;

/// Most connections for writing, and for reading, of one node.
const MOST_CONNECTIONS: usize = 64;

/// A PostgreSQL server in place of the file in the data folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct StoreSettings {
    /// Its URL, as libpq reads it.
    pub url: Option<UrlText>,
    /// File with the URL, for one that holds a password.
    pub url_file: Option<PathBuf>,
    /// Where signals are heard, when `url` leads to a pooler.
    pub listen_url: Option<UrlText>,
    /// File with that URL.
    pub listen_url_file: Option<PathBuf>,
    /// Connections that write, and as many that read.
    pub connections: usize,
    /// How long one statement may take.
    pub statement_timeout: Period,
    /// How long a node that starts waits for a server that is away or busy.
    pub start_patience: Period,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            url: None,
            url_file: None,
            listen_url: None,
            listen_url_file: None,
            connections: 4,
            statement_timeout: Period::seconds(30),
            start_patience: Period::minutes(2),
        }
    }
}

/// A URL as it was written. It may hold a password and is not shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct UrlText(String);

impl From<String> for UrlText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl UrlText {
    /// Whether nothing is written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for UrlText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UrlText(secret)")
    }
}

/// Why a configuration names no database server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreUrlError {
    /// The file cannot be read.
    #[error("{path} cannot be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The text is no URL of a database.
    #[error(transparent)]
    Bad(#[from] BadAddress),
    /// The text names a file.
    #[error("names a PostgreSQL server; a SQLite database lies in the folder that `data` names")]
    IsFile,
    /// Neither setting is there.
    #[error("write `url`, or `url_file` for one with a password")]
    Missing,
}

impl StoreSettings {
    /// The same, with this URL in place of its own.
    #[must_use]
    pub fn at(mut self, url: UrlText) -> Self {
        self.url = Some(url);
        self.url_file = None;
        self
    }

    /// How to open the database.
    ///
    /// # Errors
    /// [`StoreUrlError`].
    pub fn options(&self) -> Result<store::Options, StoreUrlError> {
        let url = read(self.url.as_ref(), self.url_file.as_deref())?;
        let url = url.ok_or(StoreUrlError::Missing)?;
        let mut options = store::Options::of(&Address::Postgres(url))
            .connections(self.connections)
            .statement_timeout(self.statement_timeout.duration().unsigned_abs());
        let listen = read(self.listen_url.as_ref(), self.listen_url_file.as_deref())?;
        if let Some(listen) = listen {
            options = options.listen(listen);
        }
        Ok(options)
    }

    /// Files are named from `folder`.
    pub(super) fn resolve(&mut self, folder: &Path) {
        for file in [&mut self.url_file, &mut self.listen_url_file] {
            *file = file.take().map(|file| folder.join(file));
        }
    }
}

/// The URL that is written, or stands in the file.
fn read(text: Option<&UrlText>, file: Option<&Path>) -> Result<Option<PostgresUrl>, StoreUrlError> {
    let text = match (text, file) {
        (Some(text), _) => text.0.clone(),
        (None, None) => return Ok(None),
        (None, Some(path)) => {
            std::fs::read_to_string(path).map_err(|source| StoreUrlError::Unreadable {
                path: path.to_owned(),
                source,
            })?
        }
    };
    match Address::parse(text.trim())? {
        Address::Postgres(url) => Ok(Some(url)),
        Address::Sqlite(_) => Err(StoreUrlError::IsFile),
    }
}

/// What in the table cannot work.
pub(super) fn check(settings: &StoreSettings, found: &mut Findings<'_>) {
    for (name, text, file) in [
        ("url", &settings.url, &settings.url_file),
        (
            "listen_url",
            &settings.listen_url,
            &settings.listen_url_file,
        ),
    ] {
        if text.is_some() && file.is_some() {
            found.add(
                &["store", name],
                format!("write either `{name}` or `{name}_file`"),
            );
        } else if let Err(error) = read(text.as_ref(), None) {
            found.add(&["store", name], error.to_string());
        }
    }
    if settings.url.is_none() && settings.url_file.is_none() {
        found.add(&["store"], StoreUrlError::Missing.to_string());
    }
    if settings.connections == 0 || settings.connections > MOST_CONNECTIONS {
        found.add(
            &["store", "connections"],
            format!(
                "{} is out of range; write 1 to {MOST_CONNECTIONS}",
                settings.connections
            ),
        );
    }
}

/// The files that a server has to be able to read.
pub(super) fn check_files(settings: &StoreSettings, found: &mut Findings<'_>) {
    for (name, file) in [
        ("url_file", &settings.url_file),
        ("listen_url_file", &settings.listen_url_file),
    ] {
        if let Err(error) = read(None, file.as_deref()) {
            found.add(&["store", name], crate::explain(&error));
        }
    }
}
