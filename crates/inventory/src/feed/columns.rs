//! Which column feeds which field.

use csv::StringRecord;
use dealers::PricePolicy;

use super::ReadOptions;
use super::aliases::{self, Meaning};
use super::clean::text;
use super::field::{FIELDS, Field};
use super::headerless;
use super::layout;
use super::report::{ColumnUse, Dropped, Finding, FindingCode, Layout, Refusal, RefusalCode};

/// The columns of a file by what they mean.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) layout: Layout,
    headers: Vec<String>,
    /// Column of each field that takes one.
    of_field: [Option<usize>; FIELDS],
    pub(super) photos: Vec<usize>,
    pub(super) dealer_ids: Vec<usize>,
    /// Columns that may be the price, in the order of [`aliases::PRICES`]. One when the dealer names
    /// it.
    pub(super) prices: Vec<usize>,
    /// Without a condition column: ambiguous columns that may hold it. A cell there that names no
    /// condition is no fault.
    pub(super) condition_hints: Vec<usize>,
    /// Fields whose column the configuration names.
    named: Vec<Field>,
    uses: Vec<Use>,
    /// Doubts about what the columns mean.
    pub(super) findings: Vec<Finding>,
}

#[derive(Debug, Clone, Copy)]
enum Use {
    Undecided,
    Feeds(Field),
    Dropped(Dropped),
}

impl Columns {
    /// Maps a header: first what the configuration names, then headers with one meaning, in the
    /// order of the file, then headers with several. `layout` is the one that the file's form tells.
    ///
    /// # Errors
    /// The configuration names a field or a column that is not there, or one that is never
    /// published. A file without a column that the dealer relies on would change every listing in
    /// silence, so none of it is taken.
    pub(super) fn map(
        header: &StringRecord,
        layout: Option<Layout>,
        options: &ReadOptions,
    ) -> Result<Self, Refusal> {
        let headers: Vec<String> = header.iter().map(text::phrase).collect();
        let normalized: Vec<String> = headers.iter().map(|h| aliases::normalized(h)).collect();
        layout::refuse_companion(&normalized)?;
        let mut columns = Self {
            layout: layout.unwrap_or_else(|| layout::recognize(&normalized)),
            of_field: [None; FIELDS],
            photos: Vec::new(),
            dealer_ids: Vec::new(),
            prices: Vec::new(),
            condition_hints: Vec::new(),
            named: Vec::new(),
            uses: normalized
                .iter()
                .map(|name| match aliases::is_never_published(name) {
                    true => Use::Dropped(Dropped::NeverPublished),
                    false => Use::Undecided,
                })
                .collect(),
            findings: Vec::new(),
            headers,
        };
        columns.map_named(&normalized, options)?;
        columns.map_sure(&normalized);
        columns.map_weak(&normalized);
        columns.find_prices(&normalized, &options.price);
        columns.doubt_units();
        Ok(columns)
    }

    /// True when some column tells units apart.
    pub(super) fn has_identifier(&self) -> bool {
        [Field::Vin, Field::Stock, Field::VehicleId]
            .iter()
            .any(|field| self.of(*field).is_some())
    }

    /// How many columns have a known meaning.
    pub(super) fn known(&self) -> usize {
        let fed = self
            .uses
            .iter()
            .filter(|known| matches!(known, Use::Feeds(_)));
        fed.count() + self.prices.len()
    }

    /// Cells of the header, those without a name included.
    pub(super) fn width(&self) -> usize {
        self.headers.len()
    }

    /// Cells that a row must have: a header that ends with a delimiter names nothing behind it.
    pub(super) fn least_width(&self) -> usize {
        let last = self.headers.iter().rposition(|header| !header.is_empty());
        last.map_or(0, |last| last + 1)
    }

    /// True for a row that is the header once more, as in files put together from several.
    pub(super) fn is_header(&self, row: &StringRecord) -> bool {
        let mut cells = row.iter().map(str::trim);
        self.headers
            .iter()
            .all(|header| cells.next() == Some(header))
    }

