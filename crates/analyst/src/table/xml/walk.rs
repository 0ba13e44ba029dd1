//! A document from its first byte to its last, or as far as it is one.

use std::borrow::Cow;

use html_escape::decode_html_entities;
use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::{BytesStart, Event};

use crate::table::Unreadable;
use crate::table::content::lines;

/// How deep elements may nest.
const DEEPEST: usize = 64;

/// Attributes that an element may have: they are compared with one another.
const MOST_ATTRIBUTES: usize = 256;

/// What is done at each part of a document. Names are as they are written, prefix included.
pub(super) trait Visit {
    /// An element begins at a byte.
    fn open(
        &mut self,
        name: &str,
        attributes: &[(&str, Cow<'_, str>)],
        byte: usize,
    ) -> Result<(), Unreadable>;
    /// A part of the text in the element that is open.
    fn text(&mut self, text: &str);
    /// The element that is open ends.
    fn close(&mut self) -> Result<(), Unreadable>;
}

/// Where a document is none any more.
#[derive(Debug)]
pub(super) struct Break {
    pub(super) byte: usize,
    /// What is wrong there, in words that follow a colon.
    pub(super) reason: String,
}

/// Walks through a document as far as it is well-formed (XML 1.0). Nothing outside of the text is ever looked
/// up, and no entity is expanded but those of XML and HTML themselves.
///
/// # Errors
/// The document is made to be dear to read: it declares entities, nests too deep, or what [`Visit`] refuses.
pub(super) fn walk(text: &str, visit: &mut impl Visit) -> Result<Option<Break>, Unreadable> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    // Shops that write `Town & Country` mean it.
    config.allow_dangling_amp = true;
    let mut depth = 0_usize;
    let mut is_over = false;
    loop {
        let byte = place(reader.buffer_position());
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Ok(Some(unreadable(place(reader.error_position()), &error))),
        };
        let broken = match event {
            Event::Start(_) if is_over => "a second element follows the end of the document",
            Event::Start(element) => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(Unreadable::TooDeep { limit: DEEPEST });
                }
                if let Some(broken) = start(&element, text, byte, visit)? {
                    return Ok(Some(broken));
                }
                continue;
            }
            Event::End(_) => {
                depth -= 1;
                is_over = depth == 0;
                visit.close()?;
                continue;
            }
            Event::Text(part) if depth > 0 => {
                visit.text(&part.into_inner());
                continue;
            }
            Event::CData(part) if depth > 0 => {
                visit.text(&part.into_inner());
                continue;
            }
            Event::GeneralRef(name) if depth > 0 => {
                visit.text(&decoded(&format!("&{};", &*name)));
                continue;
            }
            Event::DocType(declared) if declared.contains("<!ENTITY") => {
                return Err(Unreadable::Entities {
                    line: line_of(text, byte),
                });
            }
            Event::Text(part) if !part.trim().is_empty() => {
                "text stands outside of the document's element"
            }
            Event::Eof if is_over => return Ok(None),
            Event::Eof => return Ok(Some(cut_off(text.len()))),
            _ => continue,
        };
        return Ok(Some(Break {
            byte,
            reason: broken.to_owned(),
        }));
    }
}

fn start(
    element: &BytesStart<'_>,
    text: &str,
    byte: usize,
    visit: &mut impl Visit,
) -> Result<Option<Break>, Unreadable> {
    let mut attributes = Vec::new();
    for attribute in element.attributes() {
        let attribute = match attribute {
            Ok(attribute) => attribute,
            Err(error) => {
                let reason = format!("an attribute cannot be read ({error})");
                return Ok(Some(Break { byte, reason }));
            }
        };
        if attributes.len() == MOST_ATTRIBUTES {
            return Err(Unreadable::TooManyAttributes {
                line: line_of(text, byte),
                limit: MOST_ATTRIBUTES,
            });
        }
        attributes.push((
            attribute.key.0,
            Cow::Owned(decoded(&attribute.value).into_owned()),
        ));
    }
    visit.open(element.name().0, &attributes, byte)?;
    Ok(None)
}

/// Text with what stands for letters in place of them. An entity that is not known stays as it is written, and a
/// control character, which XML forbids, becomes U+FFFD.
fn decoded(text: &str) -> Cow<'_, str> {
    let decoded = decode_html_entities(text);
    let is_forbidden =
        |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{85}');
    if decoded.contains(is_forbidden) {
        Cow::Owned(decoded.replace(is_forbidden, "\u{FFFD}"))
    } else {
        decoded
    }
}

fn unreadable(byte: usize, error: &Error) -> Break {
    let reason = match error {
        // Markup that is not closed in the rest of the file.
        Error::Syntax(_) => return cut_off(byte),
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            format!(
                "“</{}>” stands where “</{}>” is expected",
                named(found),
                named(expected)
            )
        }
        error => error.to_string(),
    };
    Break { byte, reason }
}

fn cut_off(byte: usize) -> Break {
    Break {
        byte,
        reason: "the document ends in the middle".to_owned(),
    }
}

/// A name in a sentence: without what no name has, and not longer than a line.
pub(super) fn named(name: &str) -> String {
    const LONGEST: usize = 60;
    let short: String = name.chars().take(LONGEST).collect();
    let more = if short.len() < name.len() { "…" } else { "" };
    format!("{}{more}", short.escape_debug())
}

/// The line of a byte, the first being 1.
pub(super) fn line_of(text: &str, byte: usize) -> u64 {
    1 + lines(&text.as_bytes()[..byte.min(text.len())])
}

/// Line and column of a byte, the first being 1.
pub(super) fn line_and_column(text: &str, byte: usize) -> (u64, u64) {
    let before = &text[..text.floor_char_boundary(byte)];
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    let column = 1 + before[begin..].chars().count() as u64;
    (line_of(text, byte), column)
}

fn place(byte: u64) -> usize {
    usize::try_from(byte).unwrap_or(usize::MAX)
}
