//! Answers about the stock.

use std::fmt::Write as _;

use aap::{
    PriceBasis,
    inventory::{Facets, Range, TermCount, TermValue},
    vehicle::Vehicle,
};
use comfy_table::{Cell, CellAlignment, Table};
use serde_json::{Number, Value};

use super::{NOT_STATED, clean, dollars, fees, grouped, price_label, push_line, wrapped_table};
use crate::{
    buyer::{Answer, SearchPage},
    cli::outcome,
};

/// One page of a search.
pub(crate) fn search(answer: &Answer<SearchPage>, basis: PriceBasis) -> String {
    let SearchPage { result, ignored } = &answer.data;
    let skip = result.skip.unwrap_or_default();
    let shown = result.vehicles.len() + ignored.len();
    let mut text = format!("{} match", vehicles(result.total));
    if shown > 0 {
        let last = skip.saturating_add(shown as u64);
        let _ = write!(text, "; this page has {} to {last}", skip.saturating_add(1));
    } else if result.total > 0 {
        let _ = write!(text, ", none of them after the first {skip}");
    }
    push_line(&mut text, answer.message.as_deref());
    if !result.vehicles.is_empty() {
        let _ = write!(text, "\n\n{}", search_table(&result.vehicles, basis));
    }
    for listing in ignored {
        let _ = write!(text, "\nleft out: {}", clean(listing));
    }
    text
}

fn search_table(vehicles: &[Vehicle], basis: PriceBasis) -> Table {
    // Several lines, so that the words do not make the column wider than the amounts need.
    let price = price_label(basis)
        .replace(", ", ",\n")
        .replace("fees ", "fees\n");
    let mut table = outcome::table([
        "vehicle", &price, "miles", "sold as", "rooftop", "stock", "VIN",
    ]);
    table.add_rows(vehicles.iter().map(search_row));
    outcome::keep_whole(&mut table, &[1, 2, 3, 5, 6]);
    for column in [1, 2] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn search_row(vehicle: &Vehicle) -> Vec<Cell> {
    [
        title(vehicle),
        vehicle.price.map_or(NOT_STATED.to_owned(), dollars),
        vehicle.mileage.map(grouped).unwrap_or_default(),
        sold_as(vehicle),
        clean_or_empty(vehicle.rooftop.as_deref()),
        clean_or_empty(vehicle.stock.as_deref()),
        clean_or_empty(vehicle.vin.as_deref()),
    ]
    .into_iter()
    .map(Cell::new)
    .collect()
}

/// One vehicle in full.
pub(crate) fn vehicle(answer: &Answer<Vehicle>, basis: PriceBasis) -> String {
    let vehicle = &answer.data;
    let mut text = title(vehicle);
    push_line(&mut text, answer.message.as_deref());
    let mut table = wrapped_table();
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            table.add_row([name, value.as_str()]);
        }
    };
    let text_of = |value: &Option<String>| value.as_deref().map(clean);
    row("type", Some(vehicle.kind().as_str().to_owned()));
    row(
        "condition",
        vehicle.condition.map(|it| it.as_str().to_owned()),
    );
    row("status", vehicle.status.map(|it| it.as_str().to_owned()));
    row(
        price_label(basis),
        Some(vehicle.price.map_or(NOT_STATED.to_owned(), dollars)),
    );
    row(
        "fees, already in the price",
        vehicle.fees.as_deref().map(fees),
    );
    row(
        "list price, before charges",
        vehicle.list_price.map(dollars),
    );
    row("MSRP, the maker's sticker", vehicle.msrp.map(dollars));
    row("miles", vehicle.mileage.map(grouped));
    row("VIN", text_of(&vehicle.vin));
    row("stock", text_of(&vehicle.stock));
    row("vehicle id", text_of(&vehicle.vehicle_id));
    row("rooftop", text_of(&vehicle.rooftop));
    row("body", text_of(&vehicle.body));
    row("exterior color", text_of(&vehicle.exterior_color));
    row("interior color", text_of(&vehicle.interior_color));
    row("engine", text_of(&vehicle.engine));
    row("displacement, cc", vehicle.displacement_cc.map(grouped));
    row("fuel", text_of(&vehicle.fuel));
    row("transmission", text_of(&vehicle.transmission));
    row("driveline", text_of(&vehicle.driveline));
    row("city mpg", vehicle.city_mpg.map(grouped));
    row("highway mpg", vehicle.highway_mpg.map(grouped));
    row(
        "electric range, miles",
        number(vehicle.electric_range_mi.as_ref()),
    );
    row("battery, kWh", number(vehicle.battery_kwh.as_ref()));
    row("motor, hp", number(vehicle.motor_power_hp.as_ref()));
    row("DC fast charging", vehicle.dc_fast_charge.map(yes_or_no));
    row("charge port", text_of(&vehicle.charge_port));
    row("features", Some(clean(&vehicle.features.join(", "))));
    row("description", text_of(&vehicle.description));
    row("notes", text_of(&vehicle.notes));
    for (name, value) in &vehicle.other_attributes {
        row(&clean(name), Some(clean(&bare(value))));
    }
    row("page", text_of(&vehicle.vdp_url));
    row("in stock since", text_of(&vehicle.inventory_date));
    row("stated at", text_of(&vehicle.updated_at));
    let _ = write!(text, "\n\n{table}");
    text
}

