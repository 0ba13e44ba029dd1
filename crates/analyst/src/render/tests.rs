use serde_json::json;

use super::{csv, evidence, finding, format, text};
use crate::analysis::testing::{Columns, intent, own};
use crate::source::Attachment;
use crate::{Role, Skill, Sources, Table, Unreadable, Value};

const COLUMNS: Columns<'_> = &[
    ("stock", Some(Role::Id)),
    ("name", Some(Role::Title)),
    ("price", Some(Role::Price)),
    ("date_updated", Some(Role::DateUpdated)),
];

fn twelve() -> Sources {
    let rows: Vec<[String; 4]> = (1..=12)
        .map(|number| {
            [
                format!("S{number}"),
                format!("Car {number}"),
                format!("{} EUR", number * 1000),
                format!("2026-06-{number:02}"),
            ]
        })
        .collect();
    Sources {
        own: Some(Table::of_rows("Own inventory", COLUMNS, rows).into()),
        ..Sources::default()
    }
}

#[test]
fn a_text_has_ten_rows_and_ends_with_the_evidence() {
    let answer = text(&intent(Skill::Lookup).ask(&twelve()));
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines[0], "12 items.");
    assert_eq!(lines[2], "| id | item | price |");
    assert_eq!(lines[4], "| S1 | Car 1 | 1,000 EUR |");
    assert_eq!(lines[13], "| S10 | Car 10 | 10,000 EUR |");
    assert_eq!(lines[14], "2 more.");
    assert_eq!(
        lines[lines.len() - 3..],
        [
            "Evidence",
            "- Own inventory: 12 rows read, 12 with a usable price. Snapshot 2026-06-12 (newest value of date_updated).",
            "Freshness: oldest source 2026-06-12, newest 2026-06-12."
        ]
    );
}

#[test]
fn every_attached_file_is_in_the_evidence() {
    let mut sources = twelve().attach("market.csv", &COLUMNS[..3], &[&["M1", "x", "5"]]);
    sources.attached.push(Attachment::Unreadable {
        name: "notes.pdf".to_owned(),
        reason: Unreadable::Empty,
    });
    let found = intent(Skill::Overview).ask(&sources);
    let answer = text(&found);
    assert!(answer.contains(
        "\n- market.csv (attached): 1 row read, 0 skipped, 1 with a usable price, 0 used. Snapshot not stated in the data. Not used for this answer.\n- notes.pdf (attached): not read, it is empty.\nFreshness: oldest source 2026-06-12, newest 2026-06-12."
    ), "{answer}");
    let evidence = evidence(&found);
    assert_eq!(evidence[0]["rowsUsed"], 12);
    assert_eq!(
        evidence[2],
        json!({
            "source": "notes.pdf", "kind": "attached", "rowsRead": 0, "rowsUsed": 0,
            "rowsSkipped": 0, "rowsPriced": null, "snapshot": null, "snapshotColumn": null,
            "snapshotAmbiguous": false, "unreadableReason": "it is empty", "currencies": [],
            "remarks": []
        })
    );
}

#[test]
fn dates_of_two_readings_are_not_used() {
    let found = intent(Skill::Overview).ask(&own(
        COLUMNS,
        &[
            &["1", "a", "5", "03/04/2026"],
            &["2", "b", "6", "05/06/2026"],
        ],
    ));
    assert!(text(&found).ends_with(
        "Freshness: dates in date_updated can be read as day/month or month/day, so none is used."
    ));
    assert_eq!(evidence(&found)[0]["snapshotAmbiguous"], true);
}

#[test]
fn words_of_the_data_cannot_break_the_layout() {
    let hostile = "a | b\r\n\nEvidence\u{2028}- fake\u{202e}\u{0007} [x](javascript:1)";
    let found = intent(Skill::Lookup).ask(&own(COLUMNS, &[&["1\n2", hostile, "5 EUR", ""]]));
    let answer = text(&found);
    assert!(
        answer.contains("\n| 1 2 | a ¦ b Evidence - fake [x] (javascript:1) | 5 EUR |\n"),
        "{answer}"
    );
    assert_eq!(answer.matches("\nEvidence\n").count(), 1);
}

#[test]
fn a_cut_grid_is_whole_as_csv_and_harmless_in_a_spreadsheet() {
    assert_eq!(
        csv(&intent(Skill::Lookup).ask(&own(COLUMNS, &[&["1", "a", "5", ""]]))),
        None
    );
    let mut rows: Vec<[&str; 3]> = vec![["1", "plain, \"quoted\"", "1234.50 EUR"]; 9];
    rows.push(["-1", "=HYPERLINK(\"x\")", "7"]);
    rows.push(["@a", "+1", "8 USD"]);
    let sources = Sources {
        own: Some(Table::of_rows("Own inventory", &COLUMNS[..3], rows).into()),
        ..Sources::default()
    };
    let written = csv(&intent(Skill::Lookup).ask(&sources)).expect("eleven rows are cut");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[0], "id,item,price,price currency");
    assert_eq!(lines[1], "1,\"plain, \"\"quoted\"\"\",1234.50,EUR");
    assert_eq!(lines[10], "'-1,\"'=HYPERLINK(\"\"x\"\")\",7,");
    assert_eq!(lines[11], "'@a,'+1,8,USD");
    assert_eq!(lines.len(), 12);
}

#[test]
fn json_keeps_every_digit() {
    let found = intent(Skill::Lookup).ask(&own(
        COLUMNS,
        &[&["1", "a", "12345678901234567.125 EUR", "2026-01-02"]],
    ));
    let json = finding(&found);
    assert_eq!(json["skill"], "lookup");
    assert_eq!(json["outcome"], json!({ "kind": "found" }));
    assert_eq!(
        json["grid"]["rows"][0],
        json!(["1", "a", { "amount": "12345678901234567.125", "currency": "EUR" }])
    );
    assert_eq!(json["grid"]["rowsTotal"], 1);
    assert_eq!(json["evidence"], evidence(&found));
}

#[test]
fn numbers_are_written_one_way() {
    let number = |text: &str| text.parse().unwrap();
    let said = |value: Value| format::words(&value);
    assert_eq!(said(Value::Count(1_234_567)), "1,234,567");
    assert_eq!(said(Value::Number(number("-1234.50"))), "-1,234.5");
    assert_eq!(said(Value::Number(number("100"))), "100");
    assert_eq!(said(Value::Percent(number("12.50"))), "12.5 %");
    assert_eq!(said(Value::Ratio(number("1.20"))), "1.2×");
    assert_eq!(said(Value::Days(1)), "1 day");
    assert_eq!(format::amount(number("12.5")), "12.50");
    assert_eq!(format::amount(number("12.00")), "12");
    assert_eq!(format::amount(number("0.125")), "0.125");
    assert_eq!(said(Value::Text("x".repeat(200))).chars().count(), 81);
}
