//! Query strings: parameters of requests without a body (A2A 1.0 §11.5).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Value};

/// The characters that RFC 3986 §2.3 leaves as they are.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A text as a path segment or as a query's name or value.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// A percent-encoded text; bytes that are no UTF-8 become replacement characters, which no id has.
pub(crate) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The value of a query's parameter, decoded; the last one where there are several. `query` is what follows
/// the question mark, percent-encoded.
#[must_use]
pub fn parameter(query: &str, name: &str) -> Option<String> {
    let mut found = pairs(query);
    found.retain(|(it, _)| it == name);
    found.pop().map(|(_, value)| value)
}

/// The names and values of a query in the order sent.
pub(crate) fn pairs(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = |text: &str| decode(&text.replace('+', " "));
            (decoded(name), decoded(value))
        })
        .collect()
}

/// A query as the object that the parameters of an operation are read from. Every value is a string,
/// which the reader takes for a number or an enumeration's name where one is expected, but `true` and
/// `false` of the one boolean. An empty value is an absent one.
pub(crate) fn object(query: &str) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, value) in pairs(query) {
        if value.is_empty() {
            continue;
        }
        let value = match (name.as_str(), value.as_str()) {
            ("includeArtifacts" | "include_artifacts", "true") => Value::Bool(true),
            ("includeArtifacts" | "include_artifacts", "false") => Value::Bool(false),
            _ => Value::String(value),
        };
        object.insert(name, value);
    }
    object
}
