//! `feeds`: how each feed stands, what its files did, and applying one that was not believed.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use dealers::{Dealer, DealerId};
use inventory::{
    intake::{self, AcceptError},
    stock::{self, Attention, FeedOverview, RunRecord},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use store::Store;
use uuid::Uuid;

use super::{
    Common, import,
    outcome::{Failure, keep_whole, print_json, say, table},
    site,
    text::{age, clean, minute},
};

#[derive(Debug, Args)]
pub(super) struct FeedsArgs {
    #[command(subcommand)]
    command: Option<FeedsCommand>,
}

#[derive(Debug, Subcommand)]
enum FeedsCommand {
    /// List what arrived, newest first
    #[command(after_help = "Example:\n  forecourt feeds runs --feed used --limit 10")]
    Runs {
        /// Only files of this feed
        #[arg(long, value_name = "NAME")]
        feed: Option<String>,
        /// Most runs to list
        #[arg(long, default_value_t = 30)]
        limit: u32,
    },
    /// Show what a file held and what became of it
    #[command(after_help = "Example:\n  forecourt feeds show 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b")]
    Show {
        /// Identifier of the run
        run: Uuid,
    },
    /// Apply a file that was not believed: what is missing from it leaves the lot
    #[command(
        after_help = "Example:\n  forecourt feeds accept 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b"
    )]
    Accept {
        /// Identifier of the run in which the file arrived
        run: Uuid,
        /// Go back to this file although a newer one was applied
        #[arg(long)]
        force: bool,
    },
}

