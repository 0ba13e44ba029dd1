//! How a file's lines are divided into cells: found by trying, and told by nothing but `sep=`.

use std::collections::{BTreeMap, HashSet};

use super::{date, number};
use csv::StringRecord;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How much of a file is tried.
const SAMPLE_BYTES: usize = 64 * 1024;
const SAMPLE_RECORDS: usize = 200;

/// How a file divides its lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    /// Where the first record begins: behind a `sep=` line.
    pub(super) start: usize,
    pub(super) delimiter: u8,
    /// A quote within a quoted cell stands as `\"`.
    pub(super) has_backslash_quotes: bool,
    /// The number of cells that most records have.
    pub(super) cells: usize,
    /// At least half of the records have that number.
    pub(super) is_agreed: bool,
}

impl Dialect {
    pub(super) fn reader<'t>(&self, text: &'t str) -> csv::Reader<&'t [u8]> {
        csv::ReaderBuilder::new()
            .delimiter(self.delimiter)
            .escape(self.has_backslash_quotes.then_some(b'\\'))
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(64 * 1024)
            .from_reader(text.as_bytes())
    }
}

/// Finds the dialect, and the first records in it. `cells` is 1 where no delimiter divides the lines.
pub(super) fn detect(text: &str) -> (Dialect, Vec<StringRecord>) {
    let (start, stated) = separator_line(text);
    let escapes = backslash_quotes(text);
    let mut best = attempt(text, start, stated.unwrap_or(DELIMITERS[0]), &escapes);
    if stated.is_none() {
        for delimiter in &DELIMITERS[1..] {
            let other = attempt(text, start, *delimiter, &escapes);
            if other.score > best.score {
                best = other;
            }
        }
    }
    (best.dialect, best.records)
}

struct Attempt {
    dialect: Dialect,
    records: Vec<StringRecord>,
    score: f64,
}

fn attempt(text: &str, start: usize, delimiter: u8, escapes: &HashSet<u8>) -> Attempt {
    let mut dialect = Dialect {
        start,
        delimiter,
        has_backslash_quotes: escapes.iter().any(|next| *next != delimiter),
        cells: 1,
        is_agreed: false,
    };
    let records = sample(text, &dialect);
    let (cells, agreeing) = modal_length(&records);
    dialect.cells = cells;
    dialect.is_agreed = agreeing * 2 >= records.len();
    let score = score(&records, cells, agreeing);
    Attempt {
        dialect,
        records,
        score,
    }
}

/// The line `sep=;` that spreadsheet programs write for each other: where it ends, and what it states.
fn separator_line(text: &str) -> (usize, Option<u8>) {
    let line = text.split('\n').next().unwrap_or_default();
    let stated = line.trim_end_matches('\r').trim_matches('"');
    let Some((b"sep=", rest)) = stated.as_bytes().split_at_checked(4) else {
        return (0, None);
    };
    match rest {
        [delimiter] if delimiter.is_ascii() && !delimiter.is_ascii_alphanumeric() => {
            ((line.len() + 1).min(text.len()), Some(*delimiter))
        }
        _ => (0, None),
    }
}

/// What follows on `\"` in places at which a quoted cell cannot end, unless it is the delimiter.
fn backslash_quotes(text: &str) -> HashSet<u8> {
    let bytes = text.as_bytes();
    // Few files have a backslash at all.
    let backslashes = memchr::memchr_iter(b'\\', bytes);
    let quoted = backslashes.filter(|at| bytes.get(at + 1) == Some(&b'"'));
    quoted
        .filter_map(|at| bytes.get(at + 2).copied())
        .filter(|next| !matches!(next, b'"' | b'\r' | b'\n'))
        .collect()
}

fn sample(text: &str, dialect: &Dialect) -> Vec<StringRecord> {
    let mut end = (dialect.start + SAMPLE_BYTES).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let is_cut = end < text.len();
    let mut records: Vec<StringRecord> = dialect
        .reader(&text[dialect.start..end])
        .into_records()
        .take(SAMPLE_RECORDS)
        .filter_map(Result::ok)
        .collect();
    if is_cut && records.len() > 1 && records.len() < SAMPLE_RECORDS {
        records.pop();
    }
    records
}

/// The number of cells that most records have, and how many have it; of equals the greater number.
fn modal_length(records: &[StringRecord]) -> (usize, usize) {
    let mut counts = BTreeMap::<usize, usize>::new();
    for record in records {
        *counts.entry(record.len()).or_default() += 1;
    }
    counts
        .into_iter()
        .max_by_key(|(length, count)| (*count, *length))
        .unwrap_or((1, 0))
}

/// How well a delimiter divides: the share of records of the same length, times the logarithm of that
/// length, times the share of cells that are numbers or dates. Files of words alone are compared by the
/// first two.
fn score(records: &[StringRecord], cells: usize, agreeing: usize) -> f64 {
    const OF_WORDS: f64 = 0.05;
    let all: usize = records.iter().map(StringRecord::len).sum();
    if all == 0 {
        return 0.0;
    }
    let typed = records
        .iter()
        .flat_map(StringRecord::iter)
        .filter(|cell| is_typed(cell.trim()))
        .count();
    let share = |part: usize, of: usize| part as f64 / of as f64;
    share(agreeing, records.len()) * (cells as f64).ln() * (OF_WORDS + share(typed, all))
}

/// True for a number, an amount or a day.
pub(super) fn is_typed(cell: &str) -> bool {
    const LONGEST: usize = 40;
    cell.len() <= LONGEST
        && cell.bytes().any(|byte| byte.is_ascii_digit())
        && (number::parse(cell).is_some() || date::parse(cell).is_some())
}
