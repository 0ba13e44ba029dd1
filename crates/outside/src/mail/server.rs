//! The mail server as settings name it.

use std::{
    net::IpAddr,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use lettre::{
    message::Mailbox,
    transport::smtp::client::{Certificate, TlsParameters},
};

use super::{Login, SetupError};

/// As many connections at once as the strictest of the large hosts allows for one mailbox.
const CONNECTIONS: usize = 3;

/// How the connection to a mail server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// Plain at first, then STARTTLS, which the server must offer (RFC 3207).
    StartTls,
    /// TLS from the first byte (RFC 8314).
    Implicit,
    /// None, for a server on the same machine.
    None,
}

impl MailTls {
    /// The port that is usual for it.
    #[must_use]
    pub const fn port(self) -> u16 {
        match self {
            Self::StartTls => 587,
            Self::Implicit => 465,
            Self::None => 25,
        }
    }

    /// True where a server of that name may be spoken to like this: in clear only on this machine.
    #[must_use]
    pub fn allows(self, host: &str) -> bool {
        let literal = host.trim_start_matches('[').trim_end_matches(']');
        let is_here = host.eq_ignore_ascii_case("localhost")
            || literal.parse().is_ok_and(|it: IpAddr| it.is_loopback());
        self != Self::None || is_here
    }
}

/// The mail server by which mail leaves.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MailServer {
    /// Host name, or address. The certificate must be for it.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Protection of the connection.
    pub tls: MailTls,
    /// How to log in, where the server asks for it.
    pub login: Login,
    /// File with further certificate authorities as PEM, for a server inside a company; those of
    /// the system count always.
    pub ca_file: Option<PathBuf>,
    /// Longest time for one mail, connecting included.
    pub timeout: Duration,
    /// Most connections at the same time.
    pub connections: usize,
}

impl MailServer {
    /// A server without login that is given a minute for a mail, over at most three connections.
    #[must_use]
    pub fn new(host: impl Into<String>, port: u16, tls: MailTls) -> Self {
        Self {
            host: host.into(),
            port,
            tls,
            login: Login::None,
            ca_file: None,
            timeout: Duration::from_secs(60),
            connections: CONNECTIONS,
        }
    }

    /// The one on this machine.
    #[must_use]
    pub fn local() -> Self {
        Self::new("localhost", MailTls::None.port(), MailTls::None)
    }

    /// The protection, ready for use.
    pub(super) fn tls(&self) -> Result<Tls, SetupError> {
        if !self.tls.allows(&self.host) {
            return Err(SetupError::Clear {
                host: self.host.clone(),
            });
        }
        Ok(match self.tls {
            MailTls::None => Tls::None,
            MailTls::StartTls => Tls::Start(self.parameters()?),
            MailTls::Implicit => Tls::Implicit(self.parameters()?),
        })
    }

    fn parameters(&self) -> Result<TlsParameters, SetupError> {
        let mut builder = TlsParameters::builder(self.host.clone());
        if let Some(path) = &self.ca_file {
            let authority = std::fs::read(path).map_err(|source| SetupError::Unreadable {
                path: path.clone(),
                source,
            })?;
            builder = builder.add_root_certificate(Certificate::from_pem(&authority)?);
        }
        Ok(builder.build()?)
    }
}

/// [`MailTls`] with what a handshake needs.
#[derive(Clone)]
pub(super) enum Tls {
    None,
    Start(TlsParameters),
    Implicit(TlsParameters),
}

/// Reads a mailbox, such as `it@group.example` or `Forecourt <it@group.example>`. Only ASCII
/// addresses, because few servers take others.
pub(crate) fn mailbox(text: &str) -> Result<Mailbox, SetupError> {
    let fault = |source| SetupError::Mailbox {
        text: text.to_owned(),
        source,
    };
    let mailbox: Mailbox = text.parse().map_err(fault)?;
    if !mailbox.email.to_string().is_ascii() {
        return Err(SetupError::NotAscii {
            text: text.to_owned(),
        });
    }
    Ok(mailbox)
}

/// A moment for the header `Date`.
pub(crate) fn date(moment: Timestamp) -> SystemTime {
    let moment = moment.max(Timestamp::UNIX_EPOCH);
    SystemTime::try_from(moment).unwrap_or(SystemTime::UNIX_EPOCH)
}
