//! Elements on their way into a document.

use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesPI, BytesStart, BytesText, Event},
};

use super::words;

/// An element with text or with children.
#[derive(Debug)]
pub(super) struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Text(String),
    Children(Vec<Element>),
}

impl Element {
    /// An element that holds others.
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: Vec::new(),
            content: Content::Children(Vec::new()),
        }
    }

    /// An element that holds text.
    pub(super) fn leaf(name: &'static str, text: impl Into<String>) -> Self {
        Self {
            name,
            attributes: Vec::new(),
            content: Content::Text(text.into()),
        }
    }

    /// Adds an attribute.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    /// Adds children at the end.
    pub(super) fn holding(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        if let Content::Children(held) = &mut self.content {
            held.extend(children);
        }
        self
    }

    /// Adds an element with text, if there is text.
    pub(super) fn text(self, name: &'static str, text: Option<String>) -> Self {
        self.holding(text.map(|text| Self::leaf(name, text)))
    }
}

/// The document around the root element.
pub(super) fn document(root: &Element, declaration: bool) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    if declaration {
        let declaration = BytesDecl::new("1.0", Some("UTF-8"), None);
        put(&mut writer, Event::Decl(declaration));
    }
    put(&mut writer, Event::PI(BytesPI::new("adf version=\"1.0\"")));
    element(&mut writer, root);
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("what is written is text")
}

fn element(writer: &mut Writer<Vec<u8>>, element: &Element) {
    let mut start = BytesStart::new(element.name);
    for (name, value) in &element.attributes {
        start.push_attribute((*name, value.as_str()));
    }
    put(writer, Event::Start(start));
    match &element.content {
        Content::Text(text) => {
            let text = words::lines(text);
            put(writer, Event::Text(BytesText::new(&text)));
        }
        Content::Children(children) => {
            for child in children {
                self::element(writer, child);
            }
        }
    }
    put(writer, Event::End(BytesEnd::new(element.name)));
}

fn put(writer: &mut Writer<Vec<u8>>, event: Event<'_>) {
    writer.write_event(event).expect("a Vec takes every byte");
}
