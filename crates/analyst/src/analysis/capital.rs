//! The money that units tie up.

use rust_decimal::Decimal;

use super::price::Prices;
use super::selection::Selection;
use super::statistics::by_currency;
use crate::finding::{Sentence, say};
use crate::{Column, Money, Role, Table, Value};

/// What a unit ties up: its cost where the table has costs, else its price; times its quantity where
/// the table has quantities.
#[derive(Debug)]
pub(crate) struct Capital<'a> {
    cost: Option<&'a Column>,
    prices: Option<Prices<'a>>,
    quantity: Option<&'a Column>,
}

impl<'a> Capital<'a> {
    pub(crate) fn of_table(table: &'a Table) -> Option<Self> {
        let cost = table.column(Role::Cost);
        let prices = Prices::of_table(table);
        (cost.is_some() || prices.is_some()).then_some(Self {
            cost,
            prices,
            quantity: table.column(Role::Quantity),
        })
    }

    /// The sum of each currency, and of how many items something is known.
    pub(crate) fn of(&self, selection: &Selection<'_>) -> (Vec<Value>, u64) {
        let mut amounts: Vec<Money> = Vec::new();
        let mut known = 0;
        for item in selection.items() {
            let before = amounts.len();
            for row in item.rows() {
                let stated = match (self.cost, &self.prices) {
                    (Some(cost), _) => cost
                        .money(row.row)
                        .filter(|cost| cost.amount > Decimal::ZERO),
                    (None, Some(prices)) => prices.of(row),
                    (None, None) => None,
                };
                let quantity = self
                    .quantity
                    .and_then(|column| column.number(row.row))
                    .map_or(Decimal::ONE, |quantity| quantity.max(Decimal::ZERO));
                let total = stated.and_then(|money| {
                    Some(Money {
                        amount: money.amount.checked_mul(quantity)?,
                        ..money
                    })
                });
                amounts.extend(total);
            }
            known += u64::from(amounts.len() > before);
        }
        let sums = by_currency(amounts);
        (
            sums.iter().map(super::statistics::Amounts::sum).collect(),
            known,
        )
    }

    pub(crate) fn is_cost(&self) -> bool {
        self.cost.is_some()
    }

    pub(crate) fn rule(&self) -> Sentence {
        let basis = match (self.cost, &self.prices) {
            (Some(cost), _) => say!(
                "Capital is the sum of ",
                Value::from(cost.header()),
                " of the units that state it"
            ),
            (None, Some(prices)) => say!(
                "No column states costs, so capital is the sum of asking prices in ",
                prices.header()
            ),
            (None, None) => Sentence::default(),
        };
        match self.quantity {
            Some(quantity) => say!(basis, ", times ", Value::from(quantity.header()), "."),
            None => say!(basis, "."),
        }
    }
}
