//! Prices beside comparable ones.

use std::collections::{BTreeMap, HashMap};

use rust_decimal::Decimal;

use super::price::{Prices, priced};
use super::selection::Item;
use super::statistics::{median, percent, rounded};
use super::stock::Stock;
use super::{Asked, Refusal, fields, words};
use crate::finding::{Grid, Sentence, counted, say};
use crate::question::ColumnName;
use crate::{Column, Currency, Finding, Money, Role, Table, Value};

/// Fewer comparables say nothing of a market.
const COMPARABLES: u64 = 3;

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let table = asked.table();
    let market = Market::beside(asked)?;
    let prices = Prices::needed(table)?;
    let stock = Stock::of_table(table);
    let cost = table.column(Role::Cost);
    let available = asked.stock.narrowed(|item| stock.is_available(item));
    let mut rated: Vec<(Item<'_, '_>, Rating)> = Vec::new();
    let mut unrated: Vec<(Item<'_, '_>, Money)> = Vec::new();
    for (item, price) in priced(&available, &prices) {
        match market.rate(item, price) {
            Some(rating) => rated.push((item, rating)),
            None => unrated.push((item, price)),
        }
    }
    rated.sort_by_key(|(_, rating)| std::cmp::Reverse(rating.percent));
    let headline = headline(&rated, available.item_count());
    let mut finding = if rated.is_empty() {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        finding
    };
    let widened = rated.iter().filter(|(_, rating)| rating.is_widened).count() as u64;
    if widened > 0 {
        finding.details.push(say!(
            counted(widened, "unit"),
            " compared with one year more on either side."
        ));
    }
    if !unrated.is_empty() {
        finding.details.push(say!(
            counted(unrated.len() as u64, "priced unit"),
            " not rated, too few comparables."
        ));
    }
    let mut columns = vec![
        "id",
        "item",
        "price",
        "price to market",
        "comparables",
        "their mean",
        "years",
    ];
    if cost.is_some() {
        columns.push("cost to market");
    }
    let mut grid = Grid::new(&columns);
    for (item, rating) in &rated {
        let mut row = vec![
            item.id(),
            item.label(),
            rating.price.into(),
            Value::Percent(rating.percent),
            Value::Count(rating.comparables),
            Value::Money(Money {
                amount: rating.mean(),
                ..rating.price
            }),
            Value::from(if rating.is_widened {
                "one year wider"
            } else {
                "same year"
            }),
        ];
        if let Some(cost) = cost {
            row.push(rating.cost_to_market(*item, cost));
        }
        grid.push(row);
    }
    for (item, price) in &unrated {
        let mut row = vec![item.id(), item.label(), Value::Money(*price)];
        row.extend([Value::None, Value::None, Value::None]);
        row.push(Value::from("not rated, too few"));
        row.resize(columns.len(), Value::None);
        grid.push(row);
    }
    if let Some(group) = &asked.intent.params.group_by {
        finding.grid = Some(by_group(asked, group, &rated)?);
    } else if grid.total() > 0 {
        finding.grid = Some(grid);
    }
    finding.rule = market.rules(&prices, table);
    finding.rule.push(stock.rule());
    finding.limits.push(say!(
        "Comparables share make, model and year; odometer, trim and condition are not weighed."
    ));
    finding.evidence = asked.evidence(&[(market.table, market.offers)]);
    Ok(finding)
}

/// How the units of each group are priced, the dearest group first.
fn by_group<'a>(
    asked: &Asked<'_, 'a>,
    group: &ColumnName,
    rated: &[(Item<'a, '_>, Rating)],
) -> Result<Grid, Refusal> {
    let column = fields::column(asked.table(), group)?;
    let mut groups: BTreeMap<Option<&str>, (Vec<Decimal>, u64)> = BTreeMap::new();
    for (item, rating) in rated {
        let (percents, above) = groups.entry(item.text(column)).or_default();
        percents.push(rating.percent);
        *above += u64::from(rating.is_above);
    }
    let mut lines: Vec<(Option<Decimal>, Vec<Value>)> = Vec::new();
    for (name, (mut percents, above)) in groups {
        percents.sort_unstable();
        let middle = median(&percents).map(|middle| rounded(middle, 1));
        let line = vec![
            name.map_or(Value::None, Value::from),
            Value::Count(percents.len() as u64),
            Value::Count(above),
            middle.map_or(Value::None, Value::Percent),
        ];
        lines.push((middle, line));
    }
    lines.sort_by_key(|(middle, _)| std::cmp::Reverse(*middle));
    let header = words::header(asked.table(), group);
    let mut grid = Grid::new(&[&header, "rated", "above market", "median price to market"]);
    lines.into_iter().for_each(|(_, line)| grid.push(line));
    Ok(grid)
}

