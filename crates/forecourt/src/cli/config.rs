//! `init` and `config check`.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::json;
use store::{Clock, Store};

use super::{
    Common,
    outcome::{Failure, print_json, say},
    site,
};
use crate::{
    app::migrations,
    config::{Config, DEFAULT_FILE, TEMPLATE},
    readiness::{self, Lacks},
};

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
            Failure::refused(
                "io",
                format!("{} cannot be written: {error}", path.display()),
            )
        }
    })?;
    file.write_all(TEMPLATE.as_bytes())?;
    if common.json {
        print_json(&json!({ "written": path }))?;
    } else {
        say(format!(
            "wrote {}; edit it, then run `forecourt config check`",
            path.display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn check(common: &Common) -> Result<ExitCode, Failure> {
    let path = site::config_path(common);
    let config = Config::read_to_serve(&path, Clock::system().now())?;
    let lacks = lacks(common, &config, &path)?;
    if common.json {
        print_json(&json!({
            "config": path,
            "dealers": config.dealers.iter().map(|(id, dealer)| json!({
                "id": id,
                "name": dealer.name,
                "rooftops": dealer.rooftops.keys().collect::<Vec<_>>(),
                "feeds": dealer.feeds.keys().collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "catalogs": config.catalogs.iter().map(|(id, catalog)| json!({
                "name": id,
                "seller": catalog.name,
            })).collect::<Vec<_>>(),
            "problems": [],
            "keys_exposed": config.privacy.exposed(),
            "takes_no_leads": readiness::document(&lacks),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    say(format!("{} can be used", path.display()))?;
    for (id, dealer) in &config.dealers {
        say(format!(
            "  {id}: {}; {}; {}",
            dealer.name,
            named("rooftop", dealer.rooftops.keys()),
            named("feed", dealer.feeds.keys())
        ))?;
    }
    for (id, catalog) in &config.catalogs {
        say(format!("  {id}: {}; catalog", catalog.name))?;
    }
    for file in config.privacy.exposed() {
        say(format!(
            "warning: others than its owner can read the key {}; chmod 600 it",
            file.display()
        ))?;
    }
    for (dealer, lacks) in &lacks {
        for lack in lacks {
            say(format!("{dealer} takes no leads yet: {lack}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What keeps the dealers from taking leads. Where no server ran, nothing was tested.
fn lacks(common: &Common, config: &Config, path: &Path) -> Result<Lacks, Failure> {
    let digests = readiness::digests(config, &site::base(path))?;
    let data = site::data_folder(common, config, path);
    let database = site::database(common, Some(config), &data)?;
    let store = match site::require_database(&data, &database) {
        Ok(()) => site::open(common, false)?.store,
        Err(_) => Store::temporary(&migrations(), Clock::system())?,
    };
    let config = config.clone();
    let read = store.read(move |conn| readiness::all_lacks(conn, &config, &digests));
    Ok(super::runtime()?.block_on(read)?)
}

/// How many there are, and which.
fn named<'a>(what: &str, names: impl ExactSizeIterator<Item = &'a String>) -> String {
    let plural = if names.len() == 1 { "" } else { "s" };
    let count = names.len();
    let names: Vec<&str> = names.map(String::as_str).collect();
    if names.is_empty() {
        format!("no {what}s")
    } else {
        format!("{count} {what}{plural} ({})", names.join(", "))
    }
}
