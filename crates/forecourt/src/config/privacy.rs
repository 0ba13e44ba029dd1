//! `[privacy]`: the keys under which personal data are encrypted in the database.

use std::path::{Path, PathBuf};

use leads::{KeyFault, Vault, VaultKey};
use serde::Deserialize;

use super::check::Findings;

/// Longest key file that is read, in bytes.
const LONGEST: u64 = 4096;

/// Keys under which personal data are encrypted. Without any they are plain text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PrivacySettings {
    /// File of the key under which they are written.
    pub key_file: Option<PathBuf>,
    /// Files of keys under which they were written before.
    pub former_key_files: Vec<PathBuf>,
}

/// A key file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrivacyError {
    /// It cannot be read.
    #[error("the key file {path} cannot be read; `forecourt key file FILE` makes one")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It holds no key.
    #[error("the key file {path}")]
    NoKey {
        /// The file.
        path: PathBuf,
        /// Why.
        source: KeyFault,
    },
}

impl PrivacySettings {
    /// Reads the keys.
    ///
    /// # Errors
    /// [`PrivacyError`], of the first file that cannot be used.
    pub fn vault(&self) -> Result<Vault, PrivacyError> {
        let current = self.key_file.as_deref().map(key).transpose()?;
        let former = self.former_key_files.iter().map(|file| key(file));
        let former: Vec<VaultKey> = former.collect::<Result<_, _>>()?;
        Ok(Vault::new(current.as_ref(), &former))
    }

    /// The key files that others than their owner can read.
    #[must_use]
    pub fn exposed(&self) -> Vec<&Path> {
        self.files()
            .map(|(_, file)| file)
            .filter(|file| is_exposed(file))
            .collect()
    }

    /// The files with the settings that name them.
    fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let current = self.key_file.iter().map(|file| ("key_file", file));
        let former = self.former_key_files.iter();
        current
            .chain(former.map(|file| ("former_key_files", file)))
            .map(|(setting, file)| (setting, file.as_path()))
    }
}

/// The key in a file.
///
/// # Errors
/// [`PrivacyError`].
pub fn key(path: &Path) -> Result<VaultKey, PrivacyError> {
    let read = || {
        use std::io::Read as _;

        let mut text = String::new();
        let file = std::fs::File::open(path)?;
        file.take(LONGEST).read_to_string(&mut text)?;
        Ok(text)
    };
    let text = read().map_err(|source| PrivacyError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    text.parse().map_err(|source| PrivacyError::NoKey {
        path: path.to_owned(),
        source,
    })
}

#[cfg(unix)]
fn is_exposed(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::metadata(file).is_ok_and(|it| it.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_exposed(_file: &Path) -> bool {
    false
}

/// The files that a server has to be able to read.
pub(super) fn check_files(privacy: &PrivacySettings, found: &mut Findings<'_>) {
    for (setting, file) in privacy.files() {
        if let Err(error) = key(file) {
            found.add(&["privacy", setting], crate::explain(&error));
        }
    }
}
