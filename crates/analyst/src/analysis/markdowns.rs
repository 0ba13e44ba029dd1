//! What to reduce.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::age::Ages;
use super::aging::age;
use super::price::{Prices, priced};
use super::price_to_market::Market;
use super::selection::Item;
use super::statistics::by_currency;
use super::stock::Stock;
use super::{Asked, Refusal, fields, words};
use crate::finding::{Grid, counted, say};
use crate::question::ColumnName;
use crate::{Finding, Money, Value};

/// Older than this and above the market is a candidate.
const OLD: i64 = 60;

/// Older than this always is.
const VERY_OLD: i64 = 90;

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let table = asked.table();
    let ages = Ages::of_table(table)?;
    let prices = Prices::needed(table)?;
    let market = Market::beside(asked).ok();
    let stock = Stock::of_table(table);
    let available = asked.stock.narrowed(|item| stock.is_available(item));
    let old = asked.intent.params.days.map_or(OLD, i64::from);
    let mut candidates: Vec<Candidate<'_, '_>> = Vec::new();
    let mut unrated = 0;
    let mut weighed: u64 = 0;
    for (item, price) in priced(&available, &prices) {
        let Some(days) = age(&ages, item) else {
            continue;
        };
        weighed += 1;
        let rating = market.as_ref().and_then(|market| market.rate(item, price));
        let is_above = rating.as_ref().map(|rating| rating.is_above);
        let to_market = rating.map(|rating| rating.percent);
        let why = match is_above {
            _ if days > VERY_OLD.max(old) => "over 90 days",
            Some(true) if days > old => "old and above market",
            None if days > old => {
                unrated += 1;
                continue;
            }
            _ => continue,
        };
        candidates.push(Candidate {
            item,
            days,
            price,
            to_market,
            why,
        });
    }
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.weight()));
    let headline = say!(
        Value::Count(candidates.len() as u64),
        " of ",
        counted(weighed, "available unit"),
        " with an age and a price",
        if candidates.len() == 1 {
            " is a candidate"
        } else {
            " are candidates"
        },
        " for a markdown."
    );
    let mut finding = if candidates.is_empty() {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        let columns = ["id", "item", "age", "price", "price to market", "why"];
        let mut grid = Grid::new(&columns);
        if let Some(group) = &asked.intent.params.group_by {
            grid = by_group(asked, group, &candidates)?;
            candidates.clear();
        }
        for candidate in candidates {
            grid.push(vec![
                candidate.item.id(),
                candidate.item.label(),
                Value::Days(candidate.days),
                candidate.price.into(),
                candidate.to_market.map_or(Value::None, Value::Percent),
                Value::from(candidate.why),
            ]);
        }
        finding.grid = Some(grid);
        finding
    };
    finding.rule.push(say!(
        "Candidates are units older than ",
        Value::Days(old),
        " whose price to market is above 100 %, and all units older than ",
        Value::Days(VERY_OLD.max(old)),
        "; ordered by age × price, the highest first."
    ));
    finding.rule.push(ages.rule());
    finding.rule.push(stock.rule());
    match &market {
        Some(market) => {
            finding.rule.extend(market.rules(&prices, table));
            finding.evidence = asked.evidence(&[market.read()]);
        }
        None => {
            finding.rule.extend(prices.rule_of_items(table));
            finding.limits.push(say!(
                "No market file with make, model, year and price is there, so no price is rated."
            ));
        }
    }
    if unrated > 0 {
        finding.limits.push(say!(
            counted(unrated, "unit"),
            " older than ",
            Value::Days(old),
            " that no comparables rate left out."
        ));
    }
    finding.limits.extend(ages.limit());
    finding.limits.push(say!(
        "How far to reduce is not computed: no demand is known."
    ));
    Ok(finding)
}

