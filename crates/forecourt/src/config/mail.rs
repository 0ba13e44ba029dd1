//! `[mail]`, and `[alarm.smtp]` in the same form: by which server mail leaves, and as whom.

use std::path::{Path, PathBuf};

use dealers::Period;
use egress::Egress;
use jiff::SignedDuration;
use outside::{
    Secret,
    delivery::{BounceAddress, MailSettings},
    mail::{Grant, MailServer, MailTls, SetupError, TokenAddress},
};
use serde::Deserialize;
use url::{Host, Url};

use super::{
    account::{self, Account},
    check::Findings,
};

/// Shortest and longest time for one mail.
const TIMEOUTS: (SignedDuration, SignedDuration) =
    (SignedDuration::from_secs(5), SignedDuration::from_mins(2));

/// Most connections to a mail server that a person may allow.
const MOST_CONNECTIONS: usize = 100;

/// A sender that nobody elsewhere knows.
pub(super) const LOCAL_SENDER: &str = "forecourt@localhost";

/// A mail server, and as whom mail leaves by it. Files are named from the configuration's folder.
/// The server of the alarms is apart from the one of the leads, which it may have to report.
#[derive(Debug, Clone, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Smtp {
    /// Host name; this machine when absent.
    pub host: Option<String>,
    /// Port; that of `tls` when absent: 587, 465 or 25.
    pub port: Option<u16>,
    /// Protection of the connection; see [`tls`](Self::tls).
    pub tls: Option<MailTls>,
    /// File with further certificate authorities, as PEM.
    pub ca_file: Option<PathBuf>,
    /// Name at the server.
    pub user: Option<String>,
    /// File with the password of `user`.
    pub password_file: Option<PathBuf>,
    /// File with an access token of `user` (XOAUTH2), which another program keeps fresh.
    pub token_file: Option<PathBuf>,
    /// Where access tokens of `user` are handed out (XOAUTH2).
    pub oauth: Option<OAuth>,
    /// Longest time for one mail, connecting included.
    pub timeout: Option<Period>,
    /// Most connections at the same time; three when absent.
    pub connections: Option<usize>,
    /// Sender.
    pub from: Option<String>,
    /// Where people's answers to leads go.
    pub reply_to: Option<String>,
    /// Mailbox to which leads that come back are sent: the envelope sender. The sender when absent.
    pub bounce_address: Option<String>,
    /// Whether the delivery stands in the bounce address, as in `bounce+ID@group.example`.
    pub bounce_tag: bool,
}

/// Where access tokens are handed out (RFC 6749).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OAuth {
    /// The token address.
    pub token_url: Url,
    /// The program's name there.
    pub client_id: String,
    /// File with the program's secret.
    pub client_secret_file: Option<PathBuf>,
    /// File with a refresh token; the program's own credentials count when absent.
    pub refresh_token_file: Option<PathBuf>,
    /// What the token is for.
    pub scope: Option<String>,
}

