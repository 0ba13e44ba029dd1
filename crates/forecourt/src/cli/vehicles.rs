//! `vehicles`: the published stock, one unit, a unit's history, and taking a unit off the lot.

use std::process::ExitCode;

use aap::{
    inventory::{Filters, Pagination, SearchRequest, VehicleRequest},
    vehicle::{Condition, Vehicle, is_vin},
};
use clap::{Args, Subcommand};
use dealers::{Dealer, DealerId, PageLimits};
use inventory::{
    snapshot::{Found, Snapshot},
    stock::{self, ByHand, HandOutcome, HistoryEntry, PriceStatement},
};
use serde_json::{Value, json};
use store::Store;

use super::{
    Common,
    outcome::{Failure, keep_whole, print_json, say, table},
    site,
    text::{clean, dollars, grouped, minute, prices},
};
use crate::{
    buyer::command::{sold_as, title},
    lot::Lot,
};

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
    /// Show when a VIN was published, changed and withdrawn, at which prices and on whose word
    #[command(after_help = "Example:\n  forecourt vehicles history 1HGCM82633A004352")]
    History {
        /// VIN; for a unit without one, its stock number or the dealer's own identifier
        vin: String,
    },
    /// Take a unit off the lot, whatever the feeds say, until it is restored
    #[command(
        after_help = "Example:\n  forecourt vehicles withdraw 1HGCM82633A004352 --reason \"recall, do not sell\""
    )]
    Withdraw(HandArgs),
    /// Undo a withdrawal: the unit is on the lot again wherever a feed has it
    #[command(after_help = "Example:\n  forecourt vehicles restore 1HGCM82633A004352")]
    Restore(HandArgs),
}

