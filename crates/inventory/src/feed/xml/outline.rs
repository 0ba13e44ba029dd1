//! Which elements a document has, and which of them are units.

use std::collections::{HashMap, HashSet};

use super::walk::Visit;
use crate::feed::names::Names;

/// Paths of different names that a document may have.
const MOST_PATHS: usize = 10_000;

/// Every path of names in a document. Place 0 is the document itself.
#[derive(Debug)]
pub(super) struct Outline {
    paths: Vec<Path>,
    /// The elements that are open, each with its path and its number among all elements.
    open: Vec<(usize, u64)>,
    elements: u64,
    /// The prefix of Google's namespace, blank where it needs none.
    google: Option<String>,
}

/// An element by the names that lead to it, or an attribute of one.
#[derive(Debug, Default)]
struct Path {
    parent: usize,
    /// As it is written, the prefix included.
    name: String,
    children: HashMap<String, usize>,
    /// Some element has it more than once.
    repeats: bool,
    /// The element in which it stood last.
    last_in: u64,
    has_value: bool,
}

/// Why no unit is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitsError {
    /// There is no unit in the document.
    Empty,
    /// No element is known to tell units apart.
    NoIdentifier,
}

impl Default for Outline {
    fn default() -> Self {
        Self {
            paths: vec![Path::default()],
            open: vec![(0, 0)],
            elements: 0,
            google: None,
        }
    }
}

impl Visit for Outline {
    fn open(&mut self, name: &str, _: usize) -> bool {
        let path = self.enter(name);
        self.elements += 1;
        self.open.push((path, self.elements));
        self.paths.len() <= MOST_PATHS
    }

    fn attribute(&mut self, name: &str, value: &str) {
        const GOOGLE: &str = "base.google.com/ns/1.0";
        if declares_namespace(name) {
            if value.contains(GOOGLE) {
                let prefix = name.strip_prefix("xmlns:").unwrap_or_default();
                self.google = Some(prefix.to_owned());
            }
            return;
        }
        let path = self.enter(name);
        self.paths[path].has_value = true;
    }

    fn text(&mut self, text: &str) {
        if let Some((path, _)) = self.open.last()
            && !text.trim_ascii().is_empty()
        {
            self.paths[*path].has_value = true;
        }
    }

    fn close(&mut self) {
        self.open.pop();
    }
}

impl Outline {
    /// The path of a name in the element that is open.
    fn enter(&mut self, name: &str) -> usize {
        let (parent, element) = self.open.last().copied().unwrap_or_default();
        let path = match self.paths[parent].children.get(name) {
            Some(known) => *known,
            None => {
                let path = self.paths.len();
                self.paths.push(Path {
                    parent,
                    name: name.to_owned(),
                    last_in: u64::MAX,
                    ..Path::default()
                });
                self.paths[parent].children.insert(name.to_owned(), path);
                path
            }
        };
        let known = &mut self.paths[path];
        known.repeats |= known.last_in == element;
        known.last_in = element;
        path
    }

    /// The path of an element or attribute in another.
    pub(super) fn child(&self, path: usize, name: &str) -> Option<usize> {
        self.paths[path].children.get(name).copied()
    }

    /// A name without its prefix.
    pub(super) fn local_name(&self, path: usize) -> &str {
        local(&self.paths[path].name)
    }

    /// The name of a path as it is written.
    pub(super) fn name(&self, path: usize) -> &str {
        &self.paths[path].name
    }

    pub(super) fn root_name(&self) -> &str {
        self.paths.get(1).map_or("", |root| &root.name)
    }

    /// How many paths there are.
    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// The element that holds a path.
    pub(super) fn parent(&self, path: usize) -> usize {
        self.paths[path].parent
    }

    /// True when an element has children in Google's namespace.
    pub(super) fn has_google_elements(&self, path: usize) -> bool {
        let is_google = |name: &String| {
            let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
            self.google.as_deref() == Some(prefix)
        };
        self.paths[path].children.keys().any(is_google)
    }

    /// The first names of values in the document.
    pub(super) fn names_for_people(&self) -> String {
        const NAMED: usize = 8;
        let mut names: Vec<String> = Vec::new();
        for path in self.paths.iter().filter(|path| path.has_value) {
            let name = format!("`{}`", path.name.escape_debug());
            if names.len() < NAMED && !names.contains(&name) {
                names.push(name);
            }
        }
        if names.is_empty() {
            "none with a value".to_owned()
        } else {
            names.join(", ")
        }
    }

