//! The values of a document's units.

use super::outline::{Outline, declares_namespace};
use super::walk::Visit;
use crate::feed::aliases;
use crate::feed::field::Field;
use crate::feed::records::Records;

/// Takes the values of the units while a document is walked through.
pub(super) struct Extract<'t, 'o> {
    document: &'t str,
    outline: &'t Outline,
    is_unit: Vec<bool>,
    /// Column of each path within a unit, once it has a value.
    columns: Vec<Option<usize>>,
    /// Whether a path within a unit holds prose, once it is known.
    prose: Vec<Option<bool>>,
    records: Records<'o>,
    open: Vec<Open>,
    /// How many elements were open when the unit began, itself included.
    unit: Option<usize>,
    /// How many elements were open when prose began, itself included.
    marked_up: Option<usize>,
    /// How many elements were open when a cost began within prose, itself included.
    cost: Option<usize>,
    /// What elements around the units say of the dealer: how deep they stand, and the value.
    dealer: Vec<(usize, usize, String)>,
    /// A byte whose line is counted, and the line.
    line: (usize, u64),
}

/// An element that is open.
struct Open {
    path: usize,
    text: String,
    /// The unit of its number, where an attribute states one.
    unit: Option<String>,
    /// How far the record had come when it began.
    mark: usize,
    /// Something in it says that its amounts are the dealer's costs.
    is_cost: bool,
}

impl<'t, 'o> Extract<'t, 'o> {
    pub(super) fn new(
        document: &'t str,
        outline: &'t Outline,
        units: &[usize],
        records: Records<'o>,
    ) -> Self {
        let mut is_unit = vec![false; outline.len()];
        for unit in units {
            is_unit[*unit] = true;
        }
        Self {
            document,
            outline,
            is_unit,
            columns: vec![None; outline.len()],
            prose: vec![None; outline.len()],
            records,
            open: Vec::new(),
            unit: None,
            marked_up: None,
            cost: None,
            dealer: Vec::new(),
            line: (0, 1),
        }
    }

    pub(super) fn into_records(self) -> Records<'o> {
        self.records
    }

    fn begin_unit(&mut self, byte: usize) {
        let between = &self.document.as_bytes()[self.line.0..byte];
        let feeds = between.iter().filter(|byte| **byte == b'\n').count();
        self.line = (byte, self.line.1 + feeds as u64);
        self.records.begin(self.line.1);
        self.unit = Some(self.open.len());
        for (_, column, value) in &self.dealer {
            self.records.push(*column, value);
        }
    }

    /// The column of a path within a unit.
    fn column(&mut self, path: usize) -> Option<usize> {
        if self.columns[path].is_none() {
            let way = self.way_from_unit(path);
            let written: Vec<&str> = way.iter().map(|path| self.outline.name(*path)).collect();
            let local = self.local_names(&way);
            self.columns[path] = self
                .records
                .column(&written.join("."), |names| names.header(&local));
        }
        self.columns[path]
    }

    /// True for a path that holds prose, whose markup is part of it.
    fn is_prose(&mut self, path: usize) -> bool {
        if self.prose[path].is_none() {
            let names = self.records.names();
            let header = names.header(&self.local_names(&self.way_from_unit(path)));
            let field = names.field(&header);
            self.prose[path] = Some(matches!(field, Some(Field::Description | Field::Notes)));
        }
        self.prose[path] == Some(true)
    }

    /// The paths from below the unit to one in it.
    fn way_from_unit(&self, path: usize) -> Vec<usize> {
        let mut way: Vec<usize> = std::iter::successors(Some(path), |path| {
            let parent = self.outline.parent(*path);
            (parent != 0 && !self.is_unit[parent]).then_some(parent)
        })
        .collect();
        way.reverse();
        way
    }

    fn local_names(&self, way: &[usize]) -> Vec<&'t str> {
        let outline = self.outline;
        way.iter().map(|path| outline.local_name(*path)).collect()
    }

    /// Keeps a value outside of the units that says which dealer theirs is.
    fn keep_dealer(&mut self, path: usize, value: &str) {
        let parent = self.outline.local_name(self.outline.parent(path));
        let name = self.outline.local_name(path);
        let headers = [format!("{parent}.{name}"), name.to_owned()];
        for header in headers {
            let Some(column) = self.dealer_column(&header) else {
                continue;
            };
            self.dealer
                .push((self.open.len(), column, value.to_owned()));
            return;
        }
    }

    fn dealer_column(&mut self, header: &str) -> Option<usize> {
        let field = self.records.names().field(header)?;
        matches!(field, Field::DealerId | Field::DealerName)
            .then(|| self.records.column(header, |_| header.to_owned()))?
    }

    fn value(&mut self, path: usize, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        if self.unit.is_none() {
            return self.keep_dealer(path, value);
        }
        if let Some(column) = self.column(path) {
            self.records.push(column, value);
        }
    }
}

