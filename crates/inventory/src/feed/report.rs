//! What reading a feed file found: the vehicles, and every problem with its place.

use aap::vehicle::Vehicle;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The outcome of reading one feed file. It serialises to one JSON document, in which `vehicles`
/// is the list of plain AAP vehicle objects.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FeedReport {
    /// The vendor's layout.
    pub layout: Layout,
    /// What the file came packed in; `None` for a plain one.
    pub container: Option<Container>,
    /// The form of its content.
    pub format: Format,
    /// What the `row` of vehicles and findings counts.
    pub rows_by: RowsBy,
    /// WHATWG label of the encoding, lower case, for example `utf-8` or `windows-1252`. Empty when
    /// the file is refused before it is read as text.
    pub encoding: String,
    /// The character between cells; `None` where the format has none.
    pub delimiter: Option<char>,
    /// The file begins with a header.
    pub header: bool,
    /// Data records in the file, the header and blank lines not counted.
    pub rows: u64,
    /// Vehicles that will be published; the length of `vehicles`.
    pub published: u64,
    /// Rows that are not published, in the order of the file. Beyond 10,000 they are counted only.
    pub skipped: Vec<Finding>,
    /// How many rows are not published, those that are not listed included.
    #[serde(skip)]
    pub rows_skipped: u64,
    /// Doubts about the file (row 1), and about cells of published rows, in the order of the file.
    pub warnings: Vec<Finding>,
    /// The vehicles, in the order of the file. Empty when the file is refused.
    #[serde(serialize_with = "plain_vehicles")]
    pub vehicles: Vec<ReadVehicle>,
    /// The stock stays as the last good feed left it: true when the file is refused, and for
    /// whoever compares it with the stock to set.
    pub kept_last_good: bool,
    /// What became of each column, in the order of the file.
    pub columns: Vec<ColumnUse>,
    /// How many columns hold the dealer's costs or its notes to itself, and were not read.
    pub never_published: u64,
    /// Why nothing of the file is taken.
    pub refused: Option<Refusal>,
    /// The units that the file itself calls sold; each is in `skipped` too.
    #[serde(skip)]
    pub sold: Vec<SoldUnit>,
}

impl FeedReport {
    /// The report as JSON, all but its vehicles, which stand in the file and in the stock. They are
    /// left in the report and not written for it.
    #[must_use]
    pub fn without_vehicles(&mut self) -> Value {
        let vehicles = std::mem::take(&mut self.vehicles);
        let mut document = serde_json::json!(self);
        self.vehicles = vehicles;
        if let Some(members) = document.as_object_mut() {
            members.remove("vehicles");
        }
        document
    }

    /// A report on a file of which nothing is known.
    pub(super) fn new() -> Self {
        Self {
            layout: Layout::default(),
            container: None,
            format: Format::default(),
            rows_by: RowsBy::default(),
            encoding: String::new(),
            delimiter: None,
            header: false,
            rows: 0,
            published: 0,
            skipped: Vec::new(),
            rows_skipped: 0,
            warnings: Vec::new(),
            vehicles: Vec::new(),
            kept_last_good: false,
            columns: Vec::new(),
            never_published: 0,
            refused: None,
            sold: Vec::new(),
        }
    }

    /// Notes what became of each column.
    pub(super) fn set_columns(&mut self, columns: Vec<ColumnUse>) {
        let never = |column: &&ColumnUse| column.dropped == Some(Dropped::NeverPublished);
        self.never_published = columns.iter().filter(never).count() as u64;
        self.columns = columns;
    }

    /// Takes nothing of the file.
    pub(super) fn refuse(&mut self, refusal: Refusal) {
        self.refused = Some(refusal);
        self.kept_last_good = true;
        self.published = 0;
        self.vehicles.clear();
        self.sold.clear();
    }
}

fn plain_vehicles<S: Serializer>(vehicles: &[ReadVehicle], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(vehicles.iter().map(|read| &read.vehicle))
}

