//! From the bytes of a file to columns, and an account of every record.

use std::borrow::Cow;

use csv::StringRecord;

use super::dialect::{self, Dialect};
use super::reading::Format;
use super::records::{Entry, Records};
use super::{Column, Limits, Reading, Unreadable, aliases, content, encoding, header, xml};

/// Columns without roles, all of the same length.
pub(super) struct Raw {
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
    pub(super) reading: Reading,
    /// The day that the file states of itself, the same in each row.
    pub(super) snapshot: Option<Column>,
    /// The columns for which some row had several values.
    pub(super) joined: Vec<usize>,
}

/// Offsets into a file are kept in 32 bits.
const MOST_BYTES: usize = u32::MAX as usize;

/// Reads a CSV file.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Raw, Unreadable> {
    let (text, reading) = text(bytes, limits)?;
    read_lines(&text, limits, reading)
}

/// Reads a CSV file or an XML document.
pub(super) fn read_catalog(bytes: &[u8], limits: &Limits) -> Result<Raw, Unreadable> {
    let (text, reading) = text(bytes, limits)?;
    content::refuse_pages(&text)?;
    if xml::is_document(&text) {
        xml::read(&text, limits, reading)
    } else {
        read_lines(&text, limits, reading)
    }
}

/// The text of a file.
fn text<'b>(bytes: &'b [u8], limits: &Limits) -> Result<(Cow<'b, str>, Reading), Unreadable> {
    let limit = limits.bytes.min(MOST_BYTES);
    let too_large = |found| Unreadable::TooLarge { found, limit };
    if bytes.len() > limit {
        return Err(too_large(bytes.len()));
    }
    content::refuse_other_formats(bytes)?;
    let decoded = encoding::decode(bytes);
    if decoded.text.len() > MOST_BYTES {
        return Err(too_large(decoded.text.len()));
    }
    content::refuse_binary(&decoded.text)?;
    let mut reading = Reading {
        encoding: Some(decoded.encoding),
        ..Reading::default()
    };
    if decoded.is_damaged {
        reading.remarks.push(format!(
            "Some bytes mean nothing in the encoding {}; “\u{FFFD}” stands in their place.",
            decoded.encoding
        ));
    }
    Ok((decoded.text, reading))
}

/// Reads the lines of a CSV file.
fn read_lines(text: &str, limits: &Limits, mut reading: Reading) -> Result<Raw, Unreadable> {
    content::refuse_other_languages(text)?;
    if text
        .trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{FEFF}')
        .is_empty()
    {
        return Err(Unreadable::Empty);
    }
    reading.format = Some(Format::Csv);
    let (dialect, sample) = dialect::detect(text);
    let layout = header::find(&sample, dialect.cells);
    let is_divided = dialect.cells > 1 && dialect.is_agreed;
    let is_list = sample
        .get(layout.preamble)
        .is_some_and(|record| record.iter().any(aliases::is_known));
    if !(is_divided || (layout.has_header && is_list)) {
        return Err(Unreadable::NoTable);
    }
    reading.delimiter = (dialect.cells > 1).then_some(char::from(dialect.delimiter));

    let mut rows = Rows::new(text, dialect, limits, reading);
    let header = rows.skip_to_header(layout.preamble, layout.has_header);
    rows.open_columns(header.as_ref())?;
    while rows.step()? {}
    rows.finish()
}

/// The rows of a file on their way into columns.
struct Rows<'t> {
    records: Records<'t>,
    dialect: Dialect,
    limits: &'t Limits,
    header: Option<StringRecord>,
    record: StringRecord,
    columns: Vec<Column>,
    rows: usize,
    short: Lines,
    reading: Reading,
}

/// Some lines of which the first few are named.
#[derive(Default)]
struct Lines {
    count: usize,
    first: Vec<u64>,
}

impl<'t> Rows<'t> {
    fn new(text: &'t str, dialect: Dialect, limits: &'t Limits, reading: Reading) -> Self {
        Self {
            records: Records::new(text, dialect),
            dialect,
            limits,
            header: None,
            record: StringRecord::new(),
            columns: Vec::new(),
            rows: 0,
            short: Lines::default(),
            reading,
        }
    }

    /// Counts what stands before the header, and takes the header.
    fn skip_to_header(&mut self, preamble: usize, has_header: bool) -> Option<StringRecord> {
        if !has_header {
            return None;
        }
        let mut before = preamble;
        loop {
            match self.records.next(&mut self.record)? {
                Entry::Damaged { line, reason } => self.reading.skipped.push((line, reason)),
                Entry::Record if before == 0 => {
                    self.reading.header_line = Some(self.records.line());
                    return Some(self.record.clone());
                }
                Entry::Record if header::is_comment(&self.record, self.dialect.cells) => {
                    self.reading.comments += 1;
                }
                Entry::Record if self.record.iter().all(|cell| cell.trim().is_empty()) => {
                    self.reading.empty_rows += 1;
                }
                Entry::Record => self.reading.preamble += 1,
            }
            before = before.saturating_sub(1);
        }
    }