/// Why the server cannot send as the configuration says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutgoingError {
    /// A file of a secret cannot be read.
    #[error("{path} cannot be read")]
    Secret {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Mail cannot be prepared.
    #[error(transparent)]
    Mail(#[from] SetupError),
    /// The HTTP client cannot be set up.
    #[error(transparent)]
    Client(#[from] egress::Error),
}

impl Smtp {
    /// Host name of the server.
    #[must_use]
    pub fn host(&self) -> &str {
        self.host.as_deref().unwrap_or("localhost")
    }

    /// Protection of the connection: STARTTLS, and none to a server on this machine.
    #[must_use]
    pub fn tls(&self) -> MailTls {
        let usual = if MailTls::None.allows(self.host()) {
            MailTls::None
        } else {
            MailTls::StartTls
        };
        self.tls.unwrap_or(usual)
    }

    /// The server. Files are named from `base`; secrets are read at once, except those that change
    /// by themselves.
    ///
    /// # Errors
    /// [`OutgoingError`].
    pub fn server(&self, base: &Path, egress: &Egress) -> Result<MailServer, OutgoingError> {
        let tls = self.tls();
        let mut server = MailServer::new(self.host(), self.port.unwrap_or(tls.port()), tls);
        server.ca_file = self.ca_file.as_ref().map(|it| base.join(it));
        if let Some(timeout) = self.timeout {
            server.timeout = timeout.duration().unsigned_abs();
        }
        if let Some(connections) = self.connections {
            server.connections = connections;
        }
        server.login = self.account().login(base, egress)?;
        Ok(server)
    }

    const fn account(&self) -> Account<'_> {
        Account {
            user: &self.user,
            password_file: &self.password_file,
            token_file: &self.token_file,
            oauth: &self.oauth,
        }
    }

    /// How leads leave as mail. Without a sender, it is `forecourt` at the host of the public
    /// address.
    ///
    /// # Errors
    /// [`OutgoingError`].
    pub fn leads(
        &self,
        public_url: Option<&Url>,
        base: &Path,
        egress: &Egress,
    ) -> Result<MailSettings, OutgoingError> {
        let from = self.from.clone();
        let from = from.unwrap_or_else(|| default_sender(public_url));
        let mut settings = MailSettings::new(self.server(base, egress)?, from);
        settings.reply_to.clone_from(&self.reply_to);
        let bounce = self.bounce_address.as_ref();
        settings.bounce = bounce.map(|it| BounceAddress::new(it, self.bounce_tag));
        Ok(settings)
    }
}

impl OAuth {
    pub(super) fn address(
        &self,
        base: &Path,
        egress: &Egress,
    ) -> Result<TokenAddress, OutgoingError> {
        let secret = self.client_secret_file.as_ref();
        let secret = secret.map(|it| secret_of(base, it)).transpose()?;
        let grant = match &self.refresh_token_file {
            Some(file) => {
                // It has to be there, and is read again for each token.
                secret_of(base, file)?;
                Grant::RefreshToken(base.join(file))
            }
            None => Grant::ClientCredentials,
        };
        let egress = egress.opened_for(&self.token_url)?;
        let address = TokenAddress::new(
            egress,
            self.token_url.clone(),
            self.client_id.clone(),
            grant,
        );
        Ok(address.secret(secret).scope(self.scope.clone()))
    }
}

/// The sender of leads where none is named.
pub(super) fn default_sender(public_url: Option<&Url>) -> String {
    match public_url.and_then(Url::host) {
        Some(Host::Domain(name)) if name != "localhost" => format!("forecourt@{name}"),
        _ => LOCAL_SENDER.to_owned(),
    }
}

/// A secret from a file.
pub(super) fn secret_of(base: &Path, path: &Path) -> Result<Secret, OutgoingError> {
    let path = base.join(path);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Secret::new(&text)),
        Err(source) => Err(OutgoingError::Secret { path, source }),
    }
}

/// What in a mail server's table at `at` cannot work.
pub(super) fn check(at: &[&str], smtp: &Smtp, found: &mut Findings<'_>) {
    let key = |last| [at, &[last]].concat();
    account::check_server(at, smtp.host(), smtp.tls(), found);
    for (name, mailbox) in [
        ("from", &smtp.from),
        ("reply_to", &smtp.reply_to),
        ("bounce_address", &smtp.bounce_address),
    ] {
        found.mailbox(&key(name), mailbox.as_ref());
    }
    smtp.account().check(at, found);
    if smtp.bounce_tag && smtp.bounce_address.is_none() {
        found.add(
            &key("bounce_tag"),
            "it means nothing without `bounce_address`",
        );
    }
    if smtp
        .connections
        .is_some_and(|it| !(1..=MOST_CONNECTIONS).contains(&it))
    {
        found.add(
            &key("connections"),
            format!("write 1 to {MOST_CONNECTIONS}"),
        );
    }
    let (shortest, longest) = TIMEOUTS;
    if let Some(timeout) = smtp.timeout
        && !(shortest..=longest).contains(&timeout.duration())
    {
        found.add(&key("timeout"), "write \"5s\" to \"2m\"");
    }
}

/// The files that a server has to be able to read to send mail.
pub(super) fn check_files(at: &[&str], smtp: &Smtp, found: &mut Findings<'_>) {
    found.file(&[at, &["ca_file"]].concat(), smtp.ca_file.as_deref());
    smtp.account().check_files(at, found);
}