    pub(super) fn of(&self, field: Field) -> Option<usize> {
        self.of_field[field as usize]
    }

    pub(super) fn header(&self, column: usize) -> &str {
        self.headers.get(column).map_or("", String::as_str)
    }

    /// The doubt about prices that differ between the columns that may hold them, first in `row`.
    pub(super) fn price_doubt(&self, row: u64, price_field: Field) -> Finding {
        let quoted: Vec<String> = self
            .prices
            .iter()
            .map(|column| format!("`{}`", self.header(*column)))
            .collect();
        let consequence = match price_field {
            Field::Price => {
                "which of them is the advertised price is not stated, so a unit for which they differ is published \
                 without `price`, with the first that holds an amount as its list price"
            }
            _ => "the list price is the first of them that holds an amount",
        };
        let message = format!(
            "{} may each be the price and differ, first in row {row}; {consequence}. Name the column in the feed's \
             `price.column` to settle it",
            quoted.join(", ")
        );
        self.file_doubt(self.prices.first().copied().unwrap_or(0), message)
    }

    /// The report on each column. `price_field` is the field that the price columns feed.
    pub(super) fn uses(&self, price_field: Field) -> Vec<ColumnUse> {
        let describe = |(at, header): (usize, &String)| {
            let (field, dropped) = if self.foreign_currency().is_some() && self.is_money(at) {
                (None, Some(Dropped::ForeignCurrency))
            } else if self.prices.contains(&at) {
                (Some(price_field.name()), None)
            } else {
                match self.uses[at] {
                    Use::Feeds(field) => (Some(field.name()), None),
                    Use::Dropped(why) => (None, Some(why)),
                    Use::Undecided => (None, Some(Dropped::NotKnown)),
                }
            };
            ColumnUse {
                header: header.clone(),
                field,
                dropped,
            }
        };
        self.headers.iter().enumerate().map(describe).collect()
    }

    fn map_named(&mut self, normalized: &[String], options: &ReadOptions) -> Result<(), Refusal> {
        let mut faults = Faults::default();
        for (name, header) in &options.columns {
            let Some(field) = Field::from_name(name) else {
                faults.unknown_field(name);
                continue;
            };
            let Some(column) = faults.find(&self.headers, normalized, header) else {
                continue;
            };
            if field == Field::Price {
                self.prices = vec![column];
            } else {
                self.claim(column, field);
                self.named.push(field);
            }
        }
        if let Some(header) = &options.price.column
            && let Some(column) = faults.find(&self.headers, normalized, header)
        {
            self.prices = vec![column];
        }
        faults.refusal(&self.headers).map_or(Ok(()), Err)
    }

    fn map_sure(&mut self, normalized: &[String]) {
        for (column, name) in normalized.iter().enumerate() {
            let field = match self.meaning(name) {
                Some(Meaning::Sure(field)) => Some(field),
                _ => None,
            };
            let yields = aliases::yields_to(name)
                .is_some_and(|other| normalized.iter().any(|header| header == other));
            if let (Some(field), Use::Undecided) = (field, self.uses[column]) {
                if self.is_free(field) && !yields {
                    self.claim(column, field);
                } else {
                    self.uses[column] = Use::Dropped(Dropped::AnotherColumn);
                }
            }
        }
    }

    fn map_weak(&mut self, normalized: &[String]) {
        for (column, name) in normalized.iter().enumerate() {
            let (Some(Meaning::Weak(first, second)), Use::Undecided) =
                (self.meaning(name), self.uses[column])
            else {
                continue;
            };
            let free = [Some(first), second]
                .into_iter()
                .flatten()
                .find(|field| self.is_free(*field));
            match free {
                None => self.uses[column] = Use::Dropped(Dropped::AnotherColumn),
                Some(Field::Condition) => {
                    self.uses[column] = Use::Feeds(Field::Condition);
                    self.condition_hints.push(column);
                }
                Some(field) => self.claim(column, field),
            }
            if let (Some(field), true) = (free, aliases::is_ambiguous(name)) {
                let message = format!(
                    "`{}` means different things in different vendors' files; it is read as {}. \
                     Name the column in the feed's `columns` to settle it",
                    self.header(column),
                    field.name()
                );
                self.findings.push(self.file_doubt(column, message));
            }
        }
    }

