//! SQLite behind the door: one thread writes, a few read.

mod catalog;
mod connection;
mod error;
mod placeholders;
mod scrub;

use std::{
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::mpsc;

use self::connection::{Access, Connection};
use crate::{
    Conn, Error, Options, backup, migrate,
    queue::Queue,
    session::Session,
    store::{self, QUEUE, Threads},
    worker,
};

/// Connections that read at the same time.
const READERS: usize = 3;
/// How long a copy waits for a program that is changing the whole file.
const COPY_PATIENCE: Duration = Duration::from_secs(30);

/// Opens the file, brings its schema up to date and starts the threads.
pub(crate) fn start(path: &Path, options: &Options) -> Result<Threads, Error> {
    let patience = &options.patience;
    let reading = if options.read_only {
        Access::at_rest_if_alone(path)
    } else {
        Access::Read
    };
    let mut writer = if options.read_only {
        let mut reader = Connection::open(path, reading, *patience)?;
        migrate::expect(&mut reader, options)?;
        reader
    } else {
        writer(path, options)?
    };

    let mut handles = Vec::with_capacity(READERS + 1);
    let (reads, queue) = mpsc::channel(QUEUE);
    let queue = Arc::new(Mutex::new(queue));
    for number in 1..=READERS {
        let mut reader = Connection::open(path, reading, *patience)?;
        let queue = Arc::clone(&queue);
        handles.push(store::spawn(format!("store-read-{number}"), move || {
            worker::read(&mut reader, &queue);
        })?);
    }
    let writes = Arc::new(Queue::new(1));
    let queue = Arc::clone(&writes);
    handles.push(store::spawn("store-write".to_owned(), move || {
        worker::write(&mut writer, &queue);
    })?);
    Ok(Threads {
        writes,
        reads,
        handles,
    })
}

/// Opens a database with the schema that is expected, to read it.
pub(crate) fn open_to_read(path: &Path, options: &Options) -> Result<Box<dyn Session>, Error> {
    let access = Access::at_rest_if_alone(path);
    let mut reader = Connection::open(path, access, options.patience)?;
    migrate::expect(&mut reader, options)?;
    Ok(Box::new(reader))
}

/// Opens a database, made when it is absent, and brings its schema up to date.
pub(crate) fn open_to_write(path: &Path, options: &Options) -> Result<Box<dyn Session>, Error> {
    Ok(Box::new(writer(path, options)?))
}

fn writer(path: &Path, options: &Options) -> Result<Connection, Error> {
    create(path).map_err(|error| unavailable(path, error))?;
    let mut writer = Connection::open(path, Access::Write, options.patience)?;
    let keep_a_copy = || backup::keep_before_migration(path);
    migrate::migrate(&mut writer, options, keep_a_copy)?;
    Ok(writer)
}

/// Makes the file when it is absent, readable by its owner alone, as it holds personal data. The
/// engine gives its side files the same mode.
fn create(path: &Path) -> io::Result<()> {
    match private().open(path) {
        Ok(_) => sync_folder(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes an empty file that only its owner may read, where there is none.
pub(crate) fn create_new(path: &Path) -> Result<(), Error> {
    let made = private().open(path);
    made.map(drop).map_err(|error| unavailable(path, error))
}

fn private() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes the present state of a database into an empty file, and waits for the disk.
pub(crate) fn copy(database: &Path, empty: &Path) -> Result<(), Error> {
    let mut source = Connection::open(database, Access::Read, COPY_PATIENCE)?;
    let target = empty
        .to_str()
        .ok_or_else(|| unavailable(empty, io::Error::other("the name is not UTF-8")))?;
    source.execute("VACUUM INTO $1", &[target.into()])?;
    fs::File::open(empty)
        .and_then(|file| file.sync_all())
        .map_err(|error| unavailable(empty, error))
}

/// Makes one file of a database that was just written and waits for the disk.
pub(crate) fn settle(path: &Path) -> Result<(), Error> {
    let mut session = Connection::open(path, Access::Write, COPY_PATIENCE)?;
    for pragma in [
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA journal_mode = DELETE",
    ] {
        session.run(pragma, &[], &mut |_| Ok(()))?;
    }
    drop(session);
    fs::File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(|error| unavailable(path, error))
}

/// Opens a database that nobody writes to, without making side files.
pub(crate) fn open_at_rest(path: &Path) -> Result<Connection, Error> {
    Connection::open(path, Access::AtRest, COPY_PATIENCE)
}

/// Reads every page and every row.
pub(crate) fn check_integrity(session: &mut dyn Session) -> Result<(), Error> {
    let conn = session.conn();
    let found = conn.all("PRAGMA integrity_check", &[], |row| {
        row.text(0).map(str::to_owned)
    })?;
    if found == ["ok"] {
        return Ok(());
    }
    let source: Box<dyn std::error::Error + Send + Sync> = found.join("; ").into();
    Err(Error::Corrupt {
        source: source.into(),
    })
}

/// Makes the file's name durable: without this, power loss could take the whole file with it.
#[cfg(unix)]
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn unavailable(
    path: &Path,
    source: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    Error::Unavailable {
        path: Some(path.display().to_string()),
        source: Arc::new(source),
    }
}
