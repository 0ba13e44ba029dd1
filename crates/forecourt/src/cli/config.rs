//! `init` and `config check`.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    path::PathBuf,
    process::ExitCode,
};

use serde_json::json;

use super::{
    Common,
    outcome::{Failure, print_json},
    site,
};
use crate::config::{Config, DEFAULT_FILE, TEMPLATE};

pub(super) fn init(common: &Common, force: bool) -> Result<ExitCode, Failure> {
    let path = common
        .config
        .clone()
        .unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let mut file = options.open(&path).map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            Failure::refused(
                "exists",
                format!(
                    "{} is already there; `--force` replaces it, `--config FILE` names another",
                    path.display()
                ),
            )
        } else {
            Failure::refused("io", format!("{}: {error}", path.display()))
        }
    })?;
    file.write_all(TEMPLATE.as_bytes())?;
    if common.json {
        print_json(&json!({ "written": path }))?;
    } else {
        println!(
            "wrote {}; edit it, then run `forecourt config check`",
            path.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn check(common: &Common) -> Result<ExitCode, Failure> {
    let path = site::config_path(common);
    let config = Config::read(&path)?;
    if common.json {
        print_json(&json!({
            "config": path,
            "dealers": config.dealers.iter().map(|(id, dealer)| json!({
                "id": id,
                "name": dealer.name,
                "rooftops": dealer.rooftops.keys().collect::<Vec<_>>(),
                "feeds": dealer.feeds.keys().collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "problems": [],
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} can be used", path.display());
    for (id, dealer) in &config.dealers {
        println!(
            "  {id}: {}, {} rooftops, {} feeds",
            dealer.name,
            dealer.rooftops.len(),
            dealer.feeds.len()
        );
    }
    Ok(ExitCode::SUCCESS)
}
