//! The text of a column's cells, kept small.
//!
//! Most columns of a catalog repeat few values, and keep a small number for each row. A column of ids,
//! titles or descriptions hardly repeats any; it keeps its text in row order.

use std::collections::HashMap;
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

/// A column with more distinct values keeps no numbers for them.
const MOST_DISTINCT: usize = u16::MAX as usize;

/// With so many distinct values it is looked whether values repeat at all.
const LOOKED_AT: usize = 1024;

/// Rows in a chunk.
const CHUNK_BITS: usize = 16;

/// What a row without a value has in place of a symbol.
const NO_SYMBOL: u32 = u32::MAX;

pub(super) enum Cells {
    Repeating(Repeating),
    Spelled(Spelled),
}

/// Distinct values, and for each row the place of its value plus one; 0 is no value.
#[derive(Default)]
pub(super) struct Repeating {
    values: IndexSet<Box<str>, RandomState>,
    codes: Codes,
}

enum Codes {
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
}

/// Texts one behind the other; an empty one is no value.
#[derive(Default)]
pub(super) struct Spelled {
    chunks: Vec<Chunk>,
    rows: usize,
    /// For each row the first row with the same text.
    firsts: OnceLock<Vec<u32>>,
}

#[derive(Default)]
struct Chunk {
    text: String,
    ends: Vec<u32>,
}

impl Default for Cells {
    fn default() -> Self {
        Self::Repeating(Repeating::default())
    }
}

impl Default for Codes {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

impl Cells {
    pub(super) fn push(&mut self, cell: &str) {
        match self {
            Self::Spelled(spelled) => spelled.push(value(cell).unwrap_or_default()),
            Self::Repeating(repeating) => {
                if !repeating.push(cell) {
                    let mut spelled = repeating.spell_out();
                    spelled.push(value(cell).unwrap_or_default());
                    *self = Self::Spelled(spelled);
                }
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Repeating(repeating) => repeating.codes.len(),
            Self::Spelled(spelled) => spelled.rows,
        }
    }

    pub(super) fn text(&self, row: usize) -> Option<&str> {
        match self {
            Self::Repeating(repeating) => {
                let code = repeating.codes.get(row)?.checked_sub(1)?;
                repeating.values.get_index(code).map(AsRef::as_ref)
            }
            Self::Spelled(spelled) => spelled.text(row).filter(|text| !text.is_empty()),
        }
    }

    /// Equal text, equal symbol.
    pub(super) fn symbol(&self, row: usize) -> Option<u32> {
        match self {
            Self::Repeating(repeating) => {
                let code = repeating.codes.get(row)?.checked_sub(1)?;
                u32::try_from(code).ok()
            }
            Self::Spelled(spelled) => {
                let first = *spelled.firsts().get(row)?;
                (first != NO_SYMBOL).then_some(first)
            }
        }
    }

    pub(super) fn symbol_text(&self, symbol: u32) -> &str {
        let text = match self {
            Self::Repeating(repeating) => repeating
                .values
                .get_index(symbol as usize)
                .map(AsRef::as_ref),
            Self::Spelled(spelled) => spelled.text(symbol as usize),
        };
        text.unwrap_or_default()
    }

    /// Where the parsed form of a row's cell stands: cells with the same text may share a place.
    pub(super) fn place(&self, row: usize) -> Option<usize> {
        match self {
            Self::Repeating(repeating) => repeating.codes.get(row)?.checked_sub(1),
            Self::Spelled(spelled) => (row < spelled.rows).then_some(row),
        }
    }

    /// The text at each place, empty where there is no value.
    pub(super) fn places(&self) -> impl Iterator<Item = &str> {
        let (values, rows) = match self {
            Self::Repeating(repeating) => (Some(repeating.values.iter().map(AsRef::as_ref)), 0),
            Self::Spelled(spelled) => (None, spelled.rows),
        };
        let rows = (0..rows).filter_map(|row| match self {
            Self::Spelled(spelled) => spelled.text(row),
            Self::Repeating(_) => None,
        });
        values.into_iter().flatten().chain(rows)
    }

    pub(super) fn distinct(&self) -> impl Iterator<Item = u32> {
        let (values, firsts) = match self {
            Self::Repeating(repeating) => (repeating.values.len(), [].as_slice()),
            Self::Spelled(spelled) => (0, spelled.firsts()),
        };
        let values = 0..u32::try_from(values).unwrap_or(u32::MAX);
        let firsts = (0_u32..).zip(firsts);
        values.chain(
            firsts
                .filter(|(row, first)| row == *first)
                .map(|(row, _)| row),
        )
    }

    /// Gives back what was reserved for further rows.
    pub(super) fn finish(&mut self) {
        match self {
            Self::Repeating(repeating) => {
                repeating.values.shrink_to_fit();
                match &mut repeating.codes {
                    Codes::Bytes(codes) => codes.shrink_to_fit(),
                    Codes::Shorts(codes) => codes.shrink_to_fit(),
                }
            }
            Self::Spelled(spelled) => {
                if let Some(chunk) = spelled.chunks.last_mut() {
                    chunk.shrink_to_fit();
                }
                spelled.chunks.shrink_to_fit();
            }
        }
    }
}

impl Repeating {
    /// False, and nothing is added, where the column should keep text instead.
    fn push(&mut self, cell: &str) -> bool {
        let Some(cell) = trimmed(cell) else {
            self.codes.push(0);
            return true;
        };
        let place = match self.values.get_index_of(cell) {
            Some(place) => place,
            None if is_filler(cell) => {
                self.codes.push(0);
                return true;
            }
            None if !self.has_room() => return false,
            None => self.values.insert_full(cell.into()).0,
        };
        self.codes.push(place + 1);
        true
    }