    fn find_prices(&mut self, normalized: &[String], policy: &PricePolicy) {
        let is_stated = policy.advertised || policy.fees.is_some();
        if is_stated {
            self.tell_list_price(normalized);
        }
        // A list price that the dealer names is not filled from another column.
        let list_price_named = !is_stated && self.of(Field::ListPrice).is_some();
        if list_price_named || !self.prices.is_empty() {
            return self.drop_other_prices(normalized);
        }
        let mut ranked: Vec<(usize, usize)> = self.price_columns(normalized).collect();
        ranked.sort_unstable();
        self.prices = ranked.into_iter().map(|(_, column)| column).collect();
    }

    /// Beside the column of a stated price, one called list price is nothing else.
    fn tell_list_price(&mut self, normalized: &[String]) {
        let list_price = normalized
            .iter()
            .position(|name| name == aliases::LIST_PRICE);
        let others = self.price_columns(normalized).count() + self.prices.len();
        if let Some(column) = list_price
            && others > 1
            && !self.prices.contains(&column)
            && self.is_free(Field::ListPrice)
            && matches!(self.uses[column], Use::Undecided)
        {
            self.claim(column, Field::ListPrice);
        }
    }

    /// The columns that by their headers may be the price, each with its rank.
    fn price_columns(&self, normalized: &[String]) -> impl Iterator<Item = (usize, usize)> {
        let undecided = normalized
            .iter()
            .enumerate()
            .filter(|(column, _)| matches!(self.uses[*column], Use::Undecided));
        undecided.filter_map(|(column, name)| match self.meaning(name) {
            Some(Meaning::Price(rank)) => Some((rank, column)),
            _ => None,
        })
    }

    /// The dealer has named the price: no other column is read as one.
    fn drop_other_prices(&mut self, normalized: &[String]) {
        for (column, name) in normalized.iter().enumerate() {
            let is_price = matches!(self.meaning(name), Some(Meaning::Price(_)));
            if is_price && matches!(self.uses[column], Use::Undecided) {
                self.uses[column] = Use::Dropped(Dropped::AnotherColumn);
            }
        }
    }

    /// What a header means in this layout, else by itself.
    fn meaning(&self, name: &str) -> Option<Meaning> {
        layout::settled(self.layout, name).or_else(|| aliases::meaning(name))
    }

    /// The currency of amounts, where it is not the US dollar, in which alone AAP has amounts.
    pub(super) fn foreign_currency(&self) -> Option<&'static str> {
        layout::foreign_currency(self.layout)
    }

    fn is_money(&self, column: usize) -> bool {
        let fields = [Field::Msrp, Field::ListPrice];
        self.prices.contains(&column) || fields.iter().any(|field| self.of(*field) == Some(column))
    }

    /// Doubts about what the numbers of a column count, in layouts of several countries.
    fn doubt_units(&mut self) {
        let money = (0..self.headers.len()).find(|column| self.is_money(*column));
        if let (Some(currency), Some(column)) = (self.foreign_currency(), money) {
            let message = format!(
                "amounts in this layout are in {currency}, and AAP has US dollars only; the units are published \
                 without prices"
            );
            let code = FindingCode::Currency;
            self.findings.push(Finding {
                code,
                ..self.file_doubt(column, message)
            });
        }
        if let (Layout::IsNew, Some(column)) = (self.layout, self.of(Field::Mileage))
            && self.of(Field::MileageUnit).is_none()
            && !self.named.contains(&Field::Mileage)
        {
            let message = format!(
                "`{header}` is read as miles, though dealers outside the United States write kilometers in this \
                 layout. Name the column in the feed's `columns` as `mileage` or `kilometers` to settle it",
                header = self.header(column)
            );
            self.findings.push(self.file_doubt(column, message));
        }
    }

    fn is_free(&self, field: Field) -> bool {
        let taken = match field {
            // Photos stand one per column too, and a feed may carry both the dealer's own id and
            // the vendor's account number.
            Field::Photos | Field::DealerId => self.named.contains(&field),
            Field::Condition => self.of(field).or(self.of(Field::IsNew)).is_some(),
            _ => self.of(field).is_some(),
        };
        !taken
    }

    fn claim(&mut self, column: usize, field: Field) {
        self.uses[column] = Use::Feeds(field);
        match field {
            Field::Photos => self.photos.push(column),
            Field::DealerId => self.dealer_ids.push(column),
            _ => self.of_field[field as usize] = Some(column),
        }
    }

    fn file_doubt(&self, column: usize, message: String) -> Finding {
        Finding {
            row: 1,
            column: Some(self.header(column).to_owned()),
            value: None,
            code: FindingCode::AmbiguousColumn,
            message,
        }
    }
}

