//! From bytes to text, to the form of its content, and to the character between its cells.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::aliases;
use super::report::{Format, Refusal, RefusalCode};
use super::rows;

/// A file as text.
#[derive(Debug)]
pub(super) struct Text<'a> {
    pub(super) text: Cow<'a, str>,
    /// WHATWG label, lower case.
    pub(super) encoding: String,
    /// Line of the first bytes that are not of the encoding, in a file that otherwise is.
    pub(super) mixed_at: Option<u64>,
}

impl<'a> Text<'a> {
    fn new(text: Cow<'a, str>, encoding: &'static Encoding) -> Self {
        Self {
            text,
            encoding: label(encoding),
            mixed_at: None,
        }
    }
}

/// Decodes a file. A byte order mark decides, then zero bytes where UTF-16 has them, then what an
/// XML document declares. Without any of them, a file that is UTF-8 is UTF-8, and any other is
/// what a page declares, else Windows-1252, which vendors' Windows programs write and which gives
/// every byte a meaning.
pub(super) fn decode(bytes: &[u8]) -> Text<'_> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes)
        && encoding != UTF_8
    {
        return by(encoding, &bytes[mark..]);
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if let Some(encoding) = utf_16_without_mark(bytes).or_else(|| declared_by_xml(bytes)) {
        return by(encoding, bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Text::new(Cow::Borrowed(text), UTF_8),
        Err(_) if is_mostly_utf8(bytes) => mend(bytes),
        Err(_) => by(declared_by_page(bytes).unwrap_or(WINDOWS_1252), bytes),
    }
}

fn by<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Text<'a> {
    Text::new(encoding.decode_without_bom_handling(bytes).0, encoding)
}

/// UTF-16 by its zero bytes: vendors' texts are mostly of characters whose upper byte is zero.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    const WINDOW: usize = 512;
    let (pairs, _) = bytes[..bytes.len().min(WINDOW)].as_chunks::<2>();
    let zeros = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count();
    let most = |count: usize| count > 1 && count >= pairs.len() * 3 / 4;
    match (zeros(0), zeros(1)) {
        (0, low) if most(low) => Some(UTF_16LE),
        (high, 0) if most(high) => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding of an XML declaration (XML 1.0, section 4.3.3). One that declares UTF-16 and yet
/// can be read byte by byte is not UTF-16, and one that is said to be UTF-8 must prove it.
fn declared_by_xml(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = ascii_start(bytes);
    let declaration = start.trim_ascii_start().strip_prefix("<?xml")?;
    let (declaration, _) = declaration.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value
        .trim_ascii_start()
        .strip_prefix('=')?
        .trim_ascii_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (name, _) = value[1..].split_once(quote)?;
    let encoding = Encoding::for_label_no_replacement(name.as_bytes())?;
    (![UTF_8, UTF_16BE, UTF_16LE].contains(&encoding)).then_some(encoding)
}

/// The encoding that a page names in a `meta` element.
fn declared_by_page(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = ascii_start(bytes).to_ascii_lowercase();
    let (_, value) = start
        .trim_ascii_start()
        .starts_with('<')
        .then(|| start.split_once("charset="))??;
    let name = value
        .trim_start_matches(['"', '\'', ' '])
        .split(['"', '\'', ' ', ';', '/', '>'])
        .next()?;
    let encoding = Encoding::for_label_no_replacement(name.as_bytes())?;
    (![UTF_8, UTF_16BE, UTF_16LE].contains(&encoding)).then_some(encoding)
}

/// The beginning of a file, up to the first byte that is not ASCII.
fn ascii_start(bytes: &[u8]) -> &str {
    const WINDOW: usize = 1_024;
    let window = &bytes[..bytes.len().min(WINDOW)];
    let end = window
        .iter()
        .position(|byte| !byte.is_ascii())
        .unwrap_or(window.len());
    std::str::from_utf8(&window[..end]).unwrap_or_default()
}

fn label(encoding: &'static Encoding) -> String {
    encoding.name().to_ascii_lowercase()
}

/// True when more characters beyond ASCII are UTF-8 than are not: a program that copies texts of
/// another encoding into its file, or a file that ends within a character.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > bad
}

/// Reads what is UTF-8 as UTF-8 and the rest as Windows-1252.
fn mend(bytes: &[u8]) -> Text<'_> {
    let mut text = String::with_capacity(bytes.len() + 16);
    let mut mixed_at = None;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            mixed_at.get_or_insert_with(|| 1 + rows::newlines(&text));
            text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
        }
    }
    Text {
        text: Cow::Owned(text),
        encoding: label(UTF_8),
        mixed_at,
    }
}

