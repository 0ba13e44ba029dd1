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

/// Finds the header: the first record of the usual length that has the name of a known column, or
/// words where the rows below have numbers.
pub(super) fn find(records: &[StringRecord], cells: usize) -> Layout {
    let usual = |record: &StringRecord| !is_comment(record, cells) && record.len() * 2 > cells;
    let first = records
        .iter()
        .take(LOOKED_AT)
        .position(|record| usual(record) && record.iter().any(|cell| !cell.trim().is_empty()))
        .unwrap_or_default();
    let Some(candidate) = records.get(first) else {
        return Layout {
            preamble: 0,
            has_header: false,
        };
    };
    let below = &records[records.len().min(first + 1)..records.len().min(first + LOOKED_AT)];
    let has_header = is_header(candidate, below);
    Layout {
        // Short records before rows without a header are short rows.
        preamble: if has_header { first } else { 0 },
        has_header,
    }
}

fn is_header(candidate: &StringRecord, below: &[StringRecord]) -> bool {
    let known = candidate
        .iter()
        .filter(|cell| aliases::is_known(cell))
        .count();
    let has_number = candidate.iter().any(|cell| dialect::is_typed(cell.trim()));
    if known >= 2 || (known == 1 && !has_number) {
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
