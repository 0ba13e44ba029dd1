//! `catalogs`: how each named catalog stands, what its files did, and applying one that was not believed.
//! The work of `import --catalog` too.

use std::{path::Path, process::ExitCode};

use catalogs::{AcceptError, Arrival, Catalog, Report};
use clap::{Args, Subcommand};
use dealers::DealerId;
use inventory::stock::{self, Attention, FeedOverview, RunRecord, RunState};
use jiff::Timestamp;
use serde_json::{Value, json};
use store::{Conn, Store};
use uuid::Uuid;

use super::{
    Common, feeds, import,
    outcome::{Exit, Failure, complain, keep_whole, print_json, say, table},
    site,
    text::{age, clean, minute},
};
use crate::config::{Config, ConfigError};

#[derive(Debug, Args)]
pub(super) struct CatalogsArgs {
    /// Catalog; may be left out where there is only one
    #[arg(long, global = true, value_name = "NAME")]
    catalog: Option<String>,
    #[command(subcommand)]
    command: Option<CatalogsCommand>,
}

#[derive(Debug, Subcommand)]
enum CatalogsCommand {
    /// List what arrived, newest first
    #[command(after_help = "Example:\n  forecourt catalogs runs --catalog garden --limit 10")]
    Runs {
        /// Most runs to list
        #[arg(long, default_value_t = 30)]
        limit: u32,
    },
    /// Show what a file held and what became of it
    #[command(
        after_help = "Example:\n  forecourt catalogs show 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b"
    )]
    Show {
        /// Identifier of the run
        run: Uuid,
    },
    /// Apply a file that was not believed: what is missing from it leaves the catalog
    #[command(
        after_help = "Example:\n  forecourt catalogs accept 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b"
    )]
    Accept {
        /// Identifier of the run in which the file arrived
        run: Uuid,
        /// Go back to this file although a newer one was applied
        #[arg(long)]
        force: bool,
    },
}