/// A text in which a line feed ends every line: old Macintosh programs end lines with a carriage
/// return alone, the header's among them, whatever stands inside the cells.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let header_end = text.trim_start().find(['\r', '\n']);
    let ending = header_end.map(|at| &text.trim_start()[at..]);
    if ending.is_some_and(|ending| ending.starts_with('\r') && !ending.starts_with("\r\n")) {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Tells the form of a file's content.
///
/// # Errors
/// There is none, or it is no text.
pub(super) fn format(text: &str) -> Result<Format, Refusal> {
    let refuse = |code, message: &str| {
        Err(Refusal {
            code,
            message: message.to_owned(),
        })
    };
    let start = text.trim_start();
    if start.is_empty() {
        return refuse(
            RefusalCode::Empty,
            "the file is empty; expected a header and one row for each vehicle",
        );
    }
    if let Some(at) = text.find('\0') {
        let line = 1 + rows::newlines(&text[..at]);
        return refuse(
            RefusalCode::NotText,
            &format!(
                "the file holds zero bytes, as an archive or a program's own file does, the first in line {line}; \
                 expected text in UTF-8, UTF-16 or Windows-1252"
            ),
        );
    }
    Ok(if start.starts_with('<') {
        match is_html(start) {
            true => Format::Html,
            false => Format::Xml,
        }
    } else if is_json(start) {
        Format::Json
    } else {
        Format::Delimited
    })
}

/// True where JSON begins: a list or an object, and in it what may be its first member. A header
/// in brackets is none.
fn is_json(start: &str) -> bool {
    let next = |rest: &str| rest.trim_start().chars().next();
    if let Some(rest) = start.strip_prefix('{') {
        return matches!(next(rest), Some('"' | '}'));
    }
    start
        .strip_prefix('[')
        .is_some_and(|rest| matches!(next(rest), Some('{' | '"' | '[' | ']')))
}

/// True for markup whose first element, or whose document type, is one of HTML. An XML document
/// may hold elements of the same names further down.
fn is_html(start: &str) -> bool {
    const ELEMENTS: [&str; 24] = [
        "html", "head", "body", "title", "meta", "link", "style", "script", "noscript", "main",
        "section", "article", "header", "nav", "div", "span", "p", "h1", "h2", "center", "font",
        "pre", "ul", "table",
    ];
    let rest = after_comments(start);
    if let Some(kind) = strip_prefix_ignore_case(rest, "<!doctype") {
        return strip_prefix_ignore_case(kind.trim_start(), "html").is_some();
    }
    let name = rest.strip_prefix('<').unwrap_or_default();
    let name = name
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.')))
        .next()
        .unwrap_or_default();
    ELEMENTS.iter().any(|html| name.eq_ignore_ascii_case(html))
}

/// What follows the comments and processing instructions at the beginning of a document.
fn after_comments(start: &str) -> &str {
    let mut rest = start;
    loop {
        rest = rest.trim_start();
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<?") {
            "?>"
        } else {
            return rest;
        };
        rest = rest.split_once(end).map_or("", |(_, after)| after);
    }
}

fn strip_prefix_ignore_case<'t>(text: &'t str, ascii: &str) -> Option<&'t str> {
    let start = text.get(..ascii.len())?;
    start
        .eq_ignore_ascii_case(ascii)
        .then(|| &text[ascii.len()..])
}

/// The character between cells that a first line `sep=;` states, as Excel writes and reads it, and
/// where the line after it begins.
pub(super) fn stated_delimiter(text: &str) -> Option<(char, usize)> {
    let end = text.find('\n')?;
    let line = text[..end].trim_end_matches('\r').trim_matches('"');
    let mut stated = strip_prefix_ignore_case(line, "sep=")?.chars();
    let delimiter = stated.next()?;
    let separates = delimiter == '\t' || delimiter.is_ascii_punctuation();
    (separates && stated.next().is_none()).then_some((delimiter, end + 1))
}

/// The characters that stand between cells.
pub(super) const DELIMITERS: [char; 4] = [',', '\t', '|', ';'];

/// Finds the character between cells: the one by which the first line falls into the most headers
/// that are known, then into the most cells.
///
/// `is_named` knows the headers that the configuration names.
pub(super) fn delimiter(text: &str, is_named: impl Fn(&str) -> bool) -> char {
    let score = |delimiter: &char| {
        let headers = rows::first_record(text, *delimiter);
        let known = headers
            .iter()
            .filter(|header| {
                let normalized = aliases::normalized(header);
                aliases::meaning(&normalized).is_some() || is_named(header)
            })
            .count();
        (known, headers.len())
    };
    // `max_by_key` takes the last of equals; the comma is the likeliest.
    DELIMITERS
        .into_iter()
        .rev()
        .max_by_key(score)
        .unwrap_or(',')
}
