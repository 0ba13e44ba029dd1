//! What a backup says of itself.

use std::{collections::BTreeSet, fs, io::Read as _, path::Path};

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{CONFIG_FILE, DATABASE_FILE, Error, HASH_KEY_FILE, write_private};

const MANIFEST_FILE: &str = "manifest.json";
/// Largest manifest that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The manifest of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// When it was made.
    pub made_at: Timestamp,
    /// Version of the program that made it.
    pub program: String,
    /// Names of the migrations that its database has.
    pub schema: Vec<String>,
    /// Names of the keys that encrypt its personal data. None of them is in the backup: it takes the
    /// files that `privacy.key_file` and `privacy.former_key_files` name.
    #[serde(default)]
    pub encrypted_with: BTreeSet<String>,
    /// Its files.
    pub files: Vec<FileEntry>,
}

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name inside the backup.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    pub(super) fn new(
        made_at: Timestamp,
        schema: Vec<String>,
        encrypted_with: BTreeSet<String>,
        files: Vec<FileEntry>,
    ) -> Self {
        Self {
            made_at,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            schema,
            encrypted_with,
            files,
        }
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(MANIFEST_FILE);
        let text = serde_json::to_vec_pretty(self)
            .map_err(|error| Error::io(&path)(std::io::Error::other(error)))?;
        write_private(&path, &text)
    }

    /// Reads the manifest of a backup. It says nothing yet about the files that it lists.
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let damaged = |reason: String| Error::Damaged {
            folder: folder.to_owned(),
            reason,
        };
        let path = folder.join(MANIFEST_FILE);
        let file = fs::File::open(&path)
            .map_err(|error| damaged(format!("{MANIFEST_FILE} cannot be read: {error}")))?;
        let mut text = String::new();
        file.take(LARGEST)
            .read_to_string(&mut text)
            .map_err(|error| damaged(format!("{MANIFEST_FILE} cannot be read: {error}")))?;
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| damaged(format!("{MANIFEST_FILE}: {error}")))?;
        let known = [DATABASE_FILE, HASH_KEY_FILE, CONFIG_FILE];
        let foreign = manifest
            .files
            .iter()
            .find(|file| !known.contains(&file.name.as_str()));
        if let Some(foreign) = foreign {
            return Err(damaged(format!(
                "{:?} is not a backup's file",
                foreign.name
            )));
        }
        if !manifest.has(DATABASE_FILE) {
            return Err(damaged("it lists no database".to_owned()));
        }
        Ok(manifest)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name)
    }
}

impl FileEntry {
    pub(super) fn of(folder: &Path, name: &str) -> Result<Self, Error> {
        let path = folder.join(name);
        let digest = || {
            let mut file = fs::File::open(&path)?;
            let mut digest = Sha256::new();
            let mut bytes = 0;
            let mut buffer = vec![0; 1 << 16];
            loop {
                let count = file.read(&mut buffer)?;
                if count == 0 {
                    return Ok((bytes, digest.finalize()));
                }
                bytes += count as u64;
                digest.update(&buffer[..count]);
            }
        };
        let (bytes, digest) = digest().map_err(Error::io(&path))?;
        Ok(Self {
            name: name.to_owned(),
            bytes,
            sha256: HEXLOWER.encode(&digest),
        })
    }
}
