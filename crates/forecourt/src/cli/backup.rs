//! `backup` and `restore`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;
use store::Clock;

use super::{
    Common,
    outcome::{Failure, print_json, say},
    site,
};
use crate::backup;

/// What `backup` takes.
#[derive(Debug, Args)]
pub(super) struct BackupArgs {
    /// Folder that gets the backup [default: the configuration's `backup.dir`]
    dir: Option<PathBuf>,
}

/// What `restore` takes.
#[derive(Debug, Args)]
pub(super) struct RestoreArgs {
    /// The backup: a folder that `backup` or the server made
    backup: PathBuf,
    /// Replace the data that are there; they are set aside
    #[arg(long)]
    force: bool,
}

pub(super) fn make(common: &Common, args: BackupArgs) -> Result<ExitCode, Failure> {
    let place = site::place(common)?;
    let configured = place.config.and_then(|it| it.backup).map(|it| it.dir);
    let into = args.dir.or(configured).ok_or_else(|| {
        Failure::usage("name the folder of the backups, or set `backup.dir` in the configuration")
    })?;
    site::require_database(&place.data)?;
    let now = Clock::system().now();
    let made = backup::make(&place.data, Some(&place.config_file), &into, now)
        .map_err(|error| failed(&error))?;
    if common.json {
        print_json(&json!({ "backup": made, "made_at": now }))?;
    } else {
        say(made.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn restore(common: &Common, args: &RestoreArgs) -> Result<ExitCode, Failure> {
    let place = site::place(common)?;
    let now = Clock::system().now();
    let restored = backup::restore(&args.backup, &place.data, args.force, now)
        .map_err(|error| failed(&error))?;
    if common.json {
        print_json(&json!({
            "restored": place.data,
            "manifest": restored.manifest,
            "set_aside": restored.set_aside,
            "configuration": restored.configuration,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    say(format!(
        "{} holds the data of {}",
        place.data.display(),
        restored.manifest.made_at
    ))?;
    let more = [
        ("the data that were there lie in", &restored.set_aside),
        ("the configuration of that time is", &restored.configuration),
    ];
    for (what, path) in more {
        if let Some(path) = path {
            say(format!("{what} {}", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn failed(error: &backup::Error) -> Failure {
    use backup::Error;

    let code = match error {
        Error::Io { .. } => "io",
        Error::Busy(_) | Error::InUse(_) => "in_use",
        Error::Damaged { .. } => "damaged",
        Error::Newer(_) => "newer",
        Error::Exists(_) => "exists",
        _ => "storage",
    };
    Failure::refused(code, crate::explain(error))
}
