//! The card and its caching.

use std::sync::Arc;
use std::time::Duration;

use a2a_server::card::CardDocument;
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
