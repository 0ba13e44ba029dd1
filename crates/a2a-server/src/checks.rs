//! What every binding over HTTP checks of a request's head.

use std::borrow::Cow;

use a2a::error::Error;
use a2a::headers::{self, A2A_VERSION, ProtocolVersion};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::Options;

/// The media types of a body; `application/json` is what JSON-RPC and 0.3 ask for, the other is A2A's own.
const MEDIA_TYPES: [&str; 2] = [a2a::rest::MEDIA_TYPE_JSON, a2a::rest::MEDIA_TYPE];

/// The media type that a body is said to have. A missing one is tolerated, another one is refused: such a
/// body is likely a form's or a browser's, not an agent's.
pub(crate) fn media_type(headers: &HeaderMap) -> Result<Option<&'static str>, Error> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(None);
    };
    let value = lossy(value);
    match known_media_type(&value) {
        Some(known) => Ok(Some(known)),
        None => Err(Error::content_type_not_supported(&value, &MEDIA_TYPES)),
    }
}

/// The first media type of the `Accept` header that a body can have. Weights are not read: whoever takes
/// either is served by both.
pub(crate) fn accepted_media_type(headers: &HeaderMap) -> Option<&'static str> {
    accepted(headers).find_map(known_media_type)
}

/// Whether the `Accept` header names a media type.
pub(crate) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    accepted(headers).any(|member| essence(member).eq_ignore_ascii_case(media_type))
}

fn accepted(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::ACCEPT).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(','))
}

fn known_media_type(value: &str) -> Option<&'static str> {
    let essence = essence(value);
    let mut known = MEDIA_TYPES.into_iter();
    known.find(|known| essence.eq_ignore_ascii_case(known))
}

/// A media type without its parameters.
fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}

/// The version of a request whose method name or path belongs to `form`: that of 0.3 tells it, and 1.0
/// has to be told.
pub(crate) fn version(
    form: ProtocolVersion,
    head: &Parts,
    options: &Options,
) -> Result<ProtocolVersion, Error> {
    if form == ProtocolVersion::V0_3 {
        return Ok(form);
    }
    let found = told_version(head, options)?;
    if found == ProtocolVersion::V0_3 {
        // Both are served, and the form is that of 1.0.
        let others = options.supported_versions.iter().copied();
        let others: Vec<_> = others.filter(|it| *it != found).collect();
        let header = version_header(&head.headers);
        return Err(Error::version_not_supported(header.as_deref(), &others));
    }
    Ok(found)
}

/// The version by the header, else by the parameter where that counts, else the one that absence means.
fn told_version(head: &Parts, options: &Options) -> Result<ProtocolVersion, Error> {
    let header = version_header(&head.headers);
    let parameter = || {
        let query = head.uri.query().filter(|_| !options.exact_headers)?;
        headers::version_in_query(query).map(Cow::Owned)
    };
    let found = header.or_else(parameter);
    let version = match &found {
        None => Ok(options.absent_version),
        Some(found) => ProtocolVersion::from_header(found),
    };
    match version {
        Ok(version) if options.supported_versions.contains(&version) => Ok(version),
        _ => Err(Error::version_not_supported(
            found.as_deref(),
            &options.supported_versions,
        )),
    }
}

/// A header that is sent twice is the list of both values (RFC 9110 §5.3), and a list is no version.
fn version_header(headers: &HeaderMap) -> Option<Cow<'_, str>> {
    let mut lines = headers.get_all(A2A_VERSION).iter().map(lossy);
    let first = lines.next()?;
    let joined = lines
        .filter(|line| *line != first)
        .fold(None, |joined: Option<String>, line| {
            let before = joined.as_deref().unwrap_or(&first);
            Some(format!("{before}, {line}"))
        });
    Some(joined.map_or(first, Cow::Owned))
}

/// The extensions that the request asks for, when all required ones are among them.
pub(crate) fn extensions(headers: &HeaderMap, options: &Options) -> Result<Vec<String>, Error> {
    let names: &[&str] = if options.exact_headers {
        &[headers::A2A_EXTENSIONS]
    } else {
        &[headers::A2A_EXTENSIONS, headers::X_A2A_EXTENSIONS]
    };
    let lines = names
        .iter()
        .flat_map(|name| headers.get_all(*name))
        .filter_map(|value| value.to_str().ok());
    let asked = headers::extensions(lines);
    let required = options.required_extensions.iter().map(String::as_str);
    let missing: Vec<&str> = required
        .filter(|required| !asked.iter().any(|asked| asked == required))
        .collect();
    if missing.is_empty() {
        Ok(asked)
    } else {
        Err(Error::extension_support_required(&missing))
    }
}

/// The header by which an answer in `form` names the extensions that it has activated, if any.
pub(crate) fn activated(
    form: ProtocolVersion,
    asked: &[String],
    options: &Options,
) -> Option<(HeaderName, HeaderValue)> {
    let known = |uri: &&String| {
        options.extensions.contains(uri) || options.required_extensions.contains(uri)
    };
    let activated: Vec<&str> = asked.iter().filter(known).map(String::as_str).collect();
    if activated.is_empty() {
        return None;
    }
    let name = if form == ProtocolVersion::V0_3 {
        HeaderName::from_static("x-a2a-extensions")
    } else {
        HeaderName::from_static("a2a-extensions")
    };
    // What came in a header fits into one.
    let value = HeaderValue::try_from(activated.join(", ")).ok()?;
    Some((name, value))
}

/// A header's value for people; bytes that are no text show as replacement characters.
fn lossy(value: &HeaderValue) -> Cow<'_, str> {
    String::from_utf8_lossy(value.as_bytes())
}
