//! The checks between a sound envelope and its parameters.

use std::borrow::Cow;

use a2a::error::Error;
use a2a::headers::{self, A2A_VERSION, ProtocolVersion};
use a2a::method::{Method, Method03};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, header};

use super::Options;

/// The media types of a request; `application/json` is what JSON-RPC asks for, the other is A2A's own.
const MEDIA_TYPES: [&str; 2] = ["application/json", "application/a2a+json"];

/// A missing media type is tolerated, another one is refused: such a body is likely a form's or a
/// browser's, not an agent's.
pub(super) fn media_type(headers: &HeaderMap) -> Result<(), Error> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let value = lossy(value);
    let essence = value.split(';').next().unwrap_or_default().trim();
    if MEDIA_TYPES
        .iter()
        .any(|known| essence.eq_ignore_ascii_case(known))
    {
        Ok(())
    } else {
        Err(Error::content_type_not_supported(&value, &MEDIA_TYPES))
    }
}

/// A method by the name that its version gives it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Named {
    V1_0(Method),
    V0_3(Method03),
}

impl Named {
    /// The method of a name, where its version is served.
    pub(super) fn of(name: &str, options: &Options) -> Result<Self, Error> {
        let served = |version| options.supported_versions.contains(&version);
        if let Some(method) = Method::from_name(name) {
            return Ok(Self::V1_0(method));
        }
        match Method03::from_name(name) {
            Some(method) if served(ProtocolVersion::V0_3) => Ok(Self::V0_3(method)),
            Some(method) => Err(Error::method_of_other_version(
                method,
                &options.supported_versions,
            )),
            None => Err(Error::method_not_found(name)),
        }
    }

    pub(super) fn method(self) -> Method {
        match self {
            Self::V1_0(method) => method,
            Self::V0_3(method) => method.counterpart(),
        }
    }

    /// The version that the request speaks: the name tells 0.3, and 1.0 has to be told.
    pub(super) fn version(self, head: &Parts, options: &Options) -> Result<ProtocolVersion, Error> {
        match self {
            Self::V0_3(_) => Ok(ProtocolVersion::V0_3),
            Self::V1_0(_) => version_of_1_0(&head.headers, head.uri.query(), options),
        }
    }
}

/// The version that a request of an operation by its name of 1.0 speaks.
pub(crate) fn version_of_1_0(
    headers: &HeaderMap,
    query: Option<&str>,
    options: &Options,
) -> Result<ProtocolVersion, Error> {
    let found = version(headers, query, options)?;
    if found == ProtocolVersion::V0_3 {
        // Both are served, and the name is one of 1.0.
        let others = options.supported_versions.iter().copied();
        let others: Vec<_> = others.filter(|it| *it != found).collect();
        let header = version_header(headers);
        return Err(Error::version_not_supported(header.as_deref(), &others));
    }
    Ok(found)
}

/// The version that the request speaks: by its header, else by the parameter where that counts, else
/// the one that absence means.
fn version(
    headers: &HeaderMap,
    query: Option<&str>,
    options: &Options,
) -> Result<ProtocolVersion, Error> {
    let header = version_header(headers);
    let parameter = || {
        let query = query.filter(|_| !options.exact_headers)?;
        parameter(query, A2A_VERSION).map(Cow::Borrowed)
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

/// The first value of a query parameter. Versions need no percent-encoding, so none is undone.
fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
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

/// Those of the extensions asked for that the agent knows, as the answer names them; `None` when there are
/// none.
pub(crate) fn activated(asked: &[String], options: &Options) -> Option<String> {
    let known = |uri: &&String| {
        options.extensions.contains(uri) || options.required_extensions.contains(uri)
    };
    let activated: Vec<&str> = asked.iter().filter(known).map(String::as_str).collect();
    (!activated.is_empty()).then(|| activated.join(", "))
}

/// A header's value for people; bytes that are no text show as replacement characters.
fn lossy(value: &HeaderValue) -> Cow<'_, str> {
    String::from_utf8_lossy(value.as_bytes())
}
