//! Webhooks at rest. Their configuration holds the token and the credentials by which a receiver knows this
//! server, so it is sealed with the keys of personal data.

use std::collections::BTreeSet;

use dealers::DealerId;
use leads::{KeyId, Vault};
use store::{Conn, Row, Value};

use super::{Failure, TaskTable};

/// The column that is sealed.
const CONFIG: &str = "task_webhook.config";

impl TaskTable {
    /// A webhook's configuration as its column holds it.
    pub(super) fn seal(&self, task: &str, webhook: &str, config: &str) -> Result<String, Failure> {
        let row = row(task, webhook);
        Ok(self.vault.seal_text(&self.dealer, &row, CONFIG, config)?)
    }

    /// The configuration that a webhook's column holds.
    pub(super) fn unseal(
        &self,
        task: &str,
        webhook: &str,
        stored: &str,
    ) -> Result<String, Failure> {
        let row = row(task, webhook);
        Ok(self.vault.unseal_text(&self.dealer, &row, CONFIG, stored)?)
    }
}

/// A webhook among those of its dealer. No task's id has a slash.
fn row(task: &str, webhook: &str) -> String {
    format!("{task}/{webhook}")
}

/// Names of the keys with which webhooks of any dealer are sealed. Without them, nobody is told of those
/// tasks.
///
/// # Errors
/// When the database fails.
pub fn keys_in_use(conn: &mut dyn Conn) -> Result<BTreeSet<String>, store::Error> {
    let found = conn.all(
        "SELECT DISTINCT substr(config, 5, 16) FROM task_webhook WHERE config LIKE '{v1}%'",
        &[],
        |row| row.text(0).map(str::to_owned),
    )?;
    Ok(found.into_iter().collect())
}

/// Brings some webhooks of any dealer, at most `limit`, into the form that `vault` writes. It says how many;
/// none is left once it says 0.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn rekey(conn: &mut dyn Conn, vault: &Vault, limit: u32) -> Result<usize, leads::Error> {
    let limit = Value::Int(limit.into());
    let others = match vault.current() {
        Some(key) => conn.all(
            "SELECT dealer, task_id, webhook_id, config FROM task_webhook
             WHERE config NOT LIKE $1 LIMIT $2",
            &[Value::from(&format!("{{v1}}{key}.%")), limit],
            place_and_config,
        )?,
        None => conn.all(
            "SELECT dealer, task_id, webhook_id, config FROM task_webhook
             WHERE config LIKE '{v1}%' LIMIT $1",
            &[limit],
            place_and_config,
        )?,
    };
    for [dealer, task, webhook, stored] in &others {
        let id: DealerId = dealer.parse().map_err(|_| no_dealer())?;
        let row = row(task, webhook);
        let config = vault.unseal_text(&id, &row, CONFIG, stored)?;
        let config = vault.seal_text(&id, &row, CONFIG, &config)?;
        conn.execute(
            "UPDATE task_webhook SET config = $4
             WHERE dealer = $1 AND task_id = $2 AND webhook_id = $3",
            &[dealer.into(), task.into(), webhook.into(), (&config).into()],
        )?;
    }
    Ok(others.len())
}

fn place_and_config(row: &dyn Row) -> Result<[String; 4], store::Error> {
    let text = |column| row.text(column).map(str::to_owned);
    Ok([text(0)?, text(1)?, text(2)?, text(3)?])
}

/// Forgets the webhooks of any dealer that only a lost key would open; how many.
///
/// # Errors
/// When the database fails.
pub fn forget_sealed_with(conn: &mut dyn Conn, key: KeyId) -> Result<u64, store::Error> {
    let sealed = format!("{{v1}}{key}.%");
    conn.execute(
        "DELETE FROM task_dead_letter WHERE (dealer, task_id, webhook_id) IN
           (SELECT dealer, task_id, webhook_id FROM task_webhook WHERE config LIKE $1)",
        &[(&sealed).into()],
    )?;
    conn.execute(
        "DELETE FROM task_webhook WHERE config LIKE $1",
        &[(&sealed).into()],
    )
}

fn no_dealer() -> store::Error {
    store::Error::Value {
        column: 0,
        reason: "is no dealer's name".to_owned(),
    }
}
