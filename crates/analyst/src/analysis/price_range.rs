//! Whether anything is offered in a price range that the question names.

use rust_decimal::Decimal;

use super::price::{Prices, priced};
use super::statistics::{Amounts, by_currency};
use super::{Asked, Refusal, groups, words};
use crate::finding::{Grid, counted, say};
use crate::{Finding, Value};

/// How many items lie between two prices, in all and for each group, and what stands next to them.
pub(crate) fn find(asked: &Asked<'_, '_>, low: Decimal, high: Decimal) -> Result<Finding, Refusal> {
    let table = asked.table();
    let prices = Prices::needed(table)?;
    let all = by_currency(priced(asked.stock, &prices).map(|(_, price)| price));
    let group = asked.group();
    let mut finding = asked.finding();
    for amounts in &all {
        let sentence = say!(
            Value::Count(inside(amounts, low, high)),
            " of ",
            counted(amounts.count(), "priced item"),
            " lie between ",
            Value::Number(low),
            " and ",
            amounts.money(high),
            neighbours(amounts, low, high),
            "."
        );
        if finding.headline.0.is_empty() {
            finding.headline = sentence;
        } else {
            finding.details.push(sentence);
        }
    }
    if all.is_empty() {
        return Ok(asked.nothing(say!("No item in scope has a usable price.")));
    }
    if let Some(group) = group {
        let header = words::header(table, &group);
        let mut grid = Grid::new(&[&header, "inside", "next below", "next above"]);
        let mut lines: Vec<(u64, Vec<Value>)> = Vec::new();
        for group in groups::of(asked.stock, &group)? {
            for amounts in by_currency(priced(&group.items, &prices).map(|(_, price)| price)) {
                let count = inside(&amounts, low, high);
                let [below, above] = next(&amounts, low, high);
                lines.push((
                    count,
                    vec![group.name.clone(), Value::Count(count), below, above],
                ));
            }
        }
        lines.sort_by_key(|(count, _)| *count);
        lines.into_iter().for_each(|(_, line)| grid.push(line));
        finding.grid = Some(grid);
    }
    finding.rule = prices.rule_of_items(table);
    finding.rule.push(say!(
        "The two prices of the question themselves lie outside."
    ));
    Ok(finding)
}

fn inside(amounts: &Amounts, low: Decimal, high: Decimal) -> u64 {
    let start = amounts.sorted.partition_point(|&amount| amount <= low);
    let end = amounts.sorted.partition_point(|&amount| amount < high);
    end.saturating_sub(start) as u64
}

/// The nearest prices outside.
fn next(amounts: &Amounts, low: Decimal, high: Decimal) -> [Value; 2] {
    let start = amounts.sorted.partition_point(|&amount| amount <= low);
    let end = amounts.sorted.partition_point(|&amount| amount < high);
    let below = start
        .checked_sub(1)
        .and_then(|place| amounts.sorted.get(place));
    [below, amounts.sorted.get(end)]
        .map(|amount| amount.map_or(Value::None, |&amount| amounts.money(amount)))
}

fn neighbours(amounts: &Amounts, low: Decimal, high: Decimal) -> crate::finding::Sentence {
    match next(amounts, low, high) {
        [Value::None, Value::None] => say!(""),
        [below, Value::None] => say!("; the next price below is ", below),
        [Value::None, above] => say!("; the next price above is ", above),
        [below, above] => say!(
            "; the next prices are ",
            below,
            " below and ",
            above,
            " above"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{headline, intent, own, rows};
    use crate::{Role, Skill};

    #[test]
    fn a_range_is_open_and_its_neighbours_are_named() {
        let sources = own(
            &[
                ("sku", Some(Role::Id)),
                ("type", Some(Role::Category)),
                ("price", Some(Role::Price)),
            ],
            &[
                &["1", "Chairs", "500 EUR"],
                &["2", "Chairs", "900 EUR"],
                &["3", "Tables", "899.99 EUR"],
                &["4", "Tables", "100 EUR"],
                &["5", "Tables", ""],
            ],
        );
        for skill in [Skill::Gaps, Skill::PriceLadder] {
            let found = intent(skill)
                .with(|params| params.between = Some((500.into(), 900.into())))
                .ask(&sources);
            assert_eq!(
                headline(&found),
                "1 of 4 priced items lie between 500 and 900 EUR; the next prices are 500 EUR below and 900 EUR above."
            );
            assert_eq!(
                rows(&found),
                ["Chairs|0|500 EUR|900 EUR", "Tables|1|100 EUR|"]
            );
        }
    }
}
