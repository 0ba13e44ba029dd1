use axum::routing::{any, get};
use tower::ServiceExt as _;

use super::*;

/// A server that answers every call with the same payload.
fn routes() -> Router {
    let answer = json!({
        "jsonrpc": "2.0",
        "id": 7,
        "result": { "message": { "messageId": "d", "role": "ROLE_AGENT", "parts": [
            { "data": { "type": "inventory.search.response", "data": { "total": 0, "vehicles": [] } } },
        ] } },
    });
    let card = get(async || "card");
    let calls = any(async move || json_answer(answer.to_string()));
    Router::new()
        .route("/.well-known/agent-card.json", card)
        .route("/dealers/north/a2a", calls.clone())
        .route("/preview/aap-2.0/a2a", calls.clone())
        .route("/a2a", calls)
}

fn faulty(faults: &[Fault]) -> Router {
    let now = "2026-05-01T12:00:00Z".parse().unwrap();
    Faults::new(faults.to_vec(), Clock::manual(now)).over(routes())
}

fn search() -> Value {
    json!({ "type": "inventory.search.request" })
}

fn body_of(payload: &Value) -> String {
    json!({
        "jsonrpc": "2.0",
        "id": 7,
        "method": "SendMessage",
        "params": { "message": { "messageId": "m", "role": "ROLE_USER", "parts": [
            { "text": "please" }, { "data": payload },
        ] } },
    })
    .to_string()
}

async fn post(routes: &Router, path: &str, body: String) -> String {
    let request = Request::post(path).body(Body::from(body)).unwrap();
    let response = routes.clone().oneshot(request).await.unwrap();
    let body = to_bytes(response.into_body(), BODY_LIMIT).await.unwrap();
    String::from_utf8(body.to_vec()).unwrap()
}

async fn call(routes: &Router, payload: &Value) -> Value {
    let body = post(routes, "/a2a", body_of(payload)).await;
    serde_json::from_str(&body).unwrap()
}

/// The AAP code of the refusal, or nothing for an answer.
fn code(reply: &Value) -> Option<&str> {
    reply.pointer("/error/data/code").and_then(Value::as_str)
}

#[tokio::test]
async fn an_error_is_retryable_and_carries_the_id_of_the_call() {
    let reply = call(&faulty(&[Fault::Error]), &search()).await;
    assert_eq!(reply["id"], 7);
    assert_eq!(reply["error"]["code"], -32603);
    assert_eq!(code(&reply), Some("INTERNAL_ERROR"));
    assert_eq!(reply["error"]["data"]["retryable"], true);
    assert_eq!(reply["error"]["data"]["created_at"], "2026-05-01T12:00:00Z");
}

#[tokio::test]
async fn the_draft_gets_its_own_form_of_error() {
    let routes = faulty(&[Fault::RateLimited]);
    let body = post(&routes, "/preview/aap-2.0/a2a", body_of(&search())).await;
    let reply: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(reply["error"]["code"], -32000);
    assert_eq!(reply["error"]["data"][0]["reason"], "RATE_LIMITED");
    let error = AapError::from_data(&reply["error"]["data"])
        .unwrap()
        .unwrap();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
}

#[tokio::test]
async fn a_rate_limit_gives_every_third_call_its_answer() {
    let routes = faulty(&[Fault::RateLimited]);
    for _ in 0..2 {
        for expected in [Some("RATE_LIMITED"), Some("RATE_LIMITED"), None] {
            let reply = call(&routes, &search()).await;
            assert_eq!(code(&reply), expected);
        }
    }
}

#[tokio::test]
async fn only_the_vehicle_is_gone() {
    let routes = faulty(&[Fault::Gone]);
    let vin = json!({ "vin": "1HGCY2F57RA000001" });
    let stock = json!({ "stock": "N-1" });
    let vehicle = |which: &Value| {
        let mut payload = which.clone();
        payload["type"] = "inventory.vehicle.request".into();
        payload
    };
    let lead = |appointment: &str| {
        json!({
            "type": "lead.submit.request",
            "vehicle_of_interest": stock,
            "appointment": { "appointment_type": appointment },
        })
    };
    for (payload, expected) in [
        (search(), None),
        (vehicle(&vin), Some("VEHICLE_UNAVAILABLE")),
        (vehicle(&stock), Some("VEHICLE_NOT_FOUND")),
        (lead("test_drive"), Some("VEHICLE_NOT_FOUND")),
        (lead("sales"), None),
    ] {
        let reply = call(&routes, &payload).await;
        assert_eq!(code(&reply), expected, "{payload}");
    }
}

#[tokio::test]
async fn malformed_answers_are_of_four_kinds_in_turn() {
    let routes = faulty(&[Fault::Malformed]);
    for _ in 0..2 {
        let cut = post(&routes, "/a2a", body_of(&search())).await;
        assert!(cut.starts_with('{') && serde_json::from_str::<Value>(&cut).is_err());
        let page = post(&routes, "/dealers/north/a2a", body_of(&search())).await;
        assert!(page.starts_with("<!doctype html>"), "{page}");
        let other = call(&routes, &search()).await;
        assert_ne!(other["id"], 7);
        assert!(other["result"].is_object());
        let broken = call(&routes, &search()).await;
        assert_eq!(broken["id"], 7);
        let payload = &broken["result"]["message"]["parts"][0]["data"];
        assert_eq!(payload["type"], "inventory.search.response");
        assert_eq!(payload["data"], "broken");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_is_the_right_one() {
    let begin = tokio::time::Instant::now();
    let reply = call(&faulty(&[Fault::Slow]), &search()).await;
    assert_eq!(begin.elapsed(), SLOW);
    assert_eq!(reply["id"], 7);
    assert!(reply["result"].is_object());
}

#[tokio::test]
async fn several_faults_take_turns() {
    let routes = faulty(&[Fault::Error, Fault::RateLimited]);
    for expected in [
        Some("INTERNAL_ERROR"),
        Some("RATE_LIMITED"),
        Some("INTERNAL_ERROR"),
        Some("RATE_LIMITED"),
        Some("INTERNAL_ERROR"),
        None,
    ] {
        assert_eq!(code(&call(&routes, &search()).await), expected);
    }
}

#[tokio::test]
async fn what_is_no_call_is_left_alone() {
    let routes = faulty(&[Fault::Error]);
    let card = Request::get("/.well-known/agent-card.json");
    let card = card.body(Body::empty()).unwrap();
    let response = routes.clone().oneshot(card).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    for no_call in [
        "{",
        "[]",
        r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage"}"#,
    ] {
        let reply = post(&routes, "/a2a", no_call.to_owned()).await;
        assert!(reply.contains("result"), "the server answers: {reply}");
    }
    let untouched = Faults::new(Vec::new(), Clock::system()).over(self::routes());
    assert_eq!(code(&call(&untouched, &search()).await), None);
}
