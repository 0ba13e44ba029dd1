//! The day on which each unit came into stock, and whether a file writes the month first.

use jiff::Span;
use jiff::civil::Date;

use super::cells::Cells;
use super::clean::date::{self, DateCell};
use super::field::Field;
use super::report::FindingCode;

/// What a file's dates tell about the order of day and month.
#[derive(Debug, Default)]
pub(super) struct DateOrder {
    /// Dates such as `4/21/2026`.
    month_first: u64,
    /// Dates such as `21/4/2026`.
    day_first: u64,
    /// Vehicles whose date can be read both ways: their place in the list, their line, and where
    /// the cell ends in `cells`.
    either: Vec<(usize, u64, usize)>,
    /// The cells of `either`, one behind the other, as a string for each costs more than the dates.
    cells: String,
}

impl DateOrder {
    /// The day on which a unit came into stock. `vehicle` is the place that the unit will have.
    pub(super) fn read(
        &mut self,
        cells: &mut Cells<'_>,
        today: Date,
        vehicle: usize,
        row: u64,
    ) -> Option<String> {
        let cell = cells.get(Field::InventoryDate)?;
        let (code, message) = match date::date(cell) {
            DateCell::Day(day) if is_plausible(day, today) => return Some(day.to_string()),
            DateCell::MonthFirst(day) if is_plausible(day, today) => {
                self.month_first += 1;
                return Some(day.to_string());
            }
            DateCell::Either(day) if is_plausible(day, today) => {
                self.cells.push_str(cell);
                self.either.push((vehicle, row, self.cells.len()));
                return Some(day.to_string());
            }
            DateCell::Day(_) | DateCell::MonthFirst(_) | DateCell::Either(_) => (
                FindingCode::BadDate,
                "no day on which the unit can have come into stock: long ago, or after today; it is left out",
            ),
            DateCell::DayFirst => {
                self.day_first += 1;
                (
                    FindingCode::BadDate,
                    "no calendar date with the month first; expected 2026-04-21 or 4/21/2026; it is left out",
                )
            }
            DateCell::Ambiguous => (
                FindingCode::AmbiguousDate,
                "day, month and year can be told apart in more than one way; expected 2026-04-21 or 4/21/2026; it is \
                 left out",
            ),
            DateCell::Unreadable => (
                FindingCode::BadDate,
                "not a date; expected 2026-04-21 or 4/21/2026; it is left out",
            ),
        };
        cells.warn_of(Field::InventoryDate, cell, code, message);
        None
    }

    /// The vehicles whose date must go, as the file seems to write the day first; each with its
    /// line and its cell.
    pub(super) fn doubtful(&self) -> impl Iterator<Item = (usize, u64, &str)> {
        let is_doubtful = self.day_first > 0 && self.day_first >= self.month_first;
        let either = is_doubtful.then_some(self.either.as_slice());
        let mut start = 0;
        either
            .into_iter()
            .flatten()
            .map(move |(vehicle, row, end)| {
                let cell = &self.cells[start..*end];
                start = *end;
                (*vehicle, *row, cell)
            })
    }
}

/// True for a day within the last 40 years, or tomorrow, which it may already be at the rooftop.
fn is_plausible(day: Date, today: Date) -> bool {
    let latest = today.saturating_add(Span::new().days(1));
    let earliest = today.saturating_sub(Span::new().years(40));
    (earliest..=latest).contains(&day)
}

/// The warning for a date that [`DateOrder::doubtful`] names.
pub(super) const DOUBTFUL_DATE: &str = "day or month first? Other dates of the file write the day first; expected 2026-04-21 or 4/21/2026; it is left out";
