//! The server as buyers' agents meet it: the demo, several dealers, refusals, stopping.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Server, envelope, eventually, program, request, run, run_json};

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn the_examples_of_the_readme_are_answered_as_printed() {
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md"))
            .unwrap();
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let mut types = Vec::new();
    for command in readme.split("curl -s http://127.0.0.1:8080/a2a").skip(1) {
        let body = command.split('\'').nth(5).unwrap();
        let (status, reply) = request(
            &server.address,
            "POST",
            "/a2a",
            &[JSON, ("A2A-Version", "1.0")],
            body,
        )
        .unwrap();
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(status, 200);
        assert!(reply.get("error").is_none(), "{body}\n{reply:#}");
        let payload = &reply["result"]["message"]["parts"][0]["data"];
        types.push(payload["type"].as_str().unwrap().to_owned());
        if payload["type"] == "inventory.search.response" {
            assert!(payload["data"]["total"].as_u64() > Some(0), "{payload:#}");
        }
    }
    assert_eq!(
        types,
        [
            "dealer.information.response",
            "inventory.facets.response",
            "inventory.search.response",
            "inventory.vehicle.response",
            "lead.submit.response",
        ]
    );
}

#[test]
fn the_demo_keeps_its_card_identity_and_its_leads_over_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let card = |address: &str| -> Value {
        let (status, body) =
            request(address, "GET", "/.well-known/agent-card.json", &[], "").unwrap();
        assert_eq!(status, 200);
        serde_json::from_str(&body).unwrap()
    };
    let config = data.path().join("fixed.toml");
    let text = format!(
        "public_url = \"https://agent.demo.example\"\n{}",
        forecourt::demo::CONFIGURATION
    );
    std::fs::write(&config, &text).unwrap();
    let serve = |config: &Path| {
        Server::start(&[
            "serve",
            "--data",
            folder,
            "--config",
            config.to_str().unwrap(),
        ])
    };
    let params = |card: &Value| card["capabilities"]["extensions"][0]["params"]["id"].clone();
    let first = serve(&config);
    let card_before = card(&first.address);
    drop(first);
    let second = serve(&config);
    assert_eq!(card(&second.address), card_before);
    drop(second);
    std::fs::write(
        &config,
        text.replace("Demo Motors\"", "Demo Motors Group\""),
    )
    .unwrap();
    let third = serve(&config);
    let card_after = card(&third.address);
    assert_ne!(
        params(&card_after),
        params(&card_before),
        "a changed card has a new identity"
    );
    assert_eq!(
        card_before["supportedInterfaces"][0]["url"],
        "https://agent.demo.example/a2a"
    );
}

#[test]
fn several_dealers_are_told_apart_by_host_and_by_path() {
    let data = tempfile::tempdir().unwrap();
    let config = data.path().join("forecourt.toml");
    std::fs::write(
        &config,
        r#"
        [dealers.north]
        name = "North Cars"
        hosts = ["north.example"]
        rooftops = { "North" = {} }
        [dealers.south]
        name = "South Cars"
        skills = ["dealer.information"]
        rooftops = { "South" = {} }
        "#,
    )
    .unwrap();
    let server = Server::start(&["serve", "--data", data.path().to_str().unwrap()]);
    let ask = envelope(&json!({ "type": "dealer.information.request" })).to_string();
    let name = |path: &str, host: &str| {
        let headers = [JSON, ("Host", host)];
        let (status, body) = request(&server.address, "POST", path, &headers, &ask).unwrap();
        let body: Value = serde_json::from_str(&body).unwrap();
        let name = &body["result"]["message"]["parts"][0]["data"]["data"]["name"];
        (status, name.as_str().map(str::to_owned))
    };
    let north = (200, Some("North Cars".to_owned()));
    let south = (200, Some("South Cars".to_owned()));
    assert_eq!(name("/a2a", "north.example"), north);
    assert_eq!(name("/a2a", "NORTH.example:8080"), north);
    assert_eq!(name("/a2a", "north.example."), north);
    assert_eq!(name("http://north.example/a2a", "unknown.example"), north);
    assert_eq!(name("/dealers/south/a2a", "anything.example"), south);
    assert_eq!(name("/dealers/so%75th/a2a", "anything.example"), south);
    assert_eq!(name("/dealers/%ff/a2a", "north.example").0, 404);
    assert_eq!(name("/dealers/south/a2a/", "north.example"), south);
    assert_eq!(name("/a2a", "unknown.example").0, 404);
    assert_eq!(name("/dealers/east/a2a", "north.example").0, 404);

    let url = |path: &str, host: &str| -> Value {
        let (status, body) = request(&server.address, "GET", path, &[("Host", host)], "").unwrap();
        assert_eq!(status, 200, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["supportedInterfaces"][0]["url"].clone()
    };
    assert_eq!(
        url("/.well-known/agent-card.json", "north.example"),
        "https://north.example/a2a"
    );
    let by_path = url("/dealers/south/.well-known/agent-card.json", "x.example");
    assert_eq!(
        by_path,
        format!("http://{}/dealers/south/a2a", server.address)
    );

    for unserved in ["inventory.search.request", "parts.order.request"] {
        let search = envelope(&json!({ "type": unserved })).to_string();
        let (_, body) = request(
            &server.address,
            "POST",
            "/dealers/south/a2a",
            &[JSON],
            &search,
        )
        .unwrap();
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["error"]["code"], -32601);
        assert_eq!(body["error"]["data"]["code"], "UNSUPPORTED_SKILL");
        assert_eq!(
            body["error"]["data"]["details"]["errors"][0]["error"],
            "send one of dealer.information.request"
        );
    }
}

