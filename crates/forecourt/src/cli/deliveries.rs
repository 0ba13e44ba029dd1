//! `deliveries`: leads on their way, trying them again, and closing the way to a destination.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use comfy_table::Table;
use dealers::{Dealer, DealerId, Period};
use jiff::Timestamp;
use leads::{
    DeliveryId, DeliveryState, LeadId,
    outbox::{self, Attempt, Delivery, DeliveryFilter},
};
use serde_json::{Value, json};
use store::Store;

use super::{
    Common,
    outcome::{Failure, keep_whole, print_json, say, table},
    site,
    text::{clean, minute},
};

#[derive(Debug, Subcommand)]
pub(super) enum DeliveriesCommand {
    /// List deliveries, newest first
    #[command(
        after_help = "Examples:\n  forecourt deliveries list --state failed\n  forecourt deliveries list --lead 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b"
    )]
    List(ListArgs),
    /// Show a delivery with every attempt and what the receiver said
    #[command(
        after_help = "Example:\n  forecourt deliveries show 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b"
    )]
    Show {
        /// Identifier of the delivery
        id: String,
    },
    /// Try deliveries again at once
    #[command(
        after_help = "Examples:\n  forecourt deliveries retry 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b\n  forecourt deliveries retry --all-failed"
    )]
    Retry {
        /// Identifier of a delivery that failed, bounced, or waits for its next attempt
        #[arg(required_unless_present = "all_failed")]
        id: Option<String>,
        /// Every delivery of the dealer that failed or bounced
        #[arg(long, conflicts_with = "id")]
        all_failed: bool,
    },
    /// Send nothing to a destination for a while; leads are taken all the same, and wait
    #[command(after_help = "Example:\n  forecourt deliveries pause North crm --for 2h")]
    Pause {
        #[command(flatten)]
        place: Place,
        /// For how long; until `deliveries resume` when left out
        #[arg(long = "for", value_name = "TIME", value_parser = period)]
        length: Option<Period>,
    },
    /// Send to a destination again, and at once what waits for it
    #[command(after_help = "Example:\n  forecourt deliveries resume North crm")]
    Resume {
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only deliveries in this state
    #[arg(long, value_name = "STATE")]
    state: Option<DeliveryState>,
    /// Only deliveries of this lead
    #[arg(long, value_name = "LEAD")]
    lead: Option<String>,
    /// Only deliveries to destinations of this name
    #[arg(long, value_name = "NAME")]
    destination: Option<String>,
    /// Only deliveries made since this time (RFC 3339)
    #[arg(long, value_name = "TIME")]
    since: Option<Timestamp>,
    /// Most deliveries to list
    #[arg(long, default_value_t = 50)]
    limit: u32,
}

/// A destination of a rooftop.
#[derive(Debug, Args)]
pub(super) struct Place {
    /// Name of the rooftop
    rooftop: String,
    /// Name of the destination: `crm`, `fallback`, or one of the rooftop's destinations
    destination: String,
}

fn period(text: &str) -> Result<Period, String> {
    Period::try_from(text.to_owned())
}

