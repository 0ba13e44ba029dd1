//! The cells of one row by what they mean, and the doubts about them.

use csv::StringRecord;

use super::clean::text;
use super::columns::Columns;
use super::field::Field;
use super::report::{Finding, FindingCode};

/// One row. A bad cell never stops a feed: it is dropped with a warning.
pub(super) struct Cells<'r> {
    columns: &'r Columns,
    record: &'r StringRecord,
    line: u64,
    warnings: &'r mut Findings,
    /// The columns that may be the price hold different amounts.
    pub(super) prices_differ: bool,
}

impl<'r> Cells<'r> {
    pub(super) fn new(
        columns: &'r Columns,
        record: &'r StringRecord,
        line: u64,
        warnings: &'r mut Findings,
    ) -> Self {
        Self {
            columns,
            record,
            line,
            warnings,
            prices_differ: false,
        }
    }

    pub(super) fn columns(&self) -> &'r Columns {
        self.columns
    }

    /// The cell of a field, blanks trimmed; `None` when there is no such column, or nothing in it.
    pub(super) fn get(&mut self, field: Field) -> Option<&'r str> {
        self.at(self.columns.of(field)?)
    }

    /// The cell of a column.
    pub(super) fn at(&mut self, column: usize) -> Option<&'r str> {
        const LONGEST: usize = 64 * 1024;
        let cell = text::cell(self.record.get(column)?)?;
        if cell.len() > LONGEST {
            let message = format!(
                "the cell has {} bytes; expected at most {LONGEST}; it is left out",
                cell.len()
            );
            self.warn(column, cell, FindingCode::CellTooLong, message);
            return None;
        }
        Some(cell)
    }

    /// The cell of a field as a phrase.
    pub(super) fn phrase(&mut self, field: Field) -> Option<String> {
        self.get(field)
            .map(text::phrase)
            .filter(|phrase| !phrase.is_empty())
    }

    pub(super) fn warn(
        &mut self,
        column: usize,
        cell: &str,
        code: FindingCode,
        message: impl Into<String>,
    ) {
        let finding = self.finding(Some(column), Some(cell), code, message);
        self.warnings.push(finding);
    }

    /// A warning about the cell of a field.
    pub(super) fn warn_of(
        &mut self,
        field: Field,
        cell: &str,
        code: FindingCode,
        message: impl Into<String>,
    ) {
        let finding = self.finding(self.columns.of(field), Some(cell), code, message);
        self.warnings.push(finding);
    }

    pub(super) fn push(&mut self, finding: Finding) {
        self.warnings.push(finding);
    }

    pub(super) fn finding(
        &self,
        column: Option<usize>,
        cell: Option<&str>,
        code: FindingCode,
        message: impl Into<String>,
    ) -> Finding {
        Finding {
            row: self.line,
            column: column.map(|column| self.columns.header(column).to_owned()),
            value: cell.map(text::excerpt),
            code,
            message: message.into(),
        }
    }
}

/// Findings up to a number that a person can still read; the others are counted.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    beyond: u64,
}

impl Findings {
    const MOST: usize = 10_000;

    pub(super) fn push(&mut self, finding: Finding) {
        if self.list.len() < Self::MOST {
            self.list.push(finding);
        } else {
            self.beyond += 1;
        }
    }

    pub(super) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    /// A doubt about the file as a whole, which no number of others crowds out.
    pub(super) fn push_first(&mut self, finding: Finding) {
        self.list.insert(0, finding);
    }

    /// A place to go back to, for a row that turns out not to be published.
    pub(super) fn mark(&self) -> (usize, u64) {
        (self.list.len(), self.beyond)
    }

    pub(super) fn back_to(&mut self, (listed, beyond): (usize, u64)) {
        self.list.truncate(listed);
        self.beyond = beyond;
    }

    /// How many there are, those that are only counted included.
    pub(super) fn count(&self) -> u64 {
        self.list.len() as u64 + self.beyond
    }

    /// The findings in the order of the file, then how many more of `what` there were.
    pub(super) fn into_list(mut self, more: FindingCode, what: &str) -> Vec<Finding> {
        self.list.sort_by_key(|finding| finding.row);
        if self.beyond > 0 {
            self.list.push(Finding {
                row: 1,
                column: None,
                value: None,
                code: more,
                message: format!("{} more {what} are not listed", self.beyond),
            });
        }
        self.list
    }
}
