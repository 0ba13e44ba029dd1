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
        "compared by",
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
            Value::from(match (market.basis, rating.is_widened) {
                (Basis::Gtin, _) => "same GTIN",
                (Basis::Vehicle, true) => "one year wider",
                (Basis::Vehicle, false) => "same year",
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
    finding.limits.push(match market.basis {
        Basis::Vehicle => say!(
            "Comparables share make, model and year; odometer, trim and condition are not weighed."
        ),
        Basis::Gtin => say!("Comparables share the GTIN; shipping and condition are not weighed."),
    });
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
    basis: Basis,
    offers: u64,
    by_kind: HashMap<Kind, Vec<Offer>>,
}

/// What makes two offers comparable.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Basis {
    /// Make, model and year.
    Vehicle,
    /// The number of the trade item.
    Gtin,
}

#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Kind {
    what: What,
    currency: Option<Currency>,
}

#[derive(Debug, PartialEq, Eq, Hash, Clone)]
enum What {
    Vehicle {
        make: String,
        model: String,
        year: i64,
    },
    /// Its digits without leading zeros, which 12 digits have in 13.
    Gtin(String),
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
    /// There is none, or one of both tables lacks prices, or what would make offers comparable: make, model and
    /// year, or a GTIN.
    pub(crate) fn beside(asked: &Asked<'_, 'a>) -> Result<Self, Refusal> {
        let own = asked.table();
        Basis::of(own)?;
        let table = asked.sources.market().ok_or_else(|| {
            Refusal::because(say!(
                "This cannot be answered: there is no market to compare with. Attach a CSV file of comparable offers with price, and make, model and year, or GTIN."
            ))
        })?;
        let basis = Basis::of_both(own, table)?;
        let prices = Prices::needed(table)?;
        let mut market = Self {
            table,
            basis,
            offers: 0,
            by_kind: HashMap::new(),
        };
        let all = super::Selection::all(table);
        for (item, price) in priced(&all, &prices) {
            if let Some(kind) = basis.kind(item, price.currency) {
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
        let kind = self.basis.kind(item, price.currency)?;
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
        for kind in kind.within(wider)? {
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
            match self.basis {
                Basis::Vehicle =>
                    ": the same make, model, year and currency, the unit itself (by VIN) left out. At least 3 are needed; else years from one before to one after count; else the unit is not rated.",
                Basis::Gtin =>
                    ": the same GTIN and currency. At least 3 are needed, else the item is not rated.",
            }
        ));
        rules
    }

    /// The rows that can be compared with, as evidence.
    pub(crate) fn read(&self) -> super::evidence::Read<'a> {
        (self.table, self.offers)
    }
}

impl Basis {
    /// How the offers of a table can be compared with others.
    ///
    /// # Errors
    /// In no way.
    fn of(table: &Table) -> Result<Self, Refusal> {
        let lacks = |roles: &[Role]| -> Vec<Role> {
            let absent = roles.iter().filter(|role| table.column(**role).is_none());
            absent.copied().collect()
        };
        let mut missing = lacks(&[Role::Make, Role::Model, Role::Year]);
        let basis = if missing.is_empty() {
            Some(Self::Vehicle)
        } else {
            lacks(&[Role::Gtin]).is_empty().then_some(Self::Gtin)
        };
        let has_prices = Prices::of_table(table).is_some();
        if let (Some(basis), true) = (basis, has_prices) {
            return Ok(basis);
        }
        if basis.is_some() {
            missing.clear();
        }
        if !has_prices {
            missing.push(Role::Price);
        }
        let mut refusal = Refusal::missing(&missing);
        if basis.is_none() {
            refusal.because = Some(say!(
                "Comparable offers share make, model and year, or a GTIN."
            ));
        }
        Err(refusal)
    }

