//! Certificates for servers of the tests.

use std::sync::Arc;

use rustls::{ServerConfig, pki_types::PrivateKeyDer};

/// A certificate that vouches for itself, for one host name.
#[derive(Debug, Clone)]
pub struct Certificate {
    pem: String,
    server: Arc<ServerConfig>,
}

impl Certificate {
    /// Makes a certificate.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn new(host: &str) -> Self {
        let made = rcgen::generate_simple_self_signed(vec![host.to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        Self {
            pem: made.cert.pem(),
            server: Arc::new(server),
        }
    }

    /// The certificate as PEM, for a client that is to trust it.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// The settings of a server that shows it.
    #[must_use]
    pub const fn server(&self) -> &Arc<ServerConfig> {
        &self.server
    }
}