    /// The paths of the elements that are units, none within another.
    pub(super) fn units(&self, names: Names<'_>) -> Result<Vec<usize>, UnitsError> {
        let identifiers: Vec<(usize, u8)> = self
            .values()
            .filter_map(|path| Some((path, self.identifies(path, names)?)))
            .collect();
        let surest = identifiers.iter().map(|(_, sure)| *sure).max();
        let Some(surest) = surest else {
            return Err(match self.is_empty() {
                true => UnitsError::Empty,
                false => UnitsError::NoIdentifier,
            });
        };
        // A name such as `id` tells units apart only where no surer one does.
        let mut units: Vec<Unit> = Vec::new();
        for (path, sure) in identifiers {
            if sure > 0 || surest == 0 {
                let unit = self.unit_of(path, sure, names);
                match units.iter_mut().find(|known| known.path == unit.path) {
                    Some(known) => known.sure = known.sure.max(unit.sure),
                    None => units.push(unit),
                }
            }
        }
        let kept: Vec<usize> = units
            .iter()
            .filter(|unit| !units.iter().any(|other| self.displaces(other, unit)))
            .map(|unit| unit.path)
            .collect();
        Ok(kept)
    }

    /// How surely a value tells units apart, by its name and that of its element.
    fn identifies(&self, path: usize, names: Names<'_>) -> Option<u8> {
        let local = self.local_name(path);
        let header = names.header(&[self.local_name(self.parent(path)), local]);
        match names.field(&header) {
            Some(_) => names.identifies(&header),
            None => names.identifies(local),
        }
    }

    /// True for a document without values, and for the frame of RSS or Atom without an item.
    fn is_empty(&self) -> bool {
        let has_item =
            || (1..self.len()).any(|path| matches!(self.local_name(path), "item" | "entry"));
        self.values().next().is_none() || self.is_frame(1) && !has_item()
    }

    fn values(&self) -> impl Iterator<Item = usize> {
        let with_value = |(path, known): (usize, &Path)| known.has_value.then_some(path);
        self.paths.iter().enumerate().filter_map(with_value)
    }

    /// The path and those above it, up to the document's element.
    fn way_up(&self, path: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(path), |path| Some(self.paths[*path].parent))
            .take_while(|path| *path != 0)
    }

    fn is_within(&self, inner: usize, outer: usize) -> bool {
        inner != outer && self.way_up(inner).any(|path| path == outer)
    }

    /// The element that an identifier tells apart from others: the innermost one around it that an
    /// element above has several of. In a document of one unit there is none, and the element that
    /// holds the most of what is known of a unit is it.
    fn unit_of(&self, identifier: usize, sure: u8, names: Names<'_>) -> Unit {
        let around = self.paths[identifier].parent;
        if let Some(path) = self.way_up(around).find(|path| self.paths[*path].repeats) {
            return Unit {
                path,
                sure,
                repeats: true,
            };
        }
        let mut best = (0, around);
        for path in self.way_up(around).filter(|path| !self.is_frame(*path)) {
            let known = self.known_fields(path, names);
            if known > best.0 {
                best = (known, path);
            }
        }
        Unit {
            path: best.1,
            sure,
            repeats: false,
        }
    }

    /// True for the elements around the items of RSS and Atom.
    fn is_frame(&self, path: usize) -> bool {
        ["rss", "channel", "feed", "rdf"]
            .iter()
            .any(|frame| self.local_name(path).eq_ignore_ascii_case(frame))
    }

    /// How many fields the values in an element may feed.
    fn known_fields(&self, path: usize, names: Names<'_>) -> usize {
        let mut fields = HashSet::new();
        for value in self.values().filter(|value| self.is_within(*value, path)) {
            let mut way: Vec<&str> = self
                .way_up(value)
                .take_while(|step| *step != path)
                .map(|step| self.local_name(step))
                .collect();
            way.reverse();
            fields.extend(names.field(&names.header(&way)));
        }
        fields.len()
    }

    /// True when `unit` is none because of `other`: it stands within a unit at least as sure, or
    /// around the units of a list.
    fn displaces(&self, other: &Unit, unit: &Unit) -> bool {
        let is_wrapper = |outer: &Unit, inner: &Unit| {
            inner.sure > outer.sure || inner.sure == outer.sure && inner.repeats && !outer.repeats
        };
        if self.is_within(unit.path, other.path) {
            return !is_wrapper(other, unit);
        }
        self.is_within(other.path, unit.path) && is_wrapper(unit, other)
    }
}

#[derive(Debug, Clone, Copy)]
struct Unit {
    path: usize,
    sure: u8,
    repeats: bool,
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// True for attributes that speak about the document and not about a unit.
pub(super) fn declares_namespace(name: &str) -> bool {
    name == "xmlns"
        || ["xmlns:", "xsi:", "xml:"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}
