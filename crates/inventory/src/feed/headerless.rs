//! Files without a header: layouts that never have one, and columns named by position.

use csv::StringRecord;

use super::ReadOptions;
use super::aliases;
use super::clean::number::{self, Money};
use super::clean::url::begins_web_address;
use super::clean::{text, words};
use super::columns;
use super::details;
use super::detect;
use super::field::Field;
use super::layout;
use super::report::{Refusal, RefusalCode};
use super::rows;

/// The place that the configuration gives a column by, such as `#2` for the second; counted from 0
/// here.
pub(super) fn position(named: &str) -> Option<usize> {
    let digits = named.trim().strip_prefix('#')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .parse::<usize>()
        .ok()
        .filter(|_| plain)?
        .checked_sub(1)
}

/// The character between cells, where the first line itself tells that it is data.
pub(super) fn delimiter(text: &str, options: &ReadOptions) -> Option<char> {
    if is_erepairables(&rows::first_record(text, '|'), options) {
        return Some('|');
    }
    detect::DELIMITERS
        .into_iter()
        .filter_map(|delimiter| {
            let cells = rows::first_record(text, delimiter);
            vin(&cells).map(|_| (cells.len(), delimiter))
        })
        .max_by_key(|(cells, _)| *cells)
        .map(|(_, delimiter)| delimiter)
}

/// Names for the columns of a file whose first line is data; `None` where it is a header.
///
/// # Errors
/// No layout is known by its data alone, and the configuration names no positions.
pub(super) fn names(
    first: &StringRecord,
    delimiter: char,
    options: &ReadOptions,
) -> Result<Option<StringRecord>, Refusal> {
    if delimiter == '|' && is_erepairables(first, options) {
        let surplus = first.len().saturating_sub(layout::EREPAIRABLES.len());
        let blanks = std::iter::repeat_n("", surplus);
        return Ok(Some(
            layout::EREPAIRABLES.into_iter().chain(blanks).collect(),
        ));
    }
    if !is_data(first, options) {
        return Ok(None);
    }
    if names_positions(options) {
        return Ok(Some((1..=first.len()).map(|at| format!("#{at}")).collect()));
    }
    let (why, example) = match vin(first) {
        Some((at, vin)) => (format!("as it holds the VIN {vin}"), at + 1),
        None => (
            "as it names no column and holds numbers or addresses".to_owned(),
            1,
        ),
    };
    Err(Refusal {
        code: RefusalCode::NoHeader,
        message: format!(
            "the first line is data, {why}; expected a line that names the columns. Where the vendor writes none, give \
             each column by its place in the feed's `columns`, for example `vin = \"#{example}\"` for column {example}"
        ),
    })
}

fn names_positions(options: &ReadOptions) -> bool {
    let mut named = options.columns.values().chain(&options.price.column);
    named.any(|named| position(named).is_some())
}

/// True for a line that no program writes as a header.
fn is_data(cells: &StringRecord, options: &ReadOptions) -> bool {
    if vin(cells).is_some() {
        return true;
    }
    let is_known = |cell: &str| {
        let normalized = aliases::normalized(cell);
        aliases::meaning(&normalized).is_some()
            || aliases::is_never_published(&normalized)
            || columns::is_named(cell, options)
    };
    let is_value =
        |cell: &str| begins_web_address(cell) || matches!(number::money(cell), Money::Dollars(_));
    let mut filled = cells.iter().filter_map(text::cell);
    !filled.clone().any(is_known) && (filled.any(is_value) || identifies_a_unit(cells, options))
}

/// True where the place that the configuration gives an identifier holds a number, as the names of
/// such columns do not.
fn identifies_a_unit(cells: &StringRecord, options: &ReadOptions) -> bool {
    [Field::Vin, Field::Stock, Field::VehicleId]
        .iter()
        .filter_map(|field| position(options.columns.get(field.name())?))
        .filter_map(|at| cells.get(at))
        .any(|cell| cell.bytes().any(|byte| byte.is_ascii_digit()))
}

/// The first cell that is a VIN. Its serial number holds digits, as no name of a column does.
fn vin(cells: &StringRecord) -> Option<(usize, &str)> {
    let is_vin = |cell: &str| {
        let digits = cell.bytes().filter(u8::is_ascii_digit).count();
        digits > 3 && aap::vehicle::is_vin(&cell.to_uppercase())
    };
    cells
        .iter()
        .map(str::trim)
        .enumerate()
        .find(|(_, cell)| is_vin(cell))
}

/// True for a row of eRepairables: kind of unit, model year, VIN, link and photos in their places.
fn is_erepairables(cells: &StringRecord, options: &ReadOptions) -> bool {
    let width = layout::EREPAIRABLES.len();
    let cell = |at: usize| cells.get(at).and_then(text::cell);
    let fits = cells.len() == width || cells.len() == width + 1 && cell(width).is_none();
    let kind = cell(2).is_some_and(|kind| words::vehicle_type(kind).is_some());
    let latest = u64::from(details::latest_model_year(options));
    let year = cell(4)
        .and_then(number::whole)
        .is_some_and(|year| (1900..=latest).contains(&year));
    let vin = cell(9).is_none_or(|vin| vin.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let addresses = (12..23).filter_map(cell).all(begins_web_address);
    fits && kind && year && vin && addresses
}
