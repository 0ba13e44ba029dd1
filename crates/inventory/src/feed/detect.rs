//! From bytes to text, and from text to the character between its cells.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::aliases;
use super::report::{Refusal, RefusalCode};
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

/// Decodes a file. A byte order mark decides; without one, a file that is UTF-8 is UTF-8, and any
/// other is Windows-1252, which vendors' Windows programs write and which gives every byte a
/// meaning.
pub(super) fn decode(bytes: &[u8]) -> Text<'_> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes)
        && encoding != UTF_8
    {
        let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
        return Text {
            text,
            encoding: label(encoding),
            mixed_at: None,
        };
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Text {
            text: Cow::Borrowed(text),
            encoding: label(UTF_8),
            mixed_at: None,
        },
        Err(_) if is_mostly_utf8(bytes) => mend(bytes),
        Err(_) => Text {
            text: WINDOWS_1252.decode_without_bom_handling(bytes).0,
            encoding: label(WINDOWS_1252),
            mixed_at: None,
        },
    }
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

/// Refuses what is no feed at all: nothing, a program's data, a web page.
pub(super) fn refuse_what_is_no_table(text: &str) -> Result<(), Refusal> {
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
    if text.contains('\0') {
        return refuse(
            RefusalCode::NotText,
            "the file holds zero bytes, as an archive, a spreadsheet or UTF-16 without a byte order mark does; \
             expected text in UTF-8 or Windows-1252",
        );
    }
    if !start.starts_with('<') {
        return Ok(());
    }
    if is_html(start) {
        return refuse(
            RefusalCode::HtmlPage,
            "the file is a web page, such as a server's error or log-in page; expected a table with a header",
        );
    }
    refuse(
        RefusalCode::UnknownFormat,
        "the file begins with `<`, as XML does; expected a table with a header",
    )
}

fn is_html(start: &str) -> bool {
    const WINDOW: usize = 1024;
    let window: String = start
        .chars()
        .take(WINDOW)
        .collect::<String>()
        .to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<body"]
        .iter()
        .any(|tag| window.contains(tag))
}

/// The characters that stand between cells.
const DELIMITERS: [char; 4] = [',', '\t', '|', ';'];

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
