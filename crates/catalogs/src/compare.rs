//! What one file of a catalog changes against the one before, and whether that can be right.

use std::collections::HashMap;

use analyst::{Column, Money, Role, Table};

/// Fewer missing items than this are never doubted.
const LEAST_MISSING: usize = 4;

/// What the history tells of an item, as far as the catalog has such columns.
pub(crate) const TOLD: [(&str, Role); 12] = [
    ("title", Role::Title),
    ("category", Role::Category),
    ("product type", Role::ProductType),
    ("brand", Role::Brand),
    ("make", Role::Make),
    ("model", Role::Model),
    ("condition", Role::Condition),
    ("colour", Role::Colour),
    ("material", Role::Material),
    ("size", Role::Size),
    ("status", Role::Status),
    ("location", Role::Rooftop),
];

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Came,
    Went,
    Price,
}

impl Event {
    /// The word that the analyst knows.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Came => "came",
            Self::Went => "went",
            Self::Price => "price",
        }
    }
}

/// One item that is not as it was.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    pub(crate) event: Event,
    pub(crate) id: String,
    /// In the order of [`TOLD`]; empty where nothing is stated.
    pub(crate) told: Vec<String>,
    pub(crate) old_price: String,
    pub(crate) price: String,
}

/// Two files side by side.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) changes: Vec<Change>,
    /// Keys of the items that came.
    pub(crate) came: Vec<String>,
    /// Keys of the items that both files have.
    pub(crate) stayed: Vec<String>,
    /// Why the newer file is not believed.
    pub(crate) doubt: Option<String>,
}

impl Comparison {
    /// How many items had this happen to them.
    pub(crate) fn count(&self, event: Event) -> u64 {
        let changes = self.changes.iter();
        changes.filter(|change| change.event == event).count() as u64
    }
}

/// Why a file is not believed, whatever came before it: it is not whole.
pub(crate) fn not_whole(table: &Table) -> Option<String> {
    let line = table.reading().broken_off?;
    Some(format!(
        "it breaks off in line {line}, behind {} whole rows",
        table.rows()
    ))
}

/// Compares a file with the one before. Of the items of that, `most_drop` may be missing.
pub(crate) fn compare(before: &Table, after: &Table, most_drop: f64) -> Comparison {
    let Some(role) = KEYS
        .into_iter()
        .find(|role| before.column(*role).is_some() && after.column(*role).is_some())
    else {
        return without_keys(before, after, most_drop);
    };
    let (old, new) = (Items::of(before, role), Items::of(after, role));
    let mut found = Comparison::default();
    for (key, row) in &new.order {
        match old.rows.get(key) {
            None => {
                found.came.push(key.clone());
                found.changes.push(new.change(Event::Came, *row, None));
            }
            Some(was) => {
                found.stayed.push(key.clone());
                let (was, is) = (old.price(*was), new.price(*row));
                if is_repriced(was, is) {
                    found.changes.push(new.change(Event::Price, *row, was));
                }
            }
        }
    }
    for (key, row) in &old.order {
        if !new.rows.contains_key(key) {
            let price = old.price(*row);
            found.changes.push(old.change(Event::Went, *row, price));
        }
    }
    let missing = old.order.len() - found.stayed.len();
    found.doubt = lost_column(before, after)
        .or_else(|| too_few(missing, old.order.len(), "items", most_drop));
    found
}

/// What identifies an item, the first that both files have.
const KEYS: [Role; 3] = [Role::Id, Role::Vin, Role::Gtin];

/// Of files whose items cannot be told apart, rows are counted.
fn without_keys(before: &Table, after: &Table, most_drop: f64) -> Comparison {
    let missing = before.rows().saturating_sub(after.rows());
    Comparison {
        doubt: lost_column(before, after)
            .or_else(|| too_few(missing, before.rows(), "rows", most_drop)),
        ..Comparison::default()
    }
}

