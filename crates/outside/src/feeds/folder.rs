//! A drop folder: which of its files belong to a feed, and which of them are complete.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use glob::{MatchOptions, Pattern};
use jiff::{SignedDuration, Timestamp};

/// Endings of files that are still being uploaded.
const UNFINISHED: [&str; 3] = ["part", "tmp", "filepart"];

/// Names of vendors' files vary in case, and a leading dot hides a file.
const MATCHING: MatchOptions = MatchOptions {
    case_sensitive: false,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// A folder and the pattern of the names in it that belong to a feed.
#[derive(Debug, Clone)]
pub(super) struct DropFolder {
    pub(super) folder: PathBuf,
    names: Pattern,
}

/// A file that belongs to the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) modified: SystemTime,
}

/// What a folder holds.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<Found>,
    /// What has a name of the feed and is no plain file, in words.
    pub(super) oddities: Vec<String>,
}

impl DropFolder {
    /// Takes a pattern such as `/srv/drop/*.csv`. A pattern that is not absolute is meant from
    /// `base`. Backslashes separate folders, too.
    pub(super) fn parse(pattern: &str, base: &Path) -> Result<Self, String> {
        let pattern = pattern.replace('\\', "/");
        let (folder, names) = pattern.rsplit_once('/').unwrap_or((".", &pattern));
        if folder.contains(['*', '?', '[']) {
            return Err(
                "wildcards stand in the file name only; write for example \"/srv/drop/*.csv\""
                    .to_owned(),
            );
        }
        if names.is_empty() {
            return Err(
                "the file name is missing; write for example \"/srv/drop/*.csv\"".to_owned(),
            );
        }
        let names = Pattern::new(names)
            .map_err(|error| format!("{error}; write for example \"/srv/drop/*.csv\""))?;
        let folder = if folder.is_empty() { "/" } else { folder };
        Ok(Self {
            folder: base.join(folder),
            names,
        })
    }

    /// True where one file may belong to both, as far as the patterns tell: they are alike, or one
    /// takes the other's text for a file name.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.folder == other.folder
            && (self.names == other.names
                || self.names.matches(other.names.as_str())
                || other.names.matches(self.names.as_str()))
    }

    /// The files that belong to the feed, complete or not. Blocks.
    pub(super) fn list(&self) -> io::Result<Listing> {
        let mut listing = Listing::default();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if !self.has_name(&entry.file_name()) {
                continue;
            }
            let path = entry.path();
            let found = match fs::symlink_metadata(&path) {
                // It was moved away meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found?,
            };
            if found.is_symlink() {
                let name = path.display();
                let oddity = format!("{name} is a link, and links are not followed");
                listing.oddities.push(oddity);
            } else if found.is_file() {
                listing.files.push(Found {
                    size: found.len(),
                    modified: found.modified()?,
                    path,
                });
            }
        }
        listing.oddities.sort();
        Ok(listing)
    }

    fn has_name(&self, name: &OsString) -> bool {
        let name = name.to_string_lossy();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let unfinished = ending.is_some_and(|ending| {
            UNFINISHED
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known))
        });
        !unfinished && !name.starts_with('.') && self.names.matches_with(&name, MATCHING)
    }
}

/// Since when each file of a folder has been unchanged, as far as this process saw.
#[derive(Debug, Default)]
pub(super) struct Settling(HashMap<PathBuf, (u64, SystemTime, Timestamp)>);

impl Settling {
    /// The files that have been unchanged for `settle`, the newest last. The time of modification
    /// alone says nothing, because many uploads set it to that of the original.
    pub(super) fn settled(
        &mut self,
        files: Vec<Found>,
        now: Timestamp,
        settle: SignedDuration,
    ) -> Vec<Found> {
        let before = std::mem::take(&mut self.0);
        let mut settled = Vec::new();
        for file in files {
            let since = match before.get(&file.path) {
                Some((size, modified, since))
                    if (*size, *modified) == (file.size, file.modified) =>
                {
                    *since
                }
                _ => now,
            };
            self.0
                .insert(file.path.clone(), (file.size, file.modified, since));
            if now.duration_since(since) >= settle {
                settled.push(file);
            }
        }
        settled
            .sort_by(|left, right| (left.modified, &left.path).cmp(&(right.modified, &right.path)));
        settled
    }

    /// Starts the wait of a file again.
    pub(super) fn restart(&mut self, file: &Found) {
        self.0.remove(&file.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pattern: &str) -> Pattern {
        let folder = DropFolder::parse(pattern, Path::new("/base")).unwrap();
        folder.names
    }

    #[test]
    fn a_pattern_names_a_folder_and_files() {
        for (pattern, folder) in [
            ("/srv/drop/*.csv", "/srv/drop"),
            ("drop/*.csv", "/base/drop"),
            ("export.csv", "/base/."),
            ("/export.csv", "/"),
            (r"drop\used\*.csv", "/base/drop/used"),
        ] {
            let parsed = DropFolder::parse(pattern, Path::new("/base")).unwrap();
            assert_eq!(parsed.folder, Path::new(folder), "{pattern}");
        }
        for wrong in ["/srv/*/export.csv", "/srv/drop/", "", "/srv/[.csv"] {
            let error = DropFolder::parse(wrong, Path::new("/base")).unwrap_err();
            assert!(error.contains("/srv/drop/*.csv"), "{wrong}: {error}");
        }
        assert!(
            names(r"C:\Frazer30\VehicleUploads\DealerCarSearch-?.csv")
                .matches("DealerCarSearch-1.csv")
        );
    }

    #[test]
    fn unfinished_and_hidden_files_do_not_belong_to_a_feed() {
        let folder = DropFolder::parse("/srv/drop/*", Path::new("/")).unwrap();
        let belongs = |name: &str| folder.has_name(&name.into());
        assert!(belongs("export.csv") && belongs("EXPORT") && belongs("part"));
        for name in ["a.csv.part", "a.TMP", "a.filepart", ".a.csv", ".part"] {
            assert!(!belongs(name), "{name}");
        }
        let folder = DropFolder::parse("/srv/drop/*.csv", Path::new("/")).unwrap();
        assert!(folder.has_name(&"EXPORT.CSV".into()));
    }

    #[test]
    fn a_file_settles_when_neither_size_nor_time_has_changed() {
        let file = |name: &str, size: u64, modified: u64| Found {
            path: PathBuf::from(name),
            size,
            modified: SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(modified),
        };
        let mut settling = Settling::default();
        let minute = SignedDuration::from_mins(1);
        let mut at = |second: i64, files: Vec<Found>| {
            let now = Timestamp::from_second(second).unwrap();
            let settled = settling.settled(files, now, minute);
            let names = settled
                .iter()
                .map(|it| it.path.to_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(at(0, vec![file("a", 1, 5)]), none);
        assert_eq!(at(59, vec![file("a", 1, 5)]), none);
        assert_eq!(at(60, vec![file("a", 2, 5)]), none, "it grew");
        assert_eq!(at(119, vec![file("a", 2, 6)]), none, "it was written again");
        assert_eq!(
            at(179, vec![file("a", 2, 6), file("b", 9, 1)]),
            ["a"],
            "the other one came just now"
        );
        assert_eq!(at(240, vec![]), none);
        assert_eq!(at(241, vec![file("a", 2, 6)]), none, "it came again");
        let both = || vec![file("new", 1, 9), file("old", 1, 8)];
        at(300, both());
        assert_eq!(at(360, both()), ["old", "new"], "the newest last");
    }
}
