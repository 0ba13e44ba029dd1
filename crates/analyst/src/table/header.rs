//! Whether a file has a header, where it stands, and what its columns are called.

use csv::StringRecord;

use super::{aliases, dialect};

/// Records that are looked at.
const LOOKED_AT: usize = 20;

/// What the first records are.
pub(super) struct Layout {
    /// Records before the header or the first row.
    pub(super) preamble: usize,
    pub(super) has_header: bool,
}

/// Finds the header: a record with the names of two known columns below nothing but titles, else the
/// first record of the usual length, if it has the name of a known column, or words where the rows below
/// have numbers.
pub(super) fn find(records: &[StringRecord], cells: usize) -> Layout {
    let named = records
        .iter()
        .take(LOOKED_AT)
        .position(|record| known(record) >= 2);
    if let Some(at) = named {
        let is_title = |record: &StringRecord| filled(record) * 2 <= filled(&records[at]);
        if records[..at].iter().all(is_title) {
            return Layout {
                preamble: at,
                has_header: true,
            };
        }
    }
    let usual = |record: &StringRecord| !is_comment(record, cells) && record.len() * 2 > cells;
    let first = records
        .iter()
        .take(LOOKED_AT)
        .position(|record| usual(record) && filled(record) > 0)
        .unwrap_or_default();
    let below = &records[records.len().min(first + 1)..records.len().min(first + LOOKED_AT)];
    let has_header = records
        .get(first)
        .is_some_and(|candidate| is_header(candidate, below));
    Layout {
        // Short records before rows without a header are short rows.
        preamble: if has_header { first } else { 0 },
        has_header,
    }
}

fn known(record: &StringRecord) -> usize {
    record.iter().filter(|cell| aliases::is_known(cell)).count()
}

fn filled(record: &StringRecord) -> usize {
    record.iter().filter(|cell| !cell.trim().is_empty()).count()
}

fn is_header(candidate: &StringRecord, below: &[StringRecord]) -> bool {
    let has_number = candidate.iter().any(|cell| dialect::is_typed(cell.trim()));
    if !has_number && known(candidate) == 1 {
        return true;
    }
    !has_number
        && (0..candidate.len()).any(|column| {
            let is_word = candidate
                .get(column)
                .is_some_and(|cell| !cell.trim().is_empty());
            let cells = below.iter().filter_map(|record| record.get(column));
            let values: Vec<&str> = cells
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect();
            let typed = values.iter().filter(|cell| dialect::is_typed(cell)).count();
            is_word && typed > 0 && typed * 2 > values.len()
        })
}

/// A line that begins with `#` is a comment where it has not as many cells as the rows.
pub(super) fn is_comment(record: &StringRecord, cells: usize) -> bool {
    record.len() != cells
        && record
            .get(0)
            .is_some_and(|cell| cell.trim_start().starts_with('#'))
}

/// The names of `width` columns: the cells of the header, and `column 3` where there is none.
pub(super) fn names(header: Option<&StringRecord>, width: usize) -> Vec<String> {
    (0..width)
        .map(|column| {
            let cell = header.and_then(|header| header.get(column));
            let name = cell
                .unwrap_or_default()
                .trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{FEFF}');
            if name.is_empty() {
                format!("column {}", column + 1)
            } else {
                name.to_owned()
            }
        })
        .collect()
}

/// One remark for each name that several columns have.
pub(super) fn repeated(names: &[String]) -> Vec<String> {
    let mut remarks = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            continue;
        }
        let columns: Vec<String> = (at..names.len())
            .filter(|column| names[*column] == *name)
            .map(|column| (column + 1).to_string())
            .collect();
        if columns.len() > 1 {
            remarks.push(format!(
                "The header “{name}” stands {} times, over the columns {}; the name means the first of them.",
                columns.len(),
                columns.join(", ")
            ));
        }
    }
    remarks
}
