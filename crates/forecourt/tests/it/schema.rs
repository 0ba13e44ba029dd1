//! What lets the tables be spread over servers by dealer: every key begins with the dealer, nothing leads
//! from one dealer to another, and statements say whose rows they mean.

use std::path::{Path, PathBuf};

use forecourt::app::migrations;
use store::{Conn, Error, Options, Store};
use testkit::postgres::Postgres;

/// The tables that belong to no dealer.
const OF_NOBODY: &[&str] = &[
    // What was done to the schema, once for all.
    "migration",
];

/// How statements begin that are about the rows of every dealer.
const OF_EVERYBODY: &[&str] = &[
    // Pieces of statements, which name the dealer elsewhere.
    "SELECT name, scopes, created_at",
    "SELECT run_id, feed, received_at",
    // The schema.
    "SELECT name, generation FROM migration",
    "SELECT name, CAST(1 AS BIGINT) FROM migration",
    // The clock of the database, and the questions that all nodes look after together.
    "SELECT CAST(CURRENT_TIMESTAMP",
    "SELECT tenant, caller, task_id, worker FROM task WHERE state",
    // Numbers of the whole server.
    "SELECT state, COUNT(*) FROM feed_run",
    "SELECT status, COUNT(*) FROM lead",
    "SELECT state, COUNT(*) FROM delivery",
    "SELECT MAX(tested_at) FROM destination",
    // Which keys are in use, and giving one up.
    "SELECT DISTINCT substr(config, 5, 16) FROM task_webhook",
    "SELECT DISTINCT substr(first_name, 5, 16) FROM person",
    "DELETE FROM task_webhook WHERE config LIKE $1",
    // Alarms that ended long ago.
    "DELETE FROM alarm WHERE cleared_at < $1",
];

/// Lists of words of two columns for each row.
fn pairs(conn: &mut dyn Conn, sql: &'static str) -> Result<Vec<(String, String)>, Error> {
    conn.all(sql, &[], |row| {
        Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()))
    })
}

#[tokio::test]
async fn every_key_begins_with_the_dealer_and_no_reference_crosses_dealers() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let options = Options::postgres(&server.database()).unwrap();
    let store = Store::open(options.connections(1).migrations(&migrations())).unwrap();
    let (tables, keys, references) = store
        .read(|conn| {
            let tables = pairs(
                conn,
                "SELECT table_name, table_type FROM information_schema.tables
                 WHERE table_schema = current_schema() ORDER BY 1",
            )?;
            let keys = pairs(
                conn,
                "SELECT class.relname, attribute.attname FROM pg_index
                 JOIN pg_class class ON class.oid = pg_index.indrelid
                 JOIN pg_namespace place ON place.oid = class.relnamespace
                 JOIN pg_attribute attribute ON attribute.attrelid = class.oid
                   AND attribute.attnum = pg_index.indkey[0]
                 WHERE pg_index.indisunique AND place.nspname = current_schema()",
            )?;
            let references = pairs(
                conn,
                "SELECT pg_get_constraintdef(pg_constraint.oid), class.relname FROM pg_constraint
                 JOIN pg_class class ON class.oid = pg_constraint.conrelid
                 JOIN pg_namespace place ON place.oid = class.relnamespace
                 WHERE pg_constraint.contype = 'f' AND place.nspname = current_schema()",
            )?;
            Ok::<_, Error>((tables, keys, references))
        })
        .await
        .unwrap();
    assert!(
        tables.len() > 20 && references.len() > 5,
        "the schema is there"
    );
    for (table, _) in tables
        .iter()
        .filter(|it| !OF_NOBODY.contains(&it.0.as_str()))
    {
        assert!(keys.iter().any(|it| it.0 == *table), "{table} has no key");
    }
    for (table, first) in &keys {
        let is_fine = first == "dealer" || OF_NOBODY.contains(&table.as_str());
        assert!(is_fine, "a key of {table} begins with {first}");
    }
    for (reference, table) in &references {
        let (from, to) = reference.split_once(" REFERENCES ").unwrap();
        let to = to.split_once('(').unwrap().1;
        let is_fine = from.starts_with("FOREIGN KEY (dealer, ") && to.starts_with("dealer, ");
        assert!(is_fine, "{table}: {reference}");
    }
}

#[test]
fn statements_say_whose_rows_they_mean() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut folders: Vec<PathBuf> = ["dealers", "forecourt", "inventory", "leads", "outside"]
        .map(|name| crates.join(name).join("src"))
        .into();
    let mut statements = 0;
    let mut unsaid = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_test = path.ends_with("tests") || path.ends_with("tests.rs");
            match path.is_dir() {
                _ if is_test => {}
                true => folders.push(path),
                false => {
                    let source = std::fs::read_to_string(&path).unwrap();
                    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
                    for text in source.split('"').skip(1).step_by(2) {
                        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        let begins = ["SELECT ", "UPDATE ", "DELETE FROM ", "INSERT INTO "];
                        if !begins.iter().any(|it| text.starts_with(it)) {
                            continue;
                        }
                        statements += 1;
                        let is_known = OF_EVERYBODY.iter().any(|it| text.starts_with(it));
                        if !is_known && !text.contains("dealer") {
                            unsaid.push(format!("{}: {text}", path.display()));
                        }
                    }
                }
            }
        }
    }
    assert!(statements > 100, "{statements} statements were found");
    assert!(unsaid.is_empty(), "{unsaid:#?}");
}
