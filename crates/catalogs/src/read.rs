//! A catalog's file as a table, with a report for whoever sent it.

use analyst::{
    Column, Table,
    table::{Format, Limits},
};
use inventory::feed;
use serde_json::{Value, json};

use crate::Catalog;

/// What the own table of a catalog is called in answers.
pub(crate) const OWN: &str = "Own catalog";

/// What was read of a file. Rows are told by their lines, from 1.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Report {
    /// Why nothing can be read of it; `None` where it is a table.
    pub refused: Option<String>,
    /// What it is written in; `None` where it is no table.
    pub format: Option<Format>,
    /// Rows of data.
    pub rows: u64,
    /// The character encoding, by its WHATWG name.
    pub encoding: Option<&'static str>,
    /// What stands between cells; `None` in XML and where there is one column.
    pub delimiter: Option<char>,
    /// Each header with the name of what its column means, where that is known.
    pub columns: Vec<(String, Option<&'static str>)>,
    /// Rows that were left out, with their lines, and why.
    pub skipped: Vec<(u64, String)>,
    /// What is odd about the file as a whole.
    pub warnings: Vec<String>,
}

impl Report {
    fn of(table: &Table) -> Self {
        let reading = table.reading();
        let named = |column: &Column| {
            let role = column.role().map(|role| role.name());
            (column.header().to_owned(), role)
        };
        Self {
            refused: None,
            format: reading.format,
            rows: table.rows() as u64,
            encoding: reading.encoding,
            delimiter: reading.delimiter,
            columns: table.columns().iter().map(named).collect(),
            skipped: reading.skipped.clone(),
            warnings: reading.remarks.clone(),
        }
    }

    /// The report as JSON, with the members that reports on feeds have too.
    #[must_use]
    pub fn document(&self) -> Value {
        let columns = self.columns.iter();
        let skipped = self.skipped.iter();
        let warnings = self.warnings.iter();
        json!({
            "format": self.format.map(Format::as_str),
            "encoding": self.encoding,
            "delimiter": self.delimiter,
            "rows": self.rows,
            "rows_skipped": self.skipped.len(),
            "rows_by": "line",
            "columns": columns.map(|(header, role)| json!({ "header": header, "field": role })).collect::<Vec<_>>(),
            "skipped": skipped.map(|(line, why)| json!({ "row": line, "message": why })).collect::<Vec<_>>(),
            "warnings": warnings.map(|text| json!({ "message": text })).collect::<Vec<_>>(),
            "refused": self.refused.as_ref().map(|why| json!({ "message": why })),
        })
    }
}

/// Reads a file as it would be published. Takes time.
#[must_use]
pub fn read(bytes: &[u8], catalog: &Catalog) -> Report {
    match unpack(bytes).and_then(|content| table(&content, catalog)) {
        Ok(table) => Report::of(&table),
        Err(refused) => refusal(refused),
    }
}

/// The table of a file that arrived, its text as it is kept, and the report.
pub(crate) struct Arrived {
    pub(crate) table: Table,
    pub(crate) content: Vec<u8>,
    pub(crate) report: Report,
}

/// Reads a file that arrived.
///
/// # Errors
/// Why it is no table, as [`table`] says it.
pub(crate) fn arrived(bytes: &[u8], catalog: &Catalog) -> Result<Arrived, String> {
    let content = unpack(bytes)?;
    let table = table(&content, catalog)?;
    Ok(Arrived {
        report: Report::of(&table),
        table,
        content,
    })
}

/// The report on a file that is no table.
pub(crate) fn refusal(refused: String) -> Report {
    Report {
        refused: Some(refused),
        ..Report::default()
    }
}

fn unpack(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let content = feed::unpacked(bytes).map_err(|refusal| refusal.message)?;
    Ok(content.into_owned())
}

/// The table of a file, as the seller states what its columns mean.
///
/// # Errors
/// Why it is none, in words that go on from "the file was refused:".
pub(crate) fn table(content: &[u8], catalog: &Catalog) -> Result<Table, String> {
    let mut limits = Limits::default();
    let most = catalog.feed().max_bytes();
    limits.bytes = usize::try_from(most).unwrap_or(usize::MAX);
    let stated: Vec<_> = catalog
        .columns
        .iter()
        .map(|(role, header)| (*role, header.as_str()))
        .collect();
    Table::read_catalog(OWN, content, &limits, &stated).map_err(|reason| reason.to_string())
}
