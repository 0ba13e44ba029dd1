//! The XML of a document, read as strictly as a CRM may.

use quick_xml::{
    Reader,
    errors::{Error, IllFormedError},
    events::{BytesRef, BytesStart, Event},
};

use super::Findings;
use crate::adf::{
    node::{DEEPEST, Node},
    words::is_plain,
};

/// Most attributes of an element; ADF needs five. To find one that stands twice takes all before it.
const MOST_ATTRIBUTES: usize = 64;

/// Reads a document; `None` when it is no XML from its beginning to its end.
pub(super) fn read(text: &str, findings: &mut Findings<'_>) -> Option<Node> {
    prolog(text, findings);
    characters(text, findings);
    // Of a byte order mark was told already.
    let body = text.trim_start_matches('\u{FEFF}');
    Document {
        findings,
        offset: text.len() - body.len(),
        open: Vec::new(),
        root: None,
        is_marked: false,
    }
    .read(body)
}

fn prolog(text: &str, findings: &mut Findings<'_>) {
    let expected = "`<?xml version=\"1.0\" encoding=\"UTF-8\"?>` as the first byte";
    if text.starts_with('\u{FEFF}') {
        findings.refuse(0, "", "a byte order mark", expected);
        return;
    }
    if text.starts_with("<?xml ") {
        return;
    }
    match text.find("<?xml ") {
        Some(at) => findings.refuse(
            at,
            "",
            "an XML declaration after the beginning of the document",
            expected,
        ),
        None => findings.doubt(0, "", "no XML declaration", expected),
    }
}

fn characters(text: &str, findings: &mut Findings<'_>) {
    for (at, character) in text.char_indices().filter(|(_, it)| !is_plain(*it)) {
        let found = format!("the character U+{:04X}", u32::from(character));
        let expected = "text without control characters";
        // XML 1.0 allows the C1 controls.
        if ('\u{7F}'..='\u{9F}').contains(&character) {
            findings.doubt(at, "", found, expected);
        } else {
            findings.refuse(at, "", found, expected);
        }
    }
}

struct Document<'a, 'b> {
    findings: &'a mut Findings<'b>,
    /// Where the body begins in the text.
    offset: usize,
    /// The elements that are open, the root first.
    open: Vec<Node>,
    root: Option<Node>,
    /// Whether `<?adf?>` was seen.
    is_marked: bool,
}

impl Document<'_, '_> {
    fn read(mut self, body: &str) -> Option<Node> {
        let mut reader = Reader::from_str(body);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_comments = true;
        loop {
            let at = self.offset + reader.buffer_position() as usize;
            match reader.read_event() {
                Ok(Event::Eof) => return self.end(at),
                Ok(event) => self.event(event, at)?,
                Err(error) => {
                    let at = self.offset + reader.error_position() as usize;
                    self.broken(at, describe(&error));
                    return None;
                }
            }
        }
    }

    fn event(&mut self, event: Event<'_>, at: usize) -> Option<()> {
        match event {
            Event::Start(element) => self.start(&element, at)?,
            Event::End(_) => self.close(),
            Event::Text(text) => {
                if text.contains("]]>") {
                    self.broken(at, "`]]>` in a text".to_owned());
                    return None;
                }
                self.text(&text.into_inner(), at);
            }
            Event::CData(text) => {
                let path = self.path();
                let expected = "escaped text (`&amp;`, `&lt;`): some readers drop such sections";
                self.findings.doubt(at, &path, "a CDATA section", expected);
                self.text(&text.into_inner(), at);
            }
            Event::GeneralRef(reference) => self.reference(&reference, at)?,
            Event::DocType(_) => {
                let expected = "none: readers refuse documents that bring their own definitions";
                self.findings
                    .refuse(at, "", "a document type declaration", expected);
            }
            Event::PI(instruction) => {
                self.instruction(instruction.target(), instruction.content(), at)
            }
            Event::Decl(declaration) => {
                let encoding = declaration.encoding().and_then(Result::ok);
                if encoding.is_some_and(|name| !name.eq_ignore_ascii_case("utf-8")) {
                    let found = "an XML declaration that names another encoding";
                    self.findings.doubt(at, "", found, "UTF-8");
                }
            }
            Event::Comment(_) | Event::Empty(_) | Event::Eof => {}
        }
        Some(())
    }

