//! What the seller states about a catalog: where its file comes from and what is believed of it.

use std::{collections::BTreeMap, path::PathBuf};

use analyst::Role;
use dealers::{FeedSettings, Period};
use jiff::tz::TimeZone;
use serde::Deserialize;
use url::Url;

/// `[catalogs.NAME]` of the configuration. The settings of the source are those of a feed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Catalog {
    /// What people call the seller or the catalog.
    pub name: String,
    /// IANA time zone whose days the history has; UTC when absent.
    pub timezone: Option<String>,
    /// File pattern of the drop folder, such as `/srv/drop/*.csv`.
    pub path: Option<String>,
    /// How long a file of the folder stays unchanged before it counts as complete.
    pub settle: Option<Period>,
    /// How long files that were read stay in `done` and `refused`.
    pub keep_files: Option<Period>,
    /// Address from which the file is fetched.
    pub url: Option<Url>,
    /// How often the address is asked.
    pub every: Option<Period>,
    /// File with further headers of the request, one `Name: value` on a line.
    pub headers_file: Option<PathBuf>,
    /// Name for HTTP Basic authentication; its password stands in `password_file`.
    pub user: Option<String>,
    /// File with the password of `user`.
    pub password_file: Option<PathBuf>,
    /// Largest file that is read; see [`FeedSettings::max_bytes`].
    pub max_megabytes: Option<u64>,
    /// Longest time between two files.
    pub expect_every: Option<Period>,
    /// Longest time that questions are answered from a file after it was last seen at its source.
    pub max_age: Option<Period>,
    /// Largest share, 0 to 1, of the items that may be missing from the next file; half when absent.
    pub most_drop: Option<f64>,
    /// How long what came, went and changed its price is kept, and the list of runs.
    pub keep_history: Period,
    /// What columns mean whose headers do not say so: `id = "Artikel"`.
    pub columns: BTreeMap<Role, String>,
}

impl Default for Catalog {
    fn default() -> Self {
        Self {
            name: String::new(),
            timezone: None,
            path: None,
            settle: None,
            keep_files: None,
            url: None,
            every: None,
            headers_file: None,
            user: None,
            password_file: None,
            max_megabytes: None,
            expect_every: None,
            max_age: None,
            most_drop: None,
            keep_history: Period::days(730),
            columns: BTreeMap::new(),
        }
    }
}

impl Catalog {
    /// The source and the guards as those of a feed.
    #[must_use]
    pub fn feed(&self) -> FeedSettings {
        FeedSettings {
            path: self.path.clone(),
            settle: self.settle,
            keep_files: self.keep_files,
            url: self.url.clone(),
            every: self.every,
            headers_file: self.headers_file.clone(),
            user: self.user.clone(),
            password_file: self.password_file.clone(),
            max_megabytes: self.max_megabytes,
            expect_every: self.expect_every,
            max_age: self.max_age,
            most_drop: self.most_drop,
            ..FeedSettings::default()
        }
    }

    /// The zone of the history's days.
    pub(crate) fn zone(&self) -> TimeZone {
        let named = self.timezone.as_deref();
        named
            .and_then(|name| TimeZone::get(name).ok())
            .unwrap_or(TimeZone::UTC)
    }
}
