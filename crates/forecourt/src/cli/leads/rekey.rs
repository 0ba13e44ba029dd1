//! `leads rekey`: what is there into the form that the configuration's key writes.

use std::{
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
};

use leads::Vault;
use serde_json::json;
use store::Store;

use crate::{
    cli::outcome::{Failure, print_json, say},
    explain,
};

/// Leads in one transaction: the server's own writes wait for so many.
const BATCH: u32 = 200;

pub(super) async fn rekey(
    store: &Store,
    vault: &Vault,
    as_json: bool,
) -> Result<ExitCode, Failure> {
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
        print_json(&json!({ "leads": leads, "rewritten": rewritten, "key": key }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let form = key.map_or_else(
        || "in plain text".to_owned(),
        |key| format!("encrypted with the key {key}"),
    );
    say(format!(
        "{rewritten} of {leads} leads rewritten; all of them are {form}"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Tells a person at a terminal how far it is, on one line.
fn progress(text: &str) {
    let mut out = std::io::stderr().lock();
    if out.is_terminal() {
        // A closed terminal leaves nobody to tell.
        let _ = write!(out, "\r\u{1b}[K{text}").and_then(|()| out.flush());
    }
}
