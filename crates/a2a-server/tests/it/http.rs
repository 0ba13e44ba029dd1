//! HTTP around the envelope.

use a2a_server::jsonrpc::Options;

use crate::client::{Connection, exchange, post};
use crate::start::{VERSION, send_message, start};

#[tokio::test]
async fn the_path_works_with_and_without_a_slash() {
    let server = start(Options::default());
    for target in ["/a2a", "/a2a/"] {
        let request = post(target, &[VERSION], &send_message("1", "hello"));
        let reply = exchange(server.address, &request).await;
        assert!(reply.json()["result"].is_object(), "{reply:?}");
    }
    for target in ["/", "/a2a/x", "/a2"] {
        let request = post(target, &[VERSION], &send_message("1", "hello"));
        assert_eq!(exchange(server.address, &request).await.status, 404);
    }
}

#[tokio::test]
async fn only_post_is_served() {
    let server = start(Options::default());
    for method in ["GET", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let request = format!("{method} /a2a HTTP/1.1\r\nHost: x\r\n\r\n");
        let reply = exchange(server.address, &request).await;
        assert_eq!(reply.status, 405, "{method}");
        assert_eq!(reply.header("allow"), Some("POST"));
        assert_eq!(reply.error().0, -32600);
    }
}

#[tokio::test]
async fn media_types_of_json_are_served_and_others_are_not() {
    let server = start(Options::default());
    for line in [
        "X-None: 1",
        "Content-Type: application/json",
        "Content-Type: application/json; charset=utf-8",
        "Content-Type: Application/A2A+JSON",
    ] {
        let request = post("/a2a", &[VERSION, line], &send_message("1", "hello"));
        assert_eq!(
            exchange(server.address, &request).await.status,
            200,
            "{line}"
        );
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "",
    ] {
        let line = format!("Content-Type: {kind}");
        let request = post("/a2a", &[VERSION, &line], "this is not JSON");
        let reply = exchange(server.address, &request).await;
        assert_eq!(reply.status, 415, "{kind}");
        assert_eq!(reply.error().0, -32005);
        assert!(reply.json()["id"].is_null());
    }
}

#[tokio::test]
async fn a_body_may_be_as_long_as_the_limit() {
    let body = send_message("1", "hello");
    let mut options = Options::default();
    options.body_limit = body.len();
    let server = start(options);
    let reply = exchange(server.address, &post("/a2a", &[VERSION], &body)).await;
    assert_eq!(reply.status, 200);
    let reply = exchange(
        server.address,
        &post("/a2a", &[VERSION], &format!("{body} ")),
    )
    .await;
    assert_eq!(reply.status, 413);
    let (code, message) = reply.error();
    assert_eq!(
        (code, message),
        (
            -32600,
            format!("the body is longer than {} bytes", body.len())
        )
    );
    assert!(reply.json()["id"].is_null());
}

#[tokio::test]
async fn a_body_without_a_length_is_limited_too() {
    let mut options = Options::default();
    options.body_limit = 200;
    let server = start(options);
    let head =
        format!("POST /a2a HTTP/1.1\r\nHost: x\r\n{VERSION}\r\nTransfer-Encoding: chunked\r\n\r\n");
    let body = send_message("1", "hello");
    let (first, second) = body.split_at(40);
    let chunks = format!(
        "{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
        first.len(),
        second.len()
    );
    let reply = exchange(server.address, &format!("{head}{chunks}")).await;
    assert!(reply.json()["result"].is_object(), "{reply:?}");
    let mut connection = Connection::open(server.address).await;
    connection.send(&head).await;
    for _ in 0..3 {
        connection
            .send(format!("64\r\n{}\r\n", "x".repeat(100)))
            .await;
    }
    let reply = connection.reply().await.unwrap();
    assert_eq!((reply.status, reply.error().0), (413, -32600));
}

#[tokio::test]
async fn requests_may_follow_each_other_on_one_connection() {
    let server = start(Options::default());
    let mut connection = Connection::open(server.address).await;
    let requests: String = (0..20)
        .map(|id: u8| post("/a2a", &[VERSION], &send_message(&id.to_string(), "hello")))
        .collect();
    connection.send(requests).await;
    for id in 0..20 {
        assert_eq!(connection.reply().await.unwrap().json()["id"], id);
    }
}

#[tokio::test]
async fn a_peer_that_sends_far_too_much_still_gets_its_answer() {
    let mut options = Options::default();
    options.body_limit = 1000;
    let server = start(options);
    let request = post("/a2a", &[VERSION], &" ".repeat(3_000_000));
    let reply = exchange(server.address, &request).await;
    assert_eq!((reply.status, reply.error().0), (413, -32600));
}

#[tokio::test]
async fn a_peer_that_asks_before_it_sends_is_told_at_once() {
    let mut options = Options::default();
    options.body_limit = 1000;
    let server = start(options);
    let mut connection = Connection::open(server.address).await;
    let head =
        "POST /a2a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n";
    connection.send(head).await;
    assert_eq!(connection.reply().await.unwrap().status, 413);
}
