//! What a language model says that a question asks for.
//!
//! The lexicon needs no model. Where it leaves words that nothing knows, a program may show a model the
//! [`Form`] and hand its answer to [`read`]. The form is closed: fifteen analyses, the columns and values of
//! the data, the numbers of the question. What stands outside of it makes the whole answer void, so that
//! a model can misunderstand a question, but can neither invent what is counted nor count.

mod asked;
mod columns;
mod form;

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::Deserialize;

pub use self::form::Form;
use self::{asked::Asked, columns::Columns};
use super::follow_up;
use super::understand::{MOST_INTENTS, newest_day};
use super::{Change, ColumnName, Filter, Intent, Measure, Order, Params, Scope, Skill};
use crate::{Currency, Sources};

/// As many conditions as an analysis has.
const MOST_FILTERS: usize = 12;

/// Why the answer of a model is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misstated {
    /// It does not have the form.
    #[error("the answer does not have the form: {0}")]
    Form(String),
    /// It says nothing, or more than an answer has room for.
    #[error("the answer has {0} analyses; 1 to {MOST_INTENTS} are read")]
    Analyses(usize),
    /// It names a column that the data does not have.
    #[error("the data has no column {0:?}")]
    Column(String),
    /// It names a value that the column does not have.
    #[error("the column {column:?} has no value {value:?}")]
    Value {
        /// As the answer names it.
        column: String,
        /// The value.
        value: String,
    },
    /// It has a number or day that the question does not have.
    #[error("{0} does not come from the question")]
    Number(String),
    /// A word of the title that the question does not have.
    #[error("the question does not have the word {0:?}")]
    Word(String),
    /// Members that go together are not, or some that exclude each other are.
    #[error("{0}")]
    Contradiction(&'static str),
}

/// The answer of a model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    continues: bool,
    analyses: Vec<Stated>,
    unclear: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    skill: Skill,
    filters: Vec<StatedFilter>,
    title_words: Vec<String>,
    available_only: bool,
    group_by: Option<String>,
    measure: Option<StatedMeasure>,
    measured: Option<String>,
    order_by: Option<String>,
    descending: bool,
    top: Option<u16>,
    days: Option<u32>,
    missing: Vec<String>,
    changes: Vec<Change>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedFilter {
    column: String,
    values: Vec<String>,
    negated: bool,
    at_least: Option<Decimal>,
    at_most: Option<Decimal>,
    currency: Option<Currency>,
    from: Option<Date>,
    until: Option<Date>,
    is_empty: Option<bool>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StatedMeasure {
    Count,
    Sum,
    Median,
    Mean,
    Minimum,
    Maximum,
}

/// The analyses of a statement that follows the form, and what a question before them adds.
///
/// # Errors
/// [`Misstated`]; then nothing of the statement is used.
pub fn read(
    statement: &str,
    question: &str,
    sources: &Sources,
    previous: &[Intent],
) -> Result<Vec<Intent>, Misstated> {
    let statement: Statement =
        serde_json::from_str(statement).map_err(|error| Misstated::Form(error.to_string()))?;
    let count = statement.analyses.len();
    if !(1..=MOST_INTENTS).contains(&count) {
        return Err(Misstated::Analyses(count));
    }
    let asked = Asked::of(question, newest_day(sources));
    let columns = Columns::of(sources);
    let reader = Reader {
        asked: &asked,
        columns: &columns,
    };
    let unclear: Vec<String> = statement
        .unclear
        .into_iter()
        .filter(|word| asked.has_words(word))
        .collect();
    let mut intents = Vec::new();
    for stated in &statement.analyses {
        let mut intent = reader.intent(stated)?;
        intent.scope.unknown.clone_from(&unclear);
        intents.push(intent);
    }
    if statement.continues && !previous.is_empty() {
        let scope = intents[0].scope.clone();
        intents = follow_up::go_on(previous, &intents, &scope, true);
    }
    Ok(intents)
}

struct Reader<'a> {
    asked: &'a Asked,
    columns: &'a Columns<'a>,
}

