//! Who uses a data folder: everybody who opens its database shares a lock, and a restore, which
//! replaces it, has to have it alone. The lock goes with the process that holds it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
};

const LOCK_FILE: &str = "forecourt.lock";

/// Takes part in using a data folder, for as long as the file is held. `None` while a restore has the
/// folder for itself. In a folder that cannot be written to, and that nobody locked before, there is
/// nothing to guard.
pub(crate) fn shared(data: &Path) -> io::Result<Option<Option<File>>> {
    let Some(file) = open(data)? else {
        return Ok(Some(None));
    };
    granted(file.try_lock_shared(), file).map(|file| file.map(Some))
}

/// Takes a data folder for itself, for as long as the file is held. `None` while others use it.
pub(crate) fn exclusive(data: &Path) -> io::Result<Option<File>> {
    match open(data)? {
        Some(file) => granted(file.try_lock(), file),
        None => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
    }
}

fn open(data: &Path) -> io::Result<Option<File>> {
    let path = data.join(LOCK_FILE);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    match options.open(&path) {
        Ok(file) => Ok(Some(file)),
        Err(error) => match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(_) if is_read_only(&error) => Ok(None),
            Err(_) => Err(error),
        },
    }
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

fn granted(outcome: Result<(), TryLockError>, file: File) -> io::Result<Option<File>> {
    match outcome {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        // A file system without locks guards nothing, and is no reason to stop.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            Ok(Some(file))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}