    fn start(&mut self, element: &BytesStart<'_>, at: usize) -> Option<()> {
        if self.root.is_some() {
            self.broken(
                at,
                "a second element after the end of the document".to_owned(),
            );
            return None;
        }
        if self.open.len() == DEEPEST {
            self.broken(at, format!("elements that nest deeper than {DEEPEST}"));
            return None;
        }
        let mut node = Node {
            name: element.name().0.to_owned(),
            at,
            ..Node::default()
        };
        for attribute in element.attributes() {
            let Ok(attribute) = attribute else {
                self.broken(
                    at,
                    "an attribute that cannot be read, or stands twice".to_owned(),
                );
                return None;
            };
            if node.attributes.len() == MOST_ATTRIBUTES {
                self.broken(at, format!("more than {MOST_ATTRIBUTES} attributes"));
                return None;
            }
            let name = attribute.key.0.to_owned();
            node.attributes.push((name, attribute.value.into_owned()));
        }
        self.open.push(node);
        Some(())
    }

    fn close(&mut self) {
        let Some(node) = self.open.pop() else {
            return;
        };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.root = Some(node),
        }
    }

    fn text(&mut self, text: &str, at: usize) {
        match self.open.last_mut() {
            Some(node) => node.text.push_str(text),
            None if text.trim().is_empty() => {}
            None => self.findings.refuse(
                at,
                "",
                "text outside of the document's element",
                "nothing but the document, as plain text",
            ),
        }
    }

    fn reference(&mut self, reference: &BytesRef<'_>, at: usize) -> Option<()> {
        let character = match reference.resolve_char_ref() {
            Ok(Some(character)) => Some(character).filter(|it| is_plain(*it)),
            Ok(None) => match &**reference {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => None,
            },
            Err(_) => None,
        };
        let Some(character) = character else {
            self.broken(
                at,
                "a reference (`&...;`) to no character that XML knows or allows".to_owned(),
            );
            return None;
        };
        self.text(character.encode_utf8(&mut [0; 4]), at);
        Some(())
    }

    fn instruction(&mut self, target: &str, content: &str, at: usize) {
        if !target.eq_ignore_ascii_case("adf") {
            return;
        }
        self.is_marked = true;
        let content: Vec<&str> = content.split_whitespace().collect();
        let is_right = matches!(*content, ["version=\"1.0\"" | "version='1.0'"]);
        if target != "adf" || !is_right {
            let found = "an `<?adf?>` instruction of another form";
            self.findings.refuse(at, "", found, MARK);
        }
        if self.root.is_some() || !self.open.is_empty() {
            let found = "an `<?adf?>` instruction after the document's element";
            self.findings.refuse(at, "", found, MARK);
        }
    }

    fn end(mut self, at: usize) -> Option<Node> {
        if !self.open.is_empty() {
            self.broken(at, "the end in the middle of an element".to_owned());
            return None;
        }
        let Some(root) = self.root else {
            self.broken(at, "no element at all".to_owned());
            return None;
        };
        if !self.is_marked {
            let found = "no `<?adf?>` instruction";
            self.findings.refuse(root.at, "", found, MARK);
        }
        Some(root)
    }

    fn broken(&mut self, at: usize, found: String) {
        let path = self.path();
        let expected = "a well-formed XML document";
        self.findings.refuse(at, &path, found, expected);
    }

    fn path(&self) -> String {
        let names: Vec<&str> = self.open.iter().map(|node| node.name.as_str()).collect();
        names.join("/")
    }
}

const MARK: &str = "`<?adf version=\"1.0\"?>` before the document's element";

fn describe(error: &Error) -> String {
    match error {
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            format!("`</{found}>` where `</{expected}>` has to stand")
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
            format!("`</{found}>` without a beginning")
        }
        Error::IllFormed(IllFormedError::DoubleHyphenInComment) => {
            "two hyphens in a comment".to_owned()
        }
        Error::IllFormed(IllFormedError::UnclosedReference) => {
            "an `&` that is not escaped as `&amp;`".to_owned()
        }
        Error::Syntax(_) => "markup that does not end".to_owned(),
        _ => "markup that cannot be read".to_owned(),
    }
}
