//! Marketing text without its markup.

use std::borrow::Cow;

/// A text as a reader would see it: tags removed, entities decoded, line breaks kept, control
/// characters dropped.
pub(in crate::feed) fn plain_text(cell: &str) -> String {
    let mut text = Cow::Borrowed(cell);
    // Some vendors escape their markup, so that tags appear once entities are decoded.
    for _ in 0..2 {
        if text.contains('<') {
            text = Cow::Owned(without_tags(&text));
        }
        if text.contains('&') {
            text = Cow::Owned(html_escape::decode_html_entities(&*text).into_owned());
        }
    }
    if text.contains('<') {
        text = Cow::Owned(without_tags(&text));
    }
    tidy_lines(&text)
}

/// Removes tags, comments, and the content of scripts and styles; tags that end a line on a page
/// end a line here. A `<` that begins no tag, or one that never ends, is text.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        plain.push_str(&rest[..open]);
        let tag = &rest[open..];
        if !begins_tag(tag) {
            plain.push('<');
            rest = &tag[1..];
            continue;
        }
        let Some(end) = end_of_tag(tag) else {
            rest = tag;
            break;
        };
        let name = tag_name(tag);
        rest = &tag[end..];
        if is_hidden(&name) && !tag.starts_with("</") {
            let closing = format!("</{name}");
            rest = find_ignore_case(rest, &closing).map_or("", |at| &rest[at..]);
        } else if breaks_line(&name) {
            plain.push('\n');
        } else if is_cell(&name) {
            plain.push(' ');
        }
    }
    plain.push_str(rest);
    plain
}

fn begins_tag(tag: &str) -> bool {
    tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
}

/// Where the tag or comment at the beginning of a text ends.
fn end_of_tag(tag: &str) -> Option<usize> {
    if tag.starts_with("<!--") {
        return Some(tag.find("-->").map_or(tag.len(), |at| at + 3));
    }
    tag.find('>').map(|at| at + 1)
}

fn tag_name(tag: &str) -> String {
    tag[1..]
        .trim_start_matches('/')
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

fn is_hidden(name: &str) -> bool {
    matches!(name, "script" | "style")
}

fn breaks_line(name: &str) -> bool {
    matches!(
        name,
        "br" | "p"
            | "div"
            | "li"
            | "ul"
            | "ol"
            | "tr"
            | "table"
            | "hr"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
    )
}

fn is_cell(name: &str) -> bool {
    matches!(name, "td" | "th")
}

fn find_ignore_case(text: &str, ascii: &str) -> Option<usize> {
    text.as_bytes()
        .windows(ascii.len())
        .position(|window| window.eq_ignore_ascii_case(ascii.as_bytes()))
}

/// Single blanks within lines, at most one empty line in a row, no control characters.
fn tidy_lines(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut breaks = 0_usize;
    let text = if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    };
    for line in text.split('\n') {
        let line = super::text::phrase(line);
        if !line.is_empty() {
            if !tidy.is_empty() {
                tidy.push_str(if breaks > 1 { "\n\n" } else { "\n" });
            }
            tidy.push_str(&line);
            breaks = 0;
        }
        breaks += 1;
    }
    tidy
}
