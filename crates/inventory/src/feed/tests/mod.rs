//! Whole files, from bytes to reports.

mod archives;
mod columns;
mod documents;
mod fixtures;
mod headerless;
mod pages;
mod pitfalls;
mod prices;
mod property;
mod refusals;
mod rows;
mod units;
mod values;
mod xml;

use jiff::civil::date;

use super::{FeedReport, Finding, FindingCode, ReadOptions, read};
use aap::vehicle::Vehicle;

/// Options on the first of May 2026 of a dealer of whom nothing is known.
fn options() -> ReadOptions {
    ReadOptions::new(date(2026, 5, 1))
}

fn report(text: &str) -> FeedReport {
    read(text.as_bytes(), &options())
}

/// The vehicle of a file with one row, and what there is to say about it.
fn single(header: &str, row: &str) -> (Vehicle, Vec<(Option<String>, FindingCode)>) {
    let report = report(&format!("{header}\n{row}\n"));
    assert_eq!(report.refused, None, "{header}\n{row}");
    let vehicle = report.vehicles[0].vehicle.clone();
    let findings = report
        .warnings
        .into_iter()
        .map(|w| (w.column, w.code))
        .collect();
    (vehicle, findings)
}

/// Row, column and code of findings.
fn places(findings: &[Finding]) -> Vec<(u64, Option<&str>, FindingCode)> {
    findings
        .iter()
        .map(|finding| (finding.row, finding.column.as_deref(), finding.code))
        .collect()
}

fn stocks(report: &FeedReport) -> Vec<&str> {
    report
        .vehicles
        .iter()
        .map(|read| read.vehicle.stock.as_deref().unwrap_or_default())
        .collect()
}
