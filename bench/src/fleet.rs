//! A vendor's server on PostgreSQL: 20,000 dealers of 250 vehicles each, asked as buyers ask, on one node
//! and on two. And what search and facets cost on PostgreSQL beside SQLite: nothing, as both are
//! served from memory.

use std::{fmt::Write as _, path::Path, time::Instant};

use anyhow::{Context, ensure};
use serde_json::json;
use store::{Clock, Error, Options, Store};
use testkit::postgres::Postgres;

use crate::{
    child::{self, Child},
    dealer,
    load::{self, Connection, Load, Turn},
    report::{Budget, Report, Side},
    serve::PATH,
    stock::Lot,
    turns::{Spread, quantile},
    versus::{CONNECTIONS, side, versus},
};

const DEALERS: usize = 20_000;
const VEHICLES: u32 = 250;
/// Dealers that are asked for the first time.
const COLD: usize = 500;
/// Requests of one turn.
const REQUESTS: usize = 20_000;
/// The dealer whose stock is imported; the others get copies.
const FIRST: &str = "d00000";

/// What a fleet of dealers costs.
pub(crate) fn fleet(quick: bool) -> anyhow::Result<Vec<Report>> {
    let server = Postgres::start().context("PostgreSQL is not installed")?;
    let url = server.database();
    let folder = child::folder()?;
    let dealers = if quick { 200 } else { DEALERS };
    std::fs::write(
        folder.path().join("forecourt.toml"),
        configuration(dealers)?,
    )?;
    fill(folder.path(), &url, dealers)?;
    let begin = Instant::now();
    let first = node(folder.path(), &url)?;
    let started = begin.elapsed();
    let at_start = first.resident()?;
    let mut random = fastrand::Rng::with_seed(20_000);
    let cold = cold(&first, &mut random, dealers, if quick { 20 } else { COLD })?;
    let requests = zipf(&mut random, dealers, if quick { 500 } else { REQUESTS });
    let mut nodes = vec![first];
    // What is asked for often is in memory after the first turn.
    turn(&mut nodes, &requests)?;
    let turns = if quick { 1 } else { 5 };
    let alone = repeat(turns, || turn(&mut nodes, &requests))?;
    let at_end = nodes[0].resident()?;
    nodes.push(node(folder.path(), &url)?);
    turn(&mut nodes, &requests)?;
    let both = repeat(turns, || turn(&mut nodes, &requests))?;

    let ratios: Vec<f64> = both
        .iter()
        .zip(&alone)
        .map(|(two, one)| two.cpu_per_request() / one.cpu_per_request())
        .collect();
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    Ok(vec![
        Report {
            name: "fleet, first answer",
            unit: "ms",
            figure: Spread::of(&cold),
            budget: Budget::Open,
            kept_because: None,
            sides: vec![Side::new(
                "one node",
                [
                    ("dealers", dealers as f64),
                    ("s to start", started.as_secs_f64()),
                    ("MiB at start", mebibytes(at_start)),
                    ("MiB at the end", mebibytes(at_end)),
                    ("cold p50 ms", quantile(&cold, 0.5)),
                    ("cold p99 ms", quantile(&cold, 0.99)),
                ],
            )],
        },
        Report {
            name: "fleet, two nodes",
            unit: "times",
            figure: Spread::of(&ratios),
            budget: Budget::Open,
            kept_because: None,
            sides: vec![side("one node", &alone), side("two nodes", &both)],
        },
    ])
}

/// Search and facets on PostgreSQL beside the same on SQLite.
pub(crate) fn engines(quick: bool) -> anyhow::Result<Vec<Report>> {
    let server = Postgres::start().context("PostgreSQL is not installed")?;
    let folders = (child::folder()?, child::folder()?);
    let mut postgres = dealer::open_at(folders.0.path(), 1_000, &server.database())?;
    let mut sqlite = dealer::open(folders.1.path(), 1_000)?;
    let search = dealer::envelope(&dealer::search_payload());
    let facets = dealer::envelope(&json!({ "type": "inventory.facets.request" }));
    let mut reports = Vec::new();
    for (name, body, expected) in [
        ("search, PostgreSQL", search, "\"vin\""),
        ("facets, PostgreSQL", facets, "\"makes\""),
    ] {
        let load = Load {
            path: PATH,
            connections: CONNECTIONS,
            requests: if quick { 200 } else { 4_000 },
            bodies: &[body],
            expected,
        };
        let mut report = versus(
            name,
            Budget::AtMost(1.15),
            (&mut postgres, &mut sqlite),
            |server| load::turn(server, load),
            quick,
        )?;
        report.sides[0].name = "PostgreSQL";
        report.sides[1].name = "SQLite";
        reports.push(report);
    }
    Ok(reports)
}

/// The name of a dealer by its number.
fn dealer_id(number: usize) -> String {
    format!("d{number:05}")
}

