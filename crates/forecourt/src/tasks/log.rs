//! What is written of a task.

use std::sync::Arc;

use a2a::fold::Fold;
use a2a::model::{StreamResponse, Task};
use a2a_server::task::{Change, Entry, Remembered, TaskKey};
use store::{Conn, Value};

use super::read::{remembered_by, stored};
use super::{Failure, Place, TaskTable, column, number, signals};

/// A log is folded into the task's copy when it has doubled since, and is at least so long.
const SHORTEST_LOG: u64 = 64;

/// Keeps a new task, unless its message began one before, which is named then.
pub(super) async fn create(
    table: &TaskTable,
    key: &TaskKey,
    first: &Entry,
    message: Remembered,
) -> Result<Option<Remembered>, Failure> {
    let Change::Event(StreamResponse::Task(task)) = &first.change else {
        return Err(Failure::NoTask);
    };
    let place = table.place(key);
    let copy = Copy::of(task)?;
    let context = task.context_id.clone().unwrap_or_default();
    let row = EventRow::of(first)?;
    let worker = table.store.node().to_owned();
    let created = table.write(move |conn| {
        let args = [
            Value::from(&place.dealer),
            (&place.task_id).into(),
            (&place.owner.tenant).into(),
            (&place.owner.caller).into(),
            (&context).into(),
            row.state.unwrap_or_default().into(),
            row.at.into(),
            (&message.message_id).into(),
            message.digest.as_slice().into(),
            (&copy.snapshot).into(),
            (&copy.artifacts).into(),
            (&worker).into(),
        ];
        let inserted = conn.execute(
            "INSERT INTO task (dealer, task_id, tenant, caller, context_id, state, status_at,
                 message_id, digest, last_number, snapshot_number, snapshot, artifacts, worker)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, 1, $10, $11, $12)
             ON CONFLICT (dealer, tenant, caller, message_id) DO NOTHING",
            &args,
        )?;
        if inserted == 0 {
            let (dealer, owner) = (&place.dealer, &place.owner);
            return remembered_by(conn, dealer, owner, &message.message_id);
        }
        row.insert(conn, &place)?;
        Ok::<_, Failure>(None)
    });
    created.await
}

/// Adds to a log.
pub(super) async fn append(
    table: &TaskTable,
    key: &TaskKey,
    after: u64,
    entries: &[Arc<Entry>],
) -> Result<(), Failure> {
    let rows: Result<Vec<_>, _> = entries.iter().map(|entry| EventRow::of(entry)).collect();
    let (rows, place) = (rows?, table.place(key));
    let last = after + entries.len() as u64;
    let written = place.clone();
    let copied = table.write(move |conn| {
        let copied = advance(conn, &place, after, &rows)?;
        for row in &rows {
            row.insert(conn, &place)?;
        }
        Ok::<_, Failure>(copied)
    });
    let copied = copied.await?;
    signals::tell(&table.store, &written);
    if last - copied.min(last) > copied.max(SHORTEST_LOG) {
        renew_copy(table, key).await?;
    }
    Ok(())
}

/// Moves the end of a log, if it is where the writer believes it to be. Returns the entry of the copy.
fn advance(
    conn: &mut dyn Conn,
    place: &Place,
    after: u64,
    rows: &[EventRow],
) -> Result<u64, Failure> {
    let last = after + rows.len() as u64;
    let ends = [
        Value::from(&place.dealer),
        (&place.task_id).into(),
        (&place.owner.tenant).into(),
        (&place.owner.caller).into(),
        column(after).into(),
        column(last).into(),
    ];
    let status = rows.iter().rev().find_map(|row| Some((row.state?, row.at)));
    // Without a status no index is touched.
    let moved = match status {
        None => conn.first(
            "UPDATE task SET last_number = $6
             WHERE dealer = $1 AND task_id = $2 AND tenant = $3 AND caller = $4
               AND last_number = $5
             RETURNING snapshot_number",
            &ends,
            |row| row.int(0),
        )?,
        Some((state, at)) => {
            let mut args = ends.to_vec();
            args.extend([Value::from(state), at.into()]);
            conn.first(
                "UPDATE task SET last_number = $6, state = $7, status_at = $8
                 WHERE dealer = $1 AND task_id = $2 AND tenant = $3 AND caller = $4
                   AND last_number = $5
                 RETURNING snapshot_number",
                &args,
                |row| row.int(0),
            )?
        }
    };
    match moved {
        Some(copied) => Ok(number(copied)),
        None if stored(conn, place)?.is_some() => Err(Failure::Conflict),
        None => Err(Failure::Gone),
    }
}