pub(super) fn run(common: &Common, args: &CatalogsArgs) -> Result<ExitCode, Failure> {
    let site = site::open(common, false)?;
    let runtime = super::runtime()?;
    let (store, named) = (&site.store, args.catalog.as_deref());
    match &args.command {
        None => runtime.block_on(overview(common, store, &site.config, named))?,
        Some(CatalogsCommand::Runs { limit }) => {
            let (id, _) = site::catalog(named, &site.config)?;
            let (key, limit) = (id.clone(), *limit);
            let read = move |conn: &mut dyn Conn| stock::runs(conn, &key, None, limit);
            let runs = runtime.block_on(store.read(read))?;
            feeds::print_runs(common, &runs, &format!(" of catalog {id}"))?;
        }
        Some(CatalogsCommand::Show { run }) => {
            let (id, _) = site::catalog(named, &site.config)?;
            let (id, run) = (id.clone(), *run);
            let read = move |conn: &mut dyn Conn| {
                let record = stock::run(conn, &id, run)?;
                Ok::<_, stock::Error>((record, stock::report(conn, &id, run)?))
            };
            let (record, report) = runtime.block_on(store.read(read))?;
            let record = record.ok_or(AcceptError::UnknownRun(run))?;
            feeds::print_run(common, &record, report.as_ref())?;
        }
        Some(CatalogsCommand::Accept { run, force }) => {
            let (id, catalog) = site::catalog(named, &site.config)?;
            let by = site::operator();
            let accepted = catalogs::accept(store, id, catalog, *run, &by, *force);
            let (report, done) = runtime.block_on(accepted)?;
            return finish(common, id, &format!("run {run}"), &report, Some(&done));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How one catalog stands, and what of it needs a person.
pub(super) struct Standing {
    pub(super) id: DealerId,
    name: String,
    pub(super) overview: FeedOverview,
    pub(super) attention: Vec<Attention>,
}

/// How these catalogs stand.
pub(super) async fn standings(
    catalogs: impl IntoIterator<Item = (&DealerId, &Catalog)>,
    store: &Store,
    now: Timestamp,
) -> Result<Vec<Standing>, stock::Error> {
    let mut standings = Vec::new();
    for (id, catalog) in catalogs {
        let (key, settings) = (id.clone(), catalog.clone());
        let read = move |conn: &mut dyn Conn| {
            let overview = catalogs::overview(conn, &key, &settings)?;
            let attention = catalogs::attention(conn, &key, &settings, now)?;
            Ok::<_, stock::Error>((overview, attention))
        };
        let (overview, attention) = store.read(read).await?;
        standings.push(Standing {
            id: id.clone(),
            name: catalog.name.clone(),
            overview,
            attention,
        });
    }
    Ok(standings)
}

impl Standing {
    /// The catalog as JSON.
    pub(super) fn document(&self, now: Timestamp) -> Value {
        let mut document = feeds::feed_document(&self.overview, now);
        if let Some(members) = document.as_object_mut() {
            members.remove("feed");
            members.remove("on_lot");
        }
        document["catalog"] = json!(self.id);
        document["name"] = json!(self.name);
        document
    }
}

async fn overview(
    common: &Common,
    store: &Store,
    config: &Config,
    named: Option<&str>,
) -> Result<(), Failure> {
    let now = store.clock().now();
    let wanted: Vec<(&DealerId, &Catalog)> = match named {
        Some(_) => vec![site::catalog(named, config)?],
        None => config.catalogs.iter().collect(),
    };
    let standings = standings(wanted, store, now).await?;
    let attention = standings.iter().flat_map(|it| &it.attention);
    if common.json {
        return print_json(&json!({
            "catalogs": standings.iter().map(|it| it.document(now)).collect::<Vec<_>>(),
            "attention": attention.map(feeds::attention_document).collect::<Vec<_>>(),
        }));
    }
    if standings.is_empty() {
        return say("the configuration has no catalogs: [catalogs.NAME] with a name makes one");
    }
    say(rows_of(&standings, now))?;
    for it in attention {
        let since = minute(it.since);
        say(format!("since {since} UTC: {}", clean(&it.text)))?;
    }
    Ok(())
}

/// The catalogs as a table.
pub(super) fn rows_of(standings: &[Standing], now: Timestamp) -> comfy_table::Table {
    let mut rows = table([
        "catalog",
        "last file (UTC)",
        "state",
        "age",
        "rows",
        "last good (UTC)",
        "next expected (UTC)",
    ]);
    for it in standings {
        let last = it.overview.last.as_ref();
        let text = |of: fn(&RunRecord) -> String| last.map(of).unwrap_or_default();
        rows.add_row([
            it.id.to_string(),
            text(|run| minute(run.received_at)),
            text(|run| run.state.as_str().to_owned()),
            last.map(|run| age(now.duration_since(run.received_at)))
                .unwrap_or_default(),
            text(|run| run.rows.to_string()),
            it.overview.last_applied_at.map(minute).unwrap_or_default(),
            it.overview.next_expected.map(minute).unwrap_or_default(),
        ]);
    }
    keep_whole(&mut rows, &[1, 2, 5, 6]);
    rows
}

/// Reads a catalog's file and publishes it; a dry run only reports what it holds.
pub(super) fn import(
    common: &Common,
    file: &Path,
    name: &str,
    dry_run: bool,
) -> Result<ExitCode, Failure> {
    let shown = file.display().to_string();
    let bytes = std::fs::read(file)
        .map_err(|error| Failure::refused("io", format!("cannot read {shown}: {error}")))?;
    if dry_run {
        let (id, catalog) = stated(common, name)?;
        let report = catalogs::read(&bytes, &catalog);
        return finish(common, &id, &shown, &report, None);
    }
    let site = site::open(common, true)?;
    let (id, catalog) = site::catalog(Some(name), &site.config)?;
    let file_name = file.file_name().map(|name| name.to_string_lossy());
    let arrival = Arrival {
        file_name: file_name.as_deref(),
        bytes: &bytes,
    };
    let published = catalogs::publish(&site.store, id, catalog, arrival);
    let (report, run) = super::runtime()?.block_on(published)?;
    finish(common, id, &shown, &report, Some(&run))
}

/// The catalog as the configuration states it. Without a configuration nothing is stated of it, and its file
/// is read on its own.
fn stated(common: &Common, name: &str) -> Result<(DealerId, Catalog), Failure> {
    match Config::read(&site::config_path(common)) {
        Ok(config) => {
            let (id, catalog) = site::catalog(Some(name), &config)?;
            Ok((id.clone(), catalog.clone()))
        }
        Err(ConfigError::Missing { .. }) if common.config.is_none() => {
            let id = name.parse::<DealerId>();
            let id = id.map_err(|error| Failure::usage(error.to_string()))?;
            Ok((id, Catalog::default()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Prints what became of a file, by what people call it. One that was not believed ends with status 1.
fn finish(
    common: &Common,
    id: &DealerId,
    file: &str,
    report: &Report,
    run: Option<&RunRecord>,
) -> Result<ExitCode, Failure> {
    if common.json {
        let mut document = report.document();
        if let Some(run) = run {
            document["run"] = catalogs::run_document(run);
        }
        print_json(&document)?;
    } else {
        print_report(file, report, run)?;
    }
    let reason = match run {
        None => report.refused.as_ref(),
        Some(run) => run.reason.as_ref(),
    };
    let Some(reason) = reason else {
        return Ok(ExitCode::SUCCESS);
    };
    let accept = run.filter(|run| run.state == RunState::KeptLastGood);
    let way_out = accept.map(|run| {
        let run = run.id;
        format!("; `forecourt catalogs accept --catalog {id} {run}` applies it after all")
    });
    complain(format!(
        "{file} was {} and the last good file stays: {reason}{}",
        if accept.is_some() {
            "not believed"
        } else {
            "refused"
        },
        way_out.unwrap_or_default()
    ));
    Ok(ExitCode::from(Exit::Refused as u8))
}

fn print_report(file: &str, report: &Report, run: Option<&RunRecord>) -> Result<(), Failure> {
    let form = match (report.format, report.encoding) {
        (Some(format), Some(encoding)) => {
            let between = match report.delimiter {
                None => String::new(),
                Some('\t') => ", tab".to_owned(),
                Some(other) => format!(", {other:?}"),
            };
            let format = format.as_str();
            format!("{format}, {encoding}{between}, {} rows", report.rows)
        }
        _ => "no table".to_owned(),
    };
    say(format!("{file}: {form}"))?;
    if let Some(run) = run.filter(|run| run.state.is_good()) {
        say(format!(
            "{} rows in the catalog: {} came, {} changed their price, {} went",
            run.published, run.added, run.changed, run.withdrawn
        ))?;
    }
    let mut columns = table(["column", "read as"]);
    for (header, role) in &report.columns {
        columns.add_row([clean(header), role.unwrap_or_default().to_owned()]);
    }
    if !report.columns.is_empty() {
        say(format!("\n{columns}"))?;
    }
    let document = report.document();
    import::print_kept_findings("rows skipped", "line", &document["skipped"])?;
    import::print_kept_findings("warnings", "line", &document["warnings"])
}
