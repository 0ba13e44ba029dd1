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
    outcome::{Failure, print_json, table},
    site,
};
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
        "stock",
        "VIN",
        "vehicle",
        "condition",
        "status",
        "odometer",
        "price",
        "list price",
        "rooftop",
    ]);
    for json in &result.vehicles {
        let vehicle: Vehicle = serde_json::from_str(json.get())
            .map_err(|error| Failure::refused("storage", error.to_string()))?;
        rows.add_row([
            text(vehicle.stock.as_deref()),
            text(vehicle.vin.as_deref()),
            title(&vehicle),
            text(vehicle.condition.map(Condition::as_str)),
            text(vehicle.status.map(aap::vehicle::Status::as_str)),
            vehicle
                .mileage
                .map(|miles| miles.to_string())
                .unwrap_or_default(),
            dollars(vehicle.price),
            dollars(vehicle.list_price),
            text(vehicle.rooftop.as_deref()),
        ]);
    }
    println!("{rows}");
    println!("{} of {} vehicles", result.vehicles.len(), result.total);
    Ok(())
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
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                rows.add_row([field.clone(), value]);
            }
            println!("{rows}");
            Ok(())
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
                    "event": format!("{:?}", entry.event).to_lowercase(),
                    "price": entry.price,
                    "list_price": entry.list_price,
                }))
                .collect::<Vec<_>>()
        ));
    }
    if entries.is_empty() {
        println!("{vin} was never published");
        return Ok(());
    }
    let mut rows = table(["at", "rooftop", "event", "price", "list price"]);
    for entry in entries {
        rows.add_row([
            entry.at.to_string(),
            entry.rooftop.clone(),
            format!("{:?}", entry.event).to_lowercase(),
            dollars(entry.price),
            dollars(entry.list_price),
        ]);
    }
    println!("{rows}");
    Ok(())
}

fn text(value: Option<&str>) -> String {
    value.unwrap_or_default().to_owned()
}

fn title(vehicle: &Vehicle) -> String {
    let year = vehicle.year.map(|year| year.to_string());
    [
        year.as_deref(),
        vehicle.make.as_deref(),
        vehicle.model.as_deref(),
        vehicle.trim.as_deref(),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(" ")
}

fn dollars(amount: Option<u64>) -> String {
    amount
        .map(|amount| format!("${amount}"))
        .unwrap_or_default()
}
