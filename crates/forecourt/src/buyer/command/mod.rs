//! The `buyer` commands.

mod filters;
mod input;
mod lead;
mod many;
mod outcome;
mod print;
mod whom;

pub(crate) use outcome::failure;
pub(crate) use print::{sold_as, title};

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use aap::{
    Request, Skill,
    inventory::{FacetsRequest, Filters, Pagination, SearchRequest, Sort, VehicleRequest},
    lead::LeadStatus,
};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use store::Clock;

use self::{
    filters::FilterFlags,
    lead::LeadFlags,
    whom::{Chosen, To, Whom},
};
use super::{Answer, discover_agent, pending::PendingLeads};
use crate::cli::{
    self,
    outcome::{Exit, Failure, print_json, say},
};

/// Talk to a dealer's agent as a buyer's agent does.
#[derive(Debug, Subcommand)]
pub(crate) enum BuyerCommand {
    /// Read the agent's card and say what the agent is
    #[command(after_help = "Example:\n  forecourt buyer discover https://dealer.example")]
    Discover {
        #[command(flatten)]
        to: To,
    },
    /// The dealership's public profile
    #[command(
        after_help = "Examples:\n  forecourt buyer info http://127.0.0.1:8080\n  forecourt buyer info --dealers dealers.txt --json"
    )]
    Info {
        #[command(flatten)]
        whom: Whom,
    },
    /// Counts and ranges over the stock
    #[command(
        after_help = "Examples:\n  forecourt buyer facets http://127.0.0.1:8080 --condition used\n  forecourt buyer facets --dealers dealers.txt --condition used"
    )]
    Facets {
        #[command(flatten)]
        whom: Whom,
        #[command(flatten)]
        filters: Box<FilterSource>,
    },
    /// Search the stock of a dealer, or of many at once
    #[command(
        after_help = "Examples:\n  forecourt buyer search http://127.0.0.1:8080 --make Honda --condition used --price-max 30000 --sort price:asc\n  forecourt buyer search --dealers dealers.txt --make Honda --sort price:asc --within 15s --json\n\nWith --dealers, --limit and --skip count at each dealer. A car with a VIN is listed once, with every dealer's\noffer; prices of different kinds (out-the-door up to AAP 1.2, advertised from 1.3 on) are not compared.\nExit status with --dealers: 0 when at least one dealer answered; 3 when none could be reached in time;\n4 when none is a dealer's agent; 1 when all refused, or failed for different reasons. With --json the\ndocument says for each dealer what came of it, whatever the status."
    )]
    Search {
        #[command(flatten)]
        whom: Whom,
        #[command(flatten)]
        search: Box<SearchFlags>,
    },
    /// One vehicle in full
    #[command(
        after_help = "Example:\n  forecourt buyer vehicle http://127.0.0.1:8080 --stock N-1042"
    )]
    Vehicle {
        #[command(flatten)]
        to: To,
        #[command(flatten)]
        which: VehicleFlags,
    },
    /// Hand the dealer an enquiry, with the person's consent
    #[command(
        after_help = "Example:\n  forecourt buyer lead http://127.0.0.1:8080 --first-name Ada --last-name Example \\\n    --email ada@mail.example --channel email --consent-given-now \\\n    --consent-text \"Demo Motors may answer me by e-mail about this car.\" --stock N-1042\n\nThe lead's key is saved before it is sent. When the outcome stays unknown, run the same command again:\nthe dealer recognises the repeat."
    )]
    Lead {
        #[command(flatten)]
        to: To,
        #[command(flatten)]
        lead: Box<LeadFlags>,
        /// File of the leads that are not answered yet
        /// [default: forecourt/buyer-leads.json in $XDG_STATE_HOME, else in ~/.local/state]
        #[arg(long, value_name = "FILE")]
        state: Option<PathBuf>,
    },
}

/// The filters, as flags or as the protocol's JSON.
#[derive(Debug, Args)]
pub(crate) struct FilterSource {
    #[command(flatten)]
    flags: FilterFlags,
    /// The filter block as JSON, from a file or `-` for standard input, instead of the flags
    #[arg(long, value_name = "FILE", conflicts_with = "filter_flags")]
    filters: Option<PathBuf>,
}

