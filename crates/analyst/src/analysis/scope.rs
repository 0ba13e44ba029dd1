//! Which rows a question is about: the one place where filters are applied, and said back.

use std::collections::HashSet;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::fields::{self, Field, Numbers};
use super::selection::{Item, Row, Selection};
use super::stock::Stock;
use super::{Refusal, words};
use crate::finding::{Outcome, Sentence, counted, listed, say};
use crate::question::TitleWord;
use crate::{Column, Currency, Filter, Finding, Intent, Role, Scope, Skill, Table, Value};

/// The rows in scope, and how that was understood.
#[derive(Debug)]
pub(crate) struct Scoped<'a> {
    pub(crate) selection: Selection<'a>,
    pub(crate) said: Vec<Sentence>,
    pub(crate) limits: Vec<Sentence>,
}

/// Applies a scope to a table.
///
/// # Errors
/// A filter names a column that the table does not have.
pub(crate) fn select<'a>(table: &'a Table, scope: &Scope) -> Result<Scoped<'a>, Refusal> {
    let tests = scope
        .filters
        .iter()
        .map(|filter| Test::of(table, filter))
        .collect::<Result<Vec<_>, _>>()?;
    let selection = Selection::of(table, |item, row| {
        tests.iter().all(|test| test.holds(item, row))
    });
    let mut said: Vec<Sentence> = Vec::new();
    if scope.is_inherited && !tests.is_empty() {
        said.push(say!("Conditions of the question before still hold."));
    }
    said.extend(tests.iter().map(Test::said));
    if !tests.is_empty() {
        let all = Selection::all(table).item_count();
        said.push(say!(
            Value::Count(selection.item_count()),
            " of ",
            counted(all, "item"),
            " in scope."
        ));
    }
    let limits = tests.iter().filter_map(|test| test.limit(table)).collect();
    Ok(Scoped {
        selection,
        said,
        limits,
    })
}

/// Has a finding name the words that nothing in the data matches. Where they alone say what is looked for,
/// there is none of it; else the sentence that answers begins with what it leaves out.
pub(crate) fn name_unknown(finding: &mut Finding, intent: &Intent) {
    if matches!(finding.outcome, Outcome::Unanswerable { .. }) {
        return;
    }
    let Scope {
        filters, unknown, ..
    } = &intent.scope;
    let words = unknown.iter().map(|word| Value::from(word.as_str()));
    let words = listed(words.collect(), 5, " and ");
    let narrows = |filter: &Filter| !matches!(filter, Filter::Available);
    let is_all = intent.skill == Skill::Lookup
        && intent.params.group_by.is_none()
        && !filters.iter().any(narrows);
    if is_all {
        let rows = finding
            .evidence
            .first()
            .map_or(0, |source| source.rows_read);
        finding.outcome = Outcome::Nothing { rows };
        finding.headline = say!("Nothing in the data is called ", words, ".");
        finding.grid = None;
        finding.details.clear();
        finding
            .scope
            .insert(0, say!("No category, brand, model or title matches."));
        return;
    }
    let headline = std::mem::take(&mut finding.headline);
    finding.headline = say!(
        "Without ",
        words.clone(),
        ", which nothing in the data is called: ",
        headline
    );
    finding.scope.insert(
        0,
        say!(
            "No category, brand, model or title matches ",
            words,
            ", so the answer is not narrowed to it."
        ),
    );
}

/// A filter with its columns found and its words looked up.
struct Test<'a> {
    kind: Kind<'a>,
    name: Sentence,
}

