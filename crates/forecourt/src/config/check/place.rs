//! Where a key stands in the text of a configuration.

use std::cell::OnceCell;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The places of the keys of a TOML text.
pub(super) struct Places<'t> {
    text: &'t str,
    /// Read when the first place is asked for: of thousands of dealers it takes hundreds of megabytes, and
    /// most configurations have nothing wrong.
    root: OnceCell<Option<Spanned<DeTable<'t>>>>,
}

impl<'t> Places<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            text,
            root: OnceCell::new(),
        }
    }

    /// Line and column of a key; where it is not written, of the deepest table on its way.
    pub(super) fn of_key(&self, key: &[&str]) -> (usize, usize) {
        let start = self
            .root
            .get_or_init(|| DeTable::parse(self.text).ok())
            .as_ref()
            .map_or(0, |root| deepest(root.get_ref(), key, 0));
        let before = self.text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }
}

/// Byte at which the deepest part of the key begins that is written; `outer` where none is.
fn deepest(table: &DeTable<'_>, key: &[&str], outer: usize) -> usize {
    let Some((first, rest)) = key.split_first() else {
        return outer;
    };
    match table.get_key_value(*first) {
        None => outer,
        Some((name, value)) => within(value.get_ref(), rest, name.span().start),
    }
}

fn within(value: &DeValue<'_>, key: &[&str], outer: usize) -> usize {
    match value {
        DeValue::Table(table) => deepest(table, key, outer),
        DeValue::Array(array) => {
            let element = key
                .split_first()
                .and_then(|(index, rest)| Some((array.get(index.parse::<usize>().ok()?)?, rest)));
            element.map_or(outer, |(element, rest)| {
                within(element.get_ref(), rest, element.span().start)
            })
        }
        _ => outer,
    }
}
