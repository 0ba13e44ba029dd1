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

use aap::vehicle::Vehicle;
use jiff::civil::date;

use super::{FeedReport, Finding, FindingCode, ReadOptions, RefusalCode, read};

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

/// The report on a file that is refused, under this code and in words that contain these.
#[track_caller]
fn refused(file: &(impl AsRef<[u8]> + ?Sized), code: RefusalCode, words: &[&str]) -> FeedReport {
    let report = read(file.as_ref(), &options());
    let refusal = report.refused.as_ref().expect("the file is refused");
    assert_eq!(refusal.code, code, "{}", refusal.message);
    for part in words {
        assert!(
            refusal.message.contains(part),
            "{part}: {}",
            refusal.message
        );
    }
    assert!(report.kept_last_good && report.vehicles.is_empty());
    report
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