enum Kind<'a> {
    Is {
        column: &'a Column,
        values: Vec<String>,
        symbols: HashSet<u32>,
        is_path: bool,
        negated: bool,
    },
    Within {
        numbers: Numbers<'a>,
        at_least: Option<Decimal>,
        at_most: Option<Decimal>,
        exclusive: bool,
        currency: Option<Currency>,
    },
    Dated {
        column: &'a Column,
        from: Option<Date>,
        until: Option<Date>,
    },
    Titled {
        titles: Titles<'a>,
        words: Vec<String>,
    },
    AnyOf(Vec<Test<'a>>),
    Available(Stock<'a>),
    Lacks {
        field: Field<'a>,
        negated: bool,
    },
}

impl<'a> Test<'a> {
    fn of(table: &'a Table, filter: &Filter) -> Result<Self, Refusal> {
        let mut name = Sentence::default();
        let kind = match filter {
            Filter::Is {
                column,
                values,
                negated,
            } => {
                name = words::column(table, column);
                let column = fields::column(table, column)?;
                let is_path = matches!(column.role(), Some(Role::Category | Role::ProductType));
                Kind::Is {
                    column,
                    values: values.clone(),
                    symbols: matching(column, values, is_path),
                    is_path,
                    negated: *negated,
                }
            }
            Filter::Within {
                column,
                at_least,
                at_most,
                exclusive,
                currency,
            } => {
                name = words::column(table, column);
                Kind::Within {
                    numbers: Numbers::named(table, column)?,
                    at_least: *at_least,
                    at_most: *at_most,
                    exclusive: *exclusive,
                    currency: *currency,
                }
            }
            Filter::Dated {
                column,
                from,
                until,
            } => {
                name = words::column(table, column);
                let column = fields::column(table, column)?;
                if column.is_ambiguous_date() {
                    return Err(ambiguous(column));
                }
                Kind::Dated {
                    column,
                    from: *from,
                    until: *until,
                }
            }
            Filter::Titled { words } => Kind::Titled {
                titles: Titles::of_table(table, words)?,
                words: words.clone(),
            },
            Filter::AnyOf(filters) => {
                let tests = filters.iter().map(|filter| Self::of(table, filter));
                Kind::AnyOf(tests.collect::<Result<_, _>>()?)
            }
            Filter::Available => Kind::Available(Stock::of_table(table)),
            Filter::Lacks { column, negated } => {
                name = words::column(table, column);
                Kind::Lacks {
                    field: Field::named(table, column)?,
                    negated: *negated,
                }
            }
        };
        Ok(Self { kind, name })
    }

    fn holds(&self, item: Item<'_, '_>, row: Row) -> bool {
        match &self.kind {
            Kind::Is {
                column,
                symbols,
                negated,
                ..
            } => column
                .symbol(row.of(column))
                .is_some_and(|symbol| symbols.contains(&symbol) != *negated),
            Kind::Within {
                numbers,
                at_least,
                at_most,
                exclusive,
                currency,
            } => numbers.of(row).is_some_and(|number| {
                let amount = number.amount;
                let fits = |bound: Decimal| !exclusive || amount != bound;
                at_least.is_none_or(|bound| amount >= bound && fits(bound))
                    && at_most.is_none_or(|bound| amount <= bound && fits(bound))
                    && (currency.is_none()
                        || number.currency.is_none()
                        || number.currency == *currency)
            }),
            Kind::Dated {
                column,
                from,
                until,
            } => column.date(row.of(column)).is_some_and(|date| {
                from.is_none_or(|from| date >= from) && until.is_none_or(|until| date <= until)
            }),
            Kind::Titled { titles, .. } => titles.has(row),
            Kind::AnyOf(tests) => tests.iter().any(|test| test.holds(item, row)),
            Kind::Available(stock) => !stock.is_gone(row),
            Kind::Lacks { field, negated } => field.is_filled_in(item) == *negated,
        }
    }

    fn said(&self) -> Sentence {
        let name = || self.name.clone();
        match &self.kind {
            Kind::Is {
                column,
                values,
                symbols,
                is_path,
                negated,
            } => {
                let verb = match (is_path, negated) {
                    (false, false) => " is ",
                    (false, true) => " is not ",
                    (true, false) => " is or lies below ",
                    (true, true) => " neither is nor lies below ",
                };
                let texts = values
                    .iter()
                    .map(|value| Value::from(value.as_str()))
                    .collect();
                let distinct = column.distinct().count() as u64;
                say!(
                    name(),
                    verb,
                    listed(texts, 5, " or "),
                    ": ",
                    Value::Count(symbols.len() as u64),
                    " of ",
                    counted(distinct, "value"),
                    " of the column."
                )
            }
            Kind::Within {
                numbers,
                at_least,
                at_most,
                exclusive,
                currency,
            } => {
                let value = |bound: &Decimal| numbers.value(*bound, *currency);
                let range = match (at_least, at_most) {
                    (Some(least), Some(most)) if *exclusive => {
                        say!(" above ", value(least), " and below ", value(most))
                    }
                    (Some(least), Some(most)) => {
                        say!(" from ", value(least), " to ", value(most))
                    }
                    (Some(least), None) if *exclusive => say!(" above ", value(least)),
                    (Some(least), None) => say!(" at least ", value(least)),
                    (None, Some(most)) if *exclusive => say!(" below ", value(most)),
                    (None, Some(most)) => say!(" at most ", value(most)),
                    (None, None) => say!(" stated"),
                };
                say!(name(), range, ".")
            }
            Kind::Dated { from, until, .. } => match (from, until) {
                (Some(from), Some(until)) => say!(name(), " from ", *from, " to ", *until, "."),
                (Some(from), None) => say!(name(), " from ", *from, " on."),
                (None, Some(until)) => say!(name(), " up to ", *until, "."),
                (None, None) => say!(name(), " stated."),
            },
            Kind::Titled { words, .. } => {
                let texts = words
                    .iter()
                    .map(|word| Value::from(word.as_str()))
                    .collect();
                say!(
                    "The title has ",
                    listed(texts, 8, " and "),
                    ", or words of the same stem."
                )
            }
            Kind::AnyOf(tests) => {
                let mut sentence = say!("One of these: ");
                for (place, test) in tests.iter().enumerate() {
                    if place > 0 {
                        sentence.add(" Or: ");
                    }
                    sentence.add(test.said());
                }
                sentence
            }
            Kind::Available(stock) => say!("Available items only. ", stock.rule()),
            Kind::Lacks { negated: true, .. } => say!(name(), " is stated."),
            Kind::Lacks { .. } => say!(name(), " is missing."),
        }
    }

    /// What the filter could not tell.
    fn limit(&self, table: &Table) -> Option<Sentence> {
        let Kind::Within {
            numbers,
            currency: Some(currency),
            ..
        } = &self.kind
        else {
            return None;
        };
        let all = Selection::all(table);
        let unstated = all
            .rows()
            .filter_map(|row| numbers.of(row))
            .filter(|number| number.currency.is_none())
            .count() as u64;
        (unstated > 0).then(|| {
            say!(
                counted(unstated, "amount"),
                " without a currency taken to be in ",
                Value::Text(currency.to_string()),
                " where the question names it."
            )
        })
    }
}

/// A day cannot be compared with days that may be others.
fn ambiguous(column: &Column) -> Refusal {
    Refusal::because(say!(
        "This cannot be answered: dates in ",
        Value::from(column.header()),
        " can be read as day/month or month/day, so none is used."
    ))
}

/// The values of a column that a filter means.
fn matching(column: &Column, values: &[String], is_path: bool) -> HashSet<u32> {
    let values: Vec<String> = values.iter().map(|value| value.to_lowercase()).collect();
    column
        .distinct()
        .filter(|&symbol| {
            let text = column.symbol_text(symbol).to_lowercase();
            values
                .iter()
                .any(|value| text == *value || (is_path && lies_below(&text, value)))
        })
        .collect()
}

/// Whether one of the category paths in a cell has the steps of `path`.
fn lies_below(cell: &str, path: &str) -> bool {
    let wanted: Vec<&str> = steps(path).collect();
    if wanted.is_empty() {
        return false;
    }
    cell.split([',', ';', '|']).any(|one| {
        let steps: Vec<&str> = steps(one).collect();
        steps.windows(wanted.len()).any(|part| part == wanted)
    })
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['>', '/'])
        .map(str::trim)
        .filter(|step| !step.is_empty())
}

