//! Filter, group, count, sum, median, mean, extremes, and lists with ids.
//!
//! A figure of all rows or of each group is made by `computed`, a list of items by `list`.

mod computed;
mod list;

use super::fields::Numbers;
use super::groups::{self, Group};
use super::statistics::Amounts;
use super::{Asked, Refusal, words};
use crate::finding::{Grid, Sentence, counted, say};
use crate::question::{ColumnName, Measure};
use crate::{Finding, Value};
use computed::Computed;
use list::{Listed, list, missing_last};

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let params = &asked.intent.params;
    match (&params.group_by, &params.measure) {
        (Some(group), measure) => {
            grouped(asked, group, measure.as_ref().unwrap_or(&Measure::Count))
        }
        (None, None | Some(Measure::Count)) => list(asked),
        (None, Some(measure)) => measured(asked, measure),
    }
}

/// One number of all rows in scope.
fn measured(asked: &Asked<'_, '_>, measure: &Measure) -> Result<Finding, Refusal> {
    let computed = Computed::of(asked.table(), measure)?;
    let amounts = computed.amounts(asked.stock);
    let mut finding = asked.finding();
    finding.rule = computed.rule(asked.table());
    let all = computed.whole(asked.stock);
    let Some(first) = amounts.first() else {
        let headline = say!(
            "None of ",
            all,
            " has a value of ",
            computed.name(asked.table()),
            "."
        );
        return Ok(asked.nothing(headline));
    };
    finding.headline = computed.sentence(asked.table(), first, all.clone());
    for others in &amounts[1..] {
        finding
            .details
            .push(computed.sentence(asked.table(), others, all.clone()));
    }
    if let Some(numbers) = &computed.numbers
        && let Measure::Minimum(_) | Measure::Maximum(_) = measure
    {
        finding.grid = Some(holders(asked, numbers, &amounts, computed.is_maximum()));
    }
    Ok(finding)
}

/// The items that have the extreme value.
fn holders(
    asked: &Asked<'_, '_>,
    numbers: &Numbers<'_>,
    amounts: &[Amounts],
    is_maximum: bool,
) -> Grid {
    let columns = Listed::of(asked, &[]);
    let mut grid = columns.grid();
    for item in asked.stock.items() {
        let holds = item.rows().filter_map(|row| numbers.of(row)).any(|number| {
            amounts.iter().any(|amounts| {
                let extreme = if is_maximum {
                    amounts.sorted.last()
                } else {
                    amounts.sorted.first()
                };
                amounts.currency == number.currency && extreme == Some(&number.amount)
            })
        });
        if holds {
            grid.push(columns.row(item));
        }
    }
    grid
}

/// A number for each value of a column.
fn grouped(
    asked: &Asked<'_, '_>,
    group: &ColumnName,
    measure: &Measure,
) -> Result<Finding, Refusal> {
    let table = asked.table();
    let computed = Computed::of(table, measure)?;
    let mut lines: Vec<Line> = Vec::new();
    let groups = groups::of(asked.stock, group)?;
    let group_count = groups.len() as u64;
    for Group { name, items } in groups {
        let count = items.item_count();
        let line = |value: Value, key| Line {
            name: name.clone(),
            count,
            value,
            key,
        };
        if computed.numbers.is_none() {
            lines.push(line(Value::Count(count), Some(count.into())));
            continue;
        }
        let amounts = computed.amounts(&items);
        if amounts.is_empty() {
            lines.push(line(Value::None, None));
        }
        for amounts in &amounts {
            let value = computed.value(amounts);
            let key = number(&value);
            lines.push(line(value, key));
        }
    }
    let ascending = asked
        .intent
        .params
        .order
        .as_ref()
        .is_some_and(|order| !order.descending);
    lines.sort_by(|one, other| missing_last(&one.key, &other.key, ascending));
    let mut finding = asked.finding();
    let best = lines
        .first()
        .map(|line| (line.name.clone(), line.value.clone()));
    let header = words::header(table, group);
    let mut grid = Grid::new(&[&header, "items"]);
    if computed.numbers.is_some() {
        grid.columns.push(computed.header(table));
    }
    for line in lines {
        let mut row = vec![line.name, Value::Count(line.count)];
        if computed.numbers.is_some() {
            row.push(line.value);
        }
        grid.push(row);
    }
    finding.headline = say!(
        computed.whole(asked.stock),
        " in ",
        counted(group_count, "group"),
        " by ",
        words::column(table, group)
    );
    if let Some((name, value)) = best {
        let place = if ascending {
            "; the least is "
        } else {
            "; the most is "
        };
        finding
            .headline
            .add(say!(place, named(name), " with ", value));
        if computed.numbers.is_none() {
            finding.headline.add(" of them");
        }
    }
    finding.headline.add(".");
    finding.grid = Some(grid);
    finding.rule = computed.rule(table);
    finding.rule.push(say!(
        "Groups are the values of ",
        words::column(table, group),
        " as the data spells them."
    ));
    Ok(finding)
}

struct Line {
    name: Value,
    count: u64,
    value: Value,
    key: Option<rust_decimal::Decimal>,
}

fn named(name: Value) -> Sentence {
    match name {
        Value::None => say!("(not stated)"),
        name => name.into(),
    }
}

fn number(value: &Value) -> Option<rust_decimal::Decimal> {
    match value {
        Value::Money(money) => Some(money.amount),
        Value::Number(number) => Some(*number),
        Value::Days(days) => Some((*days).into()),
        Value::Count(count) => Some((*count).into()),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
