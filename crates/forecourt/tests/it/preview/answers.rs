//! What is answered and how it is refused, beside the same of AAP 1.3.

use std::collections::BTreeSet;

use aap::Profile;
use serde_json::{Value, json};
use testkit::contract::draft_contract;

use super::{RELEASED, code, demo, protocol_error, question};
use crate::profiles::{Caller, DRAFT, DRAFT_HEADERS, PREVIEW, aap_error, post};

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
