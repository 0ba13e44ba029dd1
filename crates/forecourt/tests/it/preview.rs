//! The rules of the 2.0 draft that AAP 1.3 does not have: headers, errors, media types, the card.

use std::collections::BTreeSet;

use aap::Profile;
use serde_json::{Value, json};
use testkit::contract::draft_contract;

use crate::{
    profiles::{Caller, DRAFT, DRAFT_HEADERS, PREVIEW, aap_error, post},
    support::{Reply, Server, envelope, exchange, lead, run},
};

const VERSION: (&str, &str) = ("A2A-Version", "1.0");
const RELEASED: &str = "https://autoagentprotocol.org/extensions/aap/v1.3";

fn demo() -> (tempfile::TempDir, Server) {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    (data, server)
}

fn question() -> Value {
    envelope(&json!({ "type": "dealer.information.request" }))
}

/// Asks the preview with these headers and nothing beside them.
fn ask(server: &Server, headers: &[(&str, &str)]) -> Reply {
    post(server, &format!("{PREVIEW}/a2a"), headers, &question())
}

/// The JSON-RPC error code, or 0 for an answer.
fn code(reply: &Reply) -> i64 {
    assert_eq!(reply.status, 200, "{reply:?}");
    let reply = reply.json();
    match reply["error"]["code"].as_i64() {
        Some(code) => code,
        None => {
            assert!(reply["result"]["message"].is_object(), "{reply:#}");
            0
        }
    }
}

/// A protocol's error has the form of A2A and carries no AAP error.
fn protocol_error(reply: &Reply, reason: &str) -> Value {
    let error = reply.json()["error"].clone();
    let info = &error["data"][0];
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert_eq!(info["domain"], "a2a-protocol.org");
    assert_eq!(info["reason"], reason);
    assert!(!error.to_string().contains("aap.error"), "{error:#}");
    error
}

#[test]
fn both_headers_are_required_and_the_extension_is_echoed() {
    let (_data, server) = demo();
    let reply = ask(&server, &DRAFT_HEADERS);
    assert_eq!(code(&reply), 0);
    assert_eq!(reply.header("A2A-Extensions"), Some(DRAFT));
}

#[test]
fn an_absent_version_is_refused() {
    let (_data, server) = demo();
    let reply = ask(&server, &[("A2A-Extensions", DRAFT)]);
    assert_eq!(code(&reply), -32009);
    protocol_error(&reply, "VERSION_NOT_SUPPORTED");
}

#[test]
fn an_empty_version_is_0_3_and_refused_like_every_other() {
    let (_data, server) = demo();
    for version in ["", "0.3", "1", "1.1", "2.0", "v1.0"] {
        let headers = [("A2A-Version", version), ("A2A-Extensions", DRAFT)];
        assert_eq!(code(&ask(&server, &headers)), -32009, "{version:?}");
    }
}

#[test]
fn a_patch_number_does_not_matter() {
    let (_data, server) = demo();
    for version in ["1.0.0", "1.0.1", "1.0.42"] {
        let headers = [("A2A-Version", version), ("A2A-Extensions", DRAFT)];
        assert_eq!(code(&ask(&server, &headers)), 0, "{version}");
    }
}

#[test]
fn a_query_parameter_is_no_header() {
    let (_data, server) = demo();
    let path = format!("{PREVIEW}/a2a?A2A-Version=1.0&A2A-Extensions={DRAFT}");
    let ask = |headers| code(&post(&server, &path, headers, &question()));
    assert_eq!(ask(&[("A2A-Extensions", DRAFT)]), -32009);
    assert_eq!(ask(&[VERSION]), -32008);
}

#[test]
fn an_absent_extension_is_refused_in_the_published_words() {
    let (_data, server) = demo();
    let reply = ask(&server, &[VERSION]);
    assert_eq!(code(&reply), -32008);
    assert_eq!(reply.header("A2A-Extensions"), None);
    let error = protocol_error(&reply, "EXTENSION_SUPPORT_REQUIRED");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(DRAFT) && message.contains("A2A-Extensions"));
    if let Some(contract) = draft_contract() {
        let example = contract.example("error-extension-required.jsonrpc.example.json");
        assert_eq!(error["data"], example["error"]["data"]);
    }
}

