//! The days of a column, whose order of day and month its values decide.

use jiff::civil::Date;

use super::Role;
use super::column::DateOrder;
use super::date::{self, Parsed};

/// The days at the places of a column's cells.
pub(super) struct Dates {
    days: Vec<Option<Date>>,
    order: DateOrder,
    /// How many cells are days, of how many that have a value.
    read: (usize, usize),
}

impl Dates {
    pub(super) fn read_all<'c>(cells: impl Iterator<Item = &'c str>, role: Option<Role>) -> Self {
        let is_date_column = role.is_some_and(Role::is_date);
        let mut values = 0;
        let parsed: Vec<Option<Parsed>> = cells
            .map(|cell| {
                values += usize::from(!cell.is_empty());
                let compact = || date::compact(cell).filter(|_| is_date_column);
                date::parse(cell).or_else(|| compact().map(Parsed::Sure))
            })
            .collect();
        let order = order(parsed.iter().flatten());
        let read = parsed.iter().flatten().count();
        let days = parsed.iter().map(|parsed| (*parsed)?.day(order)).collect();
        Self {
            days,
            order,
            read: (read, values),
        }
    }

    pub(super) fn day(&self, place: usize) -> Option<Date> {
        self.days.get(place).copied().flatten()
    }

    /// The newest day of all.
    pub(super) fn newest(&self) -> Option<Date> {
        self.days.iter().flatten().max().copied()
    }

    pub(super) fn order(&self) -> DateOrder {
        self.order
    }

    /// How many places hold a day in one reading or the other, of how many that hold a value.
    pub(super) fn read(&self) -> (usize, usize) {
        self.read
    }
}

fn order<'p>(parsed: impl Iterator<Item = &'p Parsed>) -> DateOrder {
    let (mut sure, mut day_first, mut month_first, mut either) = (false, false, false, false);
    for one in parsed {
        match one {
            Parsed::Sure(_) => sure = true,
            Parsed::DayFirst(_) => day_first = true,
            Parsed::MonthFirst(_) => month_first = true,
            Parsed::Either(..) => either = true,
        }
    }
    match (day_first, month_first, either) {
        (true, false, _) => DateOrder::DayFirst,
        (false, true, _) => DateOrder::MonthFirst,
        (true, true, _) | (false, false, true) => DateOrder::Ambiguous,
        (false, false, false) if sure => DateOrder::Stated,
        (false, false, false) => DateOrder::NoDates,
    }
}

impl Parsed {
    fn day(self, order: DateOrder) -> Option<Date> {
        match (self, order) {
            (Self::Sure(date), _) => Some(date),
            (_, DateOrder::Ambiguous) => None,
            (Self::DayFirst(date) | Self::Either(date, _), DateOrder::DayFirst)
            | (Self::MonthFirst(date) | Self::Either(_, date), DateOrder::MonthFirst) => Some(date),
            _ => None,
        }
    }
}
