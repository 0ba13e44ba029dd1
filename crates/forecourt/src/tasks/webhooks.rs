//! Who is told what happens to tasks, and how far.

use a2a::model::TaskPushNotificationConfig;
use a2a_server::task::push::{Claim, Claimed, DeadLetter, Progress, PushStore, Webhook};
use a2a_server::task::{Owner, StoreError, TaskKey};
use futures_util::future::BoxFuture;
use store::{Conn, Row, Value};

use super::read::{stored, time};
use super::{Failure, Place, TaskTable, column, number};

impl PushStore for TaskTable {
    fn put<'a>(
        &'a self,
        key: &'a TaskKey,
        webhook: &'a Webhook,
        from: Option<u64>,
        most: usize,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(put(self, key, webhook, from, most).await?) })
    }

    fn webhooks<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<Vec<Webhook>, StoreError>> {
        Box::pin(async move { Ok(webhooks(self, key).await?) })
    }

    fn remove<'a>(
        &'a self,
        key: &'a TaskKey,
        id: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { Ok(remove(self, key, id).await?) })
    }

    fn claim<'a>(
        &'a self,
        claim: &'a Claim,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Claimed>, StoreError>> {
        Box::pin(async move { Ok(claim_due(self, claim, most).await?) })
    }

    fn settle<'a>(
        &'a self,
        claimed: &'a Claimed,
        progress: &'a Progress,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(settle(self, claimed, progress).await?) })
    }

    fn give_back<'a>(&'a self, holder: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { Ok(give_back(self, holder).await?) })
    }

    fn dead_letters(&self, most: usize) -> BoxFuture<'_, Result<Vec<DeadLetter>, StoreError>> {
        Box::pin(async move { Ok(dead_letters(self, most).await?) })
    }

    fn forget_dead_letter<'a>(
        &'a self,
        letter: &'a DeadLetter,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { Ok(forget_dead_letter(self, letter).await?) })
    }
}

async fn put(
    table: &TaskTable,
    key: &TaskKey,
    webhook: &Webhook,
    from: Option<u64>,
    most: usize,
) -> Result<bool, Failure> {
    let place = table.place(key);
    let id = webhook.id().to_owned();
    let config = serde_json::to_string(&webhook.config).map_err(Failure::Unwritable)?;
    let config = table.seal(&key.id, &id, &config)?;
    let version = webhook.version.to_string();
    let kept = table.write(move |conn| {
        let task = stored(conn, &place)?.ok_or(Failure::Gone)?;
        let mut args = vec![
            Value::from(&place.dealer),
            (&place.task_id).into(),
            (&id).into(),
            (&config).into(),
            (&version).into(),
        ];
        let replaced = conn.execute(
            "UPDATE task_webhook SET config = $4, version = $5
             WHERE dealer = $1 AND task_id = $2 AND webhook_id = $3",
            &args,
        )?;
        if replaced == 1 {
            return Ok::<_, Failure>(true);
        }
        let count = conn.first(
            "SELECT COUNT(*) FROM task_webhook WHERE dealer = $1 AND task_id = $2",
            &args[..2],
            |row| row.int(0),
        )?;
        if usize::try_from(count.unwrap_or_default()).is_ok_and(|count| count >= most) {
            return Ok(false);
        }
        let sent = from.map_or(task.last, column);
        let is_open = sent < task.last || !has_ended(conn, &place)?;
        args.extend([Value::from(sent), is_open.into()]);
        conn.execute(
            "INSERT INTO task_webhook (dealer, task_id, webhook_id, config, version, sent, failures,
                 due_at, holder, held_until, is_open)
             VALUES ($1, $2, $3, $4, $5, $6, 0, 0, '', 0, $7)",
            &args,
        )?;
        Ok(true)
    });
    kept.await
}

fn has_ended(conn: &mut dyn Conn, place: &Place) -> Result<bool, Failure> {
    let found = conn.first(
        "SELECT COUNT(*) FROM task WHERE dealer = $1 AND task_id = $2
           AND state IN ('TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED',
             'TASK_STATE_REJECTED')",
        &[(&place.dealer).into(), (&place.task_id).into()],
        |row| row.int(0),
    )?;
    Ok(found == Some(1))
}

async fn webhooks(table: &TaskTable, key: &TaskKey) -> Result<Vec<Webhook>, Failure> {
    let place = table.place(key);
    let read = table.store.read(move |conn| {
        if stored(conn, &place)?.is_none() {
            return Err(Failure::Gone);
        }
        let found = conn.all(
            "SELECT webhook_id, config, version FROM task_webhook
             WHERE dealer = $1 AND task_id = $2 ORDER BY webhook_id",
            &[(&place.dealer).into(), (&place.task_id).into()],
            |row| {
                let text = |column| row.text(column).map(str::to_owned);
                Ok([text(0)?, text(1)?, text(2)?])
            },
        )?;
        Ok(found)
    });
    let found = read.await?.into_iter();
    found
        .map(|[id, config, version]| webhook(&table.unseal(&key.id, &id, &config)?, &version))
        .collect()
}

