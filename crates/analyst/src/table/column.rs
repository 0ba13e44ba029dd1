//! One column: its cells as text, and as what they mean.

use std::fmt;
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::cells::Cells;
use super::dates::Dates;
use super::numbers::Numbers;
use super::{Role, currency};
use crate::value::{Currency, Money};

/// A column. Rows are counted from 0; a row beyond the end has no value.
pub struct Column {
    header: String,
    role: Option<Role>,
    cells: Cells,
    header_currency: Option<Currency>,
    /// What the table's currency column says, row by row.
    row_currencies: Option<Arc<RowCurrencies>>,
    numbers: OnceLock<Numbers>,
    dates: OnceLock<Dates>,
}

/// The header and how many cells, and none of them: they may be a seller's secrets.
impl fmt::Debug for Column {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Column")
            .field("header", &self.header)
            .field("role", &self.role)
            .field("rows", &self.cells.len())
            .finish_non_exhaustive()
    }
}

/// How the days of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DateOrder {
    /// It holds no days.
    NoDates,
    /// Each can be read in one way, as `2026-04-30` and `30 April 2026` can.
    Stated,
    /// `04/05/2026` is the fourth of May: other values of the column can be read in no other way.
    DayFirst,
    /// `04/05/2026` is the fifth of April: other values of the column can be read in no other way.
    MonthFirst,
    /// They can be read both ways, or some in one way and some in the other.
    Ambiguous,
}

impl Column {
    pub(super) fn new(header: &str, role: Option<Role>) -> Self {
        Self {
            header: header.to_owned(),
            role,
            cells: Cells::default(),
            header_currency: currency::of_header(header),
            row_currencies: None,
            numbers: OnceLock::new(),
            dates: OnceLock::new(),
        }
    }

    pub(super) fn push(&mut self, cell: &str) {
        self.cells.push(cell);
    }

    pub(super) fn finish(&mut self) {
        self.cells.finish();
    }

    /// Before any cell is read as a number or a day.
    pub(super) fn set_role(&mut self, role: Role) {
        self.role = Some(role);
        self.numbers = OnceLock::new();
        self.dates = OnceLock::new();
    }

    pub(super) fn set_row_currencies(&mut self, currencies: Arc<RowCurrencies>) {
        self.row_currencies = Some(currencies);
    }

