//! `key`: keys by which programs of the dealer and its vendors use the API.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use dealers::{
    Period,
    keys::{self, Key, NewKey, Scope, Secret},
};
use jiff::Timestamp;
use leads::VaultKey;
use serde_json::{Value, json};

use super::{
    Common,
    outcome::{Failure, complain, keep_whole, print_json, say, table},
    site,
    text::{clean, minute},
};
use crate::durable;

/// Longest name of a key, in characters.
const LONGEST_NAME: usize = 80;

#[derive(Debug, Args)]
pub(super) struct KeyArgs {
    /// The keys of this catalog instead of a dealer's; they have the scopes feeds, analyst and
    /// analyst-context
    #[arg(long, global = true, value_name = "NAME")]
    catalog: Option<String>,
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Make a key; it is shown this once
    #[command(
        after_help = "Examples:\n  forecourt key create --name \"feed vendor\" --scope feeds --expires 365d\n  forecourt key create --name \"Example Agent\" --scope agent\n  forecourt key create --catalog garden --name manager --scope analyst"
    )]
    Create {
        /// Who gets it, for example the vendor's name; with the scope agent, the name that the buyer's
        /// agent gives itself in its leads
        #[arg(long, value_name = "NAME")]
        name: String,
        /// What it may do, separated by commas: feeds, leads, deliveries, agent,
        /// analyst, analyst-context
        #[arg(long, required = true, value_delimiter = ',', value_name = "SCOPES")]
        scope: Vec<Scope>,
        /// How long it is good, for example 365d [default: until it is revoked]
        #[arg(long, value_parser = |text: &str| Period::try_from(text.to_owned()), value_name = "PERIOD")]
        expires: Option<Period>,
    },
    /// Make a file with a key that encrypts personal data, for `privacy.key_file`
    #[command(after_help = "Example:\n  forecourt key file personal.key")]
    File {
        /// The file; one that is there stays as it is
        file: PathBuf,
    },
    /// List the keys, revoked ones too
    #[command(after_help = "Example:\n  forecourt key list")]
    List,
    /// Take a key back at once
    #[command(after_help = "Example:\n  forecourt key revoke \"feed vendor\"")]
    Revoke {
        /// Name of the key
        name: String,
    },
}

