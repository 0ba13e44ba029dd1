//! The door: opening a database, reading and writing.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::sync::{mpsc::Sender, oneshot};

use crate::{
    Address, BadAddress, Claim, Clock, Conn, Error, Migration, PostgresUrl,
    job::{Call, Job},
    postgres::{self, Database},
    queue::{Order, Queue, Write},
    signal::{Listeners, Signal, Signals},
    sqlite,
};

/// Reads that wait before callers wait for room.
pub(crate) const QUEUE: usize = 1024;

/// Which database to open, and how.
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) address: Address,
    pub(crate) clock: Clock,
    pub(crate) migrations: Vec<Migration>,
    pub(crate) generation: u64,
    pub(crate) patience: Duration,
    pub(crate) read_only: bool,
    pub(crate) connections: usize,
    pub(crate) statement_timeout: Duration,
    pub(crate) listen: Option<PostgresUrl>,
}

impl Options {
    /// A SQLite file, made when it is absent. Its folder exists.
    #[must_use]
    pub fn sqlite(path: impl Into<PathBuf>) -> Self {
        Self::of(&Address::Sqlite(path.into()))
    }

    /// A PostgreSQL database, which exists and may be empty.
    ///
    /// # Errors
    /// When the text is no URL of a PostgreSQL database.
    pub fn postgres(url: &str) -> Result<Self, BadAddress> {
        Ok(Self::of(&Address::Postgres(PostgresUrl::parse(url)?)))
    }

    /// The database at an address.
    #[must_use]
    pub fn of(address: &Address) -> Self {
        Self {
            address: address.clone(),
            clock: Clock::system(),
            migrations: Vec::new(),
            generation: 1,
            patience: Duration::from_secs(5),
            read_only: false,
            connections: 4,
            statement_timeout: Duration::from_secs(30),
            listen: None,
        }
    }

    /// Where the database is.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
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

    /// Which release's schema that is, counted: programs of one generation have the same migrations. A
    /// release that only adds to the schema of the one before counts one more. Programs of both use a
    /// database that has it; any other newer schema is refused ([`Error::NewerSchema`]), so that a release
    /// beside which the one before cannot go on counts two more. 1 unless set.
    #[must_use]
    pub fn generation(mut self, generation: u64) -> Self {
        self.generation = generation;
        self
    }

    /// Writes nothing, not beside a SQLite file either, and fails every write with
    /// [`Error::ReadOnly`]. The database has to be there, with the schema that is expected. For a
    /// folder that cannot be written to.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// How long a write waits for what others have to themselves, before it fails with
    /// [`Error::Busy`] or [`Error::Conflict`]. Five seconds unless set.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Of PostgreSQL: how many connections write, and as many read. Four unless set.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// Of PostgreSQL: how long a statement may take. Thirty seconds unless set.
    #[must_use]
    pub fn statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = timeout;
        self
    }

    /// Of PostgreSQL: where signals are heard, when that is another place than where statements go. A
    /// pooler that lends a connection for one transaction at a time cannot pass signals on.
    #[must_use]
    pub fn listen(mut self, url: PostgresUrl) -> Self {
        self.listen = Some(url);
        self
    }
}

/// The door to one database. Cheap to clone; the database is closed when the last clone is
/// dropped, after the closures that were already handed in have run.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
    /// How long a caller waits; `None` for as long as it takes.
    within: Option<Duration>,
}

struct Shared {
    clock: Clock,
    node: String,
    address: Address,
    listeners: Listeners,
    threads: Option<Threads>,
    /// Removed after the threads have closed what they had open.
    _scratch: Option<Scratch>,
}

/// What goes with a temporary store.
enum Scratch {
    Folder { _folder: tempfile::TempDir },
    Database { _database: Database },
}

/// The running storage threads and the ways to them.
pub(crate) struct Threads {
    pub(crate) writes: Arc<Queue>,
    pub(crate) reads: Sender<Box<dyn Job>>,
    pub(crate) handles: Vec<JoinHandle<()>>,
}

