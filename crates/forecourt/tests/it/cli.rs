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
    let text = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let table = text(&["leads", "list", "--data", folder]);
    assert!(table.contains(id), "{table}");
    let file = text(&["leads", "export", "--data", folder]);
    assert_eq!(file.lines().count(), 2);
    assert!(
        file.contains(id) && file.contains("buyer-1@example.com"),
        "{file}"
    );
    let file = text(&[
        "leads",
        "export",
        "--data",
        folder,
        "--format",
        "ndjson",
        "--rooftop",
        "nowhere",
    ]);
    assert_eq!(file, "");
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
        &["vehicles", "withdraw"],
        &["vehicles", "restore"],
        &["feeds"],
        &["feeds", "runs"],
        &["feeds", "show"],
        &["feeds", "accept"],
        &["leads", "list"],
        &["leads", "export"],
        &["leads", "show"],
        &["leads", "import"],
        &["adf", "check"],
        &["adf", "write"],
        &["card"],
        &["card", "check"],
        &["card", "sign"],
        &["card", "verify"],
        &["status"],
        &["alarm", "test"],
        &["buyer", "discover"],
        &["buyer", "info"],
        &["buyer", "facets"],
        &["buyer", "search"],
        &["buyer", "vehicle"],
        &["buyer", "lead"],
        &["a2a", "send"],
        &["a2a", "stream"],
        &["a2a", "get"],
        &["a2a", "list"],
        &["a2a", "cancel"],
        &["a2a", "subscribe"],
        &["a2a", "card"],
        &["a2a", "push", "create"],
        &["a2a", "push", "get"],
        &["a2a", "push", "list"],
        &["a2a", "push", "delete"],
    ] {
        let mut args = command.to_vec();
        args.push("--help");
        let output = run(&args);
        assert!(output.status.success(), "{args:?}");
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("Example"), "{args:?} has no example:\n{help}");
    }
}

#[test]
fn a_wrong_command_line_is_one_document_under_json() {
    for args in [
        &["--json"][..],
        &["nonsense", "--json"],
        &["buyer", "info", "--json"],
        &["serve", "--listen", "localhost:8080", "--json"],
        &["--json", "vehicles", "list", "--limit", "many"],
    ] {
        let (status, document) = run_json(args);
        assert_eq!(status, 2, "{args:?}");
        assert_eq!(document["error"]["code"], "usage", "{args:?}");
        let message = document["error"]["message"].as_str().unwrap();
        assert!(
            !message.is_empty() && !message.contains("Usage:"),
            "{message}"
        );
    }
    let (status, document) = run_json(&["config", "check", "--config", "/nowhere", "--json"]);
    assert_eq!(
        (status, &document["error"]["code"]),
        (2, &json!("configuration"))
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let server = Server::demo(data.path());
    let url = format!("http://{}", server.address);
    for args in [
        &["vehicles", "list", "--data", folder][..],
        &["vehicles", "list", "--data", folder, "--json"],
        &["card", "--data", folder],
        &["buyer", "facets", &url],
        &["--help"],
    ] {
        let mut child = program(args)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{args:?}: {output:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_the_output_is_a_failure_and_no_panic() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let _server = Server::demo(data.path());
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let output = program(&["vehicles", "list", "--data", folder])
        .stdout(full())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        !String::from_utf8(output.stderr)
            .unwrap()
            .contains("panicked")
    );
    let output = program(&["vehicles", "show", "nothing", "--data", folder])
        .stderr(full())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn tables_fit_a_terminal_and_foreign_text_cannot_drive_it() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let server = Server::demo(data.path());
    let url = format!("http://{}", server.address);
    let mut wanted = lead(1);
    wanted["customer"]["first_name"] = json!("Eve\u{1b}[2J\u{202e}");
    wanted["message"] = json!("line\nstatus: forged");
    wanted["vehicle_of_interest"] = json!({ "stock": "D1000" });
    let answer = server.answer(&wanted);
    let id = answer["data"]["lead_id"].as_str().unwrap();
    for args in [
        &["vehicles", "list", "--data", folder][..],
        &["vehicles", "show", "D1000", "--data", folder],
        &["leads", "list", "--data", folder],
        &["leads", "show", id, "--data", folder],
        &["buyer", "info", &url],
        &["buyer", "facets", &url],
        &["buyer", "search", &url, "--limit", "30"],
        &["buyer", "vehicle", &url, "--stock", "D1000"],
    ] {
        let text = String::from_utf8(run(args).stdout).unwrap();
        assert!(!text.is_empty(), "{args:?}");
        assert!(
            !text.contains(['\u{1b}', '\u{202e}']) && !text.contains("\nstatus: forged"),
            "{text}"
        );
        let widest = text
            .lines()
            .map(|line| line.trim_end().chars().count())
            .max();
        if args[..2] != ["leads", "show"] {
            assert!(widest <= Some(100), "{args:?}: {widest:?}\n{text}");
        }
    }
    let (_, shown) = run_json(&["vehicles", "show", "D1000", "--data", folder, "--json"]);
    let list = String::from_utf8(run(&["vehicles", "list", "--data", folder]).stdout).unwrap();
    assert!(
        list.contains(shown["vin"].as_str().unwrap()),
        "VINs stay in one piece:\n{list}"
    );
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("forecourt.toml"),
        "public_url = \"https://file.example\"\n[dealers.one]\nname = \"One\"\n[dealers.one.rooftops.Main]\n",
    )
    .unwrap();
    let url = |variable: Option<&str>, args: &[&str]| {
        let mut command = program(&["card"]);
        command.args(args).current_dir(folder.path());
        if let Some(value) = variable {
            command.env("FORECOURT_PUBLIC_URL", value);
        }
        let output = command.output().unwrap();
        let card: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        card["supportedInterfaces"][0]["url"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let flag = &["--public-url", "https://flag.example"][..];
    let variable = Some("https://environment.example");
    assert_eq!(url(None, &[]), "https://file.example/a2a");
    assert_eq!(url(variable, &[]), "https://environment.example/a2a");
    assert_eq!(url(variable, flag), "https://flag.example/a2a");
}

#[test]
fn an_address_in_use_is_told_with_a_way_out() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (status, document) = run_json(&["serve", "--demo", "--json", "--listen", &address]);
    assert_eq!((status, &document["error"]["code"]), (1, &json!("listen")));
    let message = document["error"]["message"].as_str().unwrap();
    assert!(message.contains("--listen"), "{message}");
}

#[test]
fn what_init_wrote_imports_and_serves_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let in_folder = |args: &[&str]| program(args).current_dir(folder.path()).output().unwrap();
    assert!(in_folder(&["init"]).status.success());
    std::fs::write(
        folder.path().join("export.csv"),
        "VIN,Stock,Year,Make,Model,Price\n1HGCM82633A004352,S1,2003,Honda,Accord,9000\n",
    )
    .unwrap();
    assert!(in_folder(&["import", "export.csv"]).status.success());
    let config = folder.path().join("forecourt.toml");
    let server = Server::start(&["serve", "--config", config.to_str().unwrap()]);
    let found = server.answer(&json!({ "type": "inventory.search.request" }));
    assert_eq!(found["data"]["total"], 1);
}
