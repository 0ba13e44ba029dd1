//! Whatever the form of a file: a header and rows of cells.

use super::ReadOptions;
use super::columns;
use super::detect;
use super::headerless;
use super::json;
use super::names::Names;
use super::page;
use super::records::Records;
use super::report::{FeedReport, Finding, Format, Layout, Refusal, RefusalCode, RowsBy};
use super::rows::{Row, Rows};
use super::xml;

/// The rows of a file, the header first.
pub(super) enum Source<'a> {
    /// Cells in the order of a header.
    Table(Rows<'a>),
    /// Values with names.
    Document(Document<'a>),
}

/// The records of a document, and what its format says of their meaning.
#[derive(Debug)]
pub(super) struct Document<'o> {
    pub(super) records: Records<'o>,
    /// The layout, where the document tells it by more than its headers.
    pub(super) layout: Option<Layout>,
    /// Doubts about the document as a whole.
    pub(super) findings: Vec<Finding>,
}

impl<'a> Source<'a> {
    /// Opens a file's text and writes into the report of which form it is.
    ///
    /// # Errors
    /// It is no feed, or one that breaks the rules of its format.
    pub(super) fn open(
        text: &'a str,
        format: Format,
        options: &'a ReadOptions,
        report: &mut FeedReport,
    ) -> Result<Self, Refusal> {
        report.format = format;
        let names = Names::new(options);
        let mut document = match format {
            Format::Delimited => return Ok(Self::Table(table(text, options, report))),
            Format::Xml => xml::read(text, names)?,
            Format::Html => page::read(text, names)?,
            Format::Json => json::read(text, names)?,
        };
        report.rows_by = match format {
            Format::Xml => document.records.count_rows(),
            _ => {
                document.records.count_rows();
                RowsBy::Record
            }
        };
        if document.records.has_too_many_columns() {
            return Err(Refusal {
                code: RefusalCode::TooLarge,
                message: format!(
                    "the units have more than {} different names of values; expected a feed of vehicles",
                    super::records::MOST_COLUMNS
                ),
            });
        }
        document.findings.extend(document.records.take_findings());
        Ok(Self::Document(document))
    }

    /// Reads the header.
    pub(super) fn header(&mut self, row: &mut Row) {
        match self {
            Self::Table(rows) => {
                rows.next(row);
            }
            Self::Document(document) => document.records.header(row),
        }
    }

    /// Reads the next row that is not blank; false at the end.
    pub(super) fn next(&mut self, row: &mut Row) -> bool {
        match self {
            Self::Table(rows) => rows.next(row),
            Self::Document(document) => document.records.next(row),
        }
    }

    /// Makes a first line that is no header the first row of a table.
    pub(super) fn take_back(&mut self, first: &Row) {
        if let (Self::Table(rows), Some(position)) = (self, first.cells.position()) {
            rows.skip_to(position.byte() as usize);
        }
    }

    /// The layout, where the form tells it.
    pub(super) fn layout(&self) -> Option<Layout> {
        match self {
            Self::Table(_) => None,
            Self::Document(document) => document.layout,
        }
    }

    /// Doubts about the form, found on opening.
    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        match self {
            Self::Table(_) => Vec::new(),
            Self::Document(document) => std::mem::take(&mut document.findings),
        }
    }
}

fn table<'a>(text: &'a str, options: &ReadOptions, report: &mut FeedReport) -> Rows<'a> {
    let stated = detect::stated_delimiter(text);
    let delimiter = stated
        .map(|(delimiter, _)| delimiter)
        .or_else(|| headerless::delimiter(text, options))
        .unwrap_or_else(|| detect::delimiter(text, |header| columns::is_named(header, options)));
    report.delimiter = Some(delimiter);
    let mut rows = Rows::new(text, delimiter);
    if let Some((_, header)) = stated {
        rows.skip_to(header);
    }
    rows
}
