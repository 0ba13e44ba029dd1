//! Elements out of text that may not be XML.

use html_escape::decode_html_entities;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::adf::node::{DEEPEST, Node, place};

/// Most elements of a file.
const MOST_NODES: usize = 500_000;

/// What mail programs put around and between: it begins a line, or nothing at all.
const LINES: [&str; 6] = ["br", "p", "div", "tr", "li", "pre"];
const NOTHING: [&str; 16] = [
    "html", "head", "body", "span", "font", "a", "b", "i", "u", "em", "strong", "table", "tbody",
    "td", "ul", "wbr",
];

/// The elements at the top, names in lower case and without their prefix. Every element that is not
/// ended ends with the one around it.
pub(super) fn read(text: &str, doubts: &mut Vec<String>) -> Vec<Node> {
    let text = escaped(text);
    let mut reader = Reader::from_str(&text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut grove = Grove::default();
    loop {
        let at = reader.buffer_position() as usize;
        match reader.read_event() {
            Ok(Event::Start(element)) => grove.start(&element, at),
            Ok(Event::End(element)) => grove.end(&name_of(element.name().0)),
            Ok(Event::Text(part)) => grove.text(&part.into_inner()),
            Ok(Event::CData(part)) => grove.text(&part.into_inner()),
            Ok(Event::GeneralRef(name)) => {
                grove.text(&decode_html_entities(&format!("&{};", &*name)));
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(_) => {
                let (line, _) = place(&text, reader.error_position() as usize);
                doubts.push(format!(
                    "the document breaks off in its line {line}; what stands before it is read"
                ));
                break;
            }
        }
        if grove.count > MOST_NODES {
            doubts.push(format!("only the first {MOST_NODES} elements are read"));
            break;
        }
    }
    grove.finish()
}

/// Every prospect, in the order of the document. A lead without that element is in its `adf`.
pub(super) fn prospects(trees: &[Node]) -> Vec<&Node> {
    let mut found = Vec::new();
    for tree in trees {
        gather(tree, "prospect", &mut found);
    }
    if found.is_empty() {
        let has_customer = |node: &&Node| node.child("customer").is_some();
        found.extend(trees.iter().filter(has_customer));
    }
    found
}

/// Every element of this name within, the element itself too, but none within another of the name.
pub(super) fn gather<'a>(node: &'a Node, name: &str, found: &mut Vec<&'a Node>) {
    if node.name == name {
        found.push(node);
        return;
    }
    for child in &node.children {
        gather(child, name, found);
    }
}

impl Node {
    /// The first child of this name.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The children of this name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Everything that is written in it and in its elements.
    pub(super) fn whole_text(&self) -> String {
        let mut text = self.text.clone();
        for child in &self.children {
            text.push(' ');
            text.push_str(&child.whole_text());
        }
        text
    }
}

/// A `<` that begins no markup is one that a person wrote.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        escaped.push_str(before);
        let after = &from[1..];
        let is_markup =
            after.starts_with(|it: char| it.is_ascii_alphabetic() || "/!?".contains(it));
        escaped.push_str(if is_markup { "<" } else { "&lt;" });
        rest = after;
    }
    escaped.push_str(rest);
    escaped
}

fn name_of(name: &str) -> String {
    let local = name.rsplit(':').next().unwrap_or(name);
    local.to_ascii_lowercase()
}

/// Trees as they grow.
#[derive(Default)]
struct Grove {
    trees: Vec<Node>,
    /// The elements that are open, the outermost first.
    open: Vec<Node>,
    count: usize,
}

impl Grove {
    fn start(&mut self, element: &BytesStart<'_>, at: usize) {
        self.count += 1;
        let name = name_of(element.name().0);
        if LINES.contains(&name.as_str()) {
            self.text("\n");
            return;
        }
        if NOTHING.contains(&name.as_str()) || self.open.len() == DEEPEST {
            return;
        }
        let mut attributes = element.html_attributes();
        let attributes = attributes.with_checks(false).flatten();
        let attributes = attributes.map(|attribute| {
            let value = decode_html_entities(&*attribute.value).trim().to_owned();
            (name_of(attribute.key.0), value)
        });
        self.open.push(Node {
            name,
            attributes: attributes.collect(),
            at,
            ..Node::default()
        });
    }

    /// Ends the innermost element of this name, and those that are open within it.
    fn end(&mut self, name: &str) {
        let Some(place) = self.open.iter().rposition(|node| node.name == name) else {
            return;
        };
        while self.open.len() > place {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(node) = self.open.pop() else {
            return;
        };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.trees.push(node),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(node) = self.open.last_mut() {
            node.text.push_str(text);
        }
    }

    fn finish(mut self) -> Vec<Node> {
        while !self.open.is_empty() {
            self.close();
        }
        self.trees
    }
}
