//! Answers that come in chunks: what an event of a stream costs, however many there are.

use serde_json::json;

use crate::{
    child::{self, Child},
    load::{self, Connection, Turn},
    report::{Budget, Report, Side},
    turns::Spread,
};

/// Lengths of the streams, in chunks.
const LENGTHS: [usize; 3] = [100, 1_000, 4_000];
/// About how many chunks one turn takes, whatever the length of its streams.
const CHUNKS: usize = 16_000;

/// Where a server keeps its tasks, and how the figures are called.
struct Log {
    in_file: bool,
    beside_peer: [&'static str; 3],
    growth: &'static str,
}

const LOGS: [Log; 2] = [
    Log {
        in_file: false,
        beside_peer: [
            "stream of 100, memory",
            "stream of 1,000, memory",
            "stream of 4,000, memory",
        ],
        growth: "4,000 over 100, memory",
    },
    Log {
        in_file: true,
        beside_peer: [
            "stream of 100, SQLite",
            "stream of 1,000, SQLite",
            "stream of 4,000, SQLite",
        ],
        growth: "4,000 over 100, SQLite",
    },
];

/// CPU time for each event beside the best peer's, and that of an event in a long stream beside that of
/// one in a short stream.
pub(crate) fn streams(quick: bool) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for log in LOGS {
        reports.extend(log.measure(quick)?);
    }
    Ok(reports)
}

impl Log {
    fn measure(&self, quick: bool) -> anyhow::Result<Vec<Report>> {
        let folder = child::folder()?;
        let file = |name| folder.path().join(name).to_string_lossy().into_owned();
        let (ours, peer) = (file("ours.sqlite"), file("peer.sqlite"));
        let (ours, peer): (&[&str], &[&str]) = if self.in_file {
            (&["chunks", "--file", &ours], &[&peer])
        } else {
            (&["chunks"], &[])
        };
        let mut ours = Child::start(ours)?;
        let mut peer = Child::start_peer(peer)?;
        let (turns, chunks) = if quick { (1, 4_000) } else { (9, CHUNKS) };
        let mut measured = LENGTHS.map(|_| (Vec::new(), Vec::new()));
        for number in 0..=turns {
            for (length, (of_ours, of_peer)) in LENGTHS.into_iter().zip(&mut measured) {
                let count = chunks / length;
                let first = number % 2 == 0;
                let mut peers_turn = || peer.as_mut().map(|it| turn(it, length, count)).transpose();
                let before = if first { peers_turn()? } else { None };
                let own = turn(&mut ours, length, count)?;
                let after = if first { None } else { peers_turn()? };
                // The first turn warms up.
                if number > 0 {
                    of_ours.push(Events::of(&own, length));
                    of_peer.extend(before.or(after).map(|it| Events::of(&it, length)));
                }
            }
        }
        let mut reports = vec![self.growth(&measured[0].0, &measured[2].0)];
        for (name, (ours, peer)) in self.beside_peer.into_iter().zip(&measured) {
            reports.push(beside(name, ours, peer));
        }
        Ok(reports)
    }

    /// An event of the longest streams beside one of the shortest.
    fn growth(&self, short: &[Events], long: &[Events]) -> Report {
        Report {
            name: self.growth,
            unit: "times",
            figure: Spread::of(&ratios(long, short)),
            budget: Budget::AtMost(1.2),
            kept_because: None,
            sides: vec![side("short", short), side("long", long)],
        }
    }
}

fn beside(name: &'static str, ours: &[Events], peer: &[Events]) -> Report {
    let mut report = Report {
        name,
        unit: "times",
        figure: Spread::of(&ratios(ours, peer)),
        budget: Budget::AtMost(1.0),
        kept_because: None,
        sides: vec![side("ours", ours)],
    };
    if peer.is_empty() {
        let own: Vec<f64> = ours.iter().map(|it| it.cpu).collect();
        report.unit = "µs";
        report.figure = Spread::of(&own);
        report.budget = Budget::NoPeer;
    } else {
        report.sides.push(side("peer", peer));
    }
    report
}

/// What the events of one turn took.
struct Events {
    /// CPU time of the server for each, in microseconds.
    cpu: f64,
    per_second: f64,
}

impl Events {
    fn of(turn: &Turn, length: usize) -> Self {
        Self {
            cpu: turn.cpu_per_request() / length as f64,
            per_second: turn.per_second() * length as f64,
        }
    }
}

fn ratios(of: &[Events], over: &[Events]) -> Vec<f64> {
    let pairs = of.iter().zip(over);
    pairs.map(|(of, over)| of.cpu / over.cpu).collect()
}

fn side(name: &'static str, events: &[Events]) -> Side {
    let median = |of: fn(&Events) -> f64| {
        let values: Vec<f64> = events.iter().map(of).collect();
        Spread::of(&values).median
    };
    Side::new(
        name,
        [
            ("CPU µs", median(|it| it.cpu)),
            ("events/s", median(|it| it.per_second)),
        ],
    )
}

/// So many streams one after the other, each to its end.
fn turn(server: &mut Child, length: usize, streams: usize) -> anyhow::Result<Turn> {
    let mut connection = Connection::open(server.address())?;
    let drive = || {
        let mut seconds = Vec::with_capacity(streams);
        for _ in 0..streams {
            let begin = std::time::Instant::now();
            let events = connection.stream(&request(&length.to_string()))?;
            seconds.push(begin.elapsed().as_secs_f64());
            let chunks = events.matches("\"artifactUpdate\"").count();
            anyhow::ensure!(
                chunks == length && events.contains("TASK_STATE_COMPLETED"),
                "{chunks} chunks of {length} came: {events:.300}"
            );
        }
        Ok(seconds)
    };
    load::measure(server, drive)
}

/// A request for a stream; `text` tells the agent what to do.
pub(crate) fn request(text: &str) -> String {
    let envelope = json!({
        "jsonrpc": "2.0",
        "id": "call-000017",
        "method": "SendStreamingMessage",
        "params": { "message": {
            "messageId": format!("{:032x}", fastrand::u128(..)),
            "role": "ROLE_USER",
            "parts": [{ "text": text }],
        } },
    });
    envelope.to_string()
}
