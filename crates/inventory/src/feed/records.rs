//! Rows of formats that name every value: XML, JSON and pages.

use std::collections::HashMap;

use csv::StringRecord;

use super::clean::text;
use super::field::Field;
use super::names::Names;
use super::report::{Finding, FindingCode, RowsBy};
use super::rows::Row;

/// Columns that a document may have.
pub(super) const MOST_COLUMNS: usize = 2_000;

/// The records of a document, each value under the column of its name.
#[derive(Debug)]
pub(super) struct Records<'o> {
    names: Names<'o>,
    columns: Vec<Column>,
    by_key: HashMap<String, usize>,
    records: Vec<Record>,
    findings: Vec<Finding>,
    /// Names beyond [`MOST_COLUMNS`], whose values are not kept.
    surplus: bool,
    read: usize,
}

#[derive(Debug)]
struct Column {
    header: String,
    joining: Joining,
    /// It holds an amount of money.
    is_money: bool,
    /// Place of its value in the last record, if that has one.
    value: Option<usize>,
}

/// What becomes of a name that stands in a record several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joining {
    /// Values of a list.
    List,
    /// Parts of a text.
    Text,
    /// A fact has one value: the first.
    First,
    /// Nothing reads the column.
    Unread,
}

#[derive(Debug)]
struct Record {
    row: u64,
    values: Vec<(usize, String)>,
}

impl<'o> Records<'o> {
    pub(super) fn new(names: Names<'o>) -> Self {
        Self {
            names,
            columns: Vec::new(),
            by_key: HashMap::new(),
            records: Vec::new(),
            findings: Vec::new(),
            surplus: false,
            read: 0,
        }
    }

    /// Begins a record in a format without lines, which is numbered instead.
    pub(super) fn begin_next(&mut self) {
        self.begin(self.records.len() as u64 + 1);
    }

    /// Begins a record at a line.
    pub(super) fn begin(&mut self, line: u64) {
        if let Some(last) = self.records.last() {
            for (column, _) in &last.values {
                self.columns[*column].value = None;
            }
        }
        self.records.push(Record {
            row: line,
            values: Vec::new(),
        });
    }

    /// The column of a header. Columns whose keys differ stay apart under one header, as `g:link`
    /// and `link` do. `None` when the document has too many.
    pub(super) fn column(
        &mut self,
        key: &str,
        header: impl FnOnce(Names<'o>) -> String,
    ) -> Option<usize> {
        if let Some(known) = self.by_key.get(key) {
            return Some(*known);
        }
        if self.columns.len() == MOST_COLUMNS {
            self.surplus = true;
            return None;
        }
        let header = header(self.names);
        let field = self.names.field(&header);
        let joining = match field {
            Some(Field::Photos | Field::Features | Field::CategorizedFeatures) => Joining::List,
            Some(Field::Description | Field::Notes) => Joining::Text,
            Some(_) => Joining::First,
            None => Joining::Unread,
        };
        self.columns.push(Column {
            header,
            joining,
            is_money: matches!(field, Some(Field::Price | Field::ListPrice | Field::Msrp)),
            value: None,
        });
        let column = self.columns.len() - 1;
        self.by_key.insert(key.to_owned(), column);
        Some(column)
    }

    pub(super) fn names(&self) -> Names<'o> {
        self.names
    }

    /// Adds a value to the record that was begun last.
    pub(super) fn push(&mut self, column: usize, value: &str) {
        let value = value.trim();
        let place_of_record = self.records.len() as u64;
        let Some(record) = self.records.last_mut().filter(|_| !value.is_empty()) else {
            return;
        };
        let state = &mut self.columns[column];
        let Some(place) = state.value else {
            state.value = Some(record.values.len());
            record.values.push((column, value.to_owned()));
            return;
        };
        let earlier = &mut record.values[place].1;
        match state.joining {
            Joining::List => {
                earlier.push('|');
                earlier.push_str(value);
            }
            Joining::Text => {
                earlier.push('\n');
                earlier.push_str(value);
            }
            Joining::First if earlier != value => self.findings.push(Finding {
                row: place_of_record,
                column: Some(state.header.clone()),
                value: Some(text::excerpt(value)),
                code: FindingCode::RepeatedElement,
                message: format!(
                    "`{}` stands here once more; the unit is published with the first, {}",
                    state.header,
                    text::excerpt(earlier)
                ),
            }),
            Joining::First | Joining::Unread => {}
        }
    }

    /// How far the record that was begun last has come.
    pub(super) fn mark(&self) -> usize {
        self.records.last().map_or(0, |record| record.values.len())
    }

    /// Takes the amounts of money that were added since the mark out of the record again.
    pub(super) fn take_out_money(&mut self, mark: usize) {
        let Some(record) = self.records.last_mut().filter(|it| mark < it.values.len()) else {
            return;
        };
        let added = record.values.split_off(mark);
        for (column, _) in &added {
            self.columns[*column].value = None;
        }
        for (column, value) in added {
            if !self.columns[column].is_money {
                self.push(column, &value);
            }
        }
    }

    /// Adds a value by its header.
    pub(super) fn push_named(&mut self, header: &str, value: &str) {
        if let Some(column) = self.column(header, |_| header.to_owned()) {
            self.push(column, value);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(super) fn has_too_many_columns(&self) -> bool {
        self.surplus
    }

    /// Settles what rows count: lines, unless some records begin on the same one.
    pub(super) fn count_rows(&mut self) -> RowsBy {
        let share_a_line = |pair: &[Record]| pair[0].row >= pair[1].row;
        let by = match self.records.windows(2).any(share_a_line) {
            true => RowsBy::Record,
            false => RowsBy::Line,
        };
        if by == RowsBy::Record {
            for (place, record) in self.records.iter_mut().enumerate() {
                record.row = place as u64 + 1;
            }
        }
        for finding in &mut self.findings {
            // Until here it is the place of the record, the first being 1.
            let record = self.records.get(finding.row as usize - 1);
            finding.row = record.map_or(1, |record| record.row);
        }
        by
    }

    /// Doubts about the values, to be taken once rows are counted.
    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// The headers of the columns.
    pub(super) fn header(&self) -> StringRecord {
        self.columns.iter().map(|column| &column.header).collect()
    }

    /// Writes the next record that has a value into `row`; false at the end.
    pub(super) fn next(&mut self, row: &mut Row) -> bool {
        while let Some(record) = self.records.get_mut(self.read) {
            self.read += 1;
            let mut values = std::mem::take(&mut record.values);
            if values.iter().all(|(_, value)| text::cell(value).is_none()) {
                continue;
            }
            values.sort_unstable_by_key(|(column, _)| *column);
            let mut values = values.into_iter().peekable();
            row.line = record.row;
            row.cells.clear();
            for column in 0..self.columns.len() {
                let value = values.next_if(|(of, _)| *of == column);
                row.cells
                    .push_field(value.as_ref().map_or("", |(_, value)| value));
            }
            return true;
        }
        false
    }
}
