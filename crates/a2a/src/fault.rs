//! What is wrong with a document, and where.

use std::cell::{Cell, RefCell};
use std::fmt;

/// One fault of a document: its place and what was found there.
///
/// The words continue the place as a sentence, which is how [`Display`](fmt::Display) prints them:
/// `message.messageId is missing`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    path: Vec<Segment>,
    words: String,
}

/// One step from a document's root to a place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// A member of an object, by its camelCase name.
    Member(String),
    /// An element of an array.
    Index(usize),
}

impl Fault {
    /// A fault at the place that `path` leads to.
    #[must_use]
    pub fn new(path: Vec<Segment>, words: impl Into<String>) -> Self {
        Self {
            path,
            words: words.into(),
        }
    }

    /// What is wrong, as the predicate of a sentence: `is missing`.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// The place as a field path, `message.parts[0].text`; empty for the whole document.
    #[must_use]
    pub fn field(&self) -> String {
        let mut field = String::new();
        for segment in &self.path {
            match segment {
                Segment::Member(name) => {
                    if !field.is_empty() {
                        field.push('.');
                    }
                    field.push_str(name);
                }
                Segment::Index(index) => field.push_str(&format!("[{index}]")),
            }
        }
        field
    }

    /// The place as a JSON Pointer (RFC 6901), `/message/parts/0/text`; empty for the whole document.
    #[must_use]
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            pointer.push('/');
            match segment {
                Segment::Member(name) => {
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
                Segment::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "the document {}", self.words)
        } else {
            write!(f, "{} {}", self.field(), self.words)
        }
    }
}

/// The faults found while one document is read, the first [`Faults::LIMIT`] of them.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    found: RefCell<Vec<Fault>>,
    count: Cell<usize>,
    /// Whether reading stopped at a syntax error, so that outer levels do not report it again.
    stopped: Cell<bool>,
}

impl Faults {
    /// More faults than this help nobody, and would let a small request ask for a large answer.
    const LIMIT: usize = 32;

    pub(crate) fn count(&self) -> usize {
        self.count.get()
    }

    pub(crate) fn into_vec(self) -> Vec<Fault> {
        self.found.into_inner()
    }
}

/// A place in the document being read, linked to its parents on the stack: it costs nothing until a
/// fault is recorded.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    faults: &'a Faults,
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    pub(crate) fn root(faults: &'a Faults) -> Self {
        Self {
            faults,
            parent: None,
            step: Step::Root,
        }
    }

    pub(crate) fn member(&'a self, name: &'a str) -> Self {
        self.step(Step::Member(name))
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    fn step(&'a self, step: Step<'a>) -> Self {
        Self {
            faults: self.faults,
            parent: Some(self),
            step,
        }
    }

    /// Records a fault here.
    pub(crate) fn fault(&self, words: impl Into<String>) {
        self.faults.count.set(self.faults.count.get() + 1);
        let mut found = self.faults.found.borrow_mut();
        if found.len() < Faults::LIMIT {
            found.push(Fault::new(self.path(), words));
        }
    }

    /// Records the error that ends reading, at the innermost place that sees it.
    pub(crate) fn stop(&self, error: &dyn fmt::Display) {
        if !self.faults.stopped.replace(true) {
            self.fault(format!("is unreadable: {error}"));
        }
    }

    /// How many faults the whole document has so far.
    pub(crate) fn count(&self) -> usize {
        self.faults.count()
    }

    fn path(&self) -> Vec<Segment> {
        let mut path = self.parent.map(At::path).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Member(name) => path.push(Segment::Member(name.to_owned())),
            Step::Index(index) => path.push(Segment::Index(index)),
        }
        path
    }
}

/// Foreign text as it may stand in an error: quoted and cut to a length that a person reads.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}
