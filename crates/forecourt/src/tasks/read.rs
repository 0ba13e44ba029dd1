//! How a task is read: its copy, and what happened since.

use std::sync::Arc;

use a2a::fold::Fold;
use a2a::model::{Message, StreamResponse, Task, Timestamp};
use a2a_server::task::{Change, Entry, Owner, Remembered, StoredTask, TaskKey};
use store::{Conn, Row};

use super::log::{MESSAGE, fold};
use super::{Failure, Place, TaskTable, column, number};

/// A task as its rows have it. It is put together by [`Parts::task`], which is not a storage thread's work.
#[derive(Debug)]
pub(super) struct Parts {
    snapshot: String,
    artifacts: String,
    pub(super) last: i64,
    copied: i64,
    since: Vec<EventParts>,
}

#[derive(Debug)]
struct EventParts {
    number: i64,
    at: jiff::Timestamp,
    is_message: bool,
    body: String,
}

/// A task as its log comes to.
pub(super) async fn task(table: &TaskTable, key: &TaskKey) -> Result<Option<StoredTask>, Failure> {
    let place = table.place(key);
    let parts = table.store.read(move |conn| {
        let Some(mut parts) = stored(conn, &place)? else {
            return Ok::<_, Failure>(None);
        };
        parts.read_since(conn, &place.dealer, &place.task_id, true)?;
        Ok(Some(parts))
    });
    let parts = parts.await?;
    parts.map(Parts::task).transpose()
}

/// Entries of a log.
pub(super) async fn entries(
    table: &TaskTable,
    key: &TaskKey,
    after: u64,
    limit: usize,
) -> Result<Vec<Arc<Entry>>, Failure> {
    let place = table.place(key);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let read = table.store.read(move |conn| {
        if stored(conn, &place)?.is_none() {
            return Err(Failure::Gone);
        }
        let found = conn.all(
            "SELECT number, at, kind, body FROM task_event
             WHERE dealer = $1 AND task_id = $2 AND number > $3
             ORDER BY number LIMIT $4",
            &[
                (&place.dealer).into(),
                (&place.task_id).into(),
                column(after).into(),
                limit.into(),
            ],
            EventParts::read,
        )?;
        Ok(found)
    });
    let entries = read.await?.into_iter().map(EventParts::entry);
    entries.map(|entry| entry.map(Arc::new)).collect()
}

/// Which task a message began.
pub(super) async fn remembered(
    table: &TaskTable,
    owner: &Owner,
    message_id: &str,
) -> Result<Option<Remembered>, Failure> {
    let (dealer, owner) = (table.dealer.to_string(), owner.clone());
    let message_id = message_id.to_owned();
    let found = table
        .store
        .read(move |conn| remembered_by(conn, &dealer, &owner, &message_id));
    found.await
}

pub(super) fn remembered_by(
    conn: &mut dyn Conn,
    dealer: &str,
    owner: &Owner,
    message_id: &str,
) -> Result<Option<Remembered>, Failure> {
    let found = conn.first(
        "SELECT task_id, digest FROM task
         WHERE dealer = $1 AND tenant = $2 AND caller = $3 AND message_id = $4",
        &[
            dealer.into(),
            (&owner.tenant).into(),
            (&owner.caller).into(),
            message_id.into(),
        ],
        |row| Ok((row.text(0)?.to_owned(), row.bytes(1)?.to_vec())),
    )?;
    let Some((task_id, digest)) = found else {
        return Ok(None);
    };
    let digest = digest
        .try_into()
        .map_err(|_| Failure::Unreadable("a digest", None))?;
    Ok(Some(Remembered {
        message_id: message_id.to_owned(),
        digest,
        task_id,
    }))
}

/// The row of a task, without what happened since its copy; `None` when the owner has no such task.
pub(super) fn stored(conn: &mut dyn Conn, place: &Place) -> Result<Option<Parts>, Failure> {
    let found = conn.first(
        "SELECT snapshot, artifacts, last_number, snapshot_number FROM task
         WHERE dealer = $1 AND task_id = $2 AND tenant = $3 AND caller = $4",
        &[
            (&place.dealer).into(),
            (&place.task_id).into(),
            (&place.owner.tenant).into(),
            (&place.owner.caller).into(),
        ],
        Parts::read,
    )?;
    Ok(found)
}

impl Parts {
    /// Columns: copy, artifacts, last entry, entry of the copy.
    pub(super) fn read(row: &dyn Row) -> Result<Self, store::Error> {
        Ok(Self {
            snapshot: row.text(0)?.to_owned(),
            artifacts: row.text(1)?.to_owned(),
            last: row.int(2)?,
            copied: row.int(3)?,
            since: Vec::new(),
        })
    }

    /// Reads what happened since the copy, with or without the chunks of artifacts.
    pub(super) fn read_since(
        &mut self,
        conn: &mut dyn Conn,
        dealer: &str,
        task_id: &str,
        artifacts: bool,
    ) -> Result<(), Failure> {
        if self.last == self.copied {
            return Ok(());
        }
        let args = [
            dealer.into(),
            task_id.into(),
            self.copied.into(),
            artifacts.into(),
        ];
        self.since = conn.all(
            "SELECT number, at, kind, body FROM task_event
             WHERE dealer = $1 AND task_id = $2 AND number > $3
               AND ($4 = 1 OR kind <> 'artifact')
             ORDER BY number",
            &args,
            EventParts::read,
        )?;
        Ok(())
    }

    /// Puts the task together.
    pub(super) fn task(self) -> Result<StoredTask, Failure> {
        let mut task: Task = parse("a task", &self.snapshot)?;
        task.artifacts = parse("an artifact", &self.artifacts)?;
        let mut folded = Fold::new(task);
        for event in self.since {
            fold(&mut folded, event.entry()?.change);
        }
        Ok(StoredTask {
            task: folded.into_task(),
            number: number(self.last),
        })
    }
}

impl EventParts {
    fn read(row: &dyn Row) -> Result<Self, store::Error> {
        Ok(Self {
            number: row.int(0)?,
            at: row.time(1)?,
            is_message: row.text(2)? == MESSAGE,
            body: row.text(3)?.to_owned(),
        })
    }

    fn entry(self) -> Result<Entry, Failure> {
        let change = if self.is_message {
            Change::Message(parse::<Message>("a message", &self.body)?)
        } else {
            Change::Event(parse::<StreamResponse>("an event", &self.body)?)
        };
        Ok(Entry {
            number: number(self.number),
            at: time(self.at)?,
            change,
        })
    }
}

/// A time of the wire.
pub(super) fn time(at: jiff::Timestamp) -> Result<Timestamp, Failure> {
    Timestamp::try_from(at).map_err(|_| Failure::Unreadable("a time", None))
}

fn parse<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::Unreadable(what, Some(error)))
}
