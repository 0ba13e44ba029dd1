//! Prices that cannot be right.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::fields;
use super::price::{Prices, is_vehicles, priced};
use super::selection::{Item, Row};
use super::statistics::{by_currency, ratio};
use super::{Asked, Refusal};
use crate::finding::{Grid, counted, say};
use crate::question::ColumnName;
use crate::{Column, Finding, Role, Table, Value};

/// A group of fewer items says nothing of what is usual in it.
const GROUP_AT_LEAST: usize = 8;

/// How many robust standard deviations from the median are too far, and the factor that makes a
/// median absolute deviation one.
const FAR: f64 = 3.5 * 1.4826;

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let prices = Prices::needed(asked.table())?;
    let mut found = implausible(asked, &prices);
    let mut tally = Tally::default();
    found.extend(far_off(asked, &prices, &mut tally)?);
    let stated = asked
        .stock
        .items()
        .filter(|item| item.rows().any(|row| prices.stated(row).is_some()));
    let stated = stated.count() as u64;
    let mut odd: Vec<&Value> = found.iter().map(|odd| &odd.id).collect();
    odd.dedup();
    let headline = say!(
        Value::Count(odd.len() as u64),
        " of ",
        counted(stated, "item"),
        if odd.len() == 1 {
            " with a stated price has an odd one."
        } else {
            " with a stated price have an odd one."
        }
    );
    let mut finding = if found.is_empty() {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        finding.details = reasons(&found);
        let columns = ["id", "item", "price", "group median", "ratio", "why"];
        let mut grid = Grid::new(&columns);
        for odd in found {
            grid.push(vec![
                odd.id,
                odd.label,
                odd.price,
                odd.median,
                odd.ratio,
                Value::from(odd.why),
            ]);
        }
        finding.grid = Some(grid);
        finding
    };
    finding.rule = rules(asked, &prices);
    tally.limits(&mut finding);
    Ok(finding)
}

fn rules(asked: &Asked<'_, '_>, prices: &Prices<'_>) -> Vec<crate::finding::Sentence> {
    let mut rules = prices.rule_of_items(asked.table());
    rules.push(say!(
        "Far off: the logarithm of the price is more than 3.5 × 1.4826 × the median absolute deviation away from the median of its group, in groups of at least 8 prices of one currency."
    ));
    rules.push(if is_vehicles(asked.table()) {
        say!(
            "Groups are make and model. Placeholders: 0.01, 1, 99, 999, 1234, 9999, 12345, 99999, 111111, 123456, 999999, 9999999."
        )
    } else {
        say!(
            "Groups are the category, else the product type, else the brand, else everything. Placeholders: 0.01, 1234, 9999, 12345, 99999, 111111, 123456, 999999, 9999999."
        )
    });
    rules
}

/// A price that stands out.
struct Odd {
    id: Value,
    label: Value,
    price: Value,
    median: Value,
    ratio: Value,
    why: &'static str,
}

fn reasons(found: &[Odd]) -> Vec<crate::finding::Sentence> {
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for odd in found {
        *counts.entry(odd.why).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|(why, count)| say!(counted(count, "price"), ": ", why, "."))
        .collect()
}

/// Prices that are wrong whatever the others are.
fn implausible(asked: &Asked<'_, '_>, prices: &Prices<'_>) -> Vec<Odd> {
    let table = asked.table();
    let others = [Role::CompareAtPrice, Role::SalePrice].map(|role| table.column(role));
    let placeholders = placeholders(table);
    let mut found = Vec::new();
    for item in asked.stock.items() {
        let mut seen: Vec<&'static str> = Vec::new();
        for row in item.rows() {
            let Some(price) = prices.stated(row) else {
                continue;
            };
            let why = why(price.amount, row, others, prices, &placeholders);
            if let Some(why) = why
                && !seen.contains(&why)
            {
                seen.push(why);
                found.push(Odd {
                    id: item.id(),
                    label: item.label(),
                    price: price.into(),
                    median: Value::None,
                    ratio: Value::None,
                    why,
                });
            }
        }
    }
    found
}

