use std::net::{Ipv4Addr, SocketAddr};

use axum::{
    Router,
    http::HeaderMap,
    routing::{get, post},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};

use super::*;

/// A server on a free loopback port that ends with the test.
struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the handle is kept in the server"
)]
async fn serve(router: Router) -> Server {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    Server { address, task }
}

/// What a raw server does after its bytes.
#[derive(Clone, Copy)]
enum Then {
    Close,
    Stall,
}

/// Answers every connection with these bytes.
#[expect(
    clippy::disallowed_methods,
    reason = "the handle is kept in the server"
)]
async fn serve_bytes(answer: impl Into<Vec<u8>>, then: Then) -> Server {
    let answer = answer.into();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        let mut stalled = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(&answer).await;
            if matches!(then, Then::Stall) {
                stalled.push(stream);
            }
        }
    });
    Server { address, task }
}

fn loopback() -> Vec<IpNet> {
    vec!["127.0.0.0/8".parse().unwrap()]
}

fn open() -> Egress {
    Egress::new(Options {
        allow: loopback(),
        ..Options::default()
    })
    .unwrap()
}

fn hosts(names: &[(&str, &[&str])]) -> HashMap<String, Vec<IpAddr>> {
    names
        .iter()
        .map(|(name, addresses)| {
            let addresses = addresses.iter().map(|text| text.parse().unwrap());
            ((*name).to_owned(), addresses.collect())
        })
        .collect()
}

#[tokio::test]
async fn an_answer_comes_with_status_headers_and_body() {
    let server = serve(Router::new().route(
        "/echo",
        post(|headers: HeaderMap, body: String| async move {
            let agent = headers["user-agent"].to_str().unwrap().to_owned();
            let note = headers["x-note"].to_str().unwrap().to_owned();
            (StatusCode::IM_A_TEAPOT, format!("{agent} {note} {body}"))
        }),
    ))
    .await;
    let answer = open()
        .post(server.url("/echo"), "hello")
        .header(
            HeaderName::from_static("x-note"),
            HeaderValue::from_static("n"),
        )
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status, StatusCode::IM_A_TEAPOT);
    assert_eq!(answer.content_type(), Some("text/plain; charset=utf-8"));
    let expected = format!("forecourt/{} n hello", env!("CARGO_PKG_VERSION"));
    assert_eq!(answer.body, expected.as_bytes());
    assert_eq!(answer.url.as_str(), server.url("/echo"));
}

#[tokio::test]
async fn every_spelling_of_a_closed_literal_is_refused() {
    let egress = Egress::new(Options {
        allow_http: true,
        ..Options::default()
    })
    .unwrap();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0177.0.0.1",
        "0x7f000001",
        "0x7f.1",
        "127.0.0.1.",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "100.100.100.200",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]",
        "１２７.０.０.１",
    ] {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://{host}:9/");
            let error = egress.get(&url).send().await.unwrap_err();
            assert!(
                matches!(error, Error::AddressBlocked { .. }),
                "{url}: {error:?}"
            );
            assert!(!error.is_retryable());
        }
    }
}

#[tokio::test]
async fn a_name_is_judged_by_what_it_resolves_to() {
    let server = serve(Router::new().route("/", get(|| async { "secret" }))).await;
    let port = server.address.port();
    let egress = Egress::new(Options {
        allow_http: true,
        hosts: hosts(&[
            ("rebound.example", &["127.0.0.1"]),
            ("mapped.example", &["::ffff:127.0.0.1"]),
            ("metadata.example", &["169.254.169.254", "10.0.0.7"]),
        ]),
        ..Options::default()
    })
    .unwrap();
    for host in [
        "rebound.example",
        "mapped.example",
        "metadata.example",
        "localhost",
        "REBOUND.example",
    ] {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://{host}:{port}/");
            let error = egress.get(&url).send().await.unwrap_err();
            let Error::AddressBlocked { host: named, .. } = error else {
                panic!("{url}: {error:?}");
            };
            assert_eq!(named, host.to_lowercase());
        }
    }
}

#[tokio::test]
async fn closed_addresses_of_a_name_are_left_out_beside_open_ones() {
    let server = serve(Router::new().route("/", get(|| async { "here" }))).await;
    let egress = Egress::new(Options {
        allow: vec!["127.0.0.1/32".parse().unwrap()],
        hosts: hosts(&[("two.example", &["127.0.0.2", "127.0.0.1"])]),
        ..Options::default()
    })
    .unwrap();
    let url = format!("http://two.example:{}/", server.address.port());
    let answer = egress.get(url).send().await.unwrap();
    assert_eq!(answer.body, "here".as_bytes());
}