fn headline(rated: &[(Item<'_, '_>, Rating)], all: u64) -> Sentence {
    let above = rated.iter().filter(|(_, rating)| rating.is_above).count() as u64;
    let mut percents: Vec<Decimal> = rated.iter().map(|(_, rating)| rating.percent).collect();
    percents.sort_unstable();
    let mut sentence = say!(
        Value::Count(rated.len() as u64),
        " of ",
        counted(all, "available unit"),
        if rated.len() == 1 {
            " is rated"
        } else {
            " are rated"
        }
    );
    if let Some(median) = median(&percents) {
        sentence.add(say!(
            ": ",
            Value::Count(above),
            " above the mean of their comparables; the median price to market is ",
            Value::Percent(rounded(median, 1))
        ));
    }
    say!(sentence, ".")
}

/// Offers of a market by what they are.
pub(crate) struct Market<'a> {
    table: &'a Table,
    offers: u64,
    by_kind: HashMap<Kind, Vec<Offer>>,
}

#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Kind {
    make: String,
    model: String,
    year: i64,
    currency: Option<Currency>,
}

struct Offer {
    amount: Decimal,
    vin: Option<String>,
}

/// A price beside its comparables.
pub(crate) struct Rating {
    price: Money,
    comparables: u64,
    sum: Decimal,
    /// `100 × own price / mean of the comparables`.
    pub(crate) percent: Decimal,
    /// Whether the price is above the mean, before any rounding.
    pub(crate) is_above: bool,
    is_widened: bool,
}

impl Rating {
    /// The mean, rounded to two places.
    fn mean(&self) -> Decimal {
        let mean = self.sum.checked_div(self.comparables.into());
        rounded(mean.unwrap_or_default(), 2)
    }

    fn cost_to_market(&self, item: Item<'_, '_>, cost: &Column) -> Value {
        let cost = item.rows().find_map(|row| cost.money(row.row));
        cost.filter(|cost| cost.currency == self.price.currency)
            .and_then(|cost| cost.amount.checked_mul(self.comparables.into()))
            .and_then(|cost| percent(cost, self.sum))
            .map_or(Value::None, Value::Percent)
    }
}

impl<'a> Market<'a> {
    /// The market file beside the subject.
    ///
    /// # Errors
    /// There is none, or one of both tables lacks make, model, year or prices.
    pub(crate) fn beside(asked: &Asked<'_, 'a>) -> Result<Self, Refusal> {
        needs(asked.table())?;
        let table = asked.sources.market().ok_or_else(|| {
            Refusal::because(say!(
                "This cannot be answered: there is no market to compare with. Attach a CSV file of comparable offers with make, model, year and price."
            ))
        })?;
        needs(table).map_err(|refusal| refusal.seen_in(table))?;
        let prices = Prices::needed(table)?;
        let mut market = Self {
            table,
            offers: 0,
            by_kind: HashMap::new(),
        };
        let all = super::Selection::all(table);
        for (item, price) in priced(&all, &prices) {
            if let Some(kind) = kind(item, price.currency) {
                market.offers += 1;
                market.by_kind.entry(kind).or_default().push(Offer {
                    amount: price.amount,
                    vin: item.role(Role::Vin).map(str::to_uppercase),
                });
            }
        }
        Ok(market)
    }

    /// The rating of a unit; none with too few comparables.
    pub(crate) fn rate(&self, item: Item<'_, '_>, price: Money) -> Option<Rating> {
        let kind = kind(item, price.currency)?;
        let vin = item.role(Role::Vin).map(str::to_uppercase);
        [0, 1].into_iter().find_map(|wider| {
            let (comparables, sum) = self.comparables(&kind, wider, vin.as_deref())?;
            if comparables < COMPARABLES {
                return None;
            }
            let own = price.amount.checked_mul(comparables.into())?;
            Some(Rating {
                price,
                comparables,
                sum,
                percent: percent(own, sum)?,
                is_above: own > sum,
                is_widened: wider > 0,
            })
        })
    }

    fn comparables(&self, kind: &Kind, wider: i64, vin: Option<&str>) -> Option<(u64, Decimal)> {
        let mut count = 0;
        let mut sum = Decimal::ZERO;
        for year in kind.year.checked_sub(wider)?..=kind.year.checked_add(wider)? {
            let kind = Kind {
                year,
                ..kind.clone()
            };
            for offer in self.by_kind.get(&kind).into_iter().flatten() {
                if vin.is_none() || offer.vin.as_deref() != vin {
                    count += 1;
                    sum = sum.checked_add(offer.amount)?;
                }
            }
        }
        Some((count, sum))
    }

    pub(crate) fn rules(&self, prices: &Prices<'_>, own: &Table) -> Vec<Sentence> {
        let mut rules = prices.rule_of_items(own);
        rules.push(say!(
            "Price to market is 100 × own price / mean price of the comparables in ",
            Value::from(self.table.name()),
            ": the same make, model, year and currency, the unit itself (by VIN) left out. At least 3 are needed; else years from one before to one after count; else the unit is not rated."
        ));
        rules
    }

    /// The rows that can be compared with, as evidence.
    pub(crate) fn read(&self) -> super::evidence::Read<'a> {
        (self.table, self.offers)
    }
}

fn needs(table: &Table) -> Result<(), Refusal> {
    let mut missing: Vec<Role> = [Role::Make, Role::Model, Role::Year]
        .into_iter()
        .filter(|&role| table.column(role).is_none())
        .collect();
    if Prices::of_table(table).is_none() {
        missing.push(Role::Price);
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Refusal::missing(&missing))
    }
}

