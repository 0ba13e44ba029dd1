//! A lead once more, on a person's wish.

use std::process::ExitCode;

use clap::Args;
use dealers::{Dealer, DealerId};
use leads::{LeadId, outbox};
use serde_json::{Value, json};
use store::Store;

use crate::cli::{
    outcome::{Failure, print_json, say},
    runtime,
    text::clean,
};

#[derive(Debug, Args)]
pub(in crate::cli) struct ResendArgs {
    /// Identifier of the lead
    id: String,
    /// Only to this destination of the lead's rooftop, `fallback` among them
    #[arg(long, value_name = "NAME")]
    destination: Option<String>,
}

pub(super) fn run(
    store: &Store,
    id: &DealerId,
    dealer: &Dealer,
    args: ResendArgs,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let text = &args.id;
    let lead_id: LeadId = text
        .parse()
        .map_err(|_| Failure::refused("lead_not_found", format!("there is no lead {text}")))?;
    let (id, dealer, clock) = (id.clone(), dealer.clone(), store.clock().clone());
    let destination = args.destination;
    let added = runtime()?.block_on(store.write(move |conn| {
        let (new_id, now) = (|| clock.new_id().into(), clock.now());
        let wanted = destination.as_deref();
        outbox::resend(conn, &id, &dealer, &lead_id, wanted, &new_id, now)
    }))?;
    if as_json {
        let added: Vec<Value> = added
            .iter()
            .map(|it| json!({ "delivery_id": it.delivery_id, "destination": it.destination }))
            .collect();
        print_json(&json!({ "resent": added }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for it in added {
        say(format!(
            "on its way to {} as {}",
            clean(&it.destination),
            it.delivery_id
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
