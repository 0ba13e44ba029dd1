//! The rows and items that an analysis counts, and what is read of each.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

use crate::{Column, Money, Role, Table, Value};

/// Items of one table, each with those of its rows that are in scope.
#[derive(Debug)]
pub(crate) struct Selection<'a> {
    table: &'a Table,
    rows: Vec<u32>,
    /// The row that describes the item, and where its rows in scope lie in `rows`.
    spans: Vec<(u32, u32, u32)>,
}

/// One item: what the seller sells, in one row or several.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a, 's> {
    pub(crate) table: &'a Table,
    lead: usize,
    rows: &'s [u32],
}

/// A row with the row that describes its item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) row: usize,
    lead: usize,
}

impl<'a> Selection<'a> {
    pub(crate) fn all(table: &'a Table) -> Self {
        Self::of(table, |_, _| true)
    }

    /// The rows for which `keep` holds, and the items that have one. It sees the item with all rows.
    pub(crate) fn of(table: &'a Table, mut keep: impl FnMut(Item<'a, '_>, Row) -> bool) -> Self {
        let mut selection = Self {
            table,
            rows: Vec::new(),
            spans: Vec::new(),
        };
        match table.items() {
            Some(items) => {
                for rows in items {
                    let lead = rows.first().copied().unwrap_or_default();
                    selection.add(lead, rows, &mut keep);
                }
            }
            None => {
                for (row, _) in (0_u32..).zip(0..table.rows()) {
                    selection.add(row, &[row], &mut keep);
                }
            }
        }
        selection
    }

    fn add(&mut self, lead: u32, rows: &[u32], keep: &mut impl FnMut(Item<'a, '_>, Row) -> bool) {
        let item = Item {
            table: self.table,
            lead: lead as usize,
            rows,
        };
        let start = self.rows.len();
        let kept = item.rows().zip(rows).filter(|(row, _)| keep(item, *row));
        self.rows.extend(kept.map(|(_, &row)| row));
        if self.rows.len() > start {
            self.spans
                .push((lead, start as u32, self.rows.len() as u32));
        }
    }

    /// The items of this selection for which `keep` holds, with their rows.
    pub(crate) fn narrowed(&self, mut keep: impl FnMut(Item<'a, '_>) -> bool) -> Self {
        let mut narrowed = Self {
            table: self.table,
            rows: Vec::new(),
            spans: Vec::new(),
        };
        for item in self.items() {
            if keep(item) {
                narrowed.add(item.lead as u32, item.rows, &mut |_, _| true);
            }
        }
        narrowed
    }

    /// The items apart by a key, in the order that keys are first seen.
    pub(crate) fn parted<K: Copy + Eq + Hash>(
        &self,
        mut key: impl FnMut(Item<'a, '_>) -> K,
    ) -> Vec<(K, Self)> {
        let mut places: HashMap<K, usize, RandomState> = HashMap::default();
        let mut parts: Vec<(K, Self)> = Vec::new();
        for item in self.items() {
            let key = key(item);
            let place = *places.entry(key).or_insert_with(|| {
                let part = Self {
                    table: self.table,
                    rows: Vec::new(),
                    spans: Vec::new(),
                };
                parts.push((key, part));
                parts.len() - 1
            });
            parts[place]
                .1
                .add(item.lead as u32, item.rows, &mut |_, _| true);
        }
        parts
    }