fn configuration(dealers: usize) -> anyhow::Result<String> {
    let mut text = String::from("[limits]\nstock_megabytes = 2048\n");
    for number in 0..dealers {
        let id = dealer_id(number);
        write!(
            text,
            "[dealers.{id}]\nname = \"Motors {number}\"\ndefault_rooftop = \"North\"\n\
             [dealers.{id}.rooftops.North]\ntimezone = \"America/Chicago\"\n\
             [dealers.{id}.feeds.all]\nprice = {{ column = \"Internet_Price\", advertised = true }}\n"
        )?;
    }
    Ok(text)
}

/// Imports one dealer's stock and gives every other dealer the same.
fn fill(folder: &Path, url: &str, dealers: usize) -> anyhow::Result<()> {
    let feed = Lot::new(VEHICLES).feed_of_one_rooftop()?;
    dealer::import(folder, &feed, &["--store", url, "--dealer", FIRST])?;
    let options = Options::postgres(url)?.clock(Clock::system());
    let options = forecourt::app::with_schema(options);
    let store = Store::open(options)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let most = i64::try_from(dealers - 1)?;
    // A thousand dealers at a time, as a statement may not take for ever.
    for from in (1..=most).step_by(1_000) {
        let to = most.min(from + 999);
        runtime.block_on(store.write(move |conn| {
            for copy in COPIES {
                conn.execute(copy, &[from.into(), to.into(), FIRST.into()])?;
            }
            Ok::<_, Error>(())
        }))?;
    }
    Ok(())
}

const COPIES: [&str; 2] = [
    "INSERT INTO vehicle (dealer, unit, rooftop, feed, record, condition, status, price, list_price,
                          first_seen_at, seen_run, seen_at, gone_at)
     SELECT 'd' || lpad(CAST(number AS TEXT), 5, '0'), unit, rooftop, feed, record, condition, status, price,
            list_price, first_seen_at, seen_run, seen_at, gone_at
     FROM generate_series(CAST($1 AS BIGINT), CAST($2 AS BIGINT)) AS number, vehicle WHERE dealer = $3",
    "INSERT INTO stock_version (dealer, version)
     SELECT 'd' || lpad(CAST(number AS TEXT), 5, '0'), version
     FROM generate_series(CAST($1 AS BIGINT), CAST($2 AS BIGINT)) AS number, stock_version WHERE dealer = $3",
];

fn node(folder: &Path, url: &str) -> anyhow::Result<Child> {
    child::serve_installed(folder, &["--store", url])
}

/// Milliseconds to the first answer of dealers that nobody has asked before.
fn cold(
    server: &Child,
    random: &mut fastrand::Rng,
    dealers: usize,
    count: usize,
) -> anyhow::Result<Vec<f64>> {
    let mut numbers: Vec<usize> = (0..dealers).collect();
    random.shuffle(&mut numbers);
    let mut connection = Connection::open(server.address())?;
    let body = body();
    let numbers = numbers.into_iter().take(count);
    numbers
        .map(|number| Ok(ask(&mut connection, &path(number), &body)? * 1e3))
        .collect()
}

fn body() -> String {
    dealer::envelope(&dealer::search_payload())
}

fn path(number: usize) -> String {
    format!("/dealers/{}{PATH}", dealer_id(number))
}

/// Paths of dealers, chosen so that the dealer of rank n is asked one n-th as often as the first (Zipf's
/// law).
fn zipf(random: &mut fastrand::Rng, dealers: usize, requests: usize) -> Vec<String> {
    let mut sums = Vec::with_capacity(dealers);
    let mut sum = 0.0;
    for rank in 1..=dealers {
        sum += 1.0 / rank as f64;
        sums.push(sum);
    }
    let mut numbers: Vec<usize> = (0..dealers).collect();
    random.shuffle(&mut numbers);
    let chosen = (0..requests).map(|_| {
        let at = random.f64() * sum;
        path(numbers[sums.partition_point(|sum| *sum < at).min(dealers - 1)])
    });
    chosen.collect()
}

fn repeat(
    turns: usize,
    mut turn: impl FnMut() -> anyhow::Result<Turn>,
) -> anyhow::Result<Vec<Turn>> {
    (0..turns).map(|_| turn()).collect()
}

/// Sends every request, spread over the nodes.
fn turn(nodes: &mut [Child], requests: &[String]) -> anyhow::Result<Turn> {
    let addresses: Vec<_> = nodes.iter().map(Child::address).collect();
    let body = body();
    let drive = |first: usize| {
        let mut connection = Connection::open(addresses[first % addresses.len()])?;
        let paths = requests.iter().skip(first).step_by(CONNECTIONS);
        paths
            .map(|path| ask(&mut connection, path, &body))
            .collect()
    };
    load::measure_all(nodes, || load::side_by_side(CONNECTIONS, drive))
}

/// The seconds that a search takes.
fn ask(connection: &mut Connection, path: &str, body: &str) -> anyhow::Result<f64> {
    let sent = Instant::now();
    let answer = connection.post_to(path, body)?;
    let took = sent.elapsed().as_secs_f64();
    ensure!(answer.contains("\"vin\""), "no vehicle in {answer:.300}");
    Ok(took)
}
