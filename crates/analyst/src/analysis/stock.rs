//! What can be sold, and how many of it are there.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::selection::{Item, Row};
use crate::finding::{Sentence, listed, say};
use crate::{Column, Role, Table, Value};

/// Words of a listing that cannot be sold, as feeds in six languages spell them.
const GONE: &[&str] = &[
    "sold",
    "sold out",
    "soldout",
    "withdrawn",
    "removed",
    "deleted",
    "archived",
    "draft",
    "inactive",
    "disabled",
    "discontinued",
    "unavailable",
    "not available",
    "out of stock",
    "outofstock",
    "out_of_stock",
    "no",
    "false",
    "0",
    "n",
    "off",
    "unpublished",
    "trash",
    "wholesaled",
    "delivered",
    "verkauft",
    "ausverkauft",
    "nicht verfügbar",
    "nicht vorrätig",
    "nicht lieferbar",
    "inaktiv",
    "nein",
    "entwurf",
    "vendu",
    "épuisé",
    "epuise",
    "indisponible",
    "rupture de stock",
    "en rupture",
    "non",
    "brouillon",
    "inactif",
    "vendido",
    "agotado",
    "no disponible",
    "sin existencias",
    "sin stock",
    "inactivo",
    "borrador",
    "venduto",
    "esaurito",
    "non disponibile",
    "inattivo",
    "bozza",
    "verkocht",
    "uitverkocht",
    "niet op voorraad",
    "niet beschikbaar",
    "inactief",
    "nee",
    "concept",
];

/// The columns that say whether a row can be sold.
#[derive(Debug)]
pub(crate) struct Stock<'a> {
    worded: Vec<(&'a Column, HashSet<u32>)>,
    quantity: Option<&'a Column>,
    sold: Option<&'a Column>,
}

impl<'a> Stock<'a> {
    pub(crate) fn of_table(table: &'a Table) -> Self {
        let worded = [Role::Availability, Role::Status]
            .into_iter()
            .filter_map(|role| table.column(role))
            .map(|column| (column, gone(column)))
            .collect();
        Self {
            worded,
            quantity: table.column(Role::Quantity),
            sold: table.column(Role::DateSold),
        }
    }

    /// Whether any column says what can be sold.
    pub(crate) fn is_known(&self) -> bool {
        !self.worded.is_empty() || self.quantity.is_some() || self.sold.is_some()
    }

    /// Whether a column says that the row cannot be sold. A row of which nothing is said can be.
    pub(crate) fn is_gone(&self, row: Row) -> bool {
        let by_word = self.worded.iter().any(|(column, gone)| {
            column
                .symbol(row.of(column))
                .is_some_and(|symbol| gone.contains(&symbol))
        });
        let by_quantity = self
            .quantity
            .and_then(|column| column.number(row.of(column)))
            .is_some_and(|quantity| quantity <= Decimal::ZERO);
        let by_date = self
            .sold
            .is_some_and(|column| column.text(row.of(column)).is_some());
        by_word || by_quantity || by_date
    }

    /// Whether any of the item's rows can be sold.
    pub(crate) fn is_available(&self, item: Item<'_, '_>) -> bool {
        item.rows().any(|row| !self.is_gone(row))
    }

    pub(crate) fn rule(&self) -> Sentence {
        let columns: Vec<Value> = self
            .worded
            .iter()
            .map(|(column, _)| *column)
            .chain(self.quantity)
            .chain(self.sold)
            .map(|column| Value::from(column.header()))
            .collect();
        if columns.is_empty() {
            return say!(
                "No column says what is sold or out of stock, so every item counts as available."
            );
        }
        say!(
            "An item is available unless ",
            listed(columns, 4, " or "),
            " says that it is sold, withdrawn or out of stock."
        )
    }
}

/// The values of a column that say it cannot be sold.
fn gone(column: &Column) -> HashSet<u32> {
    column
        .distinct()
        .filter(|&symbol| {
            let text = column.symbol_text(symbol).to_lowercase();
            // schema.org values are addresses: `https://schema.org/OutOfStock`.
            let word = text
                .rsplit_once('/')
                .map_or(text.as_str(), |(_, last)| last);
            GONE.contains(&word)
        })
        .collect()
}
