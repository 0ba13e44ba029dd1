//! A document from its first byte to its last.

use std::borrow::Cow;

use html_escape::decode_html_entities;
use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::{BytesStart, Event};

use crate::feed::report::{Refusal, RefusalCode};

/// How deep elements may nest.
const DEEPEST: usize = 64;

/// Attributes that an element may have: each is compared with all before it.
const MOST_ATTRIBUTES: usize = 256;

/// What is done at each part of a document. Names are as they are written, prefix included.
pub(super) trait Visit {
    /// An element begins at a byte; false to refuse the document for its size.
    fn open(&mut self, name: &str, byte: usize) -> bool;
    /// An attribute of the element that began last.
    fn attribute(&mut self, name: &str, value: &str);
    /// A part of the text in the element that is open.
    fn text(&mut self, text: &str);
    /// The element that is open ends.
    fn close(&mut self);
}

/// Walks through a document.
///
/// # Errors
/// The document is not well-formed, nests too deep, or ends in the middle.
pub(super) fn walk(text: &str, visit: &mut impl Visit) -> Result<(), Refusal> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    // Vendors that write `Town & Country` mean it.
    config.allow_dangling_amp = true;
    let mut depth = 0_usize;
    let mut is_over = false;
    loop {
        let byte = reader.buffer_position() as usize;
        let event = reader
            .read_event()
            .map_err(|error| unreadable(text, reader.error_position() as usize, &error))?;
        match event {
            Event::Start(_) if is_over => {
                return Err(malformed(
                    text,
                    byte,
                    "a second element follows the end of the document",
                ));
            }
            Event::Start(element) => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(malformed(
                        text,
                        byte,
                        &format!("elements nest deeper than {DEEPEST}"),
                    ));
                }
                start(&element, text, byte, visit)?;
            }
            Event::End(_) => {
                depth -= 1;
                is_over = depth == 0;
                visit.close();
            }
            Event::Text(part) if depth > 0 => visit.text(&part.into_inner()),
            Event::CData(part) if depth > 0 => visit.text(&part.into_inner()),
            Event::GeneralRef(name) if depth > 0 => {
                visit.text(&decode_html_entities(&format!("&{};", &*name)));
            }
            Event::Text(part) if !part.trim().is_empty() => {
                return Err(malformed(
                    text,
                    byte,
                    "text stands outside of the document's element",
                ));
            }
            Event::Eof if depth > 0 || !is_over => return Err(cut_off(text, text.len())),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn start(
    element: &BytesStart<'_>,
    text: &str,
    byte: usize,
    visit: &mut impl Visit,
) -> Result<(), Refusal> {
    if !visit.open(element.name().0, byte) {
        return Err(Refusal {
            code: RefusalCode::TooLarge,
            message: format!(
                "the XML document has too many different elements (at {}); expected a feed of vehicles",
                place(text, byte)
            ),
        });
    }
    for (count, attribute) in element.attributes().enumerate() {
        if count == MOST_ATTRIBUTES {
            let what = format!("an element has more than {MOST_ATTRIBUTES} attributes");
            return Err(malformed(text, byte, &what));
        }
        let attribute =
            attribute.map_err(|error| malformed(text, byte, &format!("an attribute: {error}")))?;
        let value: Cow<'_, str> = attribute.value;
        visit.attribute(attribute.key.0, &decode_html_entities(&*value));
    }
    Ok(())
}

fn unreadable(text: &str, byte: usize, error: &Error) -> Refusal {
    match error {
        // Markup that is not closed in the rest of the file.
        Error::Syntax(_) => cut_off(text, byte),
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => malformed(
            text,
            byte,
            &format!("`</{found}>` stands where `</{expected}>` is expected"),
        ),
        error => malformed(text, byte, &error.to_string()),
    }
}

fn malformed(text: &str, byte: usize, what: &str) -> Refusal {
    Refusal {
        code: RefusalCode::Malformed,
        message: format!(
            "the XML is broken at {}: {what}; expected a well-formed document",
            place(text, byte)
        ),
    }
}

fn cut_off(text: &str, byte: usize) -> Refusal {
    Refusal {
        code: RefusalCode::CutOff,
        message: format!(
            "the XML document ends in the middle, at {}; its transfer was cut off",
            place(text, byte)
        ),
    }
}

/// Line and column of a byte, the first being 1.
fn place(text: &str, byte: usize) -> String {
    let before = &text[..text.floor_char_boundary(byte)];
    let line = 1 + before.matches('\n').count();
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    let column = 1 + before[begin..].chars().count();
    format!("line {line}, column {column}")
}
