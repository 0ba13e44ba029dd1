//! Tasks that are not kept any more.

use a2a::model::{TaskState, Timestamp};
use a2a_server::task::Owner;
use store::{Conn, Value};

use super::{Failure, TaskTable};

/// How many tasks one transaction forgets, so that writers between get their turn.
const AT_ONCE: i64 = 200;

/// Forgets what is old. Returns how many.
pub(super) async fn forget(
    table: &TaskTable,
    before: Timestamp,
    interrupted: bool,
) -> Result<usize, Failure> {
    let mut forgotten = 0;
    loop {
        let (dealer, before) = (table.dealer.to_string(), before.get());
        let step = table.write(move |conn| forget_some(conn, &dealer, before, interrupted));
        match step.await? {
            0 => return Ok(forgotten),
            count => forgotten += count,
        }
    }
}

fn forget_some(
    conn: &mut dyn Conn,
    dealer: &str,
    before: jiff::Timestamp,
    interrupted: bool,
) -> Result<usize, Failure> {
    let mut forgotten = 0;
    for state in settled(interrupted) {
        let old: Vec<String> = conn.all(
            "SELECT task_id FROM task
             WHERE dealer = $1 AND state = $2 AND status_at < $3
             ORDER BY status_at LIMIT $4",
            &[
                dealer.into(),
                state.as_str().into(),
                before.into(),
                AT_ONCE.into(),
            ],
            |row| Ok(row.text(0)?.to_owned()),
        )?;
        remove(conn, dealer, &old)?;
        forgotten += old.len();
    }
    Ok(forgotten)
}

/// Forgets some of an owner's surplus. Returns how many.
pub(super) async fn trim(table: &TaskTable, owner: &Owner, most: usize) -> Result<usize, Failure> {
    let (dealer, owner) = (table.dealer.to_string(), owner.clone());
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let trimmed = table.write(move |conn| {
        let mut args = vec![
            Value::from(&dealer),
            (&owner.tenant).into(),
            (&owner.caller).into(),
        ];
        let count = conn.first(
            "SELECT COUNT(*) FROM task WHERE dealer = $1 AND tenant = $2 AND caller = $3",
            &args,
            |row| row.int(0),
        )?;
        let surplus = count.unwrap_or_default().saturating_sub(most);
        if surplus <= 0 {
            return Ok::<_, Failure>(0);
        }
        args.push(surplus.min(AT_ONCE).into());
        args.extend(settled(true).map(|state| Value::from(state.as_str())));
        let old: Vec<String> = conn.all(
            "SELECT task_id FROM task
             WHERE dealer = $1 AND tenant = $2 AND caller = $3
               AND state IN ($5, $6, $7, $8, $9, $10)
             ORDER BY status_at, task_id DESC LIMIT $4",
            &args,
            |row| Ok(row.text(0)?.to_owned()),
        )?;
        remove(conn, &dealer, &old)?;
        Ok(old.len())
    });
    trimmed.await
}

/// The states in which nobody works on a task; those in which it has ended come first.
fn settled(interrupted: bool) -> impl Iterator<Item = TaskState> {
    let states = [
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Canceled,
        TaskState::Rejected,
        TaskState::InputRequired,
        TaskState::AuthRequired,
    ];
    states.into_iter().take(if interrupted { 6 } else { 4 })
}

fn remove(conn: &mut dyn Conn, dealer: &str, task_ids: &[String]) -> Result<(), Failure> {
    for task_id in task_ids {
        for statement in [
            "DELETE FROM task_event WHERE dealer = $1 AND task_id = $2",
            "DELETE FROM task_webhook WHERE dealer = $1 AND task_id = $2",
            "DELETE FROM task_dead_letter WHERE dealer = $1 AND task_id = $2",
            "DELETE FROM task WHERE dealer = $1 AND task_id = $2",
        ] {
            conn.execute(statement, &[dealer.into(), task_id.into()])?;
        }
    }
    Ok(())
}
