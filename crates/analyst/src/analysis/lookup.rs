//! Filter, group, count, sum, median, mean, extremes, and lists with ids.

use std::cmp::Ordering;

use super::fields::Numbers;
use super::groups::{self, Group};
use super::price::Prices;
use super::selection::{Item, Selection};
use super::statistics::{Amounts, by_currency};
use super::{Asked, Refusal, fields, words};
use crate::finding::{Grid, Sentence, counted, say};
use crate::question::{ColumnName, Measure, Order};
use crate::{Column, Filter, Finding, Money, Role, Table, Value};

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

/// A measure with its column found.
struct Computed<'a> {
    measure: &'a Measure,
    numbers: Option<Numbers<'a>>,
}

impl<'a> Computed<'a> {
    fn of(table: &'a Table, measure: &'a Measure) -> Result<Self, Refusal> {
        let numbers = column(measure)
            .map(|name| Numbers::named(table, name))
            .transpose()?;
        Ok(Self { measure, numbers })
    }

    /// The numbers of all rows in scope, each currency apart.
    fn amounts(&self, selection: &Selection<'_>) -> Vec<Amounts> {
        let Some(numbers) = &self.numbers else {
            return Vec::new();
        };
        by_currency(selection.rows().filter_map(|row| numbers.of(row)))
    }

