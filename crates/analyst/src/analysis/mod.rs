//! The analyses: each a pure function from tables to a finding.

use crate::{Finding, Intent, Sources};

/// Runs one analysis.
#[must_use]
pub fn run(intent: &Intent, sources: &Sources) -> Finding {
    let _ = sources;
    Finding::new(intent.skill)
}
