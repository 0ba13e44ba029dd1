//! The door: opening a database, reading and writing.

use std::{
    path::PathBuf,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::sync::{mpsc::Sender, oneshot};

use crate::{
    Clock, Conn, Error, Migration,
    job::{Call, Job, Order},
    sqlite,
};

/// Which database to open, and how.
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) path: PathBuf,
    pub(crate) clock: Clock,
    pub(crate) migrations: Vec<Migration>,
    pub(crate) patience: Duration,
    pub(crate) read_only: bool,
}

impl Options {
    /// A SQLite file, made when it is absent. Its folder exists.
    #[must_use]
    pub fn sqlite(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            clock: Clock::system(),
            migrations: Vec::new(),
            patience: Duration::from_secs(5),
            read_only: false,
        }
    }

    /// Takes time and ids from this clock instead of the machine.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The schema: the list of each crate, in the order in which they build on each other.
    #[must_use]
    pub fn migrations(mut self, lists: &[&'static [Migration]]) -> Self {
        self.migrations = lists.concat();
        self
    }

    /// Writes nothing, not beside the database either, and fails every write with
    /// [`Error::ReadOnly`]. The file has to be there, with the schema that is expected. For a folder
    /// that cannot be written to.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// How long a statement waits for another program that writes to the same database, before
    /// it fails with [`Error::Busy`]. Five seconds unless set.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}

/// The door to one database. Cheap to clone; the database is closed when the last clone is
/// dropped, after the closures that were already handed in have run.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    clock: Clock,
    path: PathBuf,
    threads: Option<Threads>,
    /// Removed after the threads have closed their files.
    _folder: Option<tempfile::TempDir>,
}

/// The running storage threads and the ways to them.
pub(crate) struct Threads {
    pub(crate) writes: Sender<Order>,
    pub(crate) reads: Sender<Box<dyn Job>>,
    pub(crate) handles: Vec<JoinHandle<()>>,
}

impl Store {
    /// Opens the database, brings its schema up to date and starts its threads. Blocks meanwhile:
    /// call it at the start of the program. A database whose schema is about to change is copied
    /// first, to [`backup::before_migration`](crate::backup::before_migration).
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Busy`], [`Error::Corrupt`] when the database cannot be
    /// opened, [`Error::NewerSchema`], [`Error::OlderSchema`] or [`Error::Migration`] when its schema
    /// does not fit.
    pub fn open(options: Options) -> Result<Self, Error> {
        Self::start(options, None)
    }

    /// A store in a temporary folder, for tests. It is as durable as any other, and the folder
    /// goes when the last clone is dropped.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn temporary(migrations: &[&'static [Migration]], clock: Clock) -> Result<Self, Error> {
        let folder = tempfile::tempdir().map_err(|error| Error::Unavailable {
            path: None,
            source: Arc::new(error),
        })?;
        let options = Options::sqlite(folder.path().join("store.sqlite"))
            .clock(clock)
            .migrations(migrations);
        Self::start(options, Some(folder))
    }

    fn start(options: Options, folder: Option<tempfile::TempDir>) -> Result<Self, Error> {
        let threads = sqlite::start(&options)?;
        Ok(Self(Arc::new(Shared {
            clock: options.clock,
            path: options.path,
            threads: Some(threads),
            _folder: folder,
        })))
    }

    /// Where time and ids come from.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Bytes that the database takes on disk, its log included.
    ///
    /// # Errors
    /// When the file cannot be looked at.
    pub fn disk_bytes(&self) -> std::io::Result<u64> {
        let mut log = self.0.path.clone().into_os_string();
        log.push("-wal");
        // The log is not there while nobody has written.
        let log = std::fs::metadata(log).map_or(0, |it| it.len());
        Ok(std::fs::metadata(&self.0.path)?.len() + log)
    }

    /// Runs a closure that only reads, on a consistent state of the database: every write that
    /// was answered before is in it.
    ///
    /// # Errors
    /// What the closure returns; else [`Error`] converted into `E` when the database fails, when
    /// the closure tries to write ([`Error::ReadOnly`]) or panics ([`Error::Panicked`]).
    pub async fn read<F, T, E>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Conn) -> Result<T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = Call::new(work);
        let queue = self.0.threads.as_ref().map(|it| &it.reads);
        hand_in::<Box<dyn Job>, _, _>(queue, job, answer).await
    }

    /// Runs a closure in a transaction. When this returns `Ok`, what the closure wrote is on disk;
    /// when it returns an error, nothing of it is.
    ///
    /// The closure may run more than once, each time on a state in which it has not run. Once
    /// handed in it runs, even when the caller stops waiting. When too many closures are waiting,
    /// this waits for room.
    ///
    /// # Errors
    /// What the closure returns; else [`Error`] converted into `E` when the database fails or the
    /// closure panics ([`Error::Panicked`]).
    pub async fn write<F, T, E>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Conn) -> Result<T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = Call::new(work);
        let queue = self.0.threads.as_ref().map(|it| &it.writes);
        hand_in(queue, Order::Call(job), answer).await
    }

    /// Leaves nothing in the database's files of what was deleted or replaced before: rewrites the
    /// database without its unused space, and empties its log. Writes wait meanwhile, about a second
    /// for 100 MB, and the folder needs room for a second copy. A copy that
    /// [`backup::before_migration`](crate::backup::before_migration) names is removed.
    ///
    /// # Errors
    /// [`Error::Busy`] when another program reads or writes all the while; [`Error::Full`] when there
    /// is no room; whatever else the database refuses. Nothing is lost then, and it can be tried again.
    pub async fn scrub(&self) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        let queue = self.0.threads.as_ref().map(|it| &it.writes);
        hand_in(queue, Order::Scrub(reply), answer).await
    }
}

async fn hand_in<O, T, E: From<Error>>(
    queue: Option<&Sender<O>>,
    order: O,
    answer: oneshot::Receiver<Result<T, E>>,
) -> Result<T, E> {
    let queue = queue.ok_or(Error::Closed)?;
    queue.send(order).await.map_err(|_| Error::Closed)?;
    answer.await.map_err(|_| Error::Closed)?
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let Some(Threads {
            writes,
            reads,
            handles,
        }) = self.threads.take()
        else {
            return;
        };
        drop((writes, reads));
        for handle in handles {
            // A closure that owned the last clone drops it on a storage thread, which cannot wait
            // for itself.
            if handle.thread().id() != thread::current().id() && handle.join().is_err() {
                tracing::error!("a storage thread panicked");
            }
        }
    }
}
