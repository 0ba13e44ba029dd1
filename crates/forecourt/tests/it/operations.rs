//! What those who run the server rely on.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};

use crate::support::{
    Server, eventually, exchange, lead, program, ready_for_leads, request, run, run_json,
};

const ONE: &str = "[dealers.north]\nname = \"North Cars\"\nrooftops = { \"North\" = {} }\n";
const SOUTH: &str = "[dealers.south]\nname = \"South Cars\"\nrooftops = { \"South\" = {} }\n";

fn write(data: &Path, config: &str) {
    std::fs::write(data.join("forecourt.toml"), config).unwrap();
}

fn serve(data: &Path, config: &str) -> Server {
    write(data, config);
    let flags = ["--data", data.to_str().unwrap()];
    ready_for_leads(&data.join("forecourt.toml"), &flags);
    Server::start(&["serve", "--data", data.to_str().unwrap()])
}

fn get(server: &Server, path: &str) -> (u16, String) {
    request(&server.address, "GET", path, &[], "").unwrap()
}

#[test]
fn a_server_says_that_it_lives_is_ready_and_what_it_counts() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    assert_eq!(get(&server, "/healthz"), (200, "ok\n".to_owned()));
    let (status, ready) = get(&server, "/readyz");
    assert_eq!(
        (status, ready.as_str()),
        (200, r#"{"ready":true,"reasons":[]}"#)
    );
    server.answer(&json!({ "type": "inventory.search.request" }));
    server.answer(&lead(1));
    server.call(&json!({ "type": "inventory.vehicle.request", "vin": "1HGCM82633A004352" }));
    request(
        &server.address,
        "POST",
        "/a2a",
        &[("Content-Type", "application/json")],
        "{",
    )
    .unwrap();
    let (status, page) = get(&server, "/metrics");
    assert_eq!(status, 200);
    for line in [
        r#"forecourt_requests_total{skill="inventory.search",outcome="OK"} 1"#,
        r#"forecourt_requests_total{skill="lead.submit",outcome="OK"} 1"#,
        r#"forecourt_requests_total{skill="inventory.vehicle",outcome="VEHICLE_NOT_FOUND"} 1"#,
        r#"forecourt_requests_total{skill="none",outcome="PROTOCOL_ERROR"} 1"#,
        r#"forecourt_request_seconds_count{skill="lead.submit"} 1"#,
        r#"forecourt_dealer_vehicles{dealer="demo-motors"} 240"#,
        r#"forecourt_leads{status="received"} 1"#,
        r#"forecourt_feed_runs{state="applied"} 3"#,
        "forecourt_database_up 1",
    ] {
        assert!(
            page.lines().any(|it| it == line),
            "{line} is not in\n{page}"
        );
    }
    // This request's connection, and those whose end the server has not noticed yet; a lead that may be
    // in its folder by now.
    for begun in [
        "\nforecourt_outbox_depth ",
        "\nforecourt_open_connections ",
        "\nforecourt_dealer_stock_age_seconds{dealer",
    ] {
        assert!(page.contains(begun), "{begun} is not in\n{page}");
    }
    assert!(page.ends_with("# EOF\n"), "{page}");
    for personal in ["Buyer", "buyer-1", "test-agent"] {
        assert!(!page.contains(personal), "{personal} is in\n{page}");
    }
}

#[test]
fn metrics_are_for_the_networks_that_are_named() {
    let data = tempfile::tempdir().unwrap();
    let server = serve(data.path(), ONE);
    assert_eq!(get(&server, "/metrics").0, 200);
    // A proxy on this machine that nobody declared passes strangers on.
    let proxied = [("X-Forwarded-For", "203.0.113.9")];
    let (status, _) = request(&server.address, "GET", "/metrics", &proxied, "").unwrap();
    assert_eq!(status, 404);
    drop(server);
    let allow = "trusted_proxies = [\"127.0.0.1\"]\n[metrics]\nallow = [\"203.0.113.0/24\"]\n";
    let server = serve(data.path(), &format!("{allow}{ONE}"));
    assert_eq!(get(&server, "/metrics").0, 404);
    let (status, _) = request(&server.address, "GET", "/metrics", &proxied, "").unwrap();
    assert_eq!(status, 200);
}

