//! What is answered to which envelope, method and parameters, and in which order faults are found.

use std::sync::atomic::Ordering;

use a2a::method::Method;
use a2a_server::jsonrpc::Options;

use crate::bindings::both_versions;
use crate::client::{Connection, Reply, exchange, post};
use crate::start::{Server, VERSION, call, send_message, start};

async fn answer(server: &Server, headers: &[&str], body: &str) -> Reply {
    exchange(server.address, &post("/a2a", headers, body)).await
}

#[tokio::test]
async fn a_direct_answer_keeps_every_number() {
    let server = start(Options::default());
    let body = r#"{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER",
        "parts":[{"data":{"a":9007199254740993,"b":23500,"c":1.0,"d":1e2,"e":"é"}}]}}}"#;
    let reply = answer(&server, &[VERSION, "Content-Type: application/json"], body).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(
        reply.body,
        r#"{"jsonrpc":"2.0","id":7,"result":{"message":{"messageId":"answer","role":"ROLE_AGENT","parts":[{"data":{"a":9007199254740993,"b":23500,"c":1.0,"d":1e2,"e":"é"}}]}}}"#
    );
}

#[tokio::test]
async fn ids_are_echoed_byte_for_byte() {
    let server = start(Options::default());
    let mut connection = Connection::open(server.address).await;
    for id in [
        "0",
        "-1",
        "9007199254740993",
        r#""""#,
        r#""\u00e9 é""#,
        "null",
    ] {
        for text in ["hello", "refuse", "panic"] {
            connection
                .send(post("/a2a", &[VERSION], &send_message(id, text)))
                .await;
            let reply = connection.reply().await.unwrap();
            let start = format!(r#"{{"jsonrpc":"2.0","id":{id},""#);
            assert!(reply.body.starts_with(&start), "{}", reply.body);
        }
        let unknown = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"Sell"}}"#);
        connection.send(post("/a2a", &[VERSION], &unknown)).await;
        let reply = connection.reply().await.unwrap();
        assert!(
            reply
                .body
                .starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error""#))
        );
    }
    for id in ["true", "1.5", "[1]"] {
        connection
            .send(post("/a2a", &[VERSION], &send_message(id, "hello")))
            .await;
        let reply = connection.reply().await.unwrap();
        assert_eq!(reply.error().0, -32600, "{id}");
        assert!(reply.json()["id"].is_null());
    }
}

