//! What the dealer agent refuses, beyond what validation alone can see.

use serde_json::{Value, json};

use crate::support::{Server, envelope, lead, request};

fn demo() -> (tempfile::TempDir, Server) {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    (data, server)
}

fn post(server: &Server, body: &str) -> Value {
    let headers = [("Content-Type", "application/json")];
    let (status, reply) = request(&server.address, "POST", "/a2a", &headers, body).unwrap();
    assert_eq!(status, 200, "{reply}");
    serde_json::from_str(&reply).unwrap()
}

/// Code, and place and keyword of each problem, of an AAP error.
fn refusal(reply: &Value) -> (String, Vec<(String, String)>) {
    let error = &reply["error"]["data"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let problems = error["details"]["errors"].as_array();
    let problems = problems.unwrap_or_else(|| panic!("no problems are listed: {reply:#}"));
    let places = problems
        .iter()
        .map(|problem| {
            (
                text(&problem["instanceLocation"]),
                text(&problem["keyword"]),
            )
        })
        .collect();
    (text(&error["code"]), places)
}

fn one(place: &str, keyword: &str) -> Vec<(String, String)> {
    vec![(place.to_owned(), keyword.to_owned())]
}

#[test]
fn what_no_reader_can_take_is_named_where_it_stands() {
    let (_data, server) = demo();
    let search = json!({ "type": "inventory.search.request", "filters": { "price_max": 41 } });
    for (unreadable, place) in [
        ("1e400", "/filters/price_max"),
        (r#""\ud800""#, "/filters/price_max"),
    ] {
        let body = envelope(&search).to_string().replace("41", unreadable);
        assert_eq!(
            refusal(&post(&server, &body)),
            ("SCHEMA_VALIDATION_FAILED".to_owned(), one(place, "type"))
        );
    }
    let body = envelope(&lead(1)).to_string();
    let body = body.replace(
        r#""idempotency_key""#,
        r#""message":1e400,"idempotency_key""#,
    );
    assert_eq!(
        refusal(&post(&server, &body)),
        (
            "SCHEMA_VALIDATION_FAILED".to_owned(),
            one("/message", "type")
        )
    );
}

#[test]
fn a_first_part_that_cannot_be_read_whole_is_still_the_request() {
    let (_data, server) = demo();
    let mut body = envelope(&json!({ "type": "inventory.search.request", "n": 41 }));
    let parts = body["params"]["message"]["parts"].as_array_mut().unwrap();
    parts.push(json!({ "data": { "type": "dealer.information.request" } }));
    let body = body.to_string().replace("41", "1e400");
    assert_eq!(refusal(&post(&server, &body)).1, one("/n", "type"));
}

#[test]
fn a_message_cannot_continue_a_task_that_never_was() {
    let (_data, server) = demo();
    let mut body = envelope(&json!({ "type": "dealer.information.request" }));
    body["params"]["message"]["taskId"] = json!("task-7");
    assert_eq!(post(&server, &body.to_string())["error"]["code"], -32001);
    body["params"]["message"]["taskId"] = json!("");
    assert!(post(&server, &body.to_string())["result"].is_object());
}

#[test]
fn a_test_drive_of_an_unknown_vehicle_says_which_identifiers_failed() {
    let (_data, server) = demo();
    let mut asked = lead(1);
    asked["appointment"] = json!({ "appointment_type": "test_drive" });
    asked["vehicle_of_interest"] = json!({ "stock": "NO-SUCH", "vehicle_id": " " });
    assert_eq!(
        refusal(&server.call(&asked)),
        (
            "VEHICLE_NOT_FOUND".to_owned(),
            one("/vehicle_of_interest/stock", "unknown")
        )
    );
    asked["vehicle_of_interest"] = json!({ "stock": "", "make": "Honda" });
    let answer = server.answer(&asked);
    assert_eq!(answer["data"]["status"], "received", "{answer:#}");
    let message = answer["message"].as_str().unwrap();
    assert!(!message.contains("not in our stock list"), "{message}");
}

#[test]
fn a_key_of_another_payload_is_the_problem() {
    let (_data, server) = demo();
    let mut sent = lead(1);
    server.answer(&sent);
    sent["message"] = json!("Another one");
    assert_eq!(
        refusal(&server.call(&sent)),
        (
            "IDEMPOTENCY_CONFLICT".to_owned(),
            one("/idempotency_key", "conflict")
        )
    );
}