    fn value(&self, amounts: &Amounts) -> Value {
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

    fn is_maximum(&self) -> bool {
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

    fn name(&self, table: &Table) -> Sentence {
        column(self.measure).map_or_else(Sentence::default, |name| words::column(table, name))
    }

    fn header(&self, table: &Table) -> String {
        let name = column(self.measure).map_or_else(String::new, |name| words::header(table, name));
        format!("{} of {name}", self.verb())
    }

    /// What the number is a part of: rows of a column, or items.
    fn whole(&self, selection: &Selection<'_>) -> Sentence {
        if self.numbers.is_some() {
            counted(selection.row_count(), "row")
        } else {
            counted(selection.item_count(), "item")
        }
    }

    fn sentence(&self, table: &Table, amounts: &Amounts, all: Sentence) -> Sentence {
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

    fn rule(&self, table: &Table) -> Vec<Sentence> {
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

/// The items in scope, in the order that is asked for.
fn list(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
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

fn missing_last<T: Ord>(one: &Option<T>, other: &Option<T>, ascending: bool) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) if ascending => one.cmp(other),
        (Some(one), Some(other)) => other.cmp(one),
        (one, other) => one.is_none().cmp(&other.is_none()),
    }
}

/// The columns of a list of items.
pub(crate) struct Listed<'a> {
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
    fn of(asked: &Asked<'_, 'a>, named: &[ColumnName]) -> Self {
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

    fn grid(&self) -> Grid {
        let mut columns = vec!["id", "item"];
        if self.prices.is_some() {
            columns.push("price");
        }
        columns.extend(self.others.iter().map(|(header, _)| header.as_str()));
        Grid::new(&columns)
    }

    fn row(&self, item: Item<'a, '_>) -> Vec<Value> {
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

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, is, own, rows, sentences};
    use super::*;
    use crate::finding::Outcome;
    use crate::{Finding, Skill, Sources};

    const COLUMNS: Columns<'_> = &[
        ("sku", Some(Role::Id)),
        ("name", Some(Role::Title)),
        ("group", Some(Role::Category)),
        ("price", Some(Role::Price)),
        ("qty", Some(Role::Quantity)),
        ("added", Some(Role::DateAdded)),
    ];

    fn sofas() -> Sources {
        own(
            COLUMNS,
            &[
                &[
                    "A1",
                    "Red sofa",
                    "Indoor > Sofas",
                    "899.50 EUR",
                    "3",
                    "2026-06-01",
                ],
                &[
                    "A2",
                    "Blue sofa",
                    "Indoor > Sofas",
                    "1200 EUR",
                    "",
                    "2026-05-01",
                ],
                &[
                    "A3",
                    "Teak table",
                    "Outdoor > Tables",
                    "450 EUR",
                    "7",
                    "2026-06-11",
                ],
                &["A4", "Bench", "Outdoor > Benches", "99 USD", "1", ""],
                &["A5", "Mystery", "", "", "", ""],
            ],
        )
    }

    fn lookup(change: impl FnOnce(&mut crate::question::Params)) -> Finding {
        intent(Skill::Lookup).with(change).ask(&sofas())
    }

    fn price() -> ColumnName {
        ColumnName::Role(Role::Price)
    }

    #[test]
    fn a_sum_keeps_currencies_apart_and_names_its_denominator() {
        let found = lookup(|params| params.measure = Some(Measure::Sum(price())));
        assert_eq!(
            headline(&found),
            "The sum of price is 2,549.50 EUR, over 3 of 5 rows."
        );
        assert_eq!(
            sentences(&found.details),
            ["The sum of price is 99 USD, over 1 of 5 rows."]
        );
    }

    #[test]
    fn medians_means_and_extremes_are_exact() {
        let said = |measure: Measure| {
            let found = intent(Skill::Lookup)
                .with(|params| params.measure = Some(measure))
                .only(is(Role::Category, "Indoor"))
                .ask(&sofas());
            headline(&found)
        };
        assert_eq!(
            said(Measure::Median(price())),
            "The median of price is 1,049.75 EUR, over 2 of 2 rows."
        );
        assert_eq!(
            said(Measure::Mean(price())),
            "The mean of price is 1,049.75 EUR, over 2 of 2 rows."
        );
        assert_eq!(
            said(Measure::Sum(ColumnName::Role(Role::Quantity))),
            "The sum of qty is 3, over 1 of 2 rows."
        );
        let found = lookup(|params| params.measure = Some(Measure::Minimum(price())));
        assert_eq!(
            headline(&found),
            "The minimum of price is 450 EUR, over 3 of 5 rows."
        );
        assert_eq!(
            rows(&found),
            ["A3|Teak table|450 EUR", "A4|Bench|99 USD"],
            "the items that have it, in each currency"
        );
    }

    #[test]
    fn a_count_by_group_names_the_largest_and_puts_the_unstated_last() {
        let found = lookup(|params| {
            params.group_by = Some(ColumnName::Role(Role::Category));
            params.measure = Some(Measure::Count);
        });
        assert_eq!(
            headline(&found),
            "5 items in 4 groups by group; the most is Indoor > Sofas with 2 of them."
        );
        assert_eq!(
            rows(&found),
            [
                "Indoor > Sofas|2",
                "Outdoor > Benches|1",
                "Outdoor > Tables|1",
                "|1"
            ]
        );
    }

    #[test]
    fn the_dearest_come_first_and_those_without_a_price_last() {
        let order = Order {
            by: price(),
            descending: true,
        };
        let found = lookup(|params| {
            params.order = Some(order);
            params.top = Some(2);
        });
        assert_eq!(
            headline(&found),
            "The 2 items with the highest price, of 5 in scope."
        );
        assert_eq!(
            rows(&found),
            ["A2|Blue sofa|1200 EUR", "A1|Red sofa|899.50 EUR"]
        );
    }

    #[test]
    fn a_list_is_ordered_by_age_counted_from_a_date() {
        let found = lookup(|params| {
            params.order = Some(Order {
                by: ColumnName::Role(Role::AgeDays),
                descending: true,
            });
        });
        assert_eq!(
            rows(&found)[..3],
            [
                "A2|Blue sofa|1200 EUR|41",
                "A1|Red sofa|899.50 EUR|10",
                "A3|Teak table|450 EUR|0"
            ]
        );
        assert!(
            sentences(&found.rule)
                .contains(&"The age of a unit is the days from added to 2026-06-11, the newest value of added.".to_owned())
        );
    }

    #[test]
    fn a_column_that_is_not_there_is_named() {
        let found = lookup(|params| {
            params.measure = Some(Measure::Sum(ColumnName::Role(Role::Odometer)));
        });
        assert_eq!(
            headline(&found),
            "This cannot be answered: no column states odometer."
        );
        let Outcome::Unanswerable { missing, seen } = &found.outcome else {
            panic!("{:?}", found.outcome);
        };
        assert_eq!(missing, &[Role::Odometer]);
        assert_eq!(seen.len(), 6);
        let found = lookup(|params| {
            params.group_by = Some(ColumnName::Header("Aisle".to_owned()));
        });
        assert_eq!(
            headline(&found),
            "This cannot be answered: there is no column Aisle."
        );
    }

    #[test]
    fn a_column_without_numbers_has_no_sum() {
        let found = intent(Skill::Lookup)
            .with(|params| params.measure = Some(Measure::Sum(price())))
            .only(Filter::Titled {
                words: vec!["mystery".to_owned()],
            })
            .ask(&sofas());
        assert_eq!(found.outcome, Outcome::Nothing { rows: 1 });
        assert_eq!(headline(&found), "None of 1 row has a value of price.");
    }
}
