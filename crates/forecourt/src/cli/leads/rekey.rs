//! `leads rekey`: what is there into the form that the configuration's key writes.

use std::{
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
};

use leads::{KeyId, Order, Vault};
use serde_json::json;
use store::Conn;

use crate::{
    cli::{
        outcome::{Failure, print_json, say},
        site::{self, Site},
    },
    explain, tasks,
};

/// Leads in one transaction: the server's own writes wait for so many.
const BATCH: u32 = 200;

pub(super) async fn run(
    site: &Site,
    vault: &Vault,
    lost: Option<KeyId>,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let erased = match lost {
        Some(key) => give_up(site, vault, key).await?,
        None => 0,
    };
    let store = &site.store;
    let (mut after, mut leads, mut rewritten) = (None, 0, 0);
    loop {
        let vault = vault.clone();
        let done = store
            .write(move |conn| leads::rekey(conn, &vault, after.as_ref(), BATCH))
            .await?;
        leads += done.leads;
        rewritten += done.rewritten;
        progress(&format!("{leads} leads, {rewritten} rewritten"));
        if done.last.is_none() {
            break;
        }
        after = done.last;
    }
    let mut webhooks = 0;
    loop {
        let vault = vault.clone();
        let rewritten = store
            .write(move |conn| tasks::rekey(conn, &vault, BATCH))
            .await?;
        if rewritten == 0 {
            break;
        }
        webhooks += rewritten;
    }
    progress("removing what was replaced from the disk");
    // Also after a run that broke off before this.
    store.scrub().await.map_err(|error| {
        Failure::refused(
            "not_scrubbed",
            format!(
                "everything is rewritten, but what it replaces still stands in the database's files: {}; run the command again",
                explain(&error)
            ),
        )
    })?;
    progress("");
    let key = vault.current().map(|key| key.to_string());
    if as_json {
        print_json(&json!({
            "leads": leads, "rewritten": rewritten, "key": key, "erased": erased,
            "webhooks": webhooks,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if lost.is_some() {
        say(format!(
            "{erased} leads lost the person that nobody can read"
        ))?;
    }
    let form = key.map_or_else(
        || "in plain text".to_owned(),
        |key| format!("encrypted with the key {key}"),
    );
    say(format!(
        "{rewritten} of {leads} leads and {webhooks} webhooks rewritten; all of them are {form}"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Takes the person out of the leads that only a lost key would open; how many. Webhooks that only it would
/// open are forgotten.
async fn give_up(site: &Site, vault: &Vault, key: KeyId) -> Result<usize, Failure> {
    if vault.has(&key.to_string()) {
        return Err(Failure::usage(format!(
            "the configuration names the file of the key {key}, so that it is not lost; leave --lost out"
        )));
    }
    let hash_key = site.hash_key().await?;
    let mut erased = 0;
    loop {
        let (vault, hash_key) = (vault.clone(), hash_key.clone());
        let order = Order {
            erasure_id: site.store.clock().new_id(),
            reason: format!("the key {key} is lost"),
            recorded_by: site::operator(),
            now: site.store.clock().now(),
        };
        let write = move |conn: &mut dyn Conn| {
            leads::erase_lost(conn, &vault, &hash_key, key, BATCH, &order)
        };
        match site.store.write(write).await {
            Ok(0) => break,
            Ok(more) => erased += more,
            Err(error @ leads::Error::OnHold(_)) => {
                return Err(Failure::refused("legal_hold", error.to_string()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    let forget = move |conn: &mut dyn Conn| tasks::forget_sealed_with(conn, key);
    site.store.write(forget).await?;
    Ok(erased)
}

/// Tells a person at a terminal how far it is, on one line.
fn progress(text: &str) {
    let mut out = std::io::stderr().lock();
    if out.is_terminal() {
        // A closed terminal leaves nobody to tell.
        let _ = write!(out, "\r\u{1b}[K{text}").and_then(|()| out.flush());
    }
}