#[test]
fn who_asks_too_often_is_asked_to_wait_in_the_form_of_the_profile() {
    let data = tempfile::tempdir().unwrap();
    let limits = "trusted_proxies = [\"127.0.0.1\"]\n[limits.rate]\naddress = { per_minute = 1, burst = 4 }\nlead = { per_minute = 2, burst = 1 }\n";
    let server = serve(data.path(), &format!("{limits}{ONE}"));
    let ask = |from: &str, payload: &Value| {
        let headers = [
            ("Content-Type", "application/json"),
            ("X-Forwarded-For", from),
        ];
        let body = crate::support::envelope(payload).to_string();
        let reply = exchange(&server.address, "POST", "/a2a", &headers, &body).unwrap();
        assert_eq!(reply.status, 200, "{reply:?}");
        let wait = reply.header("retry-after");
        (reply.json(), wait.map(|it| it.parse::<u64>().unwrap()))
    };
    let information = json!({ "type": "dealer.information.request" });
    let (reply, wait) = ask("203.0.113.9", &lead(1));
    assert!(reply.get("error").is_none() && wait.is_none(), "{reply:#}");
    let (reply, wait) = ask("203.0.113.9", &lead(2));
    assert_eq!(reply["error"]["code"], -32002, "{reply:#}");
    assert_eq!(reply["id"], "1", "the answer belongs to its question");
    let error = &reply["error"]["data"];
    assert_eq!(error["code"], "RATE_LIMITED");
    assert_eq!(error["retryable"], true);
    let milliseconds = error["details"]["retry_after_ms"].as_u64().unwrap();
    assert!((1..=30_000).contains(&milliseconds), "{milliseconds}");
    assert_eq!(wait, Some(milliseconds.div_ceil(1000)));
    for _ in 0..2 {
        let (reply, _) = ask("203.0.113.9", &information);
        assert!(
            reply.get("error").is_none(),
            "reading has another limit: {reply:#}"
        );
    }
    let (reply, wait) = ask("203.0.113.9", &information);
    assert_eq!(reply["error"]["data"]["code"], "RATE_LIMITED");
    assert!(wait > Some(30), "{wait:?}");
    let (reply, _) = ask("203.0.113.10", &information);
    assert!(reply.get("error").is_none(), "another sender: {reply:#}");
}

#[cfg(unix)]
#[test]
fn a_hangup_serves_the_configuration_as_it_is_or_leaves_all_as_it_was() {
    let data = tempfile::tempdir().unwrap();
    let log = data.path().join("log");
    write(data.path(), ONE);
    let server = Server::spawn(
        program(&["serve", "--data", data.path().to_str().unwrap()])
            .stderr(std::fs::File::create(&log).unwrap()),
    );
    let logged = |text: &str| std::fs::read_to_string(&log).unwrap().contains(text);
    let card = |dealer: &str| {
        let path = format!("/dealers/{dealer}/.well-known/agent-card.json");
        let (status, body) = get(&server, &path);
        (status == 200).then(|| serde_json::from_str::<Value>(&body).unwrap())
    };
    assert!(card("south").is_none());
    let north = ONE.replace("rooftops", "skills = [\"dealer.information\"]\nrooftops");
    write(
        data.path(),
        &format!("[log]\nlevel = \"debug\"\n{north}{SOUTH}"),
    );
    server.signal("HUP");
    eventually("the reload is served", || card("south").is_some());
    let skills = card("north").unwrap()["skills"].as_array().unwrap().len();
    assert_eq!(skills, 1, "the skills are renewed");
    eventually("the warning is logged", || {
        logged("takes effect at the next start only") && logged("log.level")
    });
    write(
        data.path(),
        "[dealers.north]\nname = \"\"\n[dealers.north.rooftops.North]\ntimezone = \"Mars/Olympus\"\n",
    );
    server.signal("HUP");
    eventually("the refusal is logged", || {
        logged("dealers.north.name") && logged("Mars/Olympus") && logged("the one before stays")
    });
    assert!(card("south").is_some() && card("north").is_some());
    write(data.path(), SOUTH);
    server.signal("HUP");
    eventually("the dealer is removed", || card("north").is_none());
}