    /// How the offers of two tables can be compared with each other.
    fn of_both(own: &Table, market: &Table) -> Result<Self, Refusal> {
        let of_market = Self::of(market).map_err(|refusal| refusal.seen_in(market))?;
        let of_own = Self::of(own)?;
        if of_own == of_market {
            return Ok(of_own);
        }
        let have_gtin = [own, market]
            .iter()
            .all(|it| it.column(Role::Gtin).is_some());
        if have_gtin {
            return Ok(Self::Gtin);
        }
        Err(Refusal::because(say!(
            "This cannot be answered: the own offers and those of the market are not described alike. Comparable offers share make, model and year, or a GTIN, which both files must state."
        )))
    }

    fn kind(self, item: Item<'_, '_>, currency: Option<Currency>) -> Option<Kind> {
        let what = match self {
            Self::Vehicle => {
                let column = item.table.column(Role::Year)?;
                let year = item.rows().find_map(|row| column.number(row.of(column)))?;
                What::Vehicle {
                    make: item.folded(Role::Make)?,
                    model: item.folded(Role::Model)?,
                    year: i64::try_from(year).ok()?,
                }
            }
            Self::Gtin => {
                let digits = item.role(Role::Gtin)?.chars().filter(char::is_ascii_digit);
                let digits: String = digits.skip_while(|digit| *digit == '0').collect();
                (!digits.is_empty()).then_some(What::Gtin(digits))?
            }
        };
        Some(Kind { what, currency })
    }
}

impl Kind {
    /// The kinds that are compared with: of vehicles so many years before and after; of trade items no others.
    fn within(&self, wider: i64) -> Option<Vec<Self>> {
        let What::Vehicle { make, model, year } = &self.what else {
            return (wider == 0).then(|| vec![self.clone()]);
        };
        let years = year.checked_sub(wider)?..=year.checked_add(wider)?;
        let of_year = |year| Self {
            what: What::Vehicle {
                make: make.clone(),
                model: model.clone(),
                year,
            },
            currency: self.currency,
        };
        Some(years.map(of_year).collect())
    }
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

    const PRODUCTS: Columns<'_> = &[
        ("sku", Some(Role::Id)),
        ("title", Some(Role::Title)),
        ("ean", Some(Role::Gtin)),
        ("price", Some(Role::Price)),
    ];

    #[test]
    fn products_are_compared_by_their_gtin() {
        let own = own(
            PRODUCTS,
            &[
                &["1", "Drill", "4006381333931", "110 EUR"],
                &["2", "Saw", "036000291452", "90 EUR"],
                &["3", "Hammer", "", "20 EUR"],
            ],
        );
        let offers: &[&[&str]] = &[
            &["a", "Drill X", "4006381333931", "100 EUR"],
            &["b", "drill", "4006381333931", "90 EUR"],
            &["c", "Drill", "04006381333931", "110 EUR"],
            &["d", "Saw", "0036000291452", "80 EUR"],
            &["e", "Hammer", "", "18 EUR"],
        ];
        let found = intent(Skill::PriceToMarket).ask(&own.attach("market.csv", PRODUCTS, offers));
        assert_eq!(
            rows(&found),
            [
                "1|Drill|110 EUR|110|3|100 EUR|same GTIN",
                "2|Saw|90 EUR||||not rated, too few",
                "3|Hammer|20 EUR||||not rated, too few",
            ]
        );
        assert!(
            sentences(&found.rule)
                .iter()
                .any(|rule| rule.contains("the same GTIN and currency"))
        );
    }

    #[test]
    fn cars_and_products_are_not_compared() {
        let sources = own(PRODUCTS, &[&["1", "Drill", "4006381333931", "110 EUR"]]);
        let cars: &[&[&str]] = &[&["m1", "", "Honda", "Civic", "2021", "20000 EUR", ""]];
        let found = intent(Skill::PriceToMarket).ask(&sources.attach("market.csv", COLUMNS, cars));
        assert!(
            headline(&found)
                .starts_with("This cannot be answered: the own offers and those of the market"),
            "{}",
            headline(&found)
        );
    }
}
