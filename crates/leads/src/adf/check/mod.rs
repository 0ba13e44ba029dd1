//! What a strict CRM would refuse in a document, and what it would rather not see.
//!
//! [`document`] reads the XML, [`structure`] holds it against the content models of [`model`],
//! [`values`] looks at what stands in the elements.

mod document;
mod model;
mod structure;
mod values;

#[cfg(test)]
mod tests;

use serde::Serialize;

use super::node::place;

/// After so many findings the rest of a document is not looked at.
const MOST: usize = 100;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A CRM that holds to the document type refuses the lead, or files it as a text nobody reads.
    Refuses,
    /// It reads the lead, yet something of it may be lost or misread.
    Doubts,
}

/// Something in a document that is not as ADF 1.0 has it. It names elements and attributes; of what
/// a person wrote it repeats nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Line, the first being 1.
    pub line: u64,
    /// Column in characters, the first being 1.
    pub column: u64,
    /// The element, from the root: `adf/prospect/vehicle`; empty for the document itself.
    pub element: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was found.
    pub found: String,
    /// What is expected instead.
    pub expected: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            line,
            column,
            found,
            expected,
            ..
        } = self;
        write!(
            f,
            "line {line}, column {column}: {found}; expected {expected}"
        )
    }
}

/// Everything in a document that a strict CRM would stumble over, in the order of the document.
///
/// It knows ADF 1.0 as its document type has it, repaired where the published one contradicts itself.
/// A document that is not UTF-8 or not XML has one finding of that kind, at the place where it begins.
///
/// ```
/// let findings = leads::adf::check("<adf></adf>");
/// assert_eq!(findings[0].expected, "`<?xml version=\"1.0\" encoding=\"UTF-8\"?>` as the first byte");
/// ```
#[must_use]
pub fn check(document: impl AsRef<[u8]>) -> Vec<Finding> {
    let bytes = document.as_ref();
    let text = String::from_utf8_lossy(bytes);
    let mut findings = Findings {
        text: &text,
        found: Vec::new(),
    };
    if let Err(error) = std::str::from_utf8(bytes) {
        findings.refuse(error.valid_up_to(), "", "bytes that are not UTF-8", "UTF-8");
    }
    if let Some(root) = document::read(&text, &mut findings) {
        structure::check(&root, &mut findings);
    }
    findings.found.sort_by_key(|it| (it.line, it.column));
    findings.found
}

/// Gathers findings.
struct Findings<'a> {
    text: &'a str,
    found: Vec<Finding>,
}

impl Findings<'_> {
    fn refuse(
        &mut self,
        at: usize,
        path: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.add(Severity::Refuses, at, path, found.into(), expected.into());
    }

    fn doubt(
        &mut self,
        at: usize,
        path: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.add(Severity::Doubts, at, path, found.into(), expected.into());
    }

    fn add(&mut self, severity: Severity, at: usize, path: &str, found: String, expected: String) {
        if self.found.len() >= MOST {
            return;
        }
        let (line, column) = place(self.text, at);
        self.found.push(Finding {
            line,
            column,
            element: path.to_owned(),
            severity,
            found,
            expected,
        });
    }
}
