//! `adf`: what a CRM would refuse in a document, and the document that a lead would become.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use aap::{AapError, Payload, Skill, lead::LeadSubmitRequest, request::Request};
use clap::{Args, Subcommand};
use dealers::{AdfSettings, Dealer, DealerId, Rooftop, Standing};
use inventory::snapshot::Snapshot;
use leads::{
    Caller, NewLead, Origin,
    adf::{self, Occasion, Prospect, Severity},
};
use serde_json::{Value, json};
use store::{Clock, Store};

use super::{
    Common,
    outcome::{Exit, Failure, print_json, say},
    serve::publish_demo,
    site,
};
use crate::{
    agent::{match_vehicle, rejection},
    app::migrations,
    config::Config,
    demo,
    lot::Lot,
};

#[derive(Debug, Subcommand)]
pub(super) enum AdfCommand {
    /// Tell what a strict CRM would refuse in an ADF document; ends with 1 when it would
    #[command(after_help = "Example:\n  forecourt adf check lead.xml")]
    Check {
        /// The document
        file: PathBuf,
    },
    /// Print the ADF document that a lead.submit request would become
    #[command(
        after_help = "Examples:\n  forecourt adf write lead.json --demo\n  forecourt adf write lead.json --dealer group --destination crm"
    )]
    Write(WriteArgs),
}

#[derive(Debug, Args)]
pub(super) struct WriteArgs {
    /// The request: the payload alone, or the whole JSON-RPC message
    file: PathBuf,
    /// For the demo's dealer and its stock; no configuration is read
    #[arg(long)]
    demo: bool,
    /// In the form of this destination of the lead's rooftop [default: the first]
    #[arg(long, value_name = "NAME")]
    destination: Option<String>,
}

pub(super) fn run(common: &Common, command: AdfCommand) -> Result<ExitCode, Failure> {
    match command {
        AdfCommand::Check { file } => check(common, &file),
        AdfCommand::Write(args) => write(common, &args),
    }
}

fn check(common: &Common, file: &Path) -> Result<ExitCode, Failure> {
    let findings = adf::check(read(file)?);
    let refusals = findings
        .iter()
        .filter(|it| it.severity == Severity::Refuses);
    let refusals = refusals.count();
    if common.json {
        print_json(&json!({ "refused": refusals > 0, "findings": findings }))?;
    } else {
        for finding in &findings {
            let mark = match finding.severity {
                Severity::Refuses => "refuses",
                Severity::Doubts => "doubts ",
            };
            say(format!(
                "{mark}  {}",
                super::text::clean(&finding.to_string())
            ))?;
        }
        say(match (refusals, findings.len()) {
            (0, 0) => "a strict CRM takes it".to_owned(),
            (0, doubts) => format!("a strict CRM takes it; {doubts} doubtful"),
            (refusals, all) => {
                format!(
                    "a strict CRM refuses it: {refusals} to mend, {} doubtful",
                    all - refusals
                )
            }
        })?;
    }
    Ok(if refusals > 0 {
        ExitCode::from(Exit::Refused as u8)
    } else {
        ExitCode::SUCCESS
    })
}