pub(super) fn run(common: &Common, command: DeliveriesCommand) -> Result<ExitCode, Failure> {
    let site = site::open(common, false)?;
    let (id, dealer) = site::dealer(common, &site.config)?;
    let store = &site.store;
    super::runtime()?.block_on(async {
        match command {
            DeliveriesCommand::List(args) => list(common, store, id, args).await,
            DeliveriesCommand::Show { id: wanted } => show(common, store, id, &wanted).await,
            DeliveriesCommand::Retry { id: Some(one), .. } => retry(common, store, id, &one).await,
            DeliveriesCommand::Retry { id: None, .. } => retry_failed(common, store, id).await,
            DeliveriesCommand::Pause { place, length } => {
                place.check(dealer)?;
                pause(common, store, id, place, length).await
            }
            DeliveriesCommand::Resume { place } => {
                place.check(dealer)?;
                resume(common, store, id, place).await
            }
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

impl From<outbox::Error> for Failure {
    fn from(error: outbox::Error) -> Self {
        let code = match &error {
            outbox::Error::UnknownDelivery(_) => "delivery_not_found",
            outbox::Error::UnknownLead(_) => "lead_not_found",
            outbox::Error::UnknownDestination { .. } => "destination_not_found",
            outbox::Error::Erased(_) => "erased",
            outbox::Error::NotRetried { .. } => "not_retried",
            _ => "storage",
        };
        Self::refused(code, crate::explain(&error))
    }
}

impl Place {
    fn check(&self, dealer: &Dealer) -> Result<(), Failure> {
        let Some(rooftop) = dealer.rooftops.get(&self.rooftop) else {
            let known: Vec<&str> = dealer.rooftops.keys().map(String::as_str).collect();
            return Err(Failure::usage(format!(
                "there is no rooftop {:?}; there is {}",
                self.rooftop,
                known.join(", ")
            )));
        };
        let known: Vec<String> = rooftop.every_destination().into_keys().collect();
        if known.contains(&self.destination) {
            return Ok(());
        }
        let known = if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        Err(Failure::usage(format!(
            "rooftop {:?} has no destination {:?}; it has {known}",
            self.rooftop, self.destination
        )))
    }
}

fn delivery_id(text: &str) -> Result<DeliveryId, Failure> {
    text.parse()
        .map_err(|_| Failure::refused("delivery_not_found", format!("there is no delivery {text}")))
}

async fn list(
    common: &Common,
    store: &Store,
    dealer: &DealerId,
    args: ListArgs,
) -> Result<(), Failure> {
    let lead_id = args.lead.map(|text| {
        let unknown = |_| Failure::refused("lead_not_found", format!("there is no lead {text}"));
        text.parse::<LeadId>().map_err(unknown)
    });
    let filter = DeliveryFilter {
        state: args.state,
        lead_id: lead_id.transpose()?,
        destination: args.destination,
        since: args.since,
        until: None,
        limit: args.limit,
    };
    let id = dealer.clone();
    let found = store
        .read(move |conn| outbox::list(conn, &id, &filter))
        .await?;
    if common.json {
        return print_json(&json!({ "deliveries": found }));
    }
    if found.is_empty() {
        return say("there is no such delivery");
    }
    say(rows(&found))
}

/// Deliveries for people.
pub(super) fn rows(deliveries: &[Delivery]) -> Table {
    let mut rows = table([
        "made (UTC)",
        "to",
        "state",
        "tries",
        "last answer",
        "delivery",
    ]);
    for it in deliveries {
        rows.add_row([
            minute(it.created_at),
            place(it),
            stand(it),
            it.attempts.to_string(),
            clean(it.detail.as_deref().unwrap_or_default()),
            it.delivery_id.to_string(),
        ]);
    }
    keep_whole(&mut rows, &[0, 5]);
    rows
}

/// Where it goes, and what for where that is not the lead as it came.
fn place(delivery: &Delivery) -> String {
    let destination = match delivery.destination.as_str() {
        "" => "(no destination yet)",
        name => name,
    };
    let what = match delivery.purpose {
        leads::Purpose::Lead if delivery.is_repeat => " (repeat)".to_owned(),
        leads::Purpose::Lead => String::new(),
        other => format!(" ({})", other.as_str()),
    };
    clean(&format!("{}/{destination}{what}", delivery.rooftop))
}

/// How far it is, and when it goes on.
fn stand(delivery: &Delivery) -> String {
    match delivery.due_at {
        Some(due_at) if delivery.attempts > 0 => format!("due {}", minute(due_at)),
        _ => delivery.state.as_str().to_owned(),
    }
}

async fn show(
    common: &Common,
    store: &Store,
    dealer: &DealerId,
    wanted: &str,
) -> Result<(), Failure> {
    let wanted = delivery_id(wanted)?;
    let (id, which) = (dealer.clone(), wanted.clone());
    let found = store
        .read(move |conn| outbox::show(conn, &id, &which))
        .await?;
    let (delivery, attempts) = found.ok_or(outbox::Error::UnknownDelivery(wanted))?;
    if common.json {
        return print_json(&json!({ "delivery": delivery, "attempts": attempts }));
    }
    let mut fields = table(["field", "value"]);
    for (field, value) in json!(delivery).as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::String(text) => {
                fields.add_row([field.clone(), clean(text)]);
            }
            other => {
                fields.add_row([field.clone(), other.to_string()]);
            }
        }
    }
    keep_whole(&mut fields, &[0]);
    say(fields)?;
    if attempts.is_empty() {
        return say("\nit was not tried yet");
    }
    say(format!("\n{}", attempts_table(&attempts)))
}

fn attempts_table(attempts: &[Attempt]) -> Table {
    let mut rows = table(["attempt", "begun (UTC)", "ended (UTC)", "outcome", "answer"]);
    for it in attempts {
        let time = |at: Timestamp| at.strftime("%Y-%m-%d %H:%M:%S").to_string();
        rows.add_row([
            it.attempt.to_string(),
            time(it.begun_at),
            it.ended_at.map(time).unwrap_or_default(),
            it.outcome.clone(),
            clean(it.detail.as_deref().unwrap_or_default()),
        ]);
    }
    keep_whole(&mut rows, &[1, 2]);
    rows
}

async fn retry(
    common: &Common,
    store: &Store,
    dealer: &DealerId,
    wanted: &str,
) -> Result<(), Failure> {
    let wanted = delivery_id(wanted)?;
    let (id, which, now) = (dealer.clone(), wanted.clone(), store.clock().now());
    store
        .write(move |conn| outbox::retry(conn, &id, &which, now))
        .await?;
    if common.json {
        return print_json(&json!({ "retried": 1 }));
    }
    say(format!(
        "{wanted} is due; the server tries it within a second or two"
    ))
}

async fn retry_failed(common: &Common, store: &Store, dealer: &DealerId) -> Result<(), Failure> {
    let (id, now) = (dealer.clone(), store.clock().now());
    let retried = store
        .write(move |conn| outbox::retry_failed(conn, &id, now))
        .await?;
    if common.json {
        return print_json(&json!({ "retried": retried }));
    }
    say(format!("{retried} due again"))
}

async fn pause(
    common: &Common,
    store: &Store,
    dealer: &DealerId,
    place: Place,
    length: Option<Period>,
) -> Result<(), Failure> {
    let now = store.clock().now();
    let until = length.map(|length| now + length.duration());
    let id = dealer.clone();
    let Place {
        rooftop,
        destination,
    } = place;
    let name = format!("{rooftop}/{destination}");
    store
        .write(move |conn| outbox::pause(conn, &id, &rooftop, &destination, until))
        .await?;
    if common.json {
        return print_json(&json!({ "paused": name, "until": until }));
    }
    let until = until.map_or_else(
        || "until `forecourt deliveries resume`".to_owned(),
        |until| format!("until {} UTC", minute(until)),
    );
    say(format!("{} is paused {until}", clean(&name)))
}

async fn resume(
    common: &Common,
    store: &Store,
    dealer: &DealerId,
    place: Place,
) -> Result<(), Failure> {
    let (id, now) = (dealer.clone(), store.clock().now());
    let Place {
        rooftop,
        destination,
    } = place;
    let name = format!("{rooftop}/{destination}");
    let waiting = store
        .write(move |conn| outbox::resume(conn, &id, &rooftop, &destination, now))
        .await?;
    if common.json {
        return print_json(&json!({ "resumed": name, "waiting": waiting }));
    }
    say(format!("{} is open; {waiting} due at once", clean(&name)))
}
