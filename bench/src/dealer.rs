//! A dealer of 1,000 vehicles, asked for one of them and for a page of them.

use std::path::Path;

use anyhow::ensure;
use serde_json::{Value, json};

use crate::{
    child::{self, Child},
    load::{self, Connection, Load},
    message,
    report::{Budget, Report},
    serve::PATH,
    stock::{self, Lot},
    versus::{CONNECTIONS, versus},
};

const VEHICLES: u32 = 1_000;

/// `inventory.vehicle` beside bare axum that returns the same bytes.
pub(crate) fn vehicle(quick: bool) -> anyhow::Result<Report> {
    let payload =
        json!({ "type": "inventory.vehicle.request", "vin": Lot::new(VEHICLES).unit(500).vin() });
    compare("vehicle", 1.5, &payload, quick)
}

/// `inventory.search` beside bare axum that returns the same bytes.
pub(crate) fn search(quick: bool) -> anyhow::Result<Report> {
    compare("search", 2.0, &search_payload(), quick)
}

/// What a buyer's agent searches for.
pub(crate) fn search_payload() -> Value {
    json!({
        "type": "inventory.search.request",
        "filters": { "make": ["Honda", "Toyota", "Ford"], "condition": ["used"], "price_max": 40_000 },
        "sort": { "field": "price", "order": "asc" },
        "pagination": { "limit": 20 },
    })
}

fn compare(
    name: &'static str,
    budget: f64,
    payload: &Value,
    quick: bool,
) -> anyhow::Result<Report> {
    let folder = child::folder()?;
    let mut ours = open(folder.path(), VEHICLES)?;
    let body = envelope(payload);
    let answer = Connection::open(ours.address())?.post(&body)?.to_owned();
    ensure!(answer.contains("\"vin\""), "no vehicle in {answer:.300}");
    let file = folder.path().join("answer.json");
    std::fs::write(&file, &answer)?;
    let mut bare = Child::start(&["bare", &file.to_string_lossy()])?;
    let load = Load {
        path: PATH,
        connections: CONNECTIONS,
        requests: if quick { 200 } else { 4_000 },
        bodies: &[body],
        expected: "\"vin\"",
    };
    let mut report = versus(
        name,
        Budget::AtMost(budget),
        (&mut ours, &mut bare),
        |server| load::turn(server, load),
        quick,
    )?;
    report.about("answer bytes", answer.len() as f64);
    Ok(report)
}

/// A running program with a dealer whose stock came in by `forecourt import`, and whose leads go to
/// folders, as their tests have shown.
pub(crate) fn open(folder: &Path, vehicles: u32) -> anyhow::Result<Child> {
    open_with(folder, vehicles, stock::CONFIGURATION)
}

/// The same with its data in the database at a URL, where leads go nowhere.
pub(crate) fn open_at(folder: &Path, vehicles: u32, url: &str) -> anyhow::Result<Child> {
    std::fs::write(folder.join("forecourt.toml"), stock::CONFIGURATION)?;
    let store = ["--store", url];
    import(folder, &Lot::new(vehicles).feed()?, &store)?;
    child::serve(folder, &store)
}

/// The same with a configuration of its own.
pub(crate) fn open_with(
    folder: &Path,
    vehicles: u32,
    configuration: &str,
) -> anyhow::Result<Child> {
    std::fs::write(folder.join("forecourt.toml"), configuration)?;
    import(folder, &Lot::new(vehicles).feed()?, &[])?;
    for name in ["inbox", "desk"] {
        std::fs::create_dir_all(folder.join(name))?;
    }
    child::run_program(&["leads", "test", "--data", &folder.to_string_lossy()])?;
    child::serve(folder, &[])
}

/// Imports a feed into the data folder, with further flags.
pub(crate) fn import(folder: &Path, feed: &[u8], flags: &[&str]) -> anyhow::Result<()> {
    let file = folder.join("stock.csv");
    std::fs::write(&file, feed)?;
    let (file, data) = (file.to_string_lossy(), folder.to_string_lossy());
    child::run_program(&[&["import", &file, "--data", &data], flags].concat())
}

/// A payload as a buyer's agent sends it.
pub(crate) fn envelope(payload: &Value) -> String {
    message::send(&json!({ "data": payload, "mediaType": "application/json" }))
}
