//! From the bytes of a file to the text of the ADF documents in it.

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252};
use mail_parser::{Message, MessageParser, PartType};

/// More parts than this no honest mail has.
const MOST_PARTS: usize = 100;
/// How deep a mail may lie in another.
const DEEPEST_MAIL: usize = 3;
/// Within so many bytes a declaration names the encoding.
const DECLARATION: usize = 200;

/// The part of a file that holds ADF; `None` when there is none.
pub(super) fn document(bytes: &[u8], doubts: &mut Vec<String>) -> Option<String> {
    let whole = decode(bytes, doubts);
    if is_mail(&whole)
        && let Some(text) = in_mail(bytes, doubts)
    {
        return Some(text);
    }
    region(&whole, doubts)
}

fn decode<'a>(bytes: &'a [u8], doubts: &mut Vec<String>) -> Cow<'a, str> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(length..).unwrap_or_default();
        return encoding.decode_without_bom_handling(rest).0;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let encoding = declared(bytes).unwrap_or(WINDOWS_1252);
    doubts.push(format!(
        "the file is not UTF-8; it was read as {}",
        encoding.name()
    ));
    encoding.decode_without_bom_handling(bytes).0
}

/// The encoding that the XML declaration names.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARATION).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head);
    let (_, after) = head.split_once("encoding=")?;
    let quote = after.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let name = after.get(1..)?.split(quote).next()?;
    Encoding::for_label(name.as_bytes())
}

/// A file that begins with header fields.
fn is_mail(text: &str) -> bool {
    const FIELDS: [&str; 10] = [
        "from",
        "to",
        "subject",
        "date",
        "received",
        "return-path",
        "mime-version",
        "content-type",
        "message-id",
        "delivered-to",
    ];
    let head = text.trim_start();
    if head.starts_with('<') {
        return false;
    }
    let lines = head.lines().take_while(|line| !line.is_empty());
    lines.take(50).any(|line| {
        let name = line.split_once(':').map(|(name, _)| name);
        name.is_some_and(|name| FIELDS.iter().any(|it| name.eq_ignore_ascii_case(it)))
    })
}

fn in_mail(bytes: &[u8], doubts: &mut Vec<String>) -> Option<String> {
    let name = b"content-type";
    let parts = bytes.windows(name.len());
    if parts.filter(|it| it.eq_ignore_ascii_case(name)).count() > MOST_PARTS {
        doubts.push(format!("the mail has more than {MOST_PARTS} parts"));
        return None;
    }
    // Built with overflow checks, the library panics at a soft line break before a boundary.
    let parsed = std::panic::catch_unwind(|| MessageParser::new().parse(bytes));
    let message = parsed.ok().flatten()?;
    let text = in_parts(&message, 0, doubts)?;
    doubts.push("the document was taken out of a mail".to_owned());
    Some(text)
}

/// Of several parts the first that holds a document: a mail with HTML says the same twice.
fn in_parts(message: &Message<'_>, depth: usize, doubts: &mut Vec<String>) -> Option<String> {
    message.parts.iter().find_map(|part| match &part.body {
        PartType::Text(text) | PartType::Html(text) => region(text, doubts),
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => {
            region(&decode(bytes, &mut Vec::new()), doubts)
        }
        PartType::Message(inner) if depth < DEEPEST_MAIL => in_parts(inner, depth + 1, doubts),
        PartType::Message(_) | PartType::Multipart(_) => None,
    })
}

/// From the first element of ADF to the end of the last.
fn region(text: &str, doubts: &mut Vec<String>) -> Option<String> {
    if let Some(found) = between(text, doubts) {
        return Some(found.to_owned());
    }
    // HTML that shows the document to people has it escaped.
    let lower = text.to_ascii_lowercase();
    if !lower.contains("&lt;adf") && !lower.contains("&lt;prospect") {
        return None;
    }
    let plain = html_escape::decode_html_entities(text);
    let found = between(&plain, doubts)?.to_owned();
    doubts.push("the document was escaped, as a web page shows it".to_owned());
    Some(found)
}

fn between<'a>(text: &'a str, doubts: &mut Vec<String>) -> Option<&'a str> {
    let lower = text.to_ascii_lowercase();
    let begins = |name: &str| {
        lower.match_indices(name).find_map(|(at, _)| {
            let next = lower.as_bytes().get(at + name.len());
            next.is_none_or(|next| !next.is_ascii_alphanumeric())
                .then_some(at)
        })
    };
    let from = [begins("<adf"), begins("<prospect")];
    let from = from.into_iter().flatten().min()?;
    let ends = |name: &str| lower.rfind(name).map(|at| at + name.len());
    let to = [ends("</adf>"), ends("</prospect>")];
    match to.into_iter().flatten().max().filter(|to| *to > from) {
        Some(to) => text.get(from..to),
        None => {
            doubts.push("the document is cut off".to_owned());
            text.get(from..)
        }
    }
}