/// A column that the file before had and this one lacks, without which nothing can be told.
fn lost_column(before: &Table, after: &Table) -> Option<String> {
    let keys = KEYS.into_iter().filter_map(|role| before.column(role));
    let shares_key = KEYS
        .into_iter()
        .any(|role| before.column(role).is_some() && after.column(role).is_some());
    let lost_key = (!shares_key).then(|| keys.into_iter().next()).flatten();
    if let Some(column) = lost_key {
        return Some(format!(
            "it has no column that identifies its items, as {:?} did in the file before",
            column.header()
        ));
    }
    let column = price_column(before).filter(|_| price_column(after).is_none())?;
    Some(format!(
        "it has no prices, as the column {:?} of the file before",
        column.header()
    ))
}

fn too_few(missing: usize, before: usize, what: &str, most_drop: f64) -> Option<String> {
    // Numbers of items are far below the 2^53 up to which this is exact.
    let fell = missing >= LEAST_MISSING && missing as f64 > most_drop * before as f64;
    fell.then(|| format!("{missing} of the {before} {what} of the file before are missing from it"))
}

/// Dearer, cheaper, or in another currency. What has no usable price has none to compare.
fn is_repriced(was: Option<Money>, is: Option<Money>) -> bool {
    matches!((was, is), (Some(was), Some(is)) if was != is)
}

/// The items of a table by what identifies them; of rows that share it, the first.
struct Items<'t> {
    table: &'t Table,
    key: Option<&'t Column>,
    price: Option<&'t Column>,
    /// For each row of an item, the one that describes it.
    leads: HashMap<usize, usize>,
    order: Vec<(String, usize)>,
    rows: HashMap<String, usize>,
}

impl<'t> Items<'t> {
    fn of(table: &'t Table, role: Role) -> Self {
        let mut items = Self {
            table,
            key: table.column(role),
            price: price_column(table),
            leads: leads(table),
            order: Vec::new(),
            rows: HashMap::new(),
        };
        for row in 0..table.rows() {
            let Some(key) = items.key.and_then(|column| key(column, row)) else {
                continue;
            };
            if !items.rows.contains_key(&key) {
                items.rows.insert(key.clone(), row);
                items.order.push((key, row));
            }
        }
        items
    }

    fn price(&self, row: usize) -> Option<Money> {
        let price = self.price?.money(row)?;
        (price.amount.is_sign_positive() && !price.amount.is_zero()).then_some(price)
    }

    fn change(&self, event: Event, row: usize, old: Option<Money>) -> Change {
        let lead = self.leads.get(&row).copied();
        let told = |role: Role| {
            let column = self.table.column(role)?;
            column
                .text(row)
                .or_else(|| column.text(lead?))
                .map(str::to_owned)
        };
        let id = self.key.and_then(|column| column.text(row));
        let price = match event {
            Event::Went => old,
            _ => self.price(row),
        };
        let old = old.filter(|_| event == Event::Price);
        Change {
            event,
            id: id.unwrap_or_default().to_owned(),
            told: TOLD.map(|(_, role)| told(role).unwrap_or_default()).into(),
            old_price: old.map(shown).unwrap_or_default(),
            price: price.map(shown).unwrap_or_default(),
        }
    }
}

/// The price column; the column of reduced prices where no other states one.
fn price_column(table: &Table) -> Option<&Column> {
    table
        .column(Role::Price)
        .or_else(|| table.column(Role::SalePrice))
}

/// What identifies a row, capitals and spaces aside.
fn key(column: &Column, row: usize) -> Option<String> {
    let words: Vec<String> = column
        .text(row)?
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    Some(words.join(" "))
}

/// The keys of all rows of a catalog, empty for a row without one.
pub(crate) fn keys(table: &Table) -> Option<Vec<String>> {
    let column = KEYS.into_iter().find_map(|role| table.column(role))?;
    let keys = (0..table.rows()).map(|row| key(column, row).unwrap_or_default());
    Some(keys.collect())
}

fn leads(table: &Table) -> HashMap<usize, usize> {
    let items = table.items().unwrap_or_default();
    let of_item = |rows: &Vec<u32>| {
        let lead = rows.first().copied().unwrap_or_default() as usize;
        let rows: Vec<usize> = rows.iter().map(|row| *row as usize).collect();
        rows.into_iter().map(move |row| (row, lead))
    };
    items.iter().flat_map(of_item).collect()
}

/// An amount as the analyst reads it again.
fn shown(money: Money) -> String {
    match money.currency {
        Some(currency) => format!("{} {currency}", money.amount),
        None => money.amount.to_string(),
    }
}
