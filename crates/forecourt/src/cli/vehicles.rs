//! `vehicles`: the published stock, one unit, and a unit's history.

use std::process::ExitCode;

use aap::inventory::{Filters, Pagination, SearchRequest, VehicleRequest};
use aap::vehicle::{Condition, Vehicle, is_vin};
use clap::{Args, Subcommand};
use dealers::PageLimits;
use inventory::{
    snapshot::Found,
    stock::{self, HistoryEntry},
};
use serde_json::{Value, json};

use super::{
    Common,
    outcome::{Failure, keep_whole, print_json, say, table},
    site,
    text::{clean, dollars, grouped},
};
use crate::buyer::command::{sold_as, title};
use crate::lot::Lot;

#[derive(Debug, Subcommand)]
pub(super) enum VehiclesCommand {
    /// List the published stock
    #[command(after_help = "Example:\n  forecourt vehicles list --make Honda --condition used")]
    List(ListArgs),
    /// Show one unit as buyers see it
    #[command(after_help = "Example:\n  forecourt vehicles show D1002")]
    Show {
        /// VIN, stock number or the dealer's own identifier
        unit: String,
    },
    /// Show when a VIN was published, changed and withdrawn, and at which prices
    #[command(after_help = "Example:\n  forecourt vehicles history 1HGCM82633A004352")]
    History {
        /// VIN
        vin: String,
    },
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Make; may be repeated
    #[arg(long)]
    make: Vec<String>,
    /// new, used or cpo; may be repeated
    #[arg(long, value_parser = sale_condition)]
    condition: Vec<Condition>,
    /// Rooftop; may be repeated
    #[arg(long)]
    rooftop: Vec<String>,
    /// Words to search for
    #[arg(long)]
    query: Option<String>,
    /// Most units to list
    #[arg(long, default_value_t = 100)]
    limit: u64,
    /// Units to leave out from the start
    #[arg(long, default_value_t = 0)]
    skip: u64,
}

fn sale_condition(text: &str) -> Result<Condition, String> {
    Condition::SALE
        .into_iter()
        .find(|condition| condition.as_str() == text)
        .ok_or_else(|| "write new, used or cpo".to_owned())
}

pub(super) fn run(common: &Common, command: VehiclesCommand) -> Result<ExitCode, Failure> {
    let site = site::open(common, false)?;
    let (id, dealer) = site::dealer(common, &site.config)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match command {
        VehiclesCommand::History { vin } => {
            let (dealer, wanted) = (id.clone(), vin.to_uppercase());
            let entries = runtime.block_on(
                site.store
                    .read(move |conn| stock::history(conn, &dealer, &wanted)),
            )?;
            history(common, &vin, &entries)?;
        }
        command => {
            let lot = runtime.block_on(Lot::open(id.clone(), dealer.clone(), &site.store))?;
            match command {
                VehiclesCommand::List(wanted) => list(common, &lot, wanted)?,
                VehiclesCommand::Show { unit } => show(common, &lot, &unit)?,
                VehiclesCommand::History { .. } => {}
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(common: &Common, lot: &Lot, wanted: ListArgs) -> Result<(), Failure> {
    let request = SearchRequest {
        filters: Some(Filters {
            make: wanted.make,
            condition: wanted.condition,
            rooftops: wanted.rooftop,
            query: wanted.query,
            ..Filters::default()
        }),
        pagination: Some(Pagination {
            skip: Some(wanted.skip),
            limit: Some(wanted.limit),
        }),
        ..SearchRequest::default()
    };
    let most = PageLimits {
        default: wanted.limit,
        most: u64::MAX,
    };
    let snapshot = lot.snapshot();
    let result = snapshot.search(&request, most).result;
    if common.json {
        return print_json(&result);
    }
    let mut rows = table([
        "stock", "VIN", "vehicle", "sold as", "miles", "price", "rooftop",
    ]);
    for json in &result.vehicles {
        let vehicle: Vehicle = serde_json::from_str(json.get())
            .map_err(|error| Failure::refused("storage", error.to_string()))?;
        rows.add_row([
            text(vehicle.stock.as_deref()),
            text(vehicle.vin.as_deref()),
            title(&vehicle),
            sold_as(&vehicle),
            vehicle.mileage.map(grouped).unwrap_or_default(),
            prices(vehicle.price, vehicle.list_price),
            text(vehicle.rooftop.as_deref()),
        ]);
    }
    keep_whole(&mut rows, &[0, 1, 3, 4, 5]);
    if !result.vehicles.is_empty() {
        say(&rows)?;
    }
    say(format!(
        "{} of {} vehicles",
        result.vehicles.len(),
        result.total
    ))
}

fn show(common: &Common, lot: &Lot, unit: &str) -> Result<(), Failure> {
    let request = VehicleRequest {
        vin: Some(unit.to_uppercase()).filter(|vin| is_vin(vin)),
        stock: Some(unit.to_owned()),
        vehicle_id: Some(unit.to_owned()),
    };
    let snapshot = lot.snapshot();
    match snapshot.find(&request) {
        Found::Listing(found) if common.json => print_json(&found.json()),
        Found::Listing(found) => {
            let vehicle: Value = serde_json::from_str(found.json().get())
                .map_err(|error| Failure::refused("storage", error.to_string()))?;
            let mut rows = table(["field", "value"]);
            for (field, value) in vehicle.as_object().into_iter().flatten() {
                rows.add_row([field.clone(), shown(value)]);
            }
            keep_whole(&mut rows, &[0]);
            say(rows)
        }
        Found::Gone(gone) => Err(Failure::refused(
            "vehicle_unavailable",
            format!(
                "{unit} left the feed at {} and is not published",
                gone.gone_at
            ),
        )),
        Found::Unknown => Err(Failure::refused(
            "vehicle_not_found",
            format!("dealer {} lists no {unit}", lot.id()),
        )),
    }
}

fn history(common: &Common, vin: &str, entries: &[HistoryEntry]) -> Result<(), Failure> {
    if common.json {
        return print_json(&json!(
            entries
                .iter()
                .map(|entry| json!({
                    "at": entry.at.to_string(),
                    "rooftop": entry.rooftop,
                    "event": entry.event.as_str(),
                    "price": entry.price,
                    "list_price": entry.list_price,
                }))
                .collect::<Vec<_>>()
        ));
    }
    if entries.is_empty() {
        return say(format!("{vin} was never published"));
    }
    let mut rows = table(["at", "rooftop", "event", "price", "list price"]);
    for entry in entries {
        rows.add_row([
            entry.at.to_string(),
            entry.rooftop.clone(),
            entry.event.as_str().to_owned(),
            entry.price.map(dollars).unwrap_or_default(),
            entry.list_price.map(dollars).unwrap_or_default(),
        ]);
    }
    keep_whole(&mut rows, &[0]);
    say(rows)
}

fn text(value: Option<&str>) -> String {
    clean(value.unwrap_or_default())
}

/// The advertised price, else the list price marked as one: only the first is a promise.
fn prices(price: Option<u64>, list_price: Option<u64>) -> String {
    match (price, list_price) {
        (Some(price), _) => dollars(price),
        (None, Some(price)) => format!("{} list", dollars(price)),
        (None, None) => String::new(),
    }
}

/// A member of a vehicle without JSON's quotes and brackets.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => clean(text),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(shown).collect();
            values.join(", ")
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{} {}", clean(name), shown(value)))
                .collect();
            members.join(", ")
        }
        other => other.to_string(),
    }
}
