//! The card and its caching.

use std::sync::Arc;
use std::time::Duration;

use a2a::card::{AgentCard, AgentInterface};
use a2a::headers::ProtocolVersion;
use a2a_server::card::{self, CardDocument, Unpublishable};
use a2a_server::serve::ServeOptions;
use axum::Router;
use axum::routing::get;
use http::HeaderMap;

use crate::client::{Connection, Reply, exchange};
use crate::start::{Server, start_app};

const PATH: &str = a2a::card::WELL_KNOWN_PATH;

fn serve_card(document: CardDocument) -> Server {
    let handler = move |headers: HeaderMap| async move { document.respond(&headers) };
    let app = Router::new().route(PATH, get(handler));
    start_app(app, Arc::default(), ServeOptions::default())
}

async fn ask(server: &Server, method: &str, headers: &str) -> Reply {
    let request = format!("{method} {PATH} HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
    exchange(server.address, &request).await
}

#[tokio::test]
async fn a_card_is_served_with_what_caches_need() {
    let document = CardDocument::new(r#"{"name":"A"}"#).with_max_age(Duration::from_secs(60));
    let server = serve_card(document);
    let reply = ask(&server, "GET", "").await;
    assert_eq!(
        (reply.status, reply.body.as_str()),
        (200, r#"{"name":"A"}"#)
    );
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("cache-control"), Some("public, max-age=60"));
    let etag = reply.header("etag").unwrap();
    assert!(
        etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10,
        "{etag}"
    );
    let other = serve_card(CardDocument::new(r#"{"name":"B"}"#));
    assert_ne!(ask(&other, "GET", "").await.header("etag"), Some(etag));
}

#[tokio::test]
async fn a_client_that_has_the_card_gets_no_body() {
    let server = serve_card(CardDocument::new(r#"{"name":"A"}"#));
    let etag = ask(&server, "GET", "")
        .await
        .header("etag")
        .unwrap()
        .to_owned();
    for value in [
        etag.clone(),
        format!("W/{etag}"),
        format!("\"x\", {etag}"),
        "*".to_owned(),
    ] {
        let reply = ask(&server, "GET", &format!("If-None-Match: {value}\r\n")).await;
        assert_eq!((reply.status, reply.body.as_str()), (304, ""), "{value}");
        assert_eq!(reply.header("etag"), Some(etag.as_str()));
    }
    let reply = ask(&server, "GET", "If-None-Match: \"x\"\r\n").await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn head_is_answered_like_get_without_the_body() {
    let server = serve_card(CardDocument::new(r#"{"name":"A"}"#));
    let mut connection = Connection::open(server.address).await;
    let request = format!("HEAD {PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    connection.send(request).await;
    let head = connection.rest().await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("content-length: 12\r\n"), "{head}");
    assert!(head.contains("etag: \""), "{head}");
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    let reply = ask(&server, "POST", "Content-Length: 0\r\n").await;
    assert_eq!(reply.status, 405);
}

/// A card whose interfaces speak these versions.
fn card_of(versions: &[ProtocolVersion]) -> AgentCard {
    let interface = |version: &ProtocolVersion| {
        AgentInterface::new("https://a.example/a2a", AgentInterface::JSONRPC, *version)
    };
    AgentCard {
        name: "A".to_owned(),
        supported_interfaces: versions.iter().map(interface).collect(),
        ..AgentCard::default()
    }
}

async fn get_at(server: &Server, path: &str, headers: &str) -> Reply {
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
    exchange(server.address, &request).await
}

#[tokio::test]
async fn a_card_for_both_generations_is_pure_for_who_asks_for_1_0() {
    let card = card_of(&[ProtocolVersion::V1_0, ProtocolVersion::V0_3]);
    let document = CardDocument::of_both(&card).unwrap();
    let server = start_app(
        card::router("/base/", document),
        Arc::default(),
        ServeOptions::default(),
    );
    let mut tags = Vec::new();
    for (headers, url) in [
        ("", true),
        ("A2A-Version: 0.3\r\n", true),
        ("A2A-Version: 1.0.3\r\n", false),
    ] {
        for path in ["/.well-known/agent-card.json", "/.well-known/agent.json"] {
            let reply = get_at(&server, &format!("/base{path}"), headers).await;
            assert_eq!(reply.header("vary"), Some("A2A-Version"));
            let card = reply.json();
            assert_eq!(card["url"].is_string(), url, "{headers}{path}");
            assert_eq!(card["supportedInterfaces"].as_array().unwrap().len(), 2);
            tags.push(reply.header("etag").unwrap().to_owned());
        }
    }
    assert_eq!(tags[0], tags[3]);
    assert_ne!(tags[0], tags[4], "two documents have two tags");
    let known = format!("If-None-Match: {}\r\n", tags[0]);
    let path = "/base/.well-known/agent-card.json";
    let reply = get_at(&server, path, &known).await;
    assert_eq!(
        (reply.status, reply.header("vary")),
        (304, Some("A2A-Version"))
    );
    let reply = get_at(&server, path, &format!("A2A-Version: 1.0\r\n{known}")).await;
    assert_eq!(reply.status, 200, "the other document is not known yet");
}

#[tokio::test]
async fn a_card_of_1_0_alone_does_not_vary() {
    let card = card_of(&[ProtocolVersion::V1_0]);
    assert!(matches!(
        CardDocument::of_both(&card),
        Err(Unpublishable::NoOldInterface)
    ));
    let server = serve_card(CardDocument::of(&card).unwrap());
    let reply = ask(&server, "GET", "").await;
    assert_eq!(
        (reply.header("vary"), reply.header("last-modified")),
        (None, None)
    );
    assert!(reply.json()["url"].is_null());
}

#[tokio::test]
async fn a_card_says_when_it_changed() {
    let changed = "2026-05-01T08:00:00.7Z".parse().unwrap();
    let document = CardDocument::new(r#"{"name":"A"}"#).with_last_modified(changed);
    let server = serve_card(document);
    let value = "Fri, 01 May 2026 08:00:00 GMT";
    let reply = ask(&server, "GET", "").await;
    assert_eq!(reply.header("last-modified"), Some(value));
    for (since, status) in [
        (value, 304),
        ("Fri, 01 May 2026 07:59:59 GMT", 200),
        ("yesterday", 200),
    ] {
        let reply = ask(&server, "GET", &format!("If-Modified-Since: {since}\r\n")).await;
        assert_eq!(reply.status, status, "{since}");
    }
    let both = format!("If-None-Match: \"x\"\r\nIf-Modified-Since: {value}\r\n");
    let reply = ask(&server, "GET", &both).await;
    assert_eq!(reply.status, 200, "the tag goes before the date");
}
