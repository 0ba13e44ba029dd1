//! Lists of tasks.

use a2a::model::{Task, Timestamp};
use a2a_server::task::{ListPage, ListQuery, Position};
use store::{Conn, Value};

use super::read::{Parts, time};
use super::{Failure, TaskTable};

/// One page: the latest status first, then by id.
pub(super) async fn list(table: &TaskTable, query: &ListQuery) -> Result<ListPage, Failure> {
    let (dealer, wanted) = (table.dealer.to_string(), query.clone());
    let read = table.store.read(move |conn| page(conn, &dealer, &wanted));
    let (total, mut rows) = read.await?;
    let has_more = rows.len() > query.limit;
    rows.truncate(query.limit);
    let next = match rows.last().filter(|_| has_more) {
        None => None,
        Some(last) => Some(Position {
            at: time(last.status_at)?,
            id: last.task_id.clone(),
        }),
    };
    let tasks = rows
        .into_iter()
        .map(|row| shown(row.parts, query.artifacts));
    Ok(ListPage {
        tasks: tasks.collect::<Result<_, _>>()?,
        total,
        next,
    })
}

struct Listed {
    task_id: String,
    status_at: jiff::Timestamp,
    parts: Parts,
}

fn page(
    conn: &mut dyn Conn,
    dealer: &str,
    query: &ListQuery,
) -> Result<(usize, Vec<Listed>), Failure> {
    // Empty and the smallest number stand for "any", as an absent value would have no type.
    let context = query.context_id.as_deref().unwrap_or_default();
    let state = query.state.map_or("", |state| state.as_str());
    let since = query.since.map_or(i64::MIN, whole_milliseconds);
    let mut args = vec![
        Value::from(dealer),
        (&query.owner.tenant).into(),
        (&query.owner.caller).into(),
        context.into(),
        state.into(),
        since.into(),
    ];
    let total = conn.first(
        "SELECT COUNT(*) FROM task
         WHERE dealer = $1 AND tenant = $2 AND caller = $3
           AND ($4 = '' OR context_id = $4) AND ($5 = '' OR state = $5) AND status_at >= $6",
        &args,
        |row| row.int(0),
    )?;
    let after = query.after.as_ref();
    let at = after.map_or(i64::MAX, |after| after.at.get().as_millisecond());
    let id = after.map_or("", |after| after.id.as_str());
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX - 1) + 1;
    args.extend([Value::from(at), id.into(), limit.into()]);
    let mut rows = conn.all(
        "SELECT snapshot, artifacts, last_number, snapshot_number, task_id, status_at FROM task
         WHERE dealer = $1 AND tenant = $2 AND caller = $3
           AND ($4 = '' OR context_id = $4) AND ($5 = '' OR state = $5) AND status_at >= $6
           AND status_at <= $7 AND (status_at < $7 OR task_id > $8)
         ORDER BY status_at DESC, task_id LIMIT $9",
        &args,
        |row| {
            Ok(Listed {
                parts: Parts::read(row)?,
                task_id: row.text(4)?.to_owned(),
                status_at: row.time(5)?,
            })
        },
    )?;
    for row in rows.iter_mut().take(query.limit) {
        let parts = &mut row.parts;
        parts.read_since(conn, dealer, &row.task_id, query.artifacts)?;
    }
    let total = usize::try_from(total.unwrap_or_default()).unwrap_or_default();
    Ok((total, rows))
}

fn shown(parts: Parts, artifacts: bool) -> Result<Task, Failure> {
    let mut task = parts.task()?.task;
    if !artifacts {
        task.artifacts.clear();
    }
    Ok(task)
}

/// The first whole millisecond that is not before a time.
fn whole_milliseconds(time: Timestamp) -> i64 {
    let nanoseconds = time.get().as_nanosecond();
    i64::try_from(nanoseconds.div_euclid(1_000_000)).map_or(i64::MAX, |whole| {
        whole + i64::from(nanoseconds.rem_euclid(1_000_000) > 0)
    })
}
