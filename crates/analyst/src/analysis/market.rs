//! The offers of a market file, and how an own price stands among those that can be compared with it.

use std::collections::HashMap;

use rust_decimal::Decimal;

use super::price::{Prices, priced};
use super::selection::Item;
use super::statistics::{percent, rounded};
use super::{Asked, Refusal, Selection};
use crate::finding::{Sentence, say};
use crate::{Column, Currency, Money, Role, Table, Value};

/// Fewer comparables say nothing of a market.
const COMPARABLES: u64 = 3;

/// Offers of a market by what they are.
pub(crate) struct Market<'a> {
    pub(super) table: &'a Table,
    pub(super) basis: Basis,
    pub(super) offers: u64,
    by_kind: HashMap<Kind, Vec<Offer>>,
}

/// What makes two offers comparable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Basis {
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
    pub(super) price: Money,
    pub(super) comparables: u64,
    sum: Decimal,
    /// `100 × own price / mean of the comparables`.
    pub(crate) percent: Decimal,
    /// Whether the price is above the mean, before any rounding.
    pub(crate) is_above: bool,
    pub(super) is_widened: bool,
}

impl Rating {
    /// The mean, rounded to two places.
    pub(super) fn mean(&self) -> Decimal {
        let mean = self.sum.checked_div(self.comparables.into());
        rounded(mean.unwrap_or_default(), 2)
    }

    pub(super) fn cost_to_market(&self, item: Item<'_, '_>, cost: &Column) -> Value {
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
        let all = Selection::all(table);
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
