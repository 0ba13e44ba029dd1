//! The records of a file one by one, and the lines that are none because of a quote that is never
//! closed.
//!
//! Cells are told apart by the `csv` crate. It takes every file to its end without a word about damage,
//! so records of several lines are looked at once more here: where the quote that holds such lines
//! together is never closed, or is closed in the middle of a cell, it was opened by mistake. Then its
//! line is left out, and reading goes on at the next line that has as many cells as the others.

use csv::StringRecord;

use super::content::lines;
use super::dialect::Dialect;

/// What stands next in a file.
pub(super) enum Entry {
    /// The cells are in the record that the caller handed in.
    Record,
    /// This line is not part of any row.
    Damaged { line: u64, reason: String },
}

/// More bytes than this many times the file are not read again after damage: a file made so that each
/// line opens a quote would be read once for each of its lines.
const READ_AGAIN: usize = 4;

pub(super) struct Records<'t> {
    text: &'t str,
    dialect: Dialect,
    reader: csv::Reader<&'t [u8]>,
    /// Where the reader's text begins in the whole.
    base: usize,
    /// Where the last record begins and ends in the whole.
    start: usize,
    end: usize,
    /// The cells that a record must have after damage.
    resume_at: Option<usize>,
    read_again: usize,
    /// A place and its line, from which further lines are counted.
    mark: (usize, u64),
}

impl<'t> Records<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect) -> Self {
        Self {
            text,
            reader: dialect.reader(&text[dialect.start..]),
            base: dialect.start,
            start: dialect.start,
            end: dialect.start,
            dialect,
            resume_at: None,
            read_again: 0,
            mark: (0, 1),
        }
    }

    /// The next record or damaged line; none at the end.
    pub(super) fn next(&mut self, record: &mut StringRecord) -> Option<Entry> {
        // The text is valid, and reading from memory does not fail.
        if !self.reader.read_record(record).unwrap_or(false) {
            return None;
        }
        let position = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        self.start = self.end;
        self.end = self.base + position(self.reader.position().byte());
        if let Some(opened_at) = self.quote_opened_by_mistake() {
            return Some(self.leave_out(opened_at));
        }
        match self.resume_at {
            Some(cells) if record.len() != cells => {
                let reason = format!(
                    "it follows the quote that is never closed, and has {} cells where rows have {cells}",
                    record.len()
                );
                let line = self.line();
                Some(Entry::Damaged { line, reason })
            }
            _ => {
                self.resume_at = None;
                Some(Entry::Record)
            }
        }
    }

    /// The line in which the last record begins.
    pub(super) fn line(&mut self) -> u64 {
        let raw = self.text[self.start..self.end].as_bytes();
        let blank = raw.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        self.line_at(self.start + blank.count())
    }

    /// Where the last record or damaged line stands in the text.
    #[cfg(test)]
    pub(super) fn raw(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// True once more was read twice than a file with some damage needs.
    pub(super) fn is_beyond_repair(&self) -> bool {
        self.read_again > READ_AGAIN * self.text.len() + (1 << 20)
    }

    /// Places must not fall from call to call further back than the last record.
    fn line_at(&mut self, place: usize) -> u64 {
        let (from, line) = self.mark;
        if place < from {
            return line - lines(&self.text.as_bytes()[place..from]);
        }
        self.mark = (place, line + lines(&self.text.as_bytes()[from..place]));
        self.mark.1
    }

    /// Where the last record opens a quote that holds its lines together by mistake.
    fn quote_opened_by_mistake(&self) -> Option<usize> {
        let raw = self.text[self.start..self.end].as_bytes();
        let content = raw.trim_ascii_end();
        let blank = content
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
        let spans_lines = memchr::memchr2(b'\r', b'\n', &content[blank..]).is_some();
        let is_last = self.end >= self.text.len();
        if !spans_lines && !is_last {
            return None;
        }
        self.bad_quote(&raw[blank..])
            .map(|at| self.start + blank + at)
    }

    /// Where a quoted cell begins that has no end, or that spans lines and does not end at a
    /// delimiter.
    fn bad_quote(&self, raw: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < raw.len() {
            if raw[at] != b'"' {
                // An unquoted cell: quotes within it are letters like others.
                at += 1 + raw[at..]
                    .iter()
                    .position(|byte| *byte == self.dialect.delimiter)?;
                continue;
            }
            let opened = at;
            at = match self.end_of_quoted(raw, opened + 1) {
                None => return Some(opened),
                Some(closed) => closed + 1,
            };
            match raw.get(at) {
                None | Some(b'\r' | b'\n') => return None,
                Some(byte) if *byte == self.dialect.delimiter => at += 1,
                Some(_) if raw[opened..at].contains(&b'\n') => return Some(opened),
                Some(_) => {
                    at += 1 + raw[at..]
                        .iter()
                        .position(|byte| *byte == self.dialect.delimiter)?;
                }
            }
        }
        None
    }

    fn end_of_quoted(&self, raw: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        while at < raw.len() {
            match raw[at] {
                b'\\' if self.dialect.has_backslash_quotes => at += 2,
                b'"' if raw.get(at + 1) == Some(&b'"') => at += 2,
                b'"' => return Some(at),
                _ => at += 1,
            }
        }
        None
    }

    /// Leaves out the line of a quote, and reads on behind it.
    fn leave_out(&mut self, opened_at: usize) -> Entry {
        let bytes = self.text.as_bytes();
        let line_end =
            memchr::memchr(b'\n', &bytes[opened_at..]).map_or(bytes.len(), |at| opened_at + at + 1);
        let first = self.line();
        let line = self.line_at(opened_at);
        self.read_again += self.end.saturating_sub(line_end);
        self.base = line_end;
        self.end = line_end;
        self.reader = self.dialect.reader(&self.text[line_end..]);
        self.resume_at = Some(self.dialect.cells);
        let reason = if first == line {
            "it opens a quote that is never closed".to_owned()
        } else {
            format!("line {line} of it opens a quote that is never closed")
        };
        Entry::Damaged {
            line: first,
            reason,
        }
    }
}