fn placeholders(table: &Table) -> Vec<Decimal> {
    let of_all = [
        1234, 9999, 12345, 99_999, 111_111, 123_456, 999_999, 9_999_999,
    ];
    let of_vehicles = [1, 99, 999];
    let vehicles = if is_vehicles(table) {
        &of_vehicles[..]
    } else {
        &[]
    };
    let whole = of_all
        .iter()
        .chain(vehicles)
        .map(|&amount| Decimal::from(amount));
    whole.chain([Decimal::new(1, 2)]).collect()
}

fn why(
    price: Decimal,
    row: Row,
    [compare_at, sale]: [Option<&Column>; 2],
    prices: &Prices<'_>,
    placeholders: &[Decimal],
) -> Option<&'static str> {
    let other = |column: Option<&Column>| {
        let money = column?.money(row.row)?;
        let is_comparable = prices
            .stated(row)
            .is_some_and(|price| price.currency == money.currency);
        (is_comparable && money.amount > Decimal::ZERO).then_some(money.amount)
    };
    if price <= Decimal::ZERO {
        return Some("zero or negative");
    }
    if placeholders.contains(&price) {
        return Some("placeholder");
    }
    if other(compare_at).is_some_and(|compared| compared < price) {
        return Some("compare-at price below the price");
    }
    if other(sale).is_some_and(|sale| sale > price) {
        return Some("sale price above the price");
    }
    None
}

/// What was not compared.
#[derive(Default)]
struct Tally {
    in_small_groups: u64,
    without_spread: u64,
}

impl Tally {
    fn limits(&self, finding: &mut Finding) {
        if self.in_small_groups > 0 {
            finding.limits.push(say!(
                counted(self.in_small_groups, "price"),
                " in groups of fewer than 8 not compared with others."
            ));
        }
        if self.without_spread > 0 {
            finding.limits.push(say!(
                counted(self.without_spread, "price"),
                " in groups where at least half of the prices are the same not compared: such a group has no spread."
            ));
        }
    }
}

/// Prices far from the median of their group.
fn far_off(
    asked: &Asked<'_, '_>,
    prices: &Prices<'_>,
    tally: &mut Tally,
) -> Result<Vec<Odd>, Refusal> {
    let columns = group_columns(asked)?;
    let mut found = Vec::new();
    let parts = asked.stock.parted(|item: Item<'_, '_>| {
        let symbol = |column: &Option<&Column>| column.and_then(|column| item.symbol(column));
        [symbol(&columns[0]), symbol(&columns[1])]
    });
    for (_, group) in parts {
        for amounts in by_currency(priced(&group, prices).map(|(_, price)| price)) {
            if amounts.sorted.len() < GROUP_AT_LEAST {
                tally.in_small_groups += amounts.count();
                continue;
            }
            let logs: Vec<f64> = amounts.sorted.iter().filter_map(log).collect();
            let middle = middle(&logs);
            let mut deviations: Vec<f64> = logs.iter().map(|log| (log - middle).abs()).collect();
            deviations.sort_by(f64::total_cmp);
            let deviation = self::middle(&deviations);
            if deviation <= 0.0 {
                tally.without_spread += amounts.count();
                continue;
            }
            let median = super::statistics::median(&amounts.sorted);
            for (item, price) in priced(&group, prices) {
                if price.currency != amounts.currency {
                    continue;
                }
                let Some(distance) = log(&price.amount).map(|log| log - middle) else {
                    continue;
                };
                if distance.abs() > FAR * deviation {
                    found.push(Odd {
                        id: item.id(),
                        label: item.label(),
                        price: price.into(),
                        median: amounts.median(),
                        ratio: median.map_or(Value::None, |median| ratio(price.amount, median)),
                        why: if distance > 0.0 {
                            "far above its group"
                        } else {
                            "far below its group"
                        },
                    });
                }
            }
        }
    }
    Ok(found)
}

