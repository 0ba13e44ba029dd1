//! The certificate under which a server speaks TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2 (ALPN).
//!
//! ```no_run
//! use a2a_server::tls::{Certificate, Tls};
//!
//! let certificate = Certificate::from_pem(&std::fs::read("chain.pem")?, &std::fs::read("key.pem")?)?;
//! certificate.check_dates(std::time::UNIX_EPOCH)?;
//! let tls = Tls::new(&certificate);
//! // Later, without ending a connection:
//! # let renewed = certificate;
//! tls.replace(&renewed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum_server::tls_rustls::RustlsConfig;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate chain with the private key that belongs to it.
#[derive(Clone)]
pub struct Certificate {
    config: Arc<ServerConfig>,
    valid_from: SystemTime,
    valid_until: SystemTime,
}

/// Why a certificate cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// There is no certificate in the chain's text.
    #[error("no certificate is in it; it begins with -----BEGIN CERTIFICATE-----")]
    NoCertificate,
    /// The chain's text is not PEM.
    #[error(
        "the certificate is not whole: what is between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE----- is cut off or damaged"
    )]
    BrokenCertificate(#[source] pem::Error),
    /// The first certificate of the chain cannot be read.
    #[error("the certificate cannot be read: {0}")]
    Unreadable(String),
    /// There is no usable private key in the key's text.
    #[error(
        "no private key that is not encrypted is in it; it begins with -----BEGIN PRIVATE KEY-----"
    )]
    NoKey,
    /// The key's text is not PEM.
    #[error("the private key is not whole")]
    BrokenKey,
    /// Key and certificate do not belong together, or are of a kind that is not served.
    #[error("the certificate and the private key cannot be used together: {}", why_refused(.0))]
    Refused(#[source] rustls::Error),
    /// The certificate's time is over.
    #[error("the certificate has expired")]
    Expired,
    /// The certificate's time has not begun.
    #[error("the certificate is not valid yet; is the machine's clock right?")]
    NotYetValid,
}

fn why_refused(error: &rustls::Error) -> String {
    match error {
        rustls::Error::InconsistentKeys(_) => "the key is another certificate's".to_owned(),
        other => other.to_string(),
    }
}

impl CertificateError {
    /// Whether the private key is at fault, and not the chain.
    #[must_use]
    pub fn is_of_key(&self) -> bool {
        matches!(self, Self::NoKey | Self::BrokenKey | Self::Refused(_))
    }
}

impl Certificate {
    /// Reads a chain, the server's own certificate first, and its private key, both as PEM.
    ///
    /// # Errors
    ///
    /// [`CertificateError`]; dates are not judged here.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, CertificateError> {
        let chain = CertificateDer::pem_slice_iter(chain)
            .collect::<Result<Vec<_>, _>>()
            .map_err(CertificateError::BrokenCertificate)?;
        let own = chain.first().ok_or(CertificateError::NoCertificate)?;
        let (valid_from, valid_until) = validity(own)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| match error {
            pem::Error::NoItemsFound => CertificateError::NoKey,
            // What the parser says may quote the key.
            _ => CertificateError::BrokenKey,
        })?;
        let mut config =
            ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(CertificateError::Refused)?
                .with_no_client_auth()
                .with_single_cert(chain, key)
                .map_err(CertificateError::Refused)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            config: Arc::new(config),
            valid_from,
            valid_until,
        })
    }

    /// When it ends.
    #[must_use]
    pub fn valid_until(&self) -> SystemTime {
        self.valid_until
    }

    /// Whether it can be served at `now`.
    ///
    /// # Errors
    ///
    /// [`CertificateError::Expired`], [`CertificateError::NotYetValid`].
    pub fn check_dates(&self, now: SystemTime) -> Result<(), CertificateError> {
        if now < self.valid_from {
            Err(CertificateError::NotYetValid)
        } else if now > self.valid_until {
            Err(CertificateError::Expired)
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate")
            .field("valid_from", &self.valid_from)
            .field("valid_until", &self.valid_until)
            .finish_non_exhaustive()
    }
}

fn validity(
    certificate: &CertificateDer<'_>,
) -> Result<(SystemTime, SystemTime), CertificateError> {
    let (_, certificate) = x509_parser::parse_x509_certificate(certificate)
        .map_err(|error| CertificateError::Unreadable(error.to_string()))?;
    let validity = certificate.validity();
    let time = |seconds: i64| {
        // Before 1970 is as good as 1970: long over.
        UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
    };
    Ok((
        time(validity.not_before.timestamp()),
        time(validity.not_after.timestamp()),
    ))
}

/// What a [`Server`](crate::serve::Server) shows to its peers; clones share it, so that a renewed
/// certificate can be put in its place while the server runs.
#[derive(Clone)]
pub struct Tls(RustlsConfig);

impl Tls {
    /// Serves this certificate.
    #[must_use]
    pub fn new(certificate: &Certificate) -> Self {
        Self(RustlsConfig::from_config(Arc::clone(&certificate.config)))
    }

    /// Serves this certificate from the next handshake on; open connections stay.
    pub fn replace(&self, certificate: &Certificate) {
        self.0.reload_from_config(Arc::clone(&certificate.config));
    }

    pub(crate) fn into_config(self) -> RustlsConfig {
        self.0
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls(..)")
    }
}
