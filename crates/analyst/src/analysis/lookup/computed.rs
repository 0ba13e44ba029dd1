//! A figure of rows: count, sum, median, mean, extremes.

use super::super::fields::Numbers;
use super::super::selection::Selection;
use super::super::statistics::{Amounts, by_currency};
use super::super::{Refusal, words};
use crate::finding::{Sentence, counted, say};
use crate::question::{ColumnName, Measure};
use crate::{Table, Value};

/// A measure with its column found.
pub(super) struct Computed<'a> {
    measure: &'a Measure,
    pub(super) numbers: Option<Numbers<'a>>,
}

impl<'a> Computed<'a> {
    pub(super) fn of(table: &'a Table, measure: &'a Measure) -> Result<Self, Refusal> {
        let numbers = column(measure)
            .map(|name| Numbers::named(table, name))
            .transpose()?;
        Ok(Self { measure, numbers })
    }

    /// The numbers of all rows in scope, each currency apart.
    pub(super) fn amounts(&self, selection: &Selection<'_>) -> Vec<Amounts> {
        let Some(numbers) = &self.numbers else {
            return Vec::new();
        };
        by_currency(selection.rows().filter_map(|row| numbers.of(row)))
    }

    pub(super) fn value(&self, amounts: &Amounts) -> Value {
        let value = match self.measure {
            Measure::Count => Value::Count(amounts.count()),
            Measure::Sum(_) => amounts.sum(),
            Measure::Median(_) => amounts.median(),
            Measure::Mean(_) => amounts.mean(),
            Measure::Minimum(_) => amounts.minimum(),
            Measure::Maximum(_) => amounts.maximum(),
        };
        match (&self.numbers, value) {
            (Some(numbers), Value::Money(money)) => numbers.value(money.amount, money.currency),
            (_, value) => value,
        }
    }

    pub(super) fn is_maximum(&self) -> bool {
        matches!(self.measure, Measure::Maximum(_))
    }

    fn verb(&self) -> &'static str {
        match self.measure {
            Measure::Count => "count",
            Measure::Sum(_) => "sum",
            Measure::Median(_) => "median",
            Measure::Mean(_) => "mean",
            Measure::Minimum(_) => "minimum",
            Measure::Maximum(_) => "maximum",
        }
    }

    pub(super) fn name(&self, table: &Table) -> Sentence {
        column(self.measure).map_or_else(Sentence::default, |name| words::column(table, name))
    }

    pub(super) fn header(&self, table: &Table) -> String {
        let name = column(self.measure).map_or_else(String::new, |name| words::header(table, name));
        format!("{} of {name}", self.verb())
    }

    /// What the number is a part of: rows of a column, or items.
    pub(super) fn whole(&self, selection: &Selection<'_>) -> Sentence {
        if self.numbers.is_some() {
            counted(selection.row_count(), "row")
        } else {
            counted(selection.item_count(), "item")
        }
    }

    pub(super) fn sentence(&self, table: &Table, amounts: &Amounts, all: Sentence) -> Sentence {
        say!(
            "The ",
            self.verb(),
            " of ",
            self.name(table),
            " is ",
            self.value(amounts),
            ", over ",
            Value::Count(amounts.count()),
            " of ",
            all,
            "."
        )
    }

    pub(super) fn rule(&self, table: &Table) -> Vec<Sentence> {
        let mut rules: Vec<Sentence> = Vec::new();
        match &self.numbers {
            None => {
                if table.items().is_some() {
                    rules.push(say!(
                        "Rows that are variants of one product count as one item."
                    ));
                }
            }
            Some(Numbers::Price(prices)) => rules.push(prices.rule()),
            Some(Numbers::Age(ages)) => rules.push(ages.rule()),
            Some(_) => rules.push(say!(
                "Every row with a number in ",
                self.name(table),
                " counts; amounts of different currencies are never added or compared."
            )),
        }
        match self.measure {
            Measure::Median(_) => rules.push(say!(
                "The median of an even count is the mean of the two middle values."
            )),
            Measure::Mean(_) => rules.push(say!("A mean is rounded to two places.")),
            _ => {}
        }
        rules
    }
}

fn column(measure: &Measure) -> Option<&ColumnName> {
    match measure {
        Measure::Count => None,
        Measure::Sum(name)
        | Measure::Median(name)
        | Measure::Mean(name)
        | Measure::Minimum(name)
        | Measure::Maximum(name) => Some(name),
    }
}