fn write(common: &Common, args: &WriteArgs) -> Result<ExitCode, Failure> {
    let text = String::from_utf8(read(&args.file)?)
        .map_err(|_| Failure::refused("not_json", "the file is not UTF-8"))?;
    let runtime = super::runtime()?;
    let lot = runtime.block_on(lot(common, args.demo))?;
    let clock = Clock::system();
    let request = request(&text, &clock)?;
    let lead = new_lead(&lot, request, &clock)?.preview();
    let dealer = lot.dealer();
    let rooftop = lead.summary.rooftop.as_deref();
    let settings = settings(dealer, rooftop, args.destination.as_deref())?;
    let prospect = Prospect::of(&lead, dealer, Occasion::New)
        .ok_or_else(|| Failure::refused("defect", "a new lead has a person"))?;
    let document = adf::write(&prospect, &settings);
    if common.json {
        print_json(&json!({
            "adf": document,
            "subject": adf::subject(&prospect),
            "text": adf::text(&prospect),
            "rooftop": rooftop,
            "vehicle_state": lead.summary.vehicle_state,
        }))?;
    } else {
        say(document.trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A file, up to the size that leads may have.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let fault = |what: &dyn std::fmt::Display| {
        Failure::refused("io", format!("cannot read {}: {what}", file.display()))
    };
    let size = std::fs::metadata(file)
        .map_err(|error| fault(&error))?
        .len();
    if size > adf::LARGEST as u64 {
        return Err(fault(&format!(
            "it has more than {} MiB",
            adf::LARGEST >> 20
        )));
    }
    std::fs::read(file).map_err(|error| fault(&error))
}

/// The dealer with its stock; without any where no server ran.
async fn lot(common: &Common, as_demo: bool) -> Result<Lot, Failure> {
    if as_demo {
        let config = demo::config()?;
        let store = Store::temporary(&migrations(), Clock::system())?;
        publish_demo(&config, &store).await?;
        let (id, dealer) = site::dealer(common, &config)?;
        return Ok(Lot::open(id.clone(), dealer.clone(), &store).await?);
    }
    let path = site::config_path(common);
    let config = Config::read(&path)?;
    let (id, dealer) = site::dealer(common, &config)?;
    stocked(common, &config, &path, id, dealer).await
}

async fn stocked(
    common: &Common,
    config: &Config,
    path: &Path,
    id: &DealerId,
    dealer: &Dealer,
) -> Result<Lot, Failure> {
    let data = site::data_folder(common, config, path);
    let database = site::database(common, Some(config), &data)?;
    if site::require_database(&data, &database).is_err() {
        let rooftops: Vec<String> = dealer.rooftops.keys().cloned().collect();
        let empty = Snapshot::build(Vec::new(), Vec::new(), &rooftops, 0);
        let empty = empty.map_err(|error| Failure::refused("storage", error.to_string()))?;
        return Ok(Lot::with_stock(id.clone(), dealer.clone(), empty));
    }
    let site = site::open(common, false)?;
    Ok(Lot::open(id.clone(), dealer.clone(), &site.store).await?)
}

/// A request with the text of its payload.
struct Wanted {
    request: LeadSubmitRequest,
    payload: String,
}

fn request(text: &str, clock: &Clock) -> Result<Wanted, Failure> {
    let not_json = |error: serde_json::Error| {
        // What serde says may repeat what a person wrote; the place does not.
        let (line, column) = (error.line(), error.column());
        Failure::refused(
            "not_json",
            format!("the file is not JSON (line {line}, column {column})"),
        )
    };
    let file: Value = serde_json::from_str(text).map_err(not_json)?;
    let payload = payload(&file).ok_or_else(|| {
        Failure::refused(
            "no_request",
            "the file holds no request; expected an object with type = \"lead.submit.request\", or a message with one among its parts",
        )
    })?;
    // A file that is the payload is taken as it stands, so that a member that stands twice counts as
    // it does to the server.
    let payload = if std::ptr::eq(payload, &file) {
        text.to_owned()
    } else {
        payload.to_string()
    };
    let now = clock.now();
    let read = Payload::parse(&payload).map_err(not_json)?;
    let judged = read
        .skill(&[Skill::LeadSubmit])
        .and_then(|_| read.validate(now));
    match judged {
        Ok(Request::LeadSubmit(request)) => Ok(Wanted {
            request: *request,
            payload,
        }),
        Ok(_) => Err(Failure::refused("no_request", "the request is not a lead")),
        Err(rejection) => {
            let error = AapError::from_rejection(&rejection, clock.new_id().to_string(), now);
            let problems = rejection.problems.iter();
            let problems: Vec<String> = problems
                .map(|it| format!("\n  {}: {}", it.instance_location, it.error))
                .collect();
            let message = format!("{}{}", rejection.message, problems.concat());
            Err(Failure::refused("refused", message).with_document(json!({ "error": error })))
        }
    }
}

/// The payload itself, or the first among a message's parts that has a type.
fn payload(file: &Value) -> Option<&Value> {
    let is_request = |value: &&Value| value.get("type").is_some_and(Value::is_string);
    if is_request(&file) {
        return Some(file);
    }
    let parts = ["/params/message/parts", "/message/parts", "/parts"];
    let parts = parts.iter().find_map(|place| file.pointer(place))?;
    let data = parts.as_array()?.iter().filter_map(|part| part.get("data"));
    data.into_iter().find(is_request)
}

fn new_lead(lot: &Lot, wanted: Wanted, clock: &Clock) -> Result<NewLead, Failure> {
    let Wanted { request, payload } = wanted;
    if let Some(reason) = rejection(lot.dealer(), &request) {
        return Err(Failure::refused("rejected", reason));
    }
    let vehicle = request.vehicle_of_interest.as_ref();
    let (vehicle, rooftop) = match_vehicle(lot, vehicle)
        .ok_or_else(|| Failure::refused("storage", "a stored vehicle cannot be read"))?;
    Ok(NewLead {
        dealer: lot.id().clone(),
        lead_id: clock.new_id().into(),
        appointment_id: clock.new_id().into(),
        deliveries: Vec::new(),
        standing: Standing::Open,
        origin: Origin::Agent,
        rejected: None,
        now: clock.now(),
        caller: Caller::new(request.source_agent.name.as_str()),
        request,
        payload,
        idempotency: None,
        vehicle,
        rooftop,
        calendar: None,
        contact: aap::lead::DealerContact::default(),
        // Nothing is kept, so that no hash is ever compared.
        hash_key: leads::HashKey::new([0; 32]),
    })
}

/// The form of the documents of a destination, else of the dealer's.
fn settings(
    dealer: &Dealer,
    rooftop: Option<&str>,
    wanted: Option<&str>,
) -> Result<AdfSettings, Failure> {
    let rooftop = rooftop.and_then(|name| dealer.rooftops.get(name));
    let destinations = rooftop.map(Rooftop::every_destination).unwrap_or_default();
    let destination = match wanted {
        None => destinations.values().next(),
        Some(name) => Some(destinations.get(name).ok_or_else(|| {
            let names: Vec<&str> = destinations.keys().map(String::as_str).collect();
            Failure::usage(format!(
                "the rooftop has no destination {name:?}; it has {}",
                names.join(", ")
            ))
        })?),
    };
    let settings = destination.and_then(|it| it.adf.clone());
    Ok(settings.unwrap_or_else(|| dealer.adf.clone()))
}
