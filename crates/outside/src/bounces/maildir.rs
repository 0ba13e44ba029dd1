//! A folder of mails in the form of a Maildir: new ones lie in `new`, those that were dealt with in
//! `cur`, where the end of a file's name says that it was seen.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use tokio::task::spawn_blocking;

use super::MOST_BYTES;

/// A Maildir.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maildir(PathBuf);

impl Maildir {
    /// The Maildir in this folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// The names of the new mails, the oldest first as far as names tell.
    pub(super) async fn unseen(&self) -> io::Result<Vec<String>> {
        let new = self.0.join("new");
        blocking(move || {
            let mut names = Vec::new();
            for entry in fs::read_dir(new)? {
                let entry = entry?;
                let name = entry.file_name().into_string();
                if let Ok(name) = name
                    && !name.starts_with('.')
                    && entry.file_type()?.is_file()
                {
                    names.push(name);
                }
            }
            names.sort_unstable();
            Ok(names)
        })
        .await
    }

    /// The beginning of a mail; `None` when it is gone.
    pub(super) async fn fetch(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let path = self.0.join("new").join(name);
        blocking(move || {
            let file = match fs::File::open(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            let mut bytes = Vec::new();
            file.take(MOST_BYTES as u64).read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        })
        .await
    }

    /// Moves a mail that was dealt with among those that were seen. One that is gone is fine.
    pub(super) async fn put_away(&self, name: &str) -> io::Result<()> {
        let from = self.0.join("new").join(name);
        let cur = self.0.join("cur");
        let to = cur.join(format!("{}:2,S", name.split(':').next().unwrap_or(name)));
        blocking(move || {
            fs::create_dir_all(cur)?;
            match fs::rename(from, to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        })
        .await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_mail_goes_from_new_to_cur() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::new(folder.path());
        assert!(maildir.unseen().await.is_err(), "no Maildir yet");
        fs::create_dir_all(folder.path().join("new/folder")).unwrap();
        for name in ["2.b.host", "1.a.host:2,", ".hidden"] {
            fs::write(folder.path().join("new").join(name), name).unwrap();
        }
        let names = maildir.unseen().await.unwrap();
        assert_eq!(names, ["1.a.host:2,", "2.b.host"]);
        let mail = maildir.fetch(&names[0]).await.unwrap();
        assert_eq!(mail.unwrap(), b"1.a.host:2,");
        for name in names.iter().chain(&names) {
            maildir.put_away(name).await.unwrap();
        }
        assert!(maildir.unseen().await.unwrap().is_empty());
        assert_eq!(maildir.fetch("2.b.host").await.unwrap(), None);
        for name in ["1.a.host:2,S", "2.b.host:2,S"] {
            assert!(folder.path().join("cur").join(name).exists(), "{name}");
        }
    }
}
