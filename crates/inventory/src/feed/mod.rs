//! Reading a vendor's feed file: detect, map, clean, report.
//!
//! [`read`] takes the bytes as the vendor wrote them. It is a pure function of them and of what
//! the dealer states ([`ReadOptions`]): no files, no clock. It goes through five steps, each in a
//! module of its own:
//!
//! 1. `container` and `detect`: the file out of its archive, bytes to text, the form of the
//!    content, and what is no feed at all;
//! 2. `source`: whatever the form, a header and rows of cells. `rows` reads tables; `xml`, `json`
//!    and, for pages, `page` with `schema_org` make `records`, whose headers are the names of
//!    elements and properties (`names`);
//! 3. `columns`, with `layout` and `aliases`: which column feeds which field. Only columns with a
//!    known meaning are read, and the dealer's costs never are;
//! 4. `table`, `vehicle` and `details`, with `clean` for single cells: each row to a vehicle;
//! 5. [`FeedReport`]: the vehicles, and every problem with its row, column and value.
//!
//! Nothing is guessed in silence: a cell that cannot be read is left out with a warning, a row
//! that cannot be trusted is skipped with a reason, a file that cannot be trusted is refused whole.

mod aliases;
mod cells;
mod clean;
mod columns;
mod container;
mod dates;
mod details;
mod detect;
mod duplicates;
mod field;
mod headerless;
mod json;
mod layout;
mod loose;
mod names;
mod page;
mod price;
mod records;
mod report;
mod rooftops;
mod rows;
mod schema_org;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod vehicle;
pub mod vin;
mod xml;

use std::borrow::Cow;
use std::collections::BTreeMap;

use aap::vehicle::Condition;
use dealers::{Dealer, FeedSettings, PricePolicy};
use jiff::civil::Date;

pub use report::{
    ColumnUse, Container, Dropped, FeedReport, Finding, FindingCode, Format, Layout, ReadVehicle,
    Refusal, RefusalCode, RowsBy, SoldUnit,
};

/// What the dealer states about a file, and the day on which it is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The day of reading: no unit came into stock after it, no model year is far beyond it.
    pub today: Date,
    /// The dealer's rooftops, each as the id that feeds use for it (empty when none is known) and
    /// its name. Empty when nothing is known of the dealer.
    pub rooftops: Vec<(String, String)>,
    /// The dealer's rooftops that the feed does not cover, likewise. A row of one of them is skipped
    /// instead of published where nothing would ever withdraw it.
    pub other_rooftops: Vec<(String, String)>,
    /// Rooftop of the rows that name none.
    pub default_rooftop: Option<String>,
    /// What the prices mean.
    pub price: PricePolicy,
    /// Columns that the dealer names: field (one of [`field_names`]) to header, or to place: `#2` is
    /// the second column. Places are the way to read a file without a header.
    pub columns: BTreeMap<String, String>,
    /// The conditions that the feed covers; any when empty.
    pub conditions: Vec<Condition>,
}

impl ReadOptions {
    /// Options for a file of which nothing is stated.
    #[must_use]
    pub fn new(today: Date) -> Self {
        Self {
            today,
            rooftops: Vec::new(),
            other_rooftops: Vec::new(),
            default_rooftop: None,
            price: PricePolicy::default(),
            columns: BTreeMap::new(),
            conditions: Vec::new(),
        }
    }

    /// Options for a file of one of a dealer's feeds.
    #[must_use]
    pub fn of(dealer: &Dealer, feed: &FeedSettings, today: Date) -> Self {
        let covers = |name: &String| feed.rooftops.is_empty() || feed.rooftops.contains(name);
        let (rooftops, other_rooftops): (Vec<_>, Vec<_>) = dealer
            .rooftops
            .iter()
            .map(|(name, rooftop)| (rooftop.feed_id.clone().unwrap_or_default(), name.clone()))
            .partition(|(_, name)| covers(name));
        let default_rooftop = match rooftops.as_slice() {
            [(_, only)] => Some(only.clone()),
            _ => dealer
                .default_rooftop()
                .map(str::to_owned)
                .filter(|name| covers(name)),
        };
        Self {
            today,
            rooftops,
            other_rooftops,
            default_rooftop,
            price: feed.price.clone(),
            columns: feed.columns.clone(),
            conditions: feed.conditions.clone(),
        }
    }
}

/// The names of the fields that a column can feed, as reports have them and as a feed's `columns`
/// in the configuration takes them.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    field::Field::names()
}

/// Reads one feed file. Total: whatever the bytes, it returns a report.
///
/// ```
/// use inventory::feed::{ReadOptions, read};
///
/// let file = b"Stock,VIN,Year,Make,Model,Price,Invoice\n\
///              A1,1HGCV1F35KA000001,2019,Honda,Accord,\"$18,950\",17000\n";
/// let report = read(file, &ReadOptions::new(jiff::civil::date(2026, 5, 1)));
/// let vehicle = &report.vehicles[0].vehicle;
/// assert_eq!(vehicle.list_price, Some(18_950));
/// assert_eq!(vehicle.price, None, "nobody stated that this is the advertised price");
/// ```
#[must_use]
pub fn read(bytes: &[u8], options: &ReadOptions) -> FeedReport {
    let mut report = FeedReport::new();
    if let Err(refusal) = read_file(bytes, options, &mut report) {
        report.refuse(refusal);
    }
    report
}

/// The content of a file that may be packed as `.gz` or `.zip`.
///
/// # Errors
/// The archive is broken, does not hold exactly one file, or unpacks to more than a feed has.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Refusal> {
    Ok(match container::of(bytes) {
        Some(container) => Cow::Owned(container::unpack(container, bytes)?),
        None => Cow::Borrowed(bytes),
    })
}

fn read_file(bytes: &[u8], options: &ReadOptions, report: &mut FeedReport) -> Result<(), Refusal> {
    report.container = container::of(bytes);
    let content = unpacked(bytes)?;
    container::refuse_programs_files(&content)?;
    let decoded = detect::decode(&content);
    report.encoding.clone_from(&decoded.encoding);
    table::read(&decoded, options, report)
}