#[tokio::test]
async fn every_operation_is_answered_with_its_own_error() {
    let server = start(Options::default());
    for method in Method::all().filter(|method| *method != Method::SendMessage) {
        let reply = answer(&server, &[VERSION], &call(method.name())).await;
        let push = method.name().contains("PushNotification");
        let (code, message) = reply.error();
        assert_eq!(reply.status, 200);
        assert_eq!(
            code,
            if push { -32003 } else { -32004 },
            "{}",
            method.name()
        );
        assert!(push || message.contains(method.name()), "{message}");
        assert_eq!(
            reply.json()["error"]["data"][0]["domain"],
            "a2a-protocol.org"
        );
    }
    let (code, message) = answer(&server, &[VERSION], &call("Sell")).await.error();
    assert_eq!(
        (code, message.as_str()),
        (-32601, r#"there is no method "Sell""#)
    );
}

#[tokio::test]
async fn methods_of_0_3_are_told_what_to_call() {
    let server = start(Options::default());
    for headers in [&[VERSION][..], &[]] {
        let (code, message) = answer(&server, headers, &call("message/send"))
            .await
            .error();
        assert_eq!(code, -32009);
        assert!(
            message.contains("call SendMessage with A2A-Version: 1.0"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn faulty_bodies_and_envelopes_are_answered_in_an_envelope() {
    let server = start(Options::default());
    for (body, code) in [
        ("{", -32700),
        ("", -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","method":"SendMessage"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage"}"#, -32602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":[]}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":7}"#,
            -32602,
        ),
    ] {
        let reply = answer(&server, &[VERSION], body).await;
        assert_eq!((reply.status, reply.error().0), (200, code), "{body}");
        assert_eq!(reply.json()["jsonrpc"], "2.0");
    }
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}1{}}}"#,
        "[".repeat(64),
        "]".repeat(64)
    );
    let (code, message) = answer(&server, &[VERSION], &deep).await.error();
    assert_eq!(code, -32700);
    assert!(message.contains("64 levels"), "{message}");
    assert_eq!(server.agent.called.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_missing_id_is_told_after_method_and_parameters_where_0_3_is_served() {
    let (only_1_0, both) = (start(Options::default()), start(both_versions()));
    let sound = r#"{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"a"}]}}"#;
    for (method, params, code) in [
        ("message/sell", "{}", -32601),
        ("message/send", r#"{"":"nothing"}"#, -32602),
        ("message/send", sound, -32600),
        ("SendMessage", "{}", -32602),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        let reply = answer(&both, &[VERSION], &body).await;
        assert_eq!((reply.status, reply.error().0), (200, code), "{body}");
        assert!(reply.json()["id"].is_null());
        let reply = answer(&only_1_0, &[VERSION], &body).await;
        assert_eq!(reply.error().0, -32600, "{body}");
    }
    // What is sound but for its id is not carried out.
    assert_eq!(both.agent.called.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn faults_of_parameters_come_all_at_once() {
    let server = start(Options::default());
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"user","parts":[{"text":"a","data":1}]}}}"#;
    let reply = answer(&server, &[VERSION], body).await;
    assert_eq!(reply.error().0, -32602);
    let violations = reply.json()["error"]["data"][0]["fieldViolations"].clone();
    let fields: Vec<&str> = violations
        .as_array()
        .unwrap()
        .iter()
        .map(|violation| violation["field"].as_str().unwrap())
        .collect();
    assert_eq!(
        fields,
        ["message.role", "message.parts[0]", "message.messageId"]
    );
}

/// Each request has every fault from one check on; the first check answers.
#[tokio::test]
async fn checks_come_in_order() {
    let mut options = Options::default();
    options.body_limit = 400;
    options.required_extensions = vec!["urn:required".to_owned()];
    let server = start(options);
    let long = " ".repeat(400);
    let wrong = "A2A-Version: 9.9";
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{}}}"#;
    let extension = "A2A-Extensions: urn:required";
    for (headers, body, code) in [
        (vec![wrong], format!("{{{long}"), -32600),
        (vec![wrong], "{".to_owned(), -32700),
        (
            vec![wrong],
            r#"{"id":1,"method":"Sell","params":{}}"#.to_owned(),
            -32600,
        ),
        (vec![wrong], call("Sell"), -32601),
        (vec![wrong], call("GetTask"), -32004),
        (vec![wrong], request.to_owned(), -32009),
        (vec![VERSION], request.to_owned(), -32008),
        (vec![VERSION, extension], request.to_owned(), -32602),
    ] {
        assert_eq!(
            answer(&server, &headers, &body).await.error().0,
            code,
            "{body}"
        );
    }
    let reply = answer(&server, &[VERSION, extension], &send_message("1", "hello")).await;
    assert!(reply.json()["result"].is_object(), "{reply:?}");
}

#[tokio::test]
async fn an_agents_error_is_answered_as_it_is() {
    let server = start(Options::default());
    let reply = answer(&server, &[VERSION], &send_message("1", "refuse")).await;
    assert_eq!(
        reply.body,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"not today"}}"#
    );
}

#[tokio::test]
async fn a_panic_is_answered_and_does_no_harm() {
    let server = start(Options::default());
    let mut connection = Connection::open(server.address).await;
    connection
        .send(post("/a2a", &[VERSION], &send_message("1", "panic")))
        .await;
    let reply = connection.reply().await.unwrap();
    let (code, message) = reply.error();
    assert_eq!(code, -32603);
    assert!(
        message.starts_with("internal error; it is logged as "),
        "{message}"
    );
    assert!(!reply.body.contains("secret"));
    connection
        .send(post("/a2a", &[VERSION], &send_message("2", "hello")))
        .await;
    assert_eq!(connection.reply().await.unwrap().json()["id"], 2);
}
