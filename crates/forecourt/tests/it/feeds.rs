//! Feeds and units as the dealership's people handle them at the command line.

use std::{path::Path, process::Output};

use serde_json::{Value, json};

use crate::support::program;

/// A data folder with a configuration of one feed, and files to import.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write(
            "forecourt.toml",
            r#"
            data = "data"
            [dealers.group]
            name = "Group Motors"
            [dealers.group.rooftops.North]
            [dealers.group.feeds.used]
            expect_every = "26h"
            price = { column = "Price", advertised = true, stated_by = "R. Manager" }
            "#,
        );
        desk
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.0.path().join(name), content).unwrap();
    }

    /// Imports a file with so many cars.
    fn import(&self, cars: u32) -> (i32, Value) {
        let mut file = "VIN,Stock,Year,Make,Model,Condition,Price\n".to_owned();
        for number in 1..=cars {
            let price = 9000 + number;
            file += &format!("1HGCM82633A{number:06},C{number},2003,Honda,Accord,used,{price}\n");
        }
        self.write("export.csv", &file);
        self.json(&["import", "export.csv"])
    }

    fn run(&self, args: &[&str]) -> Output {
        let folder: &Path = self.0.path();
        program(args)
            .current_dir(folder)
            .env("USER", "pat")
            .output()
            .unwrap()
    }

    fn json(&self, args: &[&str]) -> (i32, Value) {
        let output = self.run(&[args, &["--json"]].concat());
        let document = serde_json::from_slice(&output.stdout);
        let document = document.unwrap_or_else(|_| panic!("{args:?}: {output:?}"));
        (output.status.code().unwrap(), document)
    }

    fn text(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

const VIN: &str = "1HGCM82633A000001";

#[test]
fn a_file_that_is_not_believed_can_be_looked_into_and_accepted() {
    let desk = Desk::new();
    assert_eq!(desk.import(10).0, 0);
    let (status, report) = desk.import(3);
    assert_eq!(status, 1);
    assert_eq!(report["kept_last_good"], true);
    assert_eq!(report["run"]["state"], "kept_last_good");
    let place = json!({"rooftop": "North", "condition": "used", "before": 10, "after": 3});
    assert_eq!(report["run"]["held"], json!([place]));
    let run = report["run"]["id"].as_str().unwrap();

    let (_, feeds) = desk.json(&["feeds"]);
    let feed = &feeds["feeds"][0];
    assert_eq!(feed["feed"], "used");
    assert_eq!(feed["last_run"]["id"], run);
    assert_eq!(feed["on_lot"], 10);
    assert!(feed["next_expected"].is_string());
    assert_eq!(feeds["attention"][0]["cause"], "feed/used/kept_last_good");
    assert_eq!(feeds["attention"][0]["run"], run);
    let table = desk.text(&["feeds"]);
    assert!(table.contains("kept_last_good"), "{table}");
    assert!(table.contains(run), "the way out is named:\n{table}");

    let (_, runs) = desk.json(&["feeds", "runs", "--feed", "used"]);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2);
    assert_eq!(runs["runs"][0]["file_name"], "export.csv");
    let (_, shown) = desk.json(&["feeds", "show", run]);
    assert_eq!(shown["run"]["rows"], 3);
    assert_eq!(shown["report"]["columns"][0]["header"], "VIN");
    assert!(
        desk.text(&["feeds", "show", run])
            .contains("kept_last_good")
    );
    assert!(desk.text(&["feeds", "runs"]).contains(run));

    let (status, accepted) = desk.json(&["feeds", "accept", run]);
    assert_eq!(status, 0);
    assert_eq!(accepted["run"]["withdrawn"], 7);
    let (_, list) = desk.json(&["vehicles", "list"]);
    assert_eq!(list["total"], 3);
    let (status, again) = desk.json(&["feeds", "accept", run]);
    assert_eq!((status, &again["error"]["code"]), (1, &json!("newer_run")));
    assert!(desk.text(&["feeds", "runs"]).contains("accepted by pat"));
    let (_, feeds) = desk.json(&["feeds"]);
    assert_eq!(feeds["attention"], json!([]));
}

#[test]
fn an_unknown_run_and_a_web_page_are_not_accepted() {
    let desk = Desk::new();
    desk.import(1);
    let nothing = "019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b";
    for verb in ["show", "accept"] {
        let (status, error) = desk.json(&["feeds", verb, nothing]);
        assert_eq!(
            (status, &error["error"]["code"]),
            (1, &json!("run_not_found"))
        );
    }
    desk.write("export.csv", "<html><body>502 Bad Gateway</body></html>");
    let (_, report) = desk.json(&["import", "export.csv"]);
    let run = report["run"]["id"].as_str().unwrap();
    let (status, error) = desk.json(&["feeds", "accept", run]);
    assert_eq!((status, &error["error"]["code"]), (1, &json!("unreadable")));
}

#[test]
fn a_unit_is_withdrawn_and_restored_and_its_history_says_by_whom() {
    let desk = Desk::new();
    desk.import(2);
    let (_, done) = desk.json(&["vehicles", "withdraw", VIN, "--reason", "recall"]);
    assert_eq!(done["rooftops"], 1);
    let (status, report) = desk.import(2);
    assert_eq!(status, 0);
    assert_eq!(report["run"]["state"], "repeated");
    assert_eq!(report["run"]["withheld"][0]["vin"], VIN);
    let (_, list) = desk.json(&["vehicles", "list"]);
    assert_eq!(list["total"], 1);
    let (status, error) = desk.json(&["vehicles", "show", VIN]);
    assert_eq!(
        (status, &error["error"]["code"]),
        (1, &json!("vehicle_unavailable"))
    );
    let (status, error) = desk.json(&["vehicles", "withdraw", VIN]);
    assert_eq!((status, &error["error"]["code"]), (1, &json!("already_so")));
    assert_eq!(desk.json(&["vehicles", "restore", VIN]).0, 0);
    let (_, list) = desk.json(&["vehicles", "list"]);
    assert_eq!(list["total"], 2);

    let (_, history) = desk.json(&["vehicles", "history", VIN]);
    let events: Vec<_> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["event"].as_str().unwrap(), entry["by"].as_str()))
        .collect();
    let pat = Some("pat");
    assert_eq!(
        events,
        [("published", None), ("withdrawn", pat), ("published", pat)]
    );
    assert_eq!(history[0]["price"], 9001);
    assert_eq!(history[0]["price_column"], "Price");
    assert_eq!(history[0]["statement"]["stated_by"], "R. Manager");
    assert_eq!(history[0]["statement"]["advertised"], true);
    let table = desk.text(&["vehicles", "history", VIN]);
    assert!(
        table.contains("R. Manager") && table.contains("pat: recall"),
        "{table}"
    );
}

#[test]
fn what_nobody_knows_has_no_history_and_cannot_be_withdrawn() {
    let desk = Desk::new();
    desk.import(1);
    for verb in ["history", "withdraw", "restore"] {
        let (status, error) = desk.json(&["vehicles", verb, "1HGCM82633A999999"]);
        assert_eq!(
            (status, &error["error"]["code"]),
            (1, &json!("vehicle_not_found"))
        );
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("1HGCM82633A999999"), "{message}");
    }
    let (status, error) = desk.json(&["vehicles", "withdraw", VIN, "--rooftop", "West"]);
    assert_eq!(status, 2);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("North"), "{message}");
}
