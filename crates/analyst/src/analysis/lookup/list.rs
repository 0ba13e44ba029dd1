//! Items one by one, in an order, with the columns that the question names.

use std::cmp::Ordering;

use super::super::fields::{self, Numbers};
use super::super::price::Prices;
use super::super::selection::{Item, Selection};
use super::super::statistics::by_currency;
use super::super::{Asked, Refusal, words};
use crate::finding::{Grid, Sentence, counted, say};
use crate::question::{ColumnName, Order};
use crate::{Column, Filter, Finding, Money, Role, Table, Value};

/// The items in scope, in the order that is asked for.
pub(super) fn list(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let params = &asked.intent.params;
    let mut finding = asked.finding();
    let mut items: Vec<Item<'_, '_>> = asked.stock.items().collect();
    let mut named: Vec<ColumnName> = asked
        .intent
        .scope
        .filters
        .iter()
        .filter_map(filtered)
        .cloned()
        .collect();
    if let Some(order) = &params.order {
        named.insert(0, order.by.clone());
        let sorted = ordered(asked.table(), &mut items, order)?;
        finding.rule.push(sorted);
    }
    let all = items.len() as u64;
    if let Some(top) = params.top {
        items.truncate(top);
    }
    let columns = Listed::of(asked, &named);
    let mut grid = columns.grid();
    for &item in &items {
        grid.push(columns.row(item));
    }
    finding.headline = headline(asked, &items, all);
    finding.grid = Some(grid);
    finding.rule.extend(columns.rules);
    Ok(finding)
}

fn headline(asked: &Asked<'_, '_>, items: &[Item<'_, '_>], all: u64) -> Sentence {
    let total = Selection::all(asked.table()).item_count();
    let shown = items.len() as u64;
    match (&asked.intent.params.order, asked.intent.params.top) {
        (Some(order), Some(_)) => say!(
            "The ",
            counted(shown, "item"),
            if order.descending {
                " with the highest "
            } else {
                " with the lowest "
            },
            words::column(asked.table(), &order.by),
            ", of ",
            Value::Count(all),
            " in scope."
        ),
        _ if asked.intent.scope.filters.is_empty() => say!(counted(all, "item"), "."),
        _ => say!(
            Value::Count(all),
            " of ",
            counted(total, "item"),
            if all == 1 { " matches." } else { " match." }
        ),
    }
}

fn filtered(filter: &Filter) -> Option<&ColumnName> {
    match filter {
        Filter::Is { column, .. }
        | Filter::Within { column, .. }
        | Filter::Dated { column, .. } => Some(column),
        Filter::Titled { .. } | Filter::AnyOf(_) | Filter::Available | Filter::Lacks { .. } => None,
    }
}

/// Sorts, and says how. Items without a value come last; amounts of one currency stand together.
fn ordered<'a>(
    table: &'a Table,
    items: &mut Vec<Item<'a, '_>>,
    order: &Order,
) -> Result<Sentence, Refusal> {
    let ascending = !order.descending;
    let numbers = Numbers::named(table, &order.by)?;
    let is_numeric = items.iter().any(|item| numbers.of_item(*item).is_some());
    if is_numeric {
        sort_by_number(items, &numbers, ascending);
    } else {
        let column = fields::column(table, &order.by)?;
        sort_by_cell(items, column, ascending);
    }
    Ok(say!(
        "Ordered by ",
        words::column(table, &order.by),
        if ascending {
            ", lowest first"
        } else {
            ", highest first"
        },
        "; items without a value come last, equal ones in the order of the source."
    ))
}

