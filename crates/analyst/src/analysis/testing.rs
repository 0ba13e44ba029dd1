//! Small tables and intents for the tests of the analyses.

use std::sync::Arc;

use crate::question::{ColumnName, Intent, Params};
use crate::source::Attachment;
use crate::{Filter, Finding, Role, Scope, Skill, Sources, Table, Value};

pub(crate) type Columns<'a> = &'a [(&'a str, Option<Role>)];

pub(crate) fn table(name: &str, columns: Columns<'_>, rows: &[&[&str]]) -> Table {
    Table::of_rows(name, columns, rows.iter().map(|row| row.iter().copied()))
}

/// The same, shared as the seller's own tables are.
pub(crate) fn kept(name: &str, columns: Columns<'_>, rows: &[&[&str]]) -> Arc<Table> {
    Arc::new(table(name, columns, rows))
}

/// The seller's own catalog alone.
pub(crate) fn own(columns: Columns<'_>, rows: &[&[&str]]) -> Sources {
    Sources {
        own: Some(kept("Own inventory", columns, rows)),
        ..Sources::default()
    }
}

impl Sources {
    pub(crate) fn attach(mut self, name: &str, columns: Columns<'_>, rows: &[&[&str]]) -> Self {
        self.attached
            .push(Attachment::Table(table(name, columns, rows)));
        self
    }
}

pub(crate) fn intent(skill: Skill) -> Intent {
    Intent {
        skill,
        params: Params::default(),
        scope: Scope::default(),
        matched: Vec::new(),
    }
}

impl Intent {
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Params)) -> Self {
        change(&mut self.params);
        self
    }

    pub(crate) fn only(mut self, filter: Filter) -> Self {
        self.scope.filters.push(filter);
        self
    }

    pub(crate) fn ask(&self, sources: &Sources) -> Finding {
        super::run(self, sources)
    }
}

pub(crate) fn is(role: Role, value: &str) -> Filter {
    Filter::Is {
        column: ColumnName::Role(role),
        values: vec![value.to_owned()],
        negated: false,
    }
}

/// The grid as text, one string for each row, cells joined by `|`.
pub(crate) fn rows(finding: &Finding) -> Vec<String> {
    let Some(grid) = &finding.grid else {
        return Vec::new();
    };
    grid.rows
        .iter()
        .map(|row| {
            assert_eq!(row.len(), grid.columns.len(), "{:?}", grid.columns);
            let cells: Vec<String> = row.iter().map(cell).collect();
            cells.join("|")
        })
        .collect()
}

fn cell(value: &Value) -> String {
    crate::render::format::plain(value)
}

pub(crate) fn headline(finding: &Finding) -> String {
    crate::render::format::sentence(&finding.headline)
}

pub(crate) fn sentences(sentences: &[crate::finding::Sentence]) -> Vec<String> {
    sentences
        .iter()
        .map(crate::render::format::sentence)
        .collect()
}
