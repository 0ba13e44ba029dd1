//! `leads`: what buyers' agents sent, for the people who answer.

mod agents;
mod export;
mod held;
mod import;
mod rekey;
mod resend;
mod rights;
mod trial;
mod whose;

pub(super) use whose::{nobody, of_person};

use std::process::ExitCode;

use aap::lead::LeadStatus;
use clap::Subcommand;
use comfy_table::Table;
use dealers::DealerId;
use jiff::Timestamp;
use leads::{Arrival, Filter, KeyId, LeadId, LeadSummary, Vault};
use serde_json::{Value, json};

use super::{
    Common, deliveries,
    outcome::{Failure, keep_whole, print_json, say, table},
    site::{self, Site},
    text::{clean, minute},
};

/// Leads that are here, and those that are to come.
#[derive(Debug, Subcommand)]
pub(super) enum AllLeadsCommand {
    #[command(flatten)]
    Here(LeadsCommand),
    /// Take over leads of another system out of an ADF document or a mail that holds one
    #[command(
        after_help = "Examples:\n  forecourt leads import leads.xml --dry-run\n  forecourt leads import leads.xml --json\n\nA file that is read twice changes nothing. Of consent nothing is recorded, and nothing is sent\nwithout --deliver."
    )]
    Import(import::ImportArgs),
}

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
    /// Write leads to a file, as a table or as JSON lines
    #[command(
        after_help = "Examples:\n  forecourt leads export > leads.csv\n  forecourt leads export --format ndjson --since 2026-05-01T00:00:00Z > leads.ndjson"
    )]
    Export(export::ExportArgs),
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
    /// Record that consent was taken back, and tell everybody who has the leads
    #[command(
        after_help = "Examples:\n  forecourt leads revoke --person ada@example.com --channels sms,phone\n  forecourt leads revoke 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b --by \"Front desk\""
    )]
    Revoke(rights::RevokeArgs),
    /// Keep leads from being erased, for a legal reason
    #[command(
        after_help = "Example:\n  forecourt leads hold --person ada@example.com --reason \"claim 4711\""
    )]
    Hold(rights::HoldArgs),
    /// Let leads be erased again
    #[command(after_help = "Example:\n  forecourt leads unhold --person ada@example.com")]
    Unhold(whose::Whose),
    /// Bring the personal data of all dealers under the configuration's key, or into plain text without one
    #[command(
        after_help = "Examples:\n  forecourt leads rekey\n  forecourt leads rekey --lost 0f1e2d3c4b5a6978\n\nRun it after `privacy.key_file` was changed and the server was restarted. It may be broken off and\nrun again. While it removes what was replaced from the disk, leads wait: about a second for 100 MB."
    )]
    Rekey {
        /// First take the persons out of the leads that only this key would open, as it is lost for good
        #[arg(long, value_name = "KEY")]
        lost: Option<KeyId>,
    },
}

pub(super) fn run_all(common: &Common, command: AllLeadsCommand) -> Result<ExitCode, Failure> {
    match command {
        AllLeadsCommand::Here(command) => run(common, command),
        AllLeadsCommand::Import(args) => import::run(common, &args),
    }
}

fn run(common: &Common, command: LeadsCommand) -> Result<ExitCode, Failure> {
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
                let all = if tests {
                    format!("{} leads and {} made-up ones", counts.leads, counts.tests)
                } else {
                    format!("{} leads", counts.leads)
                };
                say(format!(
                    "{} of {all}, {} of them repeats; {} deliveries due",
                    leads.len(),
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
            let mut document = json!(lead);
            if let Some(reason) = &lead.legal_hold.0 {
                document["legal_hold"] = json!(reason);
            }
            if common.json {
                print_json(&document)?;
            } else {
                document.as_object_mut().map(|it| it.remove("deliveries"));
                say(fields(&document, "").trim_end())?;
                if !lead.summary.deliveries.is_empty() {
                    say(format!("\n{}", deliveries::rows(&lead.summary.deliveries)))?;
                }
            }
        }
        LeadsCommand::Revoke(args) => {
            return runtime.block_on(desk(&site, &vault, &dealer, common).revoke(args));
        }
        LeadsCommand::Hold(args) => {
            return runtime.block_on(desk(&site, &vault, &dealer, common).hold(args));
        }
        LeadsCommand::Unhold(whose) => {
            return runtime.block_on(desk(&site, &vault, &dealer, common).unhold(whose));
        }
        LeadsCommand::Rekey { lost } => {
            return runtime.block_on(rekey::run(&site, &vault, lost, common.json));
        }
        LeadsCommand::Export(args) => {
            let exported = export::export(&site.store, &vault, &dealer, args);
            return runtime.block_on(exported);
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

fn desk<'a>(
    site: &'a Site,
    vault: &'a Vault,
    dealer: &'a DealerId,
    common: &Common,
) -> rights::Desk<'a> {
    rights::Desk {
        store: &site.store,
        vault,
        dealer,
        as_json: common.json,
    }
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
        rows.add_row([
            minute(lead.received_at),
            person(lead),
            clean(lead.vehicle.0.as_deref().unwrap_or_default()),
            clean(lead.rooftop.as_deref().unwrap_or_default()),
            arrival(lead),
            lead.lead_id.to_string(),
        ]);
    }
    keep_whole(&mut rows, &[0, 5]);
    rows
}

/// How far a lead is, that it repeats an earlier one, and how many repeat it.
fn arrival(lead: &LeadSummary) -> String {
    let arrival = match lead.status {
        LeadStatus::Rejected => "rejected",
        _ => lead.arrival.map_or("", Arrival::as_str),
    };
    match (&lead.repeat_of, lead.repeats) {
        (Some(_), _) => format!("{arrival} (repeat)"),
        (None, 0) => arrival.to_owned(),
        (None, 1) => format!("{arrival} (1 repeat)"),
        (None, repeats) => format!("{arrival} ({repeats} repeats)"),
    }
}

/// The person's name, and what people have to mind before they turn to the person.
fn person(lead: &LeadSummary) -> String {
    let Some(person) = &lead.person.0 else {
        return "(erased)".to_owned();
    };
    let name = clean(&format!("{} {}", person.first_name, person.last_name));
    let rights = &lead.rights;
    let mark = match (
        rights.revoked_channels.is_empty(),
        rights.allowed_channels.is_empty(),
    ) {
        (true, _) => "",
        (false, true) => " (NO CONTACT)",
        (false, false) => " (consent limited)",
    };
    format!("{name}{mark}")
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
