//! HTTP+JSON (A2A 1.0 §11; A2A 0.3 §3.2.3).

use a2a::{
    headers::ProtocolVersion,
    method::Method,
    operation::{Operation, Outcome},
    rest::{self, MEDIA_TYPE, MEDIA_TYPE_JSON},
    v03,
};
use egress::Response;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{Incoming, Outgoing, Read, bad_answer, incoming, of_1_0, unwritable};
use crate::{
    error::{Error, Excerpt},
    interface::Interface,
};

pub(super) fn write(interface: &Interface, operation: &Operation) -> Result<Outgoing, Error> {
    let is_old = interface.version == ProtocolVersion::V0_3;
    let written = if is_old {
        v03::rest::write(operation).map_err(|error| unwritable(&error))?
    } else {
        rest::write(operation).map_err(|error| unwritable(&error))?
    };
    Ok(Outgoing {
        verb: written.verb,
        url: below(&interface.url, &written.target)?,
        body: written.body,
        content_type: if is_old { MEDIA_TYPE_JSON } else { MEDIA_TYPE },
        accept: match (operation.method().streams(), is_old) {
            (true, true) => "text/event-stream, application/json",
            (true, false) => "text/event-stream, application/a2a+json, application/json",
            (false, true) => "application/json",
            (false, false) => "application/a2a+json, application/json",
        },
    })
}

/// `target` behind the path of the interface's URL, which may end in a slash or not and have a query
/// of its own.
fn below(base: &Url, target: &str) -> Result<Url, Error> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut bare = base.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    // The target is percent-encoded, and joined as text it stays as it is.
    let text = format!("{}{path}", bare.as_str().trim_end_matches('/'));
    let mut url = Url::parse(&text).map_err(|error| unwritable(&error))?;
    let queries = [base.query().unwrap_or_default(), query];
    let queries: Vec<&str> = queries.into_iter().filter(|it| !it.is_empty()).collect();
    if !queries.is_empty() {
        url.set_query(Some(&queries.join("&")));
    }
    Ok(url)
}

/// The body of an answer; null where there is none, as after a deletion.
pub(super) fn body(response: &Response) -> Result<Box<RawValue>, Error> {
    if !response.status.is_success() {
        let error = rest::read_error(response.status.as_u16(), &response.body);
        return Err(error.map_or_else(
            || Error::HttpStatus {
                answer: Excerpt::of(response),
            },
            Error::Agent,
        ));
    }
    if response.body.trim_ascii().is_empty() {
        return Ok(RawValue::NULL.to_owned());
    }
    serde_json::from_slice(&response.body)
        .map_err(|_| bad_answer(response, "the body is not JSON".to_owned()))
}

pub(super) fn outcome(version: ProtocolVersion, method: Method, body: &RawValue) -> Read<Outcome> {
    if version == ProtocolVersion::V0_3 {
        v03::rest::read_outcome(method, body)
    } else {
        Outcome::read(method, body)
    }
}

pub(super) fn event(
    version: ProtocolVersion,
    data: &str,
) -> Result<Read<Incoming>, Result<a2a::error::Error, String>> {
    let raw: &RawValue =
        serde_json::from_str(data).map_err(|_| Err("it is not JSON".to_owned()))?;
    if let Some(error) = failure(data) {
        return Err(Ok(error));
    }
    Ok(read_event(version, raw))
}

/// The error by which a stream that has begun ends.
fn failure(data: &str) -> Option<a2a::error::Error> {
    #[derive(Deserialize)]
    struct Failed<'a> {
        #[serde(borrow)]
        error: &'a RawValue,
    }
    let failed: Failed<'_> = serde_json::from_str(data).ok()?;
    // The status of the answer was that of a success, so that the body alone has to tell.
    failed
        .error
        .get()
        .starts_with('{')
        .then(|| rest::read_error(500, data.as_bytes()))?
}

fn read_event(version: ProtocolVersion, data: &RawValue) -> Read<Incoming> {
    if version == ProtocolVersion::V0_3 {
        let (event, is_last, faults) = v03::rest::read_event(data)?;
        return Ok((incoming(event, is_last), faults));
    }
    of_1_0(data)
}
