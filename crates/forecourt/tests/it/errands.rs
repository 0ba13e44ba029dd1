//! What the program does of its own accord, and what it says of that.

use std::{fs, path::Path};

use serde_json::{Value, json};
use testkit::webhook::WebhookSink;

use crate::support::{Server, eventually, request, run_json};

const GOOD: &str = "Stock,Year,Make,Model\nA1,2022,Honda,Accord\n";
const PAGE: &str = "<html><body>502 Bad Gateway</body></html>";

/// Writes a configuration with one feed, and its path.
fn configure(folder: &Path, settings: &str) -> String {
    let file = folder.join("forecourt.toml");
    let text = format!(
        "{settings}\n[dealers.group]\nname = \"Group Motors\"\n[dealers.group.rooftops.North]\n\
         [dealers.group.feeds.used]\npath = \"drop/*.csv\"\nsettle = \"0s\"\n"
    );
    fs::write(&file, text).unwrap();
    fs::create_dir_all(folder.join("drop")).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_file_in_the_drop_folder_is_served_and_a_bad_one_is_an_alarm() {
    let folder = tempfile::tempdir().unwrap();
    let hook = WebhookSink::start();
    let alarm = format!("[alarm]\nwebhook = \"{}\"\n", hook.url("/alarm"));
    let config = configure(folder.path(), &alarm);
    let server = Server::start(&["serve", "--config", &config]);
    let drop = folder.path().join("drop");
    fs::write(drop.join("export.csv"), GOOD).unwrap();
    eventually("the car is served", || {
        let found = server.answer(&json!({ "type": "inventory.search.request" }));
        found["data"]["total"] == 1
    });
    eventually("the file is done", || drop.join("done/export.csv").exists());
    let (exit, status) = run_json(&["status", "--config", &config, "--json"]);
    assert_eq!((exit, &status["alarms"]), (0, &json!([])), "{status:#}");
    let feed = &status["feeds"][0];
    assert_eq!(
        (&feed["feed"], &feed["vehicles"]),
        (&json!("used"), &json!(1))
    );
    assert!(feed["last_good_at"].is_string() && feed["age_seconds"].is_number());
    assert!(status["disk"]["free_bytes"].is_number());
    assert!(status["database"]["bytes"].is_number());

    fs::write(drop.join("export.csv"), PAGE).unwrap();
    let calls = hook.wait_for(1);
    let told: Value = serde_json::from_slice(&calls[0].body).unwrap();
    assert_eq!(told["raised"][0]["kind"], "feed_refused");
    let (exit, status) = run_json(&["status", "--config", &config, "--json"]);
    assert_eq!(exit, 1);
    assert_eq!(status["alarms"][0]["kind"], "feed_refused");
    assert_eq!(status["alarms"][0]["subject"], "used");
    assert!(drop.join("refused/export.csv.report.json").exists());
}

#[test]
fn a_vendor_uploads_a_feed_with_a_key_and_gets_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let config = configure(folder.path(), "");
    let server = Server::start(&["serve", "--config", &config]);
    let (_, key) = run_json(&[
        "key", "create", "--name", "vendor", "--scope", "feeds", "--config", &config, "--json",
    ]);
    let bearer = format!("Bearer {}", key["key"].as_str().unwrap());
    let put = |path: &str, bearer: &str, body: &str| {
        let headers = [("Authorization", bearer)];
        let (status, body) = request(&server.address, "PUT", path, &headers, body).unwrap();
        let document: Value = serde_json::from_str(&body).unwrap();
        (status, document)
    };
    let (status, report) = put("/api/feeds/used", &bearer, GOOD);
    assert_eq!((status, &report["result"]), (200, &json!("applied")));
    assert_eq!(report["run"]["added"], 1);
    let (status, report) = put("/dealers/group/api/feeds/used", &bearer, PAGE);
    assert_eq!((status, &report["result"]), (422, &json!("refused")));
    assert!(report["refused"]["message"].is_string());
    assert_eq!(put("/api/feeds/other", &bearer, GOOD).0, 404);
    assert_eq!(put("/dealers/nobody/api/feeds/used", &bearer, GOOD).0, 404);
    assert_eq!(put("/api/feeds/used", "Bearer wrong", GOOD).0, 401);
    eventually("the car is served", || {
        let found = server.answer(&json!({ "type": "inventory.search.request" }));
        found["data"]["total"] == 1
    });
}

#[test]
fn a_test_alarm_says_of_each_way_whether_it_works() {
    let folder = tempfile::tempdir().unwrap();
    let hook = WebhookSink::start();
    let alarm = format!(
        "[alarm]\nwebhook = \"{}\"\ncommand = [\"no-such-program\"]\n",
        hook.url("/alarm")
    );
    let config = configure(folder.path(), &alarm);
    let (exit, results) = run_json(&["alarm", "test", "--config", &config, "--json"]);
    assert_eq!(exit, 1);
    assert_eq!(
        results["channels"][0],
        json!({ "channel": "webhook", "sent": true, "error": null })
    );
    assert_eq!(results["channels"][1]["sent"], false);
    let told: Value = serde_json::from_slice(&hook.calls()[0].body).unwrap();
    assert_eq!(told["type"], "forecourt.alarm.test");

    let config = configure(folder.path(), "");
    let (exit, error) = run_json(&["alarm", "test", "--config", &config, "--json"]);
    assert_eq!((exit, &error["error"]["code"]), (2, &json!("usage")));
}
