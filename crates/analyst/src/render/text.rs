//! A finding as plain text.

use super::TEXT_ROWS;
use super::format::{one_line, sentence, words};
use crate::Finding;
use crate::finding::{Evidence, Grid, Sentence, Snapshot};

/// The whole answer: the sentence with the number, the scope, a table of at most
/// [`TEXT_ROWS`] rows, how it was counted, what it cannot tell, and the evidence as the last lines.
#[must_use]
pub fn text(finding: &Finding) -> String {
    let mut blocks = vec![sentence(&finding.headline)];
    if !finding.scope.is_empty() {
        let scope: Vec<String> = finding.scope.iter().map(sentence).collect();
        blocks.push(format!("Scope: {}", scope.join(" ")));
    }
    if !finding.details.is_empty() {
        let details: Vec<String> = finding.details.iter().map(sentence).collect();
        blocks.push(details.join("\n"));
    }
    if let Some(grid) = &finding.grid
        && !grid.rows.is_empty()
    {
        blocks.push(table(grid));
    }
    blocks.extend(list("How this was counted", &finding.rule));
    blocks.extend(list("What this cannot tell", &finding.limits));
    blocks.push(evidence_lines(&finding.evidence).join("\n"));
    blocks.join("\n\n")
}

fn list(title: &str, sentences: &[Sentence]) -> Option<String> {
    if sentences.is_empty() {
        return None;
    }
    let mut lines = vec![title.to_owned()];
    lines.extend(sentences.iter().map(|line| format!("- {}", sentence(line))));
    Some(lines.join("\n"))
}

fn table(grid: &Grid) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![
        line(grid.columns.iter().map(|header| one_line(header)).collect()),
        line(grid.columns.iter().map(|_| "---".to_owned()).collect()),
    ];
    let shown = grid.rows.iter().take(TEXT_ROWS);
    lines.extend(shown.map(|row| line(row.iter().map(words).collect())));
    let more = grid.total().saturating_sub(TEXT_ROWS as u64);
    if more > 0 {
        lines.push(format!("{} more.", words(&crate::Value::Count(more))));
    }
    lines.join("\n")
}

/// What was read, one line for each source, between a title and a line on how fresh it is.
pub(super) fn evidence_lines(evidence: &[Evidence]) -> Vec<String> {
    let mut lines = vec!["Evidence".to_owned()];
    if evidence.is_empty() {
        lines.push("- No source was read.".to_owned());
    }
    lines.extend(evidence.iter().map(|source| format!("- {}", read(source))));
    lines.push(freshness(evidence));
    lines
}

fn read(source: &Evidence) -> String {
    let count = |count: u64| words(&crate::Value::Count(count));
    let mut line = one_line(&source.source);
    if source.is_attached {
        line.push_str(" (attached)");
    }
    if let Some(reason) = &source.unreadable {
        return format!("{line}: not read, {}.", one_line(reason));
    }
    let rows = if source.rows_read == 1 { "row" } else { "rows" };
    line.push_str(&format!(": {} {rows} read", count(source.rows_read)));
    if source.is_attached || source.rows_skipped > 0 {
        line.push_str(&format!(", {} skipped", count(source.rows_skipped)));
    }
    if let Some(priced) = source.rows_priced {
        line.push_str(&format!(", {} with a usable price", count(priced)));
    }
    if source.rows_used != source.rows_read {
        line.push_str(&format!(", {} used", count(source.rows_used)));
    }
    line.push_str(". ");
    line.push_str(&snapshot(&source.snapshot));
    for remark in &source.remarks {
        line.push_str(&format!(" {}.", one_line(remark).trim_end_matches('.')));
    }
    line
}

fn snapshot(snapshot: &Snapshot) -> String {
    match snapshot {
        Snapshot::NotStated => "Snapshot not stated in the data.".to_owned(),
        Snapshot::Ambiguous { column } => format!(
            "Snapshot not stated: dates in {} can be read as day/month or month/day.",
            one_line(column)
        ),
        Snapshot::Stated { date, column } => {
            format!("Snapshot {date} (newest value of {}).", one_line(column))
        }
    }
}

fn freshness(evidence: &[Evidence]) -> String {
    let dates = evidence.iter().filter_map(|source| match source.snapshot {
        Snapshot::Stated { date, .. } => Some(date),
        _ => None,
    });
    if let (Some(oldest), Some(newest)) = (dates.clone().min(), dates.max()) {
        return format!("Freshness: oldest source {oldest}, newest {newest}.");
    }
    let ambiguous = evidence.iter().find_map(|source| match &source.snapshot {
        Snapshot::Ambiguous { column } => Some(column),
        _ => None,
    });
    match ambiguous {
        Some(column) => format!(
            "Freshness: dates in {} can be read as day/month or month/day, so none is used.",
            one_line(column)
        ),
        None => "Freshness: no source states a date.".to_owned(),
    }
}
