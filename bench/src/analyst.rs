//! The analyst beside DuckDB on a large file, and beside the least that an attached file costs.

mod catalog;
mod file;
mod peer;

pub(crate) use file::ask_file;

use std::hint::black_box;

use ::analyst::{Attachment, Plan, Sources, Table, render, table::Limits};
use anyhow::ensure;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::json;

use crate::{
    child,
    import::read_cells,
    load::{self, Load},
    report::{Budget, Report, Side},
    stock::Lot,
    turns::{Spread, cpu_of},
};

/// What is asked of the made-up catalog; `analyst/peer.py` asks the same.
const QUESTION: &str = "What is the median price by category?";
/// Rows of an attached file.
const ATTACHED: u32 = 10_000;

pub(crate) fn analyst(quick: bool) -> anyhow::Result<Vec<Report>> {
    let mut reports = large_file(quick)?;
    reports.push(attached(quick)?);
    reports.push(attached_over_http(quick)?);
    Ok(reports)
}

/// A file of 1,000,000 products, read whole and grouped: CPU time beside DuckDB on one thread, and memory
/// beside the size of the file.
fn large_file(quick: bool) -> anyhow::Result<Vec<Report>> {
    let (rows, turns) = if quick { (10_000, 1) } else { (1_000_000, 5) };
    let folder = child::folder()?;
    let path = folder.path().join("catalog.csv");
    let size = catalog::write(&path, rows)? as f64;
    let mut pairs = Vec::new();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for number in 0..=turns {
        let our_answer = file::ask(&path)?;
        ensure!(our_answer.rows == rows, "{} rows", our_answer.rows);
        let Some(their_answer) = peer::ask(&path)? else {
            ours.push(our_answer);
            continue;
        };
        ensure!(
            our_answer.groups == their_answer.groups,
            "two answers: {:?} and {:?}",
            our_answer.groups,
            their_answer.groups
        );
        // The first turn warms up.
        if number > 0 {
            pairs.push(our_answer.cpu / their_answer.cpu);
            ours.push(our_answer);
            theirs.push(their_answer);
        }
    }
    let has_peer = !theirs.is_empty();
    let median = |answers: &[file::Answer], of: fn(&file::Answer) -> f64| {
        Spread::of(&answers.iter().map(of).collect::<Vec<_>>()).median
    };
    let peaks: Vec<f64> = ours.iter().map(|answer| answer.peak / size).collect();
    let mut sides = vec![Side::new(
        "ours",
        [
            ("CPU ms", median(&ours, |answer| answer.cpu * 1e3)),
            ("reading ms", median(&ours, |answer| answer.reading * 1e3)),
        ],
    )];
    if has_peer {
        sides.push(Side::new(
            "DuckDB",
            [
                ("CPU ms", median(&theirs, |answer| answer.cpu * 1e3)),
                ("reading ms", median(&theirs, |answer| answer.reading * 1e3)),
                ("peak MB", median(&theirs, |answer| answer.peak / 1e6)),
            ],
        ));
    }
    let mut time = Report {
        name: "analyst, large file",
        unit: "times",
        figure: Spread::of(&pairs),
        budget: Budget::AtMost(2.0),
        kept_because: None,
        sides,
    };
    if !has_peer {
        let alone: Vec<f64> = ours.iter().map(|answer| answer.cpu).collect();
        time.figure = Spread::of(&alone);
        time.unit = "s CPU";
        time.budget = Budget::NoPeer;
    }
    time.about("file MB", size / 1e6);
    let memory = Report {
        name: "analyst, memory",
        unit: "times",
        figure: Spread::of(&peaks),
        budget: Budget::AtMost(2.0),
        kept_because: None,
        sides: vec![Side::new(
            "ours",
            [
                ("peak MB", median(&ours, |answer| answer.peak / 1e6)),
                ("file MB", size / 1e6),
            ],
        )],
    };
    Ok(vec![time, memory])
}

