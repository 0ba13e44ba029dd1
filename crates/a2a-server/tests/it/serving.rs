//! Peers that are slow, too many, or still there at the end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use a2a_server::jsonrpc::Options;
use a2a_server::serve::ServeOptions;

use crate::client::{Connection, post};
use crate::start::{Server, VERSION, send_message, start_with};

/// Short enough for a test to wait for.
const SHORT: Duration = Duration::from_millis(200);

/// A server whose options are the defaults but for what `change` does.
fn start(change: impl FnOnce(&mut ServeOptions)) -> Server {
    let mut options = ServeOptions::default();
    change(&mut options);
    start_with(Options::default(), options)
}

fn hello() -> String {
    post("/a2a", &[VERSION], &send_message("1", "hello"))
}

#[tokio::test]
async fn a_silent_or_slow_head_ends_the_connection() {
    let server = start(|options| options.header_timeout = SHORT);
    for head in ["", "P", "POST /a2a HTTP/1.1\r\nHost: x\r\nA2A-Ver"] {
        let mut connection = Connection::open(server.address).await;
        connection.send(head).await;
        assert_eq!(connection.rest().await, "", "{head}");
    }
}

#[tokio::test]
async fn an_idle_connection_ends() {
    // Long enough for the first request on a busy machine.
    let server = start(|options| options.idle_timeout = SHORT * 10);
    let address = server.address;
    let visit = |next| async move {
        let mut connection = Connection::open(address).await;
        connection.send(hello()).await;
        assert_eq!(connection.reply().await.unwrap().status, 200);
        connection.send(next).await;
        let rest = connection.rest().await;
        assert!(!rest.contains("200 OK"), "{rest}");
    };
    tokio::join!(visit(""), visit("POST /a2a HTTP/1.1\r\nHost"));
}

#[tokio::test]
async fn a_body_that_stalls_or_drips_is_answered_and_ended() {
    let server = start(|options| options.body_timeout = SHORT);
    let head =
        format!("POST /a2a HTTP/1.1\r\nHost: x\r\n{VERSION}\r\nContent-Length: 1000\r\n\r\n{{");
    for drips in [false, true] {
        let mut connection = Connection::open(server.address).await;
        connection.send(&head).await;
        let reply = loop {
            tokio::select! {
                reply = connection.reply() => break reply.unwrap(),
                // Cancelling the reading loses nothing: what arrived stays in the connection.
                () = tokio::time::sleep(SHORT / 10) => {}
            }
            if drips {
                connection.send(" ").await;
            }
        };
        assert_eq!(reply.status, 408, "drips: {drips}");
        let (code, message) = reply.error();
        assert_eq!(
            (code, message.as_str()),
            (-32600, "the body did not arrive in time")
        );
        connection.rest().await;
    }
    assert_eq!(server.agent.called.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_body_that_comes_at_a_pace_may_take_longer() {
    let server = start(|options| options.body_timeout = SHORT);
    let request = send_message("1", "hello");
    let padding = " ".repeat(512 * 1024);
    let length = request.len() + padding.len();
    let mut connection = Connection::open(server.address).await;
    connection
        .send(format!(
            "POST /a2a HTTP/1.1\r\nHost: x\r\n{VERSION}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{padding}"
        ))
        .await;
    // Past the time without what arrived, long before the time with it.
    tokio::time::sleep(SHORT * 3).await;
    connection.send(request).await;
    assert_eq!(connection.reply().await.unwrap().status, 200);
}

#[tokio::test]
async fn a_body_that_breaks_off_harms_nobody() {
    let server = start(|_| {});
    let mut connection = Connection::open(server.address).await;
    connection
        .send("POST /a2a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        .await;
    drop(connection);
    let mut connection = Connection::open(server.address).await;
    connection.send(hello()).await;
    assert_eq!(connection.reply().await.unwrap().status, 200);
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed() {
    let server = start(|options| options.max_connections = 1);
    let mut first = Connection::open(server.address).await;
    first.send(hello()).await;
    assert_eq!(first.reply().await.unwrap().status, 200);
    let mut second = Connection::open(server.address).await;
    second.send(hello()).await;
    assert!(second.reply().await.is_none());
    first.send(hello()).await;
    assert_eq!(first.reply().await.unwrap().status, 200);
    drop(first);
    // The place is free once the server has seen the end of the first connection.
    loop {
        let mut third = Connection::open(server.address).await;
        third.send(hello()).await;
        match third.reply().await {
            Some(reply) => break assert_eq!(reply.status, 200),
            None => tokio::time::sleep(SHORT / 10).await,
        }
    }
}

#[tokio::test]
async fn a_shutdown_lets_requests_in_flight_finish() {
    let mut server = start(|_| {});
    let mut idle = Connection::open(server.address).await;
    idle.send(hello()).await;
    assert_eq!(idle.reply().await.unwrap().status, 200);
    let mut busy = Connection::open(server.address).await;
    busy.send(post("/a2a", &[VERSION], &send_message("2", "hold")))
        .await;
    let agent = Arc::clone(&server.agent);
    agent.waiting.notified().await;
    let finish = async {
        assert_eq!(idle.rest().await, "", "an idle connection is closed");
        agent.release.notify_one();
        assert_eq!(busy.reply().await.unwrap().json()["id"], 2);
        busy.rest().await;
    };
    tokio::join!(server.stop(), finish);
    let refused = tokio::net::TcpStream::connect(server.address).await;
    assert!(refused.is_err());
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_ever() {
    let mut server = start(|options| options.shutdown_deadline = SHORT);
    let mut connection = Connection::open(server.address).await;
    connection
        .send(post("/a2a", &[VERSION], &send_message("1", "hold")))
        .await;
    server.agent.waiting.notified().await;
    server.stop().await;
    assert!(connection.reply().await.is_none());
}
