//! Files as vendors export them, each with the exact report on it beside it.

use serde_json::Value;

use super::super::{FeedReport, ReadOptions, read};
use super::options;

#[test]
fn homenet_in_windows_1252() {
    let report = read(
        include_bytes!("../../../tests/fixtures/feeds/homenet.csv"),
        &options(),
    );
    expect(
        &report,
        include_str!("../../../tests/fixtures/feeds/homenet.report.json"),
    );
    // A quoted line break in row 2 makes the next record begin at line 4.
    assert_eq!(rows(&report)[..2], [2, 4]);
}

#[test]
fn vauto_of_two_rooftops() {
    let options = two_rooftops();
    let report = read(
        include_bytes!("../../../tests/fixtures/feeds/vauto.csv"),
        &options,
    );
    expect(
        &report,
        include_str!("../../../tests/fixtures/feeds/vauto.report.json"),
    );
    let sold: Vec<_> = report
        .sold
        .iter()
        .map(|unit| (unit.row, unit.stock.as_deref()))
        .collect();
    assert_eq!(sold, [(6, Some("U612"))]);
}

#[test]
fn unknown_vendor_with_pipes() {
    let report = read(
        include_bytes!("../../../tests/fixtures/feeds/pipe.txt"),
        &options(),
    );
    expect(
        &report,
        include_str!("../../../tests/fixtures/feeds/pipe.report.json"),
    );
}

#[test]
fn listings_with_tabs_and_inch_marks() {
    let report = read(
        include_bytes!("../../../tests/fixtures/feeds/listings.tsv"),
        &options(),
    );
    expect(
        &report,
        include_str!("../../../tests/fixtures/feeds/listings.report.json"),
    );
}

fn two_rooftops() -> ReadOptions {
    let mut options = options();
    options.rooftops = [("DCID1", "North Motors"), ("DCID2", "South Motors")]
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .to_vec();
    options
}

fn rows(report: &FeedReport) -> Vec<u64> {
    report.vehicles.iter().map(|read| read.row).collect()
}

/// Compares vehicle by vehicle and finding by finding, so that a difference is readable.
pub(super) fn expect(report: &FeedReport, expected: &str) {
    let found = serde_json::to_value(report).expect("a report serialises");
    let expected: Value = serde_json::from_str(expected).expect("the expected report is JSON");
    for key in ["skipped", "warnings", "vehicles", "columns"] {
        let lists = (list(&found, key), list(&expected, key));
        for (found, expected) in lists.0.iter().zip(lists.1) {
            assert_eq!(found, expected, "{key}");
        }
    }
    assert_eq!(found, expected);
}

fn list<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().map_or(&[], Vec::as_slice)
}
