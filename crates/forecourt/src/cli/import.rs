//! `import`: read a vendor's feed file, publish what it holds, and report every row that was not.

use std::{path::Path, process::ExitCode};

use dealers::{Dealer, DealerId, FeedSettings};
use inventory::{
    feed::{self, FeedReport, Finding, ReadOptions, RowsBy},
    intake::{self, Arrival},
    stock::RunOutcome,
};
use serde_json::json;
use store::Clock;

use super::{
    Common,
    outcome::{Exit, Failure, complain, print_json, say, table},
    site,
    text::clean,
};
use crate::config::{Config, ConfigError};

/// Findings that are printed for a person; `--json` prints all.
const SHOWN: usize = 20;

pub(super) fn import(
    common: &Common,
    file: &Path,
    feed: Option<&str>,
    dry_run: bool,
) -> Result<ExitCode, Failure> {
    let bytes = std::fs::read(file).map_err(|error| {
        Failure::refused("io", format!("cannot read {}: {error}", file.display()))
    })?;
    if dry_run {
        let report = dry(common, feed, &bytes)?;
        return finish(common, file, &report, None);
    }
    let site = site::open(common, true)?;
    let (id, dealer) = site::dealer(common, &site.config)?;
    let (name, _) = feed_settings(id, dealer, feed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let file_name = file.file_name().map(|name| name.to_string_lossy());
    let arrival = Arrival {
        feed: &name,
        file_name: file_name.as_deref(),
        bytes: &bytes,
    };
    let (report, outcome) = runtime.block_on(intake::publish(&site.store, id, dealer, arrival))?;
    finish(common, file, &report, Some(&outcome))
}

/// Reads a file as it would be published. Without a configuration nothing is known of the dealer,
/// and the file is read on its own.
fn dry(common: &Common, feed: Option<&str>, bytes: &[u8]) -> Result<FeedReport, Failure> {
    let path = site::config_path(common);
    let today = intake::today(&Clock::system());
    let options = match Config::read(&path) {
        Ok(config) => {
            let (id, dealer) = site::dealer(common, &config)?;
            let (_, settings) = feed_settings(id, dealer, feed)?;
            ReadOptions::of(dealer, &settings, today)
        }
        Err(ConfigError::Missing { .. }) if common.config.is_none() => ReadOptions::new(today),
        Err(error) => return Err(error.into()),
    };
    Ok(feed::read(bytes, &options))
}

/// The feed that the flag names, the only one, or one of which nothing is stated.
fn feed_settings(
    id: &DealerId,
    dealer: &Dealer,
    feed: Option<&str>,
) -> Result<(String, FeedSettings), Failure> {
    let names: Vec<&str> = dealer.feeds.keys().map(String::as_str).collect();
    let name = match (feed, names.as_slice()) {
        (Some(name), []) => name,
        (Some(name), names) if names.contains(&name) => name,
        (Some(name), names) => {
            return Err(Failure::usage(format!(
                "dealer {id} has no feed {name:?}; it has {}",
                names.join(", ")
            )));
        }
        (None, []) => "default",
        (None, [only]) => only,
        (None, names) => {
            return Err(Failure::usage(format!(
                "dealer {id} has several feeds; name one with --feed: {}",
                names.join(", ")
            )));
        }
    };
    let settings = dealer.feeds.get(name).cloned().unwrap_or_default();
    Ok((name.to_owned(), settings))
}

/// Prints the report. A refused feed ends with status 1; skipped rows alone do not.
fn finish(
    common: &Common,
    file: &Path,
    report: &FeedReport,
    outcome: Option<&RunOutcome>,
) -> Result<ExitCode, Failure> {
    let kept = outcome.and_then(|outcome| outcome.kept_last_good.as_deref());
    let refused = report
        .refused
        .as_ref()
        .map(|refusal| refusal.message.as_str())
        .or(kept);
    if common.json {
        let mut document = json!(report);
        if let Some(outcome) = outcome {
            document["run"] = json!({
                "added": outcome.added,
                "changed": outcome.changed,
                "withdrawn": outcome.withdrawn,
                "reason": outcome.kept_last_good,
                "price_differences": outcome.price_differences.iter().map(|it| json!({
                    "vin": it.vin,
                    "offers": it.offers.iter().map(|offer| json!({
                        "rooftop": offer.rooftop,
                        "price": offer.price,
                        "list_price": offer.list_price,
                    })).collect::<Vec<_>>(),
                })).collect::<Vec<_>>(),
            });
        }
        print_json(&document)?;
    } else {
        print_report(file, report, outcome)?;
    }
    match refused {
        None => Ok(ExitCode::SUCCESS),
        Some(reason) => {
            complain(format!(
                "{} was refused and the last good stock stays up: {reason}",
                file.display()
            ));
            Ok(ExitCode::from(Exit::Refused as u8))
        }
    }
}

fn print_report(
    file: &Path,
    report: &FeedReport,
    outcome: Option<&RunOutcome>,
) -> Result<(), Failure> {
    say(format!("{}: {}", file.display(), form(report)))?;
    match outcome {
        None => say(format!("{} vehicles would be published", report.published))?,
        Some(outcome) => say(format!(
            "{} vehicles published: {} added, {} changed, {} withdrawn",
            outcome.published, outcome.added, outcome.changed, outcome.withdrawn
        ))?,
    }
    let mut dropped = table(["column not published"]);
    for column in report.columns.iter().filter(|it| it.field.is_none()) {
        dropped.add_row([clean(&column.header)]);
    }
    if !dropped.is_empty() {
        say(format!("\n{dropped}"))?;
    }
    let place = match report.rows_by {
        RowsBy::Record => "record",
        _ => "line",
    };
    print_findings("rows skipped", place, &report.skipped)?;
    print_findings("warnings", place, &report.warnings)
}

/// The form of a file in words: `zip with xml in google_merchant layout, utf-8, 120 rows`.
fn form(report: &FeedReport) -> String {
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let packed = report
        .container
        .map(|container| format!("{} with ", word(json!(container))))
        .unwrap_or_default();
    let encoding = match report.encoding.as_str() {
        // The file was refused before it was read as text.
        "" => return format!("{packed}no readable text"),
        encoding => encoding,
    };
    format!(
        "{packed}{} in {} layout, {encoding}, {} rows",
        word(json!(report.format)),
        word(json!(report.layout)),
        report.rows
    )
}

/// `place` is what the findings' rows count.
fn print_findings(title: &str, place: &str, findings: &[Finding]) -> Result<(), Failure> {
    if findings.is_empty() {
        return Ok(());
    }
    let mut rows = table([place, "column", "value", "what"]);
    for finding in findings.iter().take(SHOWN) {
        rows.add_row([
            finding.row.to_string(),
            clean(finding.column.as_deref().unwrap_or_default()),
            clean(finding.value.as_deref().unwrap_or_default()),
            clean(&finding.message),
        ]);
    }
    say(format!("\n{title}: {}\n{rows}", findings.len()))?;
    if findings.len() > SHOWN {
        say(format!(
            "and {} more; --json lists all",
            findings.len() - SHOWN
        ))?;
    }
    Ok(())
}