#[test]
fn the_extension_is_found_in_a_list_and_unknown_members_are_ignored() {
    let (_data, server) = demo();
    for list in [
        format!("urn:other, {DRAFT}"),
        format!("{DRAFT},urn:other"),
        format!(" ,, urn:a ,\t{DRAFT} , urn:b"),
    ] {
        let reply = ask(&server, &[VERSION, ("A2A-Extensions", &list)]);
        assert_eq!(code(&reply), 0, "{list}");
        assert_eq!(reply.header("A2A-Extensions"), Some(DRAFT));
    }
    let lines = [
        VERSION,
        ("A2A-Extensions", "urn:a"),
        ("a2a-extensions", DRAFT),
    ];
    assert_eq!(code(&ask(&server, &lines)), 0);
}

#[test]
fn what_merely_looks_like_the_extension_is_refused() {
    let (_data, server) = demo();
    for other in [
        RELEASED.to_owned(),
        format!("{DRAFT}/"),
        format!("{DRAFT}-2"),
        format!("x{DRAFT}"),
        format!("{DRAFT};v=1"),
        format!("{DRAFT} urn:other"),
        format!("\"{DRAFT}\""),
        format!("<{DRAFT}>"),
        DRAFT.to_uppercase(),
        DRAFT.replace("latest", "v2.0"),
        DRAFT.replace("https:", "http:"),
    ] {
        let reply = ask(&server, &[VERSION, ("A2A-Extensions", &other)]);
        assert_eq!(code(&reply), -32008, "{other}");
    }
    let other_name = [VERSION, ("X-A2A-Extensions", DRAFT)];
    assert_eq!(code(&ask(&server, &other_name)), -32008);
}

#[test]
fn headers_come_after_the_method_and_before_the_parameters() {
    let (_data, server) = demo();
    let path = format!("{PREVIEW}/a2a");
    let ask = |headers: &[_], body: &Value| code(&post(&server, &path, headers, body));
    let unknown = json!({ "jsonrpc": "2.0", "id": 1, "method": "Reserve" });
    assert_eq!(ask(&[], &unknown), -32601);
    let old = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send" });
    assert_eq!(ask(&DRAFT_HEADERS, &old), -32009);
    let faulty = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {} });
    assert_eq!(ask(&[], &faulty), -32009);
    assert_eq!(ask(&[VERSION], &faulty), -32008);
    assert_eq!(ask(&DRAFT_HEADERS, &faulty), -32602);
}

