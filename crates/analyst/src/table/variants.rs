//! Rows that are one item: variants of a product, and lines for its further images.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::{Column, Role};

/// The rows of each item in the order of their first rows, the describing row first; empty where each
/// row is an item.
pub(super) fn group(columns: &[Column], rows: usize) -> Vec<Vec<u32>> {
    let by_role = |role: Role| columns.iter().find(|column| column.role() == Some(role));
    let Some(groups) = by_role(Role::Group) else {
        return Vec::new();
    };
    let is_parent = groups.header().to_lowercase().starts_with("parent");
    let ids = by_role(Role::Id).filter(|_| is_parent);
    let parents: HashSet<&str, RandomState> = groups
        .distinct()
        .map(|symbol| groups.symbol_text(symbol))
        .collect();
    let mut grouping = Grouping::default();
    for row in 0..rows {
        // A parent stands under its own id. Rows that only share an id are duplicates, not variants.
        let own = ids.and_then(|ids| ids.text(row));
        let own = own.filter(|id| parents.contains(id));
        match groups.text(row).or(own) {
            Some(key) => grouping.add(key, row),
            None => grouping.add_alone(row),
        }
    }
    if is_parent {
        grouping.resolve_numbers(columns);
    }
    if grouping.items.len() == rows {
        return Vec::new();
    }
    let titles = by_role(Role::Title);
    for item in &mut grouping.items {
        let describes = |row: &u32| {
            let is_child = is_parent && groups.text(*row as usize).is_some();
            let has_title = titles.is_none_or(|titles| titles.text(*row as usize).is_some());
            !is_child && has_title
        };
        if let Some(at) = item.iter().position(describes) {
            item[..=at].rotate_right(1);
        }
    }
    grouping.items
}

#[derive(Default)]
struct Grouping<'c> {
    places: HashMap<&'c str, usize, RandomState>,
    items: Vec<Vec<u32>>,
}

impl<'c> Grouping<'c> {
    fn add(&mut self, key: &'c str, row: usize) {
        let place = *self.places.entry(key).or_insert(self.items.len());
        if place == self.items.len() {
            self.items.push(Vec::new());
        }
        self.items[place].push(row_number(row));
    }

    fn add_alone(&mut self, row: usize) {
        self.items.push(vec![row_number(row)]);
    }

    /// WooCommerce names a parent without a SKU by its number: `id:123`, whose row stands under `ID`.
    fn resolve_numbers(&mut self, columns: &[Column]) {
        let Some(ids) = columns
            .iter()
            .find(|column| column.header().eq_ignore_ascii_case("id"))
        else {
            return;
        };
        let by_number: HashMap<&str, u32, RandomState> = (self.items.iter())
            .map(|item| item[0])
            .filter_map(|row| Some((ids.text(row as usize)?, row)))
            .collect();
        let numbered: Vec<(usize, u32)> = (self.places.iter())
            .filter_map(|(key, place)| Some((*place, *by_number.get(key.strip_prefix("id:")?)?)))
            .collect();
        if numbered.is_empty() {
            return;
        }
        let mut place_of: HashMap<u32, usize, RandomState> = HashMap::default();
        for (place, item) in self.items.iter().enumerate() {
            for row in item {
                place_of.insert(*row, place);
            }
        }
        for (children, parent) in numbered {
            let place = place_of[&parent];
            if place != children {
                let rows = std::mem::take(&mut self.items[children]);
                self.items[place].extend(rows);
            }
        }
        self.items.retain(|item| !item.is_empty());
        self.items
            .sort_unstable_by_key(|item| item.iter().min().copied());
    }
}

/// Tables have fewer rows than that.
fn row_number(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}
