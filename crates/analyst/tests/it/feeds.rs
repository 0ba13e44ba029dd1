//! Product files in XML: what Python's own parser counts in them, and answers from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use analyst::table::Limits;
use analyst::{Plan, Role, Sources, Table};
use rust_decimal::Decimal;
use serde_json::{Value, json};

fn path(file: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/feeds");
    tests.join(file)
}

fn table(file: &str) -> Table {
    let bytes = std::fs::read(path(file)).unwrap();
    Table::read_catalog(file, &bytes, &Limits::default(), &[]).unwrap()
}

/// What `count_items.py` counts, as the table has it.
fn counted(table: &Table) -> Value {
    let rows = || 0..table.rows();
    let own = table.columns().iter().filter(|column| {
        column.role() != Some(Role::SnapshotDate) && column.role() != Some(Role::PhotoCount)
    });
    let filled: BTreeMap<&str, usize> = own
        .map(|column| {
            let filled = rows().filter(|row| column.text(*row).is_some());
            (column.header(), filled.count())
        })
        .collect();
    let mut sums: BTreeMap<String, Decimal> = BTreeMap::new();
    let prices = table.column(Role::Price).unwrap();
    for money in rows().filter_map(|row| prices.money(row)) {
        let currency = money.currency.map(|it| it.to_string()).unwrap_or_default();
        *sums.entry(currency).or_default() += money.amount;
    }
    let sums: BTreeMap<String, String> = (sums
        .into_iter()
        .map(|(currency, sum)| (currency, sum.to_string())))
    .collect();
    let images = table.column(Role::PhotoCount).unwrap();
    let images: Decimal = rows().filter_map(|row| images.number(row)).sum();
    json!({
        "rows": table.rows(),
        "filled": filled,
        "sums": sums,
        "images": i64::try_from(images).unwrap(),
    })
}

#[test]
fn documents_have_the_values_that_an_independent_count_confirms() {
    for (file, row, rows) in [
        ("merchant.xml", "item", 18),
        ("articles.xml", "article", 15),
    ] {
        let table = table(file);
        assert_eq!(table.rows(), rows, "{file}");
        assert_eq!(table.reading().skipped, [], "{file}");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/count_items.py");
        let output = Command::new("python3")
            .arg(script)
            .arg(path(file))
            .args([row, "price"])
            .output();
        let Ok(output) = output else {
            println!("not compared: there is no python3");
            continue;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let expected: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(counted(&table), expected, "{file}");
    }
}

/// The answer to a question about a document as the seller's own catalog.
fn answer(file: &str, question: &str) -> String {
    let mut sources = Sources::default();
    sources.own = Some(table(file).into());
    let finding = Plan::of(question, &sources, &[]).find(0, &sources);
    analyst::render::text(&finding.unwrap())
}

#[test]
fn answers_count_the_items_of_a_product_feed() {
    // Eighteen rows are eight products, of which some have variants.
    let overview = answer("merchant.xml", "What is in my catalog?");
    for words in [
        "merchant.xml: 18 rows read, 17 with a usable price",
        "Snapshot 2026-06-30 (newest value of channel.lastBuildDate)",
    ] {
        assert!(overview.contains(words), "{words}\n{overview}");
    }
    let snapshot = answer("articles.xml", "How old is this data?");
    assert!(snapshot.contains("export.exportDate"), "{snapshot}");
    for (question, words) in [
        ("What is out of stock?", "1 of 8 items is out of stock"),
        ("What lacks photos?", "1 of 8 items"),
    ] {
        let text = answer("merchant.xml", question);
        assert!(text.contains(words), "{text}");
    }
}
