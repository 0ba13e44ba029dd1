//! The values of a document's rows.

use std::borrow::Cow;

use super::columns::{Columns, is_reference, states_unit};
use super::outline::{Outline, speaks_of_document};
use super::walk::Visit;
use crate::table::{Column, Limits, Role, Unreadable, aliases, date};

/// Takes the values of the rows while a document is walked through.
pub(super) struct Extract<'o> {
    outline: &'o Outline,
    limits: &'o Limits,
    plan: Columns,
    is_row: Vec<bool>,
    /// The elements around rows.
    is_frame: Vec<bool>,
    columns: Vec<Column>,
    /// The values of the open row, by column.
    cells: Vec<String>,
    images: usize,
    open: Vec<Open<'o>>,
    row: Option<OpenRow>,
    /// How many elements were open when prose began, itself included.
    prose: Option<usize>,
    /// Bytes of the document, which its cells must not exceed by much.
    bytes: usize,
    found: Found,
}

/// What was found in a document.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) rows: usize,
    pub(super) empty_rows: u64,
    /// Of each column, whether some row had several values for it.
    pub(super) joined: Vec<bool>,
    /// The day that the document states of itself.
    pub(super) stated: Option<Stated>,
    /// Where the row begins that the document ends in.
    pub(super) open_at: Option<usize>,
}

/// A day that stands outside of the rows.
#[derive(Debug)]
pub(super) struct Stated {
    pub(super) header: String,
    pub(super) value: String,
    rank: usize,
}

/// An element that is open.
struct Open<'o> {
    path: usize,
    text: String,
    /// An attribute that says what the number in it is of.
    unit: Option<(usize, String)>,
    name: &'o str,
}

struct OpenRow {
    /// How many elements were open when it began, itself included.
    depth: usize,
    byte: usize,
}

/// What stands between the values of elements that a row has several of.
const BETWEEN: &str = ", ";

/// A document has at least this many bytes for each of its cells, were they filled by a quarter.
const LEAST_BYTES: usize = 4;

impl<'o> Extract<'o> {
    /// # Errors
    /// The rows have more columns than the limit.
    pub(super) fn new(
        outline: &'o Outline,
        rows: &[usize],
        limits: &'o Limits,
        bytes: usize,
    ) -> Result<Self, Unreadable> {
        let plan = Columns::of(outline, rows, limits)?;
        let mut is_row = vec![false; outline.len()];
        let mut is_frame = vec![false; outline.len()];
        for row in rows {
            is_row[*row] = true;
            for outer in outline.way_up(outline.parent(*row)) {
                is_frame[outer] = true;
            }
        }
        let headers = plan.headers.iter();
        Ok(Self {
            outline,
            limits,
            is_row,
            is_frame,
            columns: headers.map(|header| Column::new(header, None)).collect(),
            cells: vec![String::new(); plan.headers.len()],
            images: 0,
            open: Vec::new(),
            row: None,
            prose: None,
            bytes,
            found: Found {
                joined: vec![false; plan.headers.len()],
                ..Found::default()
            },
            plan,
        })
    }

    /// The columns, and what was found beside them.
    pub(super) fn into_parts(mut self) -> (Vec<Column>, Found) {
        self.found.open_at = self.row.map(|row| row.byte);
        for column in &mut self.columns {
            column.finish();
        }
        (self.columns, self.found)
    }

    fn value(&mut self, path: usize, value: &str) {
        let value = value.trim();
        let Some(column) = self.plan.of_paths[path].filter(|_| !value.is_empty()) else {
            return;
        };
        let cell = &mut self.cells[column];
        if !cell.is_empty() {
            self.found.joined[column] = true;
            cell.push_str(BETWEEN);
        }
        cell.push_str(value);
        if self.plan.images.contains(&column) {
            self.images += images(value);
        }
    }