#[test]
fn the_server_makes_backups_that_can_be_restored() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let backups = data.path().join("backups");
    let config = format!("[backup]\ndir = \"backups\"\n{ONE}");
    let mut server = serve(data.path(), &config);
    server.answer(&lead(1));
    let made = || -> Vec<_> {
        let Ok(entries) = std::fs::read_dir(&backups) else {
            return Vec::new();
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.join("manifest.json").exists())
            .filter(|path| !path.to_string_lossy().contains(".partial"))
            .collect()
    };
    eventually("a backup is made", || made().len() == 1);
    let (status, by_hand) = run_json(&["backup", "--data", folder, "--json"]);
    assert_eq!(status, 0, "{by_hand:#}");
    let backup = by_hand["backup"].as_str().unwrap();
    server.answer(&lead(2));
    let restore = ["restore", backup, "--data", folder, "--force", "--json"];
    let (status, refused) = run_json(&restore);
    assert_eq!((status, &refused["error"]["code"]), (1, &json!("in_use")));
    server.kill();
    let (status, restored) = run_json(&restore);
    assert_eq!(status, 0, "{restored:#}");
    let (_, leads) = run_json(&["leads", "list", "--data", folder, "--json"]);
    assert_eq!(leads["counts"]["leads"], 1, "{leads:#}");
    let server = serve(data.path(), &config);
    let again = server.answer(&lead(1));
    assert_eq!(
        again["data"]["lead_id"], leads["leads"][0]["lead_id"],
        "the hash key came back too: the repeat is known"
    );
}

#[test]
fn a_backup_that_is_killed_leaves_no_half_one() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    drop(Server::demo(data.path()));
    let backups = data.path().join("backups");
    let target = backups.to_str().unwrap();
    for wait in [0, 2, 5, 10, 20, 40] {
        let mut child = program(&["backup", target, "--data", folder])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        // It may have ended already.
        let _ = child.kill();
        child.wait().unwrap();
        for entry in std::fs::read_dir(&backups).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with("forecourt-") {
                forecourt::backup::verify(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
    }
    let (status, _) = run_json(&["backup", target, "--data", folder, "--json"]);
    assert_eq!(status, 0);
    let left: Vec<_> = std::fs::read_dir(&backups)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".partial"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_certificate_that_cannot_be_served_is_named_before_the_server_starts() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let config = format!("[tls]\ncert_file = \"chain.pem\"\nkey_file = \"key.pem\"\n{ONE}");
    write(data.path(), &config);
    for command in [&["config", "check"][..], &["serve"]] {
        let args = [command, &["--data", folder, "--listen", "127.0.0.1:0"]].concat();
        let args = if command[0] == "serve" {
            args
        } else {
            args[..4].to_vec()
        };
        let output = run(&args);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("tls.cert_file") && said.contains("line 2"),
            "{said}"
        );
    }
    // Commands that need no certificate do not read it.
    let (status, _) = run_json(&["key", "list", "--data", folder, "--json"]);
    assert_eq!(status, 2, "there is no database");
    let output = run(&["card", "--data", folder]);
    assert!(output.status.success());
    let card: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        card["supportedInterfaces"][0]["url"],
        "https://127.0.0.1:8080/a2a"
    );
}

#[test]
fn a_card_is_printed_without_making_a_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ONE);
    let output = program(&["card"])
        .env("FORECOURT_DATA", "")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "an empty variable counts as none");
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn one_dealer_of_several_can_be_served_alone() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    write(data.path(), &format!("{ONE}{SOUTH}"));
    let server = Server::start(&["serve", "--data", folder, "--dealer", "south"]);
    assert_eq!(get(&server, "/.well-known/agent-card.json").0, 200);
    assert_eq!(
        get(&server, "/dealers/north/.well-known/agent-card.json").0,
        404
    );
    let unknown = run(&["serve", "--data", folder, "--dealer", "east"]);
    assert_eq!(unknown.status.code(), Some(2));
}
