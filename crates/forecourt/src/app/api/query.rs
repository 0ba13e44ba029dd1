//! The query of a request's address, read so that every problem is told at once.

use axum::http::{StatusCode, Uri};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::form_urlencoded;

use super::Refusal;

/// Entries on a page, where the request names no number.
const USUAL_LIMIT: u32 = 50;
/// Most entries on a page.
const LARGEST_LIMIT: u32 = 200;

/// The parameters of a query. Each is taken out by its name; [`finish`](Self::finish) refuses what is
/// left.
pub(super) struct Query {
    parameters: Vec<(String, String)>,
    known: Vec<&'static str>,
    problems: Vec<String>,
}

impl Query {
    pub(super) fn of(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        let parameters = form_urlencoded::parse(query.as_bytes());
        Self {
            parameters: parameters.into_owned().collect(),
            known: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Text; nothing where it is empty.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        let mut found = None;
        let mut times = 0;
        self.parameters.retain(|(it, value)| {
            let is_it = it == name;
            if is_it {
                times += 1;
                found = Some(value.clone());
            }
            !is_it
        });
        if times > 1 {
            self.problems
                .push(format!("{name} stands there {times} times"));
        }
        found.filter(|it| !it.is_empty())
    }

    /// A time.
    pub(super) fn time(&mut self, name: &'static str) -> Option<Timestamp> {
        self.parsed(name, "a time with an offset, such as 2026-05-01T00:00:00Z")
    }

    /// What the text is to be read as.
    pub(super) fn parsed<T: std::str::FromStr>(
        &mut self,
        name: &'static str,
        form: &str,
    ) -> Option<T> {
        let text = self.text(name)?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.problems
                .push(format!("{name}: {text:?} is not {form}"));
        }
        parsed
    }

    /// One of some words.
    pub(super) fn word<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        words: &str,
    ) -> Option<T> {
        let text = self.text(name)?;
        let read = serde_json::from_value(Value::from(text.as_str())).ok();
        if read.is_none() {
            self.problems
                .push(format!("{name}: {text:?} is none of {words}"));
        }
        read
    }

    /// How many entries are wanted.
    pub(super) fn limit(&mut self) -> u32 {
        let form = format!("a number from 1 to {LARGEST_LIMIT}");
        let limit = self.parsed("limit", &form).unwrap_or(USUAL_LIMIT);
        if limit == 0 || limit > LARGEST_LIMIT {
            self.problems.push(format!("limit: {limit} is not {form}"));
        }
        limit
    }

    /// Refuses what could not be read and what nobody reads.
    pub(super) fn finish(mut self) -> Result<(), Refusal> {
        for (name, _) in &self.parameters {
            let known = self.known.join(", ");
            self.problems
                .push(format!("{name:?} is no parameter here; there is {known}"));
        }
        if self.problems.is_empty() {
            return Ok(());
        }
        let detail = self.problems.join("; ");
        Err(Refusal::new(StatusCode::BAD_REQUEST, &detail))
    }
}
