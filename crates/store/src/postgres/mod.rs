//! PostgreSQL behind the door: a few threads write, as many read, each over a connection of its own.
//!
//! # Why several writers stay right
//!
//! Closures are written for an engine with one writer. `SERIALIZABLE` would keep up that picture by
//! itself, but it finds conflicts by pages of indexes: of two groups of closures that are committed
//! at the same time nearly every one reads a page that the other writes, so that one of them is
//! undone and run again, closure by closure, most of the time. So writers keep out of each other's
//! way before they begin. A transaction takes advisory locks for the [`Claim`](crate::Claim)s of its
//! closures, which end with it: one lock stands for the whole database and one for each part.
//! `READ COMMITTED` then shows each statement everything that was committed before, and nothing of it
//! changes while the claim is held, except by statements that decide for themselves. Locks are taken in
//! one order, so that claims cannot deadlock. Where rows do, or where a claim cannot be had for long, the
//! closures of a group are run again one by one.
//!
//! Reads are `REPEATABLE READ` and read-only: one state, which holds up nobody.
//!
//! # Behind a pooler
//!
//! Nothing depends on the session: statements go as one unnamed text with the types of their
//! arguments, settings hold for a transaction, and locks end with it. Only `LISTEN` needs a session,
//! which [`Options::listen`](crate::Options::listen) can give another way to.
//!
//! # When the server goes away
//!
//! A connection that is lost is opened anew by whoever needs it next. A commit whose answer did not
//! come is an error, whatever became of it; nothing is ever run again after its commit was sent.

mod catalog;
mod dialect;
mod error;
mod link;
mod row;
mod scratch;
mod session;
mod signals;
mod target;
mod url;

use std::sync::{Arc, Mutex};

use tokio::{runtime::Runtime, sync::mpsc};

pub(crate) use self::scratch::Database;
pub use self::url::PostgresUrl;
use self::{
    session::{Access, Connection},
    target::Target,
};
use crate::{
    Conn, Error, Options, migrate,
    queue::Queue,
    session::Session as _,
    signal::Listeners,
    store::{self, QUEUE, Threads},
    worker,
};

/// The oldest version that is used: 14, as the server counts.
const OLDEST: i64 = 140_000;

/// Brings the schema up to date and starts the threads. The connections are opened on them, as they are
/// needed.
pub(crate) fn start(
    url: &PostgresUrl,
    options: &Options,
    node: &str,
) -> Result<(Threads, Listeners), Error> {
    let target = Arc::new(Target::new(url, options)?);
    let access = match options.read_only {
        true => Access::Read,
        false => Access::Write,
    };
    let writes = Arc::new(Queue::new(options.connections));
    let mut handles = vec![first_writer(&target, access, options, &writes)?];
    for number in 2..=options.connections {
        let mut writer = Connection::new(Arc::clone(&target), access)?;
        let queue = Arc::clone(&writes);
        handles.push(store::spawn(format!("store-write-{number}"), move || {
            worker::write(&mut writer, &queue);
        })?);
    }
    let (reads, queue) = mpsc::channel(QUEUE);
    let queue = Arc::new(Mutex::new(queue));
    for number in 1..=options.connections {
        let mut reader = Connection::new(Arc::clone(&target), Access::Read)?;
        let queue = Arc::clone(&queue);
        handles.push(store::spawn(format!("store-read-{number}"), move || {
            worker::read(&mut reader, &queue);
        })?);
    }
    let listening = match &options.listen {
        Some(url) => Arc::new(Target::new(url, options)?),
        None => Arc::clone(&target),
    };
    let listeners = Listeners::beyond_this_node();
    handles.push(signals::start(&listeners, target, listening, node)?);
    let threads = Threads {
        writes,
        reads,
        handles,
    };
    Ok((threads, listeners))
}

/// What runs the driver on a thread of its own.
fn runtime() -> Result<Runtime, Error> {
    let made = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    made.map_err(|error| Error::Unavailable {
        path: None,
        source: Arc::new(error),
    })
}

/// Starts the thread that looks at the database first, and waits until it has.
fn first_writer(
    target: &Arc<Target>,
    access: Access,
    options: &Options,
    writes: &Arc<Queue>,
) -> Result<std::thread::JoinHandle<()>, Error> {
    let mut writer = Connection::new(Arc::clone(target), access)?;
    let options = options.clone();
    let queue = Arc::clone(writes);
    let (told, ready) = std::sync::mpsc::channel();
    let handle = store::spawn("store-write-1".to_owned(), move || {
        let prepared = prepare(&mut writer, &options, access);
        let is_ready = prepared.is_ok();
        if told.send(prepared).is_ok() && is_ready {
            worker::write(&mut writer, &queue);
        }
    })?;
    ready.recv().unwrap_or(Err(Error::Panicked))?;
    Ok(handle)
}

fn prepare(session: &mut Connection, options: &Options, access: Access) -> Result<(), Error> {
    session.connect()?;
    let found = session.conn().first(
        "SELECT CAST(current_setting('server_version_num') AS BIGINT),
                current_setting('server_encoding')",
        &[],
        |row| Ok((row.int(0)?, row.text(1)?.to_owned())),
    )?;
    let (version, encoding) = found.unwrap_or_default();
    if version < OLDEST {
        let reason = format!(
            "the server is PostgreSQL {}, 14 or later is needed",
            version / 10_000
        );
        return Err(Error::Unsuitable { reason });
    }
    if encoding != "UTF8" {
        let reason = format!("its encoding is {encoding}, UTF8 is needed");
        return Err(Error::Unsuitable { reason });
    }
    if access == Access::Read {
        return migrate::expect(session, options);
    }
    // The operator of the server makes copies by means of its own.
    let keep_a_copy = || Ok(());
    migrate::migrate(session, options, keep_a_copy)
}

/// Opens a database: with the schema that is expected to read it, or to bring it up to date.
pub(crate) fn open(
    url: &PostgresUrl,
    options: &Options,
    to_read: bool,
) -> Result<Box<dyn crate::session::Session>, Error> {
    let access = if to_read { Access::Read } else { Access::Write };
    let mut session = Connection::new(Arc::new(Target::new(url, options)?), access)?;
    prepare(&mut session, options, access)?;
    Ok(Box::new(session))
}

pub(crate) fn disk_bytes(conn: &mut dyn Conn) -> Result<u64, Error> {
    let bytes = conn.first("SELECT pg_database_size(current_database())", &[], |row| {
        row.int(0)
    })?;
    Ok(u64::try_from(bytes.unwrap_or_default()).unwrap_or_default())
}
