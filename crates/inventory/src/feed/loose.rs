//! Records of vendors that do not escape their quotes.

use std::borrow::Cow;

/// How the quotes of a record stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// None, or only around cells and doubled within. Quotes in a cell that does not begin with
    /// one are text.
    Fine,
    /// One stands inside a quoted cell without being doubled.
    Stray,
    /// A quoted cell is not closed.
    Open,
}

pub(super) fn quotes(raw: &str, delimiter: char) -> Quotes {
    let bytes = raw.as_bytes();
    let mut quoted = false;
    let mut from = 0;
    while let Some(found) = raw[from..].find('"') {
        let at = from + found;
        from = at + 1;
        if !quoted {
            quoted = at == 0 || bytes[at - 1] == delimiter as u8;
        } else if bytes.get(from) == Some(&b'"') {
            from += 1;
        } else if cell_ends(&raw[from..], delimiter) {
            quoted = false;
        } else {
            return Quotes::Stray;
        }
    }
    if quoted { Quotes::Open } else { Quotes::Fine }
}

/// A record by the looser rule.
pub(super) struct Split<'t> {
    pub(super) cells: Vec<Cow<'t, str>>,
    /// Bytes of the record, its line break not counted.
    pub(super) length: usize,
    /// A cell begins with a quote that is not closed, and is taken as text.
    pub(super) open: bool,
}

/// Splits the first record of a text so that a quote only closes a cell where the cell can end,
/// and only opens one that is closed later; every other quote is text.
pub(super) fn split(text: &str, delimiter: char) -> Split<'_> {
    let mut split = Split {
        cells: Vec::new(),
        length: 0,
        open: false,
    };
    loop {
        let rest = &text[split.length..];
        let (cell, length) = quoted_cell(rest, delimiter).unwrap_or_else(|| {
            let end = rest.find([delimiter, '\n']).unwrap_or(rest.len());
            split.open |= rest.starts_with('"');
            (Cow::Borrowed(&rest[..end]), end)
        });
        split.cells.push(cell);
        split.length += length;
        if !text[split.length..].starts_with(delimiter) {
            return split;
        }
        split.length += delimiter.len_utf8();
    }
}

/// The quoted cell at the beginning of a text, and its length with the quotes.
fn quoted_cell(text: &str, delimiter: char) -> Option<(Cow<'_, str>, usize)> {
    let inner = text.strip_prefix('"')?;
    let mut from = 0;
    loop {
        let at = from + inner[from..].find('"')?;
        let after = &inner[at + 1..];
        if cell_ends(after, delimiter) {
            let cell = &inner[..at];
            let cell = if cell.contains("\"\"") {
                Cow::Owned(cell.replace("\"\"", "\""))
            } else {
                Cow::Borrowed(cell)
            };
            return Some((cell, at + 2));
        }
        from = at + 1 + usize::from(after.starts_with('"'));
    }
}

/// True where a cell can end: at a delimiter, a line break, or the end of the text.
fn cell_ends(rest: &str, delimiter: char) -> bool {
    rest.is_empty()
        || rest.starts_with([delimiter, '\n'])
        || rest.starts_with("\r\n")
        || rest == "\r"
}
