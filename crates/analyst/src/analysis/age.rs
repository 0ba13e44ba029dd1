//! Which day a table speaks of, and how old a unit was on that day.

use jiff::civil::Date;

use super::Refusal;
use super::selection::Row;
use crate::finding::{Sentence, Snapshot, say};
use crate::{Column, Role, Table, Value};

/// The day that a table speaks of: the newest value of the column that states the day of the whole
/// row, else of the last change; else the newest day of anything that happened to a unit. A column
/// that can be read as day/month and as month/day is not read.
pub(crate) fn snapshot(table: &Table) -> Snapshot {
    const TIERS: [&[Role]; 3] = [
        &[Role::SnapshotDate],
        &[Role::DateUpdated],
        &[
            Role::EventDate,
            Role::DateSold,
            Role::DateInStock,
            Role::DateAdded,
        ],
    ];
    TIERS
        .iter()
        .find_map(|tier| newest(table, tier))
        .or_else(|| ambiguous(table))
        .unwrap_or(Snapshot::NotStated)
}

fn newest(table: &Table, roles: &[Role]) -> Option<Snapshot> {
    let mut newest: Option<(Date, &Column)> = None;
    for column in roles.iter().filter_map(|&role| table.column(role)) {
        if let Some(date) = column.newest_date()
            && newest.is_none_or(|(found, _)| date > found)
        {
            newest = Some((date, column));
        }
    }
    newest.map(|(date, column)| Snapshot::Stated {
        date,
        column: column.header().to_owned(),
    })
}

fn ambiguous(table: &Table) -> Option<Snapshot> {
    let column = table
        .columns()
        .iter()
        .find(|column| column.is_ambiguous_date())?;
    Some(Snapshot::Ambiguous {
        column: column.header().to_owned(),
    })
}

/// The age of units in days, as the source counts it, or from a date up to the source's own day.
#[derive(Debug)]
pub(crate) struct Ages<'a> {
    counted: Option<&'a Column>,
    since: Option<(&'a Column, Date)>,
    snapshot_column: String,
}

impl<'a> Ages<'a> {
    /// # Errors
    /// The table has neither ages nor a date that units came on.
    pub(crate) fn of_table(table: &'a Table) -> Result<Self, Refusal> {
        let counted = table.column(Role::AgeDays);
        let came = [Role::DateInStock, Role::DateAdded]
            .into_iter()
            .filter_map(|role| table.column(role))
            .find(|column| column.newest_date().is_some());
        let (since, snapshot_column) = match (came, snapshot(table)) {
            (
                Some(column),
                Snapshot::Stated {
                    date,
                    column: named,
                },
            ) => (Some((column, date)), named),
            _ => (None, String::new()),
        };
        if counted.is_none() && since.is_none() {
            let mut refusal =
                Refusal::missing(&[Role::DateInStock, Role::DateAdded, Role::AgeDays]);
            refusal.any_of = true;
            if let Snapshot::Ambiguous { column } = snapshot(table) {
                refusal.because = Some(say!(
                    "Dates in ",
                    Value::Text(column),
                    " can be read as day/month or month/day, so none is used."
                ));
            }
            return Err(refusal);
        }
        Ok(Self {
            counted,
            since,
            snapshot_column,
        })
    }

    /// Days; negative where the unit is dated after the source's own day.
    pub(crate) fn of(&self, row: Row) -> Option<i64> {
        let counted = self.counted.and_then(|column| {
            let days = column.number(row.of(column))?;
            i64::try_from(days.trunc()).ok()
        });
        counted.or_else(|| {
            let (column, snapshot) = self.since?;
            days_between(column.date(row.of(column))?, snapshot)
        })
    }

    pub(crate) fn rule(&self) -> Sentence {
        let counted = |column: &Column| {
            say!(
                "The age of a unit is the one that the column ",
                Value::from(column.header()),
                " states"
            )
        };
        let since = |(column, date): (&Column, Date)| {
            say!(
                "the days from ",
                Value::from(column.header()),
                " to ",
                date,
                ", the newest value of ",
                Value::from(self.snapshot_column.as_str())
            )
        };
        match (self.counted, self.since) {
            (Some(column), None) => say!(counted(column), "."),
            (Some(column), Some(dated)) => {
                say!(counted(column), "; where it is empty, ", since(dated), ".")
            }
            (None, Some(dated)) => say!("The age of a unit is ", since(dated), "."),
            (None, None) => Sentence::default(),
        }
    }

    /// What the ages cannot tell.
    pub(crate) fn limit(&self) -> Option<Sentence> {
        let (column, _) = self.since?;
        (column.header() == self.snapshot_column).then(|| {
            say!(
                "The data states no day of its own, so ages end at its newest arrival; real ages may be higher."
            )
        })
    }
}

/// The days from one day to another.
pub(crate) fn days_between(from: Date, to: Date) -> Option<i64> {
    let span = from.until((jiff::Unit::Day, to)).ok()?;
    Some(i64::from(span.get_days()))
}