fn webhook(config: &str, version: &str) -> Result<Webhook, Failure> {
    let config: TaskPushNotificationConfig = serde_json::from_str(config)
        .map_err(|error| Failure::Unreadable("a webhook", Some(error)))?;
    let version = version
        .parse()
        .map_err(|_| Failure::Unreadable("a version", None))?;
    Ok(Webhook { config, version })
}

async fn remove(table: &TaskTable, key: &TaskKey, id: &str) -> Result<(), Failure> {
    let (place, id) = (table.place(key), id.to_owned());
    let removed = table.write(move |conn| {
        stored(conn, &place)?.ok_or(Failure::Gone)?;
        for statement in [
            "DELETE FROM task_webhook WHERE dealer = $1 AND task_id = $2 AND webhook_id = $3",
            "DELETE FROM task_dead_letter WHERE dealer = $1 AND task_id = $2 AND webhook_id = $3",
        ] {
            let args = [
                (&place.dealer).into(),
                (&place.task_id).into(),
                (&id).into(),
            ];
            conn.execute(statement, &args)?;
        }
        Ok::<_, Failure>(())
    });
    removed.await
}

/// A webhook that is due, as its row has it.
struct Due {
    key: TaskKey,
    webhook_id: String,
    config: String,
    version: String,
    sent: i64,
    failures: i64,
}

impl Due {
    fn read(row: &dyn Row) -> Result<Self, store::Error> {
        let owner = Owner::new(Some(row.text(0)?), Some(row.text(1)?));
        Ok(Self {
            key: TaskKey::new(owner, row.text(2)?),
            webhook_id: row.text(3)?.to_owned(),
            config: row.text(4)?.to_owned(),
            version: row.text(5)?.to_owned(),
            sent: row.int(6)?,
            failures: row.int(7)?,
        })
    }

    fn webhook(&self, table: &TaskTable) -> Result<Webhook, Failure> {
        let config = table.unseal(&self.key.id, &self.webhook_id, &self.config)?;
        webhook(&config, &self.version)
    }
}

/// The dealers of whose webhooks some may be due.
pub(super) fn dealers_with_due(
    conn: &mut dyn Conn,
    now: jiff::Timestamp,
) -> Result<Vec<String>, store::Error> {
    conn.all(
        "SELECT DISTINCT dealer FROM task_webhook
         WHERE is_open = 1 AND due_at <= $1 AND held_until <= $1",
        &[now.into()],
        |row| row.text(0).map(str::to_owned),
    )
}

/// The dealers of whose webhooks a process has some.
pub(super) fn dealers_of(conn: &mut dyn Conn, holder: &str) -> Result<Vec<String>, store::Error> {
    conn.all(
        "SELECT DISTINCT dealer FROM task_webhook
         WHERE is_open = 1 AND holder = $1 AND held_until > 0",
        &[holder.into()],
        |row| row.text(0).map(str::to_owned),
    )
}

async fn claim_due(table: &TaskTable, claim: &Claim, most: usize) -> Result<Vec<Claimed>, Failure> {
    let (dealer, now) = (table.dealer.to_string(), claim.now.get());
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let read = table.store.read(move |conn| {
        let due = conn.all(
            "SELECT task.tenant, task.caller, task.task_id, webhook_id, config, version, sent,
                 failures
             FROM task_webhook
             JOIN task ON task.dealer = task_webhook.dealer AND task.task_id = task_webhook.task_id
             WHERE task_webhook.dealer = $1 AND is_open = 1 AND due_at <= $2 AND held_until <= $2
               AND last_number > sent
             ORDER BY due_at LIMIT $3",
            &[(&dealer).into(), now.into(), most.into()],
            Due::read,
        )?;
        Ok::<_, Failure>(due)
    });
    let due = read.await?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let due = std::sync::Arc::new(due);
    let (found, terms) = (std::sync::Arc::clone(&due), claim.clone());
    let dealer = table.dealer.to_string();
    // Another process may have claimed some meanwhile, and sent them on.
    let taken = table.write(move |conn| {
        let mut taken = Vec::new();
        for due in found.iter() {
            let updated = conn.execute(
                "UPDATE task_webhook SET holder = $4, held_until = $5
                 WHERE dealer = $1 AND task_id = $2 AND webhook_id = $3 AND held_until <= $6
                   AND sent = $7 AND is_open = 1",
                &[
                    (&dealer).into(),
                    (&due.key.id).into(),
                    (&due.webhook_id).into(),
                    (&terms.holder).into(),
                    terms.until.get().into(),
                    terms.now.get().into(),
                    due.sent.into(),
                ],
            )?;
            taken.push(updated == 1);
        }
        Ok::<_, Failure>(taken)
    });
    let taken = taken.await?;
    let taken = due.iter().zip(taken).filter(|(_, taken)| *taken);
    let claimed = taken.filter_map(|(due, _)| match due.webhook(table) {
        Ok(webhook) => Some(Claimed {
            key: due.key.clone(),
            webhook,
            sent: number(due.sent),
            failures: u32::try_from(due.failures).unwrap_or(u32::MAX),
            holder: claim.holder.clone(),
        }),
        // It stays claimed for a while, and the others are told meanwhile.
        Err(error) => {
            let (task, webhook) = (&due.key.id, &due.webhook_id);
            tracing::error!(task, webhook, %error, "a webhook cannot be read");
            None
        }
    });
    Ok(claimed.collect())
}

