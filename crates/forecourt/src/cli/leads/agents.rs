//! What each buyer's agent sent.

use std::process::ExitCode;

use dealers::DealerId;
use jiff::Timestamp;
use serde_json::json;
use store::Store;

use crate::cli::{
    outcome::{Failure, print_json, say, table},
    runtime,
    text::{clean, minute},
};

pub(super) fn report(
    store: &Store,
    dealer: DealerId,
    since: Option<Timestamp>,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let agents =
        runtime()?.block_on(store.read(move |conn| leads::report(conn, &dealer, since)))?;
    if as_json {
        print_json(&json!({ "agents": agents }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if agents.is_empty() {
        say("no agent has sent a lead")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = table([
        "agent",
        "leads",
        "verified",
        "repeats",
        "rejected",
        "held",
        "delivered",
        "failed",
        "appts",
        "last (UTC)",
    ]);
    for agent in &agents {
        rows.add_row([
            clean(&agent.agent),
            agent.leads.to_string(),
            agent.verified.to_string(),
            agent.repeats.to_string(),
            agent.rejected.to_string(),
            agent.held.to_string(),
            agent.delivered.to_string(),
            agent.failed.to_string(),
            agent.appointments.to_string(),
            minute(agent.last_at),
        ]);
    }
    say(rows)?;
    Ok(ExitCode::SUCCESS)
}
