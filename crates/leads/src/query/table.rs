//! Leads as lines of a file: a table (CSV, RFC 4180) for spreadsheets, JSON for programs.

use serde::Serialize;
use serde_json::{Value, json};

use super::Lead;

/// The columns: the name in the header, and where the value stands in the lead's JSON.
const COLUMNS: [(&str, &str); 27] = [
    ("lead_id", "/lead_id"),
    ("received_at", "/received_at"),
    ("arrival", "/arrival"),
    ("status", "/status"),
    ("rooftop", "/rooftop"),
    ("origin", "/origin"),
    ("source_agent", "/source_agent"),
    ("agent_verified", "/verified"),
    ("repeat_of", "/repeat_of"),
    ("first_name", "/person/first_name"),
    ("last_name", "/person/last_name"),
    ("email", "/person/email"),
    ("phone", "/person/phone"),
    ("preferred_contact", "/request/customer/preferred_contact"),
    ("vehicle", "/vehicle"),
    ("vin", "/vin"),
    ("stock", "/stock"),
    ("vehicle_state", "/vehicle_state"),
    ("message", "/request/message"),
    ("appointment", "/appointment/kind"),
    ("appointment_status", "/appointment/status"),
    ("appointment_wished_at", "/appointment/wished_at"),
    ("appointment_starts_at", "/appointment/starts_at"),
    ("consent_channels", "/request/consent/allowed_channels"),
    ("consent_granted_at", "/request/consent/granted_at"),
    ("consent_expires_at", "/request/consent/expires_at"),
    ("deliveries_due", "/deliveries_due"),
];

/// In which form leads are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A table, of which a spreadsheet runs nothing: what it would take for a formula begins with an
    /// apostrophe. It shows what people ask for first, not everything.
    Csv,
    /// One JSON object on a line for each lead, with everything that is kept of it.
    Ndjson,
}

impl ExportFormat {
    /// What stands before the first lead.
    ///
    /// ```
    /// assert!(leads::ExportFormat::Csv.head().starts_with("lead_id,received_at,arrival,"));
    /// assert_eq!(leads::ExportFormat::Ndjson.head(), "");
    /// ```
    #[must_use]
    pub fn head(self) -> String {
        match self {
            Self::Csv => line(COLUMNS.iter().map(|(name, _)| (*name).to_owned())),
            Self::Ndjson => String::new(),
        }
    }

    /// One lead, with the end of its line.
    #[must_use]
    pub fn line(self, lead: &Lead) -> String {
        let document = json!(lead);
        match self {
            Self::Csv => row(&document),
            Self::Ndjson => format!("{document}\n"),
        }
    }
}

fn row(lead: &Value) -> String {
    let cells = COLUMNS
        .iter()
        .map(|(_, pointer)| match lead.pointer(pointer) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => inert(text),
            Some(Value::Array(words)) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                words.join(" ")
            }
            Some(other) => other.to_string(),
        });
    line(cells)
}

/// Text that no spreadsheet takes for a formula (OWASP, "CSV Injection"), without the characters that
/// drive a terminal. A sign before digits alone, as of a telephone number, begins none.
fn inert(text: &str) -> String {
    let is_kept = |it: &char| matches!(it, '\t' | '\n' | '\r') || !it.is_control();
    let text: String = text.chars().filter(is_kept).collect();
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_digit());
    let seen = text.trim_start_matches(is_skipped);
    let is_formula = match seen.chars().next() {
        Some('=' | '@' | '\u{ff1d}' | '\u{ff20}' | '\u{ff0b}' | '\u{ff0d}') => true,
        Some('+' | '-') => seen != text || !is_number(&seen[1..]),
        _ => text.starts_with(['\t', '\r', '\n']),
    };
    if is_formula { format!("'{text}") } else { text }
}

/// What a spreadsheet may leave out at the beginning: blanks, and what nobody sees.
fn is_skipped(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
}

fn line(cells: impl Iterator<Item = impl AsRef<[u8]> + Serialize>) -> String {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    // Nothing is refused in memory.
    let written = writer.write_record(cells);
    let bytes = written.ok().and_then(|()| writer.into_inner().ok());
    String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spreadsheet_runs_nothing() {
        for (text, cell) in [
            ("=1+2", "'=1+2"),
            ("  =1", "'  =1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("\t=1", "'\t=1"),
            ("+12125550100", "+12125550100"),
            ("-5", "-5"),
            ("+", "'+"),
            ("\0=1", "'=1"),
            ("\u{feff}=1", "'\u{feff}=1"),
            ("\u{200b}@A1", "'\u{200b}@A1"),
            ("\u{ff1d}1+2", "'\u{ff1d}1+2"),
            ("\u{200b}+1", "'\u{200b}+1"),
            ("\u{1b}[31mred", "[31mred"),
            (" +1", "' +1"),
            ("\u{3000}+1", "'\u{3000}+1"),
            ("Ada = Example", "Ada = Example"),
            ("", ""),
        ] {
            assert_eq!(inert(text), cell);
        }
    }

    #[test]
    fn a_row_has_the_columns_of_the_header() {
        let lead = json!({
            "lead_id": "1", "verified": true, "vehicle": "2019 \"Outback\", blue",
            "person": { "first_name": "=HYPERLINK(1)", "phone": "+12125550100" },
            "request": { "consent": { "allowed_channels": ["email", "phone"] }, "message": "two\nlines" },
        });
        let table = format!("{}{}", ExportFormat::Csv.head(), row(&lead));
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        let header = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 1);
        let cell = |name: &str| {
            let column = header.iter().position(|it| it == name).unwrap();
            &rows[0][column]
        };
        assert_eq!(cell("lead_id"), "1");
        assert_eq!(cell("agent_verified"), "true");
        assert_eq!(cell("vehicle"), "2019 \"Outback\", blue");
        assert_eq!(cell("first_name"), "'=HYPERLINK(1)");
        assert_eq!(cell("phone"), "+12125550100");
        assert_eq!(cell("consent_channels"), "email phone");
        assert_eq!(cell("message"), "two\nlines");
        assert_eq!(cell("email"), "");
    }
}
