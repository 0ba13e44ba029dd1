//! Which elements a document has, and which of them are its rows.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::walk::{Visit, named};
use crate::table::aliases::{self, Strength};
use crate::table::{Role, Unreadable};

/// Paths of different names that a document may have.
const MOST_PATHS: usize = 10_000;

/// What is known of a product is not called by more names, one within the other.
const MOST_NAMED: usize = 3;

/// Every path of names in a document. Place 0 is the document itself.
#[derive(Debug)]
pub(super) struct Outline {
    paths: Vec<Path>,
    /// The elements that are open, each with its path and its number among all elements.
    open: Vec<(usize, u64)>,
    elements: u64,
    /// The prefixes of Google's namespace, an empty one where its names need none.
    google: HashSet<String>,
    /// It declares Atom's namespace.
    is_atom: bool,
}

/// An element by the names that lead to it, or an attribute of one.
#[derive(Debug, Default)]
struct Path {
    parent: usize,
    /// As it is written, the prefix included.
    name: String,
    children: HashMap<String, usize, RandomState>,
    is_attribute: bool,
    has_text: bool,
    has_elements: bool,
    /// Some element has it more than once.
    repeats: bool,
    /// The element in which it stood last.
    last_in: u64,
    count: u64,
}

impl Default for Outline {
    fn default() -> Self {
        Self {
            paths: vec![Path::default()],
            open: vec![(0, 0)],
            elements: 0,
            // Documents that forget to declare a prefix mean this one.
            google: HashSet::from(["g".to_owned()]),
            is_atom: false,
        }
    }
}

