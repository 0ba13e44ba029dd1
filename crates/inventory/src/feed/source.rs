//! Whatever the form of a file: a header and rows of cells.

use csv::StringRecord;

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
    Table {
        rows: Rows<'a>,
        /// The character between cells.
        delimiter: char,
    },
    /// Values with names.
    Document(Document<'a>),
}

/// The names of columns.
pub(super) struct Header {
    pub(super) cells: StringRecord,
    /// They stand in the file.
    pub(super) written: bool,
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
            Format::Delimited => return Ok(Self::table(text, options, report)),
            Format::Xml => xml::read(text, names)?,
            Format::Html => page::read(text, names)?,
            Format::Json => json::read(text, names)?,
        };
        let counted = document.records.count_rows();
        report.rows_by = match format {
            Format::Xml => counted,
            _ => RowsBy::Record,
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

    /// A table by the character between its cells: the one that the file states, else the one by
    /// which its first line makes most sense.
    fn table(text: &'a str, options: &ReadOptions, report: &mut FeedReport) -> Self {
        let stated = detect::stated_delimiter(text);
        let delimiter = stated
            .map(|(delimiter, _)| delimiter)
            .or_else(|| headerless::delimiter(text, options))
            .unwrap_or_else(|| {
                detect::delimiter(text, |header| columns::is_named(header, options))
            });
        report.delimiter = Some(delimiter);
        let begin = stated.map_or(0, |(_, begin)| begin);
        Self::Table {
            rows: Rows::from(text, begin, delimiter),
            delimiter,
        }
    }

    /// Reads the header, or names the columns of a file without one.
    ///
    /// # Errors
    /// There is none, and nothing says what the columns are.
    pub(super) fn header(&mut self, options: &ReadOptions) -> Result<Header, Refusal> {
        match self {
            Self::Document(document) => Ok(Header {
                cells: document.records.header(),
                written: true,
            }),
            Self::Table { rows, delimiter } => {
                let mut row = Row::default();
                rows.next(&mut row);
                let names = headerless::names(&row.cells, *delimiter, options)?;
                let written = names.is_none();
                if !written {
                    // The first line is a row.
                    rows.rewind();
                }
                Ok(Header {
                    cells: names.unwrap_or(row.cells),
                    written,
                })
            }
        }
    }

    /// Reads the next row that is not blank; false at the end.
    pub(super) fn next(&mut self, row: &mut Row) -> bool {
        match self {
            Self::Table { rows, .. } => rows.next(row),
            Self::Document(document) => document.records.next(row),
        }
    }

    /// The layout, where the form tells it.
    pub(super) fn layout(&self) -> Option<Layout> {
        match self {
            Self::Table { .. } => None,
            Self::Document(document) => document.layout,
        }
    }

    /// Doubts about the form, found on opening.
    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        match self {
            Self::Table { .. } => Vec::new(),
            Self::Document(document) => std::mem::take(&mut document.findings),
        }
    }
}
