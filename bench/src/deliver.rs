//! Leads on their way to a mailbox: how fast a full outbox empties, what that takes of memory, and what
//! it leaves for leads that come meanwhile.

use std::time::{Duration, Instant};

use anyhow::ensure;
use testkit::mail::MailSink;

use crate::{
    child::{self, Child},
    dealer, leads,
    load::{self, Load, Turn},
    report::{Budget, Report, Side},
    serve::PATH,
    stock::{self, Lot},
    turns::Spread,
    versus::median,
};

const VEHICLES: u32 = 200;
const CONNECTIONS: usize = 64;
/// Longest time for an outbox to empty.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server whose leads go to a mail server in this process.
struct House {
    folder: tempfile::TempDir,
    server: Child,
    sink: MailSink,
    lot: Lot,
    /// Leads that were sent.
    sent: usize,
    /// Mails that arrived before the first of them.
    before: usize,
}

/// Leads per second accepted while thousands are delivered, over the rate while none is.
pub(crate) fn deliveries(quick: bool) -> anyhow::Result<Report> {
    let (queued, turns, requests) = if quick {
        (256, 1, 128)
    } else {
        (10_000, 5, 2_048)
    };
    let mut house = House::open()?;
    house.pause()?;
    while house.sent < queued {
        house.take((queued - house.sent).min(4_096))?;
    }
    let resting = house.server.resident()?;
    let (cpu, begin) = (house.server.cpu()?, Instant::now());
    house.resume()?;
    house.empty()?;
    let seconds = begin.elapsed().as_secs_f64();
    let cpu = house.server.cpu()?.saturating_sub(cpu).as_secs_f64();
    let peak = house.server.peak()?;

    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for number in 0..=turns {
        house.pause()?;
        let without = house.take(requests)?;
        house.take(requests)?;
        house.resume()?;
        let with = house.take(requests)?;
        ensure!(
            quick || house.waiting() > 0,
            "the outbox was empty too soon"
        );
        house.empty()?;
        // The first turn warms up.
        if number > 0 || quick {
            alone.push(without);
            beside.push(with);
        }
    }
    let ratios: Vec<f64> = alone
        .iter()
        .zip(&beside)
        .map(|(alone, beside)| beside.per_second() / alone.per_second())
        .collect();
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    Ok(Report {
        name: "leads while delivering",
        unit: "times",
        figure: Spread::of(&ratios),
        budget: Budget::AtLeast(0.5),
        kept_because: None,
        sides: vec![
            Side::new(
                "delivery",
                [
                    ("leads", queued as f64),
                    ("leads/s", queued as f64 / seconds),
                    ("CPU µs", cpu * 1e6 / queued as f64),
                    ("MiB before", mebibytes(resting)),
                    ("MiB at most", mebibytes(peak)),
                ],
            ),
            Side::new(
                "accepted",
                [
                    ("leads/s alone", median(&alone, Turn::per_second)),
                    ("leads/s beside", median(&beside, Turn::per_second)),
                ],
            ),
        ],
    })
}

impl House {
    fn open() -> anyhow::Result<Self> {
        let sink = MailSink::start();
        let folder = child::folder()?;
        let port = sink.address().port();
        let mail = format!(
            "[mail]\nhost = \"127.0.0.1\"\nport = {port}\nfrom = \"leads@bench.example\"\n"
        );
        let destinations = "destinations.inbox.folder = \"inbox\"";
        let configuration = stock::CONFIGURATION.replace(
            destinations,
            "destinations.inbox.mail = \"crm@bench.example\"",
        );
        let configuration = format!("{mail}\n{configuration}");
        let server = dealer::open_with(folder.path(), VEHICLES, &configuration)?;
        Ok(Self {
            before: sink.attempts(),
            folder,
            server,
            sink,
            lot: Lot::new(VEHICLES),
            sent: 0,
        })
    }

    /// Takes so many leads.
    fn take(&mut self, requests: usize) -> anyhow::Result<Turn> {
        let numbers = self.sent..self.sent + requests;
        let bodies: Vec<String> = numbers.map(|it| leads::lead(&self.lot, it)).collect();
        let load = Load {
            path: PATH,
            connections: CONNECTIONS,
            requests,
            bodies: &bodies,
            expected: "\"received\"",
        };
        let turn = load::turn(&mut self.server, load)?;
        ensure!(turn.requests == requests, "leads were not taken in time");
        self.sent += requests;
        Ok(turn)
    }

    fn pause(&self) -> anyhow::Result<()> {
        self.each_way("pause")
    }

    fn resume(&self) -> anyhow::Result<()> {
        self.each_way("resume")
    }

    fn each_way(&self, what: &str) -> anyhow::Result<()> {
        let data = self.folder.path().to_string_lossy();
        for rooftop in stock::rooftops() {
            child::run_program(&["deliveries", what, &rooftop, "inbox", "--data", &data])?;
        }
        Ok(())
    }

    /// Leads that have not arrived.
    fn waiting(&self) -> usize {
        (self.before + self.sent).saturating_sub(self.sink.attempts())
    }

    /// Waits until every lead has arrived.
    fn empty(&self) -> anyhow::Result<()> {
        let begin = Instant::now();
        while self.waiting() > 0 {
            let waiting = self.waiting();
            ensure!(begin.elapsed() < PATIENCE, "{waiting} leads did not arrive");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}