/// The columns whose values together form a group.
fn group_columns<'a>(asked: &Asked<'_, 'a>) -> Result<[Option<&'a Column>; 2], Refusal> {
    let table = asked.table();
    if let Some(group) = &asked.intent.params.group_by {
        return Ok([Some(fields::column(table, group)?), None]);
    }
    if let (Some(make), Some(model)) = (table.column(Role::Make), table.column(Role::Model)) {
        return Ok([Some(make), Some(model)]);
    }
    let group = [Role::Category, Role::ProductType, Role::Brand]
        .into_iter()
        .find_map(|role| fields::column(table, &ColumnName::Role(role)).ok());
    Ok([group, None])
}

/// Where a price lies among prices of all sizes. Only the choice of what is odd rests on it; every
/// number that is shown is exact.
fn log(amount: &Decimal) -> Option<f64> {
    amount.to_f64().map(f64::ln).filter(|log| log.is_finite())
}

fn middle(sorted: &[f64]) -> f64 {
    let upper = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    if sorted.is_empty() || sorted.len() % 2 == 1 {
        return upper;
    }
    f64::midpoint(sorted[sorted.len() / 2 - 1], upper)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows, sentences};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;

    const COLUMNS: Columns<'_> = &[
        ("sku", Some(Role::Id)),
        ("name", Some(Role::Title)),
        ("type", Some(Role::Category)),
        ("price", Some(Role::Price)),
        ("was", Some(Role::CompareAtPrice)),
    ];

    #[test]
    fn a_price_far_from_its_group_stands_out() {
        // Median 100, logarithms within 0.1 of it: 1000 is far, 120 is not.
        let prices = ["90", "95", "98", "100", "100", "102", "105", "110", "1000"];
        let rows_in: Vec<[&str; 5]> = prices
            .iter()
            .map(|price| [*price, "Cup", "Cups", *price, ""])
            .collect();
        let slices: Vec<&[&str]> = rows_in.iter().map(|row| &row[..]).collect();
        let found = intent(Skill::PriceOutliers).ask(&own(COLUMNS, &slices));
        assert_eq!(rows(&found), ["1000|Cup|1000|100|10|far above its group"]);
        assert_eq!(
            headline(&found),
            "1 of 9 items with a stated price has an odd one."
        );
    }

    #[test]
    fn zero_placeholders_and_a_compare_at_price_below_are_odd_in_any_group() {
        let found = intent(Skill::PriceOutliers).ask(&own(
            COLUMNS,
            &[
                &["1", "a", "A", "0 EUR", ""],
                &["2", "b", "A", "9999 EUR", ""],
                &["3", "c", "A", "50 EUR", "40 EUR"],
                &["4", "d", "A", "50 EUR", "60 EUR"],
                &["5", "e", "A", "50 EUR", "40 USD"],
                &["6", "f", "A", "", ""],
            ],
        ));
        assert_eq!(
            rows(&found),
            [
                "1|a|0 EUR|||zero or negative",
                "2|b|9999 EUR|||placeholder",
                "3|c|50 EUR|||compare-at price below the price",
            ]
        );
        assert_eq!(
            headline(&found),
            "3 of 5 items with a stated price have an odd one."
        );
        assert_eq!(
            sentences(&found.limits),
            ["4 prices in groups of fewer than 8 not compared with others."]
        );
    }

    #[test]
    fn equal_prices_are_no_spread_and_nothing_is_odd() {
        let row: &[&str] = &["1", "a", "A", "50 EUR", ""];
        let found = intent(Skill::PriceOutliers).ask(&own(COLUMNS, &[row; 9]));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 9 });
        assert!(sentences(&found.limits)[0].contains("no spread"));
    }
}
