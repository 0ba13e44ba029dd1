//! What Forecourt costs, as ratios: each figure runs beside its baseline, in one run on one machine.
//!
//! Machines are noisy and differ, so a time alone says little. Every figure is therefore a ratio:
//! both sides take turns (A B A B ...), each turn gives one ratio, and the median of them counts;
//! the lowest and the highest stand beside it. What is compared is CPU time. Of a server it is the
//! time of its process, divided by the requests it answered: this program starts each server as a
//! child process of itself, so that the load's own time is never counted.
//!
//! It asserts nothing. A figure that misses its budget is printed as `over budget`, and the program
//! still ends with status 0; it fails only when a figure cannot be measured.
//!
//! Start reading at [`Figures`], then the file of a figure: `direct.rs` (echo), `streams.rs` (answers in
//! chunks), `resident.rs` (memory of a server), `dealer.rs` (one vehicle, a search), `leads.rs`, `deliver.rs`, `import.rs`, `million.rs` (search and facets on 1,000,000
//! vehicles, memory), `analyst.rs` (a question about a large file, and about an attached one), `fleet.rs`
//! (many dealers on PostgreSQL, by the program `forecourt` that is built beside). `turns.rs` holds how two sides take turns, `child.rs` and `serve.rs` the two
//! ends of a server as a child process.
//!
//! ```sh
//! cargo build --release -p forecourt
//! cargo run --release -p bench -- all
//! cargo run --release -p bench -- echo search --json
//! cargo run --release -p bench -- all --quick
//! ```
//!
//! Streams are compared with another implementation, which stays out of this workspace, and the analyst with
//! DuckDB. Both are made ready by hand; without them the figures say `no peer`:
//!
//! ```sh
//! cargo build --release --manifest-path bench/peer/Cargo.toml
//! python3 -m venv target/duckdb && target/duckdb/bin/pip install duckdb==2.0.1
//! export BENCH_PYTHON=target/duckdb/bin/python
//! ```

mod analyst;
mod child;
mod dealer;
mod deliver;
mod direct;
mod fleet;
mod grpc;
mod import;
mod leads;
mod load;
mod message;
mod million;
mod pass;
mod queries;
mod report;
mod resident;
mod serve;
mod stock;
mod streams;
mod turns;
mod versus;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand, ValueEnum};
use report::{Report, Reporter};
use serve::Server;

/// Measure what Forecourt costs beside baselines in the same run.
#[derive(Debug, Parser)]
#[command(
    name = "bench",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct Cli {
    #[command(subcommand)]
    server: Option<Hidden>,
    /// What to measure
    #[arg(value_enum, required = true)]
    figures: Vec<Figures>,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
    /// Measure little, to see that everything runs; the figures mean nothing
    #[arg(long)]
    quick: bool,
}

/// How this program runs as one side of a comparison of another one.
#[derive(Debug, Subcommand)]
enum Hidden {
    #[command(hide = true, name = "serve-side")]
    ServeSide {
        #[command(subcommand)]
        server: Server,
    },
    #[command(hide = true, name = "ask-file")]
    AskFile { file: PathBuf },
}

/// What can be measured; some give several figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Figures {
    /// Everything
    All,
    /// A direct message over each binding, echoed
    Echo,
    /// Answers of 100, 1,000 and 4,000 chunks
    Streams,
    /// Memory over 1,000,000 direct messages, and over 10,000 streams that are left
    Resident,
    /// inventory.vehicle
    Vehicle,
    /// inventory.search over 1,000 vehicles
    Search,
    /// Leads on disk before they are answered
    Leads,
    /// Leads to a mailbox, and leads that come meanwhile
    Deliveries,
    /// A feed file to a snapshot
    Import,
    /// Search, facets and memory on 1,000,000 vehicles
    Million,
    /// A question about a file of 1,000,000 rows, and about 10,000 rows attached
    Analyst,
    /// Search and facets on PostgreSQL beside SQLite
    Engines,
    /// 20,000 dealers of 250 vehicles on PostgreSQL, on one node and on two; takes 20 GB of disk
    Fleet,
}

impl Figures {
    const EACH: [Self; 12] = [
        Self::Echo,
        Self::Streams,
        Self::Resident,
        Self::Vehicle,
        Self::Search,
        Self::Leads,
        Self::Deliveries,
        Self::Import,
        Self::Million,
        Self::Analyst,
        Self::Engines,
        Self::Fleet,
    ];
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.server {
        Some(Hidden::ServeSide { server }) => return serve::run(server),
        Some(Hidden::AskFile { file }) => return ended(analyst::ask_file(&file)),
        None => {}
    }
    let mut reporter = Reporter::new(cli.json, cli.quick);
    let wanted = Figures::EACH
        .into_iter()
        .filter(|each| cli.figures.contains(each) || cli.figures.contains(&Figures::All));
    let mut failed = false;
    for figures in wanted {
        match measure(figures, cli.quick) {
            Ok(reports) => reports.into_iter().for_each(|report| reporter.add(report)),
            Err(error) => {
                eprintln!("bench: {figures:?}: {error:#}");
                failed = true;
            }
        }
    }
    if let Err(error) = reporter.finish() {
        eprintln!("bench: {error:#}");
        failed = true;
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn measure(figures: Figures, quick: bool) -> anyhow::Result<Vec<Report>> {
    match figures {
        Figures::All => Ok(Vec::new()),
        Figures::Echo => direct::echo(quick),
        Figures::Streams => streams::streams(quick),
        Figures::Resident => resident::resident(quick),
        Figures::Vehicle => dealer::vehicle(quick).map(|report| vec![report]),
        Figures::Search => dealer::search(quick).map(|report| vec![report]),
        Figures::Leads => leads::leads(quick).map(|report| vec![report]),
        Figures::Deliveries => deliver::deliveries(quick).map(|report| vec![report]),
        Figures::Import => import::import(quick).map(|report| vec![report]),
        Figures::Million => million::million(quick),
        Figures::Analyst => analyst::analyst(quick),
        Figures::Engines => fleet::engines(quick),
        Figures::Fleet => fleet::fleet(quick),
    }
}

fn ended(outcome: anyhow::Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}