/// Counts and ranges over the stock.
pub(crate) fn facets(answer: &Answer<Facets>, basis: PriceBasis) -> String {
    let facets = &answer.data;
    let mut table = wrapped_table();
    for (name, terms) in [
        ("makes", &facets.makes),
        ("models", &facets.models),
        ("trims", &facets.trims),
        ("years", &facets.years),
        ("conditions", &facets.conditions),
        ("vehicle types", &facets.vehicle_types),
        ("bodies", &facets.bodies),
        ("fuels", &facets.fuels),
        ("transmissions", &facets.transmissions),
        ("drivelines", &facets.drivelines),
        ("exterior colors", &facets.exterior_colors),
        ("interior colors", &facets.interior_colors),
        ("DC fast charging", &facets.dc_fast_charge),
        ("charge ports", &facets.charge_ports),
        ("rooftops", &facets.rooftops),
        ("statuses", &facets.statuses),
    ] {
        if !terms.is_empty() {
            table.add_row([name, term_counts(terms).as_str()]);
        }
    }
    let dollar_range = |range: &Range| {
        let [min, max] = [&range.min, &range.max].map(dollar_end);
        format!("{min} to {max}")
    };
    let plain_range = |range: &Range| {
        let [min, max] = [&range.min, &range.max].map(count);
        format!("{min} to {max}")
    };
    for (name, range) in [
        (
            price_label(basis),
            facets.price_range.as_ref().map(dollar_range),
        ),
        ("miles", facets.mileage_range.as_ref().map(plain_range)),
        (
            "model years",
            facets
                .year_range
                .as_ref()
                .map(|range| format!("{} to {}", range.min, range.max)),
        ),
        (
            "displacement, cc",
            facets.displacement_cc_range.as_ref().map(plain_range),
        ),
        (
            "electric range, miles",
            facets.electric_range_mi_range.as_ref().map(plain_range),
        ),
    ] {
        if let Some(range) = range {
            table.add_row([name, range.as_str()]);
        }
    }
    let mut text = if table.is_empty() {
        "nothing matches".to_owned()
    } else {
        table.to_string()
    };
    push_line(&mut text, answer.message.as_deref());
    text
}

/// Year, make, model and trim.
pub(crate) fn title(vehicle: &Vehicle) -> String {
    vehicle
        .title()
        .map_or_else(|| "unnamed vehicle".to_owned(), |title| clean(&title))
}

/// Sale condition and status, on a line each where both are stated.
pub(crate) fn sold_as(vehicle: &Vehicle) -> String {
    let condition = vehicle.condition.map(|it| it.as_str());
    let words: Vec<&str> = condition
        .into_iter()
        .chain(vehicle.status.map(|it| it.as_str()))
        .collect();
    words.join(",\n")
}

fn term_counts(terms: &[TermCount]) -> String {
    let counts: Vec<String> = terms
        .iter()
        .map(|term| match &term.value {
            TermValue::Integer(value) => format!("{value} ({})", term.count),
            TermValue::Text(value) => format!("{} ({})", clean(value), term.count),
        })
        .collect();
    counts.join(", ")
}

fn vehicles(count: u64) -> String {
    match count {
        1 => "1 vehicle".to_owned(),
        _ => format!("{} vehicles", grouped(count)),
    }
}

/// An end of a price range, which the schema allows to be a fraction.
fn dollar_end(amount: &Number) -> String {
    amount
        .as_u64()
        .map_or_else(|| format!("${amount}"), dollars)
}

/// An end of a range of counts, which the schema allows to be a fraction.
fn count(number: &Number) -> String {
    number.as_u64().map_or_else(|| number.to_string(), grouped)
}

fn yes_or_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn number(value: Option<&Number>) -> Option<String> {
    value.map(ToString::to_string)
}

/// A value of `other_attributes` without JSON's quotes.
fn bare(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(bare).collect();
            values.join(", ")
        }
        other => other.to_string(),
    }
}

fn clean_or_empty(text: Option<&str>) -> String {
    text.map(clean).unwrap_or_default()
}
