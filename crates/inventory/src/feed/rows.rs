//! The records of a table with their lines, and rows with stray quotes put right.

use std::io::Cursor;

use csv::{Position, Reader, ReaderBuilder, StringRecord};

use super::loose::{self, Quotes};

/// One record.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// Line on which it begins, as a text editor counts.
    pub(super) line: u64,
    pub(super) cells: StringRecord,
    /// Quotes stood where none may, and were kept as text.
    pub(super) mended: bool,
    /// The text ends with this record, without a line break.
    pub(super) unfinished: bool,
    /// The text ends within a quoted cell of this record.
    pub(super) open: bool,
}

/// The cells of the first record that is not blank.
pub(super) fn first_record(text: &str, delimiter: char) -> StringRecord {
    let mut row = Row::default();
    Rows::new(text, delimiter).next(&mut row);
    row.cells
}

/// Reads records one after the other.
pub(super) struct Rows<'a> {
    text: &'a str,
    delimiter: char,
    reader: Reader<Cursor<&'a [u8]>>,
    /// Cells in the first record.
    width: Option<usize>,
    lines: Lines<'a>,
    /// How often a record with stray quotes may still be looked for across lines.
    attempts: u32,
}

impl<'a> Rows<'a> {
    pub(super) fn new(text: &'a str, delimiter: char) -> Self {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            // Every delimiter is ASCII.
            .delimiter(delimiter as u8)
            .from_reader(Cursor::new(text.as_bytes()));
        Self {
            text,
            delimiter,
            reader,
            width: None,
            lines: Lines::new(text),
            attempts: LOOSE_ATTEMPTS,
        }
    }

    /// Reads the next record into `row`; false at the end.
    ///
    /// A vendor that does not escape quotes (`5'7" Box`) makes the rules of RFC 4180 join cells, or
    /// rows up to the next quote in the file. A record with quotes out of place is therefore read
    /// again by a looser rule (see [`loose::split`]), which is believed if it gives exactly as many
    /// cells as the header has.
    pub(super) fn next(&mut self, row: &mut Row) -> bool {
        // Foreign bytes cannot fail here: the text is UTF-8 and lies in memory.
        if !self.reader.read_record(&mut row.cells).unwrap_or(false) {
            return false;
        }
        let start = row.cells.position().map_or(0, Position::byte) as usize;
        let mut end = self.reader.position().byte() as usize;
        // Line breaks before the record belong to blank lines and to the record before.
        let raw = self.text[start..end].trim_start_matches(['\r', '\n']);
        let start = end - raw.len();

        let quotes = loose::quotes(raw, self.delimiter);
        let broken = quotes != Quotes::Fine;
        let spans_lines = raw.trim_end().contains(['\r', '\n']);
        // A quote that is closed by chance in a later row joins the rows between.
        let doubtful = spans_lines && !self.fits(&row.cells);
        row.mended = false;
        if (broken || doubtful)
            && let Some((cells, length)) = self.read_loosely(start, broken && spans_lines)
        {
            row.cells = cells;
            row.mended = true;
            end = start + length;
            self.resume_at(end);
        }
        row.line = self.lines.line_of(start);
        row.unfinished = end == self.text.len() && !self.text.ends_with(['\r', '\n']);
        row.open = row.unfinished && quotes == Quotes::Open;
        self.width.get_or_insert(row.cells.len());
        true
    }

    /// True for cells of the number that the header has; the header itself always fits.
    fn fits(&self, cells: &StringRecord) -> bool {
        self.width.is_none_or(|width| width == cells.len())
    }

    /// The record that begins at `start` by the looser rule, and its length in bytes.
    ///
    /// Where a quote is not closed on its line, the cell may go on below, or the quote may be
    /// text. The record goes on if that fits the header, and the line alone does not, or the next
    /// line is no record by itself. If `ends_with_line`, a record that fits in neither way ends
    /// with its line, so that its quote spoils no other row.
    fn read_loosely(
        &mut self,
        start: usize,
        ends_with_line: bool,
    ) -> Option<(StringRecord, usize)> {
        self.width?;
        let rest = &self.text[start..];
        let line = first_line(rest);
        let (cells, length, open) = self.split(line);
        let line_fits = self.fits(&cells);
        if line_fits && !open {
            return Some((cells, length));
        }
        let next_fits = || self.fits(&self.split(first_line(rest[line.len()..].trim_start())).0);
        if self.attempts > 0 {
            let window = &rest[..rest.floor_char_boundary(LONGEST_LOOSE_RECORD)];
            let (cells, length, _) = self.split(window);
            if self.fits(&cells) && !(line_fits && next_fits()) {
                return Some((cells, length));
            }
            self.attempts -= 1;
        }
        (line_fits || ends_with_line).then_some((cells, length))
    }

    fn split(&self, text: &str) -> (StringRecord, usize, bool) {
        let split = loose::split(text, self.delimiter);
        (StringRecord::from(split.cells), split.length, split.open)
    }

    fn resume_at(&mut self, byte: usize) {
        let mut position = Position::new();
        position.set_byte(byte as u64);
        // Seeking within a slice does not fail.
        let _ = self.reader.seek(position);
    }
}

/// Bytes within which a record with stray quotes must end to be read across lines.
const LONGEST_LOOSE_RECORD: usize = 16 * 1024;

/// Records that are looked for across lines in vain before a file gets no more attempts, which
/// keeps the time for a hostile file in proportion to its length.
const LOOSE_ATTEMPTS: u32 = 1_000;

fn first_line(text: &str) -> &str {
    &text[..text.find(['\r', '\n']).unwrap_or(text.len())]
}

/// Counts lines up to byte offsets that only grow.
struct Lines<'a> {
    text: &'a [u8],
    /// What ends a line: a line feed, or a carriage return in a file that has no line feed.
    end: u8,
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text: text.as_bytes(),
            end: if text.contains('\n') { b'\n' } else { b'\r' },
            at: 0,
            line: 1,
        }
    }

    fn line_of(&mut self, byte: usize) -> u64 {
        let passed = &self.text[self.at..byte];
        self.line += passed.iter().filter(|byte| **byte == self.end).count() as u64;
        self.at = byte;
        self.line
    }
}