#[derive(Debug, Args)]
pub(super) struct HandArgs {
    /// VIN; for a unit without one, its stock number or the dealer's own identifier
    vin: String,
    /// Only at this rooftop
    #[arg(long, value_name = "NAME")]
    rooftop: Option<String>,
    /// Why, for the unit's history
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
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
    let runtime = super::runtime()?;
    match command {
        VehiclesCommand::History { vin } => {
            let (dealer, stated, now) = (id.clone(), dealer.clone(), site.store.clock().now());
            let wanted = vin.clone();
            let entries = runtime.block_on(
                site.store
                    .read(move |conn| stock::history(conn, &dealer, &stated, &wanted, now)),
            )?;
            history(common, id, &vin, &entries)?;
        }
        VehiclesCommand::Withdraw(unit) => {
            let outcome = runtime.block_on(by_hand(&site.store, id, dealer, &unit, true))?;
            told(common, id, &unit, "withdrawn", outcome)?;
        }
        VehiclesCommand::Restore(unit) => {
            let outcome = runtime.block_on(by_hand(&site.store, id, dealer, &unit, false))?;
            told(common, id, &unit, "restored", outcome)?;
        }
        VehiclesCommand::List(wanted) => {
            let lot = runtime.block_on(Lot::open(id.clone(), dealer.clone(), &site.store))?;
            let stock = runtime.block_on(lot.stock(&site.store))?;
            list(common, &stock, wanted)?;
        }
        VehiclesCommand::Show { unit } => {
            let lot = runtime.block_on(Lot::open(id.clone(), dealer.clone(), &site.store))?;
            let stock = runtime.block_on(lot.stock(&site.store))?;
            show(common, id, &stock, &unit)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Withdraws or restores a unit.
async fn by_hand(
    store: &Store,
    id: &DealerId,
    dealer: &Dealer,
    unit: &HandArgs,
    withdraw: bool,
) -> Result<HandOutcome, Failure> {
    if let Some(rooftop) = &unit.rooftop
        && !dealer.rooftops.contains_key(rooftop)
    {
        let known: Vec<&str> = dealer.rooftops.keys().map(String::as_str).collect();
        return Err(Failure::usage(format!(
            "dealer {id} has no rooftop {rooftop:?}; it has {}",
            known.join(", ")
        )));
    }
    let (id, dealer, now) = (id.clone(), dealer.clone(), store.clock().now());
    let (vin, rooftop) = (unit.vin.clone(), unit.rooftop.clone());
    let (reason, by) = (unit.reason.clone(), site::operator());
    let write = move |conn: &mut dyn store::Conn| {
        let word = ByHand {
            unit: &vin,
            rooftop: rooftop.as_deref(),
            by: &by,
            reason: reason.as_deref(),
            now,
        };
        match withdraw {
            true => stock::withdraw(conn, &id, &dealer, word),
            false => stock::restore(conn, &id, &dealer, word),
        }
    };
    Ok(store.write(write).await?)
}

fn told(
    common: &Common,
    id: &DealerId,
    unit: &HandArgs,
    done: &str,
    outcome: HandOutcome,
) -> Result<(), Failure> {
    let vin = &unit.vin;
    let place = unit
        .rooftop
        .as_ref()
        .map(|rooftop| format!(" at {rooftop}"));
    let place = place.unwrap_or_default();
    let rooftops = match outcome {
        HandOutcome::Done(rooftops) => rooftops,
        HandOutcome::AlreadySo => {
            return Err(Failure::refused(
                "already_so",
                format!(
                    "{vin} is already {done}{place}; `forecourt vehicles history {vin}` says since when"
                ),
            ));
        }
        HandOutcome::Unknown => return Err(unknown(id, &format!("{vin}{place}"))),
    };
    if common.json {
        return print_json(&json!({ "unit": vin, "done": done, "rooftops": rooftops }));
    }
    say(match rooftops {
        0 => format!(
            "{vin} is {done}{place}; it was not on the lot there, so that buyers see no difference"
        ),
        1 => format!("{vin} is {done}{place}, at 1 rooftop"),
        _ => format!("{vin} is {done}{place}, at {rooftops} rooftops"),
    })
}

fn unknown(id: &DealerId, unit: &str) -> Failure {
    Failure::refused(
        "vehicle_not_found",
        format!("dealer {id} knows no {unit}: no feed ever published it, or it is long forgotten"),
    )
}

fn list(common: &Common, stock: &Snapshot, wanted: ListArgs) -> Result<(), Failure> {
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
    let result = stock.search(&request, most).result;
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

fn show(common: &Common, dealer: &DealerId, stock: &Snapshot, unit: &str) -> Result<(), Failure> {
    let request = VehicleRequest {
        vin: Some(unit.to_uppercase()).filter(|vin| is_vin(vin)),
        stock: Some(unit.to_owned()),
        vehicle_id: Some(unit.to_owned()),
    };
    match stock.find(&request) {
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
            format!("{unit} is not published since {}", gone.gone_at),
        )),
        Found::Unknown => Err(Failure::refused(
            "vehicle_not_found",
            format!("dealer {dealer} lists no {unit}"),
        )),
    }
}

fn history(
    common: &Common,
    id: &DealerId,
    vin: &str,
    entries: &[HistoryEntry],
) -> Result<(), Failure> {
    if entries.is_empty() {
        return Err(unknown(id, vin));
    }
    if common.json {
        let entries: Vec<Value> = entries.iter().map(entry_document).collect();
        return print_json(&entries);
    }
    let mut statements: Vec<&PriceStatement> = Vec::new();
    let mut rows = table([
        "at (UTC)",
        "rooftop",
        "event",
        "price",
        "from column",
        "stated",
        "by",
    ]);
    for entry in entries {
        let stated = entry.statement.as_ref().map(|statement| {
            let known = statements.iter().position(|it| *it == statement);
            let place = known.unwrap_or_else(|| {
                statements.push(statement);
                statements.len() - 1
            });
            format!("[{}]", place + 1)
        });
        let by = [&entry.by, &entry.reason].into_iter().flatten();
        let by: Vec<String> = by.map(|text| clean(text)).collect();
        rows.add_row([
            minute(entry.at),
            clean(&entry.rooftop),
            entry.event.as_str().to_owned(),
            prices(entry.price, entry.list_price),
            text(entry.price_column.as_deref()),
            stated.unwrap_or_default(),
            by.join(": "),
        ]);
    }
    keep_whole(&mut rows, &[0, 2, 3, 5]);
    say(rows)?;
    for (place, statement) in statements.iter().enumerate() {
        say(format!("[{}] {}", place + 1, stated(statement)))?;
    }
    Ok(())
}

fn entry_document(entry: &HistoryEntry) -> Value {
    json!({
        "at": entry.at,
        "run": entry.run.map(|run| run.to_string()),
        "rooftop": entry.rooftop,
        "event": entry.event.as_str(),
        "status": entry.status,
        "price": entry.price,
        "list_price": entry.list_price,
        "price_column": entry.price_column,
        "statement": entry.statement.as_ref().map(|statement| json!({
            "feed": statement.feed,
            "rooftop": statement.rooftop,
            "condition": statement.condition,
            "column": statement.column,
            "advertised": statement.advertised,
            "fees": statement.fees,
            "stated_by": statement.stated_by,
            "stated_at": statement.stated_at,
        })),
        "by": entry.by,
        "reason": entry.reason,
    })
}

/// What the dealer states about a feed's prices, on one line.
fn stated(statement: &PriceStatement) -> String {
    let fees = statement.fees.as_deref().map(|fees| {
        let fees: Vec<String> = fees
            .iter()
            .map(|fee| format!("{} {}", clean(&fee.name), dollars(fee.amount)))
            .collect();
        match fees.as_slice() {
            [] => "no mandatory charges".to_owned(),
            fees => fees.join(", "),
        }
    });
    let meaning = match (statement.advertised, fees) {
        (true, None) => "the feed's price is the advertised price".to_owned(),
        (true, Some(fees)) => {
            format!("the feed's price is the advertised price, with {fees} in it")
        }
        (false, Some(fees)) => {
            format!("{fees} added to the feed's price make the advertised price")
        }
        (false, None) => "nothing: the feed's price is published as list price".to_owned(),
    };
    let condition = statement
        .condition
        .map_or("no condition", Condition::as_str);
    format!(
        "{}, {condition}, by {} since {} UTC: {meaning}",
        clean(&statement.rooftop),
        clean(&statement.stated_by),
        minute(statement.stated_at)
    )
}

fn text(value: Option<&str>) -> String {
    clean(value.unwrap_or_default())
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