fn kind(item: Item<'_, '_>, currency: Option<Currency>) -> Option<Kind> {
    let column = item.table.column(Role::Year)?;
    let year = item.rows().find_map(|row| column.number(row.of(column)))?;
    Some(Kind {
        make: item.folded(Role::Make)?,
        model: item.folded(Role::Model)?,
        year: i64::try_from(year).ok()?,
        currency,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows, sentences};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;

    const COLUMNS: Columns<'_> = &[
        ("stock", Some(Role::Id)),
        ("vin", Some(Role::Vin)),
        ("make", Some(Role::Make)),
        ("model", Some(Role::Model)),
        ("year", Some(Role::Year)),
        ("price", Some(Role::Price)),
        ("cost", Some(Role::Cost)),
    ];

    const MARKET: &[&[&str]] = &[
        &["m1", "V1", "HONDA", "Civic", "2021", "20000 USD", ""],
        &["m2", "", "Honda", "civic", "2021", "21000 USD", ""],
        &["m3", "", "Honda", "Civic", "2021", "22000 USD", ""],
        &["m4", "", "Honda", "Civic", "2020", "15000 USD", ""],
        &["m5", "", "Honda", "Civic", "2021", "22000 EUR", ""],
        &["m6", "", "Honda", "Civic", "2021", "", ""],
        &["m7", "", "Honda", "Civic", "2019", "14000 USD", ""],
    ];

    #[test]
    fn three_of_the_same_year_else_one_year_wider_else_not_rated() {
        let found = intent(Skill::PriceToMarket).ask(
            &own(
                COLUMNS,
                &[
                    &["1", "", "Honda", "Civic", "2021", "22050 USD", "18900 USD"],
                    &["2", "", "Honda", "Civic", "2020", "18000 USD", ""],
                    &["3", "V1", "Honda", "Civic", "2021", "19500 USD", ""],
                    &["4", "", "Honda", "Jazz", "2021", "9000 USD", ""],
                    &["5", "", "Honda", "Civic", "2021", "", ""],
                ],
            )
            .attach("market.csv", COLUMNS, MARKET),
        );
        // Unit 1: 22050 / 21000. Unit 2: 2019 to 2021, mean 18400. Unit 3: its own VIN left out, so
        // 21000, 22000 and, one year wider, 15000: mean 19333.33.
        assert_eq!(
            rows(&found),
            [
                "1|2021 Honda Civic|22050 USD|105|3|21000 USD|same year|90",
                "3|2021 Honda Civic|19500 USD|100.9|3|19333.33 USD|one year wider|",
                "2|2020 Honda Civic|18000 USD|97.8|5|18400 USD|one year wider|",
                "4|2021 Honda Jazz|9000 USD||||not rated, too few|",
            ]
        );
        assert_eq!(
            headline(&found),
            "3 of 5 available units are rated: 2 above the mean of their comparables; the median price to market is 100.9 %."
        );
        assert_eq!(
            sentences(&found.details),
            [
                "2 units compared with one year more on either side.",
                "1 priced unit not rated, too few comparables.",
            ]
        );
        assert_eq!(found.evidence[1].rows_used, 6);
    }

    #[test]
    fn by_group_the_dearest_first() {
        let found = intent(Skill::PriceToMarket)
            .with(|params| params.group_by = Some(ColumnName::Role(Role::Id)))
            .ask(
                &own(
                    COLUMNS,
                    &[
                        &["1", "", "Honda", "Civic", "2021", "21000 USD", ""],
                        &["2", "", "Honda", "Civic", "2021", "22050 USD", ""],
                        &["2", "", "Honda", "Civic", "2021", "25200 USD", ""],
                    ],
                )
                .attach("market.csv", COLUMNS, MARKET),
            );
        assert_eq!(rows(&found), ["2|2|2|112.5", "1|1|0|100"]);
    }

    #[test]
    fn without_a_market_or_its_columns_it_cannot_be_answered() {
        let unit: &[&[&str]] = &[&["1", "", "Honda", "Civic", "2021", "22050 USD", ""]];
        let found = intent(Skill::PriceToMarket).ask(&own(COLUMNS, unit));
        assert!(headline(&found).contains("no market to compare with"));
        assert!(matches!(found.outcome, Outcome::Unanswerable { .. }));
        let found = intent(Skill::PriceToMarket).ask(&own(COLUMNS, unit).attach(
            "market.csv",
            &COLUMNS[..4],
            MARKET,
        ));
        let Outcome::Unanswerable { missing, seen } = &found.outcome else {
            panic!("{:?}", found.outcome);
        };
        assert_eq!(missing, &[Role::Year, Role::Price]);
        assert_eq!(seen.len(), 4);
        let found = intent(Skill::PriceToMarket).ask(&own(COLUMNS, unit).attach(
            "market.csv",
            COLUMNS,
            &MARKET[3..],
        ));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 1 });
        assert_eq!(rows(&found).len(), 1);
    }
}
