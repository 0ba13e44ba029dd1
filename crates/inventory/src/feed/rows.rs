//! The records of a table with their lines, and rows with stray quotes put right.

use std::io::Cursor;

use csv::{Position, Reader, ReaderBuilder, StringRecord, Terminator};

use super::clean::text;
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
    /// A quoted cell of this record is not closed in the rest of the text, and the record makes no
    /// whole row without it either.
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
    /// Where the first record begins.
    begin: usize,
    delimiter: char,
    reader: Reader<Cursor<&'a [u8]>>,
    /// Cells in the first record.
    width: Option<usize>,
    /// How often a record with stray quotes may still be looked for across lines.
    attempts: u32,
}

impl<'a> Rows<'a> {
    pub(super) fn new(text: &'a str, delimiter: char) -> Self {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            // A carriage return alone, inside a text that a vendor does not quote, ends no row.
            .terminator(Terminator::Any(b'\n'))
            // Every delimiter is ASCII.
            .delimiter(delimiter as u8)
            .from_reader(Cursor::new(text.as_bytes()));
        Self {
            text,
            begin: 0,
            delimiter,
            reader,
            width: None,
            attempts: LOOSE_ATTEMPTS,
        }
    }

    /// Reads what follows a byte at which a line begins.
    pub(super) fn from(text: &'a str, begin: usize, delimiter: char) -> Self {
        let mut rows = Self::new(text, delimiter);
        rows.begin = begin;
        rows.rewind();
        rows
    }

    /// Goes back to the first record.
    pub(super) fn rewind(&mut self) {
        self.width = None;
        self.resume_at(self.begin, 1 + newlines(&self.text[..self.begin]));
    }

    /// Reads the next record that is not blank into `row`; false at the end.
    pub(super) fn next(&mut self, row: &mut Row) -> bool {
        while self.read(row) {
            if row.cells.iter().any(|cell| text::cell(cell).is_some()) {
                self.width.get_or_insert(row.cells.len());
                return true;
            }
        }
        false
    }

    /// A vendor that does not escape quotes (`5'7" Box`) makes the rules of RFC 4180 join cells, or
    /// rows up to the next quote in the file. A record with quotes out of place is therefore read
    /// again by a looser rule (see [`loose::split`]), which is believed if it gives exactly as many
    /// cells as the header has.
    fn read(&mut self, row: &mut Row) -> bool {
        // Foreign bytes cannot fail here: the text is UTF-8 and lies in memory.
        if !self.reader.read_record(&mut row.cells).unwrap_or(false) {
            return false;
        }
        let begin = row.cells.position().map_or(0, Position::byte) as usize;
        let mut end = self.reader.position().byte() as usize;
        // Line breaks before the record belong to blank lines and to the record before.
        let raw = self.text[begin..end].trim_start_matches(['\r', '\n']);
        let start = end - raw.len();
        row.line =
            row.cells.position().map_or(1, Position::line) + newlines(&self.text[begin..start]);

        let quotes = loose::quotes(raw, self.delimiter);
        let broken = quotes != Quotes::Fine;
        row.mended = false;
        // A quote that is closed by chance in a later row joins the rows between.
        if (broken || !self.fits(&row.cells) && spans_lines(raw))
            && let Some((cells, length)) = self.read_loosely(start, broken && spans_lines(raw))
        {
            row.cells = cells;
            row.mended = true;
            end = start + length;
            self.resume_at(end, row.line + newlines(&self.text[start..end]));
        }
        row.unfinished = end == self.text.len() && !self.text.ends_with('\n');
        let is_whole = row.mended && self.fits(&row.cells) && !row.unfinished;
        row.open = quotes == Quotes::Open && !is_whole;
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
        let next_fits = || {
            self.fits(
                &self
                    .split(first_line(
                        rest[line.len()..].trim_start_matches(['\r', '\n']),
                    ))
                    .0,
            )
        };
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

    fn resume_at(&mut self, byte: usize, line: u64) {
        let mut position = Position::new();
        position.set_byte(byte as u64).set_line(line);
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
    &text[..text.find('\n').unwrap_or(text.len())]
}

fn spans_lines(record: &str) -> bool {
    record.trim_end_matches(['\r', '\n']).contains('\n')
}

/// Line feeds in a text.
pub(super) fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}