/// How the columns of a file were recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Layout {
    /// HomeNet (IOL) export.
    #[serde(rename = "homenet")]
    HomeNet,
    /// vAuto (Cox Automotive) export.
    #[serde(rename = "vauto")]
    VAuto,
    /// vAuto's export for Facebook.
    #[serde(rename = "vauto_facebook")]
    VAutoFacebook,
    /// DealerCenter export.
    DealerCenter,
    /// AutoFunds export.
    AutoFunds,
    /// Frazer upload.
    Frazer,
    /// Upload of the kind that AutoTrader takes.
    AutoTrader,
    /// Upload of the kind that Cars.com takes.
    CarsCom,
    /// Autoxloo's AX formats.
    Autoxloo,
    /// Fullpath feed.
    Fullpath,
    /// eRepairables upload, which has no header.
    #[serde(rename = "erepairables")]
    ERepairables,
    /// The layout with `IsNew` and `FactoryCertified` that some Australian dealers' vendors write.
    IsNew,
    /// Cox Automotive Australia.
    CoxAustralia,
    /// Dealer Studio (Australia).
    DealerStudio,
    /// Google vehicle listings.
    GoogleVehicleListings,
    /// Meta's catalogue of vehicles.
    MetaVehicles,
    /// No header, and columns that the configuration names by position.
    Positions,
    /// Any other header, column by column.
    #[default]
    Aliases,
    /// Google Merchant vehicle ads: RSS or Atom items with elements of the `g:` namespace.
    GoogleMerchant,
    /// Commercial Web Services (trucks): `listing` elements.
    Cws,
    /// Vehicles of schema.org, in a page or in JSON-LD.
    SchemaOrg,
}

/// What a file came packed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Container {
    /// `.gz` (RFC 1952).
    Gzip,
    /// `.zip`.
    Zip,
}

/// The form of a feed's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// A table of cells with a character between them.
    #[default]
    Delimited,
    /// XML: RSS, Atom, or any document with an element for each unit.
    Xml,
    /// A web page that carries its vehicles as schema.org data.
    Html,
    /// JSON, JSON-LD, or one JSON object on each line.
    Json,
}

/// What the `row` of vehicles and findings counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RowsBy {
    /// Lines, as a text editor counts; a record has the line on which it begins.
    #[default]
    Line,
    /// Records, the first being 1: in web pages and JSON, and in XML that puts several units on
    /// one line.
    Record,
}

/// A vehicle and the place of its record.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadVehicle {
    /// Line or record of the file ([`RowsBy`]), the first being 1.
    pub row: u64,
    /// The vehicle. `status` is set, and `rooftop` as far as it is known; `dealer_id` and
    /// `updated_at` are not.
    pub vehicle: Vehicle,
}

/// A unit that a feed names as sold, by every identifier that its row states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoldUnit {
    /// Line or record of the file ([`RowsBy`]), the first being 1.
    pub row: u64,
    /// Rooftop that sold it, as far as it is known.
    pub rooftop: Option<String>,
    /// VIN, upper case.
    pub vin: Option<String>,
    /// Stock number.
    pub stock: Option<String>,
    /// The dealer's own identifier.
    pub vehicle_id: Option<String>,
}

/// One problem and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Line or record ([`RowsBy`]); 1 for the file as a whole.
    pub row: u64,
    /// Header of the column; in XML and JSON the names that lead to the value, with points between.
    pub column: Option<String>,
    /// The cell as it stands in the file, shortened when long.
    pub value: Option<String>,
    /// What kind of problem.
    pub code: FindingCode,
    /// What was found, what is expected, and what became of it, in words.
    pub message: String,
}