#[test]
fn stock_that_another_process_imports_is_served() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    std::fs::write(
        data.path().join("forecourt.toml"),
        "[dealers.one]\nname = \"One\"\n[dealers.one.rooftops.Main]\n",
    )
    .unwrap();
    let feed = data.path().join("feed.csv");
    std::fs::write(
        &feed,
        "VIN,Stock,Year,Make,Model,Price\n1HGCM82633A004352,S1,2003,Honda,Accord,9000\n",
    )
    .unwrap();
    let server = Server::start(&["serve", "--data", folder]);
    let total =
        || server.answer(&json!({ "type": "inventory.search.request" }))["data"]["total"].clone();
    assert_eq!(total(), 0);
    let (status, report) =
        run_json(&["import", feed.to_str().unwrap(), "--data", folder, "--json"]);
    assert_eq!(
        (status, &report["run"]["added"]),
        (0, &json!(1)),
        "{report:#}"
    );
    eventually("the server takes the new stock over", || total() == 1);
    std::fs::write(&feed, "<html><body>502 Bad Gateway</body></html>").unwrap();
    let (status, report) =
        run_json(&["import", feed.to_str().unwrap(), "--data", folder, "--json"]);
    assert_eq!(
        (status, &report["kept_last_good"]),
        (1, &json!(true)),
        "{report:#}"
    );
    let (_, stock) = run_json(&["vehicles", "list", "--data", folder, "--json"]);
    assert_eq!(stock["total"], 1);
    let price = &stock["vehicles"][0];
    assert_eq!(
        (price.get("price"), &price["list_price"]),
        (None, &json!(9000))
    );
}

#[test]
fn a_termination_signal_ends_the_server_cleanly() {
    let data = tempfile::tempdir().unwrap();
    assert!(Server::demo(data.path()).terminate().success());
}

#[test]
fn logs_hold_no_personal_data() {
    let data = tempfile::tempdir().unwrap();
    let log = data.path().join("log");
    let mut server = Server::spawn(
        program(&["serve", "--demo", "--data", data.path().to_str().unwrap()])
            .env("FORECOURT_LOG", "trace")
            .stderr(std::fs::File::create(&log).unwrap()),
    );
    let mut lead = crate::support::lead(1);
    lead["customer"]["phone"] = json!("+12175559876");
    lead["customer"]["last_name"] = json!("Quillfeather");
    let (status, _) = crate::support::send(&server.address, &lead).unwrap();
    assert_eq!(status, 200);
    lead["customer"]["phone"] = json!("not-a-number-Quillfeather");
    crate::support::send(&server.address, &lead).unwrap();
    server.kill();
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("lead answered"), "{log}");
    for personal in ["Quillfeather", "2175559876", "buyer-1@example.com"] {
        assert!(!log.contains(personal), "the log holds {personal}");
    }
}

#[test]
fn without_a_configuration_the_way_forward_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let output = program(&["serve"])
        .current_dir(empty.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("forecourt init"), "{said}");
    assert_eq!(run(&["serve", "--nonsense"]).status.code(), Some(2));
}
