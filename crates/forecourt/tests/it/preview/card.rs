//! The preview's card, where it lies, and the setting that turns it on.

use std::path::Path;

use aap::Profile;
use serde_json::Value;
use testkit::contract::draft_contract;

use super::{demo, question};
use crate::{
    profiles::{DRAFT, DRAFT_HEADERS, PREVIEW, aap_error, post},
    support::{Server, exchange, run},
};

#[test]
fn each_profile_has_a_card_of_its_own() {
    let (_data, server) = demo();
    let path = format!("{PREVIEW}/.well-known/agent-card.json");
    let card = |path: &str| {
        let reply = exchange(&server.address, "GET", path, &[], "").unwrap();
        assert_eq!(reply.status, 200);
        reply.json()
    };
    let (preview, released) = (card(&path), card("/.well-known/agent-card.json"));
    let [extension] = preview["capabilities"]["extensions"]
        .as_array()
        .unwrap()
        .as_slice()
    else {
        panic!("one extension: {preview:#}");
    };
    assert_eq!(extension["uri"], DRAFT);
    assert_eq!(extension["required"], true);
    assert_eq!(
        preview["supportedInterfaces"][0]["url"],
        format!("http://{}{PREVIEW}/a2a", server.address)
    );
    for capability in ["streaming", "pushNotifications", "extendedAgentCard"] {
        assert_eq!(preview["capabilities"][capability], false);
    }
    assert!(!released.to_string().contains("draft"), "{released:#}");
    let id = |card: &Value| card["capabilities"]["extensions"][0]["params"]["id"].clone();
    assert_ne!(id(&preview), id(&released));
    assert_eq!(card(&path), preview);
}

fn configuration(settings: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forecourt.toml");
    let dealers = r#"
        [dealers.north]
        name = "North Cars"
        hosts = ["north.example"]
        rooftops = { "North" = {} }
        [dealers.south]
        name = "South Cars"
        rooftops = { "South" = {} }
        "#;
    std::fs::write(&file, format!("{settings}{dealers}")).unwrap();
    (folder, file)
}

#[test]
fn without_the_setting_there_is_no_preview() {
    let (folder, _file) = configuration("");
    let server = Server::start(&["serve", "--data", folder.path().to_str().unwrap()]);
    for base in ["", "/dealers/south"] {
        let headers = [("Host", "north.example")];
        let card = format!("{base}{PREVIEW}/.well-known/agent-card.json");
        let reply = exchange(&server.address, "GET", &card, &headers, "").unwrap();
        assert_eq!(reply.status, 404, "{reply:?}");
        let path = format!("{base}{PREVIEW}/a2a");
        let headers = [&DRAFT_HEADERS[..], &headers].concat();
        assert_eq!(post(&server, &path, &headers, &question()).status, 404);
    }
}

#[test]
fn every_dealer_has_the_preview_by_host_and_by_path() {
    let (folder, _file) = configuration("[aap]\npreview = \"2.0-draft\"\n");
    let server = Server::start(&["serve", "--data", folder.path().to_str().unwrap()]);
    for (base, host, url, name) in [
        (
            "",
            "north.example",
            format!("https://north.example{PREVIEW}/a2a"),
            "North Cars",
        ),
        (
            "/dealers/south",
            "any.example",
            format!("http://{}/dealers/south{PREVIEW}/a2a", server.address),
            "South Cars",
        ),
    ] {
        let card = format!("{base}{PREVIEW}/.well-known/agent-card.json");
        let card = exchange(&server.address, "GET", &card, &[("Host", host)], "").unwrap();
        assert_eq!(card.json()["supportedInterfaces"][0]["url"], url);
        let headers = [&DRAFT_HEADERS[..], &[("Host", host)]].concat();
        for path in ["/a2a", "/a2a/"] {
            let path = format!("{base}{PREVIEW}{path}");
            let reply = post(&server, &path, &headers, &question()).json();
            let data = &reply["result"]["message"]["parts"][0]["data"]["data"];
            assert_eq!(data["name"], name);
        }
    }
}

#[test]
fn the_preview_needs_an_address_that_its_card_may_name() {
    let check = |public_url: &str| {
        let (_folder, file) = configuration(&format!(
            "public_url = \"{public_url}\"\n[aap]\npreview = \"2.0-draft\"\n"
        ));
        let output = run(&["config", "check", "--config", file.to_str().unwrap()]);
        let told = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), told)
    };
    assert_eq!(check("https://agents.example:8443/dealers").0, Some(0));
    for address in [
        "http://agents.example",
        "http://10.0.0.7:8080",
        "http://127.0.0.1.example",
    ] {
        let (status, told) = check(address);
        assert_eq!(status, Some(2), "{address}");
        assert!(told.contains("line 3, column 1: aap.preview"), "{told}");
        assert!(told.contains("https"), "{told}");
    }
    let (folder, _file) = configuration("[aap]\npreview = \"2.0-draft\"\n");
    let started = run(&[
        "serve",
        "--data",
        folder.path().to_str().unwrap(),
        "--listen",
        "0.0.0.0:0",
    ]);
    assert_eq!(started.status.code(), Some(2));
}

#[test]
fn the_command_prints_the_card_of_the_preview() {
    let (folder, file) = configuration("[aap]\npreview = \"2.0-draft\"\n");
    let data = folder.path().to_str().unwrap();
    let print = |dealer: &str, more: &[&str]| {
        let file = file.to_str().unwrap();
        run(&[
            &["card", "--data", data, "--config", file, "--dealer", dealer],
            more,
        ]
        .concat())
    };
    let printed = print("south", &["--preview"]);
    let card: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(card["capabilities"]["extensions"][0]["uri"], DRAFT);
    if let Some(contract) = draft_contract() {
        contract.assert_accepts("agent-card.schema.json", &card);
    }
    std::fs::write(
        &file,
        std::fs::read_to_string(&file)
            .unwrap()
            .replace("preview", "#"),
    )
    .unwrap();
    let printed = print("south", &["--preview"]);
    assert_eq!(printed.status.code(), Some(2));
    assert!(
        String::from_utf8(printed.stderr)
            .unwrap()
            .contains("preview")
    );
}

#[test]
fn the_example_of_the_readme_is_refused_in_the_drafts_form() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let at = readme.find("/preview/aap-2.0/a2a").unwrap();
    let body = readme[at..].split('\'').nth(7).unwrap();
    let (_data, server) = demo();
    let body: Value = serde_json::from_str(body).unwrap();
    let reply = post(&server, &format!("{PREVIEW}/a2a"), &DRAFT_HEADERS, &body);
    let error = aap_error(Profile::Draft2, &reply.json());
    assert_eq!(error["code"], "SCHEMA_VALIDATION_FAILED");
}