/// Kinds of problem with a row, a cell or the meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FindingCode {
    // Rows that are not published.
    /// The row has more cells than the header.
    TooManyFields,
    /// The row has fewer cells than the header.
    TooFewFields,
    /// Neither VIN, stock number nor vehicle id.
    NoIdentifier,
    /// The feed says that the unit is gone.
    Sold,
    /// The status is none of the words known for available, in transit, pending and sold.
    UnknownStatus,
    /// No rooftop of the dealer answers to the row's dealer id.
    UnknownRooftop,
    /// The condition is not one that the feed is declared to cover.
    ConditionNotCovered,
    /// The VIN stands in an earlier row of the same rooftop.
    DuplicateVin,
    /// The stock number stands in an earlier row of the same rooftop. A row is skipped unless both
    /// have different VINs; then it is a warning.
    DuplicateStock,
    /// The vehicle id stands in an earlier row of the same rooftop. A row is skipped unless its VIN or
    /// stock number tells it from that one; then it is a warning.
    DuplicateVehicleId,

    /// Further rows that are not published are counted, not listed.
    MoreRows,

    // Doubts about the file.
    /// A column may mean something else, or several columns may mean this.
    AmbiguousColumn,
    /// Bytes that are not UTF-8 in a file that otherwise is.
    MixedEncoding,
    /// A quote stands where none may; the row was read by keeping it as text.
    StrayQuote,
    /// An element that says one thing stands in a record twice and says two; the first is read.
    RepeatedElement,
    /// One of a page's JSON-LD scripts cannot be read; the others are.
    BrokenScript,
    /// Further warnings are counted, not listed.
    MoreWarnings,

    // Doubts about a cell.
    /// Not a VIN (17 characters without I, O and Q); not published as one.
    VinMalformed,
    /// The VIN fails its check digit; published as given.
    VinCheckDigit,
    /// The VIN's year code is none, or disagrees with the feed's model year; the feed's is published.
    VinYear,
    /// Not a model year.
    BadYear,
    /// Not a number of the kind that the column holds.
    BadNumber,
    /// A number without the unit that would give it a meaning.
    UnitMissing,
    /// A filler such as 1 or 999999 instead of a price.
    PriceFiller,
    /// An amount that is not in US dollars.
    Currency,
    /// The model ends with the trim that another column states; published without it.
    ModelWithTrim,
    /// A rooftop asks another price for the same VIN.
    PriceDiffers,
    /// A number as a spreadsheet program rewrote it.
    SpreadsheetNumber,
    /// Kilometers, converted to miles.
    Kilometers,
    /// Hours of use instead of a distance.
    OdometerHours,
    /// The feed says that the true mileage is unknown or exempt, or gives a filler.
    OdometerUnknown,
    /// Not a condition.
    UnknownCondition,
    /// A demonstrator, published as used.
    Demonstrator,
    /// Certified and new at once; published as new.
    CertifiedNew,
    /// Not a kind of vehicle.
    UnknownVehicleType,
    /// Not a calendar date, or not one on which a unit can have come into stock.
    BadDate,
    /// A date that can be read in two ways.
    AmbiguousDate,
    /// Not an absolute `http` or `https` address.
    BadUrl,
    /// Neither yes nor no.
    BadFlag,
    /// The field has no meaning for an electric unit.
    NotForElectric,
    /// The cell is longer than any that a feed holds.
    CellTooLong,
}

/// Why nothing of a file is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// What kind of reason.
    pub code: RefusalCode,
    /// What was found and what to do, in words.
    pub message: String,
}

/// Kinds of reason for refusing a file whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalCode {
    /// The file has no content.
    Empty,
    /// The file is not text.
    NotText,
    /// An archive that does not hold exactly one feed file: none, several, an encrypted one, or
    /// another archive.
    Archive,
    /// A spreadsheet program's own file.
    Spreadsheet,
    /// More content than a feed has, unpacked or as it is.
    TooLarge,
    /// The file breaks the rules of its own format.
    Malformed,
    /// A web page without a vehicle, such as a server's error page, instead of a feed.
    HtmlPage,
    /// XML or JSON in which no unit can be found.
    UnknownFormat,
    /// The first line names no column that is known.
    NoHeader,
    /// No column holds a VIN, a stock number or a vehicle id.
    NoIdentifierColumn,
    /// A header without rows, or a document without units.
    NoRows,
    /// The file ends in the middle of a row or a document.
    CutOff,
    /// Rows, but none that can be published.
    NothingToPublish,
    /// The configuration names a field that no column can feed.
    UnknownField,
    /// The configuration names a column that the file does not have.
    MissingColumn,
    /// The configuration names a column of which the file has two.
    AmbiguousColumn,
    /// The configuration names a column that is never published.
    ForbiddenColumn,
    /// The configuration states fees that cannot be published, such as one name twice.
    BadFees,
}

/// What became of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnUse {
    /// The header as it stands in the file; in XML and JSON the names that lead to the value, with
    /// points between.
    pub header: String,
    /// Field that it feeds.
    pub field: Option<&'static str>,
    /// Why it feeds none.
    pub dropped: Option<Dropped>,
}

/// Why a column is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum Dropped {
    /// The dealer's costs and notes to itself, whatever the configuration says.
    #[serde(rename = "never published")]
    NeverPublished,
    /// No field is known for the header.
    #[serde(rename = "not known")]
    NotKnown,
    /// Another column feeds the field already.
    #[serde(rename = "another column is read")]
    AnotherColumn,
    /// Its amounts are not in US dollars.
    #[serde(rename = "not in US dollars")]
    ForeignCurrency,
}