impl Reader<'_> {
    fn intent(&self, stated: &Stated) -> Result<Intent, Misstated> {
        if stated.skill == Skill::Help {
            return Err(Misstated::Form("help is no analysis".to_owned()));
        }
        if stated.filters.len() > MOST_FILTERS {
            let words = format!("more than {MOST_FILTERS} conditions");
            return Err(Misstated::Form(words));
        }
        let mut filters = stated
            .filters
            .iter()
            .map(|filter| self.filter(filter))
            .collect::<Result<Vec<_>, _>>()?;
        if !stated.title_words.is_empty() {
            let mut words = Vec::new();
            for word in &stated.title_words {
                if !self.asked.has_words(word) {
                    return Err(Misstated::Word(word.clone()));
                }
                words.push(word.to_lowercase());
            }
            filters.push(Filter::Titled { words });
        }
        if stated.available_only {
            filters.push(Filter::Available);
        }
        Ok(Intent {
            skill: stated.skill,
            params: self.params(stated)?,
            scope: Scope {
                filters,
                ..Scope::default()
            },
            matched: Vec::new(),
        })
    }

    fn params(&self, stated: &Stated) -> Result<Params, Misstated> {
        let name = |text: &Option<String>| {
            let text = text.as_deref();
            text.map(|text| self.columns.name(text)).transpose()
        };
        let missing = stated
            .missing
            .iter()
            .map(|text| match self.columns.name(text)? {
                ColumnName::Role(role) => Ok(role),
                ColumnName::Header(_) => Err(Misstated::Contradiction(
                    "`missing` names columns of a known meaning only",
                )),
            });
        let top = stated.top.map(|top| self.asked.number(top.into()));
        let days = stated.days.map(|days| self.asked.days(days)).transpose()?;
        let is_window = matches!(
            stated.skill,
            Skill::Changes | Skill::Velocity | Skill::Leads
        );
        let by = name(&stated.order_by)?;
        Ok(Params {
            group_by: name(&stated.group_by)?,
            measure: measure(stated.measure, name(&stated.measured)?)?,
            order: by.map(|by| Order {
                by,
                descending: stated.descending,
            }),
            top: top.transpose()?.and(stated.top).map(usize::from),
            missing: missing.collect::<Result<_, _>>()?,
            days: days.filter(|_| !is_window),
            window: days.filter(|_| is_window),
            between: None,
            changes: stated.changes.clone(),
        })
    }

    fn filter(&self, stated: &StatedFilter) -> Result<Filter, Misstated> {
        let named = self.columns.find(&stated.column)?;
        let column = named.name.clone();
        let is_range = stated.at_least.is_some() || stated.at_most.is_some();
        let is_dated = stated.from.is_some() || stated.until.is_some();
        let kinds = [
            !stated.values.is_empty(),
            is_range,
            is_dated,
            stated.is_empty.is_some(),
        ];
        if kinds.iter().filter(|it| **it).count() != 1 {
            return Err(Misstated::Contradiction(
                "a condition has either values, or bounds, or days, or `is_empty`",
            ));
        }
        if stated.negated && stated.values.is_empty() {
            return Err(Misstated::Contradiction("only values can be negated"));
        }
        let number = |number: Option<Decimal>| number.map(|it| self.asked.number(it)).transpose();
        let day = |day: Option<Date>| day.map(|it| self.asked.day(it)).transpose();
        if is_range {
            return Ok(Filter::Within {
                column,
                at_least: number(stated.at_least)?,
                at_most: number(stated.at_most)?,
                exclusive: false,
                currency: stated.currency,
            });
        }
        if is_dated {
            return Ok(Filter::Dated {
                column,
                from: day(stated.from)?,
                until: day(stated.until)?,
            });
        }
        if let Some(is_empty) = stated.is_empty {
            return Ok(Filter::Lacks {
                column,
                negated: !is_empty,
            });
        }
        let values = stated.values.iter().map(|value| {
            named.value(value).ok_or_else(|| Misstated::Value {
                column: stated.column.clone(),
                value: value.clone(),
            })
        });
        Ok(Filter::Is {
            column,
            values: values.collect::<Result<_, _>>()?,
            negated: stated.negated,
        })
    }
}

fn measure(
    measure: Option<StatedMeasure>,
    column: Option<ColumnName>,
) -> Result<Option<Measure>, Misstated> {
    use StatedMeasure::{Count, Maximum, Mean, Median, Minimum, Sum};
    Ok(Some(match (measure, column) {
        (None, _) => return Ok(None),
        (Some(Count), _) => Measure::Count,
        (Some(_), None) => {
            let words = "a measure other than the count needs the column in `measured`";
            return Err(Misstated::Contradiction(words));
        }
        (Some(Sum), Some(column)) => Measure::Sum(column),
        (Some(Median), Some(column)) => Measure::Median(column),
        (Some(Mean), Some(column)) => Measure::Mean(column),
        (Some(Minimum), Some(column)) => Measure::Minimum(column),
        (Some(Maximum), Some(column)) => Measure::Maximum(column),
    }))
}

#[cfg(test)]
mod tests;