/// What to search for, and which page of it.
#[derive(Debug, Args)]
pub(crate) struct SearchFlags {
    #[command(flatten)]
    filters: FilterSource,
    /// Order: price, list_price, msrp, mileage, year, make, model, stock or updated_at, then
    /// `:asc` or `:desc` [default: the dealer's own]
    #[arg(long, value_name = "FIELD:ORDER", value_parser = filters::sort)]
    sort: Option<Sort>,
    /// Vehicles per page, 1 to 1000; the dealer may send fewer [default: the dealer's own]
    #[arg(long, value_name = "COUNT")]
    limit: Option<u64>,
    /// Matches to leave out from the start
    #[arg(long, value_name = "COUNT")]
    skip: Option<u64>,
}

/// Which vehicle; the first that names one wins.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct VehicleFlags {
    /// VIN
    #[arg(long, value_name = "VIN")]
    vin: Option<String>,
    /// Stock number
    #[arg(long, value_name = "STOCK")]
    stock: Option<String>,
    /// The dealer's own identifier
    #[arg(long, value_name = "ID")]
    vehicle_id: Option<String>,
}

/// Runs a `buyer` command. With `json`, the AAP payload is printed as the dealer sent it.
///
/// # Errors
/// A [`Failure`] with the exit status and, for a refusal, the dealer's `aap.error` as its document.
pub(crate) fn run(command: BuyerCommand, json: bool) -> Result<ExitCode, Failure> {
    cli::runtime()?.block_on(dispatch(command, json, &Clock::system()))
}

async fn dispatch(command: BuyerCommand, json: bool, clock: &Clock) -> Result<ExitCode, Failure> {
    match command {
        BuyerCommand::Discover { to } => discover(&to, json, clock).await,
        BuyerCommand::Info { whom } => info(whom, json, clock).await,
        BuyerCommand::Facets { whom, filters } => facets(whom, &filters, json, clock).await,
        BuyerCommand::Search { whom, search } => self::search(whom, &search, json, clock).await,
        BuyerCommand::Vehicle { to, which } => vehicle(&to, &which, json, clock).await,
        BuyerCommand::Lead { to, lead, state } => self::lead(&to, &lead, state, json, clock).await,
    }
}

