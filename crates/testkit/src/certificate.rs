//! Certificates for servers of the tests.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use rustls::{ServerConfig, pki_types::PrivateKeyDer};

/// A certificate that vouches for itself, for one host name.
#[derive(Debug, Clone)]
pub struct Certificate {
    pem: String,
    key_pem: String,
    server: Arc<ServerConfig>,
}

impl Certificate {
    /// Makes a certificate.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn new(host: &str) -> Self {
        Self::valid_until(host, 2050)
    }

    /// Makes a certificate that ended years ago.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn ended(host: &str) -> Self {
        Self::valid_until(host, 2021)
    }

    fn valid_until(host: &str, year: i32) -> Self {
        let mut parameters = CertificateParams::new(vec![host.to_owned()]).unwrap();
        parameters.not_before = rcgen::date_time_ymd(2020, 1, 1);
        parameters.not_after = rcgen::date_time_ymd(year, 1, 1);
        let signing_key = KeyPair::generate().unwrap();
        let cert = parameters.self_signed(&signing_key).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        Self {
            pem: cert.pem(),
            key_pem: signing_key.serialize_pem(),
            server: Arc::new(server),
        }
    }

    /// The certificate as PEM, for a client that is to trust it.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Its key as PEM, for a server that reads it from a file.
    #[must_use]
    pub fn key_pem(&self) -> &str {
        &self.key_pem
    }

    /// The settings of a server that shows it.
    #[must_use]
    pub const fn server(&self) -> &Arc<ServerConfig> {
        &self.server
    }
}
