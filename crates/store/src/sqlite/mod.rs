//! SQLite behind the door: one thread writes, a few read.

mod connection;
mod error;
mod placeholders;

use std::{
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

use tokio::sync::mpsc;

use self::connection::{Access, Connection};
use crate::{Error, Options, migrate, store::Threads, worker};

/// Connections that read at the same time.
const READERS: usize = 3;
/// Closures that wait in each queue before callers wait for room.
const QUEUE: usize = 1024;

/// Opens the file, brings its schema up to date and starts the threads.
pub(crate) fn start(options: &Options) -> Result<Threads, Error> {
    let Options { path, patience, .. } = options;
    create(path).map_err(|error| unavailable(path, error))?;
    let mut writer = Connection::open(path, Access::Write, *patience)?;
    migrate::migrate(&mut writer, &options.migrations, options.clock.now())?;

    let mut handles = Vec::with_capacity(READERS + 1);
    let (reads, queue) = mpsc::channel(QUEUE);
    let queue = Arc::new(Mutex::new(queue));
    for number in 1..=READERS {
        let mut reader = Connection::open(path, Access::Read, *patience)?;
        let queue = Arc::clone(&queue);
        handles.push(spawn(format!("store-read-{number}"), move || {
            worker::read(&mut reader, &queue);
        })?);
    }
    let (writes, queue) = mpsc::channel(QUEUE);
    handles.push(spawn("store-write".to_owned(), move || {
        worker::write(&mut writer, queue);
    })?);
    Ok(Threads {
        writes,
        reads,
        handles,
    })
}

fn spawn(
    name: String,
    work: impl FnOnce() + Send + 'static,
) -> Result<thread::JoinHandle<()>, Error> {
    thread::Builder::new()
        .name(name)
        .spawn(work)
        .map_err(|error| Error::Unavailable {
            path: None,
            source: Arc::new(error),
        })
}

/// Makes the file when it is absent, readable by its owner alone, as it holds personal data. The
/// engine gives its side files the same mode.
fn create(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => sync_folder(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes the file's name durable: without this, power loss could take the whole file with it.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

fn unavailable(path: &Path, source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Unavailable {
        path: Some(path.display().to_string()),
        source: Arc::new(source),
    }
}
