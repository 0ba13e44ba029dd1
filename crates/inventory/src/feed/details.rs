//! The fields of a vehicle beyond its identity, one cell after the other.

use aap::vehicle::{Condition, Vehicle};
use serde_json::{Number, Value};

use super::ReadOptions;
use super::cells::Cells;
use super::clean::number::{self, Displacement, Money, Odometer};
use super::clean::{html, list, url, words};
use super::field::Field;
use super::report::FindingCode;
use super::vehicle::Context;

/// Fills everything but the identity, the place, the status, the condition and the date.
pub(super) fn fill(cells: &mut Cells<'_>, context: &Context<'_>, vehicle: &mut Vehicle) {
    vehicle.year = model_year(cells, context.options);
    vehicle.make = cells.phrase(Field::Make);
    vehicle.body = cells.phrase(Field::Body);
    vehicle.trim = trim(cells, vehicle);
    prices(cells, context, vehicle);
    vehicle.mileage = mileage(cells, vehicle.condition);
    powertrain(cells, vehicle);
    vehicle.model = model(cells, vehicle);
    vehicle.exterior_color = cells.phrase(Field::ExteriorColor);
    vehicle.interior_color = cells.phrase(Field::InteriorColor);
    vehicle.features = features(cells);
    vehicle.photos = photos(cells);
    vehicle.vdp_url = vdp_url(cells);
    vehicle.description = plain_text(cells, Field::Description);
    vehicle.notes = plain_text(cells, Field::Notes);
    other_attributes(cells, vehicle);
}

/// The latest model year that can be on a lot: makers run one or two years ahead of the calendar.
pub(super) fn latest_model_year(options: &ReadOptions) -> u16 {
    u16::try_from(options.today.year())
        .unwrap_or(0)
        .saturating_add(2)
}

fn model_year(cells: &mut Cells<'_>, options: &ReadOptions) -> Option<u16> {
    const EARLIEST: u16 = 1900;
    let cell = cells.get(Field::Year)?;
    let latest = latest_model_year(options);
    let year = number::whole(cell)
        .and_then(|year| u16::try_from(year).ok())
        .filter(|year| (EARLIEST..=latest).contains(year));
    if year.is_none() {
        cells.warn_of(
            Field::Year,
            cell,
            FindingCode::BadYear,
            format!("not a model year; expected {EARLIEST} to {latest}; it is left out"),
        );
    }
    year
}

/// The trim, unless its column holds the body, as a style does in some files.
fn trim(cells: &mut Cells<'_>, vehicle: &Vehicle) -> Option<String> {
    let fold = |text: &String| aap::text::fold(text);
    cells
        .phrase(Field::Trim)
        .filter(|trim| vehicle.body.as_ref().and_then(fold) != fold(trim))
}

/// The model. Some vendors repeat trim and drive behind it (`Enclave CXL AWD`); what other columns
/// state is no part of it, and a buyer who looks for an Enclave would miss the unit.
fn model(cells: &mut Cells<'_>, vehicle: &Vehicle) -> Option<String> {
    let given = cells.phrase(Field::Model)?;
    let Some(trim) = vehicle.trim.as_deref() else {
        return Some(given);
    };
    let drive = vehicle.driveline.as_deref().unwrap_or_default();
    let without_drive = without_last_words(&given, drive).unwrap_or(&given);
    let Some(model) = without_last_words(without_drive, trim) else {
        return Some(given);
    };
    let model = model.to_owned();
    let message = format!("ends with the trim that another column states; published as `{model}`");
    cells.warn_of(Field::Model, &given, FindingCode::ModelWithTrim, message);
    Some(model)
}

/// `text` without `words` at its end, where something stands before them.
fn without_last_words<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(words.len())?;
    let (before, last) = (text.get(..at)?, text.get(at..)?);
    let model = before.strip_suffix(' ')?.trim_end();
    (!words.is_empty() && !model.is_empty() && last.eq_ignore_ascii_case(words)).then_some(model)
}

