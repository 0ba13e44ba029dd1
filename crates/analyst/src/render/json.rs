//! A finding and its evidence as JSON.

use serde_json::{Map, Value as Json, json};

use super::format::{amount, plain, sentence};
use crate::finding::{Evidence, Grid, Outcome, Sentence, Snapshot};
use crate::{Finding, Value};

/// The finding. Counts and days are numbers; amounts `{"amount": "18990", "currency": "EUR"}`, other
/// decimals strings, so that no digit is lost; dates ISO 8601; an unknown value is `null`.
#[must_use]
pub fn finding(finding: &Finding) -> Json {
    json!({
        "skill": finding.skill.id(),
        "outcome": outcome(&finding.outcome),
        "headline": sentence(&finding.headline),
        "scope": lines(&finding.scope),
        "details": lines(&finding.details),
        "grid": finding.grid.as_ref().map(grid),
        "rule": lines(&finding.rule),
        "limits": lines(&finding.limits),
        "evidence": evidence(finding),
    })
}

/// What was read, one entry for each source, as an artifact's `metadata.evidence` carries it.
#[must_use]
pub fn evidence(finding: &Finding) -> Json {
    finding.evidence.iter().map(source).collect()
}

fn outcome(outcome: &Outcome) -> Json {
    match outcome {
        Outcome::Found => json!({ "kind": "found" }),
        Outcome::Nothing { rows } => json!({ "kind": "nothing", "rows": rows }),
        Outcome::Unanswerable { missing, seen } => {
            let missing: Vec<&str> = missing.iter().map(|role| role.name()).collect();
            json!({ "kind": "unanswerable", "missing": missing, "columnsSeen": seen })
        }
    }
}

fn lines(sentences: &[Sentence]) -> Json {
    sentences.iter().map(sentence).collect()
}

fn grid(grid: &Grid) -> Json {
    let row = |row: &Vec<Value>| row.iter().map(value).collect::<Json>();
    json!({
        "columns": grid.columns,
        "rows": grid.rows.iter().map(row).collect::<Json>(),
        "rowsTotal": grid.total(),
    })
}

fn value(value: &Value) -> Json {
    match value {
        Value::None => Json::Null,
        Value::Count(count) => json!(count),
        Value::Days(days) => json!(days),
        Value::Money(money) => json!({
            "amount": amount(money.amount),
            "currency": money.currency.map(|currency| currency.to_string()),
        }),
        value => Json::String(plain(value)),
    }
}

fn source(evidence: &Evidence) -> Json {
    let (snapshot, column) = match &evidence.snapshot {
        Snapshot::NotStated => (None, None),
        Snapshot::Ambiguous { column } => (None, Some(column)),
        Snapshot::Stated { date, column } => (Some(date.to_string()), Some(column)),
    };
    let mut json = Map::new();
    json.insert("source".to_owned(), json!(evidence.source));
    let kind = if evidence.is_attached {
        "attached"
    } else {
        "own"
    };
    json.insert("kind".to_owned(), json!(kind));
    json.insert("rowsRead".to_owned(), json!(evidence.rows_read));
    json.insert("rowsUsed".to_owned(), json!(evidence.rows_used));
    json.insert("rowsSkipped".to_owned(), json!(evidence.rows_skipped));
    json.insert("rowsPriced".to_owned(), json!(evidence.rows_priced));
    json.insert("snapshot".to_owned(), json!(snapshot));
    json.insert("snapshotColumn".to_owned(), json!(column));
    let ambiguous = matches!(evidence.snapshot, Snapshot::Ambiguous { .. });
    json.insert("snapshotAmbiguous".to_owned(), json!(ambiguous));
    json.insert("unreadableReason".to_owned(), json!(evidence.unreadable));
    let currencies: Vec<&str> = evidence.currencies.iter().map(|code| code.code()).collect();
    json.insert("currencies".to_owned(), json!(currencies));
    json.insert("remarks".to_owned(), json!(evidence.remarks));
    Json::Object(json)
}