    pub(crate) fn table(&self) -> &'a Table {
        self.table
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = Item<'a, '_>> {
        self.spans.iter().map(|&(lead, start, end)| Item {
            table: self.table,
            lead: lead as usize,
            rows: &self.rows[start as usize..end as usize],
        })
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> {
        self.items().flat_map(|item| item.rows())
    }

    pub(crate) fn item_count(&self) -> u64 {
        self.spans.len() as u64
    }

    pub(crate) fn row_count(&self) -> u64 {
        self.rows.len() as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Row {
    /// The row to read a column in: a variant that leaves a describing column empty has the value of
    /// the row that describes the item. Never an amount or a quantity: a row that only adds an image
    /// would count the price twice.
    pub(crate) fn of(self, column: &Column) -> usize {
        let inherits = self.row != self.lead
            && column.role().is_none_or(describes_item)
            && column.text(self.row).is_none();
        if inherits { self.lead } else { self.row }
    }
}

fn describes_item(role: Role) -> bool {
    !matches!(
        role,
        Role::Id
            | Role::Vin
            | Role::Gtin
            | Role::Size
            | Role::Colour
            | Role::Price
            | Role::SalePrice
            | Role::CompareAtPrice
            | Role::Msrp
            | Role::Cost
            | Role::Quantity
            | Role::SoldQuantity
            | Role::LeadCount
            | Role::OldPrice
    )
}

impl<'a, 's> Item<'a, 's> {
    pub(crate) fn rows(self) -> impl Iterator<Item = Row> + 's {
        let lead = self.lead;
        self.rows.iter().map(move |&row| Row {
            row: row as usize,
            lead,
        })
    }

    /// The row that stands for the item where one is enough.
    pub(crate) fn first(self) -> Row {
        self.rows().next().unwrap_or(Row {
            row: self.lead,
            lead: self.lead,
        })
    }

    /// The first value that a row of the item, or the row that describes it, has in the column.
    pub(crate) fn text(self, column: &'a Column) -> Option<&'a str> {
        self.rows().find_map(|row| column.text(row.of(column)))
    }

    /// As [`text`](Self::text), of the column of a meaning.
    pub(crate) fn role(self, role: Role) -> Option<&'a str> {
        self.table.column(role).and_then(|column| self.text(column))
    }

    /// As [`role`](Self::role), so that spellings compare equal that differ in capitals and spaces.
    pub(crate) fn folded(self, role: Role) -> Option<String> {
        self.role(role).map(folded)
    }

    pub(crate) fn symbol(self, column: &Column) -> Option<u32> {
        self.rows().find_map(|row| column.symbol(row.of(column)))
    }

    /// What identifies the item to the seller: of several rows in scope, what they share, or the id
    /// of the row that describes them; of one row, its own id.
    pub(crate) fn id(self) -> Value {
        let described = |role| {
            let column = self.table.column(role)?;
            column.text(if self.rows.len() > 1 {
                self.lead
            } else {
                self.first().row
            })
        };
        let shared = (self.rows.len() > 1)
            .then(|| self.role(Role::Group))
            .flatten();
        shared
            .or_else(|| described(Role::Id))
            .or_else(|| {
                [Role::Group, Role::Id, Role::Vin, Role::Gtin]
                    .into_iter()
                    .find_map(|role| self.role(role))
            })
            .map_or_else(
                || Value::Id(format!("row {}", self.first().row + 1)),
                |id| Value::Id(id.to_owned()),
            )
    }

    /// What a reader recognises it by: the title, else year, make, model and trim.
    pub(crate) fn label(self) -> Value {
        if let Some(title) = self.role(Role::Title) {
            return Value::Text(title.to_owned());
        }
        let parts: Vec<&str> = [Role::Year, Role::Make, Role::Model, Role::Trim]
            .into_iter()
            .filter_map(|role| self.role(role))
            .collect();
        if parts.is_empty() {
            Value::None
        } else {
            Value::Text(parts.join(" "))
        }
    }

    /// The lowest usable price among its rows, in the currency of the first one.
    pub(crate) fn price(self, prices: &super::price::Prices<'_>) -> Option<Money> {
        let mut lowest: Option<Money> = None;
        for price in self.rows().filter_map(|row| prices.of(row)) {
            match &mut lowest {
                None => lowest = Some(price),
                Some(least) if least.currency == price.currency && price.amount < least.amount => {
                    *least = price;
                }
                Some(_) => {}
            }
        }
        lowest
    }

    /// The sum of a column of numbers over its rows; none where no row has one.
    pub(crate) fn quantity(self, column: &Column) -> Option<rust_decimal::Decimal> {
        let mut sum = None;
        for number in self.rows().filter_map(|row| column.number(row.of(column))) {
            sum = Some(match sum {
                None => number,
                Some(sum) => number.checked_add(sum)?,
            });
        }
        sum
    }
}

/// Text in lower case, with one space between words.
pub(crate) fn folded(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}