fn prices(cells: &mut Cells<'_>, context: &Context<'_>, vehicle: &mut Vehicle) {
    if cells.columns().foreign_currency().is_some() {
        return;
    }
    if let Some(currency) = cells.get(Field::Currency)
        && !number::is_us_dollar(currency)
    {
        return cells.warn_of(
            Field::Currency,
            currency,
            FindingCode::Currency,
            "not US dollars; the unit is published without prices",
        );
    }
    vehicle.msrp = dollars(cells, cells.columns().of(Field::Msrp));
    vehicle.list_price = dollars(cells, cells.columns().of(Field::ListPrice));
    let mut amount = None;
    let mut settled = true;
    for column in &cells.columns().prices {
        if let Some(dollars) = dollars(cells, Some(*column)) {
            settled &= *amount.get_or_insert(dollars) == dollars;
        }
    }
    if let Some(dollars) = amount {
        context.price.apply(dollars, settled, vehicle);
    }
    cells.prices_differ = !settled;
}

fn dollars(cells: &mut Cells<'_>, column: Option<usize>) -> Option<u64> {
    let column = column?;
    let cell = cells.at(column)?;
    let (code, message) = match number::money(cell) {
        Money::Dollars(dollars) => return Some(dollars),
        Money::NotStated => return None,
        Money::Filler => (
            FindingCode::PriceFiller,
            "a number that stands for no price; the unit is published without it",
        ),
        Money::OtherCurrency => (
            FindingCode::Currency,
            "not in US dollars; the unit is published without it",
        ),
        Money::Unreadable => (
            FindingCode::BadNumber,
            "not an amount in US dollars, such as 14900 or $14,900.00; the unit is published without it",
        ),
    };
    cells.warn(column, cell, code, message);
    None
}

fn mileage(cells: &mut Cells<'_>, condition: Option<Condition>) -> Option<u64> {
    let (field, unit) = match cells.get(Field::Mileage) {
        Some(_) => (Field::Mileage, cells.get(Field::MileageUnit)),
        None => (Field::Kilometers, Some("km")),
    };
    let cell = cells.get(field)?;
    let driven = condition != Some(Condition::New);
    let (code, message) = match number::odometer(cell, unit) {
        Odometer::Miles(0 | 1) if driven => (
            FindingCode::OdometerUnknown,
            "a filler, as the unit is not said to be new; the mileage is left out",
        ),
        Odometer::Miles(miles) => return Some(miles),
        Odometer::FromKilometers(miles) => {
            cells.warn_of(
                field,
                cell,
                FindingCode::Kilometers,
                format!("kilometers; published as {miles} miles"),
            );
            return Some(miles);
        }
        Odometer::Unknown => (
            FindingCode::OdometerUnknown,
            "the true mileage is not stated; it is left out",
        ),
        Odometer::Hours => (
            FindingCode::OdometerHours,
            "hours of use, not a distance; the mileage is left out",
        ),
        Odometer::Unreadable => (
            FindingCode::BadNumber,
            "not an odometer reading, such as 64460 or 64,460 mi; the mileage is left out",
        ),
    };
    cells.warn_of(field, cell, code, message);
    None
}

fn powertrain(cells: &mut Cells<'_>, vehicle: &mut Vehicle) {
    vehicle.transmission = cells.phrase(Field::Transmission);
    vehicle.driveline = cells.phrase(Field::Driveline);
    vehicle.engine = engine(cells);
    vehicle.fuel = cells
        .get(Field::Fuel)
        .map(words::fuel)
        .filter(|fuel| !fuel.is_empty());
    vehicle.electric_range_mi = quantity(cells, Field::ElectricRange, &["mi", "mile", "miles"]);
    vehicle.battery_kwh = quantity(cells, Field::BatteryKwh, &["kwh"]);
    vehicle.motor_power_hp = quantity(cells, Field::MotorPower, &["hp", "bhp", "horsepower"]);
    vehicle.dc_fast_charge = flag(cells, Field::DcFastCharge);
    vehicle.charge_port = cells.get(Field::ChargePort).map(words::charge_port);
    if vehicle.fuel.as_deref() == Some("bev") {
        leave_out_combustion(cells);
        return;
    }
    vehicle.displacement_cc = displacement(cells);
    vehicle.city_mpg = whole(cells, Field::CityMpg);
    vehicle.highway_mpg = whole(cells, Field::HighwayMpg);
}

