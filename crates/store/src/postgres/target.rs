//! How a connection to the server comes about.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rustls::{
    ClientConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use rustls_platform_verifier::Verifier;
use tokio_postgres::{Client, Config, Connection, Socket, config::SslMode, tls::MakeTlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    error::{Said, silent, sort},
    url::PostgresUrl,
};
use crate::{BadAddress, Error, Options};

/// How long each host may take to answer a knock.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a host that has answered may take to let us in.
const GREETING: Duration = Duration::from_secs(5);
/// How long what was sent may stay without a sign that it arrived.
const UNHEARD: Duration = Duration::from_secs(10);
/// What the network and the server may take beyond the time that the server gives a statement.
const MARGIN: Duration = Duration::from_secs(5);
/// What they may take for a statement that costs the server nothing.
const TRIFLE: Duration = Duration::from_secs(10);

type Tls = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// A client, and what keeps it going when it is polled.
pub(super) type Dialed = (Client, Connection<Socket, Tls>);

/// A server and how to speak with it.
pub(super) struct Target {
    /// In the order of the URL.
    hosts: Vec<Config>,
    /// Which of them took the last connection.
    found: AtomicUsize,
    tls: MakeRustlsConnect,
    place: String,
    /// What the server is told.
    pub(super) statement_timeout: Duration,
    /// How long a write waits for what others have to themselves.
    pub(super) patience: Duration,
}

impl Target {
    pub(super) fn new(url: &PostgresUrl, options: &Options) -> Result<Self, Error> {
        let place = url.to_string();
        let unusable = |reason: String| Error::Denied {
            path: Some(place.clone()),
            source: Arc::new(Said(reason)),
        };
        let bad = |error: BadAddress| unusable(error.to_string());
        let wanted = url.wanted().map_err(bad)?;
        let mut hosts = url.each_host().map_err(bad)?;
        hosts.iter_mut().for_each(complete);
        let uses_tls = wanted.config.get_ssl_mode() != SslMode::Disable;
        let tls = tls(uses_tls, wanted.authorities.as_deref()).map_err(unusable)?;
        Ok(Self {
            hosts,
            found: AtomicUsize::new(0),
            tls,
            place,
            statement_timeout: options.statement_timeout,
            patience: options.patience,
        })
    }

    /// How long a statement may take, seen from here.
    pub(super) fn deadline(&self) -> Duration {
        self.statement_timeout + MARGIN
    }

    /// How long a statement may take that costs the server nothing.
    pub(super) fn short_deadline(&self) -> Duration {
        TRIFLE.min(self.deadline())
    }

    /// The same for one that waits for what others have to themselves.
    pub(super) fn waiting_deadline(&self) -> Duration {
        (self.patience + TRIFLE).min(self.deadline())
    }

    /// Connects to the host that took the last connection, or to the next one that does. Each has its time,
    /// so that one that says nothing does not stand for all.
    pub(super) async fn connect(&self) -> Result<Dialed, Error> {
        let first = self.found.load(Ordering::Relaxed);
        let mut refused: Option<Error> = None;
        for turn in 0..self.hosts.len() {
            let at = (first + turn) % self.hosts.len();
            match self.dial(&self.hosts[at]).await {
                Ok(dialed) => {
                    self.found.store(at, Ordering::Relaxed);
                    return Ok(dialed);
                }
                // Where one may be back later, it does not matter that another never lets us in.
                Err(error) => {
                    refused = refused.filter(Error::is_transient).or(Some(error));
                }
            }
        }
        Err(refused.unwrap_or_else(|| silent(Duration::ZERO)))
    }

    async fn dial(&self, host: &Config) -> Result<Dialed, Error> {
        let knock = host.get_connect_timeout().copied();
        let patience = knock.unwrap_or(CONNECT) + GREETING;
        let dialed = tokio::time::timeout(patience, host.connect(self.tls.clone())).await;
        let dialed = match dialed {
            Ok(dialed) => dialed.map_err(sort),
            Err(_) => Err(silent(patience)),
        };
        dialed.map_err(|error| match error {
            // Whatever the server says against a connection, none can be had.
            Error::Unavailable { source, .. } | Error::Statement { source } => Error::Unavailable {
                path: Some(self.place.clone()),
                source,
            },
            Error::Denied { source, .. } => Error::Denied {
                path: Some(self.place.clone()),
                source,
            },
            other => other,
        })
    }
}

/// Bounds what the URL leaves open.
fn complete(config: &mut Config) {
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_application_name().is_none() {
        config.application_name("forecourt");
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNHEARD);
    }
    // A server that went without a word is noticed within half a minute.
    config.keepalives_idle(Duration::from_secs(10));
    config.keepalives_interval(Duration::from_secs(5));
    config.keepalives_retries(3);
}

fn tls(is_used: bool, authorities: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    if !is_used {
        let nobody = rustls::RootCertStore::empty();
        let config = builder.with_root_certificates(nobody).with_no_client_auth();
        return Ok(MakeRustlsConnect::new(config));
    }
    let further = match authorities {
        None => Vec::new(),
        Some(path) => CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect)
            .map_err(|error| format!("{} cannot be read as PEM: {error}", path.display()))?,
    };
    let verifier = Verifier::new_with_extra_roots(further, provider)
        .map_err(|error| format!("TLS cannot be set up: {error}"))?;
    let config = builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