pub(super) fn run(common: &Common, args: KeyArgs) -> Result<ExitCode, Failure> {
    let KeyArgs { catalog, command } = args;
    if let KeyCommand::File { file } = &command {
        return make_file(file, common.json);
    }
    let creates = matches!(command, KeyCommand::Create { .. });
    let site = site::open(common, creates)?;
    let dealer = match &catalog {
        Some(name) => site::catalog(Some(name), &site.config)?.0,
        None => site::dealer(common, &site.config)?.0,
    };
    let (dealer, store) = (dealer.clone(), site.store);
    let now = store.clock().now();
    let runtime = super::runtime()?;
    match command {
        KeyCommand::Create {
            name,
            scope,
            expires,
        } => {
            if catalog.is_some() {
                check_catalog_scopes(&scope)?;
            }
            let key = new_key(&name, scope, expires, now)?;
            let secret = Secret::new(dealer, random()?);
            let (kept, made) = (secret.clone(), key.clone());
            runtime
                .block_on(store.write(move |conn| keys::create(conn, &kept, &made, now)))
                .map_err(|error| refused(&error))?;
            show_once(common.json, &secret, &key)?;
        }
        // Needs neither dealer nor database.
        KeyCommand::File { .. } => {}
        KeyCommand::List => {
            let of = dealer.clone();
            let keys = runtime.block_on(store.read(move |conn| keys::list(conn, &of)))?;
            if common.json {
                let keys: Vec<Value> = keys.iter().map(|key| document(key, now)).collect();
                print_json(&json!({ "dealer": dealer, "keys": keys }))?;
            } else if keys.is_empty() {
                say("no keys; `forecourt key create` makes one")?;
            } else {
                list(&keys, now)?;
            }
        }
        KeyCommand::Revoke { name } => {
            let of = name.clone();
            runtime
                .block_on(store.write(move |conn| keys::revoke(conn, &dealer, &of, now)))
                .map_err(|error| refused(&error))?;
            if common.json {
                print_json(&json!({ "revoked": name, "revoked_at": now }))?;
            } else {
                say(format!("{} opens nothing any more", clean(&name)))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn make_file(file: &Path, as_json: bool) -> Result<ExitCode, Failure> {
    let key = VaultKey::new(random()?);
    durable::create(file, format!("{}\n", key.expose()).as_bytes())
        .map_err(|error| Failure::refused("io", format!("{}: {error}", file.display())))?;
    let id = key.id().to_string();
    if as_json {
        print_json(&json!({ "file": file, "key": id }))?;
    } else {
        say(format!("{} holds the key {id}", file.display()))?;
        complain(
            "keep a copy of it elsewhere: backups do not hold it, and without it nobody can read the data",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn random() -> Result<[u8; 32], Failure> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|error| Failure::refused("random", error.to_string()))?;
    Ok(random)
}

/// A catalog has neither leads nor buyers' agents.
fn check_catalog_scopes(scopes: &[Scope]) -> Result<(), Failure> {
    const OF_CATALOGS: [Scope; 3] = [Scope::Feeds, Scope::Analyst, Scope::AnalystContext];
    let foreign = scopes.iter().find(|scope| !OF_CATALOGS.contains(scope));
    match foreign {
        Some(scope) => Err(Failure::usage(format!(
            "a catalog's keys have the scopes feeds, analyst and analyst-context, and not {scope}"
        ))),
        None => Ok(()),
    }
}

fn new_key(
    name: &str,
    scopes: Vec<Scope>,
    expires: Option<Period>,
    now: Timestamp,
) -> Result<NewKey, Failure> {
    let name = name.trim().to_owned();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control)
    {
        return Err(Failure::usage(format!(
            "a key's name has 1 to {LONGEST_NAME} printable characters; write for example --name \"feed vendor\""
        )));
    }
    if expires.is_some_and(|after| after.duration().is_zero()) {
        return Err(Failure::usage(
            "a key that expires at once opens nothing; write for example --expires 365d",
        ));
    }
    let expires_at = expires
        .map(|after| now.checked_add(after.duration()))
        .transpose()
        .map_err(|error| Failure::usage(error.to_string()))?;
    Ok(NewKey {
        name,
        scopes: BTreeSet::from_iter(scopes),
        expires_at,
    })
}

fn refused(error: &keys::Error) -> Failure {
    let code = match error {
        keys::Error::NameTaken(_) => "exists",
        keys::Error::Unknown(_) => "key_not_found",
        _ => "storage",
    };
    Failure::refused(code, crate::explain(error))
}

/// The key alone on standard output, so that a script can keep it; what to know about it beside.
fn show_once(as_json: bool, secret: &Secret, key: &NewKey) -> Result<(), Failure> {
    if as_json {
        return print_json(&json!({
            "key": secret.expose(),
            "dealer": secret.dealer(),
            "name": key.name,
            "scopes": words(&key.scopes),
            "expires_at": key.expires_at,
        }));
    }
    complain(format!(
        "this is the only time that the key is shown; its holder sends it as `Authorization: Bearer KEY` ({})",
        words(&key.scopes).join(", ")
    ));
    say(secret.expose())
}

fn words(scopes: &BTreeSet<Scope>) -> Vec<&'static str> {
    scopes.iter().map(|scope| scope.as_str()).collect()
}

fn document(key: &Key, now: Timestamp) -> Value {
    json!({
        "name": key.name,
        "scopes": words(&key.scopes),
        "state": key.state(now).as_str(),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_at": key.last_used_at,
    })
}

fn list(keys: &[Key], now: Timestamp) -> Result<(), Failure> {
    let mut rows = table([
        "name",
        "scopes",
        "state",
        "created (UTC)",
        "ends (UTC)",
        "last used (UTC)",
    ]);
    let shown = |time: Option<Timestamp>| time.map(minute).unwrap_or_default();
    for key in keys {
        rows.add_row([
            clean(&key.name),
            words(&key.scopes).join(", "),
            key.state(now).as_str().to_owned(),
            minute(key.created_at),
            shown(key.expires_at),
            shown(key.last_used_at),
        ]);
    }
    keep_whole(&mut rows, &[2]);
    say(rows)
}
