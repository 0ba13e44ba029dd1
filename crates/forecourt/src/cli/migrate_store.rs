//! `migrate-store`: all data from one database to another.

use std::{
    fs::File,
    io::{IsTerminal as _, Write as _},
    path::Path,
    process::ExitCode,
};

use clap::Args;
use serde_json::json;
use store::{
    Address, Options,
    transfer::{Moved, Progress, TransferError, transfer},
};

use super::{
    Common,
    outcome::{Failure, print_json, say, table},
};
use crate::{app::with_schema, data_lock, explain};

/// What `migrate-store` takes.
#[derive(Debug, Args)]
pub(super) struct MigrateStoreArgs {
    /// The database that is read: sqlite:PATH, postgres://…, or @FILE for a file that holds it
    #[arg(long, value_name = "ADDRESS")]
    from: String,
    /// The empty database that gets everything, in the same words
    #[arg(long, value_name = "ADDRESS")]
    to: String,
}

/// An address, or the file that holds one: a password on the command line is seen by every user of the
/// machine.
fn address(flag: &str, text: &str) -> Result<Address, Failure> {
    let bad = |reason: &dyn std::fmt::Display| Failure::usage(format!("{flag}: {reason}"));
    let held = match text.strip_prefix('@') {
        None => text.to_owned(),
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| bad(&format_args!("{path}: {error}")))?
        }
    };
    Address::parse(held.trim()).map_err(|error| bad(&error))
}

pub(super) fn migrate_store(common: &Common, args: &MigrateStoreArgs) -> Result<ExitCode, Failure> {
    let (from, to) = (address("--from", &args.from)?, address("--to", &args.to)?);
    if from == to {
        return Err(Failure::usage("both addresses name the same database"));
    }
    if let Address::Sqlite(path) = &from
        && !path.exists()
    {
        let absent = format!("there is no database {}", path.display());
        return Err(Failure::usage(absent));
    }
    let _held = [hold(&from)?, hold(&to)?];
    let options = |address| with_schema(Options::of(address));
    let mut bar = Bar::new();
    let moved = transfer(&options(&from), &options(&to), &mut |progress| {
        bar.show(progress);
    });
    bar.clear();
    let moved = moved.map_err(|error| failed(&error))?;
    report(common, [&from, &to], &moved)?;
    Ok(ExitCode::SUCCESS)
}

/// Keeps servers and other commands out of the folder of a SQLite database meanwhile: what they would
/// write after it was read would be lost.
fn hold(address: &Address) -> Result<Option<File>, Failure> {
    let Address::Sqlite(path) = address else {
        return Ok(None);
    };
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let held = data_lock::exclusive(folder).map_err(|error| {
        Failure::refused("io", format!("{}: {}", folder.display(), explain(&error)))
    })?;
    let in_use = || {
        let folder = folder.display();
        let message = format!("{folder} is in use by a server or another command; stop it first");
        Failure::refused("in_use", message)
    };
    held.map(Some).ok_or_else(in_use)
}

fn report(common: &Common, [from, to]: [&Address; 2], moved: &[Moved]) -> Result<(), Failure> {
    let rows: u64 = moved.iter().map(|it| it.rows).sum();
    if common.json {
        let tables = moved
            .iter()
            .map(|it| json!({ "table": it.table, "rows": it.rows, "sha256": it.digest }));
        return print_json(&json!({
            "from": from.to_string(),
            "to": to.to_string(),
            "rows": rows,
            "tables": tables.collect::<Vec<_>>(),
        }));
    }
    let mut shown = table(["table", "rows", "sha256"]);
    for Moved {
        table,
        rows,
        digest,
        ..
    } in moved
    {
        shown.add_row([table.clone(), rows.to_string(), digest[..16].to_owned()]);
    }
    say(shown)?;
    say(format!(
        "\n{rows} rows are in {}, read back and equal. Servers use it once `store.url` of their \
         configuration names it; the database that was read is as it was.",
        to
    ))
}

fn failed(error: &TransferError) -> Failure {
    let code = match error {
        TransferError::NotEmpty { .. } => "not_empty",
        TransferError::OtherSchema { .. } => "other_schema",
        TransferError::Differs { .. } => "differs",
        _ => "storage",
    };
    Failure::refused(code, explain(error))
}

/// One line on the terminal that says how far it is.
struct Bar {
    shown: Option<String>,
    is_seen: bool,
}

impl Bar {
    const WIDTH: u64 = 30;

    fn new() -> Self {
        Self {
            shown: None,
            is_seen: std::io::stderr().is_terminal(),
        }
    }

    fn show(&mut self, progress: &Progress) {
        let Progress {
            table, done, all, ..
        } = progress;
        let full = done * Self::WIDTH / (*all).max(1);
        let bar = "#".repeat(usize::try_from(full).unwrap_or_default());
        let percent = done * 100 / (*all).max(1);
        let line = format!("[{bar:<30}] {percent:>3} % {table:<24}");
        if self.is_seen && self.shown.as_ref() != Some(&line) {
            // Who does not see it loses nothing.
            let _ = write!(std::io::stderr(), "\r{line}");
            self.shown = Some(line);
        }
    }

    fn clear(&self) {
        if let Some(line) = &self.shown {
            let _ = write!(std::io::stderr(), "\r{}\r", " ".repeat(line.len()));
        }
    }
}
