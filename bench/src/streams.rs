//! Answers that come in chunks: what an event of a stream costs, however many there are.

use std::time::Instant;

use anyhow::ensure;

use crate::{
    child::{self, Child},
    load::{self, Connection},
    message,
    report::{Budget, Report, Side},
    turns::Spread,
};

/// A kind of stream.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// What the agent is told.
    text: &'static str,
    /// The chunks of one stream.
    length: usize,
    /// The streams of one turn.
    streams: usize,
    budget: Budget,
}

/// About 16,000 chunks in a turn, so that one takes a while, whatever the length of its streams; and a
/// stream as models write them, a chunk every millisecond, of which each is stored and sent by itself.
const KINDS: [Kind; 4] = [
    Kind::at_once("100", 100),
    Kind::at_once("1000", 1_000),
    Kind::at_once("4000", 4_000),
    Kind {
        text: "500 1",
        length: 500,
        streams: 1,
        budget: Budget::Open,
    },
];

impl Kind {
    const fn at_once(text: &'static str, length: usize) -> Self {
        Self {
            text,
            length,
            streams: 16_000 / length,
            budget: Budget::AtMost(1.0),
        }
    }
}

/// Where a server keeps its tasks, and how the figures are called.
struct Log {
    in_file: bool,
    beside_peer: [&'static str; 4],
    growth: &'static str,
}

const LOGS: [Log; 2] = [
    Log {
        in_file: false,
        beside_peer: [
            "stream of 100, memory",
            "stream of 1,000, memory",
            "stream of 4,000, memory",
            "1 each ms, memory",
        ],
        growth: "4,000 over 100, memory",
    },
    Log {
        in_file: true,
        beside_peer: [
            "stream of 100, SQLite",
            "stream of 1,000, SQLite",
            "stream of 4,000, SQLite",
            "1 each ms, SQLite",
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
        let turns = if quick { 1 } else { 9 };
        let mut measured = KINDS.map(|_| (Vec::new(), Vec::new()));
        for number in 0..=turns {
            for (kind, (of_ours, of_peer)) in KINDS.into_iter().zip(&mut measured) {
                let mut peers_turn = || peer.as_mut().map(|it| turn(it, kind)).transpose();
                let peer_first = number % 2 == 0;
                let before = if peer_first { peers_turn()? } else { None };
                let own = turn(&mut ours, kind)?;
                let after = if peer_first { None } else { peers_turn()? };
                // The first turn warms up.
                if number > 0 {
                    of_ours.push(own);
                    of_peer.extend(before.or(after));
                }
            }
        }
        let [short, _, long, _] = &measured;
        let mut reports = vec![self.growth(&short.0, &long.0)];
        for ((name, kind), (ours, peer)) in self.beside_peer.into_iter().zip(KINDS).zip(&measured) {
            reports.push(beside(name, kind.budget, ours, peer));
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

fn beside(name: &'static str, budget: Budget, ours: &[Events], peer: &[Events]) -> Report {
    let mut report = Report {
        name,
        unit: "times",
        figure: Spread::of(&ratios(ours, peer)),
        budget,
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

/// The streams of one turn, one after the other, each to its end.
fn turn(server: &mut Child, kind: Kind) -> anyhow::Result<Events> {
    let mut connection = Connection::open(server.address())?;
    let drive = || {
        let mut seconds = Vec::with_capacity(kind.streams);
        for _ in 0..kind.streams {
            let begin = Instant::now();
            let events = connection.stream(&message::stream(kind.text))?;
            seconds.push(begin.elapsed().as_secs_f64());
            let chunks = events.matches("\"artifactUpdate\"").count();
            ensure!(
                chunks == kind.length && events.contains("TASK_STATE_COMPLETED"),
                "{chunks} chunks of {} came: {events:.300}",
                kind.length
            );
        }
        Ok(seconds)
    };
    let turn = load::measure(server, drive)?;
    let length = kind.length as f64;
    Ok(Events {
        cpu: turn.cpu_per_request() / length,
        per_second: turn.per_second() * length,
    })
}