#[tokio::test]
async fn plain_http_needs_an_opened_net() {
    let egress = Egress::new(Options {
        hosts: hosts(&[("dealer.example", &["93.184.215.14"])]),
        ..Options::default()
    })
    .unwrap();
    for url in ["http://dealer.example/", "http://93.184.215.14/"] {
        let error = egress.get(url).send().await.unwrap_err();
        assert!(
            matches!(&error, Error::SchemeNotAllowed { scheme, .. } if scheme == "http"),
            "{url}: {error:?}"
        );
    }
}

#[tokio::test]
async fn what_is_no_web_address_is_refused_with_a_reason() {
    let egress = open();
    for url in [
        "",
        "dealer.example",
        "http://",
        "https://localhost./",
        "http://127.0.0.1:99999/",
        "http://[fe80::1%25eth0]/",
    ] {
        let error = egress.get(url).send().await.unwrap_err();
        assert!(
            matches!(error, Error::InvalidUrl { .. }),
            "{url}: {error:?}"
        );
    }
    for url in ["ftp://127.0.0.1/", "gopher://127.0.0.1/", "ws://127.0.0.1/"] {
        let error = egress.get(url).send().await.unwrap_err();
        assert!(
            matches!(error, Error::SchemeNotAllowed { .. }),
            "{url}: {error:?}"
        );
    }
    let file = egress.get("file:///etc/passwd").send().await.unwrap_err();
    assert!(matches!(file, Error::InvalidUrl { .. }), "{file:?}");
}

#[tokio::test]
async fn a_redirect_is_an_error_that_names_the_target() {
    let server = serve(
        Router::new()
            .route(
                "/away",
                get(|| async { (StatusCode::FOUND, [("location", "http://10.0.0.1/x")]) }),
            )
            .route(
                "/near",
                get(|| async { (StatusCode::PERMANENT_REDIRECT, [("location", "card.json")]) }),
            )
            .route("/same", get(|| async { StatusCode::NOT_MODIFIED })),
    )
    .await;
    let egress = open();
    for (path, code, target) in [
        ("/away", 302, "http://10.0.0.1/x".to_owned()),
        ("/near", 308, server.url("/card.json")),
    ] {
        let error = egress.get(server.url(path)).send().await.unwrap_err();
        let Error::Redirected { status, to, .. } = error else {
            panic!("{path}: {error:?}");
        };
        assert_eq!((status, to), (code, target));
    }
    let same = egress.get(server.url("/same")).send().await.unwrap();
    assert_eq!(same.status, StatusCode::NOT_MODIFIED);
}

#[tokio::test]
async fn a_body_is_counted_as_it_arrives() {
    let egress = Egress::new(Options {
        allow: loopback(),
        body_limit: 1000,
        ..Options::default()
    })
    .unwrap();
    // Without a Content-Length the body ends with the connection.
    let body_of = |size: usize| [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; size]].concat();
    let fitting = serve_bytes(body_of(1000), Then::Close).await;
    let fits = egress.get(fitting.url("/")).send().await.unwrap();
    assert_eq!(fits.body.len(), 1000);
    let long = serve_bytes(body_of(1001), Then::Stall).await;
    let error = egress.get(long.url("/")).send().await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 1000, .. }));
}

