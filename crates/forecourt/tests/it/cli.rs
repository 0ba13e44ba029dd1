//! The commands of a dealership's first day.

use serde_json::json;

use crate::support::{Server, lead, program, run, run_json};

#[test]
fn init_writes_a_configuration_that_check_accepts_and_never_replaces_one() {
    let folder = tempfile::tempdir().unwrap();
    let in_folder = |args: &[&str]| program(args).current_dir(folder.path()).output().unwrap();
    assert!(in_folder(&["init"]).status.success());
    let check = in_folder(&["config", "check", "--json"]);
    assert!(check.status.success());
    let again = in_folder(&["init"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8(again.stderr).unwrap().contains("--force"));
}

#[test]
fn a_dry_run_needs_neither_configuration_nor_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("export.csv");
    std::fs::write(
        &feed,
        "VIN,Stock,Year,Make,Model,Internet_Price,Invoice\n1HGCM82633A004352,S1,2003,Honda,Accord,\"$9,000\",8000\n,,2020,Ford,Focus,1,2\n",
    )
    .unwrap();
    let output = program(&["import", "export.csv", "--dry-run", "--json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "skipped rows do not fail a dry run"
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["encoding"], "utf-8");
    assert_eq!(report["delimiter"], ",");
    assert_eq!(report["header"], true);
    assert_eq!(report["rows"], 2);
    assert_eq!(report["published"], 1);
    assert_eq!(report["kept_last_good"], false);
    assert_eq!(report["vehicles"][0]["list_price"], 9000);
    assert_eq!(report["skipped"][0]["row"], 3);
    assert_eq!(report["skipped"][0]["code"], "no_identifier");
    assert!(!report["vehicles"].to_string().contains("8000"));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "a dry run leaves nothing behind"
    );
    std::fs::write(&feed, "").unwrap();
    let refused = program(&["import", "export.csv", "--dry-run"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn a_lead_can_be_listed_and_shown_with_its_consent() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let server = Server::demo(data.path());
    let mut wanted = lead(1);
    wanted["vehicle_of_interest"] = json!({ "stock": "D1000" });
    let answer = server.answer(&wanted);
    let id = answer["data"]["lead_id"].as_str().unwrap();
    let (_, list) = run_json(&["leads", "list", "--data", folder, "--json"]);
    assert_eq!(list["leads"][0]["lead_id"], id);
    let (status, shown) = run_json(&["leads", "show", id, "--data", folder, "--json"]);
    assert_eq!(status, 0);
    assert_eq!(shown["request"]["consent"], wanted["consent"]);
    assert_eq!(shown["consent_as_received"], wanted["consent"].to_string());
    assert_eq!(shown["person"]["email"], "buyer-1@example.com");
    let (status, _) = run_json(&["leads", "show", "no-such-lead", "--data", folder, "--json"]);
    assert_eq!(status, 1);
    let table = String::from_utf8(run(&["leads", "list", "--data", folder]).stdout).unwrap();
    assert!(table.contains(id), "{table}");
}

#[test]
fn the_stock_can_be_listed_shown_and_traced() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let _server = Server::demo(data.path());
    let (_, list) = run_json(&[
        "vehicles", "list", "--data", folder, "--json", "--limit", "500",
    ]);
    assert_eq!(list["total"], 240);
    let (_, shown) = run_json(&["vehicles", "show", "d1000", "--data", folder, "--json"]);
    assert_eq!(shown["stock"], "D1000");
    let vin = shown["vin"].as_str().unwrap();
    let (_, history) = run_json(&["vehicles", "history", vin, "--data", folder, "--json"]);
    assert_eq!(history[0]["event"], "published");
    assert_eq!(history[0]["price"], shown["price"]);
    let (status, error) = run_json(&["vehicles", "show", "nothing", "--data", folder, "--json"]);
    assert_eq!(
        (status, &error["error"]["code"]),
        (1, &json!("vehicle_not_found"))
    );
}

#[test]
fn every_command_explains_itself_with_an_example() {
    for command in [
        &["serve"][..],
        &["init"],
        &["config", "check"],
        &["import"],
        &["vehicles", "list"],
        &["vehicles", "show"],
        &["vehicles", "history"],
        &["leads", "list"],
        &["leads", "show"],
        &["card"],
        &["buyer", "discover"],
        &["buyer", "info"],
        &["buyer", "facets"],
        &["buyer", "search"],
        &["buyer", "vehicle"],
        &["buyer", "lead"],
    ] {
        let mut args = command.to_vec();
        args.push("--help");
        let output = run(&args);
        assert!(output.status.success(), "{args:?}");
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("Example"), "{args:?} has no example:\n{help}");
    }
}
