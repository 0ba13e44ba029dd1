//! `backup` and `restore`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use leads::Vault;
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
    /// Go on although the configuration lacks a key without which the persons in it cannot be read
    #[arg(long)]
    without_key: bool,
}

pub(super) fn make(common: &Common, args: BackupArgs) -> Result<ExitCode, Failure> {
    let place = site::place(common)?;
    let configured = place.config.as_ref().and_then(|it| it.backup.as_ref());
    let configured = configured.map(|it| it.dir.clone());
    let into = args.dir.or(configured).ok_or_else(|| {
        Failure::usage("name the folder of the backups, or set `backup.dir` in the configuration")
    })?;
    let database = site::database(common, place.config.as_ref(), &place.data)?;
    site::require_database(&place.data, &database)?;
    let now = Clock::system().now();
    let made = backup::make(
        &database.options,
        &place.data,
        Some(&place.config_file),
        &into,
        now,
    )
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
    if !args.without_key {
        check_keys(&place, &args.backup)?;
    }
    let now = Clock::system().now();
    let database = site::database(common, place.config.as_ref(), &place.data)?;
    let restored = if database.is_shared {
        backup::restore_into(&database.options, &args.backup, &place.data)
    } else {
        backup::restore(&args.backup, &place.data, args.force, now)
    }
    .map_err(|error| failed(&error))?;
    if common.json {
        print_json(&json!({
            "restored": place.data,
            "database": database.address(),
            "manifest": restored.manifest,
            "set_aside": restored.set_aside,
            "configuration": restored.configuration,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    say(format!(
        "{} holds the data of {}",
        database.address(),
        restored.manifest.made_at
    ))?;
    say("persons who were erased after that are back; erase them again")?;
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

/// The keys that the personal data of a backup need are among the configuration's.
fn check_keys(place: &site::Place, backup: &Path) -> Result<(), Failure> {
    backup::verify(backup).map_err(|error| failed(&error))?;
    let needed = backup::keys_needed(backup).map_err(|error| failed(&error))?;
    let vault = match &place.config {
        Some(config) => config.privacy.vault()?,
        None => Vault::open(),
    };
    let missing: Vec<&str> = needed
        .iter()
        .map(String::as_str)
        .filter(|key| !vault.has(key))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::refused(
        "key_missing",
        format!(
            "personal data of this backup are encrypted with {}, which {} does not name; add the key's file to [privacy], or restore without the persons by --without-key",
            missing.join(", "),
            place.config_file.display()
        ),
    ))
}

fn failed(error: &backup::Error) -> Failure {
    use backup::Error;

    let code = match error {
        Error::Io { .. } => "io",
        Error::Busy(_) | Error::InUse(_) => "in_use",
        Error::Damaged { .. } => "damaged",
        Error::Newer(_) => "newer",
        Error::Exists(_) | Error::OtherKey(_) => "exists",
        Error::Transfer(store::transfer::TransferError::NotEmpty { .. }) => "not_empty",
        _ => "storage",
    };
    Failure::refused(code, crate::explain(error))
}