#[test]
fn no_lead_is_taken_without_the_extension() {
    let (data, server) = demo();
    let path = format!("{PREVIEW}/a2a");
    let reply = post(&server, &path, &[VERSION], &envelope(&lead(1)));
    assert_eq!(code(&reply), -32008);
    let folder = data.path().to_str().unwrap();
    let listed = run(&["leads", "list", "--data", folder, "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["counts"]["leads"], 0, "{listed:#}");
}

#[test]
fn undeclared_operations_are_refused_as_a2a_has_it() {
    let (_data, server) = demo();
    for (method, expected, reason) in [
        ("SendStreamingMessage", -32004, "UNSUPPORTED_OPERATION"),
        ("SubscribeToTask", -32004, "UNSUPPORTED_OPERATION"),
        ("GetTask", -32004, "UNSUPPORTED_OPERATION"),
        ("ListTasks", -32004, "UNSUPPORTED_OPERATION"),
        ("CancelTask", -32004, "UNSUPPORTED_OPERATION"),
        ("GetExtendedAgentCard", -32004, "UNSUPPORTED_OPERATION"),
        (
            "CreateTaskPushNotificationConfig",
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        (
            "GetTaskPushNotificationConfig",
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        (
            "ListTaskPushNotificationConfigs",
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        (
            "DeleteTaskPushNotificationConfig",
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
    ] {
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": {} });
        let reply = post(&server, &format!("{PREVIEW}/a2a"), &DRAFT_HEADERS, &body);
        assert_eq!(code(&reply), expected, "{method}");
        protocol_error(&reply, reason);
        assert_eq!(reply.json()["id"], 7);
    }
}

#[test]
fn every_answer_has_a_context_and_keeps_the_callers() {
    let (_data, server) = demo();
    let answered = |context: Option<Value>| {
        let mut body = question();
        if let Some(context) = context {
            body["params"]["message"]["contextId"] = context;
        }
        let reply = post(&server, &format!("{PREVIEW}/a2a"), &DRAFT_HEADERS, &body);
        let message = reply.json()["result"]["message"].clone();
        assert_ne!(message["messageId"], "m-1");
        let context = message["contextId"].as_str();
        context
            .unwrap_or_else(|| panic!("no context: {reply:?}"))
            .to_owned()
    };
    assert_eq!(answered(Some(json!("ctx-7"))), "ctx-7");
    let mut made = [
        answered(None),
        answered(Some(json!(""))),
        answered(Some(Value::Null)),
        answered(None),
    ];
    assert!(made.iter().all(|context| !context.is_empty()));
    made.sort();
    assert!(made.windows(2).all(|pair| pair[0] != pair[1]), "{made:?}");
}

#[test]
fn media_types_are_enforced_by_the_draft_only() {
    let (_data, server) = demo();
    let mut text_only = question();
    text_only["params"]["configuration"] = json!({ "acceptedOutputModes": ["text/plain"] });
    let mut other_part = question();
    other_part["params"]["message"]["parts"][0]["mediaType"] =
        json!("application/vnd.autoagent.lead-submit-request+json");
    for body in [&text_only, &other_part] {
        let reply = post(&server, &format!("{PREVIEW}/a2a"), &DRAFT_HEADERS, body);
        assert_eq!(code(&reply), -32005);
        protocol_error(&reply, "CONTENT_TYPE_NOT_SUPPORTED");
        assert_eq!(code(&post(&server, "/a2a", &[], body)), 0);
    }
    text_only["params"]["configuration"] =
        json!({ "acceptedOutputModes": ["text/plain", "application/json"] });
    let reply = post(
        &server,
        &format!("{PREVIEW}/a2a"),
        &DRAFT_HEADERS,
        &text_only,
    );
    assert_eq!(code(&reply), 0);
    assert_eq!(
        reply.json()["result"]["message"]["parts"][0]["mediaType"],
        "application/vnd.autoagent.dealer-information-response+json"
    );
}

#[test]
fn an_unserved_skill_has_the_number_of_its_profile() {
    let (_data, server) = demo();
    for caller in Caller::each(&server) {
        let reply = caller.call(&json!({ "type": "inventory.reserve.request" }));
        let expected = match caller.profile {
            Profile::V1_3 => -32601,
            Profile::Draft2 => -32004,
        };
        assert_eq!(reply["error"]["code"], expected);
        assert_eq!(
            aap_error(caller.profile, &reply)["code"],
            "UNSUPPORTED_SKILL"
        );
    }
}

#[test]
fn the_released_version_is_served_as_if_there_were_no_preview() {
    let (_data, server) = demo();
    let reply = post(&server, "/a2a", &[], &question());
    assert_eq!(code(&reply), 0);
    let both = format!("{RELEASED}, {DRAFT}");
    let reply = post(&server, "/a2a", &[("A2A-Extensions", &both)], &question());
    assert_eq!(reply.header("A2A-Extensions"), Some(RELEASED));
    assert_eq!(
        code(&post(&server, "/a2a?A2A-Version=0.3", &[], &question())),
        -32009
    );
}

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

/// What an object or array consists of, whatever its texts say.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), shape(value)))
            .collect(),
        Value::Array(elements) => elements.iter().map(shape).collect(),
        Value::String(_) => json!("text"),
        Value::Number(number) => json!(number.is_i64()),
        other => other.clone(),
    }
}

#[test]
fn a_refusal_has_the_shape_of_the_published_example() {
    let Some(contract) = draft_contract() else {
        return;
    };
    let (_data, server) = demo();
    let mut body = contract.example("inventory-search-request.jsonrpc.example.json");
    body["params"]["message"]["parts"][0]["data"]["filters"] =
        json!({ "year_min": "new", "colour": [] });
    let reply = post(&server, &format!("{PREVIEW}/a2a"), &DRAFT_HEADERS, &body);
    let example = contract.example("error-validation.jsonrpc.example.json");
    assert_eq!(shape(&reply.json()), shape(&example));
    assert_eq!(reply.json()["error"]["code"], example["error"]["code"]);
}

#[test]
fn the_published_exchange_is_answered_alike() {
    let Some(contract) = draft_contract() else {
        return;
    };
    let (_data, server) = demo();
    let body = contract.example("inventory-search-request.jsonrpc.example.json");
    let reply = post(&server, &format!("{PREVIEW}/a2a"), &DRAFT_HEADERS, &body);
    let members = |reply: &Value| {
        let message = &reply["result"]["message"];
        let part = &message["parts"][0];
        let names = [reply, &reply["result"], message, part].map(|object| {
            let object = object.as_object().unwrap();
            object.keys().cloned().collect::<BTreeSet<_>>()
        });
        let said = [&message["role"], &part["mediaType"], &part["data"]["type"]].map(Value::clone);
        (names, said)
    };
    let example = contract.example("inventory-search-response.jsonrpc.example.json");
    assert_eq!(members(&reply.json()), members(&example));
    assert_eq!(reply.json()["id"], body["id"]);
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
