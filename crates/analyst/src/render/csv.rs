//! The whole grid as CSV (RFC 4180).

use super::TEXT_ROWS;
use super::format::{amount, plain};
use crate::{Finding, Value};

/// The grid, if the [text](super::text()) had to cut it. Amounts have their currency in a column of
/// its own. A cell of the data that a spreadsheet would take for a formula begins with an apostrophe.
#[must_use]
pub fn csv(finding: &Finding) -> Option<String> {
    let grid = finding.grid.as_ref()?;
    if grid.rows.len() <= TEXT_ROWS {
        return None;
    }
    let has_money = |place: usize| {
        let cells = grid.rows.iter().filter_map(|row| row.get(place));
        cells
            .into_iter()
            .any(|cell| matches!(cell, Value::Money(_)))
    };
    let money: Vec<bool> = (0..grid.columns.len()).map(has_money).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = Vec::new();
    for (column, is_money) in grid.columns.iter().zip(&money) {
        header.push(harmless(column.clone()));
        if *is_money {
            header.push(harmless(format!("{column} currency")));
        }
    }
    writer.write_record(&header).ok()?;
    for row in &grid.rows {
        let mut record = Vec::with_capacity(header.len());
        for (value, is_money) in row.iter().zip(&money) {
            record.push(digits(value));
            if *is_money {
                record.push(currency(value));
            }
        }
        writer.write_record(&record).ok()?;
    }
    String::from_utf8(writer.into_inner().ok()?).ok()
}

fn digits(value: &Value) -> String {
    match value {
        Value::Money(money) => amount(money.amount),
        Value::Text(_) | Value::Id(_) => harmless(plain(value)),
        value => plain(value),
    }
}

fn currency(value: &Value) -> String {
    match value {
        Value::Money(money) => money
            .currency
            .map_or_else(String::new, |code| code.to_string()),
        _ => String::new(),
    }
}

fn harmless(mut text: String) -> String {
    let risky = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    if text.trim_start_matches(' ').starts_with(risky) {
        text.insert(0, '\'');
    }
    text
}