impl Store {
    /// Opens the database, brings its schema up to date and starts its threads. Blocks meanwhile:
    /// call it at the start of the program. A SQLite database whose schema is about to change is copied
    /// first, to [`backup::before_migration`](crate::backup::before_migration).
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::Busy`], [`Error::Unsuitable`], [`Error::Corrupt`] when the
    /// database cannot be opened, [`Error::NewerSchema`], [`Error::OlderSchema`] or
    /// [`Error::Migration`] when its schema does not fit.
    pub fn open(options: Options) -> Result<Self, Error> {
        Self::start(options, None)
    }

    /// A store of its own, for tests: a SQLite file in a temporary folder, or a new database on the
    /// PostgreSQL server whose URL the environment variable `FORECOURT_TEST_POSTGRES` holds. It is as
    /// durable as any other, and goes when the last clone is dropped.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn temporary(migrations: &[&'static [Migration]], clock: Clock) -> Result<Self, Error> {
        let (options, scratch) = match std::env::var("FORECOURT_TEST_POSTGRES") {
            Ok(server) => {
                let (address, database) = Database::create(&server)?;
                // Many tests run at once.
                let options = Options::of(&address).connections(2);
                (
                    options,
                    Scratch::Database {
                        _database: database,
                    },
                )
            }
            Err(_) => {
                let folder = tempfile::tempdir().map_err(unavailable)?;
                let options = Options::sqlite(folder.path().join("store.sqlite"));
                (options, Scratch::Folder { _folder: folder })
            }
        };
        Self::start(options.clock(clock).migrations(migrations), Some(scratch))
    }

    fn start(options: Options, scratch: Option<Scratch>) -> Result<Self, Error> {
        // Of the machine's clock, so that no two nodes share a name on any other.
        let node = Clock::system().new_id().to_string();
        let (threads, listeners) = match &options.address {
            Address::Sqlite(path) => (sqlite::start(path, &options)?, Listeners::new()),
            Address::Postgres(url) => postgres::start(url, &options, &node)?,
        };
        let shared = Shared {
            clock: options.clock,
            node,
            address: options.address,
            listeners,
            threads: Some(threads),
            _scratch: scratch,
        };
        Ok(Self {
            shared: Arc::new(shared),
            within: None,
        })
    }

    /// The same door for a caller that waits for so long at most. What is not done by then is
    /// [`Error::Unavailable`]; a write may still be done afterwards.
    #[must_use]
    pub fn within(&self, patience: Duration) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            within: Some(patience),
        }
    }

    /// Where time and ids come from.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// The name of this node: an id made when the store was opened, which no other one has.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.shared.node
    }

    /// Where the database is.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.shared.address
    }

    /// Says that something changed, to every listener on this database. Returns at once and never
    /// fails; a signal may be lost. Call it after [`Store::write`] has answered.
    pub fn tell(&self, signal: Signal<'_>) {
        self.shared.listeners.tell(signal.into());
    }

    /// Hears what is told from now on, by this node too.
    #[must_use]
    pub fn listen(&self) -> Signals {
        self.shared.listeners.listen()
    }

    /// Bytes that the database takes on disk; of SQLite its log included.
    ///
    /// # Errors
    /// When the file cannot be looked at, or the server does not say.
    pub async fn disk_bytes(&self) -> Result<u64, Error> {
        match &self.shared.address {
            Address::Sqlite(path) => file_bytes(path).map_err(unavailable),
            Address::Postgres(_) => self.read(postgres::disk_bytes).await,
        }
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
        let threads = self.shared.threads.as_ref().ok_or(Error::Closed)?;
        let job: Box<dyn Job> = job;
        // Callers are nested deeply; what they hold stays small.
        let answered = Box::pin(async {
            threads.reads.send(job).await.map_err(|_| Error::Closed)?;
            answer.await.map_err(|_| Error::Closed)
        });
        self.in_time(answered).await?
    }

    /// Runs a closure in a transaction, in which it has the whole database to itself. When this returns
    /// `Ok`, what the closure wrote is on disk; when it returns an error, nothing of it is (see
    /// [`Error::Unavailable`] for the one exception).
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
        self.write_claiming(Claim::WHOLE, work).await
    }

    /// Like [`Store::write`], for what is written often: on PostgreSQL the closure runs beside others,
    /// except those that claim the same or everything. [`Claim`] says what it has to keep to.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_claiming<F, T, E>(&self, claim: Claim, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Conn) -> Result<T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = Call::new(work);
        let answered = Box::pin(async {
            self.hand_in(Order::Write(Write { claim, job })).await?;
            answer.await.map_err(|_| Error::Closed)
        });
        self.in_time(answered).await?
    }

    /// Leaves nothing of what was deleted or replaced before, as far as the engine can do that.
    ///
    /// SQLite: rewrites the file without its unused space, and empties its log. Writes wait meanwhile,
    /// about a second for 100 MB, and the folder needs room for a second copy. A copy that
    /// [`backup::before_migration`](crate::backup::before_migration) names is removed.
    ///
    /// PostgreSQL: has the server take deleted rows out of its tables (`VACUUM`), while it goes on
    /// serving. What the server keeps elsewhere stays until its operator's rules remove it: its log
    /// (WAL) and archives of it, standbys, and pages that no row has overwritten yet.
    ///
    /// # Errors
    /// [`Error::Busy`] when another program reads or writes all the while; [`Error::Full`] when there
    /// is no room; whatever else the database refuses. Nothing is lost then, and it can be tried again.
    pub async fn scrub(&self) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        self.hand_in(Order::Scrub(reply)).await?;
        answer.await.map_err(|_| Error::Closed)?
    }

    async fn in_time<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let Some(patience) = self.within else {
            return work.await;
        };
        let done = tokio::time::timeout(patience, work).await;
        done.unwrap_or_else(|_| Err(Error::late(patience)))
    }

    async fn hand_in(&self, order: Order) -> Result<(), Error> {
        let threads = self.shared.threads.as_ref().ok_or(Error::Closed)?;
        threads.writes.hand_in(order).await
    }
}

fn file_bytes(path: &Path) -> std::io::Result<u64> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // The log is not there while nobody has written.
    let log = std::fs::metadata(log).map_or(0, |it| it.len());
    Ok(std::fs::metadata(path)?.len() + log)
}

/// Starts a storage thread.
pub(crate) fn spawn(
    name: String,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, Error> {
    let thread = thread::Builder::new().name(name);
    thread.spawn(work).map_err(unavailable)
}

fn unavailable(error: std::io::Error) -> Error {
    Error::Unavailable {
        path: None,
        source: Arc::new(error),
    }
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
        writes.close();
        drop(reads);
        self.listeners.close();
        for handle in handles {
            // A closure that owned the last clone drops it on a storage thread, which cannot wait
            // for itself.
            if handle.thread().id() != thread::current().id() && handle.join().is_err() {
                tracing::error!("a storage thread panicked");
            }
        }
    }
}