/// How many candidates each group has, and what is asked for them.
fn by_group<'a>(
    asked: &Asked<'_, 'a>,
    group: &ColumnName,
    candidates: &[Candidate<'a, '_>],
) -> Result<Grid, Refusal> {
    let column = fields::column(asked.table(), group)?;
    let mut groups: BTreeMap<Option<&str>, Vec<Money>> = BTreeMap::new();
    for candidate in candidates {
        let prices = groups.entry(candidate.item.text(column)).or_default();
        prices.push(candidate.price);
    }
    let mut lines: Vec<(Option<&str>, Vec<Money>)> = groups.into_iter().collect();
    lines.sort_by_key(|(_, prices)| std::cmp::Reverse(prices.len()));
    let header = words::header(asked.table(), group);
    let mut grid = Grid::new(&[&header, "candidates", "sum of prices"]);
    for (name, prices) in lines {
        for amounts in by_currency(prices) {
            let name = name.map_or(Value::None, Value::from);
            grid.push(vec![name, Value::Count(amounts.count()), amounts.sum()]);
        }
    }
    Ok(grid)
}

struct Candidate<'a, 's> {
    item: Item<'a, 's>,
    days: i64,
    price: Money,
    to_market: Option<Decimal>,
    why: &'static str,
}

impl Candidate<'_, '_> {
    /// Age times price; the most there is where that cannot be computed.
    fn weight(&self) -> Decimal {
        let weight = self.price.amount.checked_mul(self.days.into());
        weight.unwrap_or(Decimal::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows, sentences};
    use crate::finding::Outcome;
    use crate::question::ColumnName;
    use crate::{Role, Skill};

    const COLUMNS: Columns<'_> = &[
        ("stock", Some(Role::Id)),
        ("make", Some(Role::Make)),
        ("model", Some(Role::Model)),
        ("year", Some(Role::Year)),
        ("price", Some(Role::Price)),
        ("age", Some(Role::AgeDays)),
    ];

    const LOT: &[&[&str]] = &[
        &["1", "Kia", "Rio", "2020", "10100 USD", "61"],
        &["2", "Kia", "Rio", "2020", "9900 USD", "61"],
        &["3", "Kia", "Rio", "2020", "9000 USD", "91"],
        &["4", "Kia", "Rio", "2020", "12000 USD", "60"],
        &["5", "Kia", "EV9", "2024", "50000 USD", "70"],
    ];

    const MARKET: &[&[&str]] = &[
        &["a", "Kia", "Rio", "2020", "9000 USD"],
        &["b", "Kia", "Rio", "2020", "10000 USD"],
        &["c", "Kia", "Rio", "2020", "11000 USD"],
    ];

    #[test]
    fn old_and_dear_or_very_old() {
        let found = intent(Skill::Markdowns).ask(&own(COLUMNS, LOT).attach(
            "market.csv",
            &COLUMNS[..5],
            MARKET,
        ));
        // 91 × 9000 = 819,000; 61 × 10,100 = 616,100.
        assert_eq!(
            rows(&found),
            [
                "3|2020 Kia Rio|91|9000 USD|90|over 90 days",
                "1|2020 Kia Rio|61|10100 USD|101|old and above market",
            ]
        );
        assert_eq!(
            headline(&found),
            "2 of 5 available units with an age and a price are candidates for a markdown."
        );
        let by_make = intent(Skill::Markdowns)
            .with(|params| params.group_by = Some(ColumnName::Role(Role::Make)))
            .ask(&own(COLUMNS, LOT).attach("market.csv", &COLUMNS[..5], MARKET));
        assert_eq!(rows(&by_make), ["Kia|2|19100 USD"]);
        assert!(sentences(&found.limits)[0].starts_with("1 unit older than 60 days"));
        assert_eq!(found.evidence[1].rows_used, 3);
    }

    #[test]
    fn without_a_market_age_alone_decides() {
        let found = intent(Skill::Markdowns).ask(&own(COLUMNS, LOT));
        assert_eq!(rows(&found), ["3|2020 Kia Rio|91|9000 USD||over 90 days"]);
        assert!(sentences(&found.limits)[0].starts_with("No market file"));
        let found = intent(Skill::Markdowns).ask(&own(COLUMNS, &LOT[3..]));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 2 });
        let found = intent(Skill::Markdowns).ask(&own(&COLUMNS[..5], MARKET));
        assert!(matches!(found.outcome, Outcome::Unanswerable { .. }));
    }
}
