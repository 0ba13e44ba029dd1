//! From the cells of one row to a vehicle, or to the reason why it is not published.

use aap::vehicle::{Condition, Status, Vehicle, VehicleType, is_vin};

use super::ReadOptions;
use super::cells::Cells;
use super::clean::number;
use super::clean::words::{self, ConditionWord, StatusWord};
use super::details;
use super::duplicates::{Repeat, Seen};
use super::field::Field;
use super::price::PriceMeaning;
use super::report::{Finding, FindingCode, SoldUnit};
use super::rooftops::{Place, Rooftops};
use super::vin::{self, ModelYear};

/// What stays the same from row to row.
pub(super) struct Context<'a> {
    pub(super) options: &'a ReadOptions,
    pub(super) price: PriceMeaning<'a>,
    pub(super) rooftops: Rooftops<'a>,
}

/// How a row tells its unit from others.
#[derive(Debug, Default)]
pub(super) struct Identity {
    pub(super) vin: Option<String>,
    pub(super) stock: Option<String>,
    pub(super) vehicle_id: Option<String>,
}

/// A row that is not published.
#[derive(Debug)]
pub(super) struct Skip {
    pub(super) why: Finding,
    /// Set when the feed says that the unit is gone.
    pub(super) sold: Option<SoldUnit>,
}

/// Reads one row: first whether it is published at all, then what of it.
pub(super) fn read(
    cells: &mut Cells<'_>,
    context: &Context<'_>,
    seen: &mut Seen,
    row: u64,
) -> Result<Vehicle, Box<Skip>> {
    let skip = |why| Box::new(Skip { why, sold: None });
    let identity = identity(cells).map_err(skip)?;
    let rooftop = rooftop(cells, &context.rooftops).map_err(skip)?;
    let status = match status(cells) {
        Ok(status) => status,
        Err(why) => {
            let sold = (why.code == FindingCode::Sold).then_some(SoldUnit {
                row,
                rooftop,
                vin: identity.vin,
                stock: identity.stock,
                vehicle_id: identity.vehicle_id,
            });
            return Err(Box::new(Skip { why, sold }));
        }
    };
    let condition = condition(cells, context.options);
    covered(cells, condition, &context.options.conditions).map_err(skip)?;
    new_in_file(
        cells,
        seen.meet(rooftop.as_deref(), &identity, row),
        &identity,
    )
    .map_err(skip)?;

    let mut vehicle = Vehicle {
        vehicle_type: vehicle_type(cells),
        vehicle_id: identity.vehicle_id,
        vin: identity.vin,
        stock: identity.stock,
        rooftop,
        condition,
        status: Some(status),
        ..Vehicle::default()
    };
    details::fill(cells, context, &mut vehicle);
    doubt_vin(cells, &vehicle, context.options);
    Ok(vehicle)
}

/// The identifiers of a row. A VIN that is none is not published as one; the unit keeps the
/// others.
fn identity(cells: &mut Cells<'_>) -> Result<Identity, Finding> {
    let mut identity = Identity {
        vin: None,
        stock: identifier(cells, Field::Stock),
        vehicle_id: identifier(cells, Field::VehicleId),
    };
    let given = cells.get(Field::Vin);
    if let Some(cell) = given {
        let vin = cell.to_uppercase();
        if is_vin(&vin) && !is_filler(&vin) {
            identity.vin = Some(vin);
        } else {
            cells.warn_of(
                Field::Vin,
                cell,
                FindingCode::VinMalformed,
                "not a VIN: expected 17 letters and digits without I, O and Q; it is left out, and the unit goes by \
                 its stock number or vehicle id",
            );
        }
    }
    match (&identity.vin, &identity.stock, &identity.vehicle_id, given) {
        (None, None, None, Some(cell)) => Err(cells.finding(
            cells.columns().of(Field::Vin),
            Some(cell),
            FindingCode::NoIdentifier,
            "the row has neither a VIN of 17 letters and digits without I, O and Q, nor a stock number, nor a \
             vehicle id; it is not published",
        )),
        (None, None, None, None) => Err(cells.finding(
            None,
            None,
            FindingCode::NoIdentifier,
            "the row has neither VIN nor stock number nor vehicle id; it is not published",
        )),
        _ => Ok(identity),
    }
}

/// A stock number or vehicle id, unless a spreadsheet program has made it a number of its own, such
/// as `1.23457E+11`, that several units share.
fn identifier(cells: &mut Cells<'_>, field: Field) -> Option<String> {
    let identifier = cells.phrase(field)?;
    if !number::is_scientific(&identifier) {
        return Some(identifier);
    }
    cells.warn_of(
        field,
        &identifier,
        FindingCode::SpreadsheetNumber,
        "a spreadsheet program has rounded the number; it is left out. Send the file as the vendor wrote it",
    );
    None
}

/// True for one character seventeen times, which stands for "no VIN yet".
fn is_filler(vin: &str) -> bool {
    vin.as_bytes().windows(2).all(|pair| pair[0] == pair[1])
}

