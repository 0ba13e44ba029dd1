//! Files with further headers of a request, one `Name: value` on a line.

use std::path::Path;

use http::{HeaderMap, HeaderName, HeaderValue};

/// Why a file of headers is of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HeadersError {
    #[error("{file} cannot be read")]
    Unreadable {
        file: String,
        source: std::io::Error,
    },
    #[error("line {line} of {file} is not a header; write for example \"X-Api-Key: secret\"")]
    Malformed { file: String, line: usize },
}

/// Reads the file. Its values are secrets.
pub(crate) fn read(path: &Path) -> Result<HeaderMap, HeadersError> {
    let mut headers = HeaderMap::new();
    for (line, content) in text(path)?.lines().enumerate() {
        if content.trim().is_empty() {
            continue;
        }
        let (name, value) = header(content).ok_or_else(|| HeadersError::Malformed {
            file: path.display().to_string(),
            line: line + 1,
        })?;
        headers.append(name, value);
    }
    Ok(headers)
}

/// The text of a file that holds secrets.
pub(crate) fn text(path: &Path) -> Result<String, HeadersError> {
    std::fs::read_to_string(path).map_err(|source| HeadersError::Unreadable {
        file: path.display().to_string(),
        source,
    })
}

/// A value that stands in no log.
pub(crate) fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn header(line: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = line.split_once(':')?;
    let name = HeaderName::try_from(name.trim()).ok()?;
    Some((name, sensitive(value.trim())?))
}
