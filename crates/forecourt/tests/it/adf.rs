//! ADF on the command line: documents checked, written and taken over.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{Server, envelope, lead, run, run_json};

fn written(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, text).expect("writes");
    file.to_str().expect("a path").to_owned()
}

/// A lead as another system sends it.
fn document(person: &str) -> String {
    format!(
        "<adf><prospect><id source='Example CRM'>{person}</id><requestdate>2026-04-30T20:15:00</requestdate>
         <vehicle><stock>D1000</stock></vehicle>
         <customer><contact><name part='full'>{person} Fixture</name>
         <phone>(415) 555-0123</phone></contact><comments>Is it there?</comments></customer>
         <vendor><vendorname>Example Motors</vendorname></vendor>
         <provider><name part='full'>Example Leads</name></provider></prospect></adf>"
    )
}

#[test]
fn a_request_becomes_a_document_that_check_likes() {
    let folder = tempfile::tempdir().unwrap();
    let mut wanted = lead(1);
    wanted["vehicle_of_interest"] = json!({ "stock": "d1000" });
    let bare = written(folder.path(), "bare.json", &wanted.to_string());
    let whole = written(folder.path(), "whole.json", &envelope(&wanted).to_string());
    let mut documents = Vec::new();
    for file in [bare, whole] {
        let output = run(&["adf", "write", &file, "--demo"]);
        assert!(output.status.success(), "{output:?}");
        let document = String::from_utf8(output.stdout).unwrap();
        assert!(document.starts_with("<?xml version=\"1.0\""), "{document}");
        assert!(document.contains("<stock>D1000</stock>"), "{document}");
        assert!(
            document.contains("<vin>"),
            "completed from the stock: {document}"
        );
        assert!(document.contains("buyer-1@example.com"), "{document}");
        let file = written(folder.path(), "lead.xml", &document);
        let (status, checked) = run_json(&["adf", "check", &file, "--json"]);
        assert_eq!((status, &checked["findings"]), (0, &json!([])));
        documents.push(
            document
                .lines()
                .filter(|line| !line.contains("lead id"))
                .count(),
        );
    }
    assert_eq!(documents[0], documents[1]);
}

#[test]
fn a_request_that_the_server_would_refuse_becomes_no_document() {
    let folder = tempfile::tempdir().unwrap();
    let mut wanted = lead(1);
    wanted["customer"]["email"] = json!("nobody");
    wanted["consent"]["scope"] = json!(["everything"]);
    let file = written(folder.path(), "lead.json", &wanted.to_string());
    let (status, refused) = run_json(&["adf", "write", &file, "--demo", "--json"]);
    assert_eq!(status, 1);
    let problems = refused["error"]["details"]["errors"].as_array().unwrap();
    assert!(problems.len() >= 2, "{refused}");
    for text in ["{}", "[", "{\"type\":\"inventory.search.request\"}"] {
        let file = written(folder.path(), "other.json", text);
        assert_eq!(
            run_json(&["adf", "write", &file, "--demo", "--json"]).0,
            1,
            "{text}"
        );
    }
}

#[test]
fn check_tells_where_a_strict_system_stops() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "lead.xml", &document("Ada"));
    let output = run(&["adf", "check", &file]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).unwrap();
    for words in [
        "line 1",
        "`<?adf",
        "`<vehicle>` without `<year>`",
        "to mend",
    ] {
        assert!(told.contains(words), "{told}");
    }
    assert!(!told.contains("Ada"), "{told}");
    let (status, checked) = run_json(&["adf", "check", &file, "--json"]);
    assert_eq!((status, &checked["refused"]), (1, &json!(true)));
    assert_eq!(checked["findings"][0]["line"], 1);
    assert_eq!(
        run_json(&["adf", "check", "/nowhere/lead.xml", "--json"]).0,
        1
    );
}

#[test]
fn leads_of_another_system_are_taken_over_once_and_go_nowhere() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let _server = Server::demo(data.path());
    // One of them stands there twice.
    let text = [document("Ada"), document("Eve"), document("Ada")].concat();
    let file = written(data.path(), "leads.xml", &text);
    let import = |more: &[&str]| {
        let mut args = vec!["leads", "import", &file, "--data", folder, "--json"];
        args.extend(more);
        run_json(&args)
    };
    let leads = || run_json(&["leads", "list", "--data", folder, "--json"]).1;

    let (status, dry) = import(&["--dry-run"]);
    assert_eq!((status, &dry["taken"]), (0, &json!(2)));
    assert_eq!(dry["known"], 1);
    assert_eq!(leads()["counts"]["leads"], 0);
    assert_eq!(import(&[]).1["taken"], 2);
    let (_, again) = import(&[]);
    assert_eq!((&again["taken"], &again["known"]), (&json!(0), &json!(3)));
    assert_eq!(leads()["counts"]["leads"], 2);
    assert_eq!(leads()["counts"]["deliveries_due"], 0);
    assert_eq!(import(&["--dry-run"]).1["known"], 3);

    let id = again["leads"][0]["lead_id"].as_str().unwrap();
    let (_, shown) = run_json(&["leads", "show", id, "--data", folder, "--json"]);
    assert_eq!(shown["origin"], "import");
    assert_eq!(shown["stock"], "D1000");
    assert_eq!(shown["person"]["phone"], "+14155550123");
    assert_eq!(shown["consent_as_received"], Value::Null);
    assert_eq!(shown["request"]["consent"], Value::Null);
}

#[test]
fn leads_are_sent_on_when_that_is_asked_for() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let config = "[dealers.one]\nname = \"Example\"\n[dealers.one.rooftops.\"Example Motors\"]\ncrm = \"leads@crm.example.com\"\nphones = [{ value = \"+14155550100\" }]\n";
    written(data.path(), "forecourt.toml", config);
    let file = written(data.path(), "leads.xml", &document("Ada"));
    let import = |more: &[&str]| {
        let mut args = vec!["leads", "import", &file, "--data", folder, "--json"];
        args.extend(more);
        run_json(&args).1
    };
    let dry = import(&["--dry-run"]);
    assert_eq!(
        (&dry["taken"], &dry["leads"][0]["lead_id"]),
        (&json!(1), &Value::Null)
    );
    assert!(!data.path().join("forecourt.db").exists());
    assert_eq!(import(&[])["deliveries"], 0);
    let sent = import(&["--deliver"]);
    assert_eq!(
        (&sent["known"], &sent["deliveries"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(import(&["--deliver"])["deliveries"], 0);
    assert_eq!(sent["leads"][0]["rooftop"], "Example Motors");
}

#[test]
fn a_file_without_leads_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let file = written(data.path(), "mail.eml", "From: a@example.com\n\nHello");
    let (status, refused) = run_json(&["leads", "import", &file, "--data", folder, "--json"]);
    assert_eq!((status, &refused["error"]["code"]), (1, &json!("no_leads")));
    let nobody = "<prospect><customer><contact><name>Ada</name></contact></customer></prospect>";
    let file = written(data.path(), "nobody.xml", nobody);
    written(
        data.path(),
        "forecourt.toml",
        "[dealers.one]\nname = \"Example\"\n[dealers.one.rooftops.North]\n",
    );
    let (status, report) = run_json(&["leads", "import", &file, "--data", folder, "--json"]);
    assert_eq!((status, &report["refused"]), (1, &json!(1)));
    assert!(!report["leads"][0]["reason"].as_str().unwrap().is_empty());
}