/// Where words are looked for: the title, else what names a vehicle.
struct Titles<'a> {
    columns: Vec<&'a Column>,
    /// For each word and each column, the values that have the word.
    having: Vec<Vec<HashSet<u32>>>,
}

impl<'a> Titles<'a> {
    fn of_table(table: &'a Table, words: &[String]) -> Result<Self, Refusal> {
        let columns: Vec<&Column> = match table.column(Role::Title) {
            Some(title) => vec![title],
            None => [Role::Make, Role::Model, Role::Trim]
                .into_iter()
                .filter_map(|role| table.column(role))
                .collect(),
        };
        if columns.is_empty() {
            return Err(Refusal::missing(&[Role::Title]));
        }
        let wanted = words
            .iter()
            .flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric()))
            .filter(|word| !word.is_empty())
            .map(TitleWord::new);
        let having = wanted
            .map(|word| {
                let of_column = |column: &&Column| {
                    let symbols = column.distinct();
                    symbols
                        .filter(|&symbol| word.stands_in(column.symbol_text(symbol)))
                        .collect()
                };
                columns.iter().map(of_column).collect()
            })
            .collect();
        Ok(Self { columns, having })
    }

    fn has(&self, row: Row) -> bool {
        self.having.iter().all(|of_columns| {
            self.columns.iter().zip(of_columns).any(|(column, having)| {
                let symbol = column.symbol(row.of(column));
                symbol.is_some_and(|symbol| having.contains(&symbol))
            })
        })
    }
}

#[cfg(test)]
mod tests;
