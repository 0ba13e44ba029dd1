//! A dealer's data from SQLite to PostgreSQL and back.

use serde_json::Value;
use testkit::postgres::Postgres;

use crate::support::{Server, lead, run, run_json};

/// Rows of each table with their digest.
fn tables(report: &Value) -> Vec<(String, u64, String)> {
    let table = |it: &Value| {
        let text = |name: &str| it[name].as_str().unwrap().to_owned();
        (text("table"), it["rows"].as_u64().unwrap(), text("sha256"))
    };
    let mut tables: Vec<_> = report["tables"].as_array().unwrap().iter().map(table).collect();
    tables.sort();
    tables
}

#[test]
fn everything_moves_to_postgresql_and_back_and_nothing_over_what_is_there() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let back = folder.path().join("back");
    let mut server = Server::demo(&data);
    let mut taken = Vec::new();
    for number in 0..20 {
        taken.push(server.answer(&lead(number))["data"]["lead_id"].clone());
    }
    let from = format!("sqlite:{}", data.join("forecourt.db").display());
    let to = postgres.database();
    let there = ["migrate-store", "--from", &from, "--to", &to, "--json"];
    let (status, refused) = run_json(&there);
    assert_eq!((status, refused["error"]["code"].as_str()), (1, Some("in_use")));
    server.terminate();

    let (status, moved) = run_json(&there);
    assert_eq!(status, 0, "{moved:#}");
    let before = tables(&moved);
    let rows = |name: &str| before.iter().find(|it| it.0 == name).unwrap().1;
    assert_eq!((rows("lead"), rows("person"), rows("consent")), (20, 20, 20));
    assert!(rows("vehicle") > 0 && rows("delivery") >= 20);
    assert!(!moved.to_string().contains("postgres@"), "no user is shown");

    let (status, refused) = run_json(&there);
    assert_eq!((status, refused["error"]["code"].as_str()), (1, Some("not_empty")));

    std::fs::create_dir(&back).unwrap();
    let home = format!("sqlite:{}", back.join("forecourt.db").display());
    let held = folder.path().join("address");
    std::fs::write(&held, format!("{to}\n")).unwrap();
    let held = format!("@{}", held.display());
    let (status, returned) =
        run_json(&["migrate-store", "--from", &held, "--to", &home, "--json"]);
    assert_eq!(status, 0, "{returned:#}");
    assert_eq!(tables(&returned), before);
    std::fs::copy(data.join("person-hash.key"), back.join("person-hash.key")).unwrap();
    let server = Server::demo(&back);
    let again = server.answer(&lead(7));
    assert_eq!(again["data"]["lead_id"], taken[7], "{again:#}");
}

#[test]
fn an_address_that_is_none_is_said_without_its_password() {
    for (from, said) in [
        ("postgres://ada:secret@db", "ends with its name"),
        ("mysql://ada:secret@db/cars", "begins with postgres://"),
        ("postgres://ada:secret@db/cars?sslcert=x", "unknown option"),
    ] {
        let output = run(&["migrate-store", "--from", from, "--to", "sqlite:/tmp/x"]);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains(said) && !words.contains("secret"), "{words}");
    }
}
