//! The columns and values that a model may name.

use std::collections::BTreeSet;

use super::Misstated;
use crate::question::{ColumnName, Vocabulary, vocabulary};
use crate::{Column, Role, Sources, Table};

/// As many columns as a form names.
const MOST_COLUMNS: usize = 80;
/// As many values of one column as a form names.
const MOST_VALUES: usize = 60;
/// A longer value is text that nobody asks for by name, and room for words that address the model.
const LONGEST_VALUE: usize = 40;

/// The columns that a form names.
pub(super) struct Columns<'a> {
    pub(super) named: Vec<Named<'a>>,
}

pub(super) struct Named<'a> {
    /// The meaning, or the header of a column without one that is known.
    pub(super) text: String,
    pub(super) name: ColumnName,
    /// In each table that has it.
    columns: Vec<&'a Column>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(sources: &'a Sources) -> Self {
        let mut named: Vec<Named<'a>> = Vec::new();
        let own = [sources.own.as_deref(), sources.leads.as_deref()];
        let tables = own.into_iter().flatten().chain(sources.attached_tables());
        for column in tables.flat_map(Table::columns) {
            let (name, text) = match column.role() {
                Some(role) => (ColumnName::Role(role), role_name(role)),
                None => {
                    let header = column.header().to_owned();
                    (ColumnName::Header(header.clone()), header)
                }
            };
            match named.iter_mut().find(|known| known.name == name) {
                Some(known) => known.columns.push(column),
                None if text.chars().count() > LONGEST_VALUE => {}
                None => named.push(Named {
                    text,
                    name,
                    columns: vec![column],
                }),
            }
        }
        let has = |role| named.iter().any(|it| it.name == ColumnName::Role(role));
        let is_dated = [Role::DateInStock, Role::DateAdded].into_iter().any(has);
        if is_dated && !has(Role::AgeDays) {
            named.push(Named {
                text: role_name(Role::AgeDays),
                name: ColumnName::Role(Role::AgeDays),
                columns: Vec::new(),
            });
        }
        // Columns of a known meaning are those that questions are about.
        named.sort_by_key(|it| matches!(it.name, ColumnName::Header(_)));
        named.truncate(MOST_COLUMNS);
        Self { named }
    }

    pub(super) fn find(&self, text: &str) -> Result<&Named<'a>, Misstated> {
        let found = self.named.iter().find(|it| it.text == text);
        found.ok_or_else(|| Misstated::Column(text.to_owned()))
    }

    pub(super) fn name(&self, text: &str) -> Result<ColumnName, Misstated> {
        self.find(text).map(|it| it.name.clone())
    }
}

impl Named<'_> {
    /// The values that a question may name; none of columns that hold text or what differs in each row.
    pub(super) fn values<'v>(&self, vocabularies: &[&'v Vocabulary]) -> Vec<&'v str> {
        let known = vocabularies.iter().flat_map(|it| it.values_of(&self.name));
        let values: BTreeSet<&str> = known.filter(|value| is_name(value)).collect();
        values.into_iter().take(MOST_VALUES).collect()
    }

    /// A value as the data spells it.
    pub(super) fn value(&self, wanted: &str) -> Option<String> {
        let wanted = wanted.trim().to_lowercase();
        let is_path = self.name == ColumnName::Role(Role::Category);
        self.columns.iter().find_map(|column| {
            column.distinct().find_map(|symbol| {
                let text = column.symbol_text(symbol);
                if text.trim().to_lowercase() == wanted {
                    return Some(text.to_owned());
                }
                let mut parts = vocabulary::beginnings(text).filter(|_| is_path);
                let part = parts.find(|part| part.to_lowercase() == wanted);
                part.map(str::to_owned)
            })
        })
    }
}

/// Whether a value is short and on one line.
fn is_name(value: &str) -> bool {
    value.chars().count() <= LONGEST_VALUE && !value.chars().any(char::is_control)
}

fn role_name(role: Role) -> String {
    let name = serde_json::to_value(role).ok();
    name.and_then(|name| name.as_str().map(str::to_owned))
        .unwrap_or_default()
}
