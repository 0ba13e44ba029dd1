//! Leads, each on disk before it is answered, beside one commit after the other.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    child, dealer,
    load::{self, Load, Turn},
    report::{Budget, Report, Side},
    serve::PATH,
    stock::{self, Lot},
    turns::Spread,
    versus::median,
};

const VEHICLES: u32 = 200;
/// Agents that send leads at the same time.
const CONNECTIONS: usize = 64;
/// Cores that the server must keep busy to count as limited by its processor, not by the disk.
const SATURATED: f64 = 0.95;

/// Leads per second from 64 connections over commits per second, each with its wait for the disk.
pub(crate) fn leads(quick: bool) -> anyhow::Result<Report> {
    let (turns, requests) = if quick { (1, 128) } else { (5, 4_096) };
    let folder = child::folder()?;
    let mut server = dealer::open(folder.path(), VEHICLES)?;
    // What is measured is how leads are taken; their deliveries wait.
    for rooftop in stock::rooftops() {
        let data = folder.path().to_string_lossy();
        child::run_program(&["deliveries", "pause", &rooftop, "inbox", "--data", &data])?;
    }
    let commits = Commits::open(&folder.path().join("commits.sqlite"))?;
    let lot = Lot::new(VEHICLES);
    let mut rates = Vec::new();
    let mut taken = Vec::new();
    for number in 0..=turns {
        let bodies: Vec<String> = (0..requests)
            .map(|place| lead(&lot, number * requests + place))
            .collect();
        let load = Load {
            path: PATH,
            connections: CONNECTIONS,
            requests,
            bodies: &bodies,
            expected: "\"received\"",
        };
        let rate = commits.per_second(if quick { 0.1 } else { 1.0 })?;
        let turn = load::turn(&mut server, load)?;
        // The first turn warms up.
        if number > 0 {
            rates.push(rate);
            taken.push(turn);
        }
    }
    let ratios: Vec<f64> = taken
        .iter()
        .zip(&rates)
        .map(|(turn, rate)| turn.per_second() / rate)
        .collect();
    let cores = median(&taken, |turn| turn.cpu / turn.seconds);
    Ok(Report {
        name: "leads",
        unit: "times",
        figure: Spread::of(&ratios),
        budget: Budget::AtLeast(10.0),
        kept_because: (cores >= SATURATED).then_some("one core saturated"),
        sides: vec![
            Side::new(
                "ours",
                [
                    ("leads/s", median(&taken, Turn::per_second)),
                    ("CPU µs", median(&taken, Turn::cpu_per_request)),
                    ("cores", cores),
                    ("p50 ms", median(&taken, |turn| turn.latency(0.5))),
                    ("p99 ms", median(&taken, |turn| turn.latency(0.99))),
                ],
            ),
            Side::new("a commit each", [("commits/s", Spread::of(&rates).median)]),
        ],
    })
}

/// A lead like no other: person, key and car follow from its number.
pub(crate) fn lead(lot: &Lot, number: usize) -> String {
    let unit = lot.unit(number as u32 % VEHICLES);
    dealer::envelope(&json!({
        "type": "lead.submit.request",
        "customer": {
            "first_name": format!("Given{number}"),
            "last_name": "Example",
            "email": format!("person{number}@buyer.example"),
            "phone": format!("+1217{:07}", 5_550_000 + number),
            "preferred_contact": "email",
        },
        "consent": {
            "granted_at": "2025-05-01T12:00:00Z",
            "allowed_channels": ["email", "phone"],
            "scope": ["lead_submission"],
            "consent_text": "I agree that the dealer answers my question by email or telephone.",
        },
        "vehicle_of_interest": { "vin": unit.vin() },
        "message": "Is this one still on the lot, and may I see it on Saturday?",
        "source_agent": { "name": "bench" },
        "idempotency_key": format!("bench-{number}"),
    }))
}

/// What the engine does when each small commit waits for the disk alone, with the same settings
/// and on the same disk.
struct Commits(rusqlite::Connection);

impl Commits {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let engine = rusqlite::Connection::open(path)?;
        engine.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE entry (number INTEGER PRIMARY KEY, body TEXT NOT NULL);",
        )?;
        Ok(Self(engine))
    }

    fn per_second(&self, seconds: f64) -> anyhow::Result<f64> {
        let body = "x".repeat(512);
        let mut insert = self.0.prepare("INSERT INTO entry (body) VALUES (?1)")?;
        let begin = Instant::now();
        let mut commits = 0_u32;
        while begin.elapsed() < Duration::from_secs_f64(seconds) {
            insert.execute([&body])?;
            commits += 1;
        }
        Ok(f64::from(commits) / begin.elapsed().as_secs_f64())
    }
}