    fn open_columns(&mut self, header: Option<&StringRecord>) -> Result<(), Unreadable> {
        let named = header.map_or(0, StringRecord::len);
        let width = named.max(self.dialect.cells);
        if width > self.limits.columns {
            return Err(Unreadable::TooManyColumns {
                found: width,
                limit: self.limits.columns,
            });
        }
        let names = header::names(header, width);
        match header {
            None => self.reading.remarks.push(format!(
                "The file has no header; its columns are called “column 1” to “column {width}”."
            )),
            Some(_) if named < width => self.reading.remarks.push(format!(
                "The header names {named} columns and rows have {width}; the further ones are called “column {}” and so on.",
                named + 1
            )),
            Some(_) => {}
        }
        self.reading.remarks.extend(header::repeated(&names));
        self.columns = names.iter().map(|name| Column::new(name, None)).collect();
        self.header = header.cloned();
        Ok(())
    }

    /// Takes one record; false at the end.
    fn step(&mut self) -> Result<bool, Unreadable> {
        let Some(entry) = self.records.next(&mut self.record) else {
            return Ok(false);
        };
        if let Entry::Damaged { line, reason } = entry {
            self.reading.skipped.push((line, reason));
            if self.records.is_beyond_repair() {
                return Err(self.damaged());
            }
            return Ok(true);
        }
        let width = self.columns.len();
        let cells = self.record.len();
        if cells == width && !self.repeats_header() {
            return self.take().map(|()| true);
        }
        if self.is_blank() {
            self.reading.empty_rows += 1;
        } else if header::is_comment(&self.record, self.dialect.cells) {
            self.reading.comments += 1;
        } else if self.repeats_header() {
            self.leave_out("it repeats the header".to_owned());
        } else if self
            .record
            .iter()
            .skip(width)
            .any(|cell| !cell.trim().is_empty())
        {
            // Which cells belong to which columns, nobody can tell.
            self.leave_out(format!("it has {cells} cells where the header has {width}"));
        } else {
            if cells < width {
                let line = self.records.line();
                self.short.add(line);
            }
            return self.take().map(|()| true);
        }
        Ok(true)
    }

    /// Adds the record to the columns.
    fn take(&mut self) -> Result<(), Unreadable> {
        if self.is_blank() {
            self.reading.empty_rows += 1;
            return Ok(());
        }
        if self.rows == self.limits.rows {
            return Err(Unreadable::TooManyRows {
                limit: self.limits.rows,
            });
        }
        let mut cells = self.record.iter();
        for column in &mut self.columns {
            column.push(cells.next().unwrap_or_default());
        }
        self.rows += 1;
        Ok(())
    }

    fn is_blank(&self) -> bool {
        self.record.as_slice().trim().is_empty()
    }

    /// Files that were put together repeat the header in their middle.
    fn repeats_header(&self) -> bool {
        self.header.as_ref().is_some_and(|header| {
            header.get(0) == self.record.get(0) && header.iter().eq(self.record.iter())
        })
    }

    fn leave_out(&mut self, reason: String) {
        let line = self.records.line();
        self.reading.skipped.push((line, reason));
    }

    fn damaged(&self) -> Unreadable {
        let (line, reason) = self.reading.skipped.first().cloned().unwrap_or_default();
        Unreadable::Damaged {
            skipped: self.reading.skipped.len(),
            line,
            reason,
        }
    }

    fn finish(mut self) -> Result<Raw, Unreadable> {
        if self.reading.skipped.len() > self.rows {
            return Err(self.damaged());
        }
        if self.rows == 0 {
            return Err(match self.header {
                Some(_) => Unreadable::HeaderOnly,
                None => Unreadable::Empty,
            });
        }
        for column in &mut self.columns {
            column.finish();
        }
        self.reading.remark_on_records(&self.short);
        Ok(Raw {
            columns: self.columns,
            rows: self.rows,
            reading: self.reading,
            snapshot: None,
            joined: Vec::new(),
        })
    }
}

impl Reading {
    fn remark_on_records(&mut self, short: &Lines) {
        let mut remark = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => self.remarks.push(format!("1 {one}.")),
            _ => self.remarks.push(format!("{count} {many}.")),
        };
        remark(
            self.preamble,
            "line before the header is no row",
            "lines before the header are no rows",
        );
        remark(self.comments, "line is a comment", "lines are comments");
        remark(
            self.empty_rows,
            "row has no value in any cell",
            "rows have no value in any cell",
        );
        let lines = short.named();
        let missing = "their further cells count as empty";
        remark(
            short.count as u64,
            &format!("row is shorter than the header ({lines}); its further cells count as empty"),
            &format!("rows are shorter than the header ({lines}); {missing}"),
        );
    }
}

impl Lines {
    const NAMED: usize = 5;

    fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first.len() < Self::NAMED {
            self.first.push(line);
        }
    }

    /// `line 3`, or `lines 3, 9 and 40 more`.
    fn named(&self) -> String {
        let first: Vec<String> = self.first.iter().map(u64::to_string).collect();
        let word = if self.count == 1 { "line" } else { "lines" };
        match self.count - first.len() {
            0 => format!("{word} {}", first.join(", ")),
            more => format!("{word} {} and {more} more", first.join(", ")),
        }
    }
}
