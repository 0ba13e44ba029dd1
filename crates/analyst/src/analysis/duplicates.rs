//! The same thing listed twice.

use std::collections::{HashMap, HashSet};

use super::price::Prices;
use super::selection::{Item, folded};
use super::{Asked, Refusal};
use crate::finding::{Grid, counted, say};
use crate::{Column, Finding, Role, Value};

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let table = asked.table();
    let identifiers: Vec<(Role, &Column)> = [Role::Id, Role::Vin, Role::Gtin]
        .into_iter()
        .filter_map(|role| Some((role, table.column(role)?)))
        .collect();
    let has_titles = table.column(Role::Title).is_some();
    if identifiers.is_empty() && !has_titles {
        return Err(Refusal::missing_any(&[
            Role::Id,
            Role::Vin,
            Role::Gtin,
            Role::Title,
        ]));
    }
    let mut found: Vec<Same> = Vec::new();
    for &(role, column) in &identifiers {
        found.extend(by_identifier(asked, role, column));
    }
    if has_titles {
        found.extend(by_title(asked));
    }
    let repeats: u64 = found.iter().map(|same| same.count - 1).sum();
    let headline = say!(
        counted(found.len() as u64, "set"),
        " of duplicates with ",
        counted(repeats, "surplus entry"),
        " among ",
        counted(asked.stock.row_count(), "row"),
        "."
    );
    let mut finding = if found.is_empty() {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        found.sort_by_key(|same| std::cmp::Reverse(same.count));
        let mut grid = Grid::new(&["same", "value", "times", "ids"]);
        for same in found {
            grid.push(vec![
                Value::from(same.what),
                Value::Text(same.key),
                Value::Count(same.count),
                Value::Text(same.ids),
            ]);
        }
        finding.grid = Some(grid);
        finding
    };
    finding.rule.push(say!(
        "The same id, VIN or GTIN in two rows, capitals and spaces aside; the same title, brand and price in two items, unless their VINs or GTINs tell them apart."
    ));
    if identifiers.is_empty() {
        finding.limits.push(say!(
            "No column states an id, VIN or GTIN, so only titles are compared."
        ));
    }
    Ok(finding)
}

/// Entries that share a value.
struct Same {
    what: &'static str,
    key: String,
    count: u64,
    ids: String,
}

impl Same {
    fn of(what: &'static str, key: &str, ids: &[Value]) -> Self {
        let shown: Vec<String> = ids
            .iter()
            .take(5)
            .map(crate::render::format::words)
            .collect();
        let mut text = shown.join(", ");
        if ids.len() > shown.len() {
            text.push_str(", …");
        }
        Self {
            what,
            key: key.to_owned(),
            count: ids.len() as u64,
            ids: text,
        }
    }
}

/// Values in the order that they are first seen, with who has them.
struct Index<T> {
    places: HashMap<String, usize>,
    entries: Vec<(String, Vec<T>)>,
}

impl<T> Index<T> {
    fn new() -> Self {
        Self {
            places: HashMap::new(),
            entries: Vec::new(),
        }
    }

    fn add(&mut self, key: String, spelled: &str, entry: T) {
        let place = *self.places.entry(key).or_insert(self.entries.len());
        match self.entries.get_mut(place) {
            Some((_, entries)) => entries.push(entry),
            None => self.entries.push((spelled.to_owned(), vec![entry])),
        }
    }

    fn repeated(self) -> impl Iterator<Item = (String, Vec<T>)> {
        self.entries
            .into_iter()
            .filter(|(_, entries)| entries.len() > 1)
    }
}

fn by_identifier(asked: &Asked<'_, '_>, role: Role, column: &Column) -> Vec<Same> {
    let mut index = Index::new();
    for row in asked.stock.rows() {
        if let Some(text) = column.text(row.row) {
            let line = Value::Id(format!("row {}", row.row + 1));
            index.add(folded(text), text, line);
        }
    }
    let same = index.repeated();
    same.map(|(key, rows)| Same::of(role.name(), &key, &rows))
        .collect()
}

fn by_title(asked: &Asked<'_, '_>) -> Vec<Same> {
    let prices = Prices::of_table(asked.table());
    let mut index: Index<Item<'_, '_>> = Index::new();
    for item in asked.stock.items() {
        let Some(title) = item.role(Role::Title) else {
            continue;
        };
        let brand = item.role(Role::Brand).or_else(|| item.role(Role::Make));
        let price = prices.as_ref().and_then(|prices| item.price(prices));
        let price = price.map(|price| (price.amount.normalize(), price.currency));
        let key = format!(
            "{}\n{}\n{price:?}",
            folded(title),
            folded(brand.unwrap_or_default())
        );
        index.add(key, title, item);
    }
    index
        .repeated()
        .filter(|(_, items)| !are_told_apart(items))
        .map(|(title, items)| {
            let ids: Vec<Value> = items.iter().map(|item| item.id()).collect();
            Same::of("title, brand and price", &title, &ids)
        })
        .collect()
}

/// Whether every item has a VIN or GTIN of its own.
fn are_told_apart(items: &[Item<'_, '_>]) -> bool {
    let own: HashSet<String> = items
        .iter()
        .filter_map(|item| item.role(Role::Vin).or_else(|| item.role(Role::Gtin)))
        .map(folded)
        .collect();
    own.len() == items.len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;

    const COLUMNS: Columns<'_> = &[
        ("sku", Some(Role::Id)),
        ("name", Some(Role::Title)),
        ("brand", Some(Role::Brand)),
        ("price", Some(Role::Price)),
        ("gtin", Some(Role::Gtin)),
    ];

    #[test]
    fn ids_titles_and_gtins_that_repeat() {
        let found = intent(Skill::Duplicates).ask(&own(
            COLUMNS,
            &[
                &["A1", "Blue  Mug", "Kiln", "5.00 EUR", ""],
                &["a1", "Cup", "Kiln", "4 EUR", ""],
                &["A2", "blue mug", "kiln", "5 EUR", ""],
                &["A3", "blue mug", "kiln", "6 EUR", ""],
                &["A4", "Bowl", "Kiln", "9 EUR", "111"],
                &["A5", "Bowl", "Kiln", "9 EUR", "222"],
                &["A6", "Jug", "Kiln", "9 EUR", "333"],
                &["A7", "Jar", "Kiln", "9 EUR", "333"],
                &["A8", "Jar", "Kiln", "9 EUR", "333"],
            ],
        ));
        assert_eq!(
            rows(&found),
            [
                "GTIN|333|3|row 7, row 8, row 9",
                "id|A1|2|row 1, row 2",
                "title, brand and price|Blue  Mug|2|A1, A2",
                "title, brand and price|Jar|2|A7, A8",
            ]
        );
        assert_eq!(
            headline(&found),
            "4 sets of duplicates with 5 surplus entries among 9 rows."
        );
    }

    #[test]
    fn nothing_repeats_or_nothing_can_be_compared() {
        let found = intent(Skill::Duplicates).ask(&own(COLUMNS, &[&["1", "a", "", "", ""]]));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 1 });
        let found = intent(Skill::Duplicates).ask(&own(&COLUMNS[3..4], &[&["5"], &["5"]]));
        assert!(matches!(found.outcome, Outcome::Unanswerable { .. }));
    }
}