#[tokio::test]
async fn a_body_shorter_than_its_length_is_interrupted() {
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nshort";
    let server = serve_bytes(answer, Then::Close).await;
    let error = open().get(server.url("/")).send().await.unwrap_err();
    assert!(matches!(error, Error::Interrupted { .. }), "{error:?}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn silence_times_out() {
    let server = serve(Router::new().route(
        "/",
        get(|| async { std::future::pending::<&'static str>().await }),
    ))
    .await;
    let error = open()
        .get(server.url("/"))
        .timeout(Duration::from_millis(50))
        .send()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_body_that_stops_times_out() {
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort";
    let server = serve_bytes(answer, Then::Stall).await;
    let error = open()
        .get(server.url("/"))
        .timeout(Duration::from_millis(200))
        .send()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
}

#[tokio::test]
async fn nobody_there_is_unreachable_and_says_why() {
    let unused = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = unused.local_addr().unwrap();
    drop(unused);
    let error = open()
        .get(format!("http://{address}/path?secret=1"))
        .send()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("cannot reach http://{address}"));
    let source = error.source().unwrap().to_string();
    assert!(source.contains("refused"), "{source}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn a_name_without_addresses_is_unreachable() {
    let egress = Egress::new(Options {
        hosts: hosts(&[("gone.example", &[])]),
        ..Options::default()
    })
    .unwrap();
    let error = egress
        .get("https://gone.example/")
        .send()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_server_without_tls_is_told_apart() {
    let server = serve_bytes(
        b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n",
        Then::Close,
    )
    .await;
    let error = open()
        .get(format!("https://{}/", server.address))
        .send()
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error:?}");
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn garbage_instead_of_http_is_an_interrupted_answer() {
    let server = serve_bytes(b"220 mail.example ESMTP\r\n", Then::Close).await;
    let error = open().get(server.url("/")).send().await.unwrap_err();
    assert!(matches!(error, Error::Interrupted { .. }), "{error:?}");
}

#[tokio::test]
async fn an_opened_answer_is_read_while_it_arrives() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let server = serve_bytes([head.as_slice(), b"data: 1\n\n"].concat(), Then::Stall).await;
    let mut answer = open().get(server.url("/")).open().await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.content_type(), Some("text/event-stream"));
    let mut body = Vec::new();
    while body.len() < 9 {
        body.extend(
            answer
                .chunk(Duration::from_secs(30))
                .await
                .unwrap()
                .unwrap(),
        );
    }
    assert_eq!(body, b"data: 1\n\n");
    let error = answer.chunk(Duration::from_millis(20)).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
}

#[tokio::test]
async fn an_opened_answer_can_be_read_whole_within_limits() {
    let body = || serve_bytes(b"HTTP/1.1 404 Not Found\r\n\r\nnothing", Then::Close);
    let server = body().await;
    let opened = open().get(server.url("/")).open().await.unwrap();
    let answer = opened.collect().await.unwrap();
    assert_eq!(
        (answer.status.as_u16(), &answer.body[..]),
        (404, &b"nothing"[..])
    );
    let request = open();
    let request = request.get(server.url("/")).body_limit(6);
    let opened = request.open().await.unwrap();
    let error = opened.collect().await.unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { limit: 6, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn opening_waits_for_the_head_no_longer_than_it_may() {
    let server = serve_bytes("", Then::Stall).await;
    let request = open();
    let request = request
        .delete(server.url("/"))
        .timeout(Duration::from_millis(50));
    let error = request.open().await.unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
}

#[tokio::test]
async fn opening_follows_no_redirect() {
    let answer = "HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n";
    let server = serve_bytes(answer, Then::Close).await;
    let error = open().get(server.url("/")).open().await.unwrap_err();
    assert!(
        matches!(error, Error::Redirected { status: 302, .. }),
        "{error:?}"
    );
    let error = open().get("http://10.0.0.1/").open().await.unwrap_err();
    assert!(matches!(error, Error::AddressBlocked { .. }), "{error:?}");
}

#[tokio::test]
async fn http_2_is_spoken_from_the_first_byte_where_it_is_asked_for() {
    let version =
        |request: axum::extract::Request| async move { format!("{:?}", request.version()) };
    let server = serve(Router::new().route("/", post(version))).await;
    let egress = open();
    let request = |http2: bool| {
        let request = egress.post(server.url("/"), "");
        if http2 { request.http2() } else { request }
    };
    assert_eq!(&request(false).send().await.unwrap().body[..], b"HTTP/1.1");
    assert_eq!(&request(true).send().await.unwrap().body[..], b"HTTP/2.0");
    let closed = Egress::new(Options::default()).unwrap();
    let error = closed.post(server.url("/"), "").http2().send().await;
    assert!(
        matches!(error, Err(Error::AddressBlocked { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_body_is_read_with_its_trailers() {
    use http_body_util::BodyExt as _;

    let answer = || async {
        let mut trailers = HeaderMap::new();
        trailers.insert("x-end", "1".parse().unwrap());
        let body = http_body_util::Full::from("words");
        axum::body::Body::new(body.with_trailers(async { Some(Ok(trailers)) }))
    };
    let server = serve(Router::new().route("/", post(answer))).await;
    let egress = open();
    let answer = egress
        .post(server.url("/"), "")
        .http2()
        .open()
        .await
        .unwrap();
    let collected = answer.into_body().collect().await.unwrap();
    assert_eq!(collected.trailers().unwrap()["x-end"], "1");
    assert_eq!(&collected.to_bytes()[..], b"words");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_error() {
    use http_body_util::BodyExt as _;

    let broken = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc";
    let server = serve_bytes(&broken[..], Then::Close).await;
    let answer = open().get(server.url("/")).open().await.unwrap();
    let error = answer.into_body().collect().await.unwrap_err();
    assert!(matches!(error, Error::Interrupted { .. }), "{error:?}");
}
