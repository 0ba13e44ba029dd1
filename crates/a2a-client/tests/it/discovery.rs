use std::time::Duration;

use a2a_client::{Error, discover};
use serde_json::{Value, json};

use crate::server::{Reply, Server, egress};

pub(crate) fn card(url: &str) -> Value {
    json!({
        "name": "Echo",
        "description": "Says it again.",
        "version": "1",
        "supportedInterfaces": [
            { "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "echo", "name": "Echo", "description": "Echo.", "tags": ["echo"] }],
    })
}

fn card_reply() -> Reply {
    Reply::json(&card("http://agent.example/a2a"))
}

#[tokio::test]
async fn the_card_is_looked_for_below_the_base_url() {
    for (base, path) in [
        ("", "/.well-known/agent-card.json"),
        ("/", "/.well-known/agent-card.json"),
        ("/?page=1#top", "/.well-known/agent-card.json"),
        (
            "/dealers/north",
            "/dealers/north/.well-known/agent-card.json",
        ),
        (
            "/dealers/north/",
            "/dealers/north/.well-known/agent-card.json",
        ),
        ("/cards/echo.json", "/cards/echo.json"),
    ] {
        let server = Server::start(&[(path, card_reply())]).await;
        let found = discover(&egress(), &server.url(base)).await.unwrap();
        assert_eq!(found.card.name, "Echo");
        assert_eq!(found.url.as_str(), server.url(path));
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
        assert_eq!(server.paths(), [path], "{base}");
        assert_eq!(server.arrived()[0].header("a2a-version"), Some("1.0"));
    }
}

#[tokio::test]
async fn the_older_path_is_tried_where_there_is_nothing() {
    let server = Server::start(&[("/x/.well-known/agent.json", card_reply())]).await;
    let found = discover(&egress(), &server.url("/x")).await.unwrap();
    assert_eq!(found.card.name, "Echo");
    assert_eq!(
        server.paths(),
        [
            "/x/.well-known/agent-card.json",
            "/x/.well-known/agent.json"
        ]
    );
}

#[tokio::test]
async fn the_card_is_kept_as_it_was_sent() {
    let text = card("http://agent.example/a2a")
        .to_string()
        .replace(":", " : ");
    let text = text.replace("http : ", "http:");
    let server = Server::start(&[("/card.json", Reply::json(&text))]).await;
    let found = discover(&egress(), &server.url("/card.json"))
        .await
        .unwrap();
    assert_eq!(found.raw, text.as_bytes());
}

#[tokio::test]
async fn a_0_3_card_is_read() {
    let old = json!({
        "protocolVersion": "0.3.0",
        "name": "Older",
        "description": "From before.",
        "version": "7",
        "url": "http://agent.example/rpc",
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [],
    });
    let server = Server::start(&[("/.well-known/agent-card.json", Reply::json(&old))]).await;
    let found = discover(&egress(), &server.url("")).await.unwrap();
    assert_eq!(found.card.name, "Older");
    let interface = &found.card.supported_interfaces[0];
    assert_eq!(interface.url, "http://agent.example/rpc");
    assert_eq!(interface.protocol_version, "0.3");
}

#[tokio::test]
async fn a_flawed_card_is_read_with_warnings() {
    let mut flawed = card("http://agent.example/a2a");
    flawed["skills"] = Value::Null;
    flawed["description"] = json!(7);
    let server = Server::start(&[("/card.json", Reply::json(&flawed))]).await;
    let found = discover(&egress(), &server.url("/card.json"))
        .await
        .unwrap();
    assert_eq!(found.card.name, "Echo");
    let warnings: Vec<_> = found.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings.iter().any(|it| it.starts_with("/description ")),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn what_is_no_card_is_shown() {
    for (body, why) in [
        ("<!doctype html><title>Sign in</title>", "not a JSON object"),
        ("{}", "not an agent card"),
        ("[]", "not a JSON object"),
        ("", "not a JSON object"),
        (r#"{"name":"x"}"#, "not an agent card"),
    ] {
        let reply = Reply::new(200, "text/html", body);
        let server = Server::start(&[("/.well-known/agent-card.json", reply)]).await;
        let error = discover(&egress(), &server.url("")).await.unwrap_err();
        let Error::NotACard { answer, .. } = &error else {
            panic!("{body}: {error:?}");
        };
        assert_eq!(answer.status, 200);
        assert_eq!(answer.content_type.as_deref(), Some("text/html"));
        assert_eq!(answer.beginning, body);
        assert_eq!(answer.body_length, body.len());
        assert!(error.to_string().contains(why), "{error}");
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn a_place_without_an_agent_is_told_by_its_status() {
    let server = Server::start(&[]).await;
    let error = discover(&egress(), &server.url("/?key=secret"))
        .await
        .unwrap_err();
    let Error::HttpStatus { answer } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(answer.status, 404);
    assert_eq!(answer.url, server.url("/.well-known/agent-card.json"));
    assert_eq!(answer.beginning, "<h1>Not here</h1>");
    assert!(!error.is_retryable());
    let words = error.to_string();
    assert!(
        words.contains("HTTP 404") && words.contains("text/html"),
        "{words}"
    );
    assert!(!words.contains("secret"), "{words}");
}

#[tokio::test]
async fn a_busy_server_is_retryable_after_the_wait_that_it_asks_for() {
    for (header, wait) in [
        ("120", Some(Duration::from_secs(120))),
        // The date form would need a clock; it is left to the caller's own pause.
        ("Fri, 01 May 2026 10:00:00 GMT", None),
    ] {
        let reply = Reply::new(503, "text/plain", "later").retry_after(header);
        let server = Server::start(&[("/.well-known/agent-card.json", reply)]).await;
        let error = discover(&egress(), &server.url("")).await.unwrap_err();
        assert!(matches!(error, Error::HttpStatus { .. }), "{error:?}");
        assert!(error.is_retryable());
        assert_eq!(error.retry_after(), wait);
        assert_eq!(server.paths().len(), 1, "no other path is tried");
    }
}

#[tokio::test]
async fn a_closed_address_is_refused() {
    let server = Server::start(&[("/.well-known/agent-card.json", card_reply())]).await;
    let closed = egress::Egress::new(egress::Options::default()).unwrap();
    let error = discover(&closed, &server.url("")).await.unwrap_err();
    assert!(
        matches!(error, Error::Network(egress::Error::AddressBlocked { .. })),
        "{error:?}"
    );
    assert!(server.paths().is_empty());
}

#[tokio::test]
async fn a_text_that_is_no_url_is_told() {
    let error = discover(&egress(), "dealer.example").await.unwrap_err();
    assert!(
        matches!(error, Error::Network(egress::Error::InvalidUrl { .. })),
        "{error:?}"
    );
}