/// True when the configuration names a header, however it is spelled.
pub(super) fn is_named(header: &str, options: &ReadOptions) -> bool {
    let normalized = aliases::normalized(header);
    options
        .columns
        .values()
        .chain(&options.price.column)
        .any(|named| named == header || aliases::normalized(named) == normalized)
}

/// Everything that is wrong with the columns that the configuration names.
#[derive(Debug, Default)]
struct Faults(Vec<(RefusalCode, String)>);

impl Faults {
    /// The column with a header: spelled alike, else alike in letters and digits, else at the place
    /// that is named.
    fn find(&mut self, headers: &[String], normalized: &[String], wanted: &str) -> Option<usize> {
        let plain = aliases::normalized(wanted);
        let alike = |header: &String| !plain.is_empty() && *header == plain;
        let wanted_header = wanted.trim();
        let mut spelled_alike = headers
            .iter()
            .enumerate()
            .filter(|(_, header)| *header == wanted_header)
            .map(|(at, _)| at);
        let first = spelled_alike.next();
        if let (Some(first), Some(second)) = (first, spelled_alike.next()) {
            self.0.push((
                RefusalCode::AmbiguousColumn,
                format!(
                    "the configuration names the column `{wanted}`, and columns {} and {} of the file are called so; \
                     name it by its place, for example `#{}`",
                    first + 1,
                    second + 1,
                    first + 1
                ),
            ));
            return None;
        }
        let column = first
            .or_else(|| normalized.iter().position(alike))
            .or_else(|| headerless::position(wanted).filter(|at| *at < headers.len()));
        let found = column.map_or(plain.as_str(), |column| &normalized[column]);
        if aliases::is_never_published(found) {
            self.0.push((
                RefusalCode::ForbiddenColumn,
                format!("the configuration names the column `{wanted}`, which is never published"),
            ));
            return None;
        }
        if column.is_none() {
            self.0.push((
                RefusalCode::MissingColumn,
                format!(
                    "the configuration names the column `{wanted}`, which the file does not have"
                ),
            ));
        }
        column
    }

    fn unknown_field(&mut self, name: &str) {
        let known: Vec<&str> = Field::names().collect();
        self.0.push((
            RefusalCode::UnknownField,
            format!(
                "the configuration names a column for `{name}`, which is no field that a column can feed; known are {}",
                known.join(", ")
            ),
        ));
    }

    fn refusal(self, headers: &[String]) -> Option<Refusal> {
        let (code, _) = self.0.first()?;
        let mut messages: Vec<&str> = self.0.iter().map(|(_, message)| message.as_str()).collect();
        let found = named_first(headers);
        if self
            .0
            .iter()
            .any(|(code, _)| *code == RefusalCode::MissingColumn)
        {
            messages.push(&found);
        }
        Some(Refusal {
            code: *code,
            message: messages.join("; "),
        })
    }
}

/// The first columns of a file by their names, for who looks for one of them.
fn named_first(headers: &[String]) -> String {
    const SHOWN: usize = 24;
    let shown: Vec<String> = headers
        .iter()
        .take(SHOWN)
        .map(|header| format!("`{}`", text::excerpt(header)))
        .collect();
    let more = match headers.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("its columns are {}{more}", shown.join(", "))
}