    fn take_attributes(&mut self, path: usize, attributes: &[(&str, Cow<'_, str>)]) {
        if is_reference(self.outline, path) {
            let of = |name: &str| attributes.iter().find(|(known, _)| *known == name);
            let is_page = of("rel").is_none_or(|(_, rel)| rel == "alternate");
            if let Some((_, address)) = of("href").filter(|_| is_page) {
                self.value(path, address);
            }
            return;
        }
        for (name, value) in attributes {
            let Some(attribute) = self.outline.child(path, name) else {
                continue;
            };
            match self.open.last_mut() {
                Some(open) if states_unit(name) => open.unit = Some((attribute, value.to_string())),
                _ => self.value(attribute, value),
            }
        }
    }

    /// Keeps a day that an element or attribute around the rows states.
    fn state(&mut self, outer: usize, name: &str, value: &str) {
        let value = value.trim();
        let Some(rank) = rank(name).filter(|_| date::parse(value).is_some()) else {
            return;
        };
        if self
            .found
            .stated
            .as_ref()
            .is_none_or(|known| rank < known.rank)
        {
            self.found.stated = Some(Stated {
                header: format!("{}.{name}", self.outline.local_name(outer)),
                value: value.to_owned(),
                rank,
            });
        }
    }

    fn end_row(&mut self) -> Result<(), Unreadable> {
        if self.cells.iter().all(String::is_empty) {
            self.found.empty_rows += 1;
            return Ok(());
        }
        if self.found.rows == self.limits.rows {
            return Err(Unreadable::TooManyRows {
                limit: self.limits.rows,
            });
        }
        let columns = self.columns.len();
        let (cells, most) = (
            (self.found.rows + 1).saturating_mul(columns),
            self.bytes
                .saturating_mul(LEAST_BYTES)
                .saturating_add(1 << 20),
        );
        if cells > most {
            return Err(Unreadable::TooSparse { columns });
        }
        if let Some(count) = self.plan.image_count {
            self.cells[count] = self.images.to_string();
        }
        for (column, cell) in self.columns.iter_mut().zip(&mut self.cells) {
            column.push(cell);
            cell.clear();
        }
        self.images = 0;
        self.found.rows += 1;
        Ok(())
    }
}

impl Visit for Extract<'_> {
    fn open(
        &mut self,
        name: &str,
        attributes: &[(&str, Cow<'_, str>)],
        byte: usize,
    ) -> Result<(), Unreadable> {
        let outer = self.open.last().map_or(0, |open| open.path);
        let path = self.outline.child(outer, name).unwrap_or_default();
        self.open.push(Open {
            path,
            text: String::new(),
            unit: None,
            name: self.outline.local_name(path),
        });
        let depth = self.open.len();
        if let Some(prose) = self.prose {
            self.open[prose - 1].text.push(' ');
            return Ok(());
        }
        if self.row.is_none() && self.is_row[path] {
            self.row = Some(OpenRow { depth, byte });
        } else if self.row.is_none() {
            if self.is_frame[path] {
                for (name, value) in attributes
                    .iter()
                    .filter(|(name, _)| !speaks_of_document(name))
                {
                    self.state(path, name, value);
                }
            }
            return Ok(());
        } else if self.outline.is_prose(path) {
            self.prose = Some(depth);
        }
        self.take_attributes(path, attributes);
        Ok(())
    }

    fn text(&mut self, text: &str) {
        let depth = self.prose.unwrap_or(self.open.len());
        let Some(open) = depth.checked_sub(1).and_then(|at| self.open.get_mut(at)) else {
            return;
        };
        if !(open.text.is_empty() && text.trim_ascii().is_empty()) {
            open.text.push_str(text);
        }
    }

    fn close(&mut self) -> Result<(), Unreadable> {
        let depth = self.open.len();
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        if let Some(prose) = self.prose {
            if depth > prose {
                self.open[prose - 1].text.push(' ');
                return Ok(());
            }
            self.prose = None;
        }
        let Some(row) = &self.row else {
            let outer = self.outline.parent(open.path);
            if self.is_frame[outer] {
                self.state(outer, open.name, &open.text);
            }
            return Ok(());
        };
        let is_end = row.depth == depth;
        let text = open.text.trim();
        match open.unit {
            Some((_, unit)) if !text.is_empty() => {
                self.value(open.path, &format!("{text} {}", unit.trim()));
            }
            Some((attribute, unit)) => self.value(attribute, &unit),
            None => self.value(open.path, text),
        }
        if is_end {
            self.row = None;
            self.end_row()?;
        }
        Ok(())
    }
}

/// How well a name outside of the rows says which day the document speaks of; less is better.
fn rank(name: &str) -> Option<usize> {
    let means = |role| {
        aliases::meanings(name)
            .iter()
            .any(|(known, _)| *known == role)
    };
    let ranks = [
        means(Role::SnapshotDate),
        name.eq_ignore_ascii_case("lastBuildDate"),
        means(Role::DateUpdated),
        name.eq_ignore_ascii_case("pubDate"),
        name.eq_ignore_ascii_case("date"),
    ];
    ranks.into_iter().position(|is_one| is_one)
}

/// How many images a value names: one, or the addresses of a list. A number names none.
fn images(value: &str) -> usize {
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    let parts =
        value.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '|'));
    let is_address = |part: &&str| part.starts_with("http://") || part.starts_with("https://");
    parts.filter(is_address).count().max(1)
}