async fn discover(to: &To, json: bool, clock: &Clock) -> Result<ExitCode, Failure> {
    let agent = discover_agent(&to.egress()?, to.url(), clock)
        .await
        .map_err(outcome::failure)?;
    if json {
        print_json(&print::agent_document(&agent))?;
    } else {
        say(print::agent(&agent))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn info(whom: Whom, json: bool, clock: &Clock) -> Result<ExitCode, Failure> {
    let to = match whom.choose(clock)? {
        Chosen::One(to) => to,
        Chosen::Many(market) => return many::information(&market, json).await,
    };
    let dealer = to.dealer(clock).await?;
    let answer = to.call(async || dealer.information().await).await?;
    show(json, &answer, print::information)
}

async fn facets(
    whom: Whom,
    filters: &FilterSource,
    json: bool,
    clock: &Clock,
) -> Result<ExitCode, Failure> {
    filters.check_standard_input(&whom)?;
    let request = filters.facets_request(clock)?;
    let to = match whom.choose(clock)? {
        Chosen::One(to) => to,
        Chosen::Many(market) => return many::facets(&market, &request, json).await,
    };
    let dealer = to.dealer(clock).await?;
    let answer = to.call(async || dealer.facets(&request).await).await?;
    show(json, &answer, |answer| {
        print::facets(answer, dealer.price_basis())
    })
}

async fn search(
    whom: Whom,
    search: &SearchFlags,
    json: bool,
    clock: &Clock,
) -> Result<ExitCode, Failure> {
    search.filters.check_standard_input(&whom)?;
    let request = search.request(clock)?;
    let to = match whom.choose(clock)? {
        Chosen::One(to) => to,
        Chosen::Many(market) => return many::search(&market, &request, json).await,
    };
    let dealer = to.dealer(clock).await?;
    let answer = to.call(async || dealer.search(&request).await).await?;
    show(json, &answer, |answer| {
        print::search(answer, dealer.price_basis())
    })
}

async fn vehicle(
    to: &To,
    which: &VehicleFlags,
    json: bool,
    clock: &Clock,
) -> Result<ExitCode, Failure> {
    let request = which.request(clock)?;
    let dealer = to.dealer(clock).await?;
    let answer = to.call(async || dealer.vehicle(&request).await).await?;
    show(json, &answer, |answer| {
        print::vehicle(answer, dealer.price_basis())
    })
}

async fn lead(
    to: &To,
    lead: &LeadFlags,
    state: Option<PathBuf>,
    json: bool,
    clock: &Clock,
) -> Result<ExitCode, Failure> {
    let lead = lead.read(clock)?;
    let pending = PendingLeads::at(input::state_path(state)?);
    let dealer = to.dealer(clock).await?;
    let answer = lead
        .submit(&dealer, &pending, &to.retry(), clock)
        .await
        .map_err(outcome::failure)?;
    show(json, &answer, print::lead)?;
    Ok(match answer.data.status {
        LeadStatus::Rejected => ExitCode::from(Exit::Refused as u8),
        LeadStatus::Received | LeadStatus::Duplicate => ExitCode::SUCCESS,
    })
}

/// Prints the payload as it was sent, or the text for people.
fn show<D>(
    json: bool,
    answer: &Answer<D>,
    text: impl FnOnce(&Answer<D>) -> String,
) -> Result<ExitCode, Failure> {
    if json {
        print_json(&answer.payload)?;
    } else {
        say(text(answer))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl FilterSource {
    /// Two documents cannot come in by one standard input.
    fn check_standard_input(&self, whom: &Whom) -> Result<(), Failure> {
        if whom.reads_standard_input() && self.filters.as_deref() == Some(Path::new("-")) {
            return Err(Failure::usage(
                "--dealers and --filters cannot both be read from standard input",
            ));
        }
        Ok(())
    }

    /// The filter block, to be judged with the request that it belongs to.
    fn read(&self) -> Result<Value, Failure> {
        match &self.filters {
            Some(path) => input::json(path),
            None => input::value(&Filters::from(self.flags.clone())),
        }
    }

    fn facets_request(&self, clock: &Clock) -> Result<FacetsRequest, Failure> {
        let payload = json!({ "filters": self.read()? });
        match input::judged(Skill::InventoryFacets, payload, clock)? {
            Request::InventoryFacets(request) => Ok(request),
            other => Err(input::not_a(Skill::InventoryFacets, &other)),
        }
    }
}

impl SearchFlags {
    fn request(&self, clock: &Clock) -> Result<SearchRequest, Failure> {
        let mut payload = json!({
            "filters": self.filters.read()?,
            "privacy": { "anonymous": true },
        });
        if let Some(sort) = self.sort {
            payload["sort"] = input::value(&sort)?;
        }
        if self.skip.is_some() || self.limit.is_some() {
            let pagination = Pagination {
                skip: self.skip,
                limit: self.limit,
            };
            payload["pagination"] = input::value(&pagination)?;
        }
        match input::judged(Skill::InventorySearch, payload, clock)? {
            Request::InventorySearch(request) => Ok(request),
            other => Err(input::not_a(Skill::InventorySearch, &other)),
        }
    }
}

impl VehicleFlags {
    fn request(&self, clock: &Clock) -> Result<VehicleRequest, Failure> {
        let payload = input::value(&VehicleRequest {
            vin: self.vin.as_deref().map(str::to_ascii_uppercase),
            stock: self.stock.clone(),
            vehicle_id: self.vehicle_id.clone(),
        })?;
        match input::judged(Skill::InventoryVehicle, payload, clock)? {
            Request::InventoryVehicle(request) => Ok(request),
            other => Err(input::not_a(Skill::InventoryVehicle, &other)),
        }
    }
}