impl Visit for Extract<'_, '_> {
    fn open(&mut self, name: &str, byte: usize) -> bool {
        let parent = self.open.last().map_or(0, |open| open.path);
        let path = self.outline.child(parent, name).unwrap_or_default();
        if let Some(text) = self.marked_up {
            // The text is cleaned of its markup where it is read.
            let local = self.outline.local_name(path);
            if let Some(open) = self.open.get_mut(text - 1) {
                open.text.push_str(&format!("<{local}>"));
            }
            if self.cost.is_none() && aliases::is_never_published(&aliases::normalized(local)) {
                self.cost = Some(self.open.len() + 1);
            }
        }
        self.open.push(Open {
            path,
            text: String::new(),
            unit: None,
            mark: self.records.mark(),
            is_cost: false,
        });
        if self.unit.is_none() && self.is_unit[path] {
            self.begin_unit(byte);
        } else if self.unit.is_some() && self.marked_up.is_none() {
            self.marked_up = self.is_prose(path).then_some(self.open.len());
        }
        true
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let depth = self.open.len();
        let Some(open) = self.open.last_mut() else {
            return;
        };
        if self.marked_up.is_some_and(|text| text < depth) || declares_namespace(name) {
            return;
        }
        let is_in_unit = self.unit.is_some_and(|unit| unit < depth);
        open.is_cost |= is_in_unit && aliases::labels_cost(name, value);
        if is_in_unit && states_unit(name) {
            open.unit = Some(value.to_owned());
            return;
        }
        let parent = open.path;
        if let Some(path) = self.outline.child(parent, name) {
            self.value(path, value);
        }
    }

    fn text(&mut self, text: &str) {
        if self.cost.is_some() {
            return;
        }
        let depth = self.marked_up.unwrap_or(self.open.len());
        if let Some(open) = depth.checked_sub(1).and_then(|at| self.open.get_mut(at)) {
            open.text.push_str(text);
        }
    }

    fn close(&mut self) {
        let depth = self.open.len();
        let Some(mut open) = self.open.pop() else {
            return;
        };
        self.cost = self.cost.filter(|cost| *cost < depth);
        if let Some(text) = self.marked_up.filter(|text| *text < depth) {
            let local = self.outline.local_name(open.path);
            if let Some(outer) = self.open.get_mut(text - 1) {
                outer.text.push_str(&format!("</{local}>"));
            }
            return;
        }
        self.marked_up = None;
        if let Some(unit) = open.unit
            && !open.text.trim().is_empty()
        {
            open.text = format!("{} {unit}", open.text.trim());
        }
        if self.unit == Some(depth) {
            self.unit = None;
            return;
        }
        if let Some(outer) = self.open.last_mut()
            && self.unit.is_some_and(|unit| unit < depth - 1)
        {
            let name = self.outline.local_name(open.path);
            outer.is_cost |= aliases::labels_cost(name, &open.text);
        }
        self.value(open.path, &open.text);
        if open.is_cost {
            self.records.take_out_money(open.mark);
        }
        if self.unit.is_none() {
            self.dealer.retain(|(of, ..)| *of < depth);
        }
    }
}

/// True for attributes that give the number in their element its meaning.
fn states_unit(name: &str) -> bool {
    [
        "unit",
        "units",
        "uom",
        "unitcode",
        "currency",
        "currencycode",
    ]
    .contains(&aliases::normalized(name).as_str())
}