pub(super) fn run(common: &Common, args: FeedsArgs) -> Result<ExitCode, Failure> {
    let site = site::open(common, false)?;
    let (id, dealer) = site::dealer(common, &site.config)?;
    let runtime = super::runtime()?;
    let store = &site.store;
    match args.command {
        None => runtime.block_on(overview(common, store, id, dealer))?,
        Some(FeedsCommand::Runs { feed, limit }) => {
            runtime.block_on(runs(common, store, id, feed, limit))?;
        }
        Some(FeedsCommand::Show { run }) => runtime.block_on(show(common, store, id, run))?,
        Some(FeedsCommand::Accept { run, force }) => {
            let by = site::operator();
            let (report, outcome) =
                runtime.block_on(intake::accept(store, id, dealer, run, &by, force))?;
            return import::finish(common, &format!("run {run}"), &report, Some(&outcome));
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn overview(
    common: &Common,
    store: &Store,
    id: &DealerId,
    dealer: &Dealer,
) -> Result<(), Failure> {
    let now = store.clock().now();
    let (feeds, attention) = {
        let (id, dealer) = (id.clone(), dealer.clone());
        let read = move |conn: &mut dyn store::Conn| {
            let feeds = stock::feeds(conn, &id, &dealer)?;
            let attention = stock::attention(conn, &id, &dealer, now)?;
            Ok::<_, stock::Error>((feeds, attention))
        };
        store.read(read).await?
    };
    if common.json {
        let feeds: Vec<Value> = feeds.iter().map(|feed| feed_document(feed, now)).collect();
        let attention: Vec<Value> = attention.iter().map(attention_document).collect();
        return print_json(&json!({ "feeds": feeds, "attention": attention }));
    }
    print_overview(id, &feeds, now)?;
    for it in &attention {
        say(format!(
            "since {} UTC: {}",
            minute(it.since),
            clean(&it.text)
        ))?;
    }
    Ok(())
}

fn print_overview(id: &DealerId, feeds: &[FeedOverview], now: Timestamp) -> Result<(), Failure> {
    if feeds.is_empty() {
        return say(format!("dealer {id} has no feeds, and no file ever came"));
    }
    let mut rows = table([
        "feed",
        "last file (UTC)",
        "state",
        "age",
        "rows",
        "published",
        "on the lot",
        "next expected (UTC)",
    ]);
    for feed in feeds {
        let last = feed.last.as_ref();
        let text = |of: fn(&RunRecord) -> String| last.map(of).unwrap_or_default();
        rows.add_row([
            clean(&feed.feed),
            text(|run| minute(run.received_at)),
            text(|run| run.state.as_str().to_owned()),
            last.map(|run| age(now.duration_since(run.received_at)))
                .unwrap_or_default(),
            text(|run| run.rows.to_string()),
            text(|run| run.published.to_string()),
            feed.on_lot.to_string(),
            feed.next_expected.map(minute).unwrap_or_default(),
        ]);
    }
    keep_whole(&mut rows, &[1, 2, 7]);
    say(rows)
}

pub(super) fn feed_document(feed: &FeedOverview, now: Timestamp) -> Value {
    json!({
        "feed": feed.feed,
        "last_run": feed.last.as_ref().map(run_document),
        "age_seconds": feed.last.as_ref().map(|run| now.duration_since(run.received_at).as_secs()),
        "last_applied_at": feed.last_applied_at,
        "on_lot": feed.on_lot,
        "next_expected": feed.next_expected,
    })
}

pub(super) fn attention_document(it: &Attention) -> Value {
    json!({
        "cause": it.cause,
        "kind": it.kind.as_str(),
        "feed": it.feed,
        "since": it.since,
        "run": it.run.map(|run| run.to_string()),
        "text": it.text,
    })
}

async fn runs(
    common: &Common,
    store: &Store,
    id: &DealerId,
    feed: Option<String>,
    limit: u32,
) -> Result<(), Failure> {
    let runs = {
        let (id, feed) = (id.clone(), feed.clone());
        let read = move |conn: &mut dyn store::Conn| stock::runs(conn, &id, feed.as_deref(), limit);
        store.read(read).await?
    };
    let of = feed.map(|feed| format!(" of feed {feed}"));
    print_runs(common, &runs, &of.unwrap_or_default())
}

/// Lists runs; `of` says in words of what, should there be none.
pub(super) fn print_runs(common: &Common, runs: &[RunRecord], of: &str) -> Result<(), Failure> {
    if common.json {
        let runs: Vec<Value> = runs.iter().map(run_document).collect();
        return print_json(&json!({ "runs": runs }));
    }
    if runs.is_empty() {
        return say(format!("no file{of} ever came"));
    }
    let mut rows = table(["at (UTC)", "feed", "state", "rows", "published", "run"]);
    for run in runs {
        rows.add_row([
            minute(run.received_at),
            clean(&run.feed),
            state(run),
            run.rows.to_string(),
            run.published.to_string(),
            run.id.to_string(),
        ]);
    }
    keep_whole(&mut rows, &[0, 5]);
    say(rows)
}

fn state(run: &RunRecord) -> String {
    match &run.accepted_by {
        Some(by) => format!("accepted by {}", clean(by)),
        None => run.state.as_str().to_owned(),
    }
}

async fn show(common: &Common, store: &Store, id: &DealerId, run: Uuid) -> Result<(), Failure> {
    let (record, report) = {
        let id = id.clone();
        let read = move |conn: &mut dyn store::Conn| {
            let record = stock::run(conn, &id, run)?;
            let report = stock::report(conn, &id, run)?;
            Ok::<_, stock::Error>((record, report))
        };
        store.read(read).await?
    };
    let record = record.ok_or_else(|| AcceptError::UnknownRun(run))?;
    print_run(common, &record, report.as_ref())
}

/// Shows a run and the report on it.
pub(super) fn print_run(
    common: &Common,
    record: &RunRecord,
    report: Option<&Value>,
) -> Result<(), Failure> {
    if common.json {
        return print_json(&json!({ "run": run_document(record), "report": report }));
    }
    let mut rows = table(["field", "value"]);
    for (field, value) in run_document(record).as_object().into_iter().flatten() {
        match value {
            Value::Null | Value::Array(_) => {}
            Value::String(text) => {
                rows.add_row([field.clone(), clean(text)]);
            }
            other => {
                rows.add_row([field.clone(), other.to_string()]);
            }
        }
    }
    keep_whole(&mut rows, &[0]);
    say(rows)?;
    let Some(report) = report else {
        return say("the report on its rows is not kept any more");
    };
    let place = report["rows_by"].as_str().unwrap_or("line");
    import::print_kept_findings("rows skipped", place, &report["skipped"])?;
    import::print_kept_findings("warnings", place, &report["warnings"])
}

fn run_document(run: &RunRecord) -> Value {
    json!({
        "id": run.id.to_string(),
        "feed": run.feed,
        "received_at": run.received_at,
        "file_name": run.file_name,
        "file_digest": run.file_digest,
        "layout": run.layout,
        "state": run.state.as_str(),
        "reason": run.reason,
        "held": run.held,
        "accepts": run.accepts.map(|run| run.to_string()),
        "accepted_by": run.accepted_by,
        "rows": run.rows,
        "skipped": run.skipped,
        "warnings": run.warnings,
        "published": run.published,
        "added": run.added,
        "changed": run.changed,
        "withdrawn": run.withdrawn,
    })
}
