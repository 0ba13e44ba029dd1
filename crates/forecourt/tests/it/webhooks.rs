//! Push notifications that a receiver did not take.

use serde_json::json;
use testkit::webhook::WebhookSink;

use crate::{
    catalogs::{command, key, site},
    support::{Server, eventually, request},
};

const SITE: &str = r#"
    [dealers.main]
    name = "Main Cars"
    rooftops = { "Main" = {} }
    [catalogs.garden]
    name = "Garden House"
    [outgoing]
    allow = ["127.0.0.0/8"]
"#;

/// Asks the catalog's analyst, which tells the sink what happens.
fn ask(server: &Server, key: &str, sink: &WebhookSink) {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {
        "message": { "parts": [{ "kind": "text", "text": "What is in my catalog?" }] },
        "configuration": { "pushNotificationConfig": { "id": "the hook/1", "url": sink.url("/told") } },
    } });
    let authorization = format!("Bearer {key}");
    let headers = [
        ("Content-Type", "application/json"),
        ("Authorization", &authorization),
    ];
    let path = "/catalogs/garden/analyst";
    let (status, answer) =
        request(&server.address, "POST", path, &headers, &body.to_string()).unwrap();
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("\"completed\""), "{answer}");
}

#[test]
fn a_notification_that_was_given_up_is_listed_and_sent_once_more() {
    let folder = site(SITE);
    let data = folder.path();
    let key = key(data, ["--catalog", "garden"], "analyst");
    let server = Server::start(&["serve", "--data", data.to_str().unwrap()]);
    let sink = WebhookSink::start();
    // A receiver that refuses for good is not tried again.
    sink.answer_next(400);
    ask(&server, &key, &sink);
    let listed = |args: &[&str]| command(data, &[&["webhooks", "list"], args].concat()).1;
    eventually("the notification is given up", || listed(&[])["total"] == 1);
    eventually("the others are taken", || {
        let calls = sink.calls();
        let last = calls.last().map(|call| String::from_utf8_lossy(&call.body));
        last.is_some_and(|body| body.contains("completed"))
    });
    let told = sink.calls();

    let found = listed(&["--dealer", "garden"]);
    let letter = &found["given_up"][0];
    assert_eq!(
        (&letter["of"], &found["total"]),
        (&json!("garden"), &json!(1))
    );
    let id = letter["id"].as_str().unwrap();
    assert!(id.ends_with("/the hook/1"), "{id}");
    let reason = letter["reason"].as_str().unwrap();
    assert!(reason.contains("400"), "{reason}");
    assert_eq!(listed(&["--dealer", "main"])["total"], 0);
    assert_eq!(listed(&["--limit", "0"])["given_up"], json!([]));

    // The server goes on while a person resends.
    sink.answer_next(503);
    let (status, said) = command(data, &["webhooks", "resend", id]);
    assert_eq!(
        (status, &said["failed"][0]["id"]),
        (1, &json!(id)),
        "{said:#}"
    );
    assert_eq!(listed(&[])["total"], 1, "it is still there");
    let (status, said) = command(data, &["webhooks", "resend", "--all"]);
    assert_eq!((status, &said["resent"]), (0, &json!([id])), "{said:#}");
    assert_eq!(listed(&[])["total"], 0);
    let calls = sink.calls();
    assert_eq!(calls.len(), told.len() + 2);
    let (first, last) = (&told[0], calls.last().unwrap());
    assert_eq!(last.body, first.body, "it is the same notification");

    let (status, said) = command(data, &["webhooks", "resend", id]);
    assert_eq!(status, 1);
    assert_eq!(said["error"]["code"], "notification_not_found", "{said:#}");
    let (status, said) = command(data, &["webhooks", "list", "--dealer", "nobody"]);
    assert_eq!((status, &said["error"]["code"]), (2, &json!("usage")));
}