fn sort_by_number(items: &mut Vec<Item<'_, '_>>, numbers: &Numbers<'_>, ascending: bool) {
    let currencies: Vec<_> = by_currency(items.iter().filter_map(|item| numbers.of_item(*item)))
        .iter()
        .map(|amounts| amounts.currency)
        .collect();
    // Each currency in turn: an order of amounts across currencies would compare them.
    let key = |item: &Item<'_, '_>| {
        let number: Option<Money> = numbers.of_item(*item);
        let place = number.and_then(|number| {
            currencies
                .iter()
                .position(|currency| *currency == number.currency)
        });
        (
            place.unwrap_or(usize::MAX),
            number.map(|number| number.amount),
        )
    };
    let mut keyed: Vec<_> = items.iter().map(|item| (key(item), *item)).collect();
    keyed.sort_by(|((place, number), _), ((other_place, other), _)| {
        place
            .cmp(other_place)
            .then(missing_last(number, other, ascending))
    });
    *items = keyed.into_iter().map(|(_, item)| item).collect();
}

fn sort_by_cell<'a>(items: &mut [Item<'a, '_>], column: &'a Column, ascending: bool) {
    items.sort_by(|one, other| {
        let date = |item: &Item<'_, '_>| item.rows().find_map(|row| column.date(row.of(column)));
        let text = |item: &Item<'a, '_>| item.text(column).map(str::to_lowercase);
        missing_last(&date(one), &date(other), ascending)
            .then_with(|| missing_last(&text(one), &text(other), ascending))
    });
}

pub(super) fn missing_last<T: Ord>(
    one: &Option<T>,
    other: &Option<T>,
    ascending: bool,
) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) if ascending => one.cmp(other),
        (Some(one), Some(other)) => other.cmp(one),
        (one, other) => one.is_none().cmp(&other.is_none()),
    }
}

/// The columns of a list of items.
pub(super) struct Listed<'a> {
    prices: Option<Prices<'a>>,
    others: Vec<(String, Shown<'a>)>,
    rules: Vec<Sentence>,
}

enum Shown<'a> {
    Numbers(Numbers<'a>),
    Cell(&'a Column),
}

impl<'a> Listed<'a> {
    /// Id, what it is, price, and the columns that the question names.
    pub(super) fn of(asked: &Asked<'_, 'a>, named: &[ColumnName]) -> Self {
        let table = asked.table();
        let mut listed = Self {
            prices: Prices::of_table(table),
            others: Vec::new(),
            rules: Vec::new(),
        };
        if let Some(prices) = &listed.prices {
            listed.rules = prices.rule_of_items(table);
        }
        for name in named {
            let header = words::header(table, name);
            let is_there = listed.others.iter().any(|(other, _)| *other == header);
            let in_label = matches!(name, ColumnName::Role(Role::Price | Role::Title | Role::Id));
            if is_there || in_label || listed.others.len() == 4 {
                continue;
            }
            let numbers = Numbers::named(table, name);
            if let Ok(Numbers::Age(ages)) = &numbers {
                listed.rules.push(ages.rule());
            }
            let shown = match (numbers, fields::column(table, name)) {
                (Ok(numbers @ (Numbers::Age(_) | Numbers::Money(_))), _) => Shown::Numbers(numbers),
                (_, Ok(column)) => Shown::Cell(column),
                _ => continue,
            };
            listed.others.push((header, shown));
        }
        listed
    }

    pub(super) fn grid(&self) -> Grid {
        let mut columns = vec!["id", "item"];
        if self.prices.is_some() {
            columns.push("price");
        }
        columns.extend(self.others.iter().map(|(header, _)| header.as_str()));
        Grid::new(&columns)
    }

    pub(super) fn row(&self, item: Item<'a, '_>) -> Vec<Value> {
        let mut row = vec![item.id(), item.label()];
        if let Some(prices) = &self.prices {
            row.push(item.price(prices).map_or(Value::None, Value::Money));
        }
        row.extend(self.others.iter().map(|(_, shown)| match shown {
            Shown::Numbers(numbers) => numbers.of_item(item).map_or(Value::None, |number| {
                numbers.value(number.amount, number.currency)
            }),
            Shown::Cell(column) => cell(item, column),
        }));
        row
    }
}

fn cell<'a>(item: Item<'a, '_>, column: &'a Column) -> Value {
    let date = || item.rows().find_map(|row| column.date(row.of(column)));
    match item.text(column) {
        None => Value::None,
        Some(text) => date().map_or_else(|| Value::from(text), Value::Date),
    }
}