    /// The header as the file has it; `column 3` where it has none.
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// What the column means, if that is known.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        self.role
    }

    /// The cell without space around it; none where it is empty or a filler (`NULL`, `N/A`, `-`).
    #[must_use]
    pub fn text(&self, row: usize) -> Option<&str> {
        self.cells.text(row)
    }

    /// The cell as a number, also where a currency or a unit stands beside it (`93,000 miles`).
    ///
    /// The decimal sign is decided for each value by itself. `1.299` alone can be read in two ways: an
    /// amount or a whole number (odometer, quantity) is then read as thousands; in other columns the
    /// other values decide, and where none does, a point is a decimal sign and a comma is not.
    #[must_use]
    pub fn number(&self, row: usize) -> Option<Decimal> {
        let place = self.cells.place(row)?;
        self.numbers().number(place, || self.cells.text(row))
    }

    /// The cell as an amount; its currency from the cell, else the header, else the table's currency
    /// column. None where a unit stands behind the number.
    ///
    /// `$` alone is the dollar that the header or the currency column names. Without one it is the
    /// dollar of the United States, unless the column has amounts in other dollars: then it stays
    /// without a currency, as `kr` does where nothing names a crown.
    #[must_use]
    pub fn money(&self, row: usize) -> Option<Money> {
        use super::numbers::Beside;
        let place = self.cells.place(row)?;
        let numbers = self.numbers();
        let beside = numbers.beside(place)?;
        let stated = || {
            let of_row = || self.row_currencies.as_ref().and_then(|them| them.of(row));
            self.header_currency.or_else(of_row)
        };
        let currency = match beside {
            Beside::Unit => return None,
            Beside::Nothing => stated(),
            Beside::Currency(currency) => Some(currency),
            Beside::Krone => stated().filter(|currency| currency::is_krone(*currency)),
            Beside::Dollar => match stated() {
                Some(currency) => currency::is_dollar(currency).then_some(currency),
                None if numbers.names_a_dollar() => None,
                None => Currency::from_code("USD"),
            },
        };
        let amount = numbers.number(place, || self.cells.text(row))?;
        Some(Money { amount, currency })
    }

    /// The cell as a day, as it is written there: a time and its offset are left out. None where the
    /// column can be read as day/month and as month/day.
    #[must_use]
    pub fn date(&self, row: usize) -> Option<Date> {
        let place = self.cells.place(row)?;
        self.dates().day(place)
    }

    /// The newest day that a cell states.
    #[must_use]
    pub fn newest_date(&self) -> Option<Date> {
        self.dates().newest()
    }

    /// How the days of the column are written. Where it is [`Ambiguous`](DateOrder::Ambiguous), only
    /// cells that can be read in one way whatever the order (`2026-04-30`) are days.
    #[must_use]
    pub fn date_order(&self) -> DateOrder {
        self.dates().order()
    }

    /// Whether the dates can be read as day/month and as month/day, so that none is.
    #[must_use]
    pub fn is_ambiguous_date(&self) -> bool {
        self.date_order() == DateOrder::Ambiguous
    }

    /// The number of the cell's distinct value among [`distinct`](Self::distinct); equal text, equal
    /// number. None for an empty cell. Numbers are below the number of rows.
    #[must_use]
    pub fn symbol(&self, row: usize) -> Option<u32> {
        self.cells.symbol(row)
    }

    /// The text of a symbol.
    #[must_use]
    pub fn symbol_text(&self, symbol: u32) -> &str {
        self.cells.symbol_text(symbol)
    }

    /// The symbols of all distinct values, ascending, in the order of their first rows.
    pub fn distinct(&self) -> impl Iterator<Item = u32> {
        self.cells.distinct()
    }

    /// True where at least nine of ten distinct values are numbers or amounts.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        let (read, values) = self.numbers().read();
        values > 0 && read * 10 >= values * 9
    }

    /// True where at least nine of ten distinct values are days, whatever their order.
    #[must_use]
    pub fn is_dated(&self) -> bool {
        let (read, values) = self.dates().read();
        values > 0 && read * 10 >= values * 9
    }

    /// True where no row has a value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        (0..self.cells.len()).all(|row| self.cells.text(row).is_none())
    }

    fn numbers(&self) -> &Numbers {
        self.numbers
            .get_or_init(|| Numbers::read_all(self.cells.places(), self.role))
    }

    fn dates(&self) -> &Dates {
        self.dates
            .get_or_init(|| Dates::read_all(self.cells.places(), self.role))
    }
}

/// The currency of each row, by the table's currency column.
pub(super) struct RowCurrencies {
    known: Vec<Currency>,
    /// The place in `known` plus one; 0 is none.
    rows: Vec<u8>,
}

impl RowCurrencies {
    pub(super) fn new(column: &Column) -> Self {
        let mut known = Vec::new();
        let rows = (0..column.cells.len()).map(|row| {
            let named = column.text(row).and_then(currency::sign);
            let Some(currency::Sign::Sure(currency)) = named else {
                return 0;
            };
            let place = known
                .iter()
                .position(|it| *it == currency)
                .unwrap_or_else(|| {
                    known.push(currency);
                    known.len() - 1
                });
            u8::try_from(place + 1).unwrap_or_default()
        });
        let rows = rows.collect();
        Self { known, rows }
    }

    fn of(&self, row: usize) -> Option<Currency> {
        let place = usize::from(*self.rows.get(row)?).checked_sub(1)?;
        self.known.get(place).copied()
    }
}
