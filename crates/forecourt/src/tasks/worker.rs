//! Which node works on a task.

use a2a_server::task::{Owner, TaskKey};
use store::{Row, Store, Value};

use super::{Failure, TaskTable};
use crate::nodes;

/// Notes that this node works on a task; false while another living one does.
pub(super) async fn take(table: &TaskTable, key: &TaskKey) -> Result<bool, Failure> {
    let (place, me) = (table.place(key), table.store.node().to_owned());
    let now = table.store.clock().now();
    let taken = table.write(move |conn| {
        let args = [(&place.dealer).into(), (&place.task_id).into()];
        let worker = conn.first(
            "SELECT worker FROM task WHERE dealer = $1 AND task_id = $2",
            &args,
            |row| row.text(0).map(str::to_owned),
        )?;
        let worker = worker.ok_or(Failure::Gone)?;
        if worker == me {
            return Ok(true);
        }
        if !worker.is_empty() && nodes::living(conn, now)?.contains(&worker) {
            return Ok(false);
        }
        // Of two that take over at the same time, one does.
        let updated = conn.execute(
            "UPDATE task SET worker = $3 WHERE dealer = $1 AND task_id = $2 AND worker = $4",
            &[args[0], args[1], (&me).into(), (&worker).into()],
        )?;
        Ok::<_, Failure>(updated == 1)
    });
    taken.await
}

/// Notes that this node works on a task no more.
pub(super) async fn leave(table: &TaskTable, key: &TaskKey) -> Result<(), Failure> {
    let (place, me) = (table.place(key), table.store.node().to_owned());
    let left = table.write(move |conn| {
        conn.execute(
            "UPDATE task SET worker = '' WHERE dealer = $1 AND task_id = $2 AND worker = $3",
            &[
                (&place.dealer).into(),
                (&place.task_id).into(),
                (&me).into(),
            ],
        )?;
        Ok::<_, Failure>(())
    });
    left.await
}

/// The tasks of a dealer that are neither ended nor waiting for their client, and whose node is gone.
pub(super) async fn unfinished(table: &TaskTable) -> Result<Vec<TaskKey>, Failure> {
    let sql = "SELECT tenant, caller, task_id, worker FROM task
         WHERE dealer = $1
           AND state IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')";
    abandoned(&table.store, sql, Some(table.dealer.to_string())).await
}

/// The same of all dealers.
pub(super) async fn unfinished_of_all(store: &Store) -> Result<Vec<TaskKey>, Failure> {
    let sql = "SELECT tenant, caller, task_id, worker FROM task
         WHERE state IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')";
    abandoned(store, sql, None).await
}

/// A task that somebody works on, or did.
struct UnderWay {
    key: TaskKey,
    worker: String,
}

impl UnderWay {
    fn read(row: &dyn Row) -> Result<Self, store::Error> {
        let owner = Owner::new(Some(row.text(0)?), Some(row.text(1)?));
        Ok(Self {
            key: TaskKey::new(owner, row.text(2)?),
            worker: row.text(3)?.to_owned(),
        })
    }
}

/// Of the tasks that a statement finds, of one dealer or all, those whose node is gone.
async fn abandoned(
    store: &Store,
    sql: &'static str,
    dealer: Option<String>,
) -> Result<Vec<TaskKey>, Failure> {
    let (me, now) = (store.node().to_owned(), store.clock().now());
    let read = store.read(move |conn| {
        let dealer: Vec<Value<'_>> = dealer.iter().map(Into::into).collect();
        let under_way = conn.all(sql, &dealer, UnderWay::read)?;
        if under_way.is_empty() {
            return Ok(Vec::new());
        }
        let living = nodes::living(conn, now)?;
        let gone = |it: &UnderWay| it.worker != me && !living.contains(&it.worker);
        let gone = under_way.into_iter().filter(gone);
        Ok(gone.map(|it| it.key).collect())
    });
    read.await
}