async fn settle(
    table: &TaskTable,
    claimed: &Claimed,
    progress: &Progress,
) -> Result<bool, Failure> {
    let place = table.place(&claimed.key);
    let id = claimed.webhook.id().to_owned();
    let (holder, progress) = (claimed.holder.clone(), progress.clone());
    let settled = table.write(move |conn| {
        let updated = conn.execute(
            "UPDATE task_webhook SET sent = $5, failures = $6, due_at = $7, held_until = $8,
                 is_open = $9
             WHERE dealer = $1 AND task_id = $2 AND webhook_id = $3 AND holder = $4",
            &[
                (&place.dealer).into(),
                (&place.task_id).into(),
                (&id).into(),
                (&holder).into(),
                column(progress.sent).into(),
                i64::from(progress.failures).into(),
                progress.due.get().into(),
                progress
                    .held_until
                    .map_or(0, |until| until.get().as_millisecond())
                    .into(),
                (!progress.done).into(),
            ],
        )?;
        if updated == 0 {
            return Ok::<_, Failure>(false);
        }
        if let Some(letter) = &progress.dead {
            bury(conn, &place, letter)?;
        }
        Ok(true)
    });
    settled.await
}

fn bury(conn: &mut dyn Conn, place: &Place, letter: &DeadLetter) -> Result<(), Failure> {
    conn.execute(
        "INSERT INTO task_dead_letter (dealer, task_id, webhook_id, number, at, reason)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (dealer, task_id, webhook_id, number) DO NOTHING",
        &[
            (&place.dealer).into(),
            (&place.task_id).into(),
            (&letter.webhook_id).into(),
            column(letter.number).into(),
            letter.at.get().into(),
            (&letter.reason).into(),
        ],
    )?;
    Ok(())
}

async fn give_back(table: &TaskTable, holder: &str) -> Result<(), Failure> {
    let (dealer, holder) = (table.dealer.to_string(), holder.to_owned());
    let given = table.write(move |conn| {
        conn.execute(
            "UPDATE task_webhook SET held_until = 0
             WHERE dealer = $1 AND is_open = 1 AND holder = $2 AND held_until > 0",
            &[(&dealer).into(), (&holder).into()],
        )?;
        Ok::<_, Failure>(())
    });
    given.await
}

async fn dead_letters(table: &TaskTable, most: usize) -> Result<Vec<DeadLetter>, Failure> {
    let dealer = table.dealer.to_string();
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let read = table.store.read(move |conn| {
        let found = conn.all(
            "SELECT tenant, caller, task.task_id, webhook_id, number, at, reason
             FROM task_dead_letter
             JOIN task ON task.dealer = task_dead_letter.dealer
                 AND task.task_id = task_dead_letter.task_id
             WHERE task_dead_letter.dealer = $1
             ORDER BY at, number LIMIT $2",
            &[(&dealer).into(), most.into()],
            |row| {
                let owner = Owner::new(Some(row.text(0)?), Some(row.text(1)?));
                let key = TaskKey::new(owner, row.text(2)?);
                let rest = (row.text(3)?.to_owned(), number(row.int(4)?), row.time(5)?);
                Ok((key, rest, row.text(6)?.to_owned()))
            },
        )?;
        Ok::<_, Failure>(found)
    });
    let found = read.await?.into_iter();
    let letters = found.map(|(key, (webhook_id, number, at), reason)| {
        Ok(DeadLetter {
            key,
            webhook_id,
            number,
            at: time(at)?,
            reason,
        })
    });
    letters.collect()
}

async fn forget_dead_letter(table: &TaskTable, letter: &DeadLetter) -> Result<(), Failure> {
    let (place, letter) = (table.place(&letter.key), letter.clone());
    let forgotten = table.write(move |conn| {
        conn.execute(
            "DELETE FROM task_dead_letter
             WHERE dealer = $1 AND task_id = $2 AND webhook_id = $3 AND number = $4",
            &[
                (&place.dealer).into(),
                (&place.task_id).into(),
                (&letter.webhook_id).into(),
                column(letter.number).into(),
            ],
        )?;
        Ok::<_, Failure>(())
    });
    forgotten.await
}
