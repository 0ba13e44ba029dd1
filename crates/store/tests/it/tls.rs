//! TLS to a PostgreSQL server, whose certificate is always verified.

use std::path::Path;

use store::{Error, Heard, Options, Signal, Store};
use testkit::{certificate::Certificate, postgres::Postgres};

use crate::{NAMES, add, names};

const HOST: &str = "127.0.0.1";

/// A server with a certificate for a host, and the URL of a database of it that trusts `trusted`.
fn server(shown: &Certificate, trusted: &Certificate, folder: &Path) -> Option<(Postgres, String)> {
    let server = Postgres::with_certificate(shown)?;
    let authorities = folder.join("root.pem");
    std::fs::write(&authorities, trusted.pem()).unwrap();
    let verified = format!("sslmode=verify-full&sslrootcert={}", authorities.display());
    let url = server.database().replace("sslmode=disable", &verified);
    Some((server, url))
}

#[tokio::test]
async fn a_server_with_a_certificate_that_is_vouched_for_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = Certificate::new(HOST);
    let Some((_server, url)) = server(&certificate, &certificate, folder.path()) else {
        return;
    };
    let [store, other] = [(); 2].map(|()| {
        let options = Options::postgres(&url).unwrap();
        Store::open(options.connections(1).migrations(&[NAMES])).unwrap()
    });
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    assert_eq!(names(&other).await, ["Ada"]);
    let is_sealed = store
        .read(|conn| {
            let sql = "SELECT CAST(ssl AS TEXT) FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
            conn.first(sql, &[], |row| row.text(0).map(str::to_owned))
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    assert_eq!(is_sealed.as_deref(), Some("true"));
    let mut there = other.listen();
    assert_eq!(there.next().await, Heard::Missed);
    store.tell(Signal {
        topic: "task",
        dealer: "demo-motors",
        key: "one",
    });
    assert!(matches!(there.next().await, Heard::Signal(_)));
}

#[tokio::test]
async fn a_server_that_nobody_vouches_for_is_told_at_once() {
    let certificate = Certificate::new(HOST);
    let elsewhere = Certificate::new("db.group.example");
    let ended = Certificate::ended(HOST);
    for (shown, trusted) in [
        (&certificate, &Certificate::new(HOST)),
        (&elsewhere, &elsewhere),
        (&ended, &ended),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let Some((_server, url)) = server(shown, trusted, folder.path()) else {
            return;
        };
        let refused = Store::open(Options::postgres(&url).unwrap()).unwrap_err();
        assert!(matches!(refused, Error::Denied { .. }), "{refused:?}");
        assert!(!refused.is_transient());
        let cause = std::error::Error::source(&refused).unwrap().to_string();
        assert!(cause.contains("invalid peer certificate"), "{cause}");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_told_at_once_where_tls_is_wanted() {
    let Some(server) = Postgres::find() else {
        return;
    };
    let url = server
        .url()
        .replace("sslmode=disable", "sslmode=verify-full");
    let refused = Store::open(Options::postgres(&url).unwrap()).unwrap_err();
    assert!(matches!(refused, Error::Denied { .. }), "{refused:?}");
    let cause = std::error::Error::source(&refused).unwrap().to_string();
    assert!(cause.contains("does not support TLS"), "{cause}");
    let absent = format!("{url}&sslrootcert=/absent/root.pem");
    let refused = Store::open(Options::postgres(&absent).unwrap()).unwrap_err();
    assert!(matches!(refused, Error::Denied { .. }), "{refused:?}");
    let cause = std::error::Error::source(&refused).unwrap().to_string();
    assert!(cause.contains("/absent/root.pem"), "{cause}");
}
