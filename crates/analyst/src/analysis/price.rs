//! Which price an item has, and the steps that prices are counted in.

use rust_decimal::Decimal;

use super::Refusal;
use super::selection::{Item, Row, Selection};
use super::statistics::{Amounts, by_currency};
use crate::finding::{Sentence, say};
use crate::{Column, Money, Role, Table, Value};

/// The column that states what things are offered for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prices<'a>(&'a Column);

impl<'a> Prices<'a> {
    /// The price column; the column of reduced prices where no other states one.
    pub(crate) fn of_table(table: &'a Table) -> Option<Self> {
        table
            .column(Role::Price)
            .or_else(|| table.column(Role::SalePrice))
            .map(Self)
    }

    /// # Errors
    /// The table has no prices.
    pub(crate) fn needed(table: &'a Table) -> Result<Self, Refusal> {
        Self::of_table(table).ok_or_else(|| Refusal::missing(&[Role::Price]))
    }

    /// The price of a row, if it is usable: a number above zero.
    pub(crate) fn of(&self, row: Row) -> Option<Money> {
        self.at(row.row)
    }

    pub(crate) fn at(&self, row: usize) -> Option<Money> {
        self.0
            .money(row)
            .filter(|money| money.amount > Decimal::ZERO)
    }

    /// The amount that the cell states, usable or not.
    pub(crate) fn stated(&self, row: Row) -> Option<Money> {
        self.0.money(row.row)
    }

    pub(crate) fn header(&self) -> Value {
        Value::from(self.0.header())
    }

    pub(crate) fn rule(&self) -> Sentence {
        say!(
            "Prices are those of the column ",
            self.header(),
            "; one is usable if it is a number above zero. Amounts of different currencies are never added or compared."
        )
    }

    /// The rule for analyses that give each item one price.
    pub(crate) fn rule_of_items(&self, table: &Table) -> Vec<Sentence> {
        let mut rules = vec![self.rule()];
        if table.items().is_some() {
            rules.push(say!(
                "The price of an item with variants is the lowest of them."
            ));
        }
        rules
    }
}

/// The prices of all items, each currency apart.
pub(crate) fn of_items(selection: &Selection<'_>, prices: &Prices<'_>) -> Vec<Amounts> {
    by_currency(selection.items().filter_map(|item| item.price(prices)))
}

/// The items that have a usable price, in their order.
pub(crate) fn priced<'a, 's>(
    selection: &'s Selection<'a>,
    prices: &'s Prices<'a>,
) -> impl Iterator<Item = (Item<'a, 's>, Money)> {
    selection
        .items()
        .filter_map(|item| Some((item, item.price(prices)?)))
}

/// Whether the rows are vehicles.
pub(crate) fn is_vehicles(table: &Table) -> bool {
    table.column(Role::Vin).is_some()
        || (table.column(Role::Make).is_some() && table.column(Role::Model).is_some())
}

/// Price steps: the lower bounds, ascending; each step reaches up to the next bound, which it does
/// not include. The first begins at zero, the last has no end.
#[derive(Debug, Clone)]
pub(crate) struct Bands(Vec<Decimal>);

impl Bands {
    /// The steps for amounts from the least to the greatest: for vehicles 10, 15, 20, 25, 30, 40 and
    /// 50 thousand, else the series 1, 2, 5, 10, 20, 50 and so on.
    pub(crate) fn over(vehicles: bool, amounts: &Amounts) -> Self {
        let edges: Vec<Decimal> = if vehicles {
            [10, 15, 20, 25, 30, 40, 50]
                .map(|thousands| Decimal::from(thousands * 1000))
                .to_vec()
        } else {
            (0..=12)
                .flat_map(|power| [1, 2, 5].map(|digit| Decimal::from(digit * 10_i64.pow(power))))
                .collect()
        };
        let bounds = std::iter::once(Decimal::ZERO).chain(edges).collect();
        Self(bounds).between(amounts)
    }

    fn between(&self, amounts: &Amounts) -> Self {
        let place = |amount: Option<&Decimal>| amount.map_or(0, |&amount| self.place(amount));
        let least = place(amounts.sorted.first());
        let most = place(amounts.sorted.last());
        // The bound above the last step stays, so that the step keeps its end.
        let end = (most + 2).min(self.0.len());
        Self(self.0[least..end].to_vec())
    }

    pub(crate) fn place(&self, amount: Decimal) -> usize {
        self.0
            .partition_point(|&bound| bound <= amount)
            .saturating_sub(1)
    }

    /// How many steps lead from the least to the greatest amount that they were made for.
    pub(crate) fn count(&self, amounts: &Amounts) -> usize {
        amounts
            .sorted
            .last()
            .map_or(0, |&most| self.place(most) + 1)
    }

    /// The lower bound, and the upper one if the step has an end.
    pub(crate) fn bounds(&self, place: usize, amounts: &Amounts) -> [Value; 2] {
        [place, place + 1].map(|place| {
            let bound = self.0.get(place);
            bound.map_or(Value::None, |&bound| amounts.money(bound))
        })
    }

    pub(crate) fn rule(vehicles: bool) -> Sentence {
        if vehicles {
            say!(
                "Price steps for vehicles: up to 10, 15, 20, 25, 30, 40 and 50 thousand and above; each includes its lower bound and not its upper."
            )
        } else {
            say!(
                "Price steps: 1, 2, 5, 10, 20, 50 and so on; each includes its lower bound and not its upper."
            )
        }
    }
}