fn rooftop(cells: &mut Cells<'_>, rooftops: &Rooftops<'_>) -> Result<Option<String>, Finding> {
    let columns = cells.columns();
    let ids: Vec<&str> = columns
        .dealer_ids
        .iter()
        .filter_map(|column| cells.at(*column))
        .collect();
    let name = cells.phrase(Field::DealerName);
    match rooftops.place(&ids, name.as_deref()) {
        Place::Rooftop(rooftop) => Ok(Some(rooftop.to_owned())),
        Place::NotStated => Ok(None),
        Place::Unknown => {
            let (column, cell) = match ids.first() {
                Some(id) => (columns.dealer_ids.first().copied(), Some(*id)),
                None => (columns.of(Field::DealerName), name.as_deref()),
            };
            Err(cells.finding(
                column,
                cell,
                FindingCode::UnknownRooftop,
                "no rooftop that the feed covers has this id or name; the row is not published. Give the rooftop its \
                 `feed_id` in the configuration",
            ))
        }
    }
}

fn status(cells: &mut Cells<'_>) -> Result<Status, Finding> {
    const GONE: &str = "the feed says that the unit is gone; it is not published";
    let columns = cells.columns();
    // Dealers whose program has no status write it where the price was.
    for column in &columns.prices {
        if let Some(cell) = cells.at(*column)
            && cell.eq_ignore_ascii_case("sold")
        {
            return Err(cells.finding(Some(*column), Some(cell), FindingCode::Sold, GONE));
        }
    }
    let Some(cell) = cells.get(Field::Status) else {
        return Ok(Status::Available);
    };
    let (code, message) = match words::status(cell) {
        StatusWord::Listed(status) => return Ok(status),
        StatusWord::Gone => (FindingCode::Sold, GONE),
        StatusWord::Other => (
            FindingCode::UnknownStatus,
            "not a known status; expected available, in transit, pending or sold; the row is not published, as the \
             unit may be gone",
        ),
    };
    Err(cells.finding(columns.of(Field::Status), Some(cell), code, message))
}

/// The condition by its column, or by the column that says whether the unit is new, raised by the
/// certified column; without any, the only condition that the feed covers.
fn condition(cells: &mut Cells<'_>, options: &ReadOptions) -> Option<Condition> {
    let stated = stated_condition(cells);
    let condition = match (certified(cells), stated) {
        (Some(cell), Some(Condition::New)) => {
            cells.warn_of(
                Field::Certified,
                cell,
                FindingCode::CertifiedNew,
                "the unit is called certified and new; it is published as new",
            );
            stated
        }
        (Some(_), _) => Some(Condition::Cpo),
        (None, _) => stated,
    };
    condition.or(match options.conditions.as_slice() {
        [only] => Some(*only),
        _ => None,
    })
}

fn stated_condition(cells: &mut Cells<'_>) -> Option<Condition> {
    const UNKNOWN: &str =
        "not a condition; expected new, used or certified; the condition is left out";
    if let Some(cell) = cells.get(Field::Condition) {
        match words::condition(cell) {
            ConditionWord::Condition(condition) => return Some(condition),
            ConditionWord::Demonstrator => {
                cells.warn_of(
                    Field::Condition,
                    cell,
                    FindingCode::Demonstrator,
                    DEMONSTRATOR,
                );
                return Some(Condition::Used);
            }
            ConditionWord::Other => {
                cells.warn_of(
                    Field::Condition,
                    cell,
                    FindingCode::UnknownCondition,
                    UNKNOWN,
                );
            }
        }
    }
    if let Some(cell) = cells.get(Field::IsNew) {
        match words::flag(cell) {
            Some(true) => return Some(Condition::New),
            Some(false) => return Some(Condition::Used),
            None => cells.warn_of(Field::IsNew, cell, FindingCode::UnknownCondition, UNKNOWN),
        }
    }
    cells
        .columns()
        .condition_hints
        .iter()
        .find_map(|column| hinted_condition(cells, *column))
}

/// The condition in a column that may as well hold something else.
fn hinted_condition(cells: &mut Cells<'_>, column: usize) -> Option<Condition> {
    let cell = cells.at(column)?;
    match words::condition(cell) {
        ConditionWord::Condition(condition) => Some(condition),
        ConditionWord::Demonstrator => {
            cells.warn(column, cell, FindingCode::Demonstrator, DEMONSTRATOR);
            Some(Condition::Used)
        }
        ConditionWord::Other => None,
    }
}

const DEMONSTRATOR: &str = "a unit that the dealer has driven or lent out; it is published as used";

/// The certified cell when it says yes.
fn certified<'r>(cells: &mut Cells<'r>) -> Option<&'r str> {
    let cell = cells.get(Field::Certified)?;
    match words::certified(cell) {
        Some(true) => Some(cell),
        Some(false) => None,
        None => {
            cells.warn_of(
                Field::Certified,
                cell,
                FindingCode::BadFlag,
                "neither yes nor no; the unit is not called certified",
            );
            None
        }
    }
}

