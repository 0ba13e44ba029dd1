//! `leads`: what buyers' agents sent, for the people who answer.

mod agents;
mod held;
mod resend;
mod trial;

use std::process::ExitCode;

use clap::Subcommand;
use comfy_table::Table;
use jiff::Timestamp;
use leads::{Filter, LeadId, LeadSummary};
use serde_json::{Value, json};

use super::{
    Common, deliveries,
    outcome::{Failure, keep_whole, print_json, say, table},
    site,
    text::clean,
};

#[derive(Debug, Subcommand)]
pub(super) enum LeadsCommand {
    /// List leads, newest first
    #[command(
        after_help = "Example:\n  forecourt leads list --since 2026-05-01T00:00:00Z --limit 20"
    )]
    List {
        /// Only leads received since this time (RFC 3339)
        #[arg(long, value_name = "TIME")]
        since: Option<Timestamp>,
        /// Made-up leads of `leads test` too
        #[arg(long)]
        tests: bool,
        /// Most leads to list
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Show one lead with the consent that was given
    #[command(after_help = "Example:\n  forecourt leads show 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b")]
    Show {
        /// Identifier of the lead
        id: String,
    },
    /// Send a lead once more, marked as such
    #[command(
        after_help = "Example:\n  forecourt leads resend 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b --destination crm"
    )]
    Resend(resend::ResendArgs),
    /// Send a made-up lead to every destination and fallback, and see who takes it
    #[command(
        after_help = "Examples:\n  forecourt leads test\n  forecourt leads test --rooftop North --destination crm --wait 2m"
    )]
    Test(trial::TestArgs),
    /// See what each buyer's agent sent, and what became of it
    #[command(after_help = "Example:\n  forecourt leads report --since 2026-05-01T00:00:00Z")]
    Report {
        /// Only leads received since this time (RFC 3339)
        #[arg(long, value_name = "TIME")]
        since: Option<Timestamp>,
    },
    /// List the leads that wait for a person, as the dealer holds their agents
    #[command(after_help = "Example:\n  forecourt leads held")]
    Held,
    /// Let held leads go their way
    #[command(
        after_help = "Examples:\n  forecourt leads release 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b\n  forecourt leads release --agent \"Example Agent\""
    )]
    Release(held::ReleaseArgs),
}

pub(super) fn run(common: &Common, command: LeadsCommand) -> Result<ExitCode, Failure> {
    let creates = matches!(command, LeadsCommand::Test(_));
    let site = site::open(common, creates)?;
    let (id, of) = site::dealer(common, &site.config)?;
    let (dealer, vault) = (id.clone(), site.vault()?);
    let runtime = super::runtime()?;
    match command {
        LeadsCommand::List {
            since,
            tests,
            limit,
        } => {
            let filter = Filter {
                since,
                tests,
                limit,
            };
            let (leads, counts) = runtime.block_on(site.store.read(move |conn| {
                Ok::<_, leads::Error>((
                    leads::list(conn, &vault, &dealer, filter)?,
                    leads::count(conn, &dealer)?,
                ))
            }))?;
            if common.json {
                print_json(&json!({ "leads": leads, "counts": counts }))?;
            } else {
                if !leads.is_empty() {
                    say(list(&leads))?;
                }
                say(format!(
                    "{} of {} leads, {} of them repeats; {} deliveries due",
                    leads.len(),
                    counts.leads,
                    counts.repeats,
                    counts.deliveries_due
                ))?;
            }
        }
        LeadsCommand::Show { id } => {
            let unknown = || Failure::refused("lead_not_found", format!("there is no lead {id}"));
            let wanted: LeadId = id.parse().map_err(|_| unknown())?;
            let lead = runtime
                .block_on(
                    site.store
                        .read(move |conn| leads::show(conn, &vault, &dealer, &wanted)),
                )?
                .ok_or_else(unknown)?;
            if common.json {
                print_json(&lead)?;
            } else {
                let mut document = json!(lead);
                document.as_object_mut().map(|it| it.remove("deliveries"));
                say(fields(&document, "").trim_end())?;
                if !lead.summary.deliveries.is_empty() {
                    say(format!("\n{}", deliveries::rows(&lead.summary.deliveries)))?;
                }
            }
        }
        LeadsCommand::Resend(args) => {
            return resend::run(&site.store, id, of, args, common.json);
        }
        LeadsCommand::Test(wanted) => return trial::run(common, &site, &wanted),
        LeadsCommand::Report { since } => {
            return agents::report(&site.store, dealer, since, common.json);
        }
        LeadsCommand::Held => return held::list(&site.store, dealer, common.json),
        LeadsCommand::Release(wanted) => {
            return held::release(&site.store, dealer, &wanted, common.json);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(leads: &[LeadSummary]) -> Table {
    let mut rows = table([
        "received (UTC)",
        "person",
        "vehicle",
        "rooftop",
        "delivery",
        "lead",
    ]);
    for lead in leads {
        let lead = json!(lead);
        let text = |pointer: &str| {
            let value = lead.pointer(pointer).and_then(Value::as_str);
            clean(value.unwrap_or_default())
        };
        rows.add_row([
            minute(&text("/received_at")),
            format!(
                "{} {}",
                text("/person/first_name"),
                text("/person/last_name")
            ),
            text("/vehicle"),
            text("/rooftop"),
            arrival(&lead),
            text("/lead_id"),
        ]);
    }
    keep_whole(&mut rows, &[0, 5]);
    rows
}

/// How far a lead is, that it repeats an earlier one, and how many repeat it.
fn arrival(lead: &Value) -> String {
    let arrival = match lead["status"].as_str() {
        Some("rejected") => "rejected",
        _ => lead["arrival"].as_str().unwrap_or_default(),
    };
    if !lead["repeat_of"].is_null() {
        return format!("{arrival} (repeat)");
    }
    match lead["repeats"].as_i64() {
        Some(1) => format!("{arrival} (1 repeat)"),
        Some(repeats) if repeats > 1 => format!("{arrival} ({repeats} repeats)"),
        _ => arrival.to_owned(),
    }
}

/// The minute of a time in RFC 3339 form: `2026-05-01 12:00`.
fn minute(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

/// A JSON object for a person, one member on a line.
fn fields(value: &Value, indent: &str) -> String {
    let mut text = String::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        let name = clean(name);
        let line = match value {
            Value::Null => continue,
            Value::Object(_) => {
                let inner = fields(value, &format!("{indent}  "));
                format!("{indent}{name}:\n{inner}")
            }
            Value::String(text) => format!("{indent}{name}: {}\n", clean(text)),
            other => format!("{indent}{name}: {}\n", clean(&other.to_string())),
        };
        text.push_str(&line);
    }
    text
}