/// 10,000 rows that come with a question, from the characters of the attachment to the words of the answer,
/// beside decoding them from base64 and reading their cells.
fn attached(quick: bool) -> anyhow::Result<Report> {
    let turns = if quick { 1 } else { 15 };
    let folder = child::folder()?;
    let path = folder.path().join("catalog.csv");
    catalog::write(&path, u64::from(ATTACHED))?;
    let encoded = BASE64_STANDARD.encode(std::fs::read(&path)?);
    let (mut ratios, mut ours, mut plain) = (vec![], vec![], vec![]);
    for number in 0..=turns {
        let (least, cells) = cpu_of(|| least(&encoded));
        black_box(cells?);
        let (answering, text) = cpu_of(|| answer(&encoded));
        let text = text?;
        ensure!(text.contains("10,000 rows read"), "{text}");
        // The first turn warms up.
        if number > 0 {
            plain.push(least.as_secs_f64() * 1e3);
            ours.push(answering.as_secs_f64() * 1e3);
            ratios.push(answering.as_secs_f64() / least.as_secs_f64());
        }
    }
    Ok(Report {
        name: "analyst, attached",
        unit: "times",
        figure: Spread::of(&ratios),
        budget: Budget::AtMost(5.0),
        kept_because: None,
        sides: vec![
            Side::new("ours", [("ms", Spread::of(&ours).median)]),
            Side::new(
                "base64 and csv crate",
                [
                    ("ms", Spread::of(&plain).median),
                    ("file kB", encoded.len() as f64 * 0.75 / 1e3),
                ],
            ),
        ],
    })
}

/// The least that an attached file costs: its bytes, and each of its cells as text.
fn least(encoded: &str) -> anyhow::Result<usize> {
    Ok(read_cells(&BASE64_STANDARD.decode(encoded)?)?)
}

fn answer(encoded: &str) -> anyhow::Result<String> {
    let bytes = BASE64_STANDARD.decode(encoded)?;
    let table = Table::read("catalog.csv", &bytes, &Limits::default())?;
    let mut sources = Sources::default();
    sources.attached.push(Attachment::Table(table));
    let plan = Plan::of(QUESTION, &sources, &[]);
    let finding = plan.find(0, &sources);
    Ok(finding.map_or_else(String::new, |finding| render::text(&finding)))
}

/// A whole request to the demo's analyst with other dealers' cars attached, in the server's process.
fn attached_over_http(quick: bool) -> anyhow::Result<Report> {
    let (turns, requests) = if quick { (1, 2) } else { (9, 10) };
    let file = Lot::new(ATTACHED).feed()?;
    let encoded = BASE64_STANDARD.encode(&file);
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "message/send",
        "params": { "message": { "parts": [
            { "kind": "text", "text": "Which of our cars are overpriced?" },
            { "kind": "file", "file": { "name": "market.csv", "mimeType": "text/csv", "bytes": encoded } },
        ] } },
    });
    let folder = child::folder()?;
    let mut server = child::serve(folder.path(), &["--demo"])?;
    let load = Load {
        path: "/analyst",
        connections: 1,
        requests,
        bodies: &[body.to_string()],
        expected: "market.csv (attached): 10,000 rows read",
    };
    let (mut ratios, mut ours, mut plain) = (vec![], vec![], vec![]);
    for number in 0..=turns {
        let (least, cells) = cpu_of(|| least(&encoded));
        black_box(cells?);
        let turn = load::turn(&mut server, load)?;
        if number > 0 {
            plain.push(least.as_secs_f64() * 1e3);
            ours.push(turn.cpu_per_request() / 1e3);
            ratios.push(turn.cpu_per_request() / 1e6 / least.as_secs_f64());
        }
    }
    Ok(Report {
        name: "analyst, attached, HTTP",
        unit: "times",
        figure: Spread::of(&ratios),
        budget: Budget::AtMost(5.0),
        kept_because: None,
        sides: vec![
            Side::new("server", [("ms", Spread::of(&ours).median)]),
            Side::new(
                "base64 and csv crate",
                [
                    ("ms", Spread::of(&plain).median),
                    ("file kB", file.len() as f64 / 1e3),
                ],
            ),
        ],
    })
}
