//! A server beside the bare one that gives the same answers.

use crate::{
    child::Child,
    load::Turn,
    report::{Budget, Report, Side},
    turns::Spread,
};

/// Connections that the load is spread over: enough to keep both cores of a small machine busy.
pub(crate) const CONNECTIONS: usize = 8;

/// Two servers in turns, after one turn each to warm up. Whoever begins changes from turn to turn.
pub(crate) fn versus(
    name: &'static str,
    budget: Budget,
    (ours, bare): (&mut Child, &mut Child),
    turn: impl Fn(&mut Child) -> anyhow::Result<Turn>,
    quick: bool,
) -> anyhow::Result<Report> {
    let turns = if quick { 1 } else { 9 };
    turn(ours)?;
    turn(bare)?;
    let mut pairs: Vec<(Turn, Turn)> = Vec::new();
    for number in 0..turns {
        pairs.push(if number % 2 == 0 {
            let ours = turn(ours)?;
            (ours, turn(bare)?)
        } else {
            let bare = turn(bare)?;
            (turn(ours)?, bare)
        });
    }
    let ratios: Vec<f64> = pairs
        .iter()
        .map(|(ours, bare)| ours.cpu_per_request() / bare.cpu_per_request())
        .collect();
    let (ours, bare): (Vec<Turn>, Vec<Turn>) = pairs.into_iter().unzip();
    Ok(Report {
        name,
        unit: "times",
        figure: Spread::of(&ratios),
        budget,
        kept_because: None,
        sides: vec![side("ours", &ours), side("bare", &bare)],
    })
}

/// What was measured of one side: medians over its turns.
pub(crate) fn side(name: &'static str, turns: &[Turn]) -> Side {
    Side::new(
        name,
        [
            ("CPU µs", median(turns, Turn::cpu_per_request)),
            ("requests/s", median(turns, Turn::per_second)),
            ("p50 ms", median(turns, |turn| turn.latency(0.5))),
            ("p99 ms", median(turns, |turn| turn.latency(0.99))),
        ],
    )
}

/// The median over turns.
pub(crate) fn median(turns: &[Turn], of: impl Fn(&Turn) -> f64) -> f64 {
    Spread::of(&turns.iter().map(of).collect::<Vec<_>>()).median
}
