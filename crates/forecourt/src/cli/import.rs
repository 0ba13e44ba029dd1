//! `import`: read a vendor's feed file, publish what it holds, and report every row that was not.

use std::{path::Path, process::ExitCode};

use dealers::{Dealer, DealerId, FeedSettings};
use inventory::{
    feed::{self, FeedReport, Finding, ReadOptions, RowsBy},
    intake::{self, Arrival},
    stock::{RunOutcome, RunState},
};
use serde_json::{Value, json};
use store::Clock;

use super::{
    Common,
    outcome::{Exit, Failure, complain, print_json, say, table},
    site,
    text::{clean, prices},
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
        return finish(common, &file.display().to_string(), &report, None);
    }
    let site = site::open(common, true)?;
    let (id, dealer) = site::dealer(common, &site.config)?;
    let (name, _) = feed_settings(id, dealer, feed)?;
    let runtime = super::runtime()?;
    let file_name = file.file_name().map(|name| name.to_string_lossy());
    let arrival = Arrival {
        feed: &name,
        file_name: file_name.as_deref(),
        bytes: &bytes,
    };
    let (report, outcome) = runtime.block_on(intake::publish(&site.store, id, dealer, arrival))?;
    finish(common, &file.display().to_string(), &report, Some(&outcome))
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

/// Prints the report on a file, by what people call it. A file that was not believed, whole or in
/// part, ends with status 1; skipped rows alone do not.
pub(super) fn finish(
    common: &Common,
    file: &str,
    report: &FeedReport,
    outcome: Option<&RunOutcome>,
) -> Result<ExitCode, Failure> {
    if common.json {
        let mut document = json!(report);
        if let Some(outcome) = outcome {
            document["run"] = outcome.document();
        }
        print_json(&document)?;
    } else {
        print_report(file, report, outcome)?;
    }
    let refused = report.refused.as_ref().map(|it| it.message.as_str());
    let kept = outcome.and_then(|outcome| outcome.kept_last_good.as_deref());
    let Some(reason) = refused.filter(|_| outcome.is_none()).or(kept) else {
        return Ok(ExitCode::SUCCESS);
    };
    let what = match outcome.map(|outcome| outcome.state) {
        Some(RunState::KeptInPart) => "was applied in part",
        Some(RunState::KeptLastGood) => "was not believed and the last good stock stays up",
        _ => "was refused and the last good stock stays up",
    };
    let way_out = outcome
        .filter(|outcome| outcome.state != RunState::Refused)
        .map(|it| format!("; `forecourt feeds accept {}` applies it after all", it.run));
    complain(format!(
        "{file} {what}: {reason}{}",
        way_out.unwrap_or_default()
    ));
    Ok(ExitCode::from(Exit::Refused as u8))
}

fn print_report(
    file: &str,
    report: &FeedReport,
    outcome: Option<&RunOutcome>,
) -> Result<(), Failure> {
    say(format!("{file}: {}", form(report)))?;
    match outcome {
        None => say(format!("{} vehicles would be published", report.published))?,
        Some(outcome) => say(format!(
            "{} vehicles published: {} added, {} changed, {} withdrawn",
            outcome.published, outcome.added, outcome.changed, outcome.withdrawn
        ))?,
    }
    if let Some(outcome) = outcome {
        print_comparison(outcome)?;
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

/// What came out when the file was compared with the stock.
fn print_comparison(outcome: &RunOutcome) -> Result<(), Failure> {
    let mut withheld = table(["withdrawn by hand, stays so", "stock", "rooftop", "reason"]);
    for unit in outcome.withheld.iter().take(SHOWN) {
        withheld.add_row([
            clean(unit.vin.as_deref().unwrap_or_default()),
            clean(unit.stock.as_deref().unwrap_or_default()),
            clean(&unit.rooftop),
            clean(unit.reason.as_deref().unwrap_or_default()),
        ]);
    }
    if !withheld.is_empty() {
        say(format!("\n{withheld}"))?;
    }
    let mut differences = table(["VIN at several prices", "rooftop", "price"]);
    for difference in outcome.price_differences.iter().take(SHOWN) {
        for (place, offer) in difference.offers.iter().enumerate() {
            differences.add_row([
                if place == 0 {
                    clean(&difference.vin)
                } else {
                    String::new()
                },
                clean(&offer.rooftop),
                prices(offer.price, offer.list_price),
            ]);
        }
    }
    if !differences.is_empty() {
        say(format!(
            "\n{differences}\nbuyers see the first price of each; `ownership` in the configuration sets the order"
        ))?;
    }
    Ok(())
}

fn print_findings(title: &str, place: &str, findings: &[Finding]) -> Result<(), Failure> {
    print_kept_findings(title, place, &json!(findings))
}

/// Prints findings in their JSON form, which is that of a kept report. `place` is what their rows
/// count.
pub(super) fn print_kept_findings(
    title: &str,
    place: &str,
    findings: &Value,
) -> Result<(), Failure> {
    let findings = findings.as_array().map(Vec::as_slice).unwrap_or_default();
    if findings.is_empty() {
        return Ok(());
    }
    let text = |finding: &Value, member: &str| match &finding[member] {
        Value::String(text) => clean(text),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let mut rows = table([place, "column", "value", "what"]);
    for finding in findings.iter().take(SHOWN) {
        rows.add_row(["row", "column", "value", "message"].map(|it| text(finding, it)));
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
