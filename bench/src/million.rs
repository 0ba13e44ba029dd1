//! Search, facets and memory on a stock of 1,000,000 vehicles.

use std::hint::black_box;

use aap::vehicle::Vehicle;
use allocation_counter::measure;
use anyhow::Context;
use dealers::PageLimits;
use inventory::{listing::Listing, snapshot::Snapshot};

use crate::{
    pass::Column,
    queries,
    report::{Budget, Report, Side},
    stock::{self, Lot},
    turns::{Spread, cpu_of, quantile},
};

/// Searches and facets in passes, and bytes per vehicle.
pub(crate) fn million(quick: bool) -> anyhow::Result<Vec<Report>> {
    let vehicles = if quick { 20_000 } else { 1_000_000 };
    let rounds = if quick { 1 } else { 5 };
    // First the stock without words, which is then gone: two would not fit into a small machine.
    let bare = weigh(vehicles, stock::without_words)?;
    let json = json_bytes(&bare.snapshot);
    drop(bare.snapshot);
    let full = weigh(vehicles, |vehicle| vehicle)?;
    let weight = weight(&full)?;
    let memory = memory(vehicles, json, bare.bytes, full.bytes);

    let snapshot = full.snapshot;
    let searches = queries::searches(&snapshot, 100)?;
    let page = PageLimits::default();
    let search = in_passes(rounds, &searches, |request| snapshot.search(request, page));
    let filters = queries::filters(snapshot.len(), 30);
    let facets = in_passes(rounds, &filters, |filters| snapshot.facets(Some(filters)));
    Ok(vec![
        search.report("search-1M-median", 0.5, 1.5),
        search.report("search-1M-p90", 0.9, 5.0),
        facets.report("facets-1M-median", 0.5, 12.0),
        facets.report("facets-1M-p90", 0.9, 20.0),
        memory,
        weight,
    ])
}

/// Vehicles of a dealer of usual size.
const USUAL: u32 = 250;

/// What stock in memory holds beside what it is taken for where `limits.stock_megabytes` bounds it.
fn weight(full: &Weighed) -> anyhow::Result<Report> {
    let usual = weigh(USUAL, |vehicle| vehicle)?;
    let none = weigh(0, |vehicle| vehicle)?;
    let of = |stock: &Weighed| stock.bytes / stock.snapshot.weight() as f64;
    Ok(Report {
        name: "weight, 250 vehicles",
        unit: "times",
        figure: Spread::of(&[of(&usual)]),
        budget: Budget::AtMost(1.1),
        kept_because: None,
        sides: vec![
            Side::new("held", [("bytes", usual.bytes)]),
            Side::new("taken for", [("bytes", usual.snapshot.weight() as f64)]),
            Side::new("no vehicle", [("bytes", none.bytes), ("times", of(&none))]),
            Side::new("all of them", [("times", of(full))]),
        ],
    })
}

/// What each question took in passes, round by round.
struct Passes {
    rounds: Vec<Vec<f64>>,
    /// Median of a pass in microseconds.
    pass: f64,
}

/// Asks every question in every round, each beside a pass of its own, as passes take longer or
/// shorter from one moment to the next.
fn in_passes<Q, A>(rounds: usize, questions: &[Q], ask: impl Fn(&Q) -> A) -> Passes {
    let column = Column::new();
    let mut passes = Vec::new();
    let rounds = (0..rounds)
        .map(|_| {
            let one = |question| {
                let pass = column.pass();
                let (time, answer) = cpu_of(|| ask(black_box(question)));
                black_box(&answer);
                passes.push(pass * 1e6);
                time.as_secs_f64() / pass
            };
            questions.iter().map(one).collect()
        })
        .collect();
    Passes {
        rounds,
        pass: quantile(&passes, 0.5),
    }
}

impl Passes {
    fn report(&self, name: &'static str, share: f64, budget: f64) -> Report {
        let of_rounds: Vec<f64> = self
            .rounds
            .iter()
            .map(|round| quantile(round, share))
            .collect();
        let figure = Spread::of(&of_rounds);
        Report {
            name,
            unit: "passes",
            figure,
            budget: Budget::AtMost(budget),
            kept_because: None,
            sides: vec![
                Side::new("ours", [("CPU µs", figure.median * self.pass)]),
                Side::new("a pass", [("CPU µs", self.pass)]),
            ],
        }
    }
}

/// A snapshot and the bytes that it holds, as they were asked of the allocator.
struct Weighed {
    snapshot: Snapshot,
    bytes: f64,
}

fn weigh(vehicles: u32, change: impl Fn(Vehicle) -> Vehicle) -> anyhow::Result<Weighed> {
    let mut built = None;
    let counted = measure(|| built = Some(snapshot(vehicles, change)));
    Ok(Weighed {
        snapshot: built.context("nothing was built")??,
        bytes: counted.bytes_current as f64,
    })
}

/// A snapshot of a made-up stock, each vehicle changed as told.
pub(crate) fn snapshot(
    vehicles: u32,
    change: impl Fn(Vehicle) -> Vehicle,
) -> Result<Snapshot, serde_json::Error> {
    let listings = Lot::new(vehicles)
        .units()
        .map(|unit| {
            let vehicle = change(unit.vehicle());
            Listing {
                rooftops: vehicle.rooftop.iter().cloned().collect(),
                vehicle,
            }
        })
        .collect();
    Snapshot::build(listings, Vec::new(), &stock::rooftops(), 1)
}

/// Bytes of the JSON of all vehicles.
fn json_bytes(snapshot: &Snapshot) -> f64 {
    let mut limits = PageLimits::default();
    limits.default = snapshot.len() as u64;
    limits.most = limits.default;
    let every = snapshot.search(&aap::inventory::SearchRequest::default(), limits);
    let lengths = every
        .result
        .vehicles
        .iter()
        .map(|json| json.get().len() as f64);
    lengths.sum()
}

/// The word index is what the same stock without words does not hold.
fn memory(vehicles: u32, json: f64, without_words: f64, with_words: f64) -> Report {
    let each = |bytes: f64| bytes / f64::from(vehicles);
    let figure = each(without_words - json);
    Report {
        name: "memory",
        unit: "bytes",
        figure: Spread::of(&[figure]),
        budget: Budget::AtMost(250.0),
        kept_because: None,
        sides: vec![Side::new(
            "a vehicle",
            [
                ("JSON", each(json)),
                ("word index", each(with_words - without_words)),
            ],
        )],
    }
}
