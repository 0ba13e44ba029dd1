//! Leads of agents that the dealer holds: which wait, and letting them go.

use std::process::ExitCode;

use aap::text::fold;
use clap::Args;
use dealers::DealerId;
use leads::{HeldLead, LeadId};
use serde_json::json;
use store::Store;

use crate::cli::{
    outcome::{Failure, keep_whole, print_json, say, table},
    runtime,
    text::{clean, minute},
};

#[derive(Debug, Args)]
pub(in crate::cli) struct ReleaseArgs {
    /// Identifier of the lead
    #[arg(required_unless_present = "agent")]
    id: Option<String>,
    /// Every held lead of the agent that gives itself this name
    #[arg(long, value_name = "NAME", conflicts_with = "id")]
    agent: Option<String>,
}

pub(super) fn list(store: &Store, dealer: DealerId, as_json: bool) -> Result<ExitCode, Failure> {
    let held = runtime()?.block_on(store.read(move |conn| leads::held(conn, &dealer)))?;
    if as_json {
        print_json(&json!({ "held": held }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if held.is_empty() {
        say("no lead waits for a person")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = table(["received (UTC)", "agent", "rooftop", "lead"]);
    for lead in &held {
        rows.add_row([
            minute(lead.received_at),
            clean(&lead.source_agent),
            clean(lead.rooftop.as_deref().unwrap_or_default()),
            lead.lead_id.to_string(),
        ]);
    }
    keep_whole(&mut rows, &[0, 3]);
    say(rows)?;
    say(
        "`forecourt leads show LEAD` shows one, `forecourt leads release LEAD` lets it go its way",
    )?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn release(
    store: &Store,
    dealer: DealerId,
    wanted: &ReleaseArgs,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let runtime = runtime()?;
    let of = dealer.clone();
    let held = runtime.block_on(store.read(move |conn| leads::held(conn, &of)))?;
    let chosen: Vec<LeadId> = held
        .into_iter()
        .filter(|lead| wanted.names(lead))
        .map(|lead| lead.lead_id)
        .collect();
    if chosen.is_empty() {
        return Err(Failure::refused(
            "not_held",
            "no such lead waits for a person; `forecourt leads held` lists those that do",
        ));
    }
    let now = store.clock().now();
    let released = runtime.block_on(store.write(move |conn| {
        let mut released = Vec::new();
        for lead_id in &chosen {
            if leads::release(conn, &dealer, lead_id, now)? {
                released.push(lead_id.clone());
            }
        }
        Ok::<_, leads::Error>(released)
    }))?;
    if as_json {
        print_json(&json!({ "released": released }))?;
    } else {
        say(format!("{} on the way to the rooftop", released.len()))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl ReleaseArgs {
    fn names(&self, lead: &HeldLead) -> bool {
        match &self.agent {
            Some(agent) => fold(agent) == fold(&lead.source_agent),
            None => self.id.as_deref() == Some(lead.lead_id.to_string().as_str()),
        }
    }
}
