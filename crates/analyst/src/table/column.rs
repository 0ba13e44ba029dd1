//! One column: its cells as text, and as what they mean.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::Role;
use crate::value::Money;

/// A column. Rows are counted from 0; a row beyond the end has no value.
#[derive(Debug)]
pub struct Column {
    header: String,
    role: Option<Role>,
    cells: Vec<String>,
}

impl Column {
    pub(super) fn new(header: &str, role: Option<Role>) -> Self {
        Self {
            header: header.to_owned(),
            role,
            cells: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, cell: &str) {
        self.cells.push(cell.trim().to_owned());
    }

    /// The header as the file has it.
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
        self.cells
            .get(row)
            .map(String::as_str)
            .filter(|cell| !cell.is_empty())
    }

    /// The cell as a number.
    #[must_use]
    pub fn number(&self, row: usize) -> Option<Decimal> {
        self.text(row)?.parse().ok()
    }

    /// The cell as an amount; its currency from the cell, else the header, else the table's currency
    /// column.
    #[must_use]
    pub fn money(&self, row: usize) -> Option<Money> {
        let text = self.text(row)?;
        let (amount, currency) = text.split_once(' ').unwrap_or((text, ""));
        Some(Money {
            amount: amount.parse().ok()?,
            currency: crate::Currency::from_code(currency),
        })
    }

    /// The cell as a day; none where the column can be read as day/month and as month/day.
    #[must_use]
    pub fn date(&self, row: usize) -> Option<Date> {
        self.text(row)?.parse().ok()
    }

    /// Whether the dates can be read as day/month and as month/day, so that none is.
    #[must_use]
    pub fn is_ambiguous_date(&self) -> bool {
        self.cells
            .iter()
            .any(|cell| cell.split('/').count() == 3 && cell.parse::<Date>().is_err())
    }

    /// The number of the cell's distinct value among [`distinct`](Self::distinct); equal text, equal
    /// number. None for an empty cell.
    #[must_use]
    pub fn symbol(&self, row: usize) -> Option<u32> {
        let text = self.text(row)?;
        let position = self.cells.iter().position(|cell| cell == text)?;
        u32::try_from(position).ok()
    }

    /// The text of a symbol.
    #[must_use]
    pub fn symbol_text(&self, symbol: u32) -> &str {
        &self.cells[symbol as usize]
    }

    /// The symbols of all distinct values.
    pub fn distinct(&self) -> impl Iterator<Item = u32> {
        (0..self.cells.len())
            .filter_map(|row| self.symbol(row))
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
    }
}
