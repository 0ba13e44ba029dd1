//! Memory of a server that goes on serving: what is over leaves nothing behind.

use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::{
    child::Child,
    load::{self, Connection, Load},
    message,
    report::{Budget, Report, Side},
    serve::PATH,
    turns::Spread,
    versus::CONNECTIONS,
};

/// What memory may grow by, for what allocators do.
const FLAT: f64 = 1.1;
/// How many tasks the server keeps.
const KEPT: &str = "256";

/// Memory after many direct messages, and after many streams that their clients left.
pub(crate) fn resident(quick: bool) -> anyhow::Result<Vec<Report>> {
    Ok(vec![messages(quick)?, streams_left(quick)?])
}

/// Direct messages to an agent that has tasks too.
fn messages(quick: bool) -> anyhow::Result<Report> {
    let (messages, at_once) = if quick {
        (5_000, 500)
    } else {
        (1_000_000, 20_000)
    };
    let mut server = Child::start(&["chunks", "--keep", KEPT])?;
    let load = Load {
        path: PATH,
        connections: CONNECTIONS,
        requests: at_once,
        bodies: &[message::send(&json!({ "text": "Is it still there?" }))],
        expected: "\"ROLE_AGENT\"",
    };
    let mut send = |count: usize| {
        let mut sent = 0;
        while sent < count {
            sent += load::turn(&mut server, load)?.requests;
        }
        server.resident()
    };
    let before = send(messages / 10)?;
    let after = send(messages - messages / 10)?;
    Ok(report(
        "memory, messages",
        before,
        after,
        ("messages", messages),
    ))
}

/// Half of the streams begin a task, half follow one that goes on; each client leaves after its first
/// event.
fn streams_left(quick: bool) -> anyhow::Result<Report> {
    let count = if quick { 200 } else { 10_000 };
    let server = Child::start(&["chunks", "--keep", KEPT])?;
    let begin = |text| Connection::open(server.address())?.first_of_stream(&message::stream(text));
    let lasting = begin("2 3600000")?;
    let follow = message::envelope("SubscribeToTask", &json!({ "id": task_id(&lasting)? }));
    let settle = || std::thread::sleep(Duration::from_secs(1));
    let leave = |count: usize| {
        for _ in 0..count / 2 {
            begin("3 20")?;
            let first = Connection::open(server.address())?.first_of_stream(&follow)?;
            ensure!(
                first.contains("TASK_STATE_"),
                "no task comes first: {first:.300}"
            );
        }
        settle();
        anyhow::Ok((server.resident()?, server.open_files()?))
    };
    let (before, files_before) = leave(count / 10)?;
    let (after, files_after) = leave(count)?;
    let mut report = report("memory, streams left", before, after, ("streams", count));
    report.sides.push(Side::new(
        "open files",
        [
            ("before", files_before as f64),
            ("after", files_after as f64),
        ],
    ));
    Ok(report)
}

/// The task that the first event of a stream is.
fn task_id(events: &str) -> anyhow::Result<String> {
    let data = events.lines().find_map(|line| line.strip_prefix("data:"));
    let event: Value = serde_json::from_str(data.context("no event came")?)?;
    let id = event["result"]["task"]["id"].as_str();
    Ok(id.context("the first event is no task")?.to_owned())
}

fn report(
    name: &'static str,
    before: u64,
    after: u64,
    (what, count): (&'static str, usize),
) -> Report {
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    Report {
        name,
        unit: "times",
        figure: Spread::of(&[after as f64 / before as f64]),
        budget: Budget::AtMost(FLAT),
        kept_because: None,
        sides: vec![Side::new(
            "server",
            [
                (what, count as f64),
                ("MiB at a tenth", mebibytes(before)),
                ("MiB at the end", mebibytes(after)),
            ],
        )],
    }
}