    fn has_room(&self) -> bool {
        let distinct = self.values.len();
        distinct < MOST_DISTINCT && (distinct != LOOKED_AT || self.codes.len() > 2 * LOOKED_AT)
    }

    fn spell_out(&mut self) -> Spelled {
        let mut spelled = Spelled::default();
        for row in 0..self.codes.len() {
            let place = self.codes.get(row).and_then(|code| code.checked_sub(1));
            let text = place.and_then(|place| self.values.get_index(place));
            spelled.push(text.map_or("", AsRef::as_ref));
        }
        spelled
    }
}

impl Codes {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(codes) => codes.len(),
            Self::Shorts(codes) => codes.len(),
        }
    }

    fn get(&self, row: usize) -> Option<usize> {
        match self {
            Self::Bytes(codes) => codes.get(row).copied().map(usize::from),
            Self::Shorts(codes) => codes.get(row).copied().map(usize::from),
        }
    }

    /// `code` is at most [`MOST_DISTINCT`].
    fn push(&mut self, code: usize) {
        match self {
            Self::Bytes(codes) => match u8::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => {
                    let wider = codes.iter().copied().map(u16::from).collect();
                    *self = Self::Shorts(wider);
                    self.push(code);
                }
            },
            Self::Shorts(codes) => codes.push(u16::try_from(code).unwrap_or_default()),
        }
    }
}

impl Spelled {
    fn push(&mut self, text: &str) {
        if self.rows & ((1 << CHUNK_BITS) - 1) == 0 {
            if let Some(full) = self.chunks.last_mut() {
                full.shrink_to_fit();
            }
            self.chunks.push(Chunk::default());
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.text.push_str(text);
            // Files of more than 4 GiB are refused, so every end fits.
            chunk
                .ends
                .push(u32::try_from(chunk.text.len()).unwrap_or(u32::MAX));
        }
        self.rows += 1;
    }

    fn text(&self, row: usize) -> Option<&str> {
        let chunk = self.chunks.get(row >> CHUNK_BITS)?;
        let at = row & ((1 << CHUNK_BITS) - 1);
        let end = *chunk.ends.get(at)? as usize;
        let start = match at.checked_sub(1) {
            Some(before) => chunk.ends[before] as usize,
            None => 0,
        };
        chunk.text.get(start..end)
    }