impl Visit for Outline {
    fn open(
        &mut self,
        name: &str,
        attributes: &[(&str, Cow<'_, str>)],
        _: usize,
    ) -> Result<(), Unreadable> {
        let outer = self.open.last().copied().unwrap_or_default();
        let path = self.enter(outer, name);
        self.paths[outer.0].has_elements = true;
        self.elements += 1;
        let element = (path, self.elements);
        self.open.push(element);
        for (name, value) in attributes {
            if speaks_of_document(name) {
                self.take_namespace(name, value);
            } else {
                let attribute = self.enter(element, name);
                self.paths[attribute].is_attribute = true;
            }
        }
        if self.paths.len() > MOST_PATHS {
            return Err(Unreadable::TooManyNames { limit: MOST_PATHS });
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some((path, _)) = self.open.last()
            && !text.trim_ascii().is_empty()
        {
            self.paths[*path].has_text = true;
        }
    }

    fn close(&mut self) -> Result<(), Unreadable> {
        self.open.pop();
        Ok(())
    }
}

impl Outline {
    /// The path of a name in an element.
    fn enter(&mut self, (parent, element): (usize, u64), name: &str) -> usize {
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
        known.count += 1;
        path
    }

    fn take_namespace(&mut self, name: &str, value: &str) {
        const ATOM: &str = "http://www.w3.org/2005/Atom";
        const GOOGLE: &str = "base.google.com/ns/1.0";
        let Some(prefix) = name.strip_prefix("xmlns") else {
            return;
        };
        self.is_atom |= value == ATOM;
        if value.contains(GOOGLE) {
            let prefix = prefix.strip_prefix(':').unwrap_or(prefix);
            self.google.insert(prefix.to_owned());
        }
    }

    /// How many paths there are.
    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// The path of an element or attribute in another.
    pub(super) fn child(&self, path: usize, name: &str) -> Option<usize> {
        self.paths[path].children.get(name).copied()
    }

    /// The element that holds a path.
    pub(super) fn parent(&self, path: usize) -> usize {
        self.paths[path].parent
    }

    /// The name of a path as it is written.
    pub(super) fn name(&self, path: usize) -> &str {
        &self.paths[path].name
    }

    /// A name without its prefix.
    pub(super) fn local_name(&self, path: usize) -> &str {
        local(&self.paths[path].name)
    }

    /// The name of the document's element as it is written.
    pub(super) fn root(&self) -> &str {
        self.paths.get(1).map_or("", |root| &root.name)
    }

    /// True for an element of Google's product namespace.
    pub(super) fn is_google(&self, path: usize) -> bool {
        let known = &self.paths[path];
        let prefix = known.name.split_once(':').map_or("", |(prefix, _)| prefix);
        !known.is_attribute && self.google.contains(prefix)
    }

    /// Some element has it more than once.
    pub(super) fn repeats(&self, path: usize) -> bool {
        self.paths[path].repeats
    }

    /// True for an attribute.
    pub(super) fn is_attribute(&self, path: usize) -> bool {
        self.paths[path].is_attribute
    }

    /// True for an element that has words of its own somewhere.
    pub(super) fn has_text(&self, path: usize) -> bool {
        self.paths[path].has_text
    }

    /// True where the path holds a value: an attribute, and an element with text or with nothing at all.
    pub(super) fn has_value(&self, path: usize) -> bool {
        let known = &self.paths[path];
        path != 0 && (known.is_attribute || known.has_text || known.children.is_empty())
    }

    /// True for an element in a row that holds prose, whose markup is part of it: elements stand between its words.
    pub(super) fn is_prose(&self, path: usize) -> bool {
        let known = &self.paths[path];
        let is_described = || {
            let meanings = aliases::meanings(local(&known.name));
            meanings.contains(&(Role::Description, Strength::Strong))
        };
        known.has_elements && (known.has_text || is_described())
    }

    /// The names of a path below another, prefixes left out.
    pub(super) fn way(&self, path: usize, from: usize) -> Vec<&str> {
        let mut way: Vec<&str> = (self.way_up(path))
            .take_while(|step| *step != from)
            .map(|step| self.local_name(step))
            .collect();
        way.reverse();
        way
    }

    /// The path and those above it, up to the document's element.
    pub(super) fn way_up(&self, path: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(path), |path| Some(self.paths[*path].parent))
            .take_while(|path| *path != 0)
    }

    /// True where a path stands in another.
    pub(super) fn is_within(&self, inner: usize, outer: usize) -> bool {
        inner != outer && self.way_up(inner).any(|path| path == outer)
    }

    /// The paths of the elements that are rows, none within another; empty where there is none.
    ///
    /// These are the items of RSS and the entries of Atom. In other documents they are the elements of the list
    /// that knows most of what a product has; of lists within lists the outermost that knows enough, so that
    /// variants in a product are values of it and groups around products are not rows.
    pub(super) fn rows(&self) -> Vec<usize> {
        let items = self.items_of_frames();
        if !items.is_empty() || self.is_syndication() {
            return items;
        }
        let (lists, others): (Vec<Candidate>, Vec<Candidate>) =
            (self.candidates().into_iter()).partition(|one| self.paths[one.path].repeats);
        let best = lists
            .iter()
            .filter(|one| one.known >= 1 || one.values >= 2)
            .max_by_key(|one| (one.known, one.count, Reverse(one.path)));
        if let Some(best) = best {
            let whole = lists
                .iter()
                .find(|one| one.known >= ENOUGH && self.is_within(best.path, one.path));
            return self.of_same_name(whole.unwrap_or(best).path);
        }
        // A catalog of one product repeats nothing.
        let only = (others.iter())
            .filter(|one| one.known >= 2)
            .max_by_key(|one| (one.known, one.path));
        only.map(|one| vec![one.path]).unwrap_or_default()
    }

    /// True for RSS and Atom, whose rows are called as their specifications say or are not there.
    fn is_syndication(&self) -> bool {
        match local(self.root()) {
            "rss" | "RDF" => true,
            "feed" => self.is_atom,
            _ => false,
        }
    }

    /// RSS 2.0 has its items in the channel, RSS 1.0 beside it.
    fn items_of_frames(&self) -> Vec<usize> {
        let is_frame = |path| matches!(self.local_name(path), "rss" | "RDF" | "channel" | "feed");
        let is_row = |path: &usize| {
            let outer = self.parent(*path);
            matches!(self.local_name(*path), "item" | "entry")
                && !self.paths[*path].is_attribute
                && outer != 0
                && self.way_up(outer).all(is_frame)
        };
        (1..self.len()).filter(is_row).collect()
    }

    /// The elements that hold others, and what their values may mean, those of lists within them aside.
    fn candidates(&self) -> Vec<Candidate> {
        let mut found: Vec<(HashSet<Role>, usize)> = vec![Default::default(); self.len()];
        for value in (1..self.len()).filter(|path| self.has_value(*path)) {
            for (above, row) in self.way_up(self.parent(value)).enumerate() {
                let (known, values) = &mut found[row];
                if above < MOST_NAMED {
                    let meanings = aliases::meanings(&header(&self.way(value, row)));
                    let surest = meanings.iter().max_by_key(|(_, strength)| *strength);
                    known.extend(surest.map(|(role, _)| *role));
                }
                *values += 1;
                if self.paths[row].repeats {
                    break;
                }
            }
        }
        (found.into_iter().enumerate().skip(1))
            .filter(|(_, (_, values))| *values > 0)
            .map(|(path, (known, values))| Candidate {
                path,
                known: known.len(),
                values,
                count: self.paths[path].count,
            })
            .collect()
    }

    /// The same elements may stand in several places of a document.
    fn of_same_name(&self, row: usize) -> Vec<usize> {
        let name = self.local_name(row);
        let is_alike = |path: usize| {
            self.local_name(path) == name
                && !self.paths[path].is_attribute
                && !self.paths[path].children.is_empty()
        };
        (1..self.len())
            .filter(|path| {
                let is_inner = || self.way_up(self.parent(*path)).any(is_alike);
                is_alike(*path) && !is_inner()
            })
            .collect()
    }

    /// The first names of elements in the document.
    pub(super) fn names_for_people(&self) -> String {
        const NAMED: usize = 8;
        let mut names: Vec<String> = Vec::new();
        for path in &self.paths[1..] {
            let name = format!("“{}”", named(&path.name));
            if names.len() < NAMED && !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }
}

/// A list that knows so much of a product is one of products, whatever lists stand in it.
const ENOUGH: usize = 3;

/// An element that may be a row.
#[derive(Debug)]
struct Candidate {
    path: usize,
    /// How many meanings its values may have.
    known: usize,
    values: usize,
    count: u64,
}

/// The header of a value by the names below its row: `price`, `shipping.price`. The element around a list is left
/// out: `image` for `images.image`.
pub(super) fn header(way: &[&str]) -> String {
    let is_list_of = |outer: &str, inner: &str| {
        let plural = outer.strip_prefix(inner);
        matches!(plural, Some("s" | "es" | "_list" | "List"))
            || (outer.strip_suffix("ies")).is_some_and(|stem| inner.strip_suffix('y') == Some(stem))
    };
    let mut names: Vec<&str> = Vec::with_capacity(way.len());
    for name in way {
        if names.last().is_some_and(|outer| is_list_of(outer, name)) {
            names.pop();
        }
        names.push(name);
    }
    names.join(".")
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// True for attributes that speak about the document and not about a row.
pub(super) fn speaks_of_document(name: &str) -> bool {
    name == "xmlns"
        || ["xmlns:", "xsi:", "xml:"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}
