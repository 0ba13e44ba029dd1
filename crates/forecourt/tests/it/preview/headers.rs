//! Which headers a request must carry, and when they are looked at.

use serde_json::{Value, json};
use testkit::contract::draft_contract;

use super::{RELEASED, VERSION, ask, code, demo, protocol_error, question};
use crate::{
    profiles::{DRAFT, DRAFT_HEADERS, PREVIEW, post},
    support::{envelope, lead, run},
};

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
