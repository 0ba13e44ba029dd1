//! Cells that hold several values: photos and features.

use std::borrow::Cow;

use serde_json::Value;

use super::text::phrase;
use super::url::begins_web_address;

/// The addresses in a photo cell, in order: separated by `|`, `-|-`, a line break, a comma and blank,
/// or a comma or `;` before the next address, or written as a JSON list. A comma or `;` elsewhere
/// belongs to the address (`w_400,h_300`).
pub(in crate::feed) fn addresses(cell: &str) -> Vec<String> {
    if let Some(addresses) = json_list(cell) {
        return addresses;
    }
    // Exports from web pages write the `&` of a query as an entity, whose `;` separates nothing.
    let cell = if cell.contains("&amp;") {
        Cow::Owned(cell.replace("&amp;", "&"))
    } else {
        Cow::Borrowed(cell)
    };
    let mut addresses = Vec::new();
    let mut start = 0;
    let mut from = 0;
    const SEPARATORS: [char; 6] = ['|', ';', ' ', '\n', '\r', '\t'];
    let is_candidate =
        |byte: &u8| matches!(byte, b'|' | b';' | b',' | b' ' | b'\n' | b'\r' | b'\t');
    while let Some(found) = cell.as_bytes()[from..].iter().position(is_candidate) {
        let at = from + found;
        from = at + 1;
        let rest = &cell[from..];
        let separates = match cell.as_bytes()[at] {
            b',' | b';' => rest.is_empty() || rest.starts_with(SEPARATORS) || begins_address(rest),
            b' ' => begins_web_address(rest),
            _ => true,
        };
        if separates {
            let dashed = cell[start..at].ends_with('-') && rest.starts_with('-');
            push_address(&mut addresses, &cell[start..at - usize::from(dashed)]);
            from += usize::from(dashed);
            start = from;
        }
    }
    push_address(&mut addresses, &cell[start..]);
    addresses
}

/// True where an address of any scheme begins, if only to be left out.
fn begins_address(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    rest.len() < text.len() && rest.starts_with("://")
}

fn push_address(addresses: &mut Vec<String>, part: &str) {
    let address = part.trim().trim_end_matches(',');
    if !address.is_empty() {
        addresses.push(address.to_owned());
    }
}

/// The strings of a JSON list, or the `url` members of its objects, as Meta's catalogue has them.
fn json_list(cell: &str) -> Option<Vec<String>> {
    if !cell.starts_with('[') {
        return None;
    }
    let items: Vec<Value> = serde_json::from_str(cell).ok()?;
    let text = |item: &Value| {
        let text = item.as_str().or_else(|| item.get("url")?.as_str())?;
        Some(text.trim().to_owned())
    };
    Some(items.iter().filter_map(text).collect())
}

/// The features in a cell, each once: separated by `|`, else `;` or line breaks, else commas
/// outside brackets and numbers, or written as a JSON list.
pub(in crate::feed) fn features(cell: &str) -> Vec<String> {
    if let Some(features) = json_list(cell) {
        return distinct(features.iter().map(String::as_str));
    }
    if cell.contains('~') && cell.contains('@') {
        return categorized_features(cell);
    }
    if cell.contains('|') {
        return distinct(cell.split('|'));
    }
    if cell.contains([';', '\n']) {
        return distinct(cell.split([';', '\n', '\r']));
    }
    distinct(at_commas(cell).into_iter())
}

/// The options of `Category@Option~Category@Option`; one without a category is an option too.
pub(in crate::feed) fn categorized_features(cell: &str) -> Vec<String> {
    distinct(
        cell.split('~')
            .map(|entry| entry.split_once('@').map_or(entry, |(_, option)| option)),
    )
}

fn distinct<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut features: Vec<String> = Vec::new();
    for part in parts {
        let feature = phrase(part);
        if !feature.is_empty() && !features.contains(&feature) {
            features.push(feature);
        }
    }
    features
}

fn at_commas(cell: &str) -> Vec<&str> {
    let bytes = cell.as_bytes();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 && !(is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))) => {
                parts.push(&cell[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&cell[start..]);
    parts
}
