//! What the answer to an HTTP request means for a delivery.

use std::time::Duration;

use egress::Response;
use http::header;
use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};

use super::{
    courier::{Fault, Reach, Receipt},
    words::Words,
};
use crate::explain;

/// Longest time that a receiver may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// Most bytes of an answer. It tells no more than whether the lead was taken.
pub(super) const MOST_BYTES: usize = 1024 * 1024;
/// Longest time for which a receiver's wish to be left alone counts.
const LONGEST_PAUSE: Duration = Duration::from_hours(24);

/// By what a receiver shows that it took the lead.
#[derive(Debug, Default)]
pub(super) struct Success {
    /// 200 to 299 when empty.
    pub(super) statuses: Vec<u16>,
    /// Text that the body must hold.
    pub(super) text: Option<String>,
}

/// Judges an answer that came at `now`.
pub(super) fn judge(
    answered: Result<Response, egress::Error>,
    success: &Success,
    words: &Words,
    now: Timestamp,
) -> Result<Receipt, Fault> {
    let answer = answered.map_err(|error| unanswered(&error))?;
    let status = answer.status.as_u16();
    let body = String::from_utf8_lossy(&answer.body);
    let said = words.without(&body);
    let said = if said.is_empty() {
        format!("HTTP status {status}")
    } else {
        format!("HTTP status {status}: {said}")
    };
    let is_success = match success.statuses.as_slice() {
        [] => answer.status.is_success(),
        some => some.contains(&status),
    };
    if !is_success {
        return Err(refused(&answer, said, now));
    }
    match &success.text {
        Some(text) if !body.contains(text) => Err(Fault::permanent(format!(
            "the answer does not hold {text:?}: {said}"
        ))),
        _ => Ok(Receipt { detail: said }),
    }
}

/// No answer. The receiver may have acted where the connection broke, so that this lead alone may be
/// to blame; everything else stops every lead.
fn unanswered(error: &egress::Error) -> Fault {
    let detail = explain(error);
    match error {
        egress::Error::Interrupted { .. }
        | egress::Error::TimedOut { .. }
        | egress::Error::TooLarge { .. } => Fault::of_parcel(detail),
        _ => Fault::of_destination(detail),
    }
}

/// A status that is no success. One that asks for credentials is the operator's to put right.
fn refused(answer: &Response, said: String, now: Timestamp) -> Fault {
    let reach = match answer.status.as_u16() {
        401 | 403 | 407 | 429 | 502..=504 => Reach::Destination,
        408 | 425 | 500..600 => Reach::Parcel,
        _ => return Fault::permanent(said),
    };
    Fault::Temporary {
        detail: said,
        retry_after: retry_after(answer, now),
        reach,
    }
}

/// The header `Retry-After`: seconds or a date (RFC 9110 §10.2.3).
fn retry_after(answer: &Response, now: Timestamp) -> Option<Duration> {
    let text = answer.headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    let wait = match text.trim().parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let moment = DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
            Duration::try_from(moment.duration_since(now)).ok()?
        }
    };
    Some(wait.min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests;