    fn firsts(&self) -> &[u32] {
        self.firsts.get_or_init(|| {
            let mut seen: HashMap<&str, u32, RandomState> = HashMap::default();
            (0..self.rows)
                .map(|row| match self.text(row) {
                    None | Some("") => NO_SYMBOL,
                    Some(text) => {
                        let row = u32::try_from(row).unwrap_or(NO_SYMBOL);
                        *seen.entry(text).or_insert(row)
                    }
                })
                .collect()
        })
    }
}

impl Chunk {
    fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// The value of a cell; none where it is empty or a filler.
pub(super) fn value(cell: &str) -> Option<&str> {
    trimmed(cell).filter(|cell| !is_filler(cell))
}

fn trimmed(cell: &str) -> Option<&str> {
    let ends = (cell.as_bytes().first()?, cell.as_bytes().last()?);
    // Most cells have nothing to trim.
    if matches!(ends, (b'!'..=b'~', b'!'..=b'~')) {
        return Some(cell);
    }
    let is_blank =
        |letter: char| letter.is_whitespace() || letter.is_control() || letter == '\u{FEFF}';
    let cell = cell.trim_matches(is_blank);
    (!cell.is_empty()).then_some(cell)
}

/// What programs write in place of nothing, and the errors of spreadsheet programs.
fn is_filler(cell: &str) -> bool {
    const FILLERS: [&str; 16] = [
        "null",
        "n/a",
        "#n/a",
        "nan",
        "undefined",
        "(null)",
        "(blank)",
        "-",
        "--",
        "–",
        "—",
        "\\n",
        "#ref!",
        "#value!",
        "#div/0!",
        "#name?",
    ];
    const LONGEST: usize = 9;
    let begins = matches!(
        cell.as_bytes().first(),
        Some(b'n' | b'N' | b'#' | b'u' | b'U' | b'(' | b'-' | b'\\' | 0xE2)
    );
    begins
        && cell.len() <= LONGEST
        // Python writes `None`; a shop writes `none` and means it.
        && (cell == "None"
            || FILLERS
                .iter()
                .any(|filler| cell.eq_ignore_ascii_case(filler)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_answers_alike_whether_its_values_repeat_or_not() {
        let cell = |row: usize, of: usize| match row % 7 {
            0 => " N/A ".to_owned(),
            _ => format!(" value {} ", row % of),
        };
        for (distinct, is_spelled) in [(300, false), (70_000, true), (1_000_000, true)] {
            let mut cells = Cells::default();
            for row in 0..80_000 {
                cells.push(&cell(row, distinct));
            }
            cells.finish();
            assert_eq!(matches!(cells, Cells::Spelled(_)), is_spelled, "{distinct}");
            assert_eq!(cells.len(), 80_000);
            let mut by_symbol = HashMap::new();
            for row in 0..80_000 {
                let text = cell(row, distinct);
                let expected = (row % 7 != 0).then(|| text.trim());
                assert_eq!(cells.text(row), expected);
                let symbol = cells.symbol(row);
                assert_eq!(symbol.map(|symbol| cells.symbol_text(symbol)), expected);
                if let (Some(symbol), Some(text)) = (symbol, expected) {
                    let text = by_symbol
                        .entry(symbol)
                        .or_insert_with(|| text.to_owned())
                        .clone();
                    assert_eq!(Some(text.as_str()), expected);
                }
            }
            assert_eq!(cells.distinct().count(), by_symbol.len());
            assert!(
                cells
                    .distinct()
                    .all(|symbol| by_symbol.contains_key(&symbol))
            );
            assert_eq!(cells.text(80_000), None);
        }
    }

    #[test]
    fn fillers_are_no_values() {
        for cell in [
            "",
            "  ",
            "NULL",
            "n/a",
            "-",
            "\u{a0}—",
            "#REF!",
            "\\N",
            "NaN",
        ] {
            assert_eq!(value(cell), None, "{cell:?}");
        }
        for cell in ["0", "NA", "none", "n/a or so", "-1", "Nando"] {
            assert_eq!(value(cell), Some(cell));
        }
    }
}