/// A feed withdraws units only among the conditions that it covers, so a unit of another one
/// would stay published after it is sold.
fn covered(
    cells: &mut Cells<'_>,
    condition: Option<Condition>,
    conditions: &[Condition],
) -> Result<(), Finding> {
    match condition {
        Some(condition) if !conditions.is_empty() && !conditions.contains(&condition) => {
            let covered: Vec<&str> = conditions.iter().map(|known| known.as_str()).collect();
            let cell = cells.get(Field::Condition);
            Err(cells.finding(
                cells.columns().of(Field::Condition),
                cell,
                FindingCode::ConditionNotCovered,
                format!(
                    "the unit is {}, and the feed is declared to cover {} only; it is not published",
                    condition.as_str(),
                    covered.join(", ")
                ),
            ))
        }
        _ => Ok(()),
    }
}

fn new_in_file(cells: &mut Cells<'_>, repeat: Repeat, identity: &Identity) -> Result<(), Finding> {
    let skipped = |what: &str, row| {
        format!(
            "row {row} of the same rooftop has this {what} already; that row is kept, this one is not published"
        )
    };
    let (field, value, code, message) = match repeat {
        Repeat::None => return Ok(()),
        Repeat::Vin(row) => (
            Field::Vin,
            &identity.vin,
            FindingCode::DuplicateVin,
            skipped("VIN", row),
        ),
        Repeat::Stock(row) => (
            Field::Stock,
            &identity.stock,
            FindingCode::DuplicateStock,
            skipped("stock number", row),
        ),
        Repeat::VehicleId(row) => (
            Field::VehicleId,
            &identity.vehicle_id,
            FindingCode::DuplicateVehicleId,
            skipped("vehicle id", row),
        ),
        Repeat::VehicleIdOfAnother(row) => (
            Field::VehicleId,
            &identity.vehicle_id,
            FindingCode::DuplicateVehicleId,
            format!(
                "row {row} of the same rooftop has this vehicle id with another VIN or stock number; both are published"
            ),
        ),
        Repeat::StockOfAnother(row) => (
            Field::Stock,
            &identity.stock,
            FindingCode::DuplicateStock,
            format!(
                "row {row} of the same rooftop has this stock number with another VIN; both are published"
            ),
        ),
    };
    let finding = cells.finding(cells.columns().of(field), value.as_deref(), code, message);
    if matches!(
        repeat,
        Repeat::StockOfAnother(_) | Repeat::VehicleIdOfAnother(_)
    ) {
        cells.push(finding);
        return Ok(());
    }
    Err(finding)
}

/// What kind of unit it is: by a column of its own, else by words such as "motorcycle" in a
/// category, a body or an ambiguous type. A car is only called one by a column of its own, as
/// absence means car.
fn vehicle_type(cells: &mut Cells<'_>) -> Option<VehicleType> {
    if let Some(cell) = cells.get(Field::VehicleType) {
        let own = words::vehicle_type(cell).or_else(|| {
            cell.eq_ignore_ascii_case("other")
                .then_some(VehicleType::Other)
        });
        if own.is_none() {
            cells.warn_of(
                Field::VehicleType,
                cell,
                FindingCode::UnknownVehicleType,
                "not a kind of vehicle; expected car, motorcycle, trailer, rv or other; it is left out",
            );
        }
        return own;
    }
    let columns = cells.columns();
    [columns.of(Field::Category), columns.of(Field::Body)]
        .into_iter()
        .flatten()
        .chain(columns.condition_hints.iter().copied())
        .filter_map(|column| words::vehicle_type(cells.at(column)?))
        .find(|kind| *kind != VehicleType::Car)
}

/// Doubts about a VIN never change what is published. A VIN that fails its check digit has a wrong
/// character somewhere, so its year is not compared as well.
fn doubt_vin(cells: &mut Cells<'_>, vehicle: &Vehicle, options: &ReadOptions) {
    let (Some(vin), Some(cell)) = (vehicle.vin.as_deref(), cells.get(Field::Vin)) else {
        return;
    };
    let expected = vin::check_digit(vin);
    let north_american = vin::carries_check_digit(vin);
    if north_american && expected != vin.chars().nth(8) {
        let expected = expected.map_or_else(String::new, String::from);
        cells.warn_of(
            Field::Vin,
            cell,
            FindingCode::VinCheckDigit,
            format!("position 9 should be {expected} by the other characters; the VIN is published as given"),
        );
        return;
    }
    let is_light = vehicle.kind() == VehicleType::Car
        && vehicle
            .body
            .as_deref()
            .is_some_and(words::is_passenger_car_body);
    let latest = details::latest_model_year(options);
    let message = match (vin::model_year(vin, is_light, latest), vehicle.year) {
        (ModelYear::Unknown, _) => {
            "position 10 is no North American code of a model year, so the feed's year is not compared with it".to_owned()
        }
        // Elsewhere position 10 may mean something else.
        (decoded, Some(year)) if north_american && !decoded.allows(year) => {
            format!("the VIN is of model year {decoded}, the feed says {year}; {year} is published")
        }
        _ => return,
    };
    cells.warn_of(Field::Vin, cell, FindingCode::VinYear, message);
}