/// Renews the copy of the task, so that reading it does not begin far back.
async fn renew_copy(table: &TaskTable, key: &TaskKey) -> Result<(), Failure> {
    let Some(current) = super::read::task(table, key).await? else {
        return Ok(());
    };
    let copy = Copy::of(&current.task)?;
    let (place, at) = (table.place(key), column(current.number));
    let renewed = table.write(move |conn| {
        conn.execute(
            "UPDATE task SET snapshot_number = $3, snapshot = $4, artifacts = $5
             WHERE dealer = $1 AND task_id = $2 AND snapshot_number < $3",
            &[
                (&place.dealer).into(),
                (&place.task_id).into(),
                at.into(),
                (&copy.snapshot).into(),
                (&copy.artifacts).into(),
            ],
        )?;
        Ok::<_, Failure>(())
    });
    renewed.await
}

/// A task as its row holds it.
struct Copy {
    snapshot: String,
    artifacts: String,
}

impl Copy {
    fn of(task: &Task) -> Result<Self, Failure> {
        let text = |written: Result<String, _>| written.map_err(Failure::Unwritable);
        Ok(Self {
            snapshot: text(serde_json::to_string(&task.excerpt(None, false)))?,
            artifacts: text(serde_json::to_string(&task.artifacts))?,
        })
    }
}

/// An entry as its row holds it.
struct EventRow {
    number: i64,
    at: jiff::Timestamp,
    kind: &'static str,
    /// The state that the entry tells.
    state: Option<&'static str>,
    body: String,
}

impl EventRow {
    fn of(entry: &Entry) -> Result<Self, Failure> {
        let (kind, state, body) = match &entry.change {
            Change::Event(event) => {
                let is_artifact = matches!(event, StreamResponse::ArtifactUpdate(_));
                let kind = if is_artifact { ARTIFACT } else { EVENT };
                let state = event.state().map(|state| state.as_str());
                (kind, state, serde_json::to_string(event))
            }
            Change::Message(message) => (MESSAGE, None, serde_json::to_string(message)),
        };
        Ok(Self {
            number: column(entry.number),
            at: entry.at.get(),
            kind,
            state,
            body: body.map_err(Failure::Unwritable)?,
        })
    }

    fn insert(&self, conn: &mut dyn Conn, place: &Place) -> Result<(), Failure> {
        conn.execute(
            "INSERT INTO task_event (dealer, task_id, number, at, kind, body)
             VALUES ($1, $2, $3, $4, $5, $6)",
            &[
                (&place.dealer).into(),
                (&place.task_id).into(),
                self.number.into(),
                self.at.into(),
                self.kind.into(),
                (&self.body).into(),
            ],
        )?;
        Ok(())
    }
}

/// A chunk of an artifact, which lists without artifacts skip.
const ARTIFACT: &str = "artifact";
const EVENT: &str = "event";
pub(super) const MESSAGE: &str = "message";

/// Takes an entry into a task. What does not fit was refused when it was emitted.
pub(super) fn fold(into: &mut Fold, change: Change) {
    let _ = match change {
        Change::Event(event) => into.apply(event),
        Change::Message(message) => into.message(message),
    };
}
