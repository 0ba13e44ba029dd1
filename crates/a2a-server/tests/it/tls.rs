//! TLS as a client sees it: the certificate it is shown, the protocol that is agreed upon.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use a2a_server::serve::{ServeOptions, Server};
use a2a_server::tls::{Certificate, CertificateError, Tls};
use axum::Router;
use axum::routing::get;
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// A certificate of `agent.example` that signs itself: chain and key as PEM, and as DER.
struct Pair {
    chain: String,
    key: String,
    der: CertificateDer<'static>,
}

fn pair() -> Pair {
    pair_until(4000)
}

fn pair_until(year: i32) -> Pair {
    let mut params = CertificateParams::new(vec!["agent.example".to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    Pair {
        chain: certificate.pem(),
        key: key.serialize_pem(),
        der: certificate.der().clone(),
    }
}

fn certificate(pair: &Pair) -> Certificate {
    Certificate::from_pem(pair.chain.as_bytes(), pair.key.as_bytes()).unwrap()
}

/// Sends a request over TLS and returns the protocol that was agreed upon and the reply.
fn exchange(
    address: SocketAddr,
    trusted: &Pair,
    protocols: &[&str],
) -> std::io::Result<(Option<String>, String)> {
    use std::io::{Read as _, Write as _};

    let mut roots = RootCertStore::empty();
    roots.add(trusted.der.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
    let name = ServerName::try_from("agent.example").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let socket = std::net::TcpStream::connect(address)?;
    socket.set_read_timeout(Some(crate::client::PATIENCE))?;
    let mut stream = StreamOwned::new(client, socket);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: agent.example\r\nConnection: close\r\n\r\n")?;
    let agreed = stream.conn.alpn_protocol();
    let agreed = agreed.map(|it| String::from_utf8_lossy(it).into_owned());
    let mut reply = Vec::new();
    // The end of a connection may come without a farewell.
    let _ = stream.read_to_end(&mut reply);
    Ok((agreed, String::from_utf8_lossy(&reply).into_owned()))
}

struct Running {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
    _serving: JoinSet<std::io::Result<()>>,
}

fn start(tls: Tls, options: ServeOptions) -> Running {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().route("/", get(|| async { "hello" }));
    let (stop, stopped) = oneshot::channel();
    let mut serving = JoinSet::new();
    serving.spawn(Server::new(listener, options).tls(tls).serve(app, async {
        let _ = stopped.await;
    }));
    Running {
        address,
        _stop: stop,
        _serving: serving,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewed_certificate_is_shown_from_the_next_handshake_on() {
    let (first, second) = (pair(), pair());
    let tls = Tls::new(&certificate(&first));
    let server = start(tls.clone(), ServeOptions::default());
    let (agreed, reply) = exchange(server.address, &first, &["http/1.1"]).unwrap();
    assert_eq!(agreed.as_deref(), Some("http/1.1"));
    assert!(reply.ends_with("hello"), "{reply}");
    assert!(exchange(server.address, &second, &[]).is_err());
    tls.replace(&certificate(&second));
    assert!(
        exchange(server.address, &second, &[])
            .unwrap()
            .1
            .ends_with("hello")
    );
    assert!(exchange(server.address, &first, &[]).is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http_2_is_preferred_where_the_client_has_it() {
    let pair = pair();
    let server = start(Tls::new(&certificate(&pair)), ServeOptions::default());
    let (agreed, _) = exchange(server.address, &pair, &["http/1.1", "h2"]).unwrap();
    assert_eq!(agreed.as_deref(), Some("h2"));
}

#[tokio::test]
async fn a_silent_handshake_ends_the_connection() {
    let mut options = ServeOptions::default();
    options.header_timeout = Duration::from_millis(200);
    let server = start(Tls::new(&certificate(&pair())), options);
    let mut connection = crate::client::Connection::open(server.address).await;
    connection.send("").await;
    assert_eq!(connection.rest().await, "");
}

#[test]
fn what_cannot_be_served_is_refused_with_the_reason() {
    let (one, other) = (pair(), pair());
    let read = |chain: &str, key: &str| Certificate::from_pem(chain.as_bytes(), key.as_bytes());
    let cut = &one.chain[..one.chain.len() - 40];
    type Case<'a> = (&'a str, &'a str, fn(&CertificateError) -> bool);
    let cases: [Case<'_>; 6] = [
        (&one.chain, &other.key, |it| {
            matches!(it, CertificateError::Refused(_))
                && it.to_string().ends_with("the key is another certificate's")
        }),
        ("", &one.key, |it| {
            matches!(it, CertificateError::NoCertificate)
        }),
        (&one.key, &one.key, |it| {
            matches!(it, CertificateError::NoCertificate)
        }),
        (cut, &one.key, |it| !it.is_of_key()),
        (&one.chain, &one.chain, |it| {
            matches!(it, CertificateError::NoKey)
        }),
        (
            &one.chain,
            "-----BEGIN PRIVATE KEY-----\n\u{fffd}\n",
            |it| it.is_of_key(),
        ),
    ];
    for (number, (chain, key, is_expected)) in cases.into_iter().enumerate() {
        let error = read(chain, key).unwrap_err();
        assert!(is_expected(&error), "case {number}: {error:?}");
    }
    // A chain with the other's certificate behind the own one belongs to the own key.
    assert!(read(&format!("{}{}", one.chain, other.chain), &one.key).is_ok());
}

#[test]
fn a_certificate_is_good_between_its_dates() {
    let certificate = certificate(&pair_until(2030));
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    // 1 January of 2020 and of 2030.
    let (begin, end) = (1_577_836_800, 1_893_456_000);
    assert_eq!(certificate.valid_until(), at(end));
    assert!(certificate.check_dates(at(begin)).is_ok());
    assert!(certificate.check_dates(at(end)).is_ok());
    let early = certificate.check_dates(at(begin - 1));
    assert!(matches!(early, Err(CertificateError::NotYetValid)));
    let late = certificate.check_dates(at(end + 1));
    assert!(matches!(late, Err(CertificateError::Expired)));
}
