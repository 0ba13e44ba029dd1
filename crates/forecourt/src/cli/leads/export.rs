//! `leads export`: leads as a file, as the API writes them.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use dealers::DealerId;
use jiff::Timestamp;
use leads::{Cursor, DeliveryState, ExportFormat, Search, Vault};
use store::Store;

use crate::cli::outcome::Failure;

/// Leads that are read at once.
const AT_ONCE: u32 = 200;

#[derive(Debug, Args)]
pub(in crate::cli) struct ExportArgs {
    /// Form of the file
    #[arg(long, value_enum, default_value = "csv")]
    format: Format,
    /// Only leads received since this time (RFC 3339)
    #[arg(long, value_name = "TIME")]
    since: Option<Timestamp>,
    /// Only leads received before this time (RFC 3339)
    #[arg(long, value_name = "TIME")]
    until: Option<Timestamp>,
    /// Only leads with a delivery in this state: due, held, sent, bounced, failed, withdrawn
    #[arg(long, value_name = "STATE")]
    state: Option<DeliveryState>,
    /// Only leads from the agent that calls itself exactly so
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only leads for this rooftop
    #[arg(long, value_name = "NAME")]
    rooftop: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A table for spreadsheets
    Csv,
    /// One JSON object on a line
    Ndjson,
}

/// Writes the leads to standard output.
pub(super) async fn export(
    store: &Store,
    vault: &Vault,
    dealer: &DealerId,
    args: ExportArgs,
) -> Result<ExitCode, Failure> {
    let format = match args.format {
        Format::Csv => ExportFormat::Csv,
        Format::Ndjson => ExportFormat::Ndjson,
    };
    let search = Search {
        tests: false,
        since: args.since,
        until: args.until,
        state: args.state,
        agent: args.agent,
        rooftop: args.rooftop,
    };
    let mut text = format.head();
    let mut after: Option<Cursor> = None;
    loop {
        let page = store.read({
            let (vault, dealer) = (vault.clone(), dealer.clone());
            let search = search.clone();
            move |conn| leads::search_whole(conn, &vault, &dealer, &search, after.as_ref(), AT_ONCE)
        });
        let page = page.await?;
        for lead in &page.entries {
            text.push_str(&format.line(lead));
        }
        if !write(&text)? || page.next.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
        text.clear();
        after = page.next;
    }
}

/// False when the reader has gone, such as `head`, which has seen what it wanted.
fn write(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::refused(
            "output",
            format!("standard output cannot be written: {error}"),
        )),
    }
}