/// Displacement and miles per gallon are not published for electric units (AAP 1.3, vehicle
/// schema). A displacement there is a slip; miles per gallon are the usual equivalent.
fn leave_out_combustion(cells: &mut Cells<'_>) {
    for field in [Field::Displacement, Field::DisplacementCc] {
        if let Some(cell) = cells.get(field)
            && number::count(cell).is_some_and(|count| count > 0)
        {
            cells.warn_of(
                field,
                cell,
                FindingCode::NotForElectric,
                "has no meaning for an electric unit; it is left out",
            );
        }
    }
}

/// The engine in words: its own column, else displacement, cylinders and description, each unless
/// the description says it already.
fn engine(cells: &mut Cells<'_>) -> Option<String> {
    if let Some(engine) = cells.phrase(Field::Engine) {
        return Some(engine);
    }
    let description = cells.phrase(Field::EngineDescription).unwrap_or_default();
    let said = description.to_lowercase();
    // "1.5 L" in the description says 1.5L too.
    let compact = said.replace(' ', "");
    let displacement = cells
        .phrase(Field::Displacement)
        .map(|cell| displacement_in_words(cell, false))
        .or_else(|| {
            cells
                .phrase(Field::DisplacementCc)
                .map(|cell| displacement_in_words(cell, true))
        })
        .filter(|displacement| number::count(displacement) != Some(0))
        .filter(|displacement| !compact.contains(&displacement.to_lowercase().replace(' ', "")));
    let cylinders = cells
        .get(Field::Cylinders)
        .and_then(number::count)
        .filter(|count| *count > 0 && !tells_cylinders(&said, *count))
        .map(|count| format!("{count}-Cylinder"));
    let parts: Vec<String> = [displacement, cylinders, Some(description)]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// A displacement with its unit, which a bare number gets as [`number::displacement`] reads it.
fn displacement_in_words(cell: String, in_cc: bool) -> String {
    let is_bare = cell
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    match number::displacement(&cell, in_cc) {
        Displacement::Cc(cc) if is_bare && cell.parse() == Ok(cc) => cell + "cc",
        Displacement::Cc(_) if is_bare && !in_cc => cell + "L",
        _ => cell,
    }
}

/// True when a description names the cylinders: "4 cyl", "V6", "I-4".
fn tells_cylinders(description: &str, count: u64) -> bool {
    let compact: String = description.chars().filter(|c| *c != '-').collect();
    description.contains("cyl")
        || compact.split(|c: char| !c.is_alphanumeric()).any(|word| {
            word.strip_prefix(['v', 'i', 'l', 'h', 'w', 'f'])
                .is_some_and(|number| number.parse() == Ok(count))
        })
}

fn displacement(cells: &mut Cells<'_>) -> Option<u64> {
    let (field, in_cc) = match cells.get(Field::DisplacementCc) {
        Some(_) => (Field::DisplacementCc, true),
        None => (Field::Displacement, false),
    };
    let cell = cells.get(field)?;
    let (code, message) = match number::displacement(cell, in_cc) {
        Displacement::Cc(cc) => return Some(cc),
        Displacement::None => return None,
        Displacement::NoUnit => (
            FindingCode::UnitMissing,
            "litres or cubic centimetres? Expected 2.0L or 1998 cc; the displacement is left out",
        ),
        Displacement::Unreadable => (
            FindingCode::BadNumber,
            "not a displacement, such as 2.0L or 1998 cc; it is left out",
        ),
    };
    cells.warn_of(field, cell, code, message);
    None
}

/// Equipment by its column, else by the one that names each option's category.
fn features(cells: &mut Cells<'_>) -> Vec<String> {
    let without_markup = |cell: &str| {
        if cell.contains(['<', '&']) {
            html::plain_text(cell)
        } else {
            cell.to_owned()
        }
    };
    let features = cells
        .get(Field::Features)
        .map(|cell| list::features(&without_markup(cell)))
        .unwrap_or_default();
    if !features.is_empty() {
        return features;
    }
    cells
        .get(Field::CategorizedFeatures)
        .map(|cell| list::categorized_features(&without_markup(cell)))
        .unwrap_or_default()
}

/// Every photo of every photo column, each once.
fn photos(cells: &mut Cells<'_>) -> Vec<String> {
    let mut photos: Vec<String> = Vec::new();
    for column in &cells.columns().photos {
        for address in cells.at(*column).map(list::addresses).unwrap_or_default() {
            if !url::is_web_address(&address) {
                cells.warn(
                    *column,
                    &address,
                    FindingCode::BadUrl,
                    "not an absolute http or https address without a password; the photo is left out",
                );
            } else if !photos.contains(&address) {
                photos.push(address);
            }
        }
    }
    photos
}

fn vdp_url(cells: &mut Cells<'_>) -> Option<String> {
    let cell = cells.get(Field::VdpUrl)?;
    let address = cell.replace("&amp;", "&");
    if url::is_web_address(&address) {
        return Some(address);
    }
    cells.warn_of(
        Field::VdpUrl,
        cell,
        FindingCode::BadUrl,
        "not an absolute http or https address without a password; it is left out",
    );
    None
}

fn plain_text(cells: &mut Cells<'_>, field: Field) -> Option<String> {
    cells
        .get(field)
        .map(html::plain_text)
        .filter(|text| !text.is_empty())
}

/// Attributes that AAP names no field for.
fn other_attributes(cells: &mut Cells<'_>, vehicle: &mut Vehicle) {
    const COUNTS: [Field; 6] = [
        Field::Doors,
        Field::Cylinders,
        Field::PassengerCapacity,
        Field::EngineStroke,
        Field::WheelCount,
        Field::Sleeps,
    ];
    const PHRASES: [Field; 4] = [
        Field::ModelCode,
        Field::FinalDrive,
        Field::TitleStatus,
        Field::Damage,
    ];
    let mut set = |field: Field, value: Option<Value>| {
        if let Some(value) = value {
            vehicle
                .other_attributes
                .insert(field.name().to_owned(), value);
        }
    };
    for field in COUNTS {
        set(field, count(cells, field).map(Value::from));
    }
    for field in PHRASES {
        set(field, cells.phrase(field).map(Value::from));
    }
    set(Field::Abs, flag(cells, Field::Abs).map(Value::from));
}

/// How many; zero and the electric unit's "Electric" say that there are none to count.
fn count(cells: &mut Cells<'_>, field: Field) -> Option<u64> {
    let cell = cells.get(field)?;
    let count = number::count(cell);
    if count.is_none() && !cell.eq_ignore_ascii_case("electric") {
        not_a_number(cells, field, cell);
    }
    count.filter(|count| *count > 0)
}

/// A whole number; zero stands for "unknown".
fn whole(cells: &mut Cells<'_>, field: Field) -> Option<u64> {
    let cell = cells.get(field)?;
    let whole = number::whole(cell);
    if whole.is_none() {
        not_a_number(cells, field, cell);
    }
    whole.filter(|whole| *whole > 0)
}

/// A number of a unit; zero stands for "unknown".
fn quantity(cells: &mut Cells<'_>, field: Field, units: &[&str]) -> Option<Number> {
    let cell = cells.get(field)?;
    let quantity = number::quantity(cell, units);
    if quantity.is_none() {
        not_a_number(cells, field, cell);
    }
    quantity.filter(|quantity| quantity.as_f64().is_some_and(|value| value > 0.0))
}

fn not_a_number(cells: &mut Cells<'_>, field: Field, cell: &str) {
    let message = format!("not a number for {}; it is left out", field.name());
    cells.warn_of(field, cell, FindingCode::BadNumber, message);
}

fn flag(cells: &mut Cells<'_>, field: Field) -> Option<bool> {
    let cell = cells.get(field)?;
    let flag = words::flag(cell);
    if flag.is_none() {
        cells.warn_of(
            field,
            cell,
            FindingCode::BadFlag,
            "neither yes nor no; it is left out",
        );
    }
    flag
}
