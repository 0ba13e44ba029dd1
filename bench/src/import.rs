//! A feed file to a snapshot, beside the `csv` crate that reads the same file and does nothing.

use std::{hint::black_box, path::Path};

use anyhow::{Context, ensure};
use forecourt::config::Config;
use inventory::{
    feed::{self, FeedReport, ReadOptions},
    listing::Listing,
    snapshot::Snapshot,
};

use crate::{
    report::{Budget, Report, Side},
    stock::{self, Lot},
    turns::{Spread, cpu_of},
};

/// CPU time from bytes to snapshot, the database apart, over that of reading every cell as text.
pub(crate) fn import(quick: bool) -> anyhow::Result<Report> {
    let (vehicles, turns) = if quick { (1_000, 1) } else { (20_000, 7) };
    let file = Lot::new(vehicles).feed()?;
    let config = Config::parse(stock::CONFIGURATION, Path::new("forecourt.toml"))?;
    let (_, dealer) = config.dealers.first().context("no dealer")?;
    let (_, settings) = dealer.feeds.iter().next().context("no feed")?;
    let options = ReadOptions::of(dealer, settings, jiff::civil::date(2026, 5, 1));
    let (mut ratios, mut plain, mut reading, mut building) = (vec![], vec![], vec![], vec![]);
    for number in 0..=turns {
        let (csv, cells) = cpu_of(|| read_cells(&file));
        black_box(cells?);
        let (read, report) = cpu_of(|| feed::read(&file, &options));
        ensure!(
            report.published == u64::from(vehicles),
            "published {} of {vehicles}: {:?} {:?}",
            report.published,
            report.refused,
            report.skipped.first()
        );
        let (build, snapshot) = cpu_of(|| snapshot(report));
        ensure!(snapshot?.len() == vehicles as usize, "vehicles were lost");
        // The first turn warms up.
        if number > 0 {
            plain.push(csv.as_secs_f64() * 1e3);
            reading.push(read.as_secs_f64() * 1e3);
            building.push(build.as_secs_f64() * 1e3);
            ratios.push((read + build).as_secs_f64() / csv.as_secs_f64());
        }
    }
    Ok(Report {
        name: "import",
        unit: "times",
        figure: Spread::of(&ratios),
        budget: Budget::AtMost(6.0),
        kept_because: None,
        sides: vec![
            Side::new(
                "ours",
                [
                    ("feed ms", Spread::of(&reading).median),
                    ("snapshot ms", Spread::of(&building).median),
                ],
            ),
            Side::new(
                "csv crate",
                [
                    ("ms", Spread::of(&plain).median),
                    ("rows", f64::from(vehicles)),
                    ("file MB", file.len() as f64 / 1e6),
                ],
            ),
        ],
    })
}

/// Reads every cell of a file as text, and returns how long they are together.
pub(crate) fn read_cells(file: &[u8]) -> Result<usize, csv::Error> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(file);
    let mut record = csv::StringRecord::new();
    let mut length = 0;
    while reader.read_record(&mut record)? {
        length += record.as_slice().len();
    }
    Ok(length)
}

/// What the database adds to a vehicle is added here, as the database itself is left out.
fn snapshot(report: FeedReport) -> Result<Snapshot, serde_json::Error> {
    let listings = report
        .vehicles
        .into_iter()
        .map(|read| {
            let mut vehicle = read.vehicle;
            vehicle.dealer_id = Some("bench".to_owned());
            vehicle.updated_at = Some("2026-05-01T12:00:00Z".to_owned());
            Listing {
                rooftops: vehicle.rooftop.iter().cloned().collect(),
                vehicle,
            }
        })
        .collect();
    Snapshot::build(listings, Vec::new(), &stock::rooftops(), 1)
}
