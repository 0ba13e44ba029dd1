//! Files that are there whole after a power cut, or not at all. Only their owner may read them.

use std::{
    fs::File,
    io::{self, Write as _},
    path::Path,
};

use tempfile::NamedTempFile;

/// Makes a file.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] when it is there already.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    let file = written(folder, bytes)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Makes a file, or replaces the one that is there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    written(folder, bytes)?.persist(path)?;
    sync_folder(folder)
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // Only Unix lets a folder be opened.
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The content on disk, under a name of its own.
fn written(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}
